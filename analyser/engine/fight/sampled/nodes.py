"""A longer fight as a graph of what chance decides, which grows as trials are played.

A *node* is a place in the program and a pair of states at which something is rolled or drawn. From there a *transition*
leads on for each thing that the dice can come to. Many trials come to the same nodes: what the rules say is worked
out when the first of them takes a transition (:mod:`.transitions`), and looked up by all others.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from analyser.common.jit import Whole, inlined, step, step_for
from analyser.common.records import Int
from analyser.engine.fight.program import Pair

UNKNOWN = 0  # where a transition leads that nobody has taken yet
NO_DRAW, CARD_OF_0, CARD_OF_1 = range(3)  # what is drawn on a transition
NODES, TRANSITIONS = 1 << 19, 1 << 25
MOST_TRANSITIONS = 256  # of a node; rolls that can come to more each lead to a node of their own
MOST_AT_ONCE = 1 << 16  # nodes that are given transitions before room is looked for again: where a chunk's trials wait
# Room for all that can be found till then.
SPARE, _SPARE_TRANSITIONS = NODES // 2, MOST_AT_ONCE * (MOST_TRANSITIONS + 2)
_SLOTS = 4 * NODES
_ONE, _WORD = np.uint64(1), (1 << 64) - 1
_MIX = np.uint64(0x9E3779B97F4A7C15)

# A transition as one number: two nodes to which it may lead, the threshold that a draw is compared with, and what is
# drawn; negative if that is one of so many equally likely things.
_BITS = 19  # nodes fit
WAY, OTHER_WAY = np.uint64((1 << _BITS) - 1), np.uint64(_BITS)
_MASK = (1 << _BITS) - 1
THRESHOLD, THRESHOLD_BITS = 2 * _BITS, 14
DRAW, _DRAW_BITS = THRESHOLD + THRESHOLD_BITS, 11
_LOT = np.int64(-(1 << 63))

# A place, as one number: where the transitions of a node begin, and the pool whose rolls say which is taken; or, where
# a part has ended, ENDED and which of the ends it is.
POOL, TRANSITION = np.uint64(32), np.uint64((1 << 32) - 1)
ENDED = np.uint64(1 << 63)
_NOWHERE = np.uint64(0)


class Nodes:
    """All nodes that are known, in the order in which they were found, as one record, with a hash table of them."""

    first: Annotated[Any, np.int64, (NODES,)]  # the states of side 0,
    second: Annotated[Any, np.int64, (NODES,)]  # and of side 1
    so_far: Annotated[Any, np.int64, (NODES,)]  # what the dice of this line have come to (:mod:`.transitions`)
    queue: Annotated[Any, np.int32, (NODES,)]  # where trials wait: it tells the line and what is decided
    place: Annotated[Any, np.uint64, (NODES,)]  # its place; 0 before anybody has asked for it
    # Of each place, first the node, then of each thing that the dice can come to the transition, or UNKNOWN.
    transitions: Annotated[Any, np.int64, (TRANSITIONS,)]
    end_at: Annotated[Any, np.int32, (NODES,)]  # the nodes where parts end, as they were found
    slots: Annotated[Any, np.int32, (_SLOTS,)]  # a hash table of nodes, each one more than it is
    nodes_known: Int
    transitions_known: Int
    ends_known: Int


@step
def has_room(known: Nodes) -> bool:
    """Whether there is room for all that a chunk of trials can find at once."""
    return known.nodes_known <= NODES - SPARE and known.transitions_known <= TRANSITIONS - _SPARE_TRANSITIONS


@step
def forget_all(known: Nodes) -> None:
    """Forget every node."""
    for slot in range(_SLOTS):
        known.slots[slot] = 0
    known.nodes_known, known.transitions_known, known.ends_known = 0, 0, 0


def _interpreted_slot(queue: int, pair: Pair, so_far: int) -> int:
    word = int(queue) * int(_MIX)
    for number in map(int, (*pair, so_far)):
        word &= _WORD
        word = ((word ^ word >> 32) + (number & _WORD)) * int(_MIX) & _WORD
        word ^= word >> 32
    return word >> 1 & (_SLOTS - 1)


@step_for(_interpreted_slot)
def first_slot(queue: int, pair: Pair, so_far: int) -> int:
    """Where probing for a node begins (open addressing, linear probing)."""
    word = mixed(mixed(mixed(np.uint64(queue) * _MIX, pair[0]), pair[1]), so_far)
    return int(np.int64(word >> _ONE) & (_SLOTS - 1))


@step
def mixed(word: np.uint64, number: int) -> np.uint64:
    """A hash with one more number mixed in."""
    word = ((word ^ word >> POOL) + np.uint64(number)) * _MIX
    return word ^ word >> POOL


@step
def node_at(known: Nodes, queue: int, pair: Pair, so_far: int) -> int:
    """The node of that description, which is added if it is new, without transitions."""
    slot = first_slot(queue, pair, so_far)
    while known.slots[slot] != 0:
        found = known.slots[slot] - 1
        same = known.queue[found] == queue and known.so_far[found] == so_far
        if same and known.first[found] == pair[0] and known.second[found] == pair[1]:
            return int(found)
        slot = (slot + 1) & (_SLOTS - 1)
    found = known.nodes_known
    known.nodes_known = found + 1
    known.slots[slot] = found + 1
    known.queue[found], known.so_far[found], known.place[found] = queue, so_far, _NOWHERE
    known.first[found], known.second[found] = pair[0], pair[1]
    return int(found)


@step
def give_transitions(known: Nodes, node: int, many: int) -> int:
    """Make room for so many transitions of a node; where they begin."""
    start = known.transitions_known + 1
    known.transitions_known = start + many
    known.transitions[start - 1] = node
    for transition in range(start, start + many):
        known.transitions[transition] = UNKNOWN
    return int(start)


@step
def certain_transition(threshold: int, then: int) -> int:
    """The transition to a node on which nothing is drawn; `threshold` is one that every draw passes."""
    return (then + 1) | threshold << THRESHOLD


@step
def card_transition(side: int, threshold: int, then: int, otherwise: int) -> int:
    """The transition to `then` if a card of a side's deck passes the threshold, and to `otherwise` if not."""
    return (then + 1) | otherwise << _BITS | threshold << THRESHOLD | (CARD_OF_0 + side) << DRAW


@step
def lot_transition(things: int, below: int, then: int, otherwise: int) -> int:
    """The transition to `then` if one of so many equally likely things is one of the first `below`."""
    return int((then + 1) | otherwise << _BITS | below << THRESHOLD | things << DRAW | _LOT)


@inlined
def first_way(transition: int) -> int:
    """The node to which a transition leads without a draw, or with one that passes."""
    return (transition & _MASK) - 1


@inlined
def other_way(transition: int) -> int:
    """The node to which it leads with another draw."""
    return transition >> _BITS & _MASK


@inlined
def threshold_of(transition: int) -> int:
    """What the draw is compared with."""
    return transition >> THRESHOLD & (1 << THRESHOLD_BITS) - 1


@inlined
def draw_of(transition: int) -> int:
    """What is drawn: NO_DRAW, a card; of a negative transition, one of how many things."""
    return transition >> DRAW & (1 << _DRAW_BITS) - 1


@step
def node_of(known: Nodes, place: Whole) -> Any:
    """The node of a place that is no end."""
    return known.transitions[np.int64(place & TRANSITION) - 1]
