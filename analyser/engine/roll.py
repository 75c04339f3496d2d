"""The dice kernel: every die of every pool is rolled, a block of trials at a time, by the sheet of its fight.

There is no branch in the loops that depends on a draw, so the compiler turns them into vector instructions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.sheet import Mark, Sheet, Special
from analyser.engine.streams import counter_of_chunk, fill
from analyser.jit import kernel, step

BLOCK = 1024  # trials; the arrays of a block stay in the first-level cache
TABLES = 4  # neighbouring trials count in different tables, so that no count waits for the one before
_WORD_BYTES = 8
_OTHER_WORDS = BLOCK * 2 // _WORD_BYTES  # a 16-bit draw a trial
_STRIKE, _SETTLED, _NOTHING = int(Mark.STRIKE), int(Mark.SETTLED), int(Mark.NOTHING)
_WAITING, _BLANK = int(Mark.WAITING), int(Mark.BLANK)


class Block(NamedTuple):
    """The arrays of a block of trials: one number a trial, but for `words`, `draws` and the rows of `tallies`."""

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
    turned: NDArray[np.int64]  # trials of the chunk by the value of the attacker's card (Overcharge)


def block_for(sheet: Sheet, special: Special | None) -> Block:
    """Room for a block of trials."""
    kind = type(sheet.limit)
    words = np.empty((1 + sheet.added) * BLOCK * np.dtype(kind).itemsize // _WORD_BYTES, np.uint64)
    other_words = np.empty(_OTHER_WORDS, np.uint64)
    tallies = np.zeros((2 + len(special.marks) if special else 1, BLOCK), kind)
    worst, spare, gone, blanks, extras, cells = (np.zeros(BLOCK, kind) for _ in range(6))
    draws, other_draws = words.view(kind), other_words.view(np.uint16)
    turned = np.zeros(max(len(special.card_edges) - 1, 1) if special else 1, np.int64)
    return Block(words, draws, tallies, worst, spare, gone, blanks, extras, cells, other_words, other_draws, turned)


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


@step
def roll_pool(
    sheet: Sheet, special: Special | None, block: Block, dice: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:
    """Roll `dice` dice and those that heroic strikes add (AC-3.2 to AC-3.4; Arc of AC-6); the counter after them."""
    draws, explodes, unit = block.draws, sheet.explodes, sheet.heroic_unit
    block.tallies[:] = 0
    block.worst[:] = 0
    for _ in range(dice):
        counter = fill(block.words, len(block.words), counter, gamma)
        score(block, unit, draws, explodes, 1, True, sheet.heroic, sheet.strike)
        if sheet.added > 1:
            score(block, unit, draws, explodes, 2, False, sheet.heroic, sheet.strike)
        if special is not None:
            for row in range(len(special.marks)):
                for place in range(1, 1 + sheet.added):
                    tally(block, 1 + row, draws, explodes, place, place == 1, special.marks[row])
    return counter


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
def halves(numbers: Any) -> tuple[int, int]:
    """The bits of half a number, and that many ones; the compiler knows them, or shifts would take wider numbers."""
    return (8, 0xFF) if numbers.dtype.type(-1) == 0xFFFF else (16, 0xFFFF)


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
def count_blanks_again(special: Special, block: Block) -> None:
    """Count the blanks that re-rolled dice show."""
    tallies, blanks, spare, allowance = block.tallies, block.blanks, block.spare, special.allowance
    last = np.uint64(len(tallies) - 1)
    for trial in range(np.uint64(BLOCK)):
        blanks[trial] += allowance - spare[trial] - tallies[last, trial]


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
def draw_others(sheet: Sheet, block: Block, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Turn the card, place the officer, roll for the building; the counter after them."""
    draws, extras, worst, spoilt = block.other_draws, block.extras, block.worst, sheet.limit
    extras[:] = 0
    for other in range(len(sheet.limits)):
        counter = fill(block.other_words, len(block.other_words), counter, gamma)
        limit, values = sheet.limits[other], sheet.values[other]
        for trial in range(BLOCK):
            extras[trial] *= values
            worst[trial] = spoilt if draws[trial] >= limit else worst[trial]
        for place in range(values - 1):
            edge = sheet.edges[other, place]
            for trial in range(BLOCK):
                extras[trial] += draws[trial] >= edge
    return counter


@step
def find_cells(sheet: Sheet, block: Block) -> None:
    """The cell that each trial counts in."""
    tallies, gone, blanks, extras = block.tallies, block.gone, block.blanks, block.extras
    worst, cells = block.worst, block.cells
    bonus, veteran, limit = sheet.heroic_bonus, sheet.veteran, sheet.limit
    blank_values, extra_values, discarded = sheet.blank_values, sheet.extra_values, sheet.discarded
    kind = cells.dtype.type
    bits, ones = halves(cells)
    for trial in range(BLOCK):
        scored, heroics = kind((tallies[0, trial] & ones) - gone[trial]), kind(tallies[0, trial] >> bits)
        turned = min(veteran, kind(scored - heroics))  # Veteran (AC-7)
        hits = kind(scored + bonus * kind(heroics + turned))
        cell = kind(kind(hits * blank_values + blanks[trial]) * extra_values + extras[trial])
        cells[trial] = discarded if worst[trial] >= limit else cell


@step
def discarded_in(tables: NDArray[np.uint32], discarded: Any) -> int:
    """Trials thrown away so far."""
    total = 0
    for table in range(TABLES):
        total += tables[table, discarded]
    return total


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


@kernel
def roll_chunks(
    sheet: Sheet, special: Special | None, block: Block, dice: int, first: int, last: int, chunk_trials: int,
    start: np.uint64, gamma: np.uint64, tables: NDArray[np.uint32],
) -> None:  # fmt: skip
    """Roll whole chunks `first` to `last` - 1 of `chunk_trials` trials each into `tables`.

    With Overcharge the trials of a chunk are rolled in the order of their cards: which trial turned which card makes
    no difference to the counts.
    """
    turned = block.turned
    for chunk in range(first, last):
        counter = counter_of_chunk(start, gamma, chunk)
        turned[0] = chunk_trials
        if special is not None and len(turned) > 1:
            counter = turn_cards(special, block, chunk_trials, counter, gamma)
        for value in range(len(turned)):
            trials = turned[value]
            while trials > 0:
                counter = roll_pool(sheet, special, block, dice + value, counter, gamma)
                if special is not None:
                    counter = settle(sheet, special, block, counter, gamma)
                counter = draw_others(sheet, block, counter, gamma)
                find_cells(sheet, block)
                trials -= count_cells(block.cells, sheet.discarded, trials, tables)
