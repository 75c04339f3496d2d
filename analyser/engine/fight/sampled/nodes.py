"""Where chance decides in a longer fight, and where each draw leads from there: a map that grows as trials are played.

A *crossing* is a place in the program and a pair of states at which something is rolled or drawn. From there a *turn*
leads on for each thing that the dice can come to. Many trials come to the same crossings: what the rules say is worked
out when the first of them takes a turn (:mod:`.turns`), and looked up by all others.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from analyser.common.jit import Whole, inlined, step

UNKNOWN = 0  # where a turn leads that nobody has taken yet
NO_DRAW, CARD_OF_0, CARD_OF_1 = range(3)  # what is drawn on a turn
CROSSINGS, TURNS = 1 << 19, 1 << 25
MOST_TURNS = 256  # of a crossing; rolls that can come to more each lead to a crossing of their own
MOST_AT_ONCE = 1 << 16  # crossings that are given turns before room is looked for again: where a chunk's trials wait
SPARE, _SPARE_TURNS = CROSSINGS // 2, MOST_AT_ONCE * (MOST_TURNS + 2)  # room for all that can be found till then
_SLOTS = 4 * CROSSINGS
_ONE = np.uint64(1)
_MIX = np.uint64(0x9E3779B97F4A7C15)

# A turn as one number: two crossings to which it may lead, the mark that a draw is held against, and what is drawn;
# negative if that is one of so many equally likely things.
_BITS = 19  # crossings fit
WAY, OTHER_WAY = np.uint64((1 << _BITS) - 1), np.uint64(_BITS)
_MASK = (1 << _BITS) - 1
MARK, MARK_BITS = 2 * _BITS, 14
DRAW, _DRAW_BITS = MARK + MARK_BITS, 11
_LOT = np.int64(-(1 << 63))

# A place, as one number: where the turns of a crossing begin, and the pool whose rolls say which is taken; or, where a
# part has ended, ENDED and which of the ends it is.
POOL, TURN = np.uint64(32), np.uint64((1 << 32) - 1)
ENDED = np.uint64(1 << 63)
_NOWHERE = np.uint64(0)


class Crossings:
    """All crossings that are known, in the order in which they were found, as one record: to hand it on costs nothing.

    Attributes
    ----------
    queue : int32 array
        The queue in which trials wait there, which tells the line and what is decided (:class:`.script.Script`).
    first, second : int64 arrays
        The states of the two sides.
    so_far : int64 array
        What the dice of this line have come to (:mod:`.turns`).
    place : uint64 array
        Its place; 0 before anybody has asked for it (:func:`.turns.place_of`).
    turns : int64 array
        Of each place, first the crossing, then of each thing that the dice can come to the turn, or UNKNOWN.
    end_at : int32 array
        The crossings where parts end, as they were found.
    slots : int32 array
        One more than the crossing that stands in it, found by hashing; its length is a power of two.
    crossings_known, turns_known, ends_known : int
    """

    queue: Any
    first: Any
    second: Any
    so_far: Any
    place: Any
    turns: Any
    end_at: Any
    slots: Any
    crossings_known: int
    turns_known: int
    ends_known: int


_CROSSINGS = np.dtype(
    (
        np.record,
        [
            ("first", np.int64, (CROSSINGS,)),
            ("second", np.int64, (CROSSINGS,)),
            ("so_far", np.int64, (CROSSINGS,)),
            ("queue", np.int32, (CROSSINGS,)),
            ("place", np.uint64, (CROSSINGS,)),
            ("turns", np.int64, (TURNS,)),
            ("end_at", np.int32, (CROSSINGS,)),
            ("slots", np.int32, (_SLOTS,)),
            ("crossings_known", np.int64),
            ("turns_known", np.int64),
            ("ends_known", np.int64),
        ],
    )
)


def no_crossings() -> Crossings:
    """None known yet; memory is taken only as it is used."""
    empty: Any = np.zeros(1, _CROSSINGS)[0]
    return cast("Crossings", empty)


@step
def has_room(known: Crossings) -> bool:
    """Whether there is room for all that a chunk of trials can find at once."""
    return known.crossings_known <= CROSSINGS - SPARE and known.turns_known <= TURNS - _SPARE_TURNS


@step
def forget_all(known: Crossings) -> None:
    """None is known any more."""
    for slot in range(_SLOTS):
        known.slots[slot] = 0
    known.crossings_known, known.turns_known, known.ends_known = 0, 0, 0


@step
def first_slot(queue: int, words: tuple[int, int], so_far: int) -> int:
    """Where the search for a crossing begins."""
    word = mixed(mixed(mixed(np.uint64(queue) * _MIX, words[0]), words[1]), so_far)
    return int(np.int64(word >> _ONE) & (_SLOTS - 1))


@step
def mixed(word: np.uint64, number: int) -> np.uint64:
    """A word that one more number is mixed into."""
    word = ((word ^ word >> POOL) + np.uint64(number)) * _MIX
    return word ^ word >> POOL


@step
def crossing_at(known: Crossings, queue: int, words: tuple[int, int], so_far: int) -> int:
    """The crossing of that description, which is added if it is new, without turns."""
    slot = first_slot(queue, words, so_far)
    while known.slots[slot] != 0:
        found = known.slots[slot] - 1
        same = known.queue[found] == queue and known.so_far[found] == so_far
        if same and known.first[found] == words[0] and known.second[found] == words[1]:
            return int(found)
        slot = (slot + 1) & (_SLOTS - 1)
    found = known.crossings_known
    known.crossings_known = found + 1
    known.slots[slot] = found + 1
    known.queue[found], known.so_far[found], known.place[found] = queue, so_far, _NOWHERE
    known.first[found], known.second[found] = words[0], words[1]
    return int(found)


@step
def give_turns(known: Crossings, crossing: int, many: int) -> int:
    """Make room for so many turns of a crossing; where they begin."""
    start = known.turns_known + 1
    known.turns_known = start + many
    known.turns[start - 1] = crossing
    for turn in range(start, start + many):
        known.turns[turn] = UNKNOWN
    return int(start)


@step
def sure_turn(mark: int, then: int) -> int:
    """The turn to a crossing on which nothing is drawn; `mark` is one that every draw passes."""
    return (then + 1) | mark << MARK


@step
def card_turn(side: int, mark: int, then: int, otherwise: int) -> int:
    """The turn to `then` if a card of a side's deck passes the mark, and to `otherwise` if not."""
    return (then + 1) | otherwise << _BITS | mark << MARK | (CARD_OF_0 + side) << DRAW


@step
def lot_turn(things: int, below: int, then: int, otherwise: int) -> int:
    """The turn to `then` if one of so many equally likely things is one of the first `below`."""
    return int((then + 1) | otherwise << _BITS | below << MARK | things << DRAW | _LOT)


@inlined
def first_way(turn: int) -> int:
    """The crossing to which a turn leads without a draw, or with one that passes."""
    return (turn & _MASK) - 1


@inlined
def other_way(turn: int) -> int:
    """The crossing to which it leads with another draw."""
    return turn >> _BITS & _MASK


@inlined
def mark_of(turn: int) -> int:
    """What the draw is held against."""
    return turn >> MARK & (1 << MARK_BITS) - 1


@inlined
def draw_of(turn: int) -> int:
    """What is drawn: NO_DRAW, a card; of a negative turn, one of how many things."""
    return turn >> DRAW & (1 << _DRAW_BITS) - 1


@step
def crossing_of(known: Crossings, place: Whole) -> Any:
    """The crossing of a place that is no end."""
    return known.turns[np.int64(place & TURN) - 1]
