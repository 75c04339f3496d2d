"""The dice kernel: every die of every pool is rolled, a block of trials at a time.

Each die of a pool has a draw of its own, a random whole number whose first base-`sides` digit is the face it
shows and whose second digit is the face that a re-roll would give. Draws beyond the last whole multiple of
``sides ** 2`` would favour some faces, so a trial with such a draw is thrown away whole; as every trial takes
the same number of draws whatever they show, that favours nothing.

The pairs of faces are laid out along the line of draws so that what a die is finally worth is a comparison
with a threshold: heroic at first, heroic by re-roll, strike, strike by re-roll, nothing, blank. There is no
branch in the loops that depends on a draw, so the compiler turns them into vector instructions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.dice import Face
from analyser.engine.pools import NOT_WAITING, WAITING_BLANK, WAITING_STRIKE, waits_as
from analyser.engine.streams import counter_of_chunk, fill
from analyser.jit import kernel, step
from analyser.rules.armoured_clash.facts import FightFacts

BLOCK = 1024  # trials; the arrays of a block stay in the first-level cache
TABLES = 4  # neighbouring trials count in different tables, so that no count waits for the one before
MOST_DISCARDED = 0.10  # share of trials thrown away from which wider draws pay
_WORD_BYTES = 8
_AUX_WORDS = BLOCK * 2 // _WORD_BYTES  # a 16-bit draw a trial


class Faces(NamedTuple):
    """Thresholds on the line of draws, in the type of the draws.

    A draw below `heroic` shows a heroic strike at once and explodes; below `final_heroic` ends as one, below
    `final_strike` as a strike; from `blank` on it ends as a blank; from `limit` on the trial is thrown away.
    """

    heroic: Any
    final_heroic: Any
    final_strike: Any
    blank: Any
    limit: Any


class Waiting(NamedTuple):
    """Thresholds of the dice that an extra re-roll may take (AC-3.5), one kind a row, worst first.

    Between `low` and `high` a die waits; re-rolled it ends as a heroic strike below `heroic`, as a strike
    below `strike`, and as a blank from `blank` on. `strikes` and `blanks`: what it counts for if it stays.
    """

    low: Any
    heroic: Any
    strike: Any
    blank: Any
    high: Any
    strikes: Any
    blanks: Any


class Sheet(NamedTuple):
    """How the pools of a fight are rolled: what the kernel needs besides the number of dice.

    A trial is counted in the cell ``(hits * blank_values + blanks) * extra_values + extra``, where `extra` tells the
    cards, officer's places and building dice apart that the rules tell apart.
    """

    faces: Faces
    waiting: Waiting
    allowance: Any  # extra re-rolls
    added: int  # dice that a heroic strike adds
    heroic_bonus: Any  # hits of a heroic strike beyond those of a strike
    veteran: Any
    heroic_unit: Any  # what a heroic strike adds to a score beside 1: its place in the upper half of the number
    blank_values: Any  # 1: blanks do not count
    extra_values: Any
    discarded: Any  # the cell of the trials that are thrown away
    limits: NDArray[np.uint16]  # of the other draws, in order: from here on the trial is thrown away
    edges: NDArray[np.uint16]  # of the other draws: where the next value begins, one row a draw
    values: Any  # how many values each of the other draws has


class OtherDraw(NamedTuple):
    """A draw beside the dice of the pool: a card, the officer's place, a die for a building.

    `sides` equally likely things, told apart only where the rules do: `edges` are the first of each new value.
    """

    sides: int
    edges: tuple[int, ...]


def sheet_for(
    fight: FightFacts, die: NDArray[np.int64], dice: int, others: tuple[OtherDraw, ...], sizes: tuple[int, int]
) -> Sheet:
    """The sheet for rolling pools of up to `dice` dice of the first roll.

    Parameters
    ----------
    fight : record of FIGHT
    die : int64 array, shape (5,)
    dice : int
    others : tuple of OtherDraw
    sizes : (int, int)
        How many values hits and blanks can take.

    Returns
    -------
    Sheet
        In 16-bit numbers where those have room and few trials are thrown away with them, in 32-bit numbers else.
    """
    small = die // np.gcd.reduce(die)
    draws = dice * (1 + fight.explosion)
    pairs = int(small.sum()) ** 2
    extra_values = int(np.prod([len(other.edges) + 1 for other in others], dtype=np.int64))
    cells = sizes[0] * sizes[1] * extra_values
    wasted = 1.0 if pairs > np.iinfo(np.uint16).max else draws * ((1 << 16) % pairs) / (1 << 16)
    narrow = wasted < MOST_DISCARDED and draws < 1 << 8 and cells < np.iinfo(np.uint16).max
    kind: Any = np.uint16 if narrow else np.uint32
    faces, waiting = _thresholds(fight, small, kind)
    units = [np.iinfo(np.uint16).max // other.sides for other in others]
    edges = np.zeros((len(others), max((len(other.edges) for other in others), default=0)), np.uint16)
    for row, (other, unit) in enumerate(zip(others, units)):
        edges[row, : len(other.edges)] = np.array(other.edges) * unit
    return Sheet(
        faces=faces,
        waiting=waiting,
        allowance=kind(fight.extra_dice),
        added=int(fight.explosion),
        heroic_bonus=kind(fight.heroic_hits - 1),
        veteran=kind(fight.veteran),
        heroic_unit=kind(1 << 4 * kind().itemsize),
        blank_values=kind(sizes[1]),
        extra_values=kind(extra_values),
        discarded=kind(cells),
        limits=np.array([other.sides * unit for other, unit in zip(others, units)], np.uint16),
        edges=edges,
        values=np.array([len(other.edges) + 1 for other in others], kind),
    )


def _thresholds(fight: FightFacts, die: NDArray[np.int64], kind: Any) -> tuple[Faces, Waiting]:
    line = _line(fight, die)
    cell = np.iinfo(kind).max // sum(line.values())
    ends = dict(zip(line, (np.cumsum(list(line.values())) * cell).tolist()))
    starts = {part: end - line[part] * cell for part, end in ends.items()}
    faces = Faces(
        heroic=kind(ends["heroic"]),
        final_heroic=kind(ends["heroic by re-roll"]),
        final_strike=kind(ends["strike"]),
        blank=kind(starts["blank"]),
        limit=kind(ends["blank"]),
    )
    rows = [
        (*_waiting_ends(starts, ends, waits), waits == WAITING_STRIKE, waits == WAITING_BLANK)
        for waits in range(NOT_WAITING)
        if (waits, "heroic") in line
    ]
    columns = np.array(rows, kind).reshape(len(rows), len(Waiting._fields)).T.copy()
    return faces, Waiting(*columns)


def _waiting_ends(starts: dict[Any, int], ends: dict[Any, int], waits: int) -> tuple[int, ...]:
    """The thresholds of :class:`Waiting` from `low` to `high`."""
    return (
        starts[waits, "heroic"],
        ends[waits, "heroic"],
        ends[waits, "strike"],
        starts[waits, "blank"],
        ends[waits, "blank"],
    )


def _line(fight: FightFacts, die: NDArray[np.int64]) -> dict[Any, int]:
    """The parts of the line of draws, in order, and how many pairs of faces each takes."""
    faces = range(len(Face))
    sides = int(die.sum())
    heroic, strike, blank = (int(die[face]) for face in (Face.HEROIC, Face.STRIKE, Face.BLANK))
    nothing = sides - heroic - strike - blank
    rerolled = sum(int(die[face]) for face in faces if fight.reroll_faces >> face & 1)
    waits_as_face = [waits_as(fight, face) for face in faces]
    stays = [
        0 if fight.reroll_faces >> face & 1 or waits_as_face[face] != NOT_WAITING else int(die[face]) * sides
        for face in faces
    ]
    line: dict[Any, int] = {
        "heroic": stays[Face.HEROIC],
        "heroic by re-roll": rerolled * heroic,
        "strike": stays[Face.STRIKE] + rerolled * strike,
        "nothing": stays[Face.GLANCING] + stays[Face.MISS] + rerolled * nothing,
    }
    for waits in range(NOT_WAITING):
        count = sum(int(die[face]) for face in faces if waits_as_face[face] == waits)
        if count:
            parts = zip(("heroic", "strike", "nothing", "blank"), (heroic, strike, nothing, blank))
            line |= {(waits, part): count * cells for part, cells in parts}
    line["blank"] = stays[Face.BLANK] + rerolled * blank
    return line


class Block(NamedTuple):
    """The arrays of a block of trials; shape (BLOCK,) but for the first two."""

    words: NDArray[np.uint64]
    draws: Any  # the same memory as `words`: one draw a trial for a first die, then for each die that it adds
    scores: Any  # strikes and heroic strikes in the lower half of each number, heroic strikes in the upper
    blanks: Any
    left: Any  # extra re-rolls still allowed
    worst: Any  # the highest draw of the trial
    extras: Any  # the value of the other draws together
    cells: Any
    other_words: NDArray[np.uint64]
    other_draws: NDArray[np.uint16]


def block_for(sheet: Sheet) -> Block:
    """Room for a block of trials."""
    kind = type(sheet.allowance)
    words = np.empty((1 + sheet.added) * BLOCK * np.dtype(kind).itemsize // _WORD_BYTES, np.uint64)
    other_words = np.empty(_AUX_WORDS, np.uint64)
    scores, blanks, left, worst, extras, cells = (np.zeros(BLOCK, kind) for _ in range(6))
    return Block(
        words, words.view(kind), scores, blanks, left, worst, extras, cells, other_words, other_words.view(np.uint16)
    )


@step
def score_dice(sheet: Sheet, block: Block) -> None:
    """Score a die of the first roll and the die that it adds if it shows a heroic strike (AC-3.2 to AC-3.6)."""
    draws, scores, worst, unit = block.draws, block.scores, block.worst, sheet.heroic_unit
    heroic, final_heroic, final_strike = sheet.faces.heroic, sheet.faces.final_heroic, sheet.faces.final_strike
    none = draws.dtype.type(0)
    for trial in range(BLOCK):
        first, added = draws[trial], draws[BLOCK + trial]
        explodes = first < heroic
        scores[trial] += (
            (first < final_strike)
            + (explodes & (added < final_strike))
            + (unit if first < final_heroic else none)
            + (unit if explodes & (added < final_heroic) else none)
        )
        worst[trial] = max(worst[trial], max(first, added))  # noqa: PLW3301 - three arguments keep it from vector form


@step
def score_second_added(sheet: Sheet, block: Block) -> None:
    """Score the second die that a heroic strike adds (Arc, AC-6)."""
    draws, scores, worst, unit = block.draws, block.scores, block.worst, sheet.heroic_unit
    none = draws.dtype.type(0)
    heroic, final_heroic, final_strike = sheet.faces.heroic, sheet.faces.final_heroic, sheet.faces.final_strike
    for trial in range(BLOCK):
        explodes = draws[trial] < heroic
        added = draws[2 * BLOCK + trial]
        scores[trial] += (explodes & (added < final_strike)) + (unit if explodes & (added < final_heroic) else none)
        worst[trial] = max(worst[trial], added)


@step
def count_blanks(sheet: Sheet, block: Block, place: int) -> None:
    """Count the blanks (Overcharge, AC-6) among first dice (`place` 0) or added dice."""
    draws, blanks = block.draws, block.blanks
    needed = sheet.faces.limit if place == 0 else sheet.faces.heroic  # a first die is always in the pool
    blank = sheet.faces.blank
    for trial in range(BLOCK):
        blanks[trial] += (draws[trial] < needed) & (draws[place * BLOCK + trial] >= blank)


@step
def score_waiting(sheet: Sheet, block: Block, place: int, kind: int) -> None:
    """Score dice that an extra re-roll may take, while there are re-rolls left (AC-3.5)."""
    draws, scores, blanks, left, unit = block.draws, block.scores, block.blanks, block.left, sheet.heroic_unit
    none = draws.dtype.type(0)
    needed = sheet.faces.limit if place == 0 else sheet.faces.heroic
    waiting = sheet.waiting
    low, high = waiting.low[kind], waiting.high[kind]
    heroic, strike, blank = waiting.heroic[kind], waiting.strike[kind], waiting.blank[kind]
    stays_strike, stays_blank = waiting.strikes[kind] != 0, waiting.blanks[kind] != 0
    counted = sheet.blank_values > 1
    for trial in range(BLOCK):
        draw = draws[place * BLOCK + trial]
        waits = (draws[trial] < needed) & (draw >= low) & (draw < high)
        again = waits & (left[trial] != 0)
        stays = waits & (left[trial] == 0)
        left[trial] -= again
        scores[trial] += (
            (again & (draw < strike)) + (unit if again & (draw < heroic) else none) + (stays & stays_strike)
        )
        blanks[trial] += (again & counted & (draw >= blank)) + (stays & stays_blank)


@step
def roll_dice(sheet: Sheet, block: Block, dice: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Roll `dice` dice of the first roll, and what they add, in every trial; the counter after them."""
    block.scores[:] = 0
    block.blanks[:] = 0
    block.worst[:] = 0
    block.left[:] = sheet.allowance
    words = len(block.words)
    kinds = len(sheet.waiting.low)
    after = counter
    for _ in range(dice):
        after = fill(block.words, words, after, gamma)
        score_dice(sheet, block)
        if sheet.added > 1:
            score_second_added(sheet, block)
        for place in range(1 + sheet.added):
            if sheet.blank_values > 1:
                count_blanks(sheet, block, place)
            if kinds > 0:
                score_waiting(sheet, block, place, 0)
    for kind in range(1, kinds):  # a less urgent kind comes after all dice of the kind before: the same draws again
        again = counter
        for _ in range(dice):
            again = fill(block.words, words, again, gamma)
            for place in range(1 + sheet.added):
                score_waiting(sheet, block, place, kind)
    return after


@step
def draw_others(sheet: Sheet, block: Block, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Turn the card, place the officer, roll for the building; the counter after them."""
    draws, extras, worst, spoilt = block.other_draws, block.extras, block.worst, sheet.faces.limit
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
    scores, blanks, extras, worst, cells = block.scores, block.blanks, block.extras, block.worst, block.cells
    unit, bonus, veteran, limit = sheet.heroic_unit, sheet.heroic_bonus, sheet.veteran, sheet.faces.limit
    blank_values, extra_values, discarded = sheet.blank_values, sheet.extra_values, sheet.discarded
    kind = scores.dtype.type
    lower, half = kind(unit - 1), kind(4 * scores.itemsize)
    for trial in range(BLOCK):
        scored, heroics = kind(scores[trial] & lower), kind(scores[trial] >> half)
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
def turn_cards(
    block: Block, deck: NDArray[np.int64], trials: int, counter: np.uint64, gamma: np.uint64,
    turned: NDArray[np.int64],
) -> np.uint64:  # fmt: skip
    """Turn one card for each of `trials` trials (Overcharge): how many turned each value; the counter after."""
    cards = deck.sum()
    value_of = np.empty(cards, np.int64)
    card = 0
    for value in range(len(deck)):
        value_of[card : card + deck[value]] = value
        card += deck[value]
    unit = 0xFFFF // cards
    turned[:] = 0
    while trials > 0:
        counter = fill(block.other_words, len(block.other_words), counter, gamma)
        for trial in range(BLOCK):
            card = block.other_draws[trial] // unit
            if card < cards and trials > 0:
                turned[value_of[card]] += 1
                trials -= 1
    return counter


@kernel
def roll_chunks(
    sheet: Sheet, block: Block, dice: int, deck: NDArray[np.int64], overcharge: bool, first: int, last: int,
    chunk_trials: int, start: np.uint64, gamma: np.uint64, tables: NDArray[np.uint32],
) -> None:  # fmt: skip
    """Roll whole chunks `first` to `last` - 1 of `chunk_trials` trials each into `tables`.

    With Overcharge the trials of a chunk are rolled in the order of their cards: which trial turned which card
    makes no difference to the counts.
    """
    turned = np.zeros(len(deck), np.int64)
    for chunk in range(first, last):
        counter = counter_of_chunk(start, gamma, chunk)
        if overcharge:
            counter = turn_cards(block, deck, chunk_trials, counter, gamma, turned)
        else:
            turned[0] = chunk_trials  # no card: no dice more
        for value in range(len(deck)):
            trials = turned[value]
            while trials > 0:
                counter = roll_dice(sheet, block, dice + value, counter, gamma)
                counter = draw_others(sheet, block, counter, gamma)
                find_cells(sheet, block)
                trials -= count_cells(block.cells, sheet.discarded, trials, tables)
