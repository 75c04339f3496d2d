"""The memory of the dice kernel, and its two innermost loops.

There is no branch in the loops that depends on a draw, so the compiler turns them into vector instructions.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.sheet import Sheet, Special
from analyser.jit import step

BLOCK = 1024  # trials; the arrays of a block stay in the first-level cache
TABLES = 4  # neighbouring trials count in different tables, so that no count waits for the one before
_CACHE_LINE = 64


class Block(NamedTuple):
    """The arrays of a block of trials: one number a trial, but for `words`, `tallies` (by row), `turned`, `tables`."""

    words: NDArray[np.uint64]
    draws: Any  # the same memory: one draw a trial for a die of the first roll, then for each die that it adds
    tallies: Any  # scores; dice below each further mark; re-rolled dice that are no blanks
    worst: Any  # the highest draw of the trial
    spare: Any  # extra re-rolls that find no die
    gone: Any  # strikes that were re-rolled
    blanks: Any  # that count
    extras: Any  # the value of the other draws together
    cells: Any
    other_words: NDArray[np.uint64]
    other_draws: NDArray[np.uint16]
    tables: NDArray[np.uint32]  # how many trials ended in each cell; of all blocks so far
    turned: NDArray[np.int64]  # trials of the chunk by the value of the attacker's card (Overcharge)


def block_for(sheet: Sheet, special: Special | None) -> Block:
    """Room for a block of trials."""
    kind = type(sheet.limit)
    a_row = BLOCK * kind().itemsize
    rows = 2 + len(special.marks) if special else 1
    cells = int(sheet.discarded) + 1
    words, tallies, *numbers, other_words, tables = _side_by_side(
        [(1 + sheet.added) * a_row, rows * a_row, *[a_row] * 6, BLOCK * 2, TABLES * cells * 4]
    )
    worst, spare, gone, blanks, extras, by_cell = (each.view(kind) for each in numbers)
    return Block(
        words=words.view(np.uint64), draws=words.view(kind), tallies=tallies.view(kind).reshape(rows, BLOCK),
        worst=worst, spare=spare, gone=gone, blanks=blanks, extras=extras, cells=by_cell,
        other_words=other_words.view(np.uint64), other_draws=other_words.view(np.uint16),
        tables=tables.view(np.uint32).reshape(TABLES, cells),
        turned=np.zeros(max(len(special.card_edges) - 1, 1) if special else 1, np.int64),
    )  # fmt: skip


def _side_by_side(sizes: list[int]) -> list[NDArray[np.uint8]]:
    """Arrays of so many bytes, one after the other in memory, each at the start of a cache line.

    Scattered over memory they get into each other's way in the cache now and then, which halves the speed.
    """
    starts = [0, *accumulate(size + -size % _CACHE_LINE for size in sizes)]
    room = np.zeros(starts[-1] + _CACHE_LINE, np.uint8)
    first = -room.ctypes.data % _CACHE_LINE
    return [room[first + start : first + start + size] for start, size in zip(starts, sizes)]


@step
def halves(numbers: Any) -> tuple[int, int]:
    """The bits of half a number, and that many ones; the compiler knows them, or shifts would take wider numbers."""
    return (8, 0xFF) if numbers.dtype.type(-1) == 0xFFFF else (16, 0xFFFF)


@step
def score(block: Block, unit: Any, shown: Any, below: Any, place: int, first: bool, heroic: Any, strike: Any) -> None:
    """Score the draws at `place` where what is `shown` lies `below`, and what is shown too if it is a `first` die.

    A score holds strikes and heroic strikes in the lower half of the number, heroic strikes in the upper half.
    Indices are unsigned and every choice is one between numbers of the draws' own type: a loop of another form is
    not turned into vector form.
    """
    draws, tallies, worst = block.draws, block.tallies, block.worst
    number = draws.dtype.type
    none, one = number(0), number(1)
    first_strike, first_heroic = (strike, heroic) if first else (none, none)
    start = np.uint64(place * BLOCK)
    for trial in range(np.uint64(BLOCK)):
        before, draw = shown[trial], draws[start + trial]
        worst[trial] = max(worst[trial], max(before, draw))  # noqa: PLW3301 - three arguments keep it from vector form
        counts = before < below
        tallies[0, trial] += (
            (one if before < first_strike else none)
            + (unit if before < first_heroic else none)
            + (one if counts & (draw < strike) else none)
            + (unit if counts & (draw < heroic) else none)
        )


@step
def tally(block: Block, row: int, shown: Any, below: Any, place: int, first: bool, mark: Any) -> None:
    """Tally, as :func:`score` scores, the draws that lie below a further mark."""
    draws, tallies = block.draws, block.tallies
    number = draws.dtype.type
    none, one = number(0), number(1)
    first_mark = mark if first else none
    start, line = np.uint64(place * BLOCK), np.uint64(row)
    for trial in range(np.uint64(BLOCK)):
        before, draw = shown[trial], draws[start + trial]
        tallies[line, trial] += (one if before < first_mark else none) + (
            one if (before < below) & (draw < mark) else none
        )
