"""Fights in which both sides roll dice, for many pairs at once, as cells of a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import groupby, pairwise, product
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import CONTEST_FIGURES, DefendingSide, blank_cells
from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE
from analyser.common.records import Floats, Integers
from analyser.engine.attack.summaries import AT_MOST_ONE, ROUNDING, STATUSES
from analyser.engine.fight.exact.distribution import Joint
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.results import states
from analyser.scenarios.attack import best_of
from analyser.scenarios.schema import Combatant

Cells = NDArray[np.void]  # records of CELL
_OF_UNITS = ("models", "damage_limit")
SideT = TypeVar("SideT")


class Over(NamedTuple):
    """Result of a fight of an attacker (side 0, with this row) and a defender: a distribution."""

    row: str | None
    distribution: Joint
    attacker: Combatant
    defender: Combatant
    p_attacker_wins: float = np.nan
    p_draw: float = np.nan


Ways = Sequence[Over] | str
"""Results of a pair for each row of the attacker, or the reason why it cannot fight."""


def fought_cells(
    side: Callable[[Loadout, str | None], SideT | str],
    fights: Callable[[Sequence[SideT | str], Sequence[Combatant], Ruleset], Iterable[Ways]],
    attackers: Sequence[Loadout],
    defending: DefendingSide,
    _: object,
    *,
    in_threads: bool = False,
) -> Cells:
    """Return the cells of a kind of fight in which both sides roll; they have no number of dice.

    `side` converts an attacker and the given row (or None) to an argument of `fights`. `fights` takes all levels of an
    attacking unit and of a defender, and returns the results of each pair, of which the best row counts. A text from
    either is the reason why they cannot fight. `in_threads` is faster if a kernel without the interpreter lock takes
    nearly all the time.
    """
    sides = [side(attacker, defending.row) for attacker in attackers]
    cells = blank_cells(len(sides), len(defending.combatants))
    places = np.arange(cells.size).reshape(cells.shape)
    pairs = list(product(_by_unit(attackers), _by_unit(defending.defenders)))

    def met(at: tuple[slice, slice]) -> list[tuple[int, Ways]]:
        result = fights(sides[at[0]], defending.combatants[at[1]], defending.ruleset)
        return list(zip(places[at].ravel().tolist(), result))

    with ThreadPoolExecutor(defending.threads) if in_threads and defending.threads > 1 else nullcontext() as pool:
        result = [fight for block in (pool.map if pool else map)(met, pairs) for fight in block]
    able: dict[int, Sequence[Over]] = {}
    for place, ways in result:
        if isinstance(ways, str):
            cells["why_not"].flat[place] = ways
        else:
            able[place] = ways
    if able:
        cells.flat[list(able)] = _best(list(able.values()))
    return cells


def _by_unit(loadouts: Sequence[Loadout]) -> list[slice]:
    """Return the slice of each unit's levels, which are adjacent."""
    sizes = [len(list(group)) for _, group in groupby(loadouts, key=lambda side: (side.faction, id(side.unit)))]
    return [slice(*both) for both in pairwise(np.cumsum([0, *sizes]).tolist())]


def _best(pairs: Sequence[Sequence[Over]]) -> Cells:
    """Return the cell of each pair, for its best row."""
    counts = np.array([len(pair) for pair in pairs])
    read = cells_of([way for ways in pairs for way in ways])
    firsts = np.cumsum(counts) - counts
    ways = blank_cells(counts.max(), len(pairs))
    for way in range(len(ways)):
        there = np.flatnonzero(counts > way)
        ways[way, there] = read[firsts[there] + way]
    best: Cells = ways[best_of(ways), np.arange(len(pairs))]
    return best


def cells_of(fights: Sequence[Over]) -> Cells:
    """Return the cells of several fights; reading many at once is much faster."""
    cells: Cells = blank_cells(1, len(fights))[0]
    joints = [fight.distribution for fight in fights]
    likely = ([joint.probabilities.sum(axis=axis) for joint in joints] for axis in (1, 0))
    ours = _Standing([joint.first for joint in joints], next(likely), [fight.attacker for fight in fights])
    theirs = _Standing([joint.second for joint in joints], next(likely), [fight.defender for fight in fights])
    (cells["attacker_share_lost"],) = ours.means([ours.shares])
    figures = {"mean_models_destroyed": theirs.destroyed, "mean_damage": theirs.suffered}
    figures |= {"mean_share_lost": theirs.shares, **theirs.flags}
    for name, means in zip(figures, theirs.means(list(figures.values()))):
        cells[name] = means
    for at, counts in theirs.counts():
        models = counts.shape[1] - 1
        cells["p_any_destroyed"][at] = counts[:, 1:].sum(axis=1)
        cells["p_half_destroyed"][at] = counts[:, (models + 1) // 2 :].sum(axis=1)
        cells["models_destroyed_10th_percentile"][at] = _percentiles(counts, LOW_PERCENTILE)
        cells["models_destroyed_90th_percentile"][at] = _percentiles(counts, HIGH_PERCENTILE)
    for name in ("row", "p_attacker_wins", "p_draw"):
        cells[name] = [getattr(fight, name) for fight in fights]
    for name in (*AT_MOST_ONE, *CONTEST_FIGURES):
        cells[name] = np.minimum(cells[name], 1.0)
    return cells


class _Standing:
    """Possible states of one side after each of several fights, concatenated, with their figures."""

    def __init__(self, sides: Sequence[Integers], weights: Sequence[Floats], units: Sequence[Combatant]) -> None:
        lengths, standing = list(map(len, sides)), np.concatenate(sides)
        models, limits = (np.repeat([getattr(unit, name) or 1 for unit in units], lengths) for name in _OF_UNITS)
        self._models = np.array([unit.models or 0 for unit in units])
        self._weights = weights
        self._parts = [slice(*ends) for ends in pairwise(np.cumsum([0, *lengths]).tolist())]
        self.destroyed = states.models_destroyed(standing, models)
        # Damage, with the whole DAMAGE LIMIT for each destroyed model.
        self.suffered = self.destroyed * limits + states.damage(standing)
        self.shares = states.share_lost(standing, models, limits)
        self.flags = {f"p_{name}": states.flag(standing, name) for name in STATUSES}

    def means(self, values: Sequence[NDArray[Any]]) -> Floats:
        """Return the mean of each of several values in each fight: shape (values, fights)."""
        columns = np.array(values, np.float64)
        result = [[likely @ column for column in columns[:, part]] for likely, part in zip(self._weights, self._parts)]
        return np.array(result).T

    def counts(self) -> Iterator[tuple[Integers, Floats]]:
        """Yield fights of units of equal size, with distributions of models destroyed: shape (fights, models + 1)."""
        for models in np.unique(self._models).tolist():
            at = np.flatnonzero(self._models == models)
            counts = [np.bincount(self.destroyed[self._parts[n]], self._weights[n], models + 1) for n in at.tolist()]
            yield at, np.array(counts)


def _percentiles(counts: Floats, share: float) -> Integers:
    """Return for each row the smallest number v with P(figure <= v) >= `share`."""
    reached = np.cumsum(counts, axis=1) >= share - ROUNDING
    return np.asarray(np.where(reached.any(axis=1), reached.argmax(axis=1), counts.shape[1] - 1), np.int64)
