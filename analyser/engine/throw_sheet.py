"""How a chain of rolls is written out for the kernel that throws its dice: rows of whole numbers; and its memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Chain, Die, Phase

BLOCK = 2048  # trials rolled at once; of a chunk, groups are cut into blocks
CERTAIN, NARROW, WIDE = 0, 16, 32  # bits of a draw; none for a die that can show only one thing
_WIDE_SIDES = 256  # with more of them, draws of 16 bits would too often be drawn again


class DieRow(NamedTuple):
    """A die in the kernel's script."""

    first: int  # of its values above 0, in the edges and rises
    last: int  # the first that is not one of them
    limit: int  # the first draw that is drawn again
    bits: int
    worth: int  # what each point adds to the total


class Row(NamedTuple):
    """A phase in the kernel's script: where its numbers stand, and how many there are."""

    after: int  # in the tables
    totals: int
    of_states: int  # in the dice of states, and in the lowest totals
    turns: int  # in the firsts: for each state, the first of its turns, and for none the first that is not one
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
    lowest: NDArray[np.uint16]  # total that a state can roll
    firsts: NDArray[np.int64]
    turns: NDArray[np.uint16]  # the totals from which on a state leads to another than the total below does
    edges: NDArray[np.uint32]  # where each value above 0 begins among the draws
    rises: NDArray[np.uint16]  # how far it is above the value before
    start: int
    states: int
    slots: int


class Block(NamedTuple):
    """The working memory of one thread."""

    words: NDArray[np.uint64]
    narrow: NDArray[np.uint16]  # the words, as draws of 16 bits
    wide: NDArray[np.uint32]  # the words, as draws of 32 bits
    totals: NDArray[np.uint16]
    now: NDArray[np.int64]  # how many trials of a chunk are in each state
    following: NDArray[np.int64]  # and after the phase


def block_for(sheet: Sheet) -> Block:
    """Working memory for one thread."""
    words = np.empty(BLOCK // 2, np.uint64)
    narrow, wide = words[: BLOCK // 4].view(np.uint16), words.view(np.uint32)
    now, following = np.zeros(sheet.states, np.int64), np.zeros(sheet.states, np.int64)
    return Block(words, narrow, wide, np.empty(BLOCK, np.uint16), now, following)


def sheet_for(chain: Chain) -> Sheet:
    """The sheet of a chain; a phase that comes again is written once."""
    tables, dice, lowest = _Pile(np.uint16), _Pile(np.uint16), _Pile(np.uint16)
    firsts, turns = _Pile(np.int64), _Pile(np.uint16)
    edges, rises = _Pile(np.uint32), _Pile(np.uint16)
    written: dict[int, Row] = {}
    dice_script: list[DieRow] = []
    script, slot = [], 0
    for phase in chain.phases:
        if id(phase) not in written:
            rolled = [(phase.die, 1), *((each.die, each.worth) for each in phase.beside)]
            first = len(dice_script)
            dice_script += [_die_in(edges, rises, die, worth) for die, worth in rolled]
            least, first_turns, totals = _turns_of(phase)
            lowest.add(least)
            written[id(phase)] = Row(
                tables.add(phase.after), phase.after.shape[1], dice.add(phase.dice_of_states),
                firsts.add(first_turns + turns.add(totals)), first, first + 1, len(dice_script), -1,
            )  # fmt: skip
        script.append(written[id(phase)]._replace(slot=slot if phase.recorded else -1))
        slot += phase.recorded
    return Sheet(
        np.array(script, np.int64), np.array(dice_script, np.int64), tables.array(), dice.array(), lowest.array(),
        firsts.array(), turns.array(), edges.array(), rises.array(), chain.start, chain.states, slot,
    )  # fmt: skip


def _turns_of(phase: Phase) -> tuple[NDArray[np.uint16], NDArray[np.int64], NDArray[np.uint16]]:
    """The lowest total of each state; where its turns begin, shape (states + 1,); and all turns, state by state."""
    dice = phase.dice_of_states.astype(np.int64)
    values = [np.flatnonzero(each.weights) for each in (phase.die, *(each.die for each in phase.beside))]
    worths = [each.worth for each in phase.beside]
    low, high = (
        dice * values[0][end] + sum(each[end] * worth for each, worth in zip(values[1:], worths)) for end in (0, -1)
    )
    totals = np.arange(1, phase.after.shape[1])
    turned = phase.after[:, 1:] != phase.after[:, :-1]
    turned &= (totals > low[:, np.newaxis]) & (totals <= high[:, np.newaxis])
    firsts = np.concatenate([[0], np.cumsum(turned.sum(axis=1))])
    return low.astype(np.uint16), firsts, (np.nonzero(turned)[1] + 1).astype(np.uint16)


def _die_in(edges: _Pile, rises: _Pile, die: Die, worth: int) -> DieRow:
    """Put a die on the piles."""
    starts, limit, bits = edges_of(die)
    values = np.flatnonzero(die.weights)
    values = values[values > 0]
    first = edges.add(starts[values - 1])
    rises.add(np.diff(values, prepend=0).astype(np.uint16))
    return DieRow(first, first + len(values), limit, bits, worth)


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


def edges_of(die: Die) -> tuple[NDArray[np.uint32], int, int]:
    """Where each value from 1 begins among the draws, where the draws end that count, and their bits."""
    if np.count_nonzero(die.weights) == 1:
        return np.zeros(die.highest, np.uint32), 0, CERTAIN
    bits = WIDE if die.sides == 0 or die.sides > _WIDE_SIDES else NARROW
    if die.sides == 0:
        edges = np.rint(np.cumsum(die.chances)[:-1] * 2.0**bits)
        return np.minimum(edges, 2**bits - 1).astype(np.uint32), 2**bits, bits
    unit = 2**bits // die.sides
    return (np.cumsum(die.weights)[:-1] * unit).astype(np.uint32), unit * die.sides, bits
