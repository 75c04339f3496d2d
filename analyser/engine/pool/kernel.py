"""The dice kernel, which rolls a block of trials at a time; while it rolls dice, no inner loop branches on a draw."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import inlined, kernel, step
from analyser.engine.parallel import Task
from analyser.engine.pool.alias import draw_value
from analyser.engine.pool.dice_layout import BOUNDS_TOGETHER, Layout
from analyser.engine.rng import Stream, counter_of_chunk, fill, word_of

BLOCK = 1024  # trials in a block, whose arrays stay in the first-level cache
DICE_TOGETHER = 2
TABLES = 4  # neighbouring trials use different tables, so that no count waits for the count before it
_CACHE_LINE = 64
_GAP_BYTES = 320  # gap between two arrays in memory


class ScoreTable(NamedTuple):
    """Alias table for a pool with extra re-rolls (AC-3.5) or Overcharge (AC-6): its score is drawn, not rolled."""

    alias: NDArray[np.uint64]
    bits: np.uint64  # number of bits that select a row
    cells: NDArray[Any]  # first cell of each possible score


class Block(NamedTuple):
    """Arrays of a block of trials: one number per trial, except in words, draws, other_words and tables."""

    words: NDArray[np.uint64]
    draws: Any  # view of `words`: DICE_TOGETHER draws for each trial
    counters: Any  # strikes, heroic or not, in the lower half; heroic strikes in the upper half
    max_draw: Any  # highest draw of the trial; from `Layout.limit` on, the trial is discarded
    extras: Any  # combined value of the other draws
    cells: Any  # table cell of the trial (:class:`~.dice_layout.Layout`)
    other_words: NDArray[np.uint64]
    other_draws: NDArray[np.uint16]
    tables: NDArray[np.uint32]  # number of trials in each cell, of all blocks so far


def block_for(layout: Layout) -> Block:
    """Return empty arrays for a block of trials."""
    kind = type(layout.limit)
    row_bytes = BLOCK * kind().itemsize
    cells = int(layout.discarded) + 1
    words, *numbers, other_words, tables = _adjacent_arrays(
        [DICE_TOGETHER * row_bytes, *[row_bytes] * 4, BLOCK * 2, TABLES * cells * 4]
    )
    arrays = [words.view(np.uint64), words.view(kind), *(number.view(kind) for number in numbers)]
    arrays += [other_words.view(np.uint64), other_words.view(np.uint16), tables.view(np.uint32).reshape(TABLES, cells)]
    return Block._make(arrays)


def _adjacent_arrays(sizes: list[int]) -> list[NDArray[np.uint8]]:
    """Return arrays of these sizes in bytes. Each begins a cache line; gaps prevent distances of whole pages (slow)."""
    starts = [0, *accumulate(size + -size % _CACHE_LINE + _GAP_BYTES for size in sizes)]
    room = np.zeros(starts[-1] + _CACHE_LINE, np.uint8)
    first = -room.ctypes.data % _CACHE_LINE
    return [room[first + start : first + start + size] for start, size in zip(starts, sizes)]


@step
def halves(numbers: Any) -> tuple[int, int]:
    """Return the number of bits in each half of a number that holds two counts, and a mask of the lower half."""
    return (8, 0xFF) if numbers.dtype.type(-1) == 0xFFFF else (16, 0xFFFF)


@step
def addends_of(layout: Layout, numbers: Any) -> tuple[Any, Any, Any]:
    """Return 0, 1, and 1 in the upper half of a number; the 1s are read from memory, which is faster than constants."""
    return numbers.dtype.type(0), layout.lower_addend, layout.upper_addend


@step
def tally(counts: Any, draw: Any, thresholds: tuple[Any, Any], addends: tuple[Any, Any, Any]) -> Any:
    """Return 1 in the upper half if `draw` < thresholds[0] and 1 in the lower if < thresholds[1]; 0 if not `counts`."""
    none, one, upper_one = addends
    upper, lower = thresholds
    return (one if counts & (draw < lower) else none) + (upper_one if counts & (draw < upper) else none)


@inlined
def score_two_draws(layout: Layout, block: Block, gate: Any) -> None:
    """Count the strikes of a draw of each trial, and of a second draw if the first is below `gate` (0: never)."""
    draws, counters, max_draw, one, two = block.draws, block.counters, block.max_draw, layout.first, layout.second
    addends = addends_of(layout, draws)
    added_to_one, one_alone = (one[0], one[1]), (one[2], one[3])
    added_to_two, two_alone = (two[0], two[1]), (two[2], two[3])
    for trial in range(np.uint64(BLOCK)):  # unsigned, because otherwise the loop is not vectorised
        draw, other = draws[trial], draws[np.uint64(BLOCK) + trial]
        max_draw[trial] = max(max_draw[trial], max(draw, other))  # noqa: PLW3301 - three arguments stop vectorisation
        counters[trial] += (
            tally(True, draw, added_to_one, addends)
            + tally(True, draw, one_alone, addends)
            + tally(draw < gate, other, added_to_two, addends)
            + tally(draw < gate, other, two_alone, addends)
        )


@inlined
def roll_pool(layout: Layout, block: Block, dice: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Roll `dice` dice and the dice added by heroic strikes (AC-3.2 to AC-3.4; Arc of AC-6); return the counter."""
    block.counters[:] = 0
    words, at_once, gates = block.words, layout.dice_at_once, layout.gates
    for number in range((dice + at_once - 1) // at_once):
        counter = fill(words, len(words), counter, gamma)
        score_two_draws(layout, block, gates[max((number + 1) * at_once - dice, 0)])
    return counter


@step
def draw_others(layout: Layout, block: Block, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Draw the card, the officer's position and the die for the building; return the counter."""
    draws, extras, max_draw, invalid = block.other_draws, block.extras, block.max_draw, layout.limit
    none, one, _ = addends_of(layout, extras)
    extras[:] = 0
    for other in range(len(layout.limits)):
        counter = fill(block.other_words, len(block.other_words), counter, gamma)
        limit, values, bounds = layout.limits[other], layout.values[other], layout.bounds[other]
        for trial in range(np.uint64(BLOCK)):
            max_draw[trial] = invalid if draws[trial] >= limit else max_draw[trial]
        for place in range(0, values - 1, BOUNDS_TOGETHER):
            first, second, third = bounds[place], bounds[place + 1], bounds[place + 2]
            factor = one if place else values  # make room for this draw once, below the values of earlier draws
            for trial in range(np.uint64(BLOCK)):
                draw = draws[trial]
                extras[trial] = extras[trial] * factor + (
                    (one if draw >= first else none)
                    + (one if draw >= second else none)
                    + (one if draw >= third else none)
                )
    return counter


@inlined
def find_cells(layout: Layout, block: Block) -> None:
    """Set the table cell in which each trial is counted."""
    counters, extras, max_draw, cells = block.counters, block.extras, block.max_draw, block.cells
    strike, bonus, veteran = layout.strike_cells, layout.heroic_bonus, layout.veteran
    limit, discarded = layout.limit, layout.discarded
    kind = cells.dtype.type
    bits, ones = halves(cells)
    for trial in range(np.uint64(BLOCK)):
        scored, heroics = kind(counters[trial] & ones), kind(counters[trial] >> bits)
        turned = min(veteran, kind(scored - heroics))  # Veteran (AC-7)
        cell = kind(kind(kind(strike * scored) + kind(bonus * kind(heroics + turned))) + extras[trial])
        cells[trial] = discarded if max_draw[trial] >= limit else cell


@step
def draw_cells(layout: Layout, table: ScoreTable, block: Block, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Set the cell of each trial from a score that is drawn from its distribution; return the counter."""
    extras, max_draw, cells = block.extras, block.max_draw, block.cells
    for trial in range(BLOCK):
        counter += gamma
        number = draw_value(table.alias, np.uint64(0), table.bits, word_of(counter))
        cell = table.cells[number] + extras[trial]
        cells[trial] = layout.discarded if max_draw[trial] >= layout.limit else cell
    return counter


@step
def count_cells(cells: Any, discarded: Any, wanted: int, tables: NDArray[np.uint32]) -> int:
    """Count the first `wanted` trials that are not discarded, or all if there are fewer; return the number counted."""
    good = 0
    if wanted >= BLOCK:
        before = np.int64(tables[:, discarded].sum())
        for trial in range(0, BLOCK, TABLES):
            tables[0, cells[trial]] += 1
            tables[1, cells[trial + 1]] += 1
            tables[2, cells[trial + 2]] += 1
            tables[3, cells[trial + 3]] += 1
        return int(BLOCK + before - np.int64(tables[:, discarded].sum()))
    for trial in range(BLOCK):
        if good < wanted and cells[trial] != discarded:
            tables[0, cells[trial]] += 1
            good += 1
    return good


@kernel
def roll_block(
    layout: Layout, table: ScoreTable | None, block: Block, dice: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll a block of trials into `block.cells`, and return the counter."""
    block.max_draw[:] = 0
    if table is None:
        counter = draw_others(layout, block, roll_pool(layout, block, dice, counter, gamma), gamma)
        find_cells(layout, block)
        return counter
    return draw_cells(layout, table, block, draw_others(layout, block, counter, gamma), gamma)


@kernel
def roll_chunks(layout: Layout, table: ScoreTable | None, block: Block, dice: int, task: Task, stream: Stream) -> None:
    """Roll the chunks of a task into the tables of `block`."""
    for chunk in range(task.first, task.last):
        counter, trials = counter_of_chunk(stream.start, stream.gamma, chunk), task.chunk_trials
        while trials > 0:
            counter = roll_block(layout, table, block, dice, counter, stream.gamma)
            trials -= count_cells(block.cells, layout.discarded, trials, block.tables)
