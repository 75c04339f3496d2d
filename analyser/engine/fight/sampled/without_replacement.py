"""Monte Carlo without replacement: each trial has two decks of its own, and many go in lockstep (:mod:`.lockstep`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import step, tiered
from analyser.engine.fight.sampled import nodes, program_table, transitions
from analyser.engine.fight.sampled.decks import ABREAST, RING, Decks, Lanes, draw_value, shuffle_all
from analyser.engine.fight.sampled.draws import begin_stream
from analyser.engine.fight.sampled.lockstep import ROLL, lanes_go_on
from analyser.engine.fight.sampled.pools import Pools, Roller, put_away, roll_again, rolls_left
from analyser.engine.fight.sampled.program_table import Stage
from analyser.engine.fight.sampled.transitions import COUNT, FINAL, UNSEEN, Graph, Snapshots, next_node

CHUNK_TRIALS = 1 << 17  # it has 32768 random words a trial, as many as 150 attacks of 200 dice take
NOT_BEGUN = -1
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@step
def rolled_apart(graph: Graph, roller: Roller, decks: Decks, lanes: Lanes) -> bool:
    """Let the lane that goes on take a transition by a card that adds dice, or by a roll that can come to very much.

    False: the value of a card counts, and not all thresholds are known.
    """
    _, program, pools, known = graph
    lane = lanes.lane
    node = nodes.node_of(known, lanes.place[lane])
    queue = known.queue[node]
    if program.stage[queue] == Stage.CARD:
        for wanted in range(len(program.thresholds)):
            if program.thresholds[wanted] == program_table.UNASKED:
                program.wanted = wanted
                return False
        result = transitions.FIRST_CARD + draw_value(program, decks, lanes, roller.random, program.pool[queue], lane)
        transition = np.int64(lanes.place[lane] & nodes.TRANSITION) + result
        if known.transitions[transition] == nodes.UNKNOWN:
            transitions.find_transition(graph, node, result)
        lanes.transition[lane] = np.uint64(known.transitions[transition])
    else:
        pool = program.pool[queue]
        cell = next_cell(roller, pools, pool)
        to = transitions.placing(program, known, node, cell)
        lanes.transition[lane] = np.uint64(nodes.certain_transition(program.certain, to))
    lanes.lane += 1
    return True


@step
def next_cell(roller: Roller, pools: Pools, pool: int) -> int:
    """The next roll of a pool that can come to many things."""
    cache = roller.cache
    while True:
        if rolls_left(cache, pool) == 0:
            roll_again(roller, pools, pool)
        cell = np.int64(cache.many_cells[cache.next[pool]])
        cache.next[pool] += _ONE
        if cell != pools.cells[pool]:
            return int(cell)


@step
def begin_trials(
    graph: Graph,
    roller: Roller,
    decks: Decks,
    lanes: Lanes,
    snapshots: Snapshots,
    start: tuple[int, int],
    stream: tuple[np.uint64, np.uint64],
    chunk: int,
    trials: int,
    counted: int,
) -> None:
    """The first trials of a chunk are about to begin."""
    begin_stream(roller.random, stream, chunk)
    put_away(roller.cache, graph.pools)
    shuffle_all(decks, lanes)
    first_time = np.uint64(trials) if counted == NOT_BEGUN else _ZERO
    decided = find_first(graph, lanes, snapshots, start, first_time)
    lanes.stage, lanes.lane, lanes.sweeps, lanes.counted = ROLL, 0, 0, max(counted, 0)
    lanes.trials, lanes.active = trials, 0 if decided else min(trials, ABREAST)
    lanes.begun = lanes.active
    for lane in range(np.uint64(lanes.active)):
        lanes.place[lane], lanes.row[lane] = lanes.first, lanes.first_row


@tiered(6.0)
def play_trials(
    graph: Graph,
    roller: Roller,
    decks: Decks,
    lanes: Lanes,
    snapshots: Snapshots,
    start: tuple[int, int],
    stream: tuple[np.uint64, np.uint64],
    chunk: int,
    trials: int,
    counted: int,
    anew: bool,
) -> int:
    """Play a chunk of trials, `anew` or on, until it ends, or something is needed that is not met here.

    Those of as many sweeps as are `counted` have been counted, or the chunk is NOT_BEGUN.
    """
    _, program, pools, known = graph
    random, cache = roller.random, roller.cache
    if anew:
        begin_trials(graph, roller, decks, lanes, snapshots, start, stream, chunk, trials, counted)
    for _ in range(program_table.PATIENCE):
        needed = lanes_go_on(program, pools, known, random, cache, decks, lanes, snapshots)
        if needed == program_table.NO_ROLLS:
            roll_again(roller, pools, np.int64(lanes.place[lanes.lane] >> nodes.POOL))
        elif needed == program_table.NO_TRANSITION:
            place = lanes.place[lanes.lane]
            node = nodes.node_of(known, place)
            queue = known.queue[node]
            stage = program.stage[queue]
            if stage == Stage.CARD or (stage == Stage.POOL and not transitions.is_rolled(graph, queue)):
                rolled_apart(graph, roller, decks, lanes)
            else:
                transitions.find_transition(graph, node, int(cache.cells[cache.next[place >> nodes.POOL]]))
            if program.wanted != program_table.UNASKED:
                return program_table.NO_THRESHOLD
        elif needed == program_table.NO_PLACE:
            transitions.place_of(graph, np.int64(lanes.to[lanes.lane]))
        elif needed == program_table.NO_WAY:
            lane = lanes.ends[np.uint64(lanes.at) & RING]
            next_node(graph, snapshots, np.int64(lanes.place[lane] & nodes.TRANSITION), np.int64(lanes.row[lane]))
        else:
            return needed
    return program_table.NO_PATIENCE


@step
def find_first(graph: Graph, lanes: Lanes, snapshots: Snapshots, start: tuple[int, int], trials: Any) -> bool:
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


def forget_but_trials(graph: Graph, lanes: Lanes, snapshots: Snapshots, start: tuple[int, int]) -> None:
    """Forget all nodes but those at which somebody waits."""
    known = graph.nodes
    old = np.empty((4, ABREAST), np.int64)
    for lane in range(lanes.active):
        node = nodes.node_of(known, lanes.place[lane])
        old[0, lane], old[1, lane] = known.first[node], known.second[node]
        old[2, lane], old[3, lane] = known.so_far[node], known.queue[node]
    nodes.forget_all(known)
    for lane in range(lanes.active):
        node = nodes.node_at(known, old[3, lane], (old[0, lane], old[1, lane]), old[2, lane])
        lanes.place[lane] = transitions.place_of(graph, node)
    find_first(graph, lanes, snapshots, start, _ZERO)
