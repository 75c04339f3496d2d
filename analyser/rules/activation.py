"""An activation from its rally test to its end (AC-5.6, AC-5.7, AC-9.2), as changes of a unit's state."""

from __future__ import annotations

from enum import IntEnum

from analyser.common.jit import step
from analyser.rules import discipline, unit_state
from analyser.rules.outcome import ACTIVATED, DISORDERED, FELL_BACK, SUPPRESSED
from analyser.rules.policies import Action, Manoeuvre, Policy, View
from analyser.rules.structs import INCH, NONE, SideFacts, StrikeFacts, TargetFacts
from analyser.rules.unit_state import (
    DISORDERED_BEFORE,
    ON_LOOKOUT,
    RALLY_FAILED,
    RELOADING,
    SUPPRESSED_BEFORE,
    TAKING_COVER,
    is_removed,
    models_of,
    moved,
    position_of,
    with_order,
)


class Order(IntEnum):
    """What a unit does in its attack step, and then how its combat has ended."""

    NOTHING = 0
    SHOOT_AIMING = 1
    SHOOT = 2
    CHARGE = 3
    OVERRUN = 4
    WON = 5
    LOST = 6
    NO_ATTACK = 7  # active, orders still to come, or none that attacks; after a combat: a stalemate


_CLEAR_OF_ENEMIES = INCH  # which a move other than a charge keeps
_OF_THE_ACTIVATION = RALLY_FAILED | SUPPRESSED_BEFORE | DISORDERED_BEFORE


@step
def begun(word: int, target: TargetFacts) -> int:
    """The unit as its activation begins; one that is gone, or activated already (Cryo), does not act.

    Behind Pavises cover is lost only by moving (AC-7).
    """
    if is_removed(word) or word & ACTIVATED:
        return word
    word &= ~(FELL_BACK | (ON_LOOKOUT if target.pavises else ON_LOOKOUT | TAKING_COVER))
    word |= SUPPRESSED_BEFORE if word & SUPPRESSED else 0
    word |= DISORDERED_BEFORE if word & DISORDERED else 0
    return with_order(word, Order.NO_ATTACK) | ACTIVATED


@step
def rallies_up_to(word: int, target: TargetFacts) -> int:
    """The highest card that passes the rally test of a unit that has begun (AC-5.6); ANY_CARD where none is drawn."""
    if not awaits_orders(word) or not word & SUPPRESSED_BEFORE:
        return discipline.ANY_CARD
    if target.passes_tests or target.hot_headed or target.discipline == NONE:
        return discipline.ANY_CARD
    return target.discipline + target.chain_of_command - (1 if word & DISORDERED else 0)


@step
def awaits_orders(word: int) -> bool:
    """Whether the unit is active and its orders are still to be given."""
    return not is_removed(word) and unit_state.order_of(word) == Order.NO_ATTACK


@step
def length_between(word: int, other: int, side: SideFacts, others: SideFacts) -> int:
    """The distance between the two, whose sides are `side` and `others`; NONE where distances do not count."""
    if side.distance == NONE:
        return NONE
    return max(side.distance - position_of(word, side) - position_of(other, others), 0)


@step
def is_short(strike: StrikeFacts, side: SideFacts, distance: int) -> bool:
    """Whether the other side is within the row's short range; without distances the policy says so."""
    if strike.short_range == NONE:
        return False
    return side.policy == Policy.SHORT_RANGE if distance == NONE else distance <= strike.short_range


@step
def reaches(strike: StrikeFacts, side: SideFacts, distance: int) -> bool:
    """Whether the row may fire at that distance (AC-4.1; Indirect)."""
    if strike.indirect and is_short(strike, side, distance):
        return False
    return NONE in (distance, strike.long_range) or distance <= strike.long_range


@step
def view_of(word: int, other: int, sides: tuple[SideFacts, SideFacts], strike: StrikeFacts, has_row: bool) -> View:
    """What the policy of the unit sees; `strike` is made with the row that it shoots with, if it has one.

    `sides`: of the unit and of the other one.
    """
    side = sides[0]
    distance = length_between(word, other, side, sides[1])
    short = has_row and is_short(strike, side, distance)
    in_range = has_row and reaches(strike, side, distance)
    can_charge = side.charges != 0 and (distance == NONE or distance <= 2 * side.speed)
    return View(
        models=models_of(word),
        suppressed=word & SUPPRESSED != 0,
        rally_failed=word & RALLY_FAILED != 0,
        in_building=in_building(word, side),
        in_range=in_range,
        in_short_range=in_range and (short or strike.short_range == NONE),
        can_charge=can_charge,
        must_charge=can_charge and (side.berserk if word & RALLY_FAILED else side.runs_amok) != 0,
        distance=distance,
        enemy_models=models_of(other),
        enemy_suppressed=other & SUPPRESSED != 0,
        enemy_on_lookout=other & ON_LOOKOUT != 0,
        enemy_taking_cover=other & TAKING_COVER != 0,
    )


@step
def in_building(word: int, side: SideFacts) -> bool:
    """Whether a garrison is still in its building."""
    return side.garrisoned != 0 and word & unit_state.OUT_OF_BUILDING == 0


@step
def length_moved(manoeuvre: int, side: SideFacts, strike: StrikeFacts, distance: int) -> int:
    """How far a manoeuvre takes the unit; only a charge ends in contact."""
    if distance == NONE:
        return 0
    if manoeuvre == Manoeuvre.CHARGE:
        return distance
    room = max(distance - _CLEAR_OF_ENEMIES, 0)
    if manoeuvre == Manoeuvre.ADVANCE:
        return min(side.speed, room)
    if manoeuvre == Manoeuvre.CLOSE_IN:
        wanted = strike.long_range if strike.short_range == NONE else strike.short_range
        return min(side.speed, room, max(distance - wanted, 0))
    return min(2 * side.speed, room) if manoeuvre == Manoeuvre.DOUBLE_TIME else 0


@step
def ordered(word: int, decision: tuple[int, int], side: SideFacts, strike: StrikeFacts, distance: int) -> int:
    """The unit with its manoeuvre made, and its special action; what it attacks with is its order."""
    manoeuvre, action = decision
    length = length_moved(manoeuvre, side, strike, distance)
    if length > 0 or manoeuvre == Manoeuvre.CHARGE:
        word = moved(word, side, length)
    if action in (Action.SHOOT, Action.GO_ON_LOOKOUT) and side.rearms and word & RELOADING:
        return with_order(word & ~RELOADING, Order.NO_ATTACK)
    if action == Action.GO_ON_LOOKOUT:
        word |= ON_LOOKOUT
    elif action == Action.TAKE_COVER:
        word |= TAKING_COVER
    order = Order.CHARGE if manoeuvre == Manoeuvre.CHARGE else Order.NO_ATTACK
    if action == Action.SHOOT:
        order = Order.SHOOT_AIMING if manoeuvre == Manoeuvre.AIM else Order.SHOOT
    return with_order(word, order)


@step
def ended(word: int, target: TargetFacts) -> int:
    """The unit as its activation ends: statuses that it had at the start of it are lost (AC-5.7, AC-5.8).

    The disorder of a Construct stays until a commander is near (AC-7).
    """
    if is_removed(word):
        return with_order(word, Order.NOTHING)
    if word & SUPPRESSED_BEFORE:
        word &= ~SUPPRESSED
    if word & DISORDERED_BEFORE and not target.construct:
        word &= ~DISORDERED
    return with_order(word & ~_OF_THE_ACTIVATION, Order.NOTHING)


@step
def enveloped(word: int, other: int, side: SideFacts, others: SideFacts) -> int:
    """The unit where it stands, disordered by Corrosive Fumes if they reach it there (AC-7)."""
    distance = length_between(word, other, side, others)
    reached = NONE not in (distance, side.fumes_within) and distance <= side.fumes_within
    return word | DISORDERED if reached else word


@step
def after_the_round(word: int) -> int:
    """The unit after the end phase: no longer activated."""
    return word & ~(ACTIVATED | unit_state.FIRST)
