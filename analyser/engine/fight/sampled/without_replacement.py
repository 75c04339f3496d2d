"""Monte Carlo without replacement: each trial has two decks of its own, and many go in lockstep.

All take a transition at once, in passes over the lanes that have no branch on a draw: a cached roll of its pool for
each, and the transition that it leads to; a card for each, and the node; the place there; and where the next part
begins for those whose part has ended. A lane whose fight is over begins the next trial.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import Whole, inlined, kernel, step, tiered
from analyser.engine.fight.program import Pair
from analyser.engine.fight.sampled import nodes, transitions
from analyser.engine.fight.sampled.decks import ABREAST, Decks, Lanes, cards_left, draw_value, shuffle_fresh, without
from analyser.engine.fight.sampled.nodes import Nodes, ProgramTable, Stage
from analyser.engine.fight.sampled.pools import Pools, RollCache, Roller, put_away, roll_again, rolls_left
from analyser.engine.fight.sampled.transitions import COUNT, FINAL, NEXT, UNSEEN, Chunk, Graph, Snapshots, next_node
from analyser.engine.rng import DRAWS, HALF, LOWER, RandomDraws, begin_stream, draw_again, next_draw, one_of
from analyser.rules.draws import Draw

CHUNK_TRIALS = 1 << 17  # it has 32768 random words a trial, as many as 150 attacks of 200 dice take
NOT_BEGUN = -1
_ROLL, _END = 0, 1  # which pass goes on: the first, or the last
_THRESHOLD, _THRESHOLDS = np.uint64(nodes.THRESHOLD), np.uint64((1 << nodes.THRESHOLD_BITS) - 1)
_DRAW = np.uint64(nodes.DRAW)
_OF_0, _OF_1, _DRAWS = np.uint64(Draw.CARD_OF_0), np.uint64(Draw.CARD_OF_1), np.uint64(3)
_ZERO, _ONE, _WORD, _BIT = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
_FINAL = np.uint64(62)
_LANES, _RING = np.uint64(ABREAST), np.uint64(2 * ABREAST - 1)  # places in the ring go up to that, and begin again
_ALL = _ONE << HALF


@inlined
def all_rolled(program: ProgramTable, known: Nodes, random: RandomDraws, cache: RollCache, lanes: Lanes) -> bool:
    """Look up the transition that each takes by its roll; False: that of a lane is not known."""
    for lane in range(np.uint64(lanes.lane), np.uint64(lanes.active)):
        place = lanes.place[lane]
        pool = place >> nodes.POOL
        roll = cache.next[pool]
        transition = known.transitions[(place & nodes.TRANSITION) + np.uint64(cache.cells[roll])]
        if transition <= nodes.UNKNOWN:
            if transition == nodes.UNKNOWN:
                lanes.lane = lane
                return False
            transition = decided(program, random, transition)
        cache.next[pool] = roll + _ONE
        lanes.transition[lane] = np.uint64(transition)
    return True


@step
def decided(program: ProgramTable, random: RandomDraws, transition: int) -> int:
    """A transition that a lot decides, with its lot drawn."""
    then, otherwise, threshold, things = nodes.parts_of(transition)
    return nodes.certainly_to(program, then if one_of(random, things) < threshold else otherwise)


@inlined
def all_drawn(decks: Decks, random: RandomDraws, lanes: Lanes) -> None:
    """Draw a card for each lane whose transition asks for one; all then know to which node they go."""
    if random.next > DRAWS - ABREAST:
        draw_again(random)
    draws, doubtful = np.uint64(random.next), _ZERO
    for lane in range(_LANES):
        second = lanes.transition[lane] >> _DRAW & _DRAWS == _OF_1
        cards = cards_left(decks, lanes, lane, second)
        product = np.uint64(random.draws[draws + lane]) * cards
        doubtful += _ONE if product & LOWER < cards else _ZERO
        lanes.shown[lane] = (product >> HALF) + _ONE
        lanes.last[lane] = cards == _ONE
    random.next += ABREAST
    if doubtful:
        draw_doubtful(decks, random, lanes, random.next - ABREAST)
    for word in range(np.uint64(decks.words)):
        full, one, top, shift = decks.full[word], decks.ones[word], decks.tops[word], decks.top
        for lane in range(_LANES):
            transition, kept = lanes.transition[lane], lanes.to[lane]
            draw, first, second = transition >> _DRAW & _DRAWS, lanes.left[0, word, lane], lanes.left[1, word, lane]
            before = second if draw == _OF_1 else first
            counts = without(before, top, one, lanes.shown[lane])
            after = full if lanes.last[lane] else before - (counts >> shift)
            lanes.left[0, word, lane] = after if draw == _OF_0 else first
            lanes.left[1, word, lane] = after if draw == _OF_1 else second
            bit = (transition >> _THRESHOLD & _THRESHOLDS) - (word << _WORD)
            passed, failed = (transition & nodes.WAY) - _ONE, transition >> nodes.OTHER_WAY & nodes.WAY
            to = passed if counts >> (bit & _BIT) & _ONE else failed
            lanes.to[lane] = to if bit <= _BIT else kept


@step
def draw_doubtful(decks: Decks, random: RandomDraws, lanes: Lanes, draws: int) -> None:
    """Draw the cards of all lanes again, without bias, by multiplication and rejection: it is seldom needed.

    Lemire: Fast random integer generation in an interval, ACM TOMACS 29 (2019).
    """
    kept = np.empty(ABREAST, np.uint32)
    for lane in range(ABREAST):
        kept[lane] = random.draws[draws + lane]
    for lane in range(lanes.active):
        second = lanes.transition[lane] >> _DRAW & _DRAWS == _OF_1
        cards = cards_left(decks, lanes, lane, second)
        product = np.uint64(kept[lane]) * cards
        while product & LOWER < _ALL % cards:
            product = next_draw(random) * cards
        lanes.shown[lane] = (product >> HALF) + _ONE


@inlined
def all_placed(known: Nodes, lanes: Lanes) -> bool:
    """Look up the place of each node; False: that of a lane is not known."""
    many: Whole = np.uint64(lanes.many)
    for lane in range(np.uint64(lanes.lane), np.uint64(lanes.active)):
        place = known.place[lanes.to[lane]]
        if place == _ZERO:
            lanes.lane, lanes.many = lane, many
            return False
        lanes.place[lane] = place
        lanes.ends[many & _RING] = lane
        many += place >> _BIT
    lanes.many = many
    return True


@step
def needed_for_a_roll(pools: Pools, cache: RollCache, lanes: Lanes) -> int:
    """What the lane that goes on needs for a transition; NOTHING if its roll was thrown away, and the next counts."""
    pool = np.int64(lanes.place[lanes.lane] >> nodes.POOL)
    if rolls_left(cache, pool) == 0:
        return nodes.NO_ROLLS
    if np.int64(cache.cells[cache.next[pool]]) != pools.cells[pool]:
        return nodes.NO_TRANSITION
    cache.next[pool] += _ONE
    return nodes.NOTHING


@kernel
def lanes_go_on(
    program: ProgramTable,
    pools: Pools,
    known: Nodes,
    random: RandomDraws,
    cache: RollCache,
    decks: Decks,
    lanes: Lanes,
    snapshots: Snapshots,
) -> int:
    """Play on until the chunk is over, or something is needed."""
    ends = snapshots.ends
    while lanes.active > 0:
        if lanes.stage == _ROLL:
            if lanes.lane == 0 and not nodes.has_room(known):
                return nodes.NO_ROOM
            while not all_rolled(program, known, random, cache, lanes):
                needed = needed_for_a_roll(pools, cache, lanes)
                if needed != nodes.NOTHING:
                    return needed
            all_drawn(decks, random, lanes)
            lanes.stage, lanes.lane, lanes.at, lanes.many = _END, 0, 0, 0
            for lane in range(_LANES):
                lanes.fresh[lane] = _ZERO
        if lanes.lane < lanes.active:
            if not all_placed(known, lanes):
                return nodes.NO_PLACE
            lanes.lane = lanes.active
        # Here, and not in a step: to cache an array on each time costs more than all else here.
        begun, counts = _ZERO, _ONE if lanes.sweeps >= lanes.counted else _ZERO
        first, first_row = lanes.first, lanes.first_row
        at: Whole = np.uint64(lanes.at)
        many: Whole = np.uint64(lanes.many)
        while at < many:
            ended = lanes.ends[at & _RING]
            end, row = lanes.place[ended] & nodes.TRANSITION, lanes.row[ended]
            way = ends[end, row, NEXT]
            if way == UNSEEN:
                break
            ends[end, row, COUNT] += counts
            over = way >> _FINAL & _ONE
            begun += over
            place = way ^ (way ^ first) & _ZERO - over  # without a branch that nobody could foresee
            row += _ONE
            lanes.row[ended] = row ^ (row ^ first_row) & _ZERO - over
            lanes.place[ended], lanes.fresh[ended] = place, over
            if place & nodes.ENDED:  # of the next part too, in which nothing was to be decided
                lanes.ends[many & _RING] = ended
                many += _ONE
            at += _ONE
        lanes.begun += np.int64(begun)
        lanes.at, lanes.many = at, many
        if at < many:
            return nodes.NO_WAY
        shuffle_fresh(decks, lanes)
        if lanes.begun > lanes.trials:
            retire(decks, lanes)
        lanes.stage, lanes.lane = _ROLL, 0
        lanes.sweeps += 1
    return nodes.NOTHING


@step
def retire(decks: Decks, lanes: Lanes) -> None:
    """Take lanes out of use that have just begun one trial too many."""
    for lane in range(lanes.active - 1, -1, -1):
        if lanes.fresh[lane] and lanes.begun > lanes.trials:
            lanes.begun -= 1
            lanes.active -= 1
            last = lanes.active
            lanes.place[lane], lanes.row[lane] = lanes.place[last], lanes.row[last]
            for side in range(2):
                for word in range(decks.words):
                    lanes.left[side, word, lane] = lanes.left[side, word, last]


@step
def roll_apart(graph: Graph, roller: Roller, decks: Decks, lanes: Lanes) -> None:
    """Let the lane that goes on take a transition by a card that adds dice, or by a roll that can come to very much.

    Where the value of a card counts, and not all thresholds are known, one of them is noted in the program as wanted.
    """
    _, program, pools, known, _ = graph
    lane, cache = lanes.lane, roller.cache
    node = nodes.node_of(known, lanes.place[lane])
    queue = known.queue[node]
    if program.stage[queue] == Stage.CARD:
        for wanted in range(len(program.thresholds)):
            if program.thresholds[wanted] == nodes.UNASKED:
                program.wanted = wanted
                return
        result = transitions.FIRST_CARD + draw_value(program, decks, lanes, roller.random, program.pool[queue], lane)
        transition = np.int64(lanes.place[lane] & nodes.TRANSITION) + result
        if known.transitions[transition] == nodes.UNKNOWN:
            transitions.find_transition(graph, node, result)
        lanes.transition[lane] = np.uint64(known.transitions[transition])
    else:
        pool = program.pool[queue]
        thrown_away = pools.cells[pool]
        cell = thrown_away
        while cell == thrown_away:
            if rolls_left(cache, pool) == 0:
                roll_again(roller, pools, pool)
            cell = np.int64(cache.many_cells[cache.next[pool]])
            cache.next[pool] += _ONE
        to = transitions.placing(program, known, node, cell)
        lanes.transition[lane] = np.uint64(nodes.certainly_to(program, to))
    lanes.lane += 1


@step
def begin_trials(
    graph: Graph, roller: Roller, decks: Decks, lanes: Lanes, snapshots: Snapshots, chunk: Chunk, counted: int
) -> None:
    """The first trials of a chunk are about to begin."""
    begin_stream(roller.random, chunk.stream, chunk.number)
    put_away(roller.cache, graph.pools)
    for side in range(2):
        for word in range(decks.words):
            for each in range(ABREAST):
                lanes.left[side, word, each] = decks.full[word]
    first_time = np.uint64(chunk.trials) if counted == NOT_BEGUN else _ZERO
    decided = find_first(graph, lanes, snapshots, chunk.start, first_time)
    lanes.stage, lanes.lane, lanes.sweeps, lanes.counted = _ROLL, 0, 0, max(counted, 0)
    lanes.trials, lanes.active = chunk.trials, 0 if decided else min(chunk.trials, ABREAST)
    lanes.begun = lanes.active
    for lane in range(np.uint64(lanes.active)):
        lanes.place[lane], lanes.row[lane] = lanes.first, lanes.first_row


@tiered(6.0)
def play_trials(
    graph: Graph, roller: Roller, decks: Decks, lanes: Lanes, snapshots: Snapshots, chunk: Chunk, anew: bool, swept: int
) -> int:
    """Play a chunk of trials, `anew` or on, until it ends, or something is needed that is not met here.

    The first `swept` sweeps have been counted, or the chunk is NOT_BEGUN.
    """
    _, program, pools, known, _ = graph
    random, cache = roller.random, roller.cache
    if anew:
        begin_trials(graph, roller, decks, lanes, snapshots, chunk, swept)
    for _ in range(nodes.PATIENCE):
        needed = lanes_go_on(program, pools, known, random, cache, decks, lanes, snapshots)
        if needed == nodes.NO_ROLLS:
            roll_again(roller, pools, np.int64(lanes.place[lanes.lane] >> nodes.POOL))
        elif needed == nodes.NO_TRANSITION:
            place = lanes.place[lanes.lane]
            node = nodes.node_of(known, place)
            queue = known.queue[node]
            stage = program.stage[queue]
            if stage == Stage.CARD or (stage == Stage.POOL and not transitions.is_rolled(graph, queue)):
                roll_apart(graph, roller, decks, lanes)
            else:
                transitions.find_transition(graph, node, int(cache.cells[cache.next[place >> nodes.POOL]]))
            if program.wanted != nodes.UNASKED:
                return nodes.NO_THRESHOLD
        elif needed == nodes.NO_PLACE:
            transitions.place_of(graph, np.int64(lanes.to[lanes.lane]))
        elif needed == nodes.NO_WAY:
            lane = lanes.ends[np.uint64(lanes.at) & _RING]
            next_node(graph, snapshots, np.int64(lanes.place[lane] & nodes.TRANSITION), np.int64(lanes.row[lane]))
        else:
            return needed
    return nodes.NO_PATIENCE


@step
def find_first(graph: Graph, lanes: Lanes, snapshots: Snapshots, start: Pair, trials: Any) -> bool:
    """Find where trials begin, and count so many at the ends before that; True: chance decides nothing at all."""
    place, row, way = transitions.place_of(graph, transitions.arrive(graph, 0, 0, start)), 0, UNSEEN
    while place & nodes.ENDED and not way & FINAL:
        end = np.int64(place & nodes.TRANSITION)
        snapshots.ends[end, row, COUNT] += trials
        way = next_node(graph, snapshots, end, row)
        place = way & ~FINAL
        row += 1
    lanes.first, lanes.first_row = place, row
    return bool(way & FINAL)


def forget_but_trials(graph: Graph, lanes: Lanes, snapshots: Snapshots, start: Pair) -> None:
    """Forget all nodes but those at which somebody waits."""
    waiting = np.array([nodes.node_of(graph.nodes, lanes.place[lane]) for lane in range(lanes.active)], np.int64)
    nodes.forget_all_but(graph.nodes, waiting)
    for lane in range(lanes.active):
        lanes.place[lane] = transitions.place_of(graph, waiting[lane])
    find_first(graph, lanes, snapshots, start, _ZERO)
