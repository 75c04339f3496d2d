"""Opponents of an army list, and the expected points that each loadout destroys and keeps against them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.army_loadouts import army_loadouts
from analyser.analysis.matchups import matchups
from analyser.analysis.mutual_losses import losses_in_lists
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError, nearest, shown, suggestion_of
from analyser.common.kernel_records import Floats
from analyser.common.method_settings import Progress
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout, unit_of

_STEPS = 1000  # progress steps of a stage


class Opponent(NamedTuple):
    """An opponent: its number of units by selector, its weight in the mean, and the army if one was stated."""

    name: str
    units: Mapping[str, float]
    weight: float
    army: Army | None = None


class ListOpponents(NamedTuple):
    """Opponents of a list.

    `for_mean` are the opponents for a mean value; their weights add up to 1. `for_worst` are those for the worst case:
    the stated armies if there are several, otherwise an army of each loadout alone. `left_out` are loadouts without
    points.
    """

    for_mean: tuple[Opponent, ...]
    for_worst: tuple[Opponent, ...]
    loadouts: tuple[Loadout, ...]
    left_out: tuple[str, ...]

    @property
    def armies(self) -> tuple[Army, ...]:
        """Armies among the opponents."""
        return tuple(opponent.army for opponent in self.for_mean if opponent.army is not None)


class UnitValues(NamedTuple):
    """Expected points that a unit of each loadout destroys and keeps; shape (opponents, loadouts)."""

    destroyed: Floats
    kept: Floats

    @property
    def total(self) -> Floats:
        """Sum of points destroyed and kept."""
        return self.destroyed + self.kept


def list_opponents(against: Any, library: Profiles, points: int) -> ListOpponents:
    """Return the armies or selected loadouts in `against`; raise InputError if none is usable."""
    items = against if isinstance(against, list | tuple) else [against]
    if items and all(isinstance(item, str) and not _is_file(item) for item in items):
        return _selected_opponents([str(item) for item in items], library, points)
    for item in items:
        if isinstance(item, str) and not _is_file(item):
            problem = f"{shown(item)} is not an army file, but other opponents are armies"
            raise InputError(problem, where="against", allowed="only armies, or only factions and selectors")
    armies = [army_loadouts(item, library, "against") for item in items]
    if not armies:
        raise InputError("no opponents", where="against", allowed="an army, or a faction, or selectors")
    all_loadouts = {loadout.selector: loadout for army in armies for loadout in army.loadouts}
    with_points = {name: loadout for name, loadout in all_loadouts.items() if loadout.level.points}
    units_of = [
        {unit.selector: float(count) for unit, count in zip(army.loadouts, army.counts) if unit.level.points}
        for army in armies
    ]
    mean = tuple(Opponent(own.army.name, units, 1 / len(armies), own.army) for own, units in zip(armies, units_of))
    if not all(opponent.units for opponent in mean):
        raise InputError("an army without points", where="against", allowed="units that cost points")
    worst = mean if len(armies) > 1 else _single_loadout_armies(list(with_points.values()), points)
    left_out = tuple(name for name in all_loadouts if name not in with_points)
    return ListOpponents(mean, worst, tuple(with_points.values()), left_out)


def _is_file(text: str) -> bool:
    return bool(Path(text).suffix) or (os.sep in text and Path(text).exists())


def _selected_opponents(selectors: Sequence[str], library: Profiles, points: int) -> ListOpponents:
    result: dict[str, Loadout] = {}
    for selector in selectors:
        pattern = f"{selector}/*" if selector in library.factions else selector
        try:
            result |= {loadout.selector: loadout for loadout in library.matching(pattern)}
        except InputError as error:
            if not (meant := nearest(selector, library.factions)):
                raise error.inside("against") from None
            problem = f"no faction, unit or file is called {shown(selector)}{suggestion_of(meant)}"
            raise InputError(problem, where="against", allowed=error.allowed) from None
    with_points = [loadout for loadout in result.values() if loadout.level.points]
    if not with_points:
        raise InputError("none of these units has points", where="against", allowed="units that cost points")
    left_out = tuple(name for name, loadout in result.items() if not loadout.level.points)
    mean, worst = equal_unit_weights(with_points, points), _single_loadout_armies(with_points, points)
    return ListOpponents(mean, worst, tuple(with_points), left_out)


def equal_unit_weights(loadouts: Sequence[Loadout], points: int) -> tuple[Opponent, ...]:
    """Return an army of each loadout alone; all units have the same weight, shared equally by their levels."""
    units = pd.Series([unit_of(loadout.selector) for loadout in loadouts])
    weights = (1 / units.map(units.value_counts()) / units.nunique()).tolist()
    armies = zip(_single_loadout_armies(loadouts, points), weights)
    return tuple(army._replace(weight=weight) for army, weight in armies)


def _single_loadout_armies(loadouts: Sequence[Loadout], points: int) -> tuple[Opponent, ...]:
    return tuple(
        Opponent(loadout.selector, {loadout.selector: points / (loadout.level.points or 1)}, 1 / len(loadouts))
        for loadout in loadouts
    )


def stage(progress: Progress, number: int, n_stages: int) -> Progress:
    """Return a callback that reports the progress of one stage as a share of all stages."""
    return lambda done, total: progress(_STEPS * number + _STEPS * done // max(total, 1), _STEPS * n_stages)


def losses_between(
    ours: Sequence[Loadout],
    theirs: Sequence[Loadout],
    situations: Sequence[Situation],
    library: Profiles,
    threads: int | None,
    progress: Progress,
) -> tuple[list[Loadout], Floats]:
    """Return all distinct loadouts, and a matrix: the share of the column's loadout lost to the row's in a round."""
    options: dict[str, Any] = {"situations": situations, "threads": threads, "profiles": library}
    frames = [
        matchups(ours, theirs, progress=stage(progress, 0, 2), **options).frame,
        matchups(theirs, ours, progress=stage(progress, 1, 2), **options).frame,
    ]
    frame = pd.concat(frames, ignore_index=True)
    all_loadouts = list({loadout.selector: loadout for loadout in (*ours, *theirs)}.values())
    distinct = frame.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)
    return all_loadouts, losses_in_lists(distinct, all_loadouts, situations, library.ruleset)


def values_against(
    opponents: Sequence[Opponent], ours: Sequence[Loadout], all_loadouts: Sequence[Loadout], losses: Floats, points: int
) -> UnitValues:
    """Return the values of one unit of each loadout in `ours`, in a list of `points`, against each opponent.

    In a round each unit of both sides acts once, on an enemy unit drawn in proportion to points. Therefore the value of
    a list is the sum of the values of its units. `all_loadouts` and `losses` come from :func:`losses_between`.
    """
    indices = {loadout.selector: index for index, loadout in enumerate(all_loadouts)}
    cost = np.array([loadout.level.points or 0 for loadout in all_loadouts], np.float64)
    own = np.array([indices[loadout.selector] for loadout in ours])
    destroyed, kept = np.zeros((2, len(opponents), len(ours)))
    for number, opponent in enumerate(opponents):
        enemies = np.array([indices[name] for name in opponent.units])
        counts = np.array(list(opponent.units.values()))
        shares = counts * cost[enemies] / (counts @ cost[enemies])
        destroyed[number] = losses[np.ix_(own, enemies)] @ (shares * cost[enemies])
        p_attacked = cost[own] / points
        kept[number] = cost[own] - p_attacked * cost[own] * (counts @ losses[np.ix_(enemies, own)])
    return UnitValues(destroyed, kept)
