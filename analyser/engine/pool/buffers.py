"""The memory of the dice kernel, and its two innermost loops.

There is no branch in the loops that depends on a draw, so the compiler turns them into vector instructions.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import inlined, step
from analyser.engine.pool.layout import Layout, Rerolls

BLOCK = 1024  # trials; the arrays of a block stay in the first-level cache
ABREAST = 2  # dice that are rolled together
TABLES = 4  # neighbouring trials count in different tables, so that no count waits for the one before
_CACHE_LINE = 64
_APART = 320  # bytes between arrays


class Block(NamedTuple):
    """The arrays of a block of trials: one number a trial, but for `words`, `counters` (by row), `turned`, `tables`."""

    words: NDArray[np.uint64]
    draws: Any  # the same memory: one draw a trial for each of the dice that are rolled together
    counters: (
        Any  # dice by two thresholds a row: heroic strikes and strikes; in rerolls pools dice that wait, and blanks
    )
    max_draw: Any  # the highest draw of the trial
    pending: Any  # dice that are still to be rolled: those that heroic strikes add, then the extra re-rolls
    rerolled_strikes: Any  # strikes that are re-rolled
    rerolled_blanks: Any  # blanks that are re-rolled
    blanks: Any  # that count
    extras: Any  # the value of the other draws together
    cells: Any
    other_words: NDArray[np.uint64]
    other_draws: NDArray[np.uint16]
    tables: NDArray[np.uint32]  # how many trials ended in each cell; of all blocks so far
    turned: NDArray[np.int64]  # trials of the chunk by the value of the attacker's card (Overcharge)


def block_for(layout: Layout, rerolls: Rerolls | None) -> Block:
    """Room for a block of trials."""
    kind = type(layout.limit)
    a_row = BLOCK * kind().itemsize
    rows = 3 if rerolls else 1
    apart = _APART // kind().itemsize
    cells = int(layout.discarded) + 1
    words, counters, *numbers, other_words, tables = _side_by_side(
        [ABREAST * a_row, rows * (a_row + _APART), *[a_row] * 7, BLOCK * 2, TABLES * cells * 4]
    )
    of_block = [words.view(np.uint64), words.view(kind), counters.view(kind).reshape(rows, BLOCK + apart)]
    of_block += [*(each.view(kind) for each in numbers), other_words.view(np.uint64), other_words.view(np.uint16)]
    turned = np.zeros(max(len(rerolls.card_bounds) - 1, 1) if rerolls else 1, np.int64)
    return Block._make([*of_block, tables.view(np.uint32).reshape(TABLES, cells), turned])


def _side_by_side(sizes: list[int]) -> list[NDArray[np.uint8]]:
    """Arrays of so many bytes, one after the other in memory, each at the start of a cache line.

    Where those that are written and those that are read next lie whole pages apart, they get into each other's way on
    some pages, which halves the speed: so there is some room between them.
    """
    starts = [0, *accumulate(size + -size % _CACHE_LINE + _APART for size in sizes)]
    room = np.zeros(starts[-1] + _CACHE_LINE, np.uint8)
    first = -room.ctypes.data % _CACHE_LINE
    return [room[first + start : first + start + size] for start, size in zip(starts, sizes)]


@step
def halves(numbers: Any) -> tuple[int, int]:
    """The bits of half a number, and that many ones; the compiler knows them, or shifts would take wider numbers."""
    return (8, 0xFF) if numbers.dtype.type(-1) == 0xFFFF else (16, 0xFFFF)


@step
def units_of(layout: Layout, numbers: Any) -> tuple[Any, Any, Any]:
    """0, 1, and 1 in the upper half of a number.

    The compiler is not told that the second is 1: it would take an instruction more for each threshold.
    """
    return numbers.dtype.type(0), layout.lower_unit, layout.upper_unit


@step
def pair(counts: Any, draw: Any, thresholds: tuple[Any, Any] | None, units: tuple[Any, Any, Any]) -> Any:
    """What a die that `counts` adds to a tally of two thresholds, the first in its upper half.

    Every choice is one between numbers of the draws' own type: a loop of another form is not turned into vector form.
    """
    none, one, unit = units
    if thresholds is None:
        return none
    upper, lower = thresholds
    return (one if counts & (draw < lower) else none) + (unit if counts & (draw < upper) else none)


@inlined
def score(layout: Layout, block: Block, gate: Any) -> None:
    """Score two draws of each trial; the second counts where the first is below `gate`.

    A score holds strikes and heroic strikes in the lower half of the number, heroic strikes in the upper half. Indices
    are unsigned, or the loop is not turned into vector form.
    """
    draws, counters, max_draw, one, two = block.draws, block.counters, block.max_draw, layout.first, layout.second
    units = units_of(layout, draws)
    added_to_one, one_alone = (one[0], one[1]), (one[2], one[3])
    added_to_two, two_alone = (two[0], two[1]), (two[2], two[3])
    for trial in range(np.uint64(BLOCK)):
        draw, other = draws[trial], draws[np.uint64(BLOCK) + trial]
        max_draw[trial] = max(max_draw[trial], max(draw, other))  # noqa: PLW3301 - three arguments keep it from vector form
        counters[0, trial] += (
            pair(True, draw, added_to_one, units)
            + pair(True, draw, one_alone, units)
            + pair(draw < gate, other, added_to_two, units)
            + pair(draw < gate, other, two_alone, units)
        )
