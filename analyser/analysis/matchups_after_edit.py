"""Table of matchups after an edit: only changed fights are computed again; a change of points changes none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.fight_cache import cached_results, fighting
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


def edited(
    answer: Matchups,
    attackers: Sequence[Loadout],
    defenders: Sequence[Loadout],
    *,
    ruleset: Ruleset | None = None,
    used: ProfilesUsed | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    keep: bool = False,
) -> Matchups:
    """Return the table of other loadouts, and compute only the fights that changed.

    Parameters
    ----------
    answer : Matchups
        Every attacker against every defender.
    attackers, defenders : sequence of Loadout
        Loadouts of the new table. A loadout replaces the earlier one with its selector.
    ruleset, used : optional
        Ruleset and profiles of the new table; default: those of `answer`. Another ruleset computes every fight again.
    threads, progress
        As in :func:`analyser.matchups`.
    keep : bool
        Store the fights of the edit on disk, to answer the question faster next time.

    Returns
    -------
    Matchups
        Equal to the result of :func:`analyser.matchups`, to the bit.

    Examples
    --------
    >>> from analyser.analysis.matchups import matchups
    >>> found = matchups("crown/rifle-platoon@basic", "imperium/*@basic", situations="charge")
    >>> cheaper = [each.with_(points="-5") for each in found.attackers]
    >>> after = edited(found, cheaper, found.defenders).frame
    >>> int(after["attacker_points"].iloc[0] - found.frame["attacker_points"].iloc[0])
    -5
    """
    rules = answer.ruleset if ruleset is None else ruleset
    sampling = Sampling("exact", threads=threads, progress=progress)
    defending = DefendingSide(tuple(defenders), rules, answer.row, sampling.n_threads)
    reusable = cached_results(attackers, defending, edits=keep)
    if rules == answer.ruleset:
        rows, columns = _places(answer.attackers, attackers), _places(answer.defenders, defenders)
        reusable = _ReusedCells(answer.frame, rows, columns, reusable)
    with sampling.with_bar() as reporting:
        frame = compute_grid(attackers, defending, answer.situations, reporting.report, reusable)
    missing = not_modelled(attackers, defenders, answer.situations)
    used = answer.profiles if used is None else used
    return Matchups(
        frame, tuple(attackers), defending.defenders, answer.situations, answer.row, answer.metric, rules, missing, used
    )


def fights_as(one: Loadout, other: Loadout) -> bool:
    """Return True if both loadouts fight alike, regardless of points."""
    return one.selector == other.selector and fighting(one) == fighting(other)


class _ReusedCells(KnownResults):
    """Cells of an earlier table, for pairs whose fights are unchanged.

    Other pairs come from `fallback`. ``attackers[i]`` is the row of wanted attacker i in the old `frame`, -1 if new
    or changed; `defenders` likewise.
    """

    def __init__(
        self, frame: pd.DataFrame, attackers: Sequence[int], defenders: Sequence[int], fallback: KnownResults
    ) -> None:
        super().__init__(len(attackers), len(defenders))
        self._frame, self._fallback = frame, fallback
        self._places = [np.array(places, np.int64) for places in (attackers, defenders)]
        self._kept = [np.flatnonzero(place >= 0) for place in self._places]
        rows, columns = (np.flatnonzero(places < 0).tolist() for places in self._places)
        blocks = (rows, list(range(len(defenders)))), (self._kept[0].tolist(), columns)
        self._missing = [block for block in blocks if all(block)]

    def of(self, situation: Situation) -> tuple[Cells, CellBlocks]:
        if not self._missing:
            result, missing = blank_cells(*map(len, self._places)), self._missing
        else:
            result, unknown = self._fallback.of(situation)
            missing = [
                block for own in self._missing for block in (_in_both(own, other) for other in unknown) if all(block)
            ]
            if _pairs(missing) == _pairs(unknown):  # the fallback already has every reusable cell
                return result, missing
        at = [places[kept] for places, kept in zip(self._places, self._kept)]
        result[np.ix_(*self._kept)] = self._cells[situation.name][np.ix_(*at)]
        return result, missing

    def store(self, situation: Situation, cells: Cells, blocks: CellBlocks) -> None:
        """Store the cells of these blocks, as :class:`~.grid.KnownResults` does."""
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
        return {name: by_situation[..., at] for at, name in enumerate(names)}


def _pairs(blocks: CellBlocks) -> int:
    return sum(len(rows) * len(columns) for rows, columns in blocks)


def _in_both(one: CellBlock, other: CellBlock) -> CellBlock:
    rows, columns = ([name for name in mine if name in set(theirs)] for mine, theirs in zip(one, other))
    return rows, columns


def _objects(column: pd.Series[Any]) -> NDArray[np.object_]:
    result = np.array(column, object)
    result[column.isna()] = None
    return result


def _places(before: Sequence[Loadout], after: Sequence[Loadout]) -> list[int]:
    """Return the index in `before` of each of `after`, -1 if it is new or fights differently."""
    there = {loadout.selector: (at, loadout) for at, loadout in enumerate(before)}
    places = []
    for loadout in after:
        at, old = there.get(loadout.selector, (-1, loadout))
        places.append(at if fights_as(old, loadout) else -1)
    return places
