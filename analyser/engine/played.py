"""The Monte Carlo engine of longer fights: every trial is played through the program, die by die and card by card.

The steps are those that the exact engine follows (:mod:`~analyser.engine.program`); here one way is taken at every
test, the one that the card shows. Each side has a deck of its own, which is full again after its last card (AC-5.1,
AC-9.3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.dice import Face
from analyser.engine import steps, strikes
from analyser.engine.pools import NOT_WAITING, waits_as
from analyser.engine.program import Kind, Operation, Setup
from analyser.engine.streams import Stream, counter_of_chunk, fill, stream_of
from analyser.jit import kernel, step
from analyser.rules.armoured_clash import morale
from analyser.rules.armoured_clash.damage import suffer_blanks, suffer_hits
from analyser.rules.armoured_clash.facts import FightFacts

CHUNK_TRIALS = 1 << 14
_CHUNKS_A_BATCH = 4  # a thread, before they are counted together
_STRIKE = int(Kind.STRIKE)
_HEROIC_FACE, _STRIKE_FACE, _MISS_FACE, _BLANK_FACE = (
    int(face) for face in (Face.HEROIC, Face.STRIKE, Face.MISS, Face.BLANK)
)
_HALF, _LOWER = np.uint64(32), np.uint64(0xFFFFFFFF)

Snapshot = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class Table(NamedTuple):
    """What chance is made of, as it lies on the table.

    Attributes
    ----------
    sides : int64 array
        The face of each side of the die.
    cards : int64 array, shape (2, cards)
        The cards of both sides by value; the first `left` of them have not been drawn.
    left : int64 array, shape (2,)
    replacement : bool
    words : uint64 array, shape (2,)
        The counter of the random words and its step.
    word : uint64 array, shape (1,)
    """

    sides: NDArray[np.int64]
    cards: NDArray[np.int64]
    left: NDArray[np.int64]
    replacement: bool
    words: NDArray[np.uint64]
    word: NDArray[np.uint64]


@step
def below(table: Table, number: int) -> int:
    """A whole number from 0 up to, not including, `number`, each as likely as any other."""
    many = np.uint64(number)
    while True:  # by multiplication; words whose lower half would favour some numbers are drawn again
        table.words[0] = fill(table.word, 1, table.words[0], table.words[1])
        product = (table.word[0] >> _HALF) * many
        if product & _LOWER >= (np.uint64(1) << _HALF) % many:
            return int(product >> _HALF)


@step
def roll_die(table: Table) -> int:
    """The face that a die shows."""
    return int(table.sides[below(table, len(table.sides))])


@step
def draw_card(table: Table, side: int) -> int:
    """The top card of a side's deck."""
    place = below(table, table.left[side])
    value = table.cards[side, place]
    if not table.replacement:
        last = table.left[side] - 1
        table.cards[side, place], table.cards[side, last] = table.cards[side, last], value
        table.left[side] = last if last > 0 else table.cards.shape[1]
    return int(value)


@step
def roll_pool(table: Table, fight: FightFacts, dice: int) -> tuple[int, int]:
    """Hits of an attack roll, and blanks left that count (AC-3.2 to AC-3.6)."""
    strikes, heroics, blanks = 0, 0, 0
    waiting = np.zeros(NOT_WAITING + 1, np.int64)
    for _ in range(dice):
        face = roll_die(table)
        added = fight.explosion if face == _HEROIC_FACE else 0
        heroics += 1 if added else 0
        for _ in range(added if added else 1):
            shown = roll_die(table) if added else face
            kind = waits_as(fight, shown)
            waiting[kind] += 1
            if fight.reroll_faces >> shown & 1:
                shown = roll_die(table)
            elif kind != NOT_WAITING:
                continue
            strikes += shown == _STRIKE_FACE
            heroics += shown == _HEROIC_FACE
            blanks += shown == _BLANK_FACE
    allowed = fight.extra_dice
    for kind in range(NOT_WAITING):  # the worst first (AC-3.5)
        again = min(waiting[kind], allowed)
        allowed -= again
        stay = waiting[kind] - again
        blanks += stay if kind == 0 else 0
        strikes += stay if kind == NOT_WAITING - 1 else 0
        for _ in range(again):
            shown = roll_die(table)
            strikes += shown == _STRIKE_FACE
            heroics += shown == _HEROIC_FACE
            blanks += shown == _BLANK_FACE
    turned = min(fight.veteran, strikes)  # Veteran (AC-7)
    return strikes + heroics + (fight.heroic_hits - 1) * (heroics + turned), blanks


@step
def outcome_of(table: Table, fight: FightFacts, hits: int, struck_side: int) -> int:
    """The packed outcome of an attack: the officer's place and the card are drawn."""
    destroyed, damage = suffer_hits(fight, hits)
    lost = morale.places_lost(fight, destroyed) if destroyed < fight.models else 0
    fallen = lost == fight.models or (lost > 0 and below(table, fight.models) < lost)
    disordered = morale.disordered_by_loss(fight, 1 if fallen else 0)
    highest = morale.passes_up_to(fight, destroyed, disordered)
    if passes(table, struck_side, highest):
        return morale.pass_test(fight, destroyed, damage, disordered)
    return morale.fail_test(fight, destroyed, damage, disordered)


@step
def passes(table: Table, side: int, highest: int) -> bool:
    """Whether a test is passed that cards up to `highest` pass; a card is drawn only where one decides."""
    if abs(highest) == morale.ANY_CARD:
        return highest > 0
    return draw_card(table, side) <= highest


@step
def struck(setup: Setup, table: Table, number: int, active: int, words: tuple[int, int]) -> tuple[int, int]:
    """Both states after a strike."""
    if not strikes.is_made(setup, number, active, words):
        return words
    striker = setup.strikes[number].striker
    mine, theirs = (words[0], words[1]) if striker == 0 else (words[1], words[0])
    strikes.set_strike(setup, number, strikes.condition(setup, number, words), theirs)
    fight = setup.fight[0]
    dice = fight.dice + (draw_card(table, striker) if fight.overcharge else 0)
    hits, blanks = roll_pool(table, fight, dice)
    theirs = strikes.after_attack(setup, number, theirs, outcome_of(table, fight, hits, 1 - striker))
    destroyed, damage = 0, 0
    if fight.overcharge:
        destroyed, damage = suffer_blanks(fight, blanks)
    mine = strikes.after_striking(setup, number, mine, theirs, destroyed, damage)
    return (mine, theirs) if striker == 0 else (theirs, mine)


@step
def happens(setup: Setup, table: Table, operation: tuple[int, int, int], words: tuple[int, int]) -> bool:
    """Which of its two ways an operation goes."""
    asked, highest = steps.asks(setup, operation, words)
    if asked == steps.COIN:
        return below(table, 2) == 0
    if asked == steps.STRIKE_DIE:
        return roll_die(table) in (_HEROIC_FACE, _STRIKE_FACE)
    if asked == steps.MISS_DIE:
        face = roll_die(table)
        while face in (_HEROIC_FACE, _STRIKE_FACE):  # the die is known to show neither
            face = roll_die(table)
        return bool(face == _MISS_FACE)
    if asked == steps.NOTHING:
        return highest >= 0
    return draw_card(table, 0 if asked == steps.CARD_OF_0 else 1) <= highest


@kernel
def play_chunk(
    setup: Setup, table: Table, operations: NDArray[np.int64], ends: NDArray[np.int64], start: tuple[int, int],
    chunk: int, states: NDArray[np.int64],
) -> None:  # fmt: skip
    """Fill `states`, shape (snapshots, 2, trials), with the trials of a chunk.

    `operations` has a row each; snapshot s is taken before operation ``ends[s]``.
    """
    table.words[0] = counter_of_chunk(table.words[0], table.words[1], chunk)
    for trial in range(states.shape[2]):
        words = start
        table.left[:] = table.cards.shape[1]
        first = 0
        for snapshot in range(len(ends)):
            for line in range(first, ends[snapshot]):
                operation = (operations[line, 0], operations[line, 1], operations[line, 2])
                if operation[0] == _STRIKE:
                    words = struck(setup, table, operation[2], operation[1], words)
                else:
                    words = steps.changed(setup, operation, words, happens(setup, table, operation, words))
            first = ends[snapshot]
            states[snapshot, 0, trial], states[snapshot, 1, trial] = words


def simulate_program(
    setup: Setup, programs: Sequence[Sequence[Operation]], start_words: tuple[int, int], die: NDArray[np.int64],
    deck: NDArray[np.int64], trials: int, seed: int, threads: int = 1,
    progress: Callable[[int, int], None] | None = None, replacement: bool = False,
) -> list[Snapshot]:  # fmt: skip
    """Play `trials` trials of a fight.

    Parameters
    ----------
    setup : Setup
    programs : sequence of lists of Operation
        A snapshot is taken after each.
    start_words : (int, int)
        The states of side 0 and side 1 at the start.
    die, deck : int64 arrays
        Sides by face; copies by card value, the same for both sides.
    trials : int
        1 or more.
    seed : int
        0 or more.
    threads : int
        The counts do not depend on it.
    progress : callable, optional
        Told the trials so far and the number aimed at.
    replacement : bool
        Every card comes from a full deck, as the exact engine has it (AC-9.3).

    Returns
    -------
    list of (int64 array, int64 array, int64 array)
        Of each snapshot the distinct pairs of states, in rising order, and how often each came up.
    """
    operations = np.array([operation for each in programs for operation in each], np.int64).reshape(-1, 3)
    ends = np.cumsum([len(each) for each in programs])
    firsts = range(0, trials, CHUNK_TRIALS)
    chunks = ((first // CHUNK_TRIALS, min(CHUNK_TRIALS, trials - first)) for first in firsts)
    stream = stream_of(seed)

    def play(task: tuple[int, int]) -> list[Counter[tuple[int, int]]]:
        chunk, size = task
        states = np.empty((len(programs), 2, size), np.int64)
        own = setup.copy()  # its scratch belongs to one thread
        table = table_for(die, deck, stream, replacement)
        play_chunk(own, table, operations, ends, (int(start_words[0]), int(start_words[1])), chunk, states)
        return [counted(pair) for pair in states]

    found: list[Counter[tuple[int, int]]] = [Counter() for _ in programs]
    done = 0
    with ThreadPoolExecutor(threads) as pool:
        while batch := list(islice(chunks, _CHUNKS_A_BATCH * threads)):
            for (_, size), counters in zip(batch, pool.map(play, batch)):
                for all_found, counter in zip(found, counters):
                    all_found.update(counter)
                done += size
                if progress is not None:
                    progress(done, trials)
    return [_in_order(counter) for counter in found]


def table_for(die: NDArray[np.int64], deck: NDArray[np.int64], stream: Stream, replacement: bool) -> Table:
    """The table before the first trial."""
    cards = np.repeat(np.arange(len(deck)), deck)
    return Table(
        sides=np.repeat(np.arange(len(die)), die),
        cards=np.array([cards, cards]),
        left=np.full(2, len(cards)),
        replacement=replacement,
        words=np.array(stream, np.uint64),
        word=np.zeros(1, np.uint64),
    )


def counted(pair: NDArray[np.int64]) -> Counter[tuple[int, int]]:
    """How often each pair of states is among trials, shape (2, trials)."""
    distinct, counts = np.unique(pair, axis=1, return_counts=True)
    return Counter(dict(zip(zip(*distinct.tolist()), counts.tolist())))


def _in_order(counter: Counter[tuple[int, int]]) -> Snapshot:
    pairs = sorted(counter)
    first, second = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    return first, second, np.array([counter[pair] for pair in pairs], np.int64)
