"""Activation of a unit, from the rally test to the end, as changes of the unit's state (AC-5.6, AC-5.7, AC-9.2)."""

from __future__ import annotations

from enum import IntEnum

from analyser.common.jit import step
from analyser.rules import discipline, unit_state
from analyser.rules.discipline import ACTIVATED, DISORDERED, FELL_BACK, SUPPRESSED
from analyser.rules.policies import Action, Manoeuvre, Policy, View
from analyser.rules.structs import INCH, NONE, SideFacts, StrikeFacts, TargetFacts


class Order(IntEnum):
    """Order of a unit in its attack step, or the result of its combat."""

    NOTHING = 0
    SHOOT_AIMING = 1
    SHOOT = 2
    CHARGE = 3
    OVERRUN = 4
    WON = 5
    LOST = 6
    NO_ATTACK = 7  # the unit awaits its orders or does not attack; after a combat: neither side has won


_EXIT_LENGTH = 3 * INCH  # longest move of a garrison that leaves its building
_CLEAR_OF_ENEMIES = INCH  # least distance from the enemy after a move other than a charge
# A stop says where a move ends: as the length moved or, with this flag, as the distance from the enemy after the move.
STOP_IS_DISTANCE = 1 << 17
ROUND_FLAGS = ACTIVATED | unit_state.IS_FIRST  # bits cleared by the end phase
_ACTIVATION_FLAGS = unit_state.RALLY_FAILED | unit_state.SUPPRESSED_BEFORE | unit_state.DISORDERED_BEFORE


@step
def start_activation(state: int, target: TargetFacts) -> int:
    """Return the state at the start of the activation; unchanged if the unit is removed or already activated (Cryo)."""
    if unit_state.is_removed(state) or state & ACTIVATED:
        return state
    state &= ~(FELL_BACK | unit_state.ON_LOOKOUT | (0 if target.pavises else unit_state.TAKING_COVER))
    state |= unit_state.SUPPRESSED_BEFORE if state & SUPPRESSED else 0
    state |= unit_state.DISORDERED_BEFORE if state & DISORDERED else 0
    return unit_state.with_order(state, Order.NO_ATTACK) | ACTIVATED


@step
def highest_rally_card(state: int, target: TargetFacts) -> int:
    """Return the highest card that passes the rally test of an active unit (AC-5.6); ANY_CARD if no test is due."""
    takes_no_test = target.passes_tests or target.hot_headed or target.discipline == NONE
    if takes_no_test or not awaits_orders(state) or not state & unit_state.SUPPRESSED_BEFORE:
        return discipline.ANY_CARD
    return target.discipline + target.chain_of_command - (1 if state & DISORDERED else 0)


@step
def awaits_orders(state: int) -> bool:
    """Return True if the unit is active and has no order yet."""
    return not unit_state.is_removed(state) and unit_state.order_of(state) == Order.NO_ATTACK


@step
def distance_between(state: int, other: int, side: SideFacts, other_side: SideFacts) -> int:
    """Return the distance between two units; NONE if distances do not count."""
    if side.distance == NONE:
        return NONE
    return max(side.distance - unit_state.position_of(state, side) - unit_state.position_of(other, other_side), 0)


@step
def is_at_short_range(strike: StrikeFacts, side: SideFacts, distance: int) -> bool:
    """Return True if the enemy is within the row's short range.

    If distances do not count: under the policy SHORT_RANGE, and without a policy unless the row is Indirect.
    """
    if strike.short_range == NONE:
        return False
    if distance == NONE:
        return side.policy == Policy.SHORT_RANGE or (side.policy == NONE and not strike.indirect)
    return distance <= strike.short_range


@step
def can_reach(strike: StrikeFacts, side: SideFacts, distance: int) -> bool:
    """Return True if the row may fire at this distance (AC-4.1; Indirect)."""
    if strike.indirect and is_at_short_range(strike, side, distance):
        return False
    return NONE in (distance, strike.long_range) or distance <= strike.long_range


@step
def at_double_time(speed: int) -> int:
    """Return the longest move at double time or in a charge (AC-8.1)."""
    return 2 * speed


@step
def view_of(state: int, distance: int, side: SideFacts, strike: StrikeFacts, has_row: bool) -> View:
    """Return the facts on which a unit's policy decides, at this distance from the enemy.

    `strike`: a shot with the unit's row; ignored if `has_row` is False.
    """
    short = has_row and is_at_short_range(strike, side, distance)
    in_range = has_row and can_reach(strike, side, distance)
    can_charge = side.charges != 0 and (distance == NONE or distance <= at_double_time(side.speed))
    inside = in_building(state, side)
    charge_compelled = side.berserk if state & unit_state.RALLY_FAILED else side.runs_amok
    return View(
        rally_failed=state & unit_state.RALLY_FAILED != 0,
        in_building=inside,
        in_range=in_range,
        in_short_range=in_range and (short or strike.short_range == NONE),
        can_charge=can_charge,
        must_charge=can_charge and charge_compelled != 0 and not inside,
        distance=distance,
    )


@step
def in_building(state: int, side: SideFacts) -> bool:
    """Return True if a garrison is still in its building."""
    return side.garrisoned != 0 and state & unit_state.OUT_OF_BUILDING == 0


@step
def length_moved(manoeuvre: int, side: SideFacts, strike: StrikeFacts, distance: int, to_edge: int) -> int:
    """Return a manoeuvre's length without a stop (negative: away from the enemy). Only a charge ends in contact."""
    if distance == NONE:
        return 0
    if manoeuvre == Manoeuvre.CHARGE:
        return distance
    room = max(distance - _CLEAR_OF_ENEMIES, 0)
    if manoeuvre == Manoeuvre.EXIT:
        return min(_EXIT_LENGTH, room)
    if manoeuvre == Manoeuvre.EXIT_BACK:
        return -_EXIT_LENGTH if to_edge == NONE else -min(_EXIT_LENGTH, to_edge)
    if manoeuvre == Manoeuvre.ADVANCE:
        return min(side.speed, room)
    if manoeuvre == Manoeuvre.CLOSE_IN:
        wanted = strike.long_range if strike.short_range == NONE else strike.short_range
        return min(side.speed, room, max(distance - wanted, 0))
    if manoeuvre in (Manoeuvre.RETIRE, Manoeuvre.RETIRE_AT_DOUBLE_TIME):
        times = 1 if manoeuvre == Manoeuvre.RETIRE else 2
        most = times * side.speed if times <= side.retires else 0
        return -most if to_edge == NONE else -min(most, to_edge)
    return min(at_double_time(side.speed), room) if manoeuvre == Manoeuvre.DOUBLE_TIME else 0


@step
def length_until_stop(length: int, stop: int, distance: int) -> int:
    """Return the length of a move that ends at `stop` (0: the full `length`); negative if away from the enemy.

    >>> length_until_stop(-600, 200, 1800), length_until_stop(600, STOP_IS_DISTANCE | 1600, 1800)
    (-200, 200)
    """
    if stop == 0:
        return length
    if stop & STOP_IS_DISTANCE:
        return distance - (stop ^ STOP_IS_DISTANCE)
    return stop if length > 0 else -stop


@step
def ends_early(moved: int, length: int) -> bool:
    """Return True if a move of length `moved` is shorter than a move of `length` and has the same direction.

    >>> ends_early(200, 600), ends_early(600, 600), ends_early(-200, 600), ends_early(-200, -600)
    (True, False, False, True)
    """
    return 0 < moved < length or length < moved < 0


@step
def carry_out_move(state: int, decision: tuple[int, int], side: SideFacts, length: int) -> int:
    """Return the state after a decision with a move of this `length`; the stored order says how the unit attacks."""
    manoeuvre, action = decision
    if length != 0 or manoeuvre in (Manoeuvre.CHARGE, Manoeuvre.EXIT):
        state = unit_state.move(state, side, length)
    rearms_first = action in (Action.SHOOT, Action.GO_ON_LOOKOUT) and side.rearms
    if (action == Action.RE_ARM or rearms_first) and state & unit_state.RELOADING:
        return unit_state.with_order(state & ~unit_state.RELOADING, Order.NO_ATTACK)
    if action == Action.GO_ON_LOOKOUT:
        state |= unit_state.ON_LOOKOUT
    elif action == Action.TAKE_COVER:
        state |= unit_state.TAKING_COVER
    order = Order.CHARGE if manoeuvre == Manoeuvre.CHARGE else Order.NO_ATTACK
    if action == Action.SHOOT:
        order = Order.SHOOT_AIMING if manoeuvre == Manoeuvre.AIM else Order.SHOOT
    return unit_state.with_order(state, order)


@step
def end_activation(state: int, target: TargetFacts) -> int:
    """Return the state without suppression or disorder from before the activation (AC-5.7, AC-5.8; Construct, AC-7)."""
    if unit_state.is_removed(state):
        return unit_state.with_order(state, Order.NOTHING)
    if state & unit_state.SUPPRESSED_BEFORE:
        state &= ~SUPPRESSED
    if state & unit_state.DISORDERED_BEFORE and not target.construct:
        state &= ~DISORDERED
    return unit_state.with_order(state & ~_ACTIVATION_FLAGS, Order.NOTHING)


@step
def apply_fumes(state: int, other: int, side: SideFacts, other_side: SideFacts) -> int:
    """Return the unit's state; it is disordered if the enemy's Corrosive Fumes reach the unit (AC-7)."""
    distance = distance_between(state, other, side, other_side)
    reached = NONE not in (distance, side.fumes_reach) and distance <= side.fumes_reach
    return state | DISORDERED if reached else state
