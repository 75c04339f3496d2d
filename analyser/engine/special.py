"""The dice kernel's part for special pools: extra re-rolls (AC-3.5) and what Overcharge counts (AC-6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.engine.block import BLOCK, Block, halves, score, tally
from analyser.engine.sheet import Mark, Sheet, Special
from analyser.engine.streams import fill
from analyser.jit import step

_STRIKE, _SETTLED, _NOTHING = int(Mark.STRIKE), int(Mark.SETTLED), int(Mark.NOTHING)
_WAITING, _BLANK = int(Mark.WAITING), int(Mark.BLANK)


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
def settle(sheet: Sheet, special: Special, block: Block, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Take away the dice that are re-rolled, count the blanks, and roll the re-rolls; the counter after them."""
    rerolls, blanks_count = special.allowance > 0, sheet.blank_values > 1
    if rerolls:
        count_spare(special, block)
        count_gone(special, block)
    if blanks_count:
        count_blanks(special, block)
    if rerolls:
        counter = reroll(sheet, special, block, counter, gamma)
    if rerolls and blanks_count:
        count_blanks_again(special, block)
    return counter


@step
def count_spare(special: Special, block: Block) -> None:
    """Count the extra re-rolls that are more than the dice that wait for one."""
    tallies, spare, allowance = block.tallies, block.spare, special.allowance
    settled, waiting = special.rows[_SETTLED], special.rows[_WAITING]
    kind, (_, ones) = spare.dtype.type, halves(spare)
    for trial in range(np.uint64(BLOCK)):
        waits = kind((tallies[waiting, trial] & ones) - (tallies[settled, trial] & ones))
        spare[trial] = allowance - min(allowance, waits)


@step
def count_gone(special: Special, block: Block) -> None:
    """Count the strikes that were re-rolled: every die that is worse went first (AC-3.5)."""
    tallies, gone, spare, allowance = block.tallies, block.gone, block.spare, special.allowance
    waiting, kind, (_, ones) = special.rows[_WAITING], gone.dtype.type, halves(gone)
    for trial in range(np.uint64(BLOCK)):
        worse = kind((tallies[waiting, trial] & ones) - (tallies[_STRIKE, trial] & ones))
        gone[trial] = kind(allowance - spare[trial]) - min(allowance, worse)


@step
def count_blanks(special: Special, block: Block) -> None:
    """Count the blanks that count (Overcharge, AC-6), without those that are re-rolled."""
    tallies, blanks, allowance = block.tallies, block.blanks, special.allowance
    nothing, waiting, blank = special.rows[_NOTHING], special.rows[_WAITING], special.rows[_BLANK]
    kind, (_, ones) = blanks.dtype.type, halves(blanks)
    for trial in range(np.uint64(BLOCK)):
        stay = min(kind((tallies[nothing, trial] & ones) + allowance), kind(tallies[waiting, trial] & ones))
        blanks[trial] = kind(tallies[blank, trial] & ones) - stay


@step
def reroll(sheet: Sheet, special: Special, block: Block, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Roll the extra re-rolls (AC-3.5), a die for each that is allowed; the counter after them.

    With Overcharge those that are no blanks are tallied in the last row.
    """
    spare, unit, heroic, strike = block.spare, sheet.heroic_unit, special.heroic_again, special.strike_again
    for again in range(special.allowance, 0, -1):
        below = spare.dtype.type(again)  # the die is wanted if fewer re-rolls than this are spare
        counter = fill(block.words, len(block.words) // (1 + sheet.added), counter, gamma)
        score(block, unit, spare, below, 0, False, heroic, strike)
        if sheet.blank_values > 1:
            tally(block, len(block.tallies) - 1, spare, below, 0, False, special.blank_again)
    return counter


@step
def count_blanks_again(special: Special, block: Block) -> None:
    """Count the blanks that re-rolled dice show."""
    tallies, blanks, spare, allowance = block.tallies, block.blanks, block.spare, special.allowance
    last = np.uint64(len(tallies) - 1)
    for trial in range(np.uint64(BLOCK)):
        blanks[trial] += allowance - spare[trial] - tallies[last, trial]
