"""Next actions of the active side of a duel and their reasons, from the states at its orders."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from analyser.common.jit import step, tiered
from analyser.common.records import Integers
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.program import Kind, Line, Setup, When, order_in
from analyser.rules import activation, unit_state
from analyser.rules.activation import Order
from analyser.rules.policies import Action, Manoeuvre, View, leaves_building
from analyser.rules.structs import NONE


class Did(IntEnum):
    """Action of a unit in a round."""

    ACTED_ELSEWHEN = 0  # its activation is the other one of the round
    WAS_GONE = 1
    HAD_NO_ACTIVATION = 2
    FELL = 3  # removed as its activation began
    CHARGED = 4
    SHOT_AIMING = 5
    SHOT = 6
    ADVANCED_AND_SHOT = 7
    ADVANCED = 8
    DOUBLE_TIMED = 9
    RE_ARMED = 10
    WENT_ON_LOOKOUT = 11
    TOOK_COVER = 12
    HELD = 13
    RETIRED = 14
    RETIRED_AND_SHOT = 15
    LEFT_BUILDING = 16


class Why(IntEnum):
    """Reason for an action."""

    POLICY = 0
    RULE = 1  # Berserk, Run Amok
    RALLY_FAILED = 2
    IN_BUILDING = 3
    OUT_OF_RANGE = 4
    OUT_OF_SHORT_RANGE = 5
    OUT_OF_REACH = 6  # target of a charge out of reach
    RELOADING = 7
    NOTHING_TO_FIRE = 8
    ENEMY_GONE = 9
    ACTIVATED = 10  # before its activation (Cryo)
    OPPORTUNITY_FIRE = 11
    GONE = 12
    CHOICE = 13


WHYS = 16  # a packed action: Did * WHYS + Why
ACTED_ELSEWHEN = Did.ACTED_ELSEWHEN * WHYS


@tiered(2.0)
def actions_of(setup: Setup, operation: Line, when: int, shots: int, first: Integers, second: Integers) -> Integers:
    """Return the active side's action from each pair of states and its reason, as one number: int64, shape of `first`.

    `operation` is the next GIVE_ORDERS, `when` the activation of the round, and `shots` the number of strikes, from
    that of the operation on, with which the side can shoot.
    """
    result = np.empty(len(first), np.int64)
    for place in range(len(first)):
        mine, theirs = first[place], second[place]
        if operation[1] == 1:
            mine, theirs = theirs, mine
        did, why = action_of(setup, operation, when, shots, mine, theirs)
        result[place] = did * WHYS + why
    return result


@step
def action_of(setup: Setup, operation: Line, when: int, shots: int, mine: int, theirs: int) -> tuple[int, int]:
    """Return the active side's action and its reason."""
    began = unit_state.order_of(mine) == Order.NO_ATTACK
    is_first = mine & unit_state.ACTIVATED_FIRST != 0
    if (when == When.IF_FIRST and not is_first) or (when == When.IF_SECOND and is_first):
        return Did.ACTED_ELSEWHEN, Why.POLICY
    if unit_state.is_removed(mine):
        return (Did.FELL, Why.OPPORTUNITY_FIRE) if began else (Did.WAS_GONE, Why.GONE)
    if unit_state.is_removed(theirs):
        return Did.HAD_NO_ACTIVATION, Why.ENEMY_GONE
    if not began:
        return Did.HAD_NO_ACTIVATION, Why.ACTIVATED
    return action_on_orders(setup, operation, shots, mine, theirs)


@step
def action_on_orders(setup: Setup, operation: Line, shots: int, mine: int, theirs: int) -> tuple[int, int]:
    """Return the active side's action on its orders, and the reason."""
    if operation[0] == Kind.ORDER:
        return action_chosen(setup, operation, mine, theirs)
    _, side, number = operation
    view = operations.view_of(setup, operation, mine, theirs)
    manoeuvre, action = operations.decision(setup, operation, view)
    if manoeuvre == Manoeuvre.CHARGE:
        return Did.CHARGED, (Why.RULE if view.must_charge else Why.POLICY)
    if action in (Action.SHOOT, Action.GO_ON_LOOKOUT) and setup.sides[side].rearms and mine & unit_state.RELOADING:
        return Did.RE_ARMED, Why.RELOADING
    if action == Action.GO_ON_LOOKOUT:
        return Did.WENT_ON_LOOKOUT, Why.POLICY
    if action == Action.TAKE_COVER:
        return Did.TOOK_COVER, Why.POLICY
    if action == Action.SHOOT and shoots(setup, operation, shots, mine, theirs):
        return action_of_shot(manoeuvre, view)
    if manoeuvre == Manoeuvre.STAY and action == Action.NOTHING and not (view.rally_failed or view.in_building):
        return Did.HELD, Why.POLICY
    doubles = manoeuvre == Manoeuvre.DOUBLE_TIME
    why = Why.RALLY_FAILED if view.rally_failed else Why.OUT_OF_REACH if doubles else Why.OUT_OF_RANGE
    if activation.length_moved(manoeuvre, setup.sides[side], setup.strikes[max(number, 0)], view.distance, NONE) > 0:
        return (Did.DOUBLE_TIMED if doubles else Did.ADVANCED), why
    if action == Action.SHOOT and view.in_range:
        return Did.HELD, Why.NOTHING_TO_FIRE
    return Did.HELD, (Why.IN_BUILDING if view.in_building else why)


@step
def action_chosen(setup: Setup, operation: Line, mine: int, theirs: int) -> tuple[int, int]:
    """Return the action and reason of a unit that may choose, by an ORDER that can be given."""
    _, side, number = operation
    manoeuvre, action, strike, _ = order_in(number)
    view = operations.view_of(setup, (Kind.GIVE_ORDERS, side, strike), mine, theirs)
    if manoeuvre == Manoeuvre.CHARGE:
        return Did.CHARGED, (Why.RULE if view.must_charge else Why.CHOICE)
    if action == Action.SHOOT:
        if manoeuvre == Manoeuvre.AIM:
            return Did.SHOT_AIMING, Why.CHOICE
        if leaves_building(manoeuvre):
            return Did.SHOT, Why.CHOICE
        if manoeuvre == Manoeuvre.STAY:
            return Did.SHOT, (Why.RALLY_FAILED if view.rally_failed else Why.IN_BUILDING)
        return (Did.RETIRED_AND_SHOT if manoeuvre == Manoeuvre.RETIRE else Did.ADVANCED_AND_SHOT), Why.CHOICE
    if action == Action.GO_ON_LOOKOUT:
        return Did.WENT_ON_LOOKOUT, Why.CHOICE
    if action == Action.TAKE_COVER:
        return Did.TOOK_COVER, Why.CHOICE
    if action == Action.RE_ARM:
        return Did.RE_ARMED, Why.CHOICE
    if leaves_building(manoeuvre):
        return Did.LEFT_BUILDING, Why.CHOICE
    if manoeuvre in (Manoeuvre.RETIRE, Manoeuvre.RETIRE_AT_DOUBLE_TIME):
        return Did.RETIRED, Why.CHOICE
    if manoeuvre == Manoeuvre.DOUBLE_TIME:
        return Did.DOUBLE_TIMED, Why.CHOICE
    return (Did.HELD if manoeuvre == Manoeuvre.STAY else Did.ADVANCED), Why.CHOICE


@step
def shoots(setup: Setup, operation: Line, shots: int, mine: int, theirs: int) -> bool:
    """Return True if any shot is made on these orders."""
    _, side, number = operation
    mine = operations.given_orders(setup, operation, mine, theirs)
    pair = (mine, theirs) if side == 0 else (theirs, mine)
    for shot in range(number, number + shots):  # noqa: SIM110 - generators cannot be compiled
        if strikes.is_made(setup, shot, side, pair):
            return True
    return False


@step
def action_of_shot(manoeuvre: int, view: View) -> tuple[int, int]:
    """Return the action of a unit that shoots, and the reason."""
    if manoeuvre == Manoeuvre.AIM:
        return Did.SHOT_AIMING, Why.POLICY
    if view.rally_failed:
        return Did.SHOT, Why.RALLY_FAILED
    if view.in_building:
        return Did.SHOT, Why.IN_BUILDING
    closes_in = manoeuvre == Manoeuvre.CLOSE_IN
    return Did.ADVANCED_AND_SHOT, (Why.OUT_OF_SHORT_RANGE if closes_in else Why.OUT_OF_RANGE)


def named(number: int) -> tuple[str, str]:
    """Return the names of the action and the reason in a packed number."""
    did, why = divmod(number, WHYS)
    return Did(did).name.lower(), Why(why).name.lower()
