"""How a chain of rolls is written out for the kernel that throws its dice: rows of whole numbers; and its memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.bitwise import DIGITS, Draws, memory_for_draws
from analyser.engine.chain.chain import Chain, Die, Phase
from analyser.engine.chain.exact import Tables, Tabulated


class DieRow(NamedTuple):
    """A die in the kernel's script."""

    first: int  # of its values, and of the marks where they begin among the draws
    last: int  # the first that is not one of them
    limit: int  # the first draw that is drawn again
    worth: int  # what each point adds to the total


class Row(NamedTuple):
    """A phase in the kernel's script: where its numbers stand, and how many there are."""

    after: int  # in the tables
    totals: int
    of_states: int  # in the dice of states, and in what is settled
    die: int  # in the dice's own script
    beside: int  # the first of the dice beside, there
    after_beside: int  # the first that is not one of them
    slot: int  # of the recorded counts, or -1


class Sheet(NamedTuple):
    """A chain as the kernel reads it: one row of whole numbers a phase, and the arrays that they point into."""

    script: NDArray[np.int64]
    dice_script: NDArray[np.int64]
    tables: NDArray[np.uint32]
    dice: NDArray[np.uint16]
    settled: NDArray[np.int32]  # the state that a state leads to whatever it rolls, or -1
    values: NDArray[np.int64]
    marks: NDArray[np.int64]
    start: int
    states: int
    slots: int


class Memory(NamedTuple):
    """The working memory of one thread."""

    now: NDArray[np.int64]  # how many trials of a chunk are in each state
    following: NDArray[np.int64]  # and after the phase
    by_total: NDArray[np.int64]  # how many trials of one state have which total so far
    with_die: NDArray[np.int64]  # and with one more die
    marks: NDArray[np.int64]  # of the die that is thrown, those that make a difference
    targets: NDArray[np.int64]  # what it leads to, below the first mark, from it on, …
    shown: NDArray[np.int64]  # how often it has done so
    draws: Draws


def memory_for(sheet: Sheet) -> Memory:
    """Working memory for one thread."""
    totals = int(sheet.script[:, Row._fields.index("totals")].max())
    most = len(sheet.values) + 2
    now, following = _zeros(sheet.states), _zeros(sheet.states)
    return Memory(now, following, _zeros(totals), _zeros(totals), _zeros(most), _zeros(most), _zeros(most),
                  memory_for_draws())  # fmt: skip


def _zeros(size: int) -> NDArray[np.int64]:
    return np.zeros(size, np.int64)


def sheet_for(chain: Chain) -> Sheet:
    """The sheet of a chain with tables of all its states; a phase that comes again is written once."""
    tables = Tables(np.arange(chain.states))
    after, dice, settled = _Pile(np.uint32), _Pile(np.uint16), _Pile(np.int32)
    throws, rows = _Throws(), {}
    for phase in chain.phases:
        if phase.rule not in rows:
            made = tables.of(phase)
            settled.add(_settled(made))
            rows[phase.rule] = throws.row(phase, after.add(made.after), dice.add(made.dice))
    return throws.sheet(chain, rows)._replace(tables=after.array(), dice=dice.array(), settled=settled.array())


def sheet_of_one_state(chain: Chain) -> Sheet:
    """The sheet of a chain without its tables: room for those of one state in one phase."""
    throws = _Throws()
    rows = {phase.rule: throws.row(phase, 0, 0) for phase in chain.phases}
    return throws.sheet(chain, rows)


class _Throws:
    """The dice of the phases of a chain, written one after the other."""

    def __init__(self) -> None:
        self._values, self._marks = _Pile(np.int64), _Pile(np.int64)
        self._dice_script: list[DieRow] = []

    def row(self, phase: Phase, after: int, of_states: int) -> Row:
        """The row of a phase whose tables begin there."""
        first = len(self._dice_script)
        for die, worth in ((phase.die, 1), *phase.beside):
            starts, limit = marks_of(die)
            begins = self._values.add(die.shown)
            self._marks.add(starts[die.shown])
            self._dice_script.append(DieRow(begins, begins + len(die.shown), limit, worth))
        return Row(after, phase.totals, of_states, first, first + 1, len(self._dice_script), -1)

    def sheet(self, chain: Chain, rows: dict[tuple[object, ...], Row]) -> Sheet:
        """The sheet of a chain whose phases have these rows, with tables of one state."""
        script, slot = [], 0
        for phase in chain.phases:
            script.append(rows[phase.rule]._replace(slot=slot if phase.recorded else -1))
            slot += phase.recorded
        totals = max(row.totals for row in rows.values())
        return Sheet(
            np.array(script, np.int64), np.array(self._dice_script, np.int64), np.zeros(totals, np.uint32),
            np.zeros(1, np.uint16), np.full(1, -1, np.int32), self._values.array(), self._marks.array(), chain.start,
            chain.states, slot,
        )  # fmt: skip


def _settled(made: Tabulated) -> NDArray[np.int32]:
    """The state that each state leads to whatever it rolls; -1 where that depends on the roll."""
    states, totals = np.arange(len(made.after)), np.arange(made.after.shape[1])
    low, high = made.phase.span(states)
    lowest = made.after[states, low]
    elsewhere = made.after != lowest[:, np.newaxis]
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
        return np.concatenate(self._parts, dtype=self._parts[0].dtype)


def marks_of(die: Die) -> tuple[NDArray[np.int64], int]:
    """Where each value from 0 begins among the draws, and where the draws end that count."""
    if die.sides == 0:
        below = np.concatenate([[0.0], np.cumsum(die.chances)[:-1]])
        return np.rint(np.minimum(below, 1.0) * 2.0**DIGITS).astype(np.int64), 1 << DIGITS
    below = np.concatenate([[0.0], np.cumsum(die.weights)[:-1]])
    unit = (1 << DIGITS) // die.sides
    return below.astype(np.int64) * unit, unit * die.sides
