"""A longer fight as a graph of what chance decides, which grows as trials are played.

A *node* is a place in the program and a pair of states at which something is rolled or drawn. From there a *transition*
leads on for each thing that the dice can come to. Many trials come to the same nodes: what the rules say is worked
out when the first of them takes a transition (:mod:`.transitions`), and looked up by all others. Until they leave a
node, trials wait in the *queue* of what is decided there; each line of the program has its queues.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Annotated, Any, cast

import numpy as np

from analyser.common.errors import InputError
from analyser.common.jit import Whole, inlined, step, step_for
from analyser.common.records import Int, Integers, empty_record
from analyser.engine.fight.program import Kind, Operation, Pair
from analyser.engine.fight.sampled.pools import MOST_WAYS, Pools, too_many_pools
from analyser.engine.rng import GOLDEN_GAMMA
from analyser.game.ruleset import HIGHEST_CARD
from analyser.rules.draws import Draw, odds_of

_MOST_LINES, MOST_QUEUES = 1 << 13, 1 << 14

# What trials need before they can go on.
NOTHING, NO_ROLLS, NO_TRANSITION, NO_PLACE, NO_WAY, NO_THRESHOLD, NO_ROOM, NO_PATIENCE = range(8)
PATIENCE = 2000  # needs that are met before it is asked again who is to meet them
UNASKED = -1
UNKNOWN = 0  # where a transition leads that nobody has taken yet
NODES, TRANSITIONS = 1 << 19, 1 << 25
MOST_AT_ONCE = 1 << 16  # nodes that are given transitions before room is looked for again: where a chunk's trials wait
# Room for all that can be found till then.
SPARE, _SPARE_TRANSITIONS = NODES // 2, MOST_AT_ONCE * (MOST_WAYS + 2)
_SLOTS = 4 * NODES
_ONE, _WORD = np.uint64(1), (1 << 64) - 1

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


def _interpreted_slot(queue: int, pair: Pair, so_far: int) -> int:
    word = int(queue) * int(GOLDEN_GAMMA)
    for number in map(int, (*pair, so_far)):
        word &= _WORD
        word = ((word ^ word >> 32) + (number & _WORD)) * int(GOLDEN_GAMMA) & _WORD
        word ^= word >> 32
    return word >> 1 & (_SLOTS - 1)


@step_for(_interpreted_slot)
def first_slot(queue: int, pair: Pair, so_far: int) -> int:
    """Where probing for a node begins (open addressing, linear probing)."""
    word = mixed(mixed(mixed(np.uint64(queue) * GOLDEN_GAMMA, pair[0]), pair[1]), so_far)
    return int(np.int64(word >> _ONE) & (_SLOTS - 1))


@step
def mixed(word: np.uint64, number: int) -> np.uint64:
    """A hash with one more number mixed in."""
    word = ((word ^ word >> POOL) + np.uint64(number)) * GOLDEN_GAMMA
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
def transition_to(then: int, otherwise: int, threshold: int, draw: int) -> int:
    """The transition to `then` if a draw passes the threshold, and to `otherwise` if not; nothing always does."""
    return (then + 1) | otherwise << _BITS | threshold << THRESHOLD | draw << DRAW


@step
def lot_transition(things: int, below: int, then: int, otherwise: int) -> int:
    """The transition to `then` if one of so many equally likely things is one of the first `below`."""
    return int(transition_to(then, otherwise, below, things) | _LOT)


@inlined
def parts_of(transition: int) -> tuple[int, int, int, int]:
    """The arguments of :func:`transition_to`; of a lot what is drawn is one of how many things."""
    drawn_by = transition >> THRESHOLD
    threshold, draw = drawn_by & (1 << THRESHOLD_BITS) - 1, drawn_by >> THRESHOLD_BITS & (1 << _DRAW_BITS) - 1
    return (transition & _MASK) - 1, transition >> _BITS & _MASK, threshold, draw


@step
def forget_all_but(known: Nodes, kept: Integers) -> None:
    """Forget every node but some; their new numbers take the place of those that they had."""
    old = np.empty((4, len(kept)), np.int64)
    for place in range(len(kept)):
        node = kept[place]
        old[0, place], old[1, place] = known.first[node], known.second[node]
        old[2, place], old[3, place] = known.so_far[node], known.queue[node]
    for slot in range(_SLOTS):
        known.slots[slot] = 0
    known.nodes_known, known.transitions_known, known.ends_known = 0, 0, 0
    for place in range(len(kept)):
        kept[place] = node_at(known, old[3, place], (old[0, place], old[1, place]), old[2, place])


@step
def node_of(known: Nodes, place: Whole) -> Any:
    """The node of a place that is no end."""
    return known.transitions[np.int64(place & TRANSITION) - 1]


class Stage(IntEnum):
    """What is decided where trials wait."""

    CARD = 0  # the attacker's card, which adds dice (Overcharge, AC-6)
    POOL = 1  # an attack roll
    PLACE = 2  # after the roll: the officer's place (AC-5.8) where it matters, or else the test
    TEST = 3  # a test, a toss, or a single die
    END = 4  # nothing: a part has ended


class ProgramTable:
    """A program, and what its draws are made of, as one record.

    A line that is a strike has a queue of each stage, and of POOL one for each of its pools; other lines have one of
    TEST. The last queue of all is that of END.
    """

    operations: Annotated[Any, np.int64, (_MOST_LINES, len(Operation._fields))]  # the parts, one after the other
    lines: Int
    starts: Annotated[Any, np.int64, (_MOST_LINES,)]  # where each part begins
    ends: Annotated[Any, np.int64, (_MOST_LINES,)]  # of each line, where its part ends
    first_queue: Annotated[Any, np.int64, (_MOST_LINES,)]  # of each line, and after the last one that of END
    line: Annotated[Any, np.int64, (MOST_QUEUES,)]  # of each queue
    stage: Annotated[Any, np.int64, (MOST_QUEUES,)]
    pool: Annotated[Any, np.int64, (MOST_QUEUES,)]  # 0 where none is rolled; of CARD, the side that draws
    # Of tests that no card passes, and that cards up to 0, 1, 2 pass: what a card is compared with, or UNASKED. Where
    # cards are put back that is how many cards of the deck pass; else see :mod:`.decks`.
    thresholds: Annotated[Any, np.int64, (HIGHEST_CARD + 2,)]
    cards: Annotated[Any, np.int64, (HIGHEST_CARD + 1,)]  # of :class:`~analyser.rules.draws.Odds`, as the last five
    certain: Int  # the threshold that every card passes
    wanted: Int  # which of `thresholds` was asked for, and is not known yet; UNASKED
    heroic: Int
    strike: Int
    miss: Int
    sides: Int
    at_most: Annotated[Any, np.float64, (HIGHEST_CARD + 1,)]


def program_table_of(
    texts: Sequence[Sequence[Operation]], strikers: Sequence[int], pools: Pools, die: Integers, deck: Integers
) -> ProgramTable:
    """The table of a program, its parts each once, without thresholds; `strikers`: the side of each strike."""
    program: Any = empty_record(ProgramTable)
    lengths = [len(text) for text in texts]
    operations = [operation for text in texts for operation in text]
    lines, ends = len(operations), np.cumsum(lengths)
    if lines > _MOST_LINES:
        raise InputError(f"{lines} steps in one fight", where="rounds", allowed=f"up to {_MOST_LINES}: fewer rounds")
    program.operations[:lines], program.lines = operations, lines
    program.starts[: len(texts)], program.ends[:lines] = ends - lengths, np.repeat(ends, lengths)
    program.thresholds, program.wanted = UNASKED, UNASKED
    program.heroic, program.strike, program.miss, program.sides, cards, _ = odds_of(die, deck)
    program.cards[: len(deck)], program.cards[len(deck) :] = cards, cards[-1]
    program.at_most = program.cards / cards[-1]
    queues = [_queues(operation, strikers, pools) for operation in operations]
    firsts = np.cumsum([0, *map(len, queues)])
    table = [(line, *queue) for line, some in enumerate(queues) for queue in some]
    table.append((0, Stage.END, 0))
    if len(table) > MOST_QUEUES:
        raise too_many_pools(len(table), MOST_QUEUES)
    program.first_queue[: lines + 1] = firsts
    for name, column in zip(("line", "stage", "pool"), zip(*table)):
        program[name][: len(table)] = column
    return cast("ProgramTable", program)


def _queues(operation: Operation, strikers: Sequence[int], pools: Pools) -> list[tuple[int, int]]:
    """The queues of a line: what is decided, and the pool or the side that draws."""
    if operation.kind != Kind.STRIKE:
        return [(Stage.TEST, 0)]
    number = operation.number
    rolled = range(pools.first_of_strike[number], pools.first_of_strike[number + 1])
    return [(Stage.CARD, strikers[number]), *((Stage.POOL, pool) for pool in rolled), (Stage.PLACE, 0), (Stage.TEST, 0)]


@step
def certainly_to(program: ProgramTable, node: int) -> int:
    """The transition to a node on which nothing is drawn: every draw would pass."""
    return transition_to(node, 0, program.certain, Draw.NOTHING)


@step
def test_queue(program: ProgramTable, line: int) -> int:
    """Where tests, tosses and single dice are."""
    return int(program.first_queue[line + 1] - 1)


@step
def end_queue(program: ProgramTable) -> int:
    """Where all parts end."""
    return int(program.first_queue[program.lines])
