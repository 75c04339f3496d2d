"""Opponents of a list, and the value of each loadout against them: exact expected points destroyed and kept."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.army_loadouts import ArmyLoadouts, army_loadouts
from analyser.analysis.equilibrium_prices import Array
from analyser.analysis.matchups import matchups
from analyser.analysis.mutual_losses import losses_of
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError, nearest, shown, suggestion_of
from analyser.common.method_settings import Progress
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout, unit_of

_STEPS = 1000  # resolution of the progress of a stage


class Opponent(NamedTuple):
    """An opponent: its number of each loadout, its weight, and its army if it has one."""

    name: str
    units: Mapping[str, float]
    weight: float
    army: Army | None = None


class ListOpponents(NamedTuple):
    """Opponents of a list.

    `mean` are the opponents of a mean; their weights add up to 1. `worst` are the opponents of the worst case: the
    armies, or without several armies each loadout alone, as many as the points allow.
    """

    mean: tuple[Opponent, ...]
    worst: tuple[Opponent, ...]
    loadouts: tuple[Loadout, ...]
    left_out: tuple[str, ...]

    @property
    def armies(self) -> tuple[Army, ...]:
        """Armies among the opponents."""
        return tuple(opponent.army for opponent in self.mean if opponent.army is not None)


class Worth(NamedTuple):
    """Points that a unit of each loadout destroys, and keeps of its own, against each opponent: (opponents, n)."""

    destroyed: Array
    kept: Array

    @property
    def total(self) -> Array:
        """Sum of points destroyed and kept."""
        return self.destroyed + self.kept


def list_opponents(against: Any, library: Profiles, points: int) -> ListOpponents:
    """Return the opponents in `against`: armies, or loadouts by selectors; InputError if none, or unreadable."""
    items = against if isinstance(against, list | tuple) else [against]
    if items and all(isinstance(item, str) and not _is_file(item) for item in items):
        return _of_selectors([str(item) for item in items], library, points)
    for item in items:
        if isinstance(item, str) and not _is_file(item):
            problem = f"{shown(item)} is not an army file, but other opponents are armies"
            raise InputError(problem, where="against", allowed="only armies, or only factions and selectors")
    armies = [army_loadouts(item, library, "against") for item in items]
    if not armies:
        raise InputError("no opponents", where="against", allowed="an army, or a faction, or selectors")
    kinds = {kind.selector: kind for army in armies for kind in army.kinds}
    with_points = {name: loadout for name, loadout in kinds.items() if loadout.level.points}
    mean = tuple(_of_army(army, with_points, 1 / len(armies)) for army in armies)
    if not all(opponent.units for opponent in mean):
        raise InputError("an army without points", where="against", allowed="units that cost points")
    worst = mean if len(armies) > 1 else _each_alone(list(with_points.values()), points)
    left_out = tuple(name for name in kinds if name not in with_points)
    return ListOpponents(mean, worst, tuple(with_points.values()), left_out)


def _is_file(text: str) -> bool:
    return bool(Path(text).suffix) or (os.sep in text and Path(text).exists())


def _of_army(army: ArmyLoadouts, included: Mapping[str, Loadout], weight: float) -> Opponent:
    units = {kind.selector: float(count) for kind, count in zip(army.kinds, army.counts) if kind.selector in included}
    return Opponent(army.army.name, units, weight, army.army)


def _of_selectors(selectors: Sequence[str], library: Profiles, points: int) -> ListOpponents:
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
    mean, worst = equal_unit_weights(with_points, points), _each_alone(with_points, points)
    return ListOpponents(mean, worst, tuple(with_points), left_out)


def equal_unit_weights(loadouts: Sequence[Loadout], points: int) -> tuple[Opponent, ...]:
    """Return armies of one loadout each with these points; units have equal weight, and so do levels of a unit."""
    units = pd.Series([unit_of(loadout.selector) for loadout in loadouts])
    weights = (1 / units.map(units.value_counts()) / units.nunique()).tolist()
    return tuple(opponent._replace(weight=weight) for opponent, weight in zip(_each_alone(loadouts, points), weights))


def _each_alone(loadouts: Sequence[Loadout], points: int) -> tuple[Opponent, ...]:
    """Return armies of one loadout each with these points."""
    return tuple(
        Opponent(loadout.selector, {loadout.selector: points / (loadout.level.points or 1)}, 1 / len(loadouts))
        for loadout in loadouts
    )


def stage(progress: Progress, number: int, of: int) -> Progress:
    """Return the progress of one of several equal stages as a part of the whole."""
    return lambda done, total: progress(_STEPS * number + _STEPS * done // max(total, 1), _STEPS * of)


def losses_between(
    ours: Sequence[Loadout],
    theirs: Sequence[Loadout],
    situations: Sequence[Situation],
    library: Profiles,
    threads: int | None,
    progress: Progress,
) -> tuple[list[Loadout], Array]:
    """Return the distinct loadouts of both sides, and the mean share that each column loses to each row."""
    options: dict[str, Any] = {"situations": situations, "threads": threads, "profiles": library}
    frames = [
        matchups(ours, theirs, progress=stage(progress, 0, 2), **options).frame,
        matchups(theirs, ours, progress=stage(progress, 1, 2), **options).frame,
    ]
    frame = pd.concat(frames, ignore_index=True)
    all_loadouts = list({loadout.selector: loadout for loadout in (*ours, *theirs)}.values())
    whole = frame.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)
    return all_loadouts, losses_of(whole, all_loadouts, situations, library.ruleset)


def worth_against(
    opponents: Sequence[Opponent], ours: Sequence[Loadout], all_loadouts: Sequence[Loadout], losses: Array, points: int
) -> Worth:
    """Return the value of each of `ours` in a list of this many points, against each opponent.

    In a round each unit of both sides acts once, on an enemy unit drawn in proportion to points. Therefore the values
    of a list's units can be added up. `losses` are those between `all_loadouts`.
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
    return Worth(destroyed, kept)
