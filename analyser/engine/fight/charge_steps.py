"""Course of a charge (AC-8, AC-7): the order of the strikes, and their circumstances."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import step, step_for
from analyser.engine.fight.program import Kind
from analyser.engine.fight.step_builder import (
    A_COMBAT_LOST,
    Course,
    add,
    add_fixed,
    add_row,
    place,
    set_back_by,
    set_side,
    strikes_of,
)
from analyser.game.ruleset import Rating
from analyser.rules import charge_strikes, unit_state
from analyser.rules.activation import Order
from analyser.rules.shots import RowKind
from analyser.rules.structs import NONE

_CHARGES, _OVERRUNS = 1 << Order.CHARGE, 1 << Order.OVERRUN


@step
def row_for_contact(unit: Any, impact: int) -> int:
    """Return the unit's named or first melee (or, if `impact`, impact) row; NONE if it has none (AC-8.1, AC-8.3)."""
    result, named = NONE, unit.facts[0].close_quarters_row
    for place_of in range(unit.n_rows):
        kind = unit.rows[place_of].facts[0].kind
        if kind == RowKind.MELEE or (impact and kind == RowKind.IMPACT):
            if place_of == named:
                return int(place_of)
            if result == NONE:
                result = place_of
    return int(result)


@step
def overruns(course: Course, side: int) -> bool:
    """Return True if the unit uses Overrun in a charge (AC-7)."""
    return bool(course.question.units[side].facts[0].overrun and course.question.units[side].facts[0].overruns)


@step
def breaks_buildings(course: Course, side: int, row: int) -> bool:
    """Return True if an attack with that row is followed by a die for the building (Siegebreaker, AC-6)."""
    units = course.question.units
    return bool(units[1 - side].target[0].garrisoned and units[side].rows[row].facts[0].siegebreaker)


@step
def is_threatened(course: Course, active: int, again: int) -> bool:
    """Return True if an enemy other than the charged unit is near the charger.

    An Overrun (`again`) leaves behind the units that accompanied the charged unit.
    """
    return bool(
        course.question.units[active].facts[0].threatened
        or (course.question.units[1 - active].facts[0].accompanied and not again)
    )


@step
def add_sponsons(course: Course, active: int) -> None:
    """Append the first attack, by the charged unit's Sponsons; its losses do not count in combat (AC-8.1, AC-7)."""
    charged = course.question.units[1 - active].facts[0]
    if charged.sponsons:
        number = add_fixed(course, 1 - active, charged.sponsons, Rating.WEAKENED, charged.veteran, 0)
        course.setup.strikes[number].orders = _CHARGES
        add(course, Kind.STRIKE, active, number)


@step
def add_attack(course: Course, active: int, again: int) -> None:
    """Append the charger's attack, or its Overrun (`again`), which has one more penalty (AC-8.2, AC-7)."""
    facts, row = course.question.units[active].facts[0], row_for_contact(course.question.units[active], 1)
    number = add_row(course, active, row, 1)
    strike, attack = course.setup.strikes[number], course.setup.attacks[number]
    charged = course.question.units[1 - active].facts[0].type
    attack.bonuses |= charge_strikes.bonuses_of_charge(
        facts.supported, facts.onslaught, facts.outflanking, facts.type, charged, again
    )
    attack.penalties |= charge_strikes.penalties_of_charge(is_threatened(course, active, again), again)
    can_overcharge = course.question.units[active].rows[row].facts[0].can_overcharge
    attack.overcharge = 1 if facts.overcharges and can_overcharge else 0
    attack.charging = 1 - again
    if facts.outflanking and not again:
        course.setup.targets[number].from_front = 0
    strike.orders = _OVERRUNS if again else _CHARGES
    strike.attacks_building = 1 if breaks_buildings(course, active, row) and not again else 0
    strike.before_throw = facts.throws
    add(course, Kind.STRIKE, active, number)


@step
def add_retaliation(course: Course, active: int, again: int, inside: int) -> None:
    """Append the charged unit's attack, if it has a melee row; the charger is always in its own front arc (AC-8.3)."""
    row = row_for_contact(course.question.units[1 - active], 0)
    if row == NONE:
        return
    number = add_row(course, 1 - active, row, 1)
    strike, attack = course.setup.strikes[number], course.setup.attacks[number]
    charger, charged = course.question.units[active].facts[0], course.question.units[1 - active].facts[0]
    attack.bonuses |= charge_strikes.bonuses_of_retaliation(
        is_threatened(course, active, again), charged.type, charger.type
    )
    attack.penalties |= charge_strikes.penalties_of_retaliation(charger.supported)
    can_overcharge = course.question.units[1 - active].rows[row].facts[0].can_overcharge
    attack.overcharge = 1 if charged.overcharges and can_overcharge else 0
    course.setup.targets[number].from_front = 1
    strike.orders, strike.inside = _OVERRUNS if again else _CHARGES, inside
    add(course, Kind.STRIKE, active, number)


@step_for(lambda course, active, inside: course.add_others(active, inside, _CHARGES))
def add_others(course: Course, active: int, inside: int) -> None:
    """Append the attacks of other units in contact (AC-8.7); only drafts have such units."""


@step
def add_defence(course: Course, active: int, inside: int) -> None:
    """Append the attacks of the charged side, unless `inside` is NEVER (AC-8.3, AC-8.4)."""
    if inside != charge_strikes.NEVER:
        add_retaliation(course, active, 0, inside)
        add_others(course, active, inside)


@step
def add_resolution(course: Course, active: int) -> None:
    """Append the end of a combat (AC-8.5)."""
    add(course, Kind.RESOLVE, active, NONE)
    for side in range(2):
        if course.question.units[side].facts[0].passengers != NONE:
            add(course, Kind.TEST_PASSENGERS, side, NONE)
    add(course, Kind.END_COMBAT, 0, NONE)
    add(course, Kind.END_COMBAT, 1, NONE)


@step
def add_throw(course: Course, active: int) -> None:
    """Append the charger's Throw (X) after its combat: a weakened ranged attack without a test (AC-7).

    The value of a card is its number of dice. Cover and buildings count, as for every ranged attack (AC-4.3).
    """
    facts = course.question.units[active].facts[0]
    if not facts.throws:
        return
    number = add_fixed(course, active, 0, Rating.WEAKENED, facts.veteran, 0)
    strike, attack, target = course.setup.strikes[number], course.setup.attacks[number], course.setup.targets[number]
    strike.by_throw, strike.on_marked, strike.long_range = 1, 1, facts.throw_reach
    attack.close_quarters, attack.overcharge, attack.models = 0, 1, 0  # its blanks hurt no unit
    state = course.question.units[1 - active].target[0]
    target.exposed, target.from_front, target.discipline = state.exposed, state.from_front, NONE
    if facts.outflanking:
        target.from_front = 0
    add(course, Kind.STRIKE, active, number)
    add(course, Kind.FORGET, 1 - active, NONE)


@step
def add_blast(course: Course, side: int) -> int:
    """Add the attack of a destroyed last model: neutral, ignoring cover (Spectacular Demise, AC-7)."""
    number = add_fixed(course, side, course.question.units[side].facts[0].spectacular_demise, Rating.NEUTRAL, 0, 1)
    course.setup.strikes[number].by_blast = 1
    return number


@step
def new_blasts(course: Course) -> int:
    """Add the attacks of destroyed last models of both sides; return the number of the first."""
    first = strikes_of(course)
    for side in range(2):
        if course.question.units[side].facts[0].spectacular_demise:
            add_blast(course, side)
    return first


@step
def add_blasts(course: Course, first: int) -> None:
    """Append the effects of destroyed last models; their strikes have the numbers from `first` on."""
    for side in range(2):
        if course.question.units[side].facts[0].spectacular_demise:
            add(course, Kind.GO_OFF, side, NONE)
            add(course, Kind.FRIGHTEN, side, NONE)
            add(course, Kind.STRIKE, side, first)
            add(course, Kind.TEST_FRIGHTENED, 1 - side, NONE)
            first += 1


@step
def add_combat(course: Course, active: int) -> None:
    """Append a charge of the active side (AC-8, AC-7)."""
    charger, charged = course.question.units[active].facts[0], course.question.units[1 - active].facts[0]
    garrisoned = course.question.units[1 - active].target[0].garrisoned
    add(course, Kind.ENGAGE, active, NONE)
    add_sponsons(course, active)
    advantage = charger.difficult_terrain or charged.stoic_defence
    before, after = charge_strikes.times_of_retaliation(garrisoned, charger.storming_party, advantage)
    add_defence(course, active, before)
    add_attack(course, active, 0)
    add_defence(course, active, after)
    add_resolution(course, active)
    wrecks = False
    for row in range(course.question.units[active].n_rows):
        kind = course.question.units[active].rows[row].facts[0].kind
        wrecks = wrecks or (kind != RowKind.RANGED and breaks_buildings(course, active, row))
    if wrecks:
        add(course, Kind.WRECK, 1 - active, NONE)
    if overruns(course, active):
        add(course, Kind.ENGAGE, active, NONE)
        add_attack(course, active, 1)
        add_retaliation(course, active, 1, NONE)
        add_resolution(course, active)
    add_throw(course, active)
    add_blasts(course, new_blasts(course))


@step
def set_sides_of_charge(course: Course) -> tuple[int, int]:
    """Fill in both sides of a charge of side 0; return a side whose positions do not fit, as :func:`place` does.

    A charge ends in contact. The later distance matters only for a Throw, and for a unit that overruns away from its
    edge.
    """
    again = overruns(course, 0)
    distance_counts = course.question.units[0].facts[0].throws or (
        again and course.question.units[0].facts[0].edge_distance != NONE
    )
    backs, advances = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for side in range(2):
        set_side(course, side)
        facts = course.setup.sides[side]
        facts.position_bit = unit_state.WINS_BIT + unit_state.BITS_OF_WINS_IN_A_CHARGE
        if distance_counts:
            facts.distance, facts.tracks_position = 0, 1
        backs[side] = set_back_by(course, side, 0)
    course.setup.sides[0].overrun, course.setup.sides[0].charges = 1 if again else 0, 1
    advances[0] = A_COMBAT_LOST if again else 0  # it follows the enemy for its Overrun
    return place(course.setup, backs, advances, unit_state.FALL_BACK)
