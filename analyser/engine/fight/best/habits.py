"""What a habit would do where a side can choose."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyser.common.jit import step, tiered
from analyser.common.records import Floats, Integers
from analyser.engine.fight import operations
from analyser.engine.fight.program import Line, Setup
from analyser.rules import activation, unit_state
from analyser.rules.policies import Action, Manoeuvre
from analyser.rules.structs import NONE

MANOEUVRE, ACTION, SALVO = range(3)  # the columns of the table of options; the salvo is NONE where nothing is fired


class Habit(NamedTuple):
    """A habit, as a side that can choose would follow it."""

    operation: Line  # GIVE_ORDERS, with the strike of the row that it shoots with
    policy: int
    rearms: bool
    salvo: int  # which it fires; NONE


@tiered(2.0)
def edges_of_habit(
    setup: Setup, habit: Habit, options: Integers, first: Integers, second: Integers, begins: Integers, weights: Floats
) -> Integers:
    """The number among its edges that a habit takes in each node where a side gives orders; shape (nodes,).

    `options` are those of the branches, a row each; `first` and `second` the states of both sides in each node, whose
    edges begin as `begins` says, shape (nodes + 1,), with the numbers of their branches as `weights`.
    """
    found = np.zeros(len(first), np.int64)
    for node in range(len(first)):
        begin, end = begins[node], begins[node + 1]
        mine, theirs = first[node], second[node]
        if habit.operation[1] == 1:
            mine, theirs = theirs, mine
        if end - begin > 1:
            found[node] = edge_of_habit(setup, habit, options, (mine, theirs), (begin, end), weights)
    return found


@step
def edge_of_habit(
    setup: Setup, habit: Habit, options: Integers, pair: tuple[int, int], edges: tuple[int, int], weights: Floats
) -> int:
    """The number among its edges that the habit takes in one node; `pair` has the state of its side first."""
    mine, theirs = pair
    facts, strike = setup.sides[habit.operation[1]], setup.strikes[max(habit.operation[2], 0)]
    view = operations.view_of(setup, habit.operation, mine, theirs)
    manoeuvre, action = operations.decision_by(setup, habit.operation, view, habit.policy)
    if action in (Action.SHOOT, Action.GO_ON_LOOKOUT) and habit.rearms and mine & unit_state.RELOADING:
        action = Action.RE_ARM
    if manoeuvre not in (Manoeuvre.AIM, Manoeuvre.CHARGE):
        length = activation.length_moved(manoeuvre, facts, strike, view.distance)
        if length == 0:
            manoeuvre = Manoeuvre.STAY
        elif length == activation.length_moved(Manoeuvre.ADVANCE, facts, strike, view.distance):
            manoeuvre = Manoeuvre.ADVANCE
    if manoeuvre == Manoeuvre.AIM and action != Action.SHOOT:
        manoeuvre = Manoeuvre.STAY
    found = edge_for(manoeuvre, action, habit.salvo, options, edges, weights)
    if found == NONE and action == Action.SHOOT:  # nothing reaches
        manoeuvre = Manoeuvre.STAY if manoeuvre == Manoeuvre.AIM else manoeuvre
        found = edge_for(manoeuvre, Action.NOTHING, habit.salvo, options, edges, weights)
    return max(found, 0)


@step
def edge_for(
    manoeuvre: int, action: int, salvo: int, options: Integers, edges: tuple[int, int], weights: Floats
) -> int:
    """The first edge that does that, with that salvo if it fires one; NONE if there is none."""
    for edge in range(edges[0], edges[1]):
        option = options[int(weights[edge])]
        of_salvo = action == Action.SHOOT or manoeuvre == Manoeuvre.CLOSE_IN
        if option[MANOEUVRE] == manoeuvre and option[ACTION] == action and (not of_salvo or option[SALVO] == salvo):
            return edge - edges[0]
    return NONE
