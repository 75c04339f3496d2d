"""The dice kernel, which rolls every die, a block of trials at a time; no inner loop branches on a draw."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import inlined, kernel, step
from analyser.common.kernel_records import Integers
from analyser.engine.parallel import Task
from analyser.engine.pool.dice_layout import BOUNDS_TOGETHER, Layout, Rerolls, Thresholds
from analyser.engine.rng import Stream, counter_of_chunk, fill, word_of

BLOCK = 1024  # trials; the arrays of a block stay in the first-level cache
DICE_TOGETHER = 2
TABLES = 4  # neighbouring trials use different tables, so that a count need not wait for the previous count
_CACHE_LINE = 64
_GAP_BYTES = 320  # between two arrays in memory
_TRIALS_CHECKED = 64  # trials checked together for pending dice
_WORD_BITS = 64


class Block(NamedTuple):
    """Arrays of a block of trials: one number per trial, except in words, draws, counters, tables, `trials_by_card`."""

    words: NDArray[np.uint64]
    draws: Any  # the memory of `words`: per trial one draw for each of the dice rolled together
    counters: Any  # a row for each pair of thresholds: counts of strikes; in rerolls pools also waiting dice, blanks
    max_draw: Any  # highest draw of the trial
    pending: Any  # dice still to roll: first the dice added by heroic strikes, then the extra re-rolls
    rerolled_strikes: Any  # number of re-rolled strikes
    rerolled_blanks: Any  # number of re-rolled blanks
    blanks: Any  # blanks that count
    extras: Any  # combined value of the other draws
    cells: Any  # table cell of the trial (:class:`~.dice_layout.Layout`)
    other_words: NDArray[np.uint64]
    other_draws: NDArray[np.uint16]
    tables: NDArray[np.uint32]  # number of trials in each cell, of all blocks so far
    trials_by_card: Integers  # trials of the chunk by the value of the attacker's card (Overcharge)


def block_for(layout: Layout, rerolls: Rerolls | None) -> Block:
    """Return empty arrays for a block of trials."""
    kind = type(layout.limit)
    row_bytes = BLOCK * kind().itemsize
    rows = 3 if rerolls else 1
    gap = _GAP_BYTES // kind().itemsize
    cells = int(layout.discarded) + 1
    words, counters, *numbers, other_words, tables = _adjacent_arrays(
        [DICE_TOGETHER * row_bytes, rows * (row_bytes + _GAP_BYTES), *[row_bytes] * 7, BLOCK * 2, TABLES * cells * 4]
    )
    arrays = [words.view(np.uint64), words.view(kind), counters.view(kind).reshape(rows, BLOCK + gap)]
    arrays += [*(number.view(kind) for number in numbers), other_words.view(np.uint64), other_words.view(np.uint16)]
    trials_by_card = np.zeros(max(len(rerolls.card_bounds) - 1, 1) if rerolls else 1, np.int64)
    return Block._make([*arrays, tables.view(np.uint32).reshape(TABLES, cells), trials_by_card])


def _adjacent_arrays(sizes: list[int]) -> list[NDArray[np.uint8]]:
    """Return arrays of these sizes in bytes, each at the start of a cache line, not whole pages apart (slow)."""
    starts = [0, *accumulate(size + -size % _CACHE_LINE + _GAP_BYTES for size in sizes)]
    room = np.zeros(starts[-1] + _CACHE_LINE, np.uint8)
    first = -room.ctypes.data % _CACHE_LINE
    return [room[first + start : first + start + size] for start, size in zip(starts, sizes)]


@step
def halves(numbers: Any) -> tuple[int, int]:
    """Return the number of bits in half a number, and a mask with as many ones: constants, to keep shifts narrow."""
    return (8, 0xFF) if numbers.dtype.type(-1) == 0xFFFF else (16, 0xFFFF)


@step
def addends_of(layout: Layout, numbers: Any) -> tuple[Any, Any, Any]:
    """Return 0, 1, and 1 in the upper half of a number; the last two from memory, which is faster than constants."""
    return numbers.dtype.type(0), layout.lower_addend, layout.upper_addend


@step
def tally(counts: Any, draw: Any, thresholds: tuple[Any, Any] | None, addends: tuple[Any, Any, Any]) -> Any:
    """Return 1 in the upper half for a draw below the first threshold, plus 1 in the lower half for the second."""
    none, one, upper_one = addends
    if thresholds is None:
        return none
    upper, lower = thresholds
    return (one if counts & (draw < lower) else none) + (upper_one if counts & (draw < upper) else none)


@inlined
def score_two_draws(layout: Layout, block: Block, gate: Any) -> None:
    """Score two draws of each trial, the second if the first is below `gate`; the upper half counts heroic strikes."""
    draws, counters, max_draw, one, two = block.draws, block.counters, block.max_draw, layout.first, layout.second
    addends = addends_of(layout, draws)
    added_to_one, one_alone = (one[0], one[1]), (one[2], one[3])
    added_to_two, two_alone = (two[0], two[1]), (two[2], two[3])
    for trial in range(np.uint64(BLOCK)):  # unsigned, because otherwise the loop is not vectorised
        draw, other = draws[trial], draws[np.uint64(BLOCK) + trial]
        max_draw[trial] = max(max_draw[trial], max(draw, other))  # noqa: PLW3301 - three arguments stop vectorisation
        counters[0, trial] += (
            tally(True, draw, added_to_one, addends)
            + tally(True, draw, one_alone, addends)
            + tally(draw < gate, other, added_to_two, addends)
            + tally(draw < gate, other, two_alone, addends)
        )


@inlined
def roll_pool(layout: Layout, block: Block, dice: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Roll `dice` dice and the dice added by heroic strikes (AC-3.2 to AC-3.4; Arc of AC-6); return the counter."""
    block.counters[:] = 0
    block.max_draw[:] = 0
    words, at_once, gates = block.words, layout.dice_at_once, layout.gates
    for number in range((dice + at_once - 1) // at_once):
        counter = fill(words, len(words), counter, gamma)
        score_two_draws(layout, block, gates[max((number + 1) * at_once - dice, 0)])
    return counter


@kernel
def draw_cards(rerolls: Rerolls, block: Block, trials: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Draw a card for each of `trials` trials (Overcharge), count the trials by value, and return the counter."""
    draws, trials_by_card, bounds = block.other_draws, block.trials_by_card, rerolls.card_bounds
    none, one = np.uint16(0), np.uint16(1)
    trials_by_card[:] = 0
    while trials > 0:
        counter = fill(block.other_words, len(block.other_words), counter, gamma)
        used = min(trials, BLOCK)  # only the first draws of the last block count
        before: Any = 0
        for value in range(len(trials_by_card)):
            end, below = bounds[value + 1], none
            for trial in range(used):
                below = np.uint16(below + (one if draws[trial] < end else none))
            trials_by_card[value] += below - before
            before = below
        trials -= before
    return counter


@step
def roll_with_rerolls(
    layout: Layout, rerolls: Rerolls, block: Block, dice: int, always_added: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll `dice` dice, the dice added by heroic strikes, and the extra re-rolls; return the counter."""
    block.counters[:] = 0
    block.max_draw[:] = 0
    block.pending[:] = 0
    for _ in range(dice):
        counter = fill(block.words, len(block.words) // DICE_TOGETHER, counter, gamma)
        score_first(layout, rerolls.thresholds, block)
    for rolled in range(0, always_added, DICE_TOGETHER):
        counter = fill(block.words, len(block.words), counter, gamma)
        score_pending(layout, rerolls.thresholds, block, rolled)
    counter = roll_rest(layout, rerolls.thresholds, block, always_added, counter, gamma)
    if rerolls.allowance > 0:
        choose_rerolls(rerolls.allowance, block.counters, block.pending, block.rerolled_strikes, block.rerolled_blanks)
    for rolled in range(0, rerolls.allowance, DICE_TOGETHER):
        counter = fill(block.words, len(block.words), counter, gamma)
        score_pending(layout, rerolls.reroll_thresholds, block, rolled)
    if layout.blank_cells > 0:
        count_blanks(block)
    return counter


@step
def score_first(layout: Layout, thresholds: Thresholds, block: Block) -> None:
    """Score a first-roll die of each trial, and count the dice that it adds (AC-3.3; Arc of AC-6)."""
    draws, counters, max_draw = block.draws, block.counters, block.max_draw
    pending, explodes = block.pending, layout.explodes
    none, added = draws.dtype.type(0), draws.dtype.type(layout.added)
    addends, (scores, waits, blanks) = addends_of(layout, draws), thresholds
    for trial in range(np.uint64(BLOCK)):
        draw = draws[trial]
        max_draw[trial] = max(max_draw[trial], draw)
        pending[trial] += added if draw < explodes else none
        counters[0, trial] += tally(True, draw, scores, addends)
        counters[1, trial] += tally(True, draw, waits, addends)
        counters[2, trial] += tally(True, draw, blanks, addends)


@step
def score_pending(layout: Layout, thresholds: Thresholds, block: Block, rolled: int) -> None:
    """Score two dice of each trial: the first if over `rolled` dice are pending, the second if over `rolled` + 1."""
    draws, counters, max_draw, pending = block.draws, block.counters, block.max_draw, block.pending
    first, second = draws.dtype.type(rolled), draws.dtype.type(rolled + 1)
    addends, (scores, waits, blanks) = addends_of(layout, draws), thresholds
    for trial in range(np.uint64(BLOCK)):
        draw, other = draws[trial], draws[np.uint64(BLOCK) + trial]
        first_counts, second_counts = pending[trial] > first, pending[trial] > second
        max_draw[trial] = max(max_draw[trial], max(draw, other))  # noqa: PLW3301 - three arguments stop vectorisation
        counters[0, trial] += tally(first_counts, draw, scores, addends) + tally(second_counts, other, scores, addends)
        counters[1, trial] += tally(first_counts, draw, waits, addends) + tally(second_counts, other, waits, addends)
        counters[2, trial] += tally(first_counts, draw, blanks, addends) + tally(second_counts, other, blanks, addends)


@step
def roll_rest(
    layout: Layout, thresholds: Thresholds, block: Block, rolled: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll the pending dice after the first `rolled`, in the few trials that have more; return the counter."""
    pending, number = block.pending, block.pending.dtype.type
    none, one, most = number(0), number(1), number(rolled)
    for start in range(0, BLOCK, _TRIALS_CHECKED):
        first, is_any = np.uint64(start), none
        for trial in range(np.uint64(_TRIALS_CHECKED)):
            is_any = number(is_any | (one if pending[first + trial] > most else none))
        if is_any > none:
            for trial in range(start, start + _TRIALS_CHECKED):
                if pending[trial] > most:
                    counter = roll_missing_dice(layout, thresholds, block, trial, rolled, counter, gamma)
    return counter


@step
def roll_missing_dice(
    layout: Layout, thresholds: Thresholds, block: Block, trial: int, rolled: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll the pending dice of one trial after the first `rolled`; return the counter."""
    counters, addends, (scores, waits, blanks) = block.counters, addends_of(layout, block.draws), thresholds
    unused = np.uint64(_WORD_BITS - 2 * halves(counters)[0])
    missing = int(block.pending[trial]) - rolled
    while missing > 0:
        counter += gamma
        draw = word_of(counter) >> unused
        if draw < layout.limit:
            missing -= 1  # a draw beyond is repeated: discarding the trial would favour trials with fewer dice
            counters[0, trial] += tally(True, draw, scores, addends)
            counters[1, trial] += tally(True, draw, waits, addends)
            counters[2, trial] += tally(True, draw, blanks, addends)
    return counter


@step
def choose_rerolls(allowance: Any, counters: Any, pending: Any, rerolled_strikes: Any, rerolled_blanks: Any) -> None:
    """Set `pending` to the number of extra re-rolls, worst dice first (AC-3.5); count re-rolled strikes and blanks."""
    kind, (bits, ones) = pending.dtype.type, halves(pending)
    for trial in range(np.uint64(BLOCK)):
        strike, waiting = kind(counters[0, trial] & ones), kind(counters[1, trial] & ones)
        settled, nothing = kind(counters[1, trial] >> bits), kind(counters[2, trial] >> bits)
        again = min(allowance, kind(waiting - settled))
        pending[trial] = again
        rerolled_strikes[trial] = again - min(allowance, kind(waiting - strike))
        rerolled_blanks[trial] = min(allowance, kind(waiting - nothing))


@step
def count_blanks(block: Block) -> None:
    """Count the blanks (Overcharge, AC-6): all blanks except those re-rolled."""
    counters, blanks, rerolled_blanks = block.counters, block.blanks, block.rerolled_blanks
    kind, (bits, ones) = blanks.dtype.type, halves(blanks)
    for trial in range(np.uint64(BLOCK)):
        blanks[trial] = kind(counters[2, trial] & ones) - kind(counters[2, trial] >> bits) - rerolled_blanks[trial]


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
            factor = one if place else values  # only the first bounds of a draw multiply the value so far
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
    """Count the first `wanted` trials that are not discarded, or all if there are fewer; return the number counted."""
    good = 0
    if wanted >= BLOCK:
        before = count_discarded(tables, discarded)
        for trial in range(0, BLOCK, TABLES):
            tables[0, cells[trial]] += 1
            tables[1, cells[trial + 1]] += 1
            tables[2, cells[trial + 2]] += 1
            tables[3, cells[trial + 3]] += 1
        return BLOCK - (count_discarded(tables, discarded) - before)
    for trial in range(BLOCK):
        if good < wanted and cells[trial] != discarded:
            tables[0, cells[trial]] += 1
            good += 1
    return good


@step
def count_discarded(tables: NDArray[np.uint32], discarded: Any) -> int:
    """Return the number of trials discarded so far."""
    total = 0
    for table in range(TABLES):
        total += tables[table, discarded]
    return total


@kernel
def roll_block(
    layout: Layout, rerolls: Rerolls | None, block: Block, dice: int, card: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll a block of trials into `block.cells`; `card`: the attacker's (Overcharge) or 0; return the counter."""
    if rerolls is None:
        counter = roll_pool(layout, block, dice, counter, gamma)
    else:
        counter = roll_with_rerolls(layout, rerolls, block, dice + card, rerolls.always_added[card], counter, gamma)
    counter = draw_others(layout, block, counter, gamma)
    find_cells(layout, block)
    return counter


@kernel
def roll_chunks(layout: Layout, rerolls: Rerolls | None, block: Block, dice: int, task: Task, stream: Stream) -> None:
    """Roll the chunks of a task into the tables of `block`; with Overcharge in the order of the trials' cards."""
    trials_by_card, gamma = block.trials_by_card, stream.gamma
    for chunk in range(task.first, task.last):
        counter = counter_of_chunk(stream.start, gamma, chunk)
        trials_by_card[0] = task.chunk_trials
        if rerolls is not None and len(trials_by_card) > 1:
            counter = draw_cards(rerolls, block, task.chunk_trials, counter, gamma)
        for value in range(len(trials_by_card)):
            trials = trials_by_card[value]
            while trials > 0:
                counter = roll_block(layout, rerolls, block, dice, value, counter, gamma)
                trials -= count_cells(block.cells, layout.discarded, trials, block.tables)
