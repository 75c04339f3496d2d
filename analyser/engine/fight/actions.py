"""What the active side of a duel is about to do, and why: read off the states as its orders are given."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.program import Setup, When
from analyser.rules import activation, unit_state
from analyser.rules.activation import Order
from analyser.rules.policies import AIM, CHARGE, CLOSE_IN, DOUBLE_TIME, GO_ON_LOOKOUT, SHOOT, TAKE_COVER, View


class Did(IntEnum):
    """What a unit did in a round."""

    ACTED_ELSEWHEN = 0  # nothing here: its activation is the other one of the round
    WAS_GONE = 1
    HAD_NO_ACTIVATION = 2
    FELL = 3  # as its activation began
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


class Why(IntEnum):
    """What made it do that."""

    POLICY = 0
    RULE = 1  # Berserk, Run Amok
    RALLY_FAILED = 2
    IN_BUILDING = 3
    OUT_OF_RANGE = 4
    OUT_OF_SHORT_RANGE = 5
    OUT_OF_REACH = 6  # of a charge
    RELOADING = 7
    NOTHING_TO_FIRE = 8
    ENEMY_GONE = 9
    ACTIVATED = 10  # before its activation (Cryo)
    OPPORTUNITY_FIRE = 11
    GONE = 12


WHYS = 16  # a deed as one number: what was done times that, and why
ACTED_ELSEWHEN = int(Did.ACTED_ELSEWHEN) * WHYS
_WAS_GONE, _NO_ACTIVATION, _FELL, _CHARGED, _SHOT_AIMING, _SHOT = (int(each) * WHYS for each in list(Did)[1:7])
_ADVANCED_AND_SHOT, _ADVANCED, _DOUBLE_TIMED, _RE_ARMED, _LOOKOUT, _COVER, _HELD = (
    int(each) * WHYS for each in list(Did)[7:]
)
_POLICY, _RULE, _RALLY_FAILED, _IN_BUILDING, _OUT_OF_RANGE, _OUT_OF_SHORT_RANGE, _OUT_OF_REACH = (
    int(each) for each in list(Why)[:7]
)
_RELOADING, _NOTHING_TO_FIRE, _ENEMY_GONE, _ACTIVATED, _OPPORTUNITY_FIRE, _GONE = (int(each) for each in list(Why)[7:])
_NO_ATTACK = int(Order.NO_ATTACK)
_IF_FIRST, _IF_SECOND = int(When.IF_FIRST), int(When.IF_SECOND)


@kernel
def deeds_of(
    setup: Setup, operation: tuple[int, int, int], when: int, shots: int, first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> NDArray[np.int64]:  # fmt: skip
    """What the active side does from each pair of states, and why, as one number.

    Parameters
    ----------
    setup : Setup
    operation : (int, int, int)
        GIVE_ORDERS, which is next.
    when : int
        Which activation of the round it is.
    shots : int
        How many strikes, from that of the operation on, the side can shoot with.
    first, second : int64 arrays
        The states of side 0 and of side 1.
    """
    found = np.empty(len(first), np.int64)
    for place in range(len(first)):
        mine, theirs = first[place], second[place]
        if operation[1] == 1:
            mine, theirs = theirs, mine
        found[place] = deed(setup, operation, when, shots, mine, theirs)
    return found


@step
def deed(setup: Setup, operation: tuple[int, int, int], when: int, shots: int, mine: int, theirs: int) -> int:
    """What the active side does, and why."""
    began = unit_state.order_of(mine) == _NO_ATTACK
    is_first = mine & unit_state.FIRST != 0
    if (when == _IF_FIRST and not is_first) or (when == _IF_SECOND and is_first):
        return ACTED_ELSEWHEN
    if unit_state.is_removed(mine):
        return _FELL + _OPPORTUNITY_FIRE if began else _WAS_GONE + _GONE
    if unit_state.is_removed(theirs):
        return _NO_ACTIVATION + _ENEMY_GONE
    if not began:
        return _NO_ACTIVATION + _ACTIVATED
    return deed_of_orders(setup, operation, shots, mine, theirs)


@step
def deed_of_orders(setup: Setup, operation: tuple[int, int, int], shots: int, mine: int, theirs: int) -> int:
    """What the active side does on the orders that it is given, and why."""
    _, side, number = operation
    view = operations.view_of(setup, operation, mine, theirs)
    manoeuvre, action = operations.decision(setup, operation, view)
    if manoeuvre == CHARGE:
        return _CHARGED + (_RULE if view.must_charge else _POLICY)
    if action in (SHOOT, GO_ON_LOOKOUT) and setup.sides[side].rearms and mine & unit_state.RELOADING:
        return _RE_ARMED + _RELOADING
    if action == GO_ON_LOOKOUT:
        return _LOOKOUT + _POLICY
    if action == TAKE_COVER:
        return _COVER + _POLICY
    strike = setup.strikes[max(number, 0)]
    moves = activation.length_moved(manoeuvre, setup.sides[side], strike, view.distance) > 0
    if action == SHOOT and shoots(setup, operation, shots, mine, theirs):
        return deed_of_shot(manoeuvre, view)
    return deed_without_attack(manoeuvre, action, moves, view)


@step
def shoots(setup: Setup, operation: tuple[int, int, int], shots: int, mine: int, theirs: int) -> bool:
    """Whether any shot is made on these orders."""
    _, side, number = operation
    mine = operations.given_orders(setup, operation, mine, theirs)
    words = (mine, theirs) if side == 0 else (theirs, mine)
    for shot in range(number, number + shots):  # noqa: SIM110 - the compiler knows no generators
        if strikes.is_made(setup, shot, side, words):
            return True
    return False


@step
def deed_of_shot(manoeuvre: int, view: View) -> int:
    """What a unit does that shoots."""
    if manoeuvre == AIM:
        return _SHOT_AIMING + _POLICY
    if view.rally_failed:
        return _SHOT + _RALLY_FAILED
    if view.in_building:
        return _SHOT + _IN_BUILDING
    return _ADVANCED_AND_SHOT + (_OUT_OF_SHORT_RANGE if manoeuvre == CLOSE_IN else _OUT_OF_RANGE)


@step
def deed_without_attack(manoeuvre: int, action: int, moves: bool, view: View) -> int:
    """What a unit does that neither attacks nor takes another action."""
    why = _RALLY_FAILED if view.rally_failed else _OUT_OF_REACH if manoeuvre == DOUBLE_TIME else _OUT_OF_RANGE
    if moves:
        return (_DOUBLE_TIMED if manoeuvre == DOUBLE_TIME else _ADVANCED) + why
    if action == SHOOT and view.in_range:
        return _HELD + _NOTHING_TO_FIRE
    return _HELD + (_IN_BUILDING if view.in_building else why)


def named(number: int) -> tuple[str, str]:
    """What was done and why, in the words of an answer.

    Examples
    --------
    >>> named(int(Did.SHOT) * WHYS + int(Why.RALLY_FAILED))
    ('shot', 'rally_failed')
    """
    did, why = divmod(number, WHYS)
    return Did(did).name.lower(), Why(why).name.lower()
