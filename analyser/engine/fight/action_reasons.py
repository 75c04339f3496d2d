"""Actions in a duel and the reasons, from both states when a side gets orders; `mine` is that side's state."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Integers
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.program import Kind, Op, Setup, When, unpack_order
from analyser.rules import activation, unit_state
from analyser.rules.activation import Order
from analyser.rules.policies import Action, Manoeuvre, leaves_building
from analyser.rules.structs import NONE


class ActionTaken(IntEnum):
    """Action of a unit in a round."""

    ACTED_ELSEWHEN = 0  # the toss put the unit's activation elsewhere in the round
    WAS_GONE = 1
    HAD_NO_ACTIVATION = 2
    FELL = 3  # the unit was removed as its activation began
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


class Reason(IntEnum):
    """Reason for an action."""

    POLICY = 0
    RULE = 1  # Berserk, Run Amok
    RALLY_FAILED = 2
    IN_BUILDING = 3
    OUT_OF_RANGE = 4
    OUT_OF_SHORT_RANGE = 5
    OUT_OF_REACH = 6  # the target of a charge is out of reach
    RELOADING = 7
    NOTHING_TO_FIRE = 8
    ENEMY_GONE = 9
    ACTIVATED = 10  # Cryo activated the unit before its own activation
    OPPORTUNITY_FIRE = 11
    GONE = 12
    CHOICE = 13  # the action follows an ORDER, not a policy


REASON_FACTOR = 16  # a packed action: ActionTaken * REASON_FACTOR + Reason
ACTED_ELSEWHEN = ActionTaken.ACTED_ELSEWHEN * REASON_FACTOR


@tiered(2.0)
def packed_actions(setup: Setup, operation: Op, when: int, shots: int, first: Integers, second: Integers) -> Integers:
    """Return the packed action and reason of the active side for each pair of states; `shots`: number of its shots."""
    result = np.empty(len(first), np.int64)
    for place in range(len(first)):
        mine, theirs = first[place], second[place]
        if operation[1] == 1:
            mine, theirs = theirs, mine
        action, reason = action_of(setup, operation, when, shots, mine, theirs)
        result[place] = action * REASON_FACTOR + reason
    return result


@step
def action_of(setup: Setup, operation: Op, when: int, shots: int, mine: int, theirs: int) -> tuple[int, int]:
    """Return the active side's action and its reason."""
    is_active = unit_state.order_of(mine) == Order.NO_ATTACK
    is_first = mine & unit_state.IS_FIRST != 0
    if (when == When.IF_FIRST and not is_first) or (when == When.IF_SECOND and is_first):
        return ActionTaken.ACTED_ELSEWHEN, Reason.POLICY
    if unit_state.is_removed(mine):
        return (ActionTaken.FELL, Reason.OPPORTUNITY_FIRE) if is_active else (ActionTaken.WAS_GONE, Reason.GONE)
    if unit_state.is_removed(theirs):
        return ActionTaken.HAD_NO_ACTIVATION, Reason.ENEMY_GONE
    if not is_active:
        return ActionTaken.HAD_NO_ACTIVATION, Reason.ACTIVATED
    return action_on_orders(setup, operation, shots, mine, theirs)


@step
def action_on_orders(setup: Setup, operation: Op, shots: int, mine: int, theirs: int) -> tuple[int, int]:
    """Return the active side's action and its reason, if it gets orders."""
    kind, side, number = operation
    if kind == Kind.ORDER:
        return action_chosen(setup, operation, mine, theirs)
    view = operations.view_of(setup, operation, mine, theirs)
    manoeuvre, action = operations.policy_decision(setup, operation, view)
    if manoeuvre == Manoeuvre.CHARGE:
        return ActionTaken.CHARGED, (Reason.RULE if view.must_charge else Reason.POLICY)
    if action in (Action.SHOOT, Action.GO_ON_LOOKOUT) and setup.sides[side].rearms and mine & unit_state.RELOADING:
        return ActionTaken.RE_ARMED, Reason.RELOADING
    if action in (Action.GO_ON_LOOKOUT, Action.TAKE_COVER):
        return action_of_decision(manoeuvre, action), Reason.POLICY
    if action == Action.SHOOT and shoots(setup, operation, shots, mine, theirs):
        reason = Reason.OUT_OF_SHORT_RANGE if manoeuvre == Manoeuvre.CLOSE_IN else Reason.OUT_OF_RANGE
        reason = Reason.IN_BUILDING if view.in_building else reason
        reason = Reason.RALLY_FAILED if view.rally_failed else reason
        return action_of_decision(manoeuvre, action), (Reason.POLICY if manoeuvre == Manoeuvre.AIM else reason)
    if manoeuvre == Manoeuvre.STAY and action == Action.NOTHING and not (view.rally_failed or view.in_building):
        return ActionTaken.HELD, Reason.POLICY
    reason = Reason.OUT_OF_REACH if manoeuvre == Manoeuvre.DOUBLE_TIME else Reason.OUT_OF_RANGE
    reason = Reason.RALLY_FAILED if view.rally_failed else reason
    if activation.length_moved(manoeuvre, setup.sides[side], setup.strikes[max(number, 0)], view.distance, NONE) > 0:
        return action_of_decision(manoeuvre, Action.NOTHING), reason
    if action == Action.SHOOT and view.in_range:
        return ActionTaken.HELD, Reason.NOTHING_TO_FIRE
    return ActionTaken.HELD, (Reason.IN_BUILDING if view.in_building else reason)


@step
def action_chosen(setup: Setup, operation: Op, mine: int, theirs: int) -> tuple[int, int]:
    """Return the action that an ORDER means, and its reason; the ORDER must be allowed."""
    _, side, number = operation
    manoeuvre, action, strike, _ = unpack_order(number)
    view = operations.view_of(setup, (Kind.GIVE_ORDERS, side, strike), mine, theirs)
    taken = action_of_decision(manoeuvre, action)
    if manoeuvre == Manoeuvre.CHARGE and view.must_charge:
        return taken, Reason.RULE
    if manoeuvre == Manoeuvre.STAY and action == Action.SHOOT:
        return taken, (Reason.RALLY_FAILED if view.rally_failed else Reason.IN_BUILDING)
    return taken, Reason.CHOICE


@step
def action_of_decision(manoeuvre: int, action: int) -> int:
    """Return the :class:`ActionTaken` of a decision that is carried out."""
    if manoeuvre == Manoeuvre.CHARGE:
        return ActionTaken.CHARGED
    if action == Action.GO_ON_LOOKOUT:
        return ActionTaken.WENT_ON_LOOKOUT
    if action == Action.TAKE_COVER:
        return ActionTaken.TOOK_COVER
    if action == Action.RE_ARM:
        return ActionTaken.RE_ARMED
    retires = manoeuvre in (Manoeuvre.RETIRE, Manoeuvre.RETIRE_AT_DOUBLE_TIME)
    if action == Action.SHOOT:
        if manoeuvre == Manoeuvre.AIM:
            return ActionTaken.SHOT_AIMING
        if manoeuvre == Manoeuvre.STAY or leaves_building(manoeuvre):
            return ActionTaken.SHOT
        return ActionTaken.RETIRED_AND_SHOT if retires else ActionTaken.ADVANCED_AND_SHOT
    if leaves_building(manoeuvre):
        return ActionTaken.LEFT_BUILDING
    if retires:
        return ActionTaken.RETIRED
    if manoeuvre == Manoeuvre.DOUBLE_TIME:
        return ActionTaken.DOUBLE_TIMED
    return ActionTaken.HELD if manoeuvre == Manoeuvre.STAY else ActionTaken.ADVANCED


@step
def shoots(setup: Setup, operation: Op, shots: int, mine: int, theirs: int) -> bool:
    """Return True if at least one shot is made with these orders."""
    _, side, number = operation
    mine = operations.follow_orders(setup, operation, mine, theirs)
    pair = (mine, theirs) if side == 0 else (theirs, mine)
    for shot in range(number, number + shots):  # noqa: SIM110 - generators cannot be compiled
        if strikes.is_made(setup, shot, side, pair):
            return True
    return False


def names_of(number: int) -> tuple[str, str]:
    """Return the names of the action and of the reason in a packed action."""
    action, reason = divmod(number, REASON_FACTOR)
    return ActionTaken(action).name.lower(), Reason(reason).name.lower()
