"""Edges that a policy in words takes where a side chooses orders, in the graph of a duel (:mod:`.game_graph`)."""

from __future__ import annotations

import numpy as np

from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.fight import operations
from analyser.engine.fight.program import Op, Setup
from analyser.rules import activation, unit_state
from analyser.rules.policies import Action, Manoeuvre, leaves_building
from analyser.rules.structs import NONE

# Columns of `options`, `decisions`. SALVO: index of a group of rows or of a charge, or NONE. STOP: see OrderParts.
MANOEUVRE, ACTION, SALVO, STOP = COLUMNS = range(4)


@tiered(1.0)
def views_of(setup: Setup, operation: Op, first: Integers, second: Integers) -> Integers:
    """Return the :class:`~analyser.rules.policies.View` of a side in each pair of states, shape (nodes, 7)."""
    result = np.empty((len(first), 7), np.int64)
    for node in range(len(first)):
        mine, theirs = first[node], second[node]
        if operation[1] == 1:
            mine, theirs = theirs, mine
        view = operations.view_of(setup, operation, mine, theirs)
        result[node, 0], result[node, 1], result[node, 2] = view.rally_failed, view.in_building, view.in_range
        result[node, 3], result[node, 4], result[node, 5] = view.in_short_range, view.can_charge, view.must_charge
        result[node, 6] = view.distance
    return result


@tiered(2.0)
def edge_numbers(
    setup: Setup,
    operation: Op,
    rearms: bool,
    options: Integers,
    decisions: Integers,
    first: Integers,
    second: Integers,
    begins: Integers,
    weights: Floats,
) -> Integers:
    """Return the edge taken at each node, numbered within the node; `weights`: the row of `options` for each edge."""
    numbers = np.zeros(len(first), np.int64)
    for node in range(len(first)):
        mine, theirs = first[node], second[node]
        if operation[1] == 1:
            mine, theirs = theirs, mine
        if begins[node + 1] - begins[node] > 1:
            edges = (int(begins[node]), int(begins[node + 1]))
            numbers[node] = edge_number(
                setup, operation, rearms, options, decisions[node], (mine, theirs), edges, weights
            )
    return numbers


@step
def edge_number(
    setup: Setup,
    operation: Op,
    rearms: bool,
    options: Integers,
    decision: Integers,
    pair: tuple[int, int],
    edges: tuple[int, int],
    weights: Floats,
) -> int:
    """Return the edge taken at a node, numbered within it; `pair`: the states of the deciding side and of the enemy."""
    mine, theirs = pair
    facts, strike = setup.sides[operation[1]], setup.strikes[max(operation[2], 0)]
    view, salvo, stop = operations.view_of(setup, operation, mine, theirs), int(decision[SALVO]), int(decision[STOP])
    planned = int(decision[MANOEUVRE]), int(decision[ACTION])
    manoeuvre, action = operations.permitted_decision(setup, operation, view, planned)
    if action in (Action.SHOOT, Action.GO_ON_LOOKOUT) and rearms and mine & unit_state.RELOADING:
        action = Action.RE_ARM
    hampered, to_edge = view.rally_failed or view.in_building, unit_state.length_to_edge(mine, facts)
    if manoeuvre == Manoeuvre.EXIT_BACK and (view.distance == NONE or to_edge == 0):
        manoeuvre = Manoeuvre.EXIT
    if manoeuvre in (Manoeuvre.AIM, Manoeuvre.CHARGE) or leaves_building(manoeuvre):
        stop = 0
    else:
        length = activation.length_moved(manoeuvre, facts, strike, view.distance, to_edge)
        slower = Manoeuvre.ADVANCE if length > 0 else Manoeuvre.RETIRE
        slower_length = activation.length_moved(slower, facts, strike, view.distance, to_edge)
        moved = activation.length_until_stop(length, stop, view.distance)
        if length * moved <= 0 and manoeuvre != Manoeuvre.STAY:  # without a move, aim if allowed, else stay
            manoeuvre = Manoeuvre.AIM if action == Action.SHOOT and not hampered else Manoeuvre.STAY
        elif not activation.ends_early(moved, length):
            stop, moved = 0, length
        if manoeuvre in (Manoeuvre.AIM, Manoeuvre.STAY):
            stop = 0
        elif abs(moved) <= abs(slower_length):
            manoeuvre, stop = slower, (stop if abs(moved) < abs(slower_length) else 0)
    if manoeuvre == Manoeuvre.AIM and action != Action.SHOOT:
        manoeuvre = Manoeuvre.STAY
    edge = edge_for(manoeuvre, action, (salvo, stop), options, edges, weights)
    if edge == NONE and action == Action.SHOOT and manoeuvre == Manoeuvre.STAY:  # if possible, aim
        edge = edge_for(Manoeuvre.AIM, action, (salvo, stop), options, edges, weights)
    if edge == NONE and action == Action.SHOOT:  # the enemy is out of range
        manoeuvre = Manoeuvre.STAY if manoeuvre == Manoeuvre.AIM else manoeuvre
        edge = edge_for(manoeuvre, Action.NOTHING, (salvo, stop), options, edges, weights)
    return max(edge, 0)


@step
def edge_for(
    manoeuvre: int,
    action: int,
    salvo_and_stop: tuple[int, int],
    options: Integers,
    edges: tuple[int, int],
    weights: Floats,
) -> int:
    """Return the number of the first edge with this manoeuvre, action, salvo (if it fires) and stop, or NONE."""
    salvo, stop = salvo_and_stop
    fires = action == Action.SHOOT or manoeuvre == Manoeuvre.CHARGE
    for edge in range(edges[0], edges[1]):
        option = options[int(weights[edge])]
        matches = option[MANOEUVRE] == manoeuvre and option[ACTION] == action and option[STOP] == stop
        if matches and (not fires or option[SALVO] == salvo):
            return edge - edges[0]
    return NONE
