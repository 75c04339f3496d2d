"""Activation of a unit from its rally test to its end (AC-5.6, AC-5.7, AC-9.2), as changes of its state."""

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
    NO_ATTACK = 7  # active, with orders to come or without an attack; after a combat: a stalemate


_BESIDE_BUILDING = 3 * INCH  # largest distance from the building of a garrison that leaves it
_CLEAR_OF_ENEMIES = INCH  # distance kept by a move other than a charge
APART = 1 << 17  # flag of a stop: it is the distance from the enemy at the end, not the length of the move
OF_THE_ROUND = ACTIVATED | unit_state.FIRST  # bits cleared by the end phase
_OF_THE_ACTIVATION = unit_state.RALLY_FAILED | unit_state.SUPPRESSED_BEFORE | unit_state.DISORDERED_BEFORE


@step
def begun(state: int, target: TargetFacts) -> int:
    """Return the unit as its activation begins; unchanged if it is removed or already activated (Cryo).

    Behind Pavises, cover is lost only by moving (AC-7).
    """
    if unit_state.is_removed(state) or state & ACTIVATED:
        return state
    state &= ~(FELL_BACK | unit_state.ON_LOOKOUT | (0 if target.pavises else unit_state.TAKING_COVER))
    state |= unit_state.SUPPRESSED_BEFORE if state & SUPPRESSED else 0
    state |= unit_state.DISORDERED_BEFORE if state & DISORDERED else 0
    return unit_state.with_order(state, Order.NO_ATTACK) | ACTIVATED


@step
def rallies_up_to(state: int, target: TargetFacts) -> int:
    """Return the highest card that passes the rally test of an active unit (AC-5.6); ANY_CARD if it draws none."""
    takes_none = target.passes_tests or target.hot_headed or target.discipline == NONE
    if takes_none or not awaits_orders(state) or not state & unit_state.SUPPRESSED_BEFORE:
        return discipline.ANY_CARD
    return target.discipline + target.chain_of_command - (1 if state & DISORDERED else 0)


@step
def awaits_orders(state: int) -> bool:
    """Return True if the unit is active and has no orders yet."""
    return not unit_state.is_removed(state) and unit_state.order_of(state) == Order.NO_ATTACK


@step
def length_between(state: int, other: int, side: SideFacts, others: SideFacts) -> int:
    """Return the distance between two units; NONE if distances do not count."""
    if side.distance == NONE:
        return NONE
    return max(side.distance - unit_state.position_of(state, side) - unit_state.position_of(other, others), 0)


@step
def is_short(strike: StrikeFacts, side: SideFacts, distance: int) -> bool:
    """Return True if the other side is within the row's short range.

    Without distances it is true for the policy ``short_range``, and for best play with a row that is not Indirect.
    """
    if strike.short_range == NONE:
        return False
    if distance == NONE:
        return side.policy == Policy.SHORT_RANGE or (side.policy == NONE and not strike.indirect)
    return distance <= strike.short_range


@step
def reaches(strike: StrikeFacts, side: SideFacts, distance: int) -> bool:
    """Return True if the row may fire at that distance (AC-4.1; Indirect)."""
    if strike.indirect and is_short(strike, side, distance):
        return False
    return NONE in (distance, strike.long_range) or distance <= strike.long_range


@step
def view_of(state: int, other: int, sides: tuple[SideFacts, SideFacts], strike: StrikeFacts, has_row: bool) -> View:
    """Return the view of the unit's policy; `strike` uses the row that the unit shoots with, if it `has_row`.

    `sides`: of the unit and of the enemy.
    """
    return view_at(state, length_between(state, other, sides[0], sides[1]), sides[0], strike, has_row)


@step
def view_at(state: int, distance: int, side: SideFacts, strike: StrikeFacts, has_row: bool) -> View:
    """Return the view of the policy of a unit at that distance (see :func:`view_of`)."""
    short = has_row and is_short(strike, side, distance)
    in_range = has_row and reaches(strike, side, distance)
    can_charge = side.charges != 0 and (distance == NONE or distance <= 2 * side.speed)
    inside = in_building(state, side)
    made_to = side.berserk if state & unit_state.RALLY_FAILED else side.runs_amok
    return View(
        rally_failed=state & unit_state.RALLY_FAILED != 0,
        in_building=inside,
        in_range=in_range,
        in_short_range=in_range and (short or strike.short_range == NONE),
        can_charge=can_charge,
        must_charge=can_charge and made_to != 0 and not inside,
        distance=distance,
    )


@step
def in_building(state: int, side: SideFacts) -> bool:
    """Return True if a garrison is still in its building."""
    return side.garrisoned != 0 and state & unit_state.OUT_OF_BUILDING == 0


@step
def length_moved(manoeuvre: int, side: SideFacts, strike: StrikeFacts, distance: int, to_edge: int) -> int:
    """Return the length of a manoeuvre; only a charge ends in contact.

    `to_edge`: the distance to its own edge, or NONE if it is far. A unit that retires to its edge has not fallen back
    to it, and does not flee (AC-5.4).
    """
    if distance == NONE:
        return 0
    if manoeuvre == Manoeuvre.CHARGE:
        return distance
    room = max(distance - _CLEAR_OF_ENEMIES, 0)
    if manoeuvre == Manoeuvre.EXIT:
        return min(_BESIDE_BUILDING, room)
    if manoeuvre == Manoeuvre.EXIT_BACK:
        return -_BESIDE_BUILDING if to_edge == NONE else -min(_BESIDE_BUILDING, to_edge)
    if manoeuvre == Manoeuvre.ADVANCE:
        return min(side.speed, room)
    if manoeuvre == Manoeuvre.CLOSE_IN:
        wanted = strike.long_range if strike.short_range == NONE else strike.short_range
        return min(side.speed, room, max(distance - wanted, 0))
    if manoeuvre in (Manoeuvre.RETIRE, Manoeuvre.RETIRE_AT_DOUBLE_TIME):
        times = 1 if manoeuvre == Manoeuvre.RETIRE else 2
        most = times * side.speed if times <= side.retires else 0
        return -most if to_edge == NONE else -min(most, to_edge)
    return min(2 * side.speed, room) if manoeuvre == Manoeuvre.DOUBLE_TIME else 0


@step
def stopped(length: int, stop: int, distance: int) -> int:
    """Return the length of a move that may end early, in hundredths of an inch; negative is away from the enemy.

    `length` is its full length, and `distance` that of the enemy before it. It ends after the length `stop`, or never
    early for 0. With APART it ends at that distance from the enemy, even beyond the full length (:func:`is_part`).

    >>> stopped(600, 200, 1800), stopped(-600, 200, 1800), stopped(600, APART | 1600, 1800), stopped(600, 0, 1800)
    (200, -200, 200, 600)
    """
    if stop == 0:
        return length
    if stop & APART:
        return distance - (stop ^ APART)
    return stop if length > 0 else -stop


@step
def is_part(goes: int, length: int) -> bool:
    """Return True if a move of length `goes` ends earlier than one of `length` in the same direction.

    >>> is_part(200, 600), is_part(600, 600), is_part(-200, 600), is_part(-200, -600)
    (True, False, False, True)
    """
    return 0 < goes < length or length < goes < 0


@step
def ordered(state: int, decision: tuple[int, int], side: SideFacts, strike: StrikeFacts, distance: int) -> int:
    """Return the unit after its manoeuvre and special action; its order is the way in which it attacks."""
    to_edge = unit_state.length_to_edge(state, side)
    return ordered_to(state, decision, side, length_moved(decision[0], side, strike, distance, to_edge))


@step
def ordered_to(state: int, decision: tuple[int, int], side: SideFacts, length: int) -> int:
    """Return the unit after a manoeuvre of that length, with its special action (see :func:`ordered`)."""
    manoeuvre, action = decision
    if length != 0 or manoeuvre in (Manoeuvre.CHARGE, Manoeuvre.EXIT):
        state = unit_state.moved(state, side, length)
    empties = action in (Action.SHOOT, Action.GO_ON_LOOKOUT) and side.rearms
    if (action == Action.RE_ARM or empties) and state & unit_state.RELOADING:
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
def ended(state: int, target: TargetFacts) -> int:
    """Return the unit as its activation ends, without the statuses that it had at the start (AC-5.7, AC-5.8).

    The disorder of a Construct stays until a commander is near (AC-7).
    """
    if unit_state.is_removed(state):
        return unit_state.with_order(state, Order.NOTHING)
    if state & unit_state.SUPPRESSED_BEFORE:
        state &= ~SUPPRESSED
    if state & unit_state.DISORDERED_BEFORE and not target.construct:
        state &= ~DISORDERED
    return unit_state.with_order(state & ~_OF_THE_ACTIVATION, Order.NOTHING)


@step
def enveloped(state: int, other: int, side: SideFacts, others: SideFacts) -> int:
    """Return the unit, disordered if Corrosive Fumes reach it (AC-7)."""
    distance = length_between(state, other, side, others)
    reached = NONE not in (distance, side.fumes_within) and distance <= side.fumes_within
    return state | DISORDERED if reached else state
