"""What the rules say at a node: which draw decides, and where it leads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import Whole, step, tiered
from analyser.common.records import Integers
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.program import Kind, Pair, Setup, operation_at
from analyser.engine.fight.sampled import nodes
from analyser.engine.fight.sampled.choices import Choices, next_line
from analyser.engine.fight.sampled.nodes import TRANSITION, Nodes, ProgramTable, Stage
from analyser.engine.fight.sampled.pools import NO_POOL, Pools, has_few_cells, pool_of
from analyser.game.ruleset import HIGHEST_CARD
from analyser.rules import discipline
from analyser.rules.attack import losses_of, scores_for
from analyser.rules.draws import Draw, Odds, passing, test_draw
from analyser.rules.structs import FightFacts

# The transition of a card of value 0: who waits for a card has no rolls, and takes neither transition 0 nor 1.
FIRST_CARD = 2

# What is known so far on a line: the value of the attacker's card, whether the officer has fallen, and the cell that
# the roll has come to, its score.
_FALLEN, _CELL = 16, 17
_CARD_MASK = (1 << _FALLEN) - 1
_NOWHERE, _NO_POOL = np.uint64(0), np.uint64(NO_POOL)


class Graph(NamedTuple):
    """The graph of a fight, and the rules that it grows by."""

    setup: Setup
    program: ProgramTable
    pools: Pools
    nodes: Nodes
    choices: Choices


class Chunk(NamedTuple):
    """A chunk of trials that begins."""

    start: Pair
    stream: tuple[np.uint64, np.uint64]
    number: int
    trials: int


@tiered(0)
def arrive(graph: Graph, line: int, end: int, pair: Pair) -> int:
    """The node that is reached from `line` on, what needs no draw done; or where the part ends."""
    setup, program, _, known, choices = graph
    while line < end:
        operation = operation_at(program.operations, line)
        if operation[0] in (Kind.CHOOSE, Kind.BRANCH):
            line = next_line(setup, choices, program.operations, line, pair)
            continue
        if operation[0] == Kind.STRIKE:
            if strikes.is_made(setup, operation[2], operation[1], pair):
                if set_up_strike(setup, operation[2], pair).overcharge:  # its card is drawn first
                    return nodes.node_at(known, int(program.first_queue[line]), pair, 0)
                return rolling(graph, line, pair, 0)
        else:
            draw, highest = operations.required_draw(setup, operation, pair)
            if draw != Draw.NOTHING:
                return nodes.node_at(known, nodes.test_queue(program, line), pair, 0)
            pair = operations.changed(setup, operation, pair, highest >= 0)
        line += 1
    return nodes.node_at(known, nodes.end_queue(program), pair, 0)


@step
def set_up_strike(setup: Setup, number: int, pair: Pair) -> FightFacts:
    """The scratch fight, filled with a strike in these states."""
    theirs = pair[1] if setup.strikes[number].striker == 0 else pair[0]
    strikes.set_strike(setup, number, strikes.condition(setup, number, pair), theirs)
    fight: FightFacts = setup.fight[0]
    return fight


@step
def rolling(graph: Graph, line: int, pair: Pair, card: int) -> int:
    """The node where the pool of the scratch fight is rolled, with `card` dice more (Overcharge)."""
    setup, program, pools, known, _ = graph
    fight, number = setup.fight[0], program.operations[line, 2]
    pool = pool_of(pools, number, fight.rating, fight.dice + card)
    queue = int(program.first_queue[line] + 1 + pool - pools.first_of_strike[number])
    return nodes.node_at(known, queue, pair, card)


@step
def placing(program: ProgramTable, known: Nodes, pool_node: Whole, cell: Whole) -> int:
    """The node where the officer's place is decided, after a roll that came to that cell."""
    pair = (known.first[pool_node], known.second[pool_node])
    queue = nodes.test_queue(program, program.line[known.queue[pool_node]]) - 1  # the one before the last of its line
    return nodes.node_at(known, queue, pair, cell << _CELL | known.so_far[pool_node])


@step
def place_of(graph: Graph, node: Whole) -> Any:
    """The place of a node, which is given its transitions with it."""
    _, program, _, known, _ = graph
    if known.place[node] == _NOWHERE:
        queue = known.queue[node]
        if program.stage[queue] == Stage.END:
            known.place[node] = nodes.ENDED | np.uint64(known.ends_known)
            known.end_at[known.ends_known] = node
            known.ends_known += 1
        else:
            start = np.uint64(nodes.give_transitions(known, node, transitions_of(graph, queue)))
            pool = np.uint64(program.pool[queue]) if is_rolled(graph, queue) else _NO_POOL
            known.place[node] = start | pool << nodes.POOL
    return known.place[node]


@step
def is_rolled(graph: Graph, queue: int) -> bool:
    """Whether a roll says which transition is taken from a node; not if it can come to too many things."""
    pool = graph.program.pool[queue]
    return graph.program.stage[queue] == Stage.POOL and has_few_cells(graph.pools, pool)


@step
def transitions_of(graph: Graph, queue: int) -> int:
    """How many transitions there are from a node of a queue, one that nobody takes among them."""
    if graph.program.stage[queue] == Stage.CARD:
        return FIRST_CARD + HIGHEST_CARD + 1
    return int(graph.pools.cells[graph.program.pool[queue]]) + 1 if is_rolled(graph, queue) else FIRST_CARD


@tiered(0)
def find_transition(graph: Graph, node: Whole, result: Whole) -> None:
    """Work out the transition that a node's `result` takes: a cell of a pool, FIRST_CARD and the card's value, or 0.

    If it asks for a threshold that is not known, that is noted in the program, and the transition stays nodes.UNKNOWN.
    """
    transition = np.int64(place_of(graph, node) & nodes.TRANSITION) + result
    graph.nodes.transitions[transition] = transition_from(graph, node, result)


@step
def transition_from(graph: Graph, node: Whole, result: Whole) -> int:
    """What :func:`find_transition` finds."""
    setup, program, pools, known, _ = graph
    queue = known.queue[node]
    line, stage = program.line[queue], program.stage[queue]
    pair, so_far = (known.first[node], known.second[node]), known.so_far[node]
    operation = operation_at(program.operations, line)
    number = operation[2]
    if operation[0] != Kind.STRIKE:
        draw, highest = operations.required_draw(setup, operation, pair)
        passed = operations.changed(setup, operation, pair, True)
        failed = operations.changed(setup, operation, pair, False)
        return transition_on(graph, line, draw, highest, passed, failed)
    fight = set_up_strike(setup, number, pair)
    if stage == Stage.CARD:
        return nodes.certainly_to(program, rolling(graph, line, pair, result - FIRST_CARD))
    cell = result if stage == Stage.POOL else so_far >> _CELL
    pool = pool_of(pools, number, fight.rating, fight.dice + (so_far & _CARD_MASK))
    losses = losses_of(fight, scores_for(fight, pools.most_dice[pool]), cell)
    lost = discipline.places_lost(fight, losses[0]) if losses[0] < fight.models else 0
    known_so_far = cell << _CELL | so_far & _CARD_MASK
    if stage != Stage.TEST and 0 < lost < fight.models:
        if stage == Stage.POOL:
            return nodes.certainly_to(program, placing(program, known, node, cell))
        queue = nodes.test_queue(program, line)
        fallen = nodes.node_at(known, queue, pair, known_so_far | 1 << _FALLEN)
        still_there = nodes.node_at(known, queue, pair, known_so_far)
        return nodes.lot_transition(fight.models, lost, fallen, still_there)
    has_fallen = lost > 0 if stage != Stage.TEST else so_far >> _FALLEN & 1 != 0
    disordered = discipline.disordered_by_loss(fight, 1 if has_fallen else 0)
    highest = discipline.passes_up_to(fight, losses[0], disordered)
    if abs(highest) == discipline.ANY_CARD:
        after = struck(setup, number, pair, losses, disordered, highest > 0)
        return nodes.certainly_to(program, arrive(graph, line + 1, program.ends[line], after))
    passed = struck(setup, number, pair, losses, disordered, True)
    failed = struck(setup, number, pair, losses, disordered, False)
    return transition_on(graph, line, test_draw(1 - setup.strikes[number].striker), highest, passed, failed)


@step
def struck(
    setup: Setup, number: int, pair: Pair, losses: tuple[int, int, int, int], disordered: int, passed: bool
) -> tuple[int, int]:
    """Both states after a strike, the scratch fight, whose test is passed or failed."""
    fight, striker = setup.fight[0], setup.strikes[number].striker
    mine, theirs = (pair[0], pair[1]) if striker == 0 else (pair[1], pair[0])
    destroyed, damage, own_destroyed, own_damage = losses
    if passed:
        outcome = discipline.pass_test(fight, destroyed, damage, disordered)
    else:
        outcome = discipline.fail_test(fight, destroyed, damage, disordered)
    theirs = strikes.after_attack(setup, number, theirs, outcome)
    mine = strikes.after_striking(setup, number, mine, theirs, own_destroyed, own_damage)
    return (mine, theirs) if striker == 0 else (theirs, mine)


@step
def transition_on(graph: Graph, line: int, draw: int, highest: int, passed: Pair, failed: Pair) -> int:
    """The transition that the draw of a line decides; UNKNOWN if the threshold of its card is, which is then wanted."""
    program, end = graph.program, graph.program.ends[line]
    then, otherwise = arrive(graph, line + 1, end, passed), arrive(graph, line + 1, end, failed)
    if draw in (Draw.CARD_OF_0, Draw.CARD_OF_1):
        place = min(max(highest + 1, 0), HIGHEST_CARD + 1)
        threshold = int(program.thresholds[place])
        if threshold == nodes.UNASKED:
            program.wanted = place
            return nodes.UNKNOWN
        return nodes.transition_to(then, otherwise, threshold, draw)
    odds = Odds(program.heroic, program.strike, program.miss, program.sides, program.cards, program.at_most)
    below, draws = passing(draw, highest, odds)
    return nodes.lot_transition(draws, below, then, otherwise)


NEXT, COUNT = 0, 1
UNSEEN = np.uint64(0)
FINAL = np.uint64(1 << 62)
_ONWARD = FINAL - np.uint64(1) | np.uint64(1 << 63)


class Snapshots(NamedTuple):
    """What there is to know of the parts of a fight."""

    which: Integers  # (parts,): which part of the program is played, one after the other
    # (nodes, parts + 1, 2): of each end, before the first part and after each, where trials go from there
    # (:func:`next_node`), or UNSEEN, and how many have ended there and gone that way since they were counted.
    ends: NDArray[np.uint64]


@tiered(0)
def next_node(graph: Graph, snapshots: Snapshots, end: Whole, first: Whole) -> Any:
    """Where those who are at an end before part `first` go: the place, which can be the end of that part.

    FINAL beside it if random decides nothing any more.
    """
    _, program, _, known, _ = graph
    way: Any = snapshots.ends[end, first, NEXT]
    if way != UNSEEN:
        return way
    at: Whole = np.int64(known.end_at[end])
    way = FINAL
    for number in range(first, len(snapshots.which)):
        start = program.starts[snapshots.which[number]]
        at = arrive(graph, start, program.ends[start], (known.first[at], known.second[at]))
        if number == first:
            way |= place_of(graph, at)
        if program.stage[known.queue[at]] != Stage.END:
            way &= _ONWARD
            break
    snapshots.ends[end, first, NEXT] = way
    return way


def counts_of(graph: Graph, snapshots: Snapshots) -> Integers:
    """How many trials have ended each part where, shape (ends, parts + 1); the count begins anew.

    Those for whom nothing was left to be decided are counted where they would have ended later parts, too.
    """
    known, ways = graph.nodes, snapshots.ends[:, :, NEXT]
    seen = snapshots.ends[: known.ends_known, :, COUNT].astype(np.int64)
    snapshots.ends[: len(seen), :, COUNT] = 0
    walked = []
    for first in range(seen.shape[1]):
        (ends,) = np.nonzero((seen[:, first] > 0) & (ways[: len(seen), first] & FINAL != 0))
        many = seen[ends, first]
        for number in range(first, len(snapshots.which)):
            for end in set(ends[ways[ends, number] == UNSEEN].tolist()):
                next_node(graph, snapshots, end, number)
            ends = (ways[ends, number] & TRANSITION).astype(np.int64)
            walked.append((ends, number + 1, many))
    counts = np.zeros((known.ends_known, seen.shape[1]), np.int64)
    counts[: len(seen)] = seen
    for ends, number, many in walked:
        np.add.at(counts[:, number], ends, many)
    return counts
