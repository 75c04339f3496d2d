"""The dice kernel: every die of every pool is rolled, a block of trials at a time, by the layout of its fight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import inlined, kernel, step
from analyser.engine.pool.buffers import BLOCK, TABLES, Block, halves, score, units_of
from analyser.engine.pool.layout import BOUNDS_AT_ONCE, Layout, Rerolls
from analyser.engine.pool.rerolls import roll_with_rerolls, turn_cards
from analyser.engine.rng import counter_of_chunk, fill


@inlined
def roll_pool(layout: Layout, block: Block, dice: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Roll `dice` dice and those that heroic strikes add (AC-3.2 to AC-3.4; Arc of AC-6); the counter after them."""
    block.counters[:] = 0
    block.max_draw[:] = 0
    words, at_once, gates = block.words, layout.dice_at_once, layout.gates
    for number in range((dice + at_once - 1) // at_once):
        counter = fill(words, len(words), counter, gamma)
        score(layout, block, gates[max((number + 1) * at_once - dice, 0)])
    return counter


@step
def draw_others(layout: Layout, block: Block, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Turn the card, place the officer, roll for the building; the counter after them."""
    draws, extras, max_draw, spoilt = block.other_draws, block.extras, block.max_draw, layout.limit
    none, one, _ = units_of(layout, extras)
    extras[:] = 0
    for other in range(len(layout.limits)):
        counter = fill(block.other_words, len(block.other_words), counter, gamma)
        limit, values, bounds = layout.limits[other], layout.values[other], layout.bounds[other]
        for trial in range(np.uint64(BLOCK)):
            max_draw[trial] = spoilt if draws[trial] >= limit else max_draw[trial]
        for place in range(0, values - 1, BOUNDS_AT_ONCE):
            first, second, third = bounds[place], bounds[place + 1], bounds[place + 2]
            room = one if place else values  # for the values of this draw
            for trial in range(np.uint64(BLOCK)):
                draw = draws[trial]
                extras[trial] = extras[trial] * room + (
                    (one if draw >= first else none)
                    + (one if draw >= second else none)
                    + (one if draw >= third else none)
                )
    return counter


@inlined
def find_cells(layout: Layout, block: Block) -> None:
    """The cell that each trial counts in."""
    counters, rerolled_strikes, blanks, extras = block.counters, block.rerolled_strikes, block.blanks, block.extras
    max_draw, cells = block.max_draw, block.cells
    strike, bonus, blank = layout.strike_cells, layout.heroic_bonus, layout.blank_cells
    veteran, limit, discarded = layout.veteran, layout.limit, layout.discarded
    kind = cells.dtype.type
    bits, ones = halves(cells)
    for trial in range(np.uint64(BLOCK)):
        scored, heroics = kind((counters[0, trial] & ones) - rerolled_strikes[trial]), kind(counters[0, trial] >> bits)
        turned = min(veteran, kind(scored - heroics))  # Veteran (AC-7)
        cell = kind(kind(strike * scored) + kind(bonus * kind(heroics + turned)))
        cell = kind(kind(cell + kind(blank * blanks[trial])) + extras[trial])
        cells[trial] = discarded if max_draw[trial] >= limit else cell


@step
def count_cells(cells: Any, discarded: Any, wanted: int, tables: NDArray[np.uint32]) -> int:
    """Count a block of trials, at most `wanted` good ones, the first first; how many were good."""
    good = 0
    if wanted >= BLOCK:
        before = discarded_in(tables, discarded)
        for trial in range(0, BLOCK, TABLES):
            tables[0, cells[trial]] += 1
            tables[1, cells[trial + 1]] += 1
            tables[2, cells[trial + 2]] += 1
            tables[3, cells[trial + 3]] += 1
        return BLOCK - (discarded_in(tables, discarded) - before)
    for trial in range(BLOCK):
        if good < wanted and cells[trial] != discarded:
            tables[0, cells[trial]] += 1
            good += 1
    return good


@step
def discarded_in(tables: NDArray[np.uint32], discarded: Any) -> int:
    """Trials thrown away so far."""
    total = 0
    for table in range(TABLES):
        total += tables[table, discarded]
    return total


@kernel
def roll_chunks(
    layout: Layout,
    rerolls: Rerolls | None,
    block: Block,
    dice: int,
    first: int,
    last: int,
    chunk_trials: int,
    start: np.uint64,
    gamma: np.uint64,
) -> None:
    """Roll whole chunks `first` to `last` - 1 of `chunk_trials` trials each into the tables of `block`.

    With Overcharge the trials of a chunk are rolled in the order of their cards: which trial turned which card makes
    no difference to the counts.
    """
    turned = block.turned
    for chunk in range(first, last):
        counter = counter_of_chunk(start, gamma, chunk)
        turned[0] = chunk_trials
        if rerolls is not None and len(turned) > 1:
            counter = turn_cards(rerolls, block, chunk_trials, counter, gamma)
        for value in range(len(turned)):
            trials = turned[value]
            while trials > 0:
                if rerolls is None:
                    counter = roll_pool(layout, block, dice, counter, gamma)
                else:
                    counter = roll_with_rerolls(
                        layout, rerolls, block, dice + value, rerolls.kept[value], counter, gamma
                    )
                counter = draw_others(layout, block, counter, gamma)
                find_cells(layout, block)
                trials -= count_cells(block.cells, layout.discarded, trials, block.tables)
