"""Table of matchups after an edit of loadouts: only changed fights are computed; a change of points needs none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.fight_cache import cached_results, unit_in_fights
from analyser.analysis.grid import (
    CELL,
    CellBlock,
    CellBlocks,
    Cells,
    DefendingSide,
    KnownResults,
    blank_cells,
    compute_grid,
    not_modelled,
)
from analyser.analysis.matchups import Matchups
from analyser.common.method_settings import Progress, Sampling
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation


def matchups_after_edit(
    earlier: Matchups,
    attackers: Sequence[Loadout],
    defenders: Sequence[Loadout],
    *,
    ruleset: Ruleset | None = None,
    used: ProfilesUsed | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    keep: bool = False,
) -> Matchups:
    """Return the table for edited loadouts: exactly that of :func:`analyser.matchups`, but faster.

    Parameters
    ----------
    earlier : Matchups
        The complete table before the edit; fights that did not change are copied from it.
    attackers, defenders : sequence of Loadout
        All loadouts of the new table. A loadout replaces the earlier one with the same selector.
    ruleset, used : optional
        Ruleset and source of profiles of the new table; default: those of `earlier`. With another ruleset every fight
        is computed again.
    threads, progress
        As in :func:`analyser.matchups`.
    keep : bool
        Store the new fights on disk, so that the same edit is faster next time.

    Examples
    --------
    >>> from analyser.analysis.matchups import matchups
    >>> found = matchups("crown/rifle-platoon@basic", "imperium/*@basic", situations="charge")
    >>> cheaper = [loadout.with_(points="-5") for loadout in found.attackers]
    >>> after = matchups_after_edit(found, cheaper, found.defenders).frame  # without a new fight
    >>> int(after["attacker_points"].iloc[0] - found.frame["attacker_points"].iloc[0])
    -5
    """
    rules = earlier.ruleset if ruleset is None else ruleset
    sampling = Sampling("exact", threads=threads, progress=progress)
    defending = DefendingSide(tuple(defenders), rules, earlier.row, sampling.n_threads)
    reusable = cached_results(attackers, defending, edits=keep)
    if rules == earlier.ruleset:
        pairs = (earlier.attackers, attackers), (earlier.defenders, defenders)
        rows, columns = (_unchanged_indices(*pair) for pair in pairs)
        reusable = _ReusedCells(earlier.frame, rows, columns, reusable)
    situations = earlier.situations
    with sampling.with_bar() as reporting:
        frame = compute_grid(attackers, defending, situations, reporting.report, reusable)
    missing = not_modelled(attackers, defenders, situations)
    used = earlier.profiles if used is None else used
    sides = tuple(attackers), defending.defenders
    return Matchups(frame, *sides, situations, earlier.row, earlier.metric, rules, missing, used)


def fight_alike(loadout: Loadout, other: Loadout) -> bool:
    """Return True if both loadouts have the same selector and differ at most in points, so that they fight alike."""
    return loadout.selector == other.selector and unit_in_fights(loadout) == unit_in_fights(other)


class _ReusedCells(KnownResults):
    """Cells of an earlier table for pairs whose fights are unchanged; for other pairs, the cells of `fallback`.

    ``attackers[i]`` is the index in the earlier table of attacker i of the new table, -1 if it is new or changed;
    `defenders` likewise.
    """

    def __init__(
        self, frame: pd.DataFrame, attackers: Sequence[int], defenders: Sequence[int], fallback: KnownResults
    ) -> None:
        super().__init__(len(attackers), len(defenders))
        self._frame, self._fallback = frame, fallback
        self._indices = [np.array(indices, np.int64) for indices in (attackers, defenders)]
        self._unchanged = [np.flatnonzero(indices >= 0) for indices in self._indices]
        rows, columns = (np.flatnonzero(indices < 0).tolist() for indices in self._indices)
        blocks = (rows, list(range(len(defenders)))), (self._unchanged[0].tolist(), columns)
        self._missing = [block for block in blocks if all(block)]

    def read(self, situation: Situation) -> tuple[Cells, CellBlocks]:
        if not self._missing:
            result, missing = blank_cells(*map(len, self._indices)), self._missing
        else:
            result, unknown = self._fallback.read(situation)
            common = (_intersection(block, other) for block in self._missing for other in unknown)
            missing = [block for block in common if all(block)]
            if _pair_count(missing) == _pair_count(unknown):  # the fallback already has every reusable cell
                return result, missing
        sources = [indices[unchanged] for indices, unchanged in zip(self._indices, self._unchanged)]
        result[np.ix_(*self._unchanged)] = self._cells[situation.name][np.ix_(*sources)]
        return result, missing

    def store(self, situation: Situation, cells: Cells, blocks: CellBlocks) -> None:
        """Pass the new cells to the fallback, which may store them."""
        self._fallback.store(situation, cells, blocks)

    @cached_property
    def _cells(self) -> dict[str, Cells]:
        """Cells of the earlier table, by situation."""
        names, shape = self._frame["situation"].unique(), (self._frame["attacker"].nunique(), -1)
        cells = np.empty(len(self._frame), CELL)
        for name in CELL.names or ():
            column = self._frame[name]
            cells[name] = _objects(column) if CELL[name].hasobject else column
        by_situation = cells.reshape(*shape, len(names))
        return {name: by_situation[..., number] for number, name in enumerate(names)}


def _pair_count(blocks: CellBlocks) -> int:
    return sum(len(rows) * len(columns) for rows, columns in blocks)


def _intersection(block: CellBlock, other: CellBlock) -> CellBlock:
    rows, columns = ([index for index in indices if index in set(others)] for indices, others in zip(block, other))
    return rows, columns


def _objects(column: pd.Series[Any]) -> NDArray[np.object_]:
    """Return a column as an array with None for missing values."""
    result = np.array(column, object)
    result[column.isna()] = None
    return result


def _unchanged_indices(before: Sequence[Loadout], after: Sequence[Loadout]) -> list[int]:
    """Return the index in `before` of each loadout of `after`, -1 if it is new or fights differently."""
    by_selector = {loadout.selector: (index, loadout) for index, loadout in enumerate(before)}
    indices = []
    for loadout in after:
        index, earlier = by_selector.get(loadout.selector, (-1, loadout))
        indices.append(index if fight_alike(earlier, loadout) else -1)
    return indices
