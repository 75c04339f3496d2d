"""The dice kernel's part for special pools: extra re-rolls (AC-3.5) and what Overcharge counts (AC-6).

The dice of the first roll are rolled in every trial, and then as many dice as heroic strikes seldom add more than,
two at a time, which count in the trials that have them. The few trials that have more are rolled on one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import step
from analyser.engine.pool.buffers import ABREAST, BLOCK, Block, halves, pair, units_of
from analyser.engine.pool.layout import Marks, Sheet, Special
from analyser.engine.rng import fill, word_of

_STRETCH = 64  # trials that are looked over together
_WORD_BITS = 64


@step
def turn_cards(special: Special, block: Block, trials: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Turn one card for each of `trials` trials (Overcharge) and count those that turned each value; the counter after.

    A draw from ``edges[v]`` up to, not including, ``edges[v + 1]`` is a card of value v.
    """
    draws, turned, edges = block.other_draws, block.turned, special.card_edges
    none, one = np.uint16(0), np.uint16(1)
    turned[:] = 0
    while trials > 0:
        counter = fill(block.other_words, len(block.other_words), counter, gamma)
        some = min(trials, BLOCK)  # the last block may have to be short: its first draws count
        before: Any = 0
        for value in range(len(turned)):
            end, below = edges[value + 1], none
            for trial in range(some):
                below = np.uint16(below + (one if draws[trial] < end else none))
            turned[value] += below - before
            before = below
        trials -= before
    return counter


@step
def roll_special(
    sheet: Sheet, special: Special, block: Block, dice: int, kept: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll `dice` dice, those that heroic strikes add, and the extra re-rolls; the counter after them."""
    block.tallies[:] = 0
    block.worst[:] = 0
    block.due[:] = 0
    for _ in range(dice):
        counter = fill(block.words, len(block.words) // ABREAST, counter, gamma)
        score_first(sheet, special.marks, block)
    for rolled in range(0, kept, ABREAST):
        counter = fill(block.words, len(block.words), counter, gamma)
        score_due(sheet, special.marks, block, rolled)
    counter = roll_rest(sheet, special.marks, block, kept, counter, gamma)
    if special.allowance > 0:
        settle(special.allowance, block.tallies, block.due, block.gone, block.lost)
    for rolled in range(0, special.allowance, ABREAST):
        counter = fill(block.words, len(block.words), counter, gamma)
        score_due(sheet, special.marks_again, block, rolled)
    if sheet.blank_cells > 0:
        count_blanks(block)
    return counter


@step
def score_first(sheet: Sheet, marks: Marks, block: Block) -> None:
    """Score a die of the first roll, and count the dice that its heroic strikes add (AC-3.3; Arc of AC-6)."""
    draws, tallies, worst, due, explodes = block.draws, block.tallies, block.worst, block.due, sheet.explodes
    none, added = draws.dtype.type(0), draws.dtype.type(sheet.added)
    units, (scores, waits, blanks) = units_of(sheet, draws), marks
    for trial in range(np.uint64(BLOCK)):
        draw = draws[trial]
        worst[trial] = max(worst[trial], draw)
        due[trial] += added if draw < explodes else none
        tallies[0, trial] += pair(True, draw, scores, units)
        tallies[1, trial] += pair(True, draw, waits, units)
        tallies[2, trial] += pair(True, draw, blanks, units)


@step
def score_due(sheet: Sheet, marks: Marks, block: Block, rolled: int) -> None:
    """Score two dice, the first in trials in which more than `rolled` are due, the second if one more than that is."""
    draws, tallies, worst, due = block.draws, block.tallies, block.worst, block.due
    first, second = draws.dtype.type(rolled), draws.dtype.type(rolled + 1)
    units, (scores, waits, blanks) = units_of(sheet, draws), marks
    for trial in range(np.uint64(BLOCK)):
        draw, other = draws[trial], draws[np.uint64(BLOCK) + trial]
        here, there = due[trial] > first, due[trial] > second
        worst[trial] = max(worst[trial], max(draw, other))  # noqa: PLW3301 - three arguments keep it from vector form
        tallies[0, trial] += pair(here, draw, scores, units) + pair(there, other, scores, units)
        tallies[1, trial] += pair(here, draw, waits, units) + pair(there, other, waits, units)
        tallies[2, trial] += pair(here, draw, blanks, units) + pair(there, other, blanks, units)


@step
def roll_rest(sheet: Sheet, marks: Marks, block: Block, kept: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Roll the dice that are due beyond the `kept`, in the few trials that have any; the counter after them."""
    due, number = block.due, block.due.dtype.type
    none, one, most = number(0), number(1), number(kept)
    for start in range(0, BLOCK, _STRETCH):
        first, more = np.uint64(start), none
        for trial in range(np.uint64(_STRETCH)):
            more = number(more | (one if due[first + trial] > most else none))
        if more > none:
            for trial in range(start, start + _STRETCH):
                if due[trial] > most:
                    counter = roll_on(sheet, marks, block, trial, kept, counter, gamma)
    return counter


@step
def roll_on(
    sheet: Sheet, marks: Marks, block: Block, trial: int, kept: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll the dice of one trial that are due beyond the `kept`; the counter after them.

    A draw that would favour some faces is drawn again: to throw the trial away would favour trials with fewer dice.
    """
    tallies, units, (scores, waits, blanks) = block.tallies, units_of(sheet, block.draws), marks
    unused = np.uint64(_WORD_BITS - 2 * halves(tallies)[0])
    missing = int(block.due[trial]) - kept
    while missing > 0:
        counter += gamma
        draw = word_of(counter) >> unused
        if draw < sheet.limit:
            missing -= 1
            tallies[0, trial] += pair(True, draw, scores, units)
            tallies[1, trial] += pair(True, draw, waits, units)
            tallies[2, trial] += pair(True, draw, blanks, units)
    return counter


@step
def settle(allowance: Any, tallies: Any, due: Any, gone: Any, lost: Any) -> None:
    """Count the extra re-rolls (AC-3.5), which are the dice that are due now, and what they take away.

    Every die that is worse goes first: a strike is re-rolled only if all others that wait are.
    """
    kind, (bits, ones) = due.dtype.type, halves(due)
    for trial in range(np.uint64(BLOCK)):
        strike, waiting = kind(tallies[0, trial] & ones), kind(tallies[1, trial] & ones)
        settled, nothing = kind(tallies[1, trial] >> bits), kind(tallies[2, trial] >> bits)
        again = min(allowance, kind(waiting - settled))
        due[trial] = again
        gone[trial] = again - min(allowance, kind(waiting - strike))
        lost[trial] = min(allowance, kind(waiting - nothing))


@step
def count_blanks(block: Block) -> None:
    """Count the blanks (Overcharge, AC-6): all that were rolled but those that were re-rolled."""
    tallies, blanks, lost = block.tallies, block.blanks, block.lost
    kind, (bits, ones) = blanks.dtype.type, halves(blanks)
    for trial in range(np.uint64(BLOCK)):
        blanks[trial] = kind(tallies[2, trial] & ones) - kind(tallies[2, trial] >> bits) - lost[trial]
