"""How a chain of rolls is written out for the kernel that throws its dice: rows of whole numbers; and its memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Chain, Die, Phase
from analyser.engine.digits import DIGITS, Draws, memory_for_draws


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
    tables: NDArray[np.uint16]
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
    """The sheet of a chain; a phase that comes again is written once."""
    tables, dice, settled = _Pile(np.uint16), _Pile(np.uint16), _Pile(np.int32)
    values, marks = _Pile(np.int64), _Pile(np.int64)
    written: dict[int, Row] = {}
    dice_script: list[DieRow] = []
    script, slot = [], 0
    for phase in chain.phases:
        if id(phase) not in written:
            first = len(dice_script)
            for die, worth in ((phase.die, 1), *phase.beside):
                shown = np.flatnonzero(die.weights)
                starts, limit = marks_of(die)
                begins = values.add(shown)
                marks.add(starts[shown])
                dice_script.append(DieRow(begins, begins + len(shown), limit, worth))
            settled.add(_settled(phase))
            written[id(phase)] = Row(
                tables.add(phase.after), phase.after.shape[1], dice.add(phase.dice_of_states), first, first + 1,
                len(dice_script), -1,
            )  # fmt: skip
        script.append(written[id(phase)]._replace(slot=slot if phase.recorded else -1))
        slot += phase.recorded
    return Sheet(
        np.array(script, np.int64), np.array(dice_script, np.int64), tables.array(), dice.array(), settled.array(),
        values.array(), marks.array(), chain.start, chain.states, slot,
    )  # fmt: skip


def _settled(phase: Phase) -> NDArray[np.int32]:
    """The state that each state leads to whatever it rolls; -1 where that depends on the roll."""
    values = [np.flatnonzero(each.weights) for each in (phase.die, *(each.die for each in phase.beside))]
    worths = [each.worth for each in phase.beside]
    low, high = (
        phase.dice_of_states.astype(np.int64) * values[0][end]
        + sum(each[end] * worth for each, worth in zip(values[1:], worths))
        for end in (0, -1)
    )
    states, totals = np.arange(len(phase.after)), np.arange(phase.after.shape[1])
    lowest = phase.after[states, low]
    elsewhere = phase.after != lowest[:, np.newaxis]
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
