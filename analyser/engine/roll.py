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
from analyser.engine.pools import NOT_WAITING, WAITING_BLANK, WAITING_NOTHING, WAITING_STRIKE, waits_as
from analyser.engine.streams import counter_of_chunk, fill
from analyser.jit import kernel, step
from analyser.rules.armoured_clash.facts import FightFacts

BLOCK = 1024  # trials; the arrays of a block stay in the first-level cache
TABLES = 4  # neighbouring trials count in different tables, so that no count waits for the one before
MOST_DISCARDED = 0.30  # share of trials thrown away from which wider draws pay
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

    From `low` on, for `span` draws, a die waits. Re-rolled it ends as a heroic strike in the first `heroic` of
    them, as a strike before `strike`, and as a blank that counts from `blank` on. `strikes` and `blanks`: what it
    has counted for till then.
    """

    low: Any
    heroic: Any
    strike: Any
    blank: Any
    span: Any
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
        final_strike=kind(starts["nothing"]),
        blank=kind(starts.get((WAITING_BLANK, "heroic"), starts["blank"])),
        limit=kind(ends["blank"]),
    )
    rows = [
        (*_waiting_ends(fight, starts, ends, waits), waits == WAITING_STRIKE, waits == WAITING_BLANK)
        for waits in range(NOT_WAITING)
        if (waits, "heroic") in line
    ]
    columns = np.array(rows, kind).reshape(len(rows), len(Waiting._fields)).T.copy()
    return faces, Waiting(*columns)


def _waiting_ends(fight: FightFacts, starts: dict[Any, int], ends: dict[Any, int], waits: int) -> tuple[int, ...]:
    """The thresholds of :class:`Waiting` from `low` to `span`."""
    low, end = starts[waits, "heroic"], ends[waits, "blank"]
    blank = starts[waits, "blank"] if fight.overcharge else end
    return low, ends[waits, "heroic"] - low, ends[waits, "strike"] - low, blank - low, end - low


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
    waiting: dict[int, dict[Any, int]] = {}
    for waits in range(NOT_WAITING):
        count = sum(int(die[face]) for face in faces if waits_as_face[face] == waits)
        parts = zip(("heroic", "strike", "nothing", "blank"), (heroic, strike, nothing, blank))
        waiting[waits] = {(waits, part): count * cells for part, cells in parts} if count else {}
    # A die that waits stands where it counts as what it shows, until a re-roll says otherwise.
    return {
        "heroic": stays[Face.HEROIC],
        "heroic by re-roll": rerolled * heroic,
        "strike": stays[Face.STRIKE] + rerolled * strike,
        **waiting[WAITING_STRIKE],
        "nothing": stays[Face.GLANCING] + stays[Face.MISS] + rerolled * nothing,
        **waiting[WAITING_NOTHING],
        **waiting[WAITING_BLANK],
        "blank": stays[Face.BLANK] + rerolled * blank,
    }


class Block(NamedTuple):
    """The arrays of a block of trials; shape (BLOCK,) but for `words` and `draws`."""

    words: NDArray[np.uint64]  # a row for each die of the first roll whose draws are kept
    draws: Any  # the same memory: in a row one draw a trial for the first die, then for each die that it adds
    scores: Any  # strikes and heroic strikes in the lower half of each number, heroic strikes in the upper
    blanks: Any
    left: Any  # extra re-rolls still allowed
    worst: Any  # the highest draw of the trial
    extras: Any  # the value of the other draws together
    cells: Any
    other_words: NDArray[np.uint64]
    other_draws: NDArray[np.uint16]


def block_for(sheet: Sheet, dice: int) -> Block:
    """Room for a block of trials of up to `dice` dice of the first roll.

    Draws are kept where dice of a second kind wait: they are seen to after all dice of the first kind.
    """
    kind = type(sheet.allowance)
    kept = dice if len(sheet.waiting.low) > 1 else 1
    words = np.empty((kept, (1 + sheet.added) * BLOCK * np.dtype(kind).itemsize // _WORD_BYTES), np.uint64)
    other_words = np.empty(_AUX_WORDS, np.uint64)
    scores, blanks, left, worst, extras, cells = (np.zeros(BLOCK, kind) for _ in range(6))
    return Block(
        words, words.view(kind), scores, blanks, left, worst, extras, cells, other_words, other_words.view(np.uint16)
    )


@step
def score_dice(sheet: Sheet, block: Block, draws: Any) -> None:
    """Score a die of the first roll and the die that it adds if it shows a heroic strike (AC-3.2 to AC-3.6)."""
    scores, worst, unit = block.scores, block.worst, sheet.heroic_unit
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
def score_second_added(sheet: Sheet, block: Block, draws: Any) -> None:
    """Score the second die that a heroic strike adds (Arc, AC-6)."""
    scores, worst, unit = block.scores, block.worst, sheet.heroic_unit
    heroic, final_heroic, final_strike = sheet.faces.heroic, sheet.faces.final_heroic, sheet.faces.final_strike
    none = draws.dtype.type(0)
    for trial in range(BLOCK):
        explodes = draws[trial] < heroic
        added = draws[2 * BLOCK + trial]
        scores[trial] += (explodes & (added < final_strike)) + (unit if explodes & (added < final_heroic) else none)
        worst[trial] = max(worst[trial], added)


@step
def count_blanks(sheet: Sheet, block: Block, draws: Any, place: int) -> None:
    """Count the blanks (Overcharge, AC-6) among the first dice and the dice that they add at `place`."""
    blanks, blank, heroic = block.blanks, sheet.faces.blank, sheet.faces.heroic
    offset = np.uint64(place * BLOCK)  # unsigned: an index that might be negative keeps the loop from vector form
    with_first = place == 1
    for trial in range(np.uint64(BLOCK)):
        first = draws[trial]
        blanks[trial] += (with_first & (first >= blank)) + ((first < heroic) & (draws[offset + trial] >= blank))


@step
def reroll_waiting(sheet: Sheet, block: Block, draws: Any, place: int, kind: int) -> None:
    """Re-roll dice that wait, while there are extra re-rolls left (AC-3.5); until now they count as what they show.

    First dice together with the dice that they add at `place` 1; at `place` 2 the second added dice alone.
    A die is re-rolled if its draw lies less than its `reach` beyond `low`; a draw below `low` is then far beyond.
    Everything is a choice between two numbers of the draws' own type: other forms are not turned into vector form.
    """
    scores, left, unit, waiting = block.scores, block.left, sheet.heroic_unit, sheet.waiting
    low, span, heroic, strike = waiting.low[kind], waiting.span[kind], waiting.heroic[kind], waiting.strike[kind]
    was_strike, explodes_below, number = waiting.strikes[kind], sheet.faces.heroic, draws.dtype.type
    none, one = number(0), number(1)
    span_of_first = span if place == 1 else none
    offset = np.uint64(place * BLOCK)
    for trial in range(np.uint64(BLOCK)):
        first, may = draws[trial], left[trial]
        there, here = number(first - low), number(draws[offset + trial] - low)
        reach = span_of_first if may != none else none
        again = one if there < reach else none
        may = number(may - again)
        reach_added = span if may != none else none
        reach_added = reach_added if first < explodes_below else none
        more = one if here < reach_added else none
        left[trial] = number(may - more)
        strikes = (one if there < min(reach, strike) else none) + (one if here < min(reach_added, strike) else none)
        heroics = (unit if there < min(reach, heroic) else none) + (unit if here < min(reach_added, heroic) else none)
        scores[trial] += number(strikes + heroics) - was_strike * number(again + more)


@step
def reblank_waiting(sheet: Sheet, block: Block, draws: Any, place: int, kind: int) -> None:
    """The blanks (Overcharge, AC-6) that come and go with the re-rolls of :func:`reroll_waiting`, which follows it.

    Loops of their own: one that writes three arrays is not turned into vector form.
    """
    blanks, left, waiting = block.blanks, block.left, sheet.waiting
    low, span, blank, was_blank = waiting.low[kind], waiting.span[kind], waiting.blank[kind], waiting.blanks[kind]
    explodes_below, number = sheet.faces.heroic, draws.dtype.type
    none, one = number(0), number(1)
    span_of_first = span if place == 1 else none
    offset = np.uint64(place * BLOCK)
    for trial in range(np.uint64(BLOCK)):
        first, may = draws[trial], left[trial]
        there, here = number(first - low), number(draws[offset + trial] - low)
        reach = span_of_first if may != none else none
        again = one if there < reach else none
        reach_added = span if may != again else none
        reach_added = reach_added if first < explodes_below else none
        rerolled = number(again + (one if here < reach_added else none))
        others = (one if there < min(reach, blank) else none) + (one if here < min(reach_added, blank) else none)
        blanks[trial] += number(rerolled - others) - was_blank * rerolled


@step
def roll_dice(sheet: Sheet, block: Block, dice: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Roll `dice` dice of the first roll, and what they add, in every trial; the counter after them."""
    block.scores[:] = 0
    block.blanks[:] = 0
    block.worst[:] = 0
    block.left[:] = sheet.allowance
    kept, words = block.words.shape
    kinds = len(sheet.waiting.low)
    for kind in range(max(kinds, 1)):  # a less urgent kind comes after all dice of the kind before
        for die in range(dice):
            draws = block.draws[die % kept]
            if kind == 0:
                counter = fill(block.words[die % kept], words, counter, gamma)
                score_dice(sheet, block, draws)
                if sheet.added > 1:
                    score_second_added(sheet, block, draws)
            for place in range(1, 1 + sheet.added):
                if kind == 0 and sheet.blank_values > 1:
                    count_blanks(sheet, block, draws, place)
                if kinds > 0 and sheet.blank_values > 1:
                    reblank_waiting(sheet, block, draws, place, kind)
                if kinds > 0:
                    reroll_waiting(sheet, block, draws, place, kind)
    return counter


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
    block: Block, edges: NDArray[np.uint16], trials: int, counter: np.uint64, gamma: np.uint64,
    turned: NDArray[np.int64],
) -> np.uint64:  # fmt: skip
    """Turn one card for each of `trials` trials (Overcharge): how many turned each value; the counter after.

    A draw from ``edges[v]`` up to, not including, ``edges[v + 1]`` is a card of value v.
    """
    values = len(turned)
    turned[:] = 0
    draws = block.other_draws
    while trials > 0:
        counter = fill(block.other_words, len(block.other_words), counter, gamma)
        some = min(trials, BLOCK)  # the last block may have to be short: its first draws count
        for value in range(values):
            count = 0
            for trial in range(some):
                count += (draws[trial] >= edges[value]) & (draws[trial] < edges[value + 1])
            turned[value] += count
            trials -= count
    return counter


@kernel
def roll_chunks(
    sheet: Sheet, block: Block, dice: int, card_edges: NDArray[np.uint16], first: int, last: int,
    chunk_trials: int, start: np.uint64, gamma: np.uint64, tables: NDArray[np.uint32],
) -> None:  # fmt: skip
    """Roll whole chunks `first` to `last` - 1 of `chunk_trials` trials each into `tables`.

    `card_edges`: where each value of the attacker's card begins among the draws (Overcharge); of length 1 where
    no card is turned. With Overcharge the trials of a chunk are rolled in the order of their cards: which trial
    turned which card makes no difference to the counts.
    """
    turned = np.zeros(max(len(card_edges) - 1, 1), np.int64)
    for chunk in range(first, last):
        counter = counter_of_chunk(start, gamma, chunk)
        if len(card_edges) > 1:
            counter = turn_cards(block, card_edges, chunk_trials, counter, gamma, turned)
        else:
            turned[0] = chunk_trials
        for value in range(len(turned)):
            trials = turned[value]
            while trials > 0:
                counter = roll_dice(sheet, block, dice + value, counter, gamma)
                counter = draw_others(sheet, block, counter, gamma)
                find_cells(sheet, block)
                trials -= count_cells(block.cells, sheet.discarded, trials, tables)
