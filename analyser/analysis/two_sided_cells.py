"""Results of charges and duels, in which both sides roll dice, as cells of a grid, for many pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import groupby, pairwise, product
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import TWO_SIDED_FIGURES, DefendingSide, blank_cells
from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.attack.summaries import AT_MOST_ONE, ROUNDING, STATUSES
from analyser.engine.fight.exact.distribution import Joint, side_probabilities
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.results import states
from analyser.scenarios.attack import best_attacks
from analyser.scenarios.schema import Combatant

Cells = NDArray[np.void]  # records of CELL
PreparedT = TypeVar("PreparedT")


class FightEnd(NamedTuple):
    """Distribution of the final states of both sides, if the attacker uses `row`."""

    row: str | None
    distribution: Joint
    attacker: Combatant
    defender: Combatant
    p_attacker_wins: float = np.nan
    p_draw: float = np.nan


RowResults = Sequence[FightEnd] | str
"""Results of a pair for each row of the attacker, or the reason why the pair cannot fight."""


def two_sided_cells(
    prepare: Callable[[Loadout, str | None], PreparedT | str],
    solve: Callable[[Sequence[PreparedT | str], Sequence[Combatant], Ruleset], Iterable[RowResults]],
    attackers: Sequence[Loadout],
    defending: DefendingSide,
    _situation: object,
    *,
    in_threads: bool = False,
) -> Cells:
    """Return the cells of a kind of fight in which both sides roll dice.

    `prepare(attacker, row)` returns the attacker in the form that `solve` needs; if `row` is None, the attacker may use
    any row. `solve` takes all levels of an attacking unit and of a defending unit, and returns the results of each pair
    by row; the best row is used. If either function returns a text, it is the reason why a pair cannot fight.
    `in_threads` needs kernels that release the GIL.
    """
    prepared = [prepare(attacker, defending.row) for attacker in attackers]
    cells = blank_cells(len(prepared), len(defending.combatants))
    indices = np.arange(cells.size).reshape(cells.shape)
    blocks = list(product(_slices_by_unit(attackers), _slices_by_unit(defending.defenders)))

    def results_of(block: tuple[slice, slice]) -> list[tuple[int, RowResults]]:
        results = solve(prepared[block[0]], defending.combatants[block[1]], defending.ruleset)
        return list(zip(indices[block].ravel().tolist(), results))

    with ThreadPoolExecutor(defending.threads) if in_threads and defending.threads > 1 else nullcontext() as pool:
        all_results = [result for block in (pool.map if pool else map)(results_of, blocks) for result in block]
    possible: dict[int, Sequence[FightEnd]] = {}
    for index, by_row in all_results:
        if isinstance(by_row, str):
            cells["why_not"].flat[index] = by_row
        else:
            possible[index] = by_row
    if possible:
        cells.flat[list(possible)] = _best_row_cells(list(possible.values()))
    return cells


def _slices_by_unit(loadouts: Sequence[Loadout]) -> list[slice]:
    by_unit = groupby(loadouts, key=lambda loadout: (loadout.faction, id(loadout.unit)))
    sizes = [len(list(levels)) for _, levels in by_unit]
    return [slice(*ends) for ends in pairwise(np.cumsum([0, *sizes]).tolist())]


def _best_row_cells(pairs: Sequence[Sequence[FightEnd]]) -> Cells:
    """Return the cell of the attacker's best row for each pair."""
    counts = np.array([len(pair) for pair in pairs])
    cells = cells_of([end for ends in pairs for end in ends])
    firsts = np.cumsum(counts) - counts
    by_row = blank_cells(counts.max(), len(pairs))
    for row in range(len(by_row)):
        with_row = np.flatnonzero(counts > row)
        by_row[row, with_row] = cells[firsts[with_row] + row]
    best: Cells = by_row[best_attacks(by_row), np.arange(len(pairs))]
    return best


def cells_of(fights: Sequence[FightEnd]) -> Cells:
    """Return the cells of several fights; one call for many fights is much faster than a call for each."""
    cells: Cells = blank_cells(1, len(fights))[0]
    joints = [fight.distribution for fight in fights]
    weights = zip(*map(side_probabilities, joints))
    attackers = _FinalStates([joint.first for joint in joints], next(weights), [fight.attacker for fight in fights])
    defenders = _FinalStates([joint.second for joint in joints], next(weights), [fight.defender for fight in fights])
    (cells["attacker_share_lost"],) = attackers.means([attackers.shares])
    figures = {"mean_models_destroyed": defenders.destroyed, "mean_damage": defenders.damage}
    figures |= {"mean_share_lost": defenders.shares, **defenders.flags}
    for name, means in zip(figures, defenders.means(list(figures.values()))):
        cells[name] = means
    for indices, distributions in defenders.distributions():
        models = distributions.shape[1] - 1
        cells["p_any_destroyed"][indices] = distributions[:, 1:].sum(axis=1)
        cells["p_half_destroyed"][indices] = distributions[:, (models + 1) // 2 :].sum(axis=1)
        cells["models_destroyed_10th_percentile"][indices] = _percentiles(distributions, LOW_PERCENTILE)
        cells["models_destroyed_90th_percentile"][indices] = _percentiles(distributions, HIGH_PERCENTILE)
    for name in ("row", "p_attacker_wins", "p_draw"):
        cells[name] = [getattr(fight, name) for fight in fights]
    for name in (*AT_MOST_ONE, *TWO_SIDED_FIGURES):
        cells[name] = np.minimum(cells[name], 1.0)
    return cells


class _FinalStates:
    """Possible final states of one side in several fights, with the figures of each state."""

    def __init__(self, by_fight: Sequence[Integers], weights: Sequence[Floats], units: Sequence[Combatant]) -> None:
        lengths, final = list(map(len, by_fight)), np.concatenate(by_fight)
        models = np.repeat([unit.models or 1 for unit in units], lengths)
        limits = np.repeat([unit.damage_limit or 1 for unit in units], lengths)
        self._models = np.array([unit.models or 0 for unit in units])
        self._weights = weights
        self._parts = [slice(*ends) for ends in pairwise(np.cumsum([0, *lengths]).tolist())]
        self.destroyed = states.models_destroyed(final, models)
        self.damage = self.destroyed * limits + states.damage(final)  # a destroyed model counts as its DAMAGE LIMIT
        self.shares = states.share_lost(final, models, limits)
        self.flags = {f"p_{name}": states.flag(final, name) for name in STATUSES}

    def means(self, figures: Sequence[NDArray[Any]]) -> Floats:
        """Return the means of several figures over the final states of each fight: shape (figures, fights)."""
        columns = np.array(figures, np.float64)
        fights = zip(self._weights, self._parts)
        return np.array([[weights @ column for column in columns[:, part]] for weights, part in fights]).T

    def distributions(self) -> Iterator[tuple[Integers, Floats]]:
        """Yield the indices and distributions of models destroyed of all fights with the same number of models."""
        for models in np.unique(self._models).tolist():
            fights = np.flatnonzero(self._models == models)
            parts = ((self.destroyed[self._parts[fight]], self._weights[fight]) for fight in fights.tolist())
            yield fights, np.array([np.bincount(destroyed, weights, models + 1) for destroyed, weights in parts])


def _percentiles(distributions: Floats, share: float) -> Integers:
    """Return for each distribution (row) the smallest number v with P(models destroyed <= v) >= `share`."""
    reached = np.cumsum(distributions, axis=1) >= share - ROUNDING
    return np.asarray(np.where(reached.any(axis=1), reached.argmax(axis=1), distributions.shape[1] - 1), np.int64)
