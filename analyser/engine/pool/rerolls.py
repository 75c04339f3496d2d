"""The dice kernel's part for rerolls pools: extra re-rolls (AC-3.5) and what Overcharge counts (AC-6).

The dice of the first roll are rolled in every trial, and then as many dice as heroic strikes seldom add more than,
two at a time, which count in the trials that have them. The few trials that have more are rolled on one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import step
from analyser.engine.pool.buffers import ABREAST, BLOCK, Block, halves, pair, units_of
from analyser.engine.pool.layout import Layout, Rerolls, Thresholds
from analyser.engine.rng import fill, word_of

_STRETCH = 64  # trials that are looked over together
_WORD_BITS = 64


@step
def turn_cards(rerolls: Rerolls, block: Block, trials: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Turn one card for each of `trials` trials (Overcharge) and count those that turned each value; the counter after.

    A draw from ``bounds[v]`` up to, not including, ``bounds[v + 1]`` is a card of value v.
    """
    draws, turned, bounds = block.other_draws, block.turned, rerolls.card_bounds
    none, one = np.uint16(0), np.uint16(1)
    turned[:] = 0
    while trials > 0:
        counter = fill(block.other_words, len(block.other_words), counter, gamma)
        some = min(trials, BLOCK)  # the last block may have to be short: its first draws count
        before: Any = 0
        for value in range(len(turned)):
            end, below = bounds[value + 1], none
            for trial in range(some):
                below = np.uint16(below + (one if draws[trial] < end else none))
            turned[value] += below - before
            before = below
        trials -= before
    return counter


@step
def roll_with_rerolls(
    layout: Layout, rerolls: Rerolls, block: Block, dice: int, kept: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll `dice` dice, those that heroic strikes add, and the extra re-rolls; the counter after them."""
    block.counters[:] = 0
    block.max_draw[:] = 0
    block.pending[:] = 0
    for _ in range(dice):
        counter = fill(block.words, len(block.words) // ABREAST, counter, gamma)
        score_first(layout, rerolls.thresholds, block)
    for rolled in range(0, kept, ABREAST):
        counter = fill(block.words, len(block.words), counter, gamma)
        score_pending(layout, rerolls.thresholds, block, rolled)
    counter = roll_rest(layout, rerolls.thresholds, block, kept, counter, gamma)
    if rerolls.allowance > 0:
        settle(rerolls.allowance, block.counters, block.pending, block.rerolled_strikes, block.rerolled_blanks)
    for rolled in range(0, rerolls.allowance, ABREAST):
        counter = fill(block.words, len(block.words), counter, gamma)
        score_pending(layout, rerolls.thresholds_again, block, rolled)
    if layout.blank_cells > 0:
        count_blanks(block)
    return counter


@step
def score_first(layout: Layout, thresholds: Thresholds, block: Block) -> None:
    """Score a die of the first roll, and count the dice that its heroic strikes add (AC-3.3; Arc of AC-6)."""
    draws, counters, max_draw, pending, explodes = (
        block.draws,
        block.counters,
        block.max_draw,
        block.pending,
        layout.explodes,
    )
    none, added = draws.dtype.type(0), draws.dtype.type(layout.added)
    units, (scores, waits, blanks) = units_of(layout, draws), thresholds
    for trial in range(np.uint64(BLOCK)):
        draw = draws[trial]
        max_draw[trial] = max(max_draw[trial], draw)
        pending[trial] += added if draw < explodes else none
        counters[0, trial] += pair(True, draw, scores, units)
        counters[1, trial] += pair(True, draw, waits, units)
        counters[2, trial] += pair(True, draw, blanks, units)


@step
def score_pending(layout: Layout, thresholds: Thresholds, block: Block, rolled: int) -> None:
    """Score two dice: the first where more than `rolled` are pending, the second where one more than that is."""
    draws, counters, max_draw, pending = block.draws, block.counters, block.max_draw, block.pending
    first, second = draws.dtype.type(rolled), draws.dtype.type(rolled + 1)
    units, (scores, waits, blanks) = units_of(layout, draws), thresholds
    for trial in range(np.uint64(BLOCK)):
        draw, other = draws[trial], draws[np.uint64(BLOCK) + trial]
        here, there = pending[trial] > first, pending[trial] > second
        max_draw[trial] = max(max_draw[trial], max(draw, other))  # noqa: PLW3301 - three arguments keep it from vector form
        counters[0, trial] += pair(here, draw, scores, units) + pair(there, other, scores, units)
        counters[1, trial] += pair(here, draw, waits, units) + pair(there, other, waits, units)
        counters[2, trial] += pair(here, draw, blanks, units) + pair(there, other, blanks, units)


@step
def roll_rest(
    layout: Layout, thresholds: Thresholds, block: Block, kept: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll the dice that are pending beyond the `kept`, in the few trials that have any; the counter after them."""
    pending, number = block.pending, block.pending.dtype.type
    none, one, most = number(0), number(1), number(kept)
    for start in range(0, BLOCK, _STRETCH):
        first, more = np.uint64(start), none
        for trial in range(np.uint64(_STRETCH)):
            more = number(more | (one if pending[first + trial] > most else none))
        if more > none:
            for trial in range(start, start + _STRETCH):
                if pending[trial] > most:
                    counter = roll_on(layout, thresholds, block, trial, kept, counter, gamma)
    return counter


@step
def roll_on(
    layout: Layout, thresholds: Thresholds, block: Block, trial: int, kept: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll the dice of one trial that are pending beyond the `kept`; the counter after them.

    A draw that would favour some faces is drawn again: to throw the trial away would favour trials with fewer dice.
    """
    counters, units, (scores, waits, blanks) = block.counters, units_of(layout, block.draws), thresholds
    unused = np.uint64(_WORD_BITS - 2 * halves(counters)[0])
    missing = int(block.pending[trial]) - kept
    while missing > 0:
        counter += gamma
        draw = word_of(counter) >> unused
        if draw < layout.limit:
            missing -= 1
            counters[0, trial] += pair(True, draw, scores, units)
            counters[1, trial] += pair(True, draw, waits, units)
            counters[2, trial] += pair(True, draw, blanks, units)
    return counter


@step
def settle(allowance: Any, counters: Any, pending: Any, rerolled_strikes: Any, rerolled_blanks: Any) -> None:
    """Count the extra re-rolls (AC-3.5), which are the dice that are pending now, and what they take away.

    Every die that is worse goes first: a strike is re-rolled only if all others that wait are.
    """
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
    """Count the blanks (Overcharge, AC-6): all that were rolled but those that were re-rolled."""
    counters, blanks, rerolled_blanks = block.counters, block.blanks, block.rerolled_blanks
    kind, (bits, ones) = blanks.dtype.type, halves(blanks)
    for trial in range(np.uint64(BLOCK)):
        blanks[trial] = kind(counters[2, trial] & ones) - kind(counters[2, trial] >> bits) - rerolled_blanks[trial]
