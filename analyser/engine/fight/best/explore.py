"""Graph of a fight in which sides choose: a node is a place with a pair of states, and an edge a draw or a choice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analyser.common.jit import step, step_for, tiered
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.best.choice_program import (
    BETWEEN_ROUNDS,
    CHOOSER,
    COUNT,
    FIRST,
    NEXT,
    TO,
    FlatRound,
    after_run,
    can_choose,
    only_branch,
)
from analyser.engine.fight.exact import strike as exact_strikes
from analyser.engine.fight.exact.strike import PoolCache, StrikeOutcomes
from analyser.engine.fight.program import Kind, Pair, Setup, operation_at
from analyser.engine.state_index import NOT_FOUND, StateIndex, find, find_or_add, state_index, with_room
from analyser.rules import unit_state
from analyser.rules.draws import probability_of
from analyser.rules.structs import NONE

PLACE_BIT, STATE_BIT = 50, 25  # lowest bits of the place and of the first state's index in the key of a node
SECOND_MASK = (1 << STATE_BIT) - 1
MOST_PLACES = 1 << 63 - PLACE_BIT
_ROOM = 1 << 12
_SPARE = 1 << 10  # edges reserved for a node in addition to those of a strike or a choice


# Rows of `Graph.numbers`. ROUND: first round, from 0, in which the node can be reached. BEGIN, END: its first edge, and
# the end of its edges. LAST_EDGE: the last edge to the node.
ROUND, BEGIN, END, LAST_EDGE = range(4)


class Graph(NamedTuple):
    """The nodes found so far, and their edges."""

    first: StateIndex  # states of side 0
    second: StateIndex  # states of side 1
    nodes: StateIndex  # keys of nodes: packed place and indices of both states
    numbers: Integers  # (4, nodes): rows ROUND to LAST_EDGE
    to: Integers  # (edges,): the next node
    weights: Floats  # (edges,): the probability, or at a choice the number of the branch
    edges: Integers  # (1,): number of edges


class DrawCaches(NamedTuple):
    """Cached distributions of draws and, in the interpreter, cached results of :func:`next_stop`."""

    cache: PoolCache
    interpreter_cache: Any


@step_for(lambda rules: FlatRound(*map(memoryview, rules)))  # type: ignore[arg-type]  # yields Python integers
def readable(rules: FlatRound) -> FlatRound:
    """Return a round in the form that the interpreter, or compiled code, reads fastest."""
    return rules


@step
def empty_graph() -> Graph:
    """Return an empty graph."""
    numbers, to, weights = np.full((4, _ROOM), NONE, np.int64), np.empty(_ROOM, np.int64), np.empty(_ROOM)
    return Graph(state_index(64), state_index(64), state_index(_ROOM), numbers, to, weights, np.zeros(1, np.int64))


@step
def has_room(graph: Graph, more: int) -> bool:
    """Return True if `more` nodes and edges fit. The loop avoids calls with arrays, which would count references."""
    for index in (graph.first, graph.second, graph.nodes):
        if index.length[0] + more > len(index.states):
            return False
    return bool(graph.edges[0] + more <= len(graph.to))


@step
def with_graph_capacity(graph: Graph, more: int) -> Graph:
    """Return the graph with capacity for `more` nodes and edges."""
    nodes, numbers, edges = with_room(graph.nodes, more), graph.numbers, graph.edges[0] + more
    if len(nodes.states) > numbers.shape[1]:
        numbers = np.full((4, len(nodes.states)), NONE, np.int64)
        for row in range(4):
            for node in range(graph.nodes.length[0]):
                numbers[row, node] = graph.numbers[row, node]
    first, second = with_room(graph.first, more), with_room(graph.second, more)
    to, weights = exact_strikes.longer(graph.to, edges), exact_strikes.longer(graph.weights, edges)
    return Graph(first, second, nodes, numbers, to, weights, graph.edges)


@step
def node_at(setup: Setup, graph: Graph, place: int, pair: Pair) -> int:
    """Return the number of a node, after adding it if it is new. The graph must have capacity."""
    first, second = operations.merge_moves(setup, pair)
    key = place << PLACE_BIT | find_or_add(graph.first, first) << STATE_BIT | find_or_add(graph.second, second)
    return find_or_add(graph.nodes, key)


@step
def after_place(setup: Setup, rules: FlatRound, cache: PoolCache, place: int, pair: Pair) -> tuple[int, int, int]:
    """Return the next place and pair; the same place and pair if the place needs a draw or a choice."""
    if rules.places[place, CHOOSER] != NONE:
        branch = only_branch(setup, rules, place, pair)
        return place if branch == NONE else int(rules.branches[branch, TO]), pair[0], pair[1]
    operation = operation_at(rules.operations, rules.places[place, FIRST])
    if operation[0] == Kind.STRIKE:
        if strikes.is_made(setup, operation[2], operation[1], pair):
            return place, pair[0], pair[1]
    else:
        draw, highest = operations.required_draw(setup, operation, pair)
        passes = probability_of(draw, highest, cache.odds)
        if 0.0 < passes < 1.0:
            return place, pair[0], pair[1]
        pair = operations.apply(setup, operation, pair, passes == 1.0)
    after = after_run(setup, rules, place, pair, 1)
    return int(rules.places[place, NEXT]), after[0], after[1]


def _interpreted_next(
    setup: Setup, rules: FlatRound, sources: DrawCaches, place: int, pair: Pair
) -> tuple[int, int, int]:
    at, passed = (place, pair[0], pair[1]), list[tuple[int, int, int]]()
    result: tuple[int, int, int] | None
    while (result := sources.interpreter_cache.get(at)) is None:
        passed.append(at)
        following = at if at[0] == BETWEEN_ROUNDS else after_place(setup, rules, sources.cache, at[0], at[1:])
        if following[0] == at[0]:
            result = at
            break
        at = following
    sources.interpreter_cache.update((state, result) for state in passed)
    return result


@step_for(lambda: {})
def interpreter_cache() -> int:
    """Return an empty cache for :func:`next_stop` in the interpreter; compiled code has no cache."""
    return 0


@step_for(_interpreted_next)
def next_stop(setup: Setup, rules: FlatRound, sources: DrawCaches, place: int, pair: Pair) -> tuple[int, int, int]:
    """Return the place and pair of the next draw or choice, or of the end of the round."""
    first, second = pair[0], pair[1]
    while place != BETWEEN_ROUNDS:
        after = after_place(setup, rules, sources.cache, place, (first, second))
        if after[0] == place:
            break
        place, first, second = after
    return place, first, second


@step
def add_edge(setup: Setup, graph: Graph, at: tuple[int, int, int], share: float, since: int, merge: bool) -> None:
    """Add an edge to a place and pair, or with `merge` add `share` to an equal edge whose number is `since` or more."""
    node = node_at(setup, graph, at[0], (at[1], at[2]))
    same = graph.numbers[LAST_EDGE, node]
    if merge and same >= since:
        graph.weights[same] += share
        return
    edge = graph.edges[0]
    graph.to[edge], graph.weights[edge] = node, share
    graph.numbers[LAST_EDGE, node] = edge
    graph.edges[0] += 1


@step
def with_strike(
    setup: Setup, rules: FlatRound, cache: PoolCache, outcomes: StrikeOutcomes, place: int, pair: Pair
) -> tuple[StrikeOutcomes, int]:
    """Return `outcomes` with those of the strike at a place, and the index of this strike's list."""
    number = rules.operations[rules.places[place, FIRST], 2]
    theirs = pair[1] if setup.strikes[number].striker == 0 else pair[0]
    outcomes = exact_strikes.with_key_room(outcomes, 1, 1)
    condition = find_or_add(
        outcomes.conditions, number << exact_strikes.NUMBER | strikes.condition(setup, number, pair)
    )
    key = condition << exact_strikes.CONDITION | find_or_add(outcomes.states, theirs)
    at = find(outcomes.lists, key)
    if at == NOT_FOUND:
        at = int(outcomes.lists.length[0])
        outcomes = exact_strikes.with_list(outcomes, setup, cache, key)
    return outcomes, at


@step
def add_strike(
    setup: Setup,
    rules: FlatRound,
    sources: DrawCaches,
    graph: Graph,
    outcomes: StrikeOutcomes,
    at: int,
    place: int,
    pair: Pair,
) -> None:
    """Add the edges of a strike with the outcomes in list `at` of `outcomes`."""
    number, since = rules.operations[rules.places[place, FIRST], 2], graph.edges[0]
    striker = setup.strikes[number].striker
    mine = pair[0] if striker == 0 else pair[1]
    for row in range(outcomes.starts[at], outcomes.starts[at + 1]):
        struck, own = int(outcomes.reached.states[outcomes.state[row]]), int(outcomes.own[row])
        losses = (own >> exact_strikes.OWN_DESTROYED, own & unit_state.MODELS_MASK)
        of_striker = strikes.after_striking(setup, number, mine, struck, losses)
        after = (of_striker, struck) if striker == 0 else (struck, of_striker)
        after = after_run(setup, rules, place, after, 1)
        to = next_stop(setup, rules, sources, rules.places[place, NEXT], after)
        add_edge(setup, graph, to, outcomes.probability[row], since, True)


@step
def add_test(setup: Setup, rules: FlatRound, sources: DrawCaches, graph: Graph, place: int, pair: Pair) -> None:
    """Add two edges for an operation that draws a card, a coin or a die: success and failure."""
    operation, since = operation_at(rules.operations, rules.places[place, FIRST]), graph.edges[0]
    draw, highest = operations.required_draw(setup, operation, pair)
    passes = probability_of(draw, highest, sources.cache.odds)
    for failed in range(2):
        share = 1.0 - passes if failed else passes
        after = after_run(setup, rules, place, operations.apply(setup, operation, pair, failed == 0), 1)
        add_edge(setup, graph, next_stop(setup, rules, sources, rules.places[place, NEXT], after), share, since, True)


@step
def add_choices(setup: Setup, rules: FlatRound, sources: DrawCaches, graph: Graph, place: int, pair: Pair) -> None:
    """Add an edge for each branch that can be chosen."""
    begin, since = rules.places[place, FIRST], graph.edges[0]
    for branch in range(begin, begin + rules.places[place, COUNT]):
        if can_choose(setup, rules, place, branch, pair):
            to = next_stop(setup, rules, sources, rules.branches[branch, TO], pair)
            add_edge(setup, graph, to, float(branch - begin), since, False)


@step
def pair_of(graph: Graph, node: int) -> tuple[int, int]:
    """Return the states of a node."""
    key = graph.nodes.states[node]
    return int(graph.first.states[key >> STATE_BIT & SECOND_MASK]), int(graph.second.states[key & SECOND_MASK])


@tiered(8.0)
def explore_graph(
    setup: Setup,
    rules: FlatRound,
    start: Pair,
    rounds: int,
    strike_pools: Integers,
    die: Integers,
    deck: Integers,
    most_edges: int,
) -> Graph:
    """Return the graph of a fight of `rounds` rounds, cut off beyond `most_edges` edges; node 0 is its start."""
    cache, rules = exact_strikes.pool_cache_for(setup, strike_pools, die, deck), readable(rules)
    graph, outcomes, sources = empty_graph(), exact_strikes.no_outcomes(), DrawCaches(cache, interpreter_cache())
    node_at(setup, graph, BETWEEN_ROUNDS, start)
    next_starts = np.zeros(1, np.int64)  # nodes at the start of the next round: at first, node 0
    for number in range(rounds):
        waiting, next_starts = next_starts, np.empty(64, np.int64)
        at, waiting_count, following_count = 0, len(waiting), 0
        while at < waiting_count:
            node = waiting[at]
            at += 1
            place = graph.nodes.states[node] >> PLACE_BIT
            more = _SPARE + int(rules.places[place, COUNT])  # COUNT: branches of a choice, one edge each
            if not has_room(graph, more):
                graph = with_graph_capacity(graph, more)
            before, pair = graph.nodes.length[0], pair_of(graph, node)
            graph.numbers[ROUND, node], graph.numbers[BEGIN, node] = number, graph.edges[0]
            if place == BETWEEN_ROUNDS:
                if not unit_state.is_removed(pair[0]) and not unit_state.is_removed(pair[1]):
                    to = next_stop(setup, rules, sources, len(rules.places) - 1, pair)
                    add_edge(setup, graph, to, 1.0, graph.edges[0], True)
            elif rules.places[place, CHOOSER] != NONE:
                add_choices(setup, rules, sources, graph, place, pair)
            elif rules.operations[rules.places[place, FIRST], 0] == Kind.STRIKE:
                outcomes, list_index = with_strike(setup, rules, cache, outcomes, place, pair)
                more = outcomes.starts[list_index + 1] - outcomes.starts[list_index] + _SPARE
                if not has_room(graph, more):
                    graph = with_graph_capacity(graph, more)
                add_strike(setup, rules, sources, graph, outcomes, list_index, place, pair)
            else:
                add_test(setup, rules, sources, graph, place, pair)
            graph.numbers[END, node] = graph.edges[0]
            added = graph.nodes.length[0] - before
            waiting = exact_strikes.longer(waiting, waiting_count + added)
            next_starts = exact_strikes.longer(next_starts, following_count + added)
            for new in range(before, before + added):
                if graph.nodes.states[new] >> PLACE_BIT == BETWEEN_ROUNDS:
                    graph.numbers[ROUND, new], graph.numbers[BEGIN, new], graph.numbers[END, new] = number + 1, 0, 0
                    next_starts[following_count] = new
                    following_count += 1
                else:
                    waiting[waiting_count] = new
                    waiting_count += 1
            if graph.edges[0] > most_edges:
                return graph
        next_starts = next_starts[:following_count].copy()
    return graph
