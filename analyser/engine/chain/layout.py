"""How a chain is written out for the kernels that roll its dice: rows of integers; and their working memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.bitwise import DRAW_BITS, DrawBuffers, draw_buffers
from analyser.engine.chain.chain import RECORD, Chain, Die, Phase
from analyser.engine.chain.exact import TransitionTable, TransitionTables


class DieRow(NamedTuple):
    """A die in the layout."""

    first: int  # of its values and their thresholds
    last: int  # the first that is not one of them
    limit: int  # the first draw that is rejected
    weight: int  # what each point adds to the total


class Row(NamedTuple):
    """A phase in the layout: where its numbers begin, and how many there are."""

    targets: int
    totals: int
    of_states: int  # in `dice` and `settled`
    die: int  # in `dice_rows`
    extra_dice: int  # the first of them, there
    after_extra_dice: int  # the first that is not one of them
    slot: int  # of the counts that are recorded here, where nothing is rolled, or -1


class Layout(NamedTuple):
    """A chain as the kernels read it: one row of integers a phase, and the arrays that they point into."""

    rows: NDArray[np.int64]
    dice_rows: NDArray[np.int64]
    targets: NDArray[np.uint32]
    dice: NDArray[np.uint16]
    settled: NDArray[np.int32]  # the state that a state leads to whatever it rolls, or -1
    values: NDArray[np.int64]
    thresholds: NDArray[np.int64]
    start: int
    states: int


class Memory(NamedTuple):
    """The working memory of one thread."""

    now: NDArray[np.int64]  # how many trials of a chunk are in each state
    following: NDArray[np.int64]  # and after the phase
    by_total: NDArray[np.int64]  # how many trials of one state have which total so far
    with_die: NDArray[np.int64]  # and with one more die
    thresholds: NDArray[np.int64]  # of the die that is rolled, those that make a difference
    outcomes: NDArray[np.int64]  # what it leads to, below the first threshold, from it on, …
    counts: NDArray[np.int64]  # how often it has done so
    buffers: DrawBuffers


def memory_for(layout: Layout, states: int) -> Memory:
    """Working memory for one thread, with room for so many states."""
    totals, most = int(layout.rows[:, Row._fields.index("totals")].max()), len(layout.values) + 2
    arrays = [np.zeros(size, np.int64) for size in (states, states, totals, totals, most, most, most)]
    return Memory._make((*arrays, draw_buffers()))


class Writer:
    """Writes the layout of a chain, each phase once; `tabulated`: with tables of all its states, else room for one."""

    def __init__(self, chain: Chain, tabulated: bool) -> None:
        tables = TransitionTables(np.arange(chain.size)) if tabulated else None
        self._values, self._thresholds, self._dice_rows = _Pile(np.int64), _Pile(np.int64), list[DieRow]()
        self._targets, self._dice, self._settled = _Pile(np.uint32), _Pile(np.uint16), _Pile(np.int32)
        self._chain, self._rows = chain, dict[Phase, Row]()
        for phase in chain.phases:
            if phase not in self._rows:
                self._rows[phase] = self._row(phase, None if tables is None or phase is RECORD else tables.of(phase))
        if tables is None:
            self._targets.add(np.zeros(max(row.totals for row in self._rows.values()), np.uint32))
            self._dice.add(np.zeros(1, np.uint16))
            self._settled.add(np.full(1, -1, np.int32))

    def _row(self, phase: Phase, table: TransitionTable | None) -> Row:
        first = len(self._dice_rows)
        for die, weight in ((phase.die, 1), *phase.extra_dice):
            thresholds, limit = thresholds_of(die)
            begins = self._values.add(die.values)
            self._thresholds.add(thresholds[die.values])
            self._dice_rows.append(DieRow(begins, begins + len(die.values), limit, weight))
        targets, of_states = 0, 0
        if table is not None:
            targets, of_states = self._targets.add(table.targets), self._dice.add(table.dice)
            self._settled.add(_settled(table))
        return Row(targets, phase.totals, of_states, first, first + 1, len(self._dice_rows), -1)

    def layout(self, phases: Iterable[Phase]) -> Layout:
        """The layout of some phases of the chain, in the order in which they are played."""
        rows, slot = [], 0
        for phase in phases:
            rows.append(self._rows[phase]._replace(slot=slot if phase is RECORD else -1))
            slot += phase is RECORD
        piles = (self._targets, self._dice, self._settled, self._values, self._thresholds)
        arrays = [pile.array() for pile in piles]
        dice_rows = np.array(self._dice_rows, np.int64)
        return Layout._make((np.array(rows, np.int64), dice_rows, *arrays, self._chain.start, self._chain.size))


def _settled(table: TransitionTable) -> NDArray[np.int32]:
    """The state that each state leads to whatever it rolls; -1 where that depends on the roll."""
    states, totals = np.arange(len(table.targets)), np.arange(table.targets.shape[1])
    low, high = table.phase.span(states)
    lowest = table.targets[states, low]
    elsewhere = table.targets != lowest[:, np.newaxis]
    elsewhere &= (totals > low[:, np.newaxis]) & (totals <= high[:, np.newaxis])
    return np.where(elsewhere.any(axis=1), -1, lowest.astype(np.int32))


class _Pile:
    """Arrays put end to end."""

    def __init__(self, kind: Any) -> None:
        self._parts: list[NDArray[Any]] = [np.zeros(0, kind)]
        self._length = 0

    def add(self, part: NDArray[Any]) -> int:
        """Put `part` at the end; where it begins."""
        begins = self._length
        self._parts.append(part.ravel())
        self._length += part.size
        return begins

    def array(self) -> NDArray[Any]:
        """The whole pile."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts, dtype=self._parts[0].dtype)]
        return self._parts[0]


def thresholds_of(die: Die) -> tuple[NDArray[np.int64], int]:
    """The least draw that shows each value from 0, and the least that is rejected, so that sides are equally likely."""
    if die.sides == 0:
        below = np.concatenate([[0.0], np.cumsum(die.pmf)[:-1]])
        return np.rint(np.minimum(below, 1.0) * 2.0**DRAW_BITS).astype(np.int64), 1 << DRAW_BITS
    below = np.concatenate([[0.0], np.cumsum(die.weights)[:-1]])
    unit = (1 << DRAW_BITS) // die.sides
    return below.astype(np.int64) * unit, unit * die.sides
