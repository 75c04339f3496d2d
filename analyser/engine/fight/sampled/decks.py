"""The two decks of each trial in lockstep, drawn from without replacement and shuffled when empty (AC-5.1).

Of a deck no more is kept than tests ask about: how many of the cards left in it have a value up to each that decides a
test, and how many are left in all. These are *fields* of a few words. A card is drawn as the place that it has
among those left, in rising order of their values: the fields of values up to which fewer cards are left than that are
those that it does not count in. Which fields are kept changes nothing in where a trial goes.
"""

from __future__ import annotations

from typing import Annotated, Any, cast

import numpy as np

from analyser.common.jit import Whole, inlined, step
from analyser.common.records import Int, Integers, WholeField, empty_record, record_type
from analyser.engine.fight.sampled.nodes import UNASKED, ProgramTable
from analyser.engine.rng import RandomDraws, one_of
from analyser.game.ruleset import HIGHEST_CARD, MOST_CARDS

_BITS, _WORD, _BIT = 64, np.uint64(6), np.uint64(63)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
ABREAST = 64
_LINE = 64
MOST_WORDS = -(-(HIGHEST_CARD + 2) // (_BITS // (MOST_CARDS.bit_length() + 1)))  # of a deck, one field a threshold


class Lanes:
    """Trials in lockstep, as one record."""

    place: Annotated[Any, np.uint64, (ABREAST,)]  # where each waits,
    row: Annotated[Any, np.uint64, (ABREAST,)]  # and how many parts it has begun
    transition: Annotated[Any, np.uint64, (ABREAST,)]  # the transition that it takes,
    to: Annotated[Any, np.uint64, (ABREAST,)]  # and the node to which that leads
    shown: Annotated[Any, np.uint64, (ABREAST,)]  # one more than the place of its card among those left
    last: Annotated[Any, np.uint64, (ABREAST,)]  # whether it was the last card
    fresh: Annotated[Any, np.uint64, (ABREAST,)]  # whether the lane has begun a trial
    # What is left of the two decks (:mod:`.decks`): here, so that the compiler sees that it is no other array.
    left: Annotated[Any, np.uint64, (2, MOST_WORDS, ABREAST)]
    ends: Annotated[Any, np.uint64, (2 * ABREAST,)]  # lanes whose part has ended: from `at` up to `many`, in a ring
    active: WholeField  # lanes in use
    lane: WholeField  # the lane that goes on,
    stage: WholeField  # and with which pass
    at: WholeField
    many: WholeField
    begun: WholeField  # trials so far,
    trials: WholeField  # and of the chunk
    sweeps: WholeField  # how often all have taken a transition
    counted: WholeField  # as often those were counted before that the chunk was begun anew
    first: Annotated[Any, np.uint64]  # where trials begin,
    first_row: Annotated[Any, np.uint64]  # and how many parts they have begun by then


_LANE_TYPE = record_type(Lanes)


def no_lanes() -> Lanes:
    """No trial has begun; aligned to a cache line, for wide vector instructions."""
    memory = np.zeros(_LANE_TYPE.itemsize + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    return cast("Lanes", memory[first : first + _LANE_TYPE.itemsize].view(_LANE_TYPE)[0])


class Decks:
    """The decks of all trials abreast, as one record.

    A field has one bit more than its number needs, its top bit, which is clear. The threshold of a test is the place of
    the top bit of its field: the word, times 64, and the bit. The first field is of all cards.
    """

    width: Annotated[Any, np.uint64]  # bits of a field,
    mask: Annotated[Any, np.uint64]  # a bit for each that its number can have,
    top: Annotated[Any, np.uint64]  # and the place of its top bit
    fields: Int  # how many are kept,
    words: Int  # and in how many words
    full: Annotated[Any, np.uint64, (MOST_WORDS,)]  # a full deck
    ones: Annotated[Any, np.uint64, (MOST_WORDS,)]  # the lowest bit of each field
    tops: Annotated[Any, np.uint64, (MOST_WORDS,)]  # the top bit of each


def decks_for(deck: Integers, program: ProgramTable) -> Decks:
    """Decks that keep the number of their cards alone; `deck`: copies by card value."""
    decks: Any = empty_record(Decks)
    bits = int(deck.sum()).bit_length()
    decks.width, decks.mask, decks.top = bits + 1, (1 << bits) - 1, bits
    program.certain = bits
    ask(decks, program, deck, HIGHEST_CARD + 1)
    return cast("Decks", decks)


def ask(decks: Decks, program: ProgramTable, deck: Integers, wanted: int) -> None:
    """Keep one field more: of the threshold that the program wants."""
    up_to = np.concatenate([[0], np.cumsum(deck)])
    up_to = np.concatenate([up_to, np.full(HIGHEST_CARD + 2 - len(up_to), up_to[-1])])
    count, width = int(up_to[wanted]), int(decks.width)
    word, at = divmod(decks.fields, _BITS // width)
    low = at * width
    for array, number in ((decks.full, count), (decks.ones, 1), (decks.tops, 1 << width - 1)):
        array[word] |= np.uint64(number << low)
    program.thresholds[up_to == count] = word * _BITS + low + width - 1
    decks.fields, decks.words, program.wanted = decks.fields + 1, word + 1, UNASKED


@inlined
def shuffle_fresh(decks: Decks, lanes: Lanes) -> None:
    """Make the decks full of lanes that have begun a trial."""
    for word in range(np.uint64(decks.words)):
        full = decks.full[word]
        for lane in range(np.uint64(ABREAST)):
            first, second = lanes.left[0, word, lane], lanes.left[1, word, lane]
            lanes.left[0, word, lane] = full if lanes.fresh[lane] else first
            lanes.left[1, word, lane] = full if lanes.fresh[lane] else second


@inlined
def cards_left(decks: Decks, lanes: Lanes, lane: Whole, second: Whole) -> Any:
    """How many cards are left in a deck of a lane."""
    first_deck, second_deck = lanes.left[0, 0, lane], lanes.left[1, 0, lane]
    return (second_deck if second else first_deck) & decks.mask


@inlined
def without(word: Whole, top: Whole, one: Whole, shown: Whole) -> Any:
    """The top bits of those fields of a word in which a card counts; `shown` is one more than its place."""
    return ((word | top) - shown * one) & top


@step
def draw_value(program: ProgramTable, decks: Decks, lanes: Lanes, random: RandomDraws, side: int, lane: Whole) -> int:
    """Draw a card whose value counts; all thresholds are known."""
    shown = np.uint64(one_of(random, np.int64(cards_left(decks, lanes, lane, side == 1)))) + _ONE
    last = shown == cards_left(decks, lanes, lane, side == 1) and shown == _ONE
    value, found = 0, False
    while not found:
        threshold = np.uint64(program.thresholds[value + 1])
        word = threshold >> _WORD
        counts = without(lanes.left[side, word, lane], decks.tops[word], decks.ones[word], shown)
        found = counts >> (threshold & _BIT) & _ONE != _ZERO
        value += 1
    for each in range(decks.words):
        counts = without(lanes.left[side, each, lane], decks.tops[each], decks.ones[each], shown)
        lanes.left[side, each, lane] = (
            decks.full[each] if last else lanes.left[side, each, lane] - (counts >> decks.top)
        )
    return value - 1
