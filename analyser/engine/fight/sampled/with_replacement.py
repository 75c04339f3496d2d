"""Monte Carlo with replacement: trials in the same state are exchangeable, so only their number is kept.

Each of them rolls its own dice and draws its own card all the same; where a trial goes is looked up once for all at a
node that have come to the same result.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from analyser.common.jit import Whole, inlined, kernel, step, tiered
from analyser.common.records import WholeField
from analyser.engine.fight.program import Setup
from analyser.engine.fight.sampled import nodes, transitions
from analyser.engine.fight.sampled.choices import Choices
from analyser.engine.fight.sampled.nodes import Nodes, ProgramTable, Stage
from analyser.engine.fight.sampled.pools import MOST_WAYS, Pools, RollCache, Roller, put_away, roll_again, rolls_left
from analyser.engine.fight.sampled.transitions import COUNT, FINAL, Chunk, Graph, Snapshots, next_node
from analyser.engine.pool.kernel import Block
from analyser.engine.pool.layout import Layout, Rerolls
from analyser.engine.rng import RandomDraws, among, begin_stream, one_of
from analyser.rules.draws import Draw

GROUPED_TRIALS = nodes.MOST_AT_ONCE  # a chunk; it has 65536 words a trial, as many as 300 attacks of 200 dice take
NOWHERE = -1


class Groups:
    """How many trials are where, as one record; NOWHERE is no node."""

    part: WholeField  # the part of the fight that is played, counted from 0,
    queue: WholeField  # and the queue that goes on
    node: WholeField  # the node that is being left, or NOWHERE,
    left: WholeField  # how many there are still to roll or draw,
    result: WholeField  # and the result that goes on next when all have
    there: Annotated[Any, np.int32, (nodes.MOST_QUEUES,)]  # of each queue a node at which somebody waits
    beside: Annotated[Any, np.int32, (nodes.NODES,)]  # of each such node another one in its queue
    trials: Annotated[Any, np.int64, (nodes.NODES,)]  # how many wait at each node
    results: Annotated[Any, np.int64, (MOST_WAYS,)]  # how many that leave have come to each result
    moving: Annotated[Any, np.int64, (2, nodes.NODES)]  # room for a list of nodes, and how many leave each


@inlined
def join(known: Nodes, groups: Groups, node: Whole, many: Whole) -> None:
    """So many trials come to a node."""
    if many > 0:
        if groups.trials[node] == 0:
            queue = known.queue[node]
            groups.beside[node] = groups.there[queue]
            groups.there[queue] = node
        groups.trials[node] += many


@step
def go_on(program: ProgramTable, known: Nodes, random: RandomDraws, groups: Groups, transition: int, many: int) -> None:
    """So many trials take a transition; each draws, if a draw decides."""
    then, otherwise, threshold, draw = nodes.parts_of(transition)
    first = many
    if draw != Draw.NOTHING:
        first = among(random, draw if transition < 0 else program.certain, threshold, many)
    join(known, groups, then, first)
    join(known, groups, otherwise, many - first)


@step
def all_rolled(graph: Graph, random: RandomDraws, cache: RollCache, groups: Groups, alone: bool) -> bool:
    """Roll, or draw the card that adds dice, for all who leave a node; False: the cache has no more rolls.

    `alone`: each roll leads to a node of its own.
    """
    _, program, pools, known, _ = graph
    stage, pool = program.stage[groups.queue], program.pool[groups.queue]
    if stage == Stage.CARD:
        for _ in range(groups.left):
            shown, value = one_of(random, program.certain), 0
            while program.thresholds[value + 1] <= shown:
                value += 1
            groups.results[transitions.FIRST_CARD + value] += 1
        groups.left = 0
    elif stage != Stage.POOL:
        groups.results[0] = groups.left
        groups.left = 0
    thrown_away = pools.cells[pool]
    while groups.left > 0:
        some = min(groups.left, rolls_left(cache, pool))
        if some == 0:
            return False
        first = np.int64(cache.next[pool])
        cache.next[pool] += np.uint64(some)
        if alone:
            for roll in range(first, first + some):
                cell = np.int64(cache.many_cells[roll])
                if cell != thrown_away:
                    join(known, groups, transitions.placing(program, known, groups.node, cell), 1)
                    groups.left -= 1
        else:
            for roll in range(np.uint64(first), np.uint64(first + some)):
                groups.results[np.uint64(cache.cells[roll])] += 1
            groups.left -= some - groups.results[thrown_away]
            groups.results[thrown_away] = 0
    return True


@kernel
def groups_go_on(graph: Graph, random: RandomDraws, cache: RollCache, groups: Groups, snapshots: Snapshots) -> int:
    """Play on until the part is over, or something is needed."""
    _, program, _, known, _ = graph
    end = program.first_queue[program.ends[program.starts[snapshots.which[groups.part]]]]
    while groups.queue < end:
        if groups.node == NOWHERE:
            node = np.int64(groups.there[groups.queue])
            if node == NOWHERE:
                groups.queue += 1
                continue
            if not nodes.has_room(known):
                return nodes.NO_ROOM
            groups.there[groups.queue] = groups.beside[node]
            groups.node, groups.left, groups.result = node, groups.trials[node], 0
            groups.trials[node] = 0
        alone = program.stage[groups.queue] == Stage.POOL and not transitions.is_rolled(graph, groups.queue)
        if groups.left > 0 and not all_rolled(graph, random, cache, groups, alone):
            return nodes.NO_ROLLS
        if not alone:
            most = transitions.transitions_of(graph, groups.queue)
            start = transitions.place_of(graph, groups.node) & nodes.TRANSITION
            while groups.result < most:
                result = groups.result
                many = groups.results[result]
                if many > 0:
                    transition = known.transitions[start + np.uint64(result)]
                    if transition == nodes.UNKNOWN:
                        return nodes.NO_TRANSITION
                    go_on(program, known, random, groups, transition, many)
                    groups.results[result] = 0
                groups.result = result + 1
        groups.node = NOWHERE
    return nodes.NOTHING


@tiered(6.0)
def play_groups(
    setup: Setup,
    program: ProgramTable,
    pools: Pools,
    known: Nodes,
    choices: Choices,
    random: RandomDraws,
    cache: RollCache,
    groups: Groups,
    snapshots: Snapshots,
    layouts: Layout,
    block: Block,
    rerolls: Rerolls | None,
) -> int:
    """Play a chunk of trials that has begun to its end, or until something is needed that is not met here.

    Records one by one, and not as a Graph: to look up the type of a tuple of records takes as long as 5% of a chunk.
    """
    graph, roller = Graph(setup, program, pools, known, choices), Roller(layouts, block, rerolls, cache, random)
    for _ in range(nodes.PATIENCE):
        needed = nodes.NOTHING
        if groups.part == len(snapshots.which):
            return needed
        if groups.part >= 0:
            needed = groups_go_on(graph, random, cache, groups, snapshots)
        if needed == nodes.NOTHING:
            groups_begin_part(graph, groups, snapshots)
        elif needed == nodes.NO_ROLLS:
            roll_again(roller, pools, program.pool[groups.queue])
        elif needed == nodes.NO_TRANSITION:
            transitions.find_transition(graph, groups.node, groups.result)
        else:
            return needed
    return nodes.NO_PATIENCE


def begin_groups(graph: Graph, roller: Roller, groups: Groups, chunk: Chunk) -> None:
    """All trials of a chunk wait before the first part; for the interpreter."""
    begin_stream(roller.random, chunk.stream, chunk.number)
    put_away(roller.cache, graph.pools)
    join(graph.nodes, groups, transitions.arrive(graph, 0, 0, chunk.start), chunk.trials)
    groups.part, groups.queue, groups.node = -1, nodes.end_queue(graph.program), NOWHERE


@step
def groups_begin_part(graph: Graph, groups: Groups, snapshots: Snapshots) -> None:
    """Count all trials where their part has ended, and bring those on for whom something is left to be decided."""
    _, program, _, known, _ = graph
    queue, number, ends = nodes.end_queue(program), groups.part + 1, 0
    node = np.int64(groups.there[queue])
    groups.there[queue] = NOWHERE
    while node != NOWHERE:  # all leave before anybody arrives
        groups.moving[0, ends], groups.moving[1, ends] = node, groups.trials[node]
        groups.trials[node] = 0
        node = np.int64(groups.beside[node])
        ends += 1
    for each in range(ends):
        end = np.int64(transitions.place_of(graph, groups.moving[0, each]) & nodes.TRANSITION)
        way, many = next_node(graph, snapshots, end, number), groups.moving[1, each]
        snapshots.ends[end, number, COUNT] += np.uint64(many)
        if not way & FINAL:
            onward = known.end_at[np.int64(way & nodes.TRANSITION)] if way & nodes.ENDED else nodes.node_of(known, way)
            join(known, groups, np.int64(onward), many)
    groups.part = number
    if number < len(snapshots.which):
        groups.queue = program.first_queue[program.starts[snapshots.which[number]]]


@kernel
def forget_but_groups(program: ProgramTable, known: Nodes, groups: Groups) -> None:
    """Forget all nodes but those at which somebody waits."""
    waiting, trials, many = np.empty(known.nodes_known, np.int64), np.empty(known.nodes_known, np.int64), 0
    for queue in range(nodes.end_queue(program) + 1):
        node: Whole = np.int64(groups.there[queue])
        groups.there[queue] = NOWHERE
        while node != NOWHERE:
            waiting[many], trials[many] = node, groups.trials[node]
            groups.trials[node] = 0
            many += 1
            node = np.int64(groups.beside[node])
    nodes.forget_all_but(known, waiting[:many])
    for each in range(many - 1, -1, -1):  # who joins last is found first
        join(known, groups, waiting[each], trials[each])
