"""Opponents of an army list, and the expected points that each loadout destroys and keeps against them."""

from __future__ import annotations

import os
from collections import Counter
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
    """An opponent: its loadouts, its number of units with each of them, and its weight in the mean of all opponents."""

    name: str
    loadouts: tuple[Loadout, ...]  # with points
    counts: tuple[float, ...]
    weight: float


class ListOpponents(NamedTuple):
    """Opponents of a list, and all their loadouts with points; the weights of the opponents add up to 1."""

    opponents: tuple[Opponent, ...]
    loadouts: tuple[Loadout, ...]
    left_out: tuple[str, ...]  # loadouts without points
    armies: tuple[Army, ...] = ()  # the stated armies


class UnitValues(NamedTuple):
    """Expected points that a unit of each loadout destroys and keeps; shape (opponents, loadouts)."""

    destroyed: Floats
    kept: Floats

    @property
    def total(self) -> Floats:
        """Sum of points destroyed and kept."""
        return self.destroyed + self.kept


def list_opponents(against: Any, library: Profiles, points: int, over: str) -> ListOpponents:
    """Return the armies or selected loadouts in `against`; raise InputError if none is usable.

    For the worst case (`over` is ``worst``) a single army is replaced by an opponent for each of its loadouts.
    """
    items = against if isinstance(against, list | tuple) else [against]
    selectors = [item for item in items if isinstance(item, str) and not _is_file(item)]
    if selectors and len(selectors) == len(items):
        return _selected_opponents(selectors, library, points)
    if selectors:
        problem = f"{shown(selectors[0])} is not an army file, but other opponents are armies"
        raise InputError(problem, where="against", allowed="only armies, or only factions and selectors")
    armies = [army_loadouts(item, library, "against") for item in items]
    if not armies:
        raise InputError("no opponents", where="against", allowed="an army, or a faction, or selectors")
    opponents = list[Opponent]()
    for army in armies:
        units = [(loadout, float(count)) for loadout, count in zip(army.loadouts, army.counts) if loadout.level.points]
        if not units:
            raise InputError("an army without points", where="against", allowed="units that cost points")
        loadouts, counts = zip(*units)
        opponents.append(Opponent(army.army.name, loadouts, counts, 1 / len(armies)))
    distinct = {loadout.selector: loadout for army in armies for loadout in army.loadouts}
    with_points, left_out = _by_points(distinct)
    if over == "worst" and len(armies) == 1:
        opponents = single_loadout_opponents(with_points, points)
    return ListOpponents(tuple(opponents), with_points, left_out, tuple(army.army for army in armies))


def _is_file(text: str) -> bool:
    return bool(Path(text).suffix) or (os.sep in text and Path(text).exists())


def _by_points(loadouts: Mapping[str, Loadout]) -> tuple[tuple[Loadout, ...], tuple[str, ...]]:
    """Return the loadouts with points, and the selectors of the others."""
    with_points = tuple(loadout for loadout in loadouts.values() if loadout.level.points)
    return with_points, tuple(name for name, loadout in loadouts.items() if not loadout.level.points)


def _selected_opponents(selectors: Sequence[str], library: Profiles, points: int) -> ListOpponents:
    distinct: dict[str, Loadout] = {}
    for selector in selectors:
        pattern = f"{selector}/*" if selector in library.factions else selector
        try:
            distinct |= {loadout.selector: loadout for loadout in library.matching(pattern)}
        except InputError as error:
            if not (meant := nearest(selector, library.factions)):
                raise error.inside("against") from None
            problem = f"no faction, unit or file is called {shown(selector)}{suggestion_of(meant)}"
            raise InputError(problem, where="against", allowed=error.allowed) from None
    with_points, left_out = _by_points(distinct)
    if not with_points:
        raise InputError("none of these units has points", where="against", allowed="units that cost points")
    return ListOpponents(tuple(single_loadout_opponents(with_points, points)), with_points, left_out)


def single_loadout_opponents(loadouts: Sequence[Loadout], points: int) -> list[Opponent]:
    """Return an opponent for each loadout alone; all units have the same weight, shared equally by their levels."""
    levels = Counter(unit_of(loadout.selector) for loadout in loadouts)
    return [
        Opponent(
            loadout.selector,
            (loadout,),
            (points / (loadout.level.points or 1),),
            1 / levels[unit_of(loadout.selector)] / len(levels),
        )
        for loadout in loadouts
    ]


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
) -> pd.DataFrame:
    """Return the share of the column's loadout lost to the row's in a round; rows and columns are all selectors."""
    options: dict[str, Any] = {"situations": situations, "threads": threads, "profiles": library}
    frames = [
        matchups(ours, theirs, progress=stage(progress, 0, 2), **options).frame,
        matchups(theirs, ours, progress=stage(progress, 1, 2), **options).frame,
    ]
    frame = pd.concat(frames, ignore_index=True)
    distinct = frame.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)
    loadouts = {loadout.selector: loadout for loadout in (*ours, *theirs)}
    losses = losses_in_lists(distinct, list(loadouts.values()), situations, library.ruleset)
    return pd.DataFrame(losses, list(loadouts), list(loadouts))


def values_against(
    opponents: Sequence[Opponent], ours: Sequence[Loadout], losses: pd.DataFrame, points: int
) -> UnitValues:
    """Return the values of one unit of each loadout in `ours`, in a list of `points`, against each opponent.

    In a round each unit of both sides acts once, on an enemy unit drawn in proportion to points. Therefore the value of
    a list is the sum of the values of its units. `losses` come from :func:`losses_between`.
    """
    names, costs = _names_and_costs(ours)
    destroyed, kept = np.zeros((2, len(opponents), len(ours)))
    for number, opponent in enumerate(opponents):
        enemies, enemy_costs = _names_and_costs(opponent.loadouts)
        counts = np.array(opponent.counts)
        shares = counts * enemy_costs / (counts @ enemy_costs)
        destroyed[number] = losses.loc[names, enemies].to_numpy() @ (shares * enemy_costs)
        p_attacked = costs / points
        kept[number] = costs - p_attacked * costs * (counts @ losses.loc[enemies, names].to_numpy())
    return UnitValues(destroyed, kept)


def _names_and_costs(loadouts: Sequence[Loadout]) -> tuple[list[str], Floats]:
    costs = [loadout.level.points or 0 for loadout in loadouts]
    return [loadout.selector for loadout in loadouts], np.array(costs, np.float64)
