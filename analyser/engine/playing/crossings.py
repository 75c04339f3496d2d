"""Where chance decides in a longer fight, and where each draw leads from there: a map that grows as trials are played.

A *crossing* is a place in the program and a pair of states at which something is rolled or drawn. From there a *turn*
leads on for each thing that the dice can come to. Many trials come to the same crossings: what the rules say is worked
out when the first of them takes a turn (:mod:`.turns`), and looked up by all others.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from analyser.jit import inlined, step

UNKNOWN = 0  # where a turn leads that nobody has taken yet
NO_DRAW = -1
OF_SO_MANY = 2  # a draw of n equally likely things is told by n and this
CROSSINGS, TURNS = 1 << 19, 1 << 23
SPARE = CROSSINGS // 2  # room for all that a chunk of trials can find at once
_SLOTS = 4 * CROSSINGS
MOST_TURNS = 256  # of a crossing; rolls that can come to more each lead to a crossing of their own
_HALF, _ONE = np.uint64(32), np.uint64(1)
_MIX = np.uint64(0x9E3779B97F4A7C15)


# A turn as one number: two crossings to which it may lead, how many of the things that can be drawn lead to the first
# of them, and one more than what is drawn: NO_DRAW; a card of side 0's deck, or of side 1's; or one of n equally likely
# things, told as n + OF_SO_MANY.
_BITS = 19  # crossings fit
_MASK = (1 << _BITS) - 1
_BELOW, _BELOW_BITS = 2 * _BITS, 14
_DRAW = _BELOW + _BELOW_BITS


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
    start : int32 array
        Where its turns begin; 0, where all turns are UNKNOWN, before anybody has left it.
    turns : int64 array
        Of each thing that the dice can come to, the turn, or UNKNOWN.
    slots : int32 array
        One more than the crossing that stands in it, found by hashing; its length is a power of two.
    crossings_known, turns_known : int
    """

    queue: Any
    first: Any
    second: Any
    so_far: Any
    start: Any
    turns: Any
    slots: Any
    crossings_known: int
    turns_known: int


_CROSSINGS = np.dtype(
    (
        np.record,
        [
            ("first", np.int64, (CROSSINGS,)), ("second", np.int64, (CROSSINGS,)),
            ("so_far", np.int64, (CROSSINGS,)), ("queue", np.int32, (CROSSINGS,)), ("start", np.int32, (CROSSINGS,)),
            ("turns", np.int64, (TURNS,)), ("slots", np.int32, (_SLOTS,)),
            ("crossings_known", np.int64), ("turns_known", np.int64),
        ],
    )
)  # fmt: skip


def no_crossings() -> Crossings:
    """None known yet; memory is taken only as it is used."""
    empty: Any = np.zeros(1, _CROSSINGS)[0]
    empty.turns_known = MOST_TURNS
    return cast("Crossings", empty)


@step
def has_room(known: Crossings) -> bool:
    """Whether there is room for all that a chunk of trials can find at once."""
    return known.crossings_known <= CROSSINGS - SPARE and known.turns_known <= TURNS // 2


@step
def forget_all(known: Crossings) -> None:
    """None is known any more."""
    for slot in range(_SLOTS):
        known.slots[slot] = 0
    known.crossings_known, known.turns_known = 0, MOST_TURNS


@step
def first_slot(queue: int, words: tuple[int, int], so_far: int) -> int:
    """Where the search for a crossing begins."""
    word = mixed(mixed(mixed(np.uint64(queue) * _MIX, words[0]), words[1]), so_far)
    return int(np.int64(word >> _ONE) & (_SLOTS - 1))


@step
def mixed(word: np.uint64, number: int) -> np.uint64:
    """A word that one more number is mixed into."""
    word = ((word ^ word >> _HALF) + np.uint64(number)) * _MIX
    return word ^ word >> _HALF


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
    known.queue[found], known.so_far[found], known.start[found] = queue, so_far, 0
    known.first[found], known.second[found] = words[0], words[1]
    return int(found)


@step
def give_turns(known: Crossings, crossing: int, many: int) -> None:
    """Make room for so many turns of a crossing, if it has none yet."""
    if known.start[crossing] == 0:
        start = known.turns_known
        known.turns_known = start + many
        known.start[crossing] = start
        for turn in range(start, start + many):
            known.turns[turn] = UNKNOWN


@step
def set_turn(known: Crossings, turn: int, draw: int, below: int, then: int, otherwise: int) -> None:
    """Note where a turn leads: to `then` if the draw is one of the first `below`, `otherwise` if not."""
    known.turns[turn] = (then + 1) | otherwise << _BITS | below << _BELOW | (draw + 1) << _DRAW


@inlined
def first_way(turn: int) -> int:
    """The crossing to which a turn leads without a draw, or with one of the first things."""
    return (turn & _MASK) - 1


@inlined
def other_way(turn: int) -> int:
    """The crossing to which it leads with another draw."""
    return turn >> _BITS & _MASK


@inlined
def first_things(turn: int) -> int:
    """How many of the things that can be drawn lead to the first crossing."""
    return turn >> _BELOW & (1 << _BELOW_BITS) - 1


@inlined
def draw_of(turn: int) -> int:
    """What is drawn."""
    return (turn >> _DRAW) - 1
