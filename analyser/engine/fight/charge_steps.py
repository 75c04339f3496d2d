"""Operations and strikes of a charge, in order (AC-8, AC-7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import step, step_for
from analyser.engine.fight import step_builder as steps
from analyser.engine.fight.program import Kind
from analyser.engine.fight.step_builder import Builder
from analyser.game.ruleset import Rating
from analyser.rules import charge_strikes, unit_state
from analyser.rules.activation import Order
from analyser.rules.shots import RowKind
from analyser.rules.structs import NONE

_CHARGES, _OVERRUNS = 1 << Order.CHARGE, 1 << Order.OVERRUN


@step
def row_for_contact(unit: Any, impact: int) -> int:
    """Return the selected melee row (with `impact`, also an impact row), else the first, or NONE (AC-8.1, AC-8.3)."""
    result, selected = NONE, unit.facts[0].close_quarters_row
    for row in range(unit.n_rows):
        kind = unit.rows[row].facts[0].kind
        if kind == RowKind.MELEE or (impact and kind == RowKind.IMPACT):
            if row == selected:
                return int(row)
            if result == NONE:
                result = row
    return int(result)


@step
def overruns(builder: Builder, side: int) -> bool:
    """Return True if the unit uses Overrun in a charge (AC-7)."""
    return bool(builder.question.units[side].facts[0].overrun and builder.question.units[side].facts[0].overruns)


@step
def breaks_buildings(builder: Builder, side: int, row: int) -> bool:
    """Return True if a die for the building follows an attack with this row (Siegebreaker, AC-6)."""
    units = builder.question.units
    return bool(units[1 - side].target[0].garrisoned and units[side].rows[row].facts[0].siegebreaker)


@step
def is_threatened(builder: Builder, active: int, is_overrun: int) -> bool:
    """Return True if an enemy other than the charged unit is near. Enemies in contact withdraw before an Overrun."""
    return bool(
        builder.question.units[active].facts[0].threatened
        or (builder.question.units[1 - active].facts[0].accompanied and not is_overrun)
    )


@step
def add_sponsons(builder: Builder, active: int) -> None:
    """Append the attack of the charged unit's Sponsons, which is not part of the combat (AC-8.1, AC-7)."""
    charged = builder.question.units[1 - active].facts[0]
    if charged.sponsons:
        number = steps.add_fixed(builder, 1 - active, charged.sponsons, Rating.WEAKENED, charged.veteran, 0)
        builder.setup.strikes[number].orders = _CHARGES
        steps.add(builder, Kind.STRIKE, active, number)


@step
def add_attack(builder: Builder, active: int, is_overrun: int) -> None:
    """Append the charger's attack, or its Overrun, which has one more penalty (AC-8.2, AC-7)."""
    facts, row = builder.question.units[active].facts[0], row_for_contact(builder.question.units[active], 1)
    number = steps.add_row(builder, active, row, 1)
    strike, attack = builder.setup.strikes[number], builder.setup.attacks[number]
    charged = builder.question.units[1 - active].facts[0].type
    attack.bonuses |= charge_strikes.bonuses_in_combat(facts.supported, facts.type, charged)
    if not is_overrun:
        attack.bonuses |= charge_strikes.bonuses_of_charge(facts.onslaught, facts.outflanking, charged)
    attack.penalties |= charge_strikes.penalties_in_combat(is_threatened(builder, active, is_overrun), is_overrun)
    attack.charging = 1 - is_overrun
    if facts.outflanking and not is_overrun:
        builder.setup.targets[number].from_front = 0
    strike.orders = _OVERRUNS if is_overrun else _CHARGES
    strike.attacks_building = 1 if breaks_buildings(builder, active, row) and not is_overrun else 0
    strike.before_throw = facts.throws
    steps.add(builder, Kind.STRIKE, active, number)


@step
def add_retaliation(builder: Builder, active: int, is_overrun: int, inside: int) -> None:
    """Append the charged unit's attack, if it has a melee row; it always strikes the charger's front (AC-8.3)."""
    row = row_for_contact(builder.question.units[1 - active], 0)
    if row == NONE:
        return
    number = steps.add_row(builder, 1 - active, row, 1)
    strike, attack = builder.setup.strikes[number], builder.setup.attacks[number]
    charger, charged = builder.question.units[active].facts[0], builder.question.units[1 - active].facts[0]
    threatened = is_threatened(builder, active, is_overrun)
    attack.bonuses |= charge_strikes.bonuses_in_combat(threatened, charged.type, charger.type)
    attack.penalties |= charge_strikes.penalties_in_combat(charger.supported, 0)
    builder.setup.targets[number].from_front = 1
    strike.orders, strike.inside = _OVERRUNS if is_overrun else _CHARGES, inside
    steps.add(builder, Kind.STRIKE, active, number)


@step_for(lambda builder, active, inside: builder.add_others(active, inside, _CHARGES))
def add_others(builder: Builder, active: int, inside: int) -> None:
    """Append the attacks of other units in contact (AC-8.7); compiled code has no such units."""


@step
def add_defence(builder: Builder, active: int, inside: int) -> None:
    """Append the attacks of the charged side, unless `inside` is NEVER (AC-8.3, AC-8.4)."""
    if inside != charge_strikes.NEVER:
        add_retaliation(builder, active, 0, inside)
        add_others(builder, active, inside)


@step
def add_passengers_test(builder: Builder, side: int) -> None:
    """Append the test of a unit's passengers, if it carries any, after its own test (AC-5.10)."""
    if builder.question.units[side].facts[0].passengers != NONE:
        steps.add(builder, Kind.TEST_PASSENGERS, side, NONE)


@step
def add_resolution(builder: Builder, active: int) -> None:
    """Append the end of a combat (AC-8.5)."""
    steps.add(builder, Kind.RESOLVE, active, NONE)
    for side in range(2):
        add_passengers_test(builder, side)
    steps.add(builder, Kind.END_COMBAT, 0, NONE)
    steps.add(builder, Kind.END_COMBAT, 1, NONE)


@step
def add_throw(builder: Builder, active: int) -> None:
    """Append the charger's Throw after its combat: a weakened ranged attack without a test (AC-7)."""
    facts = builder.question.units[active].facts[0]
    if not facts.throws:
        return
    number = steps.add_fixed(builder, active, 0, Rating.WEAKENED, facts.veteran, 0)
    strike, attack, target = builder.setup.strikes[number], builder.setup.attacks[number], builder.setup.targets[number]
    strike.by_throw, strike.on_marked, strike.long_range = 1, 1, facts.throw_reach
    attack.close_quarters, attack.overcharge, attack.models = 0, 1, 0  # Overcharge draws a card; blanks harm no models
    state = builder.question.units[1 - active].target[0]
    target.exposed, target.from_front, target.discipline = state.exposed, state.from_front, NONE
    if facts.outflanking:
        target.from_front = 0
    steps.add(builder, Kind.STRIKE, active, number)
    steps.add(builder, Kind.CLEAR_MARK, 1 - active, NONE)


@step
def add_blast(builder: Builder, side: int) -> int:
    """Add a blast (Spectacular Demise, AC-7), a neutral attack that ignores cover; return the number of the strike."""
    number = steps.add_fixed(
        builder, side, builder.question.units[side].facts[0].spectacular_demise, Rating.NEUTRAL, 0, 1
    )
    builder.setup.strikes[number].by_blast = 1
    return number


@step
def add_blast_strikes(builder: Builder) -> int:
    """Add the blasts of both sides (Spectacular Demise); return the number of the first strike."""
    first = steps.strikes_of(builder)
    for side in range(2):
        if builder.question.units[side].facts[0].spectacular_demise:
            number = add_blast(builder, side)
            if builder.question.units[1 - side].facts[0].passengers != NONE:
                builder.setup.strikes[number].in_combat = 1  # the passengers' test reads the losses
    return first


@step
def add_blasts(builder: Builder, first: int) -> None:
    """Append the effects of Spectacular Demise (AC-7); the strikes of the blasts have the numbers from `first` on."""
    for side in range(2):
        if first != NONE and builder.question.units[side].facts[0].spectacular_demise:
            steps.add(builder, Kind.ROLL_DEMISE_DIE, side, NONE)
            steps.add(builder, Kind.ROLL_PANIC_DIE, side, NONE)
            steps.add(builder, Kind.STRIKE, side, first)
            steps.add(builder, Kind.TEST_PANIC, 1 - side, NONE)
            add_passengers_test(builder, 1 - side)
            first += 1


@step
def add_combat(builder: Builder, active: int) -> None:
    """Append a charge of the active side (AC-8, AC-7)."""
    charger, charged = builder.question.units[active].facts[0], builder.question.units[1 - active].facts[0]
    garrisoned = builder.question.units[1 - active].target[0].garrisoned
    steps.add(builder, Kind.ENGAGE, active, NONE)
    add_sponsons(builder, active)
    advantage = charger.difficult_terrain or charged.stoic_defence
    before, after = charge_strikes.times_of_retaliation(garrisoned, charger.storming_party, advantage)
    add_defence(builder, active, before)
    add_attack(builder, active, 0)
    add_defence(builder, active, after)
    add_resolution(builder, active)
    attacks_building = False
    for row in range(builder.question.units[active].n_rows):
        kind = builder.question.units[active].rows[row].facts[0].kind
        attacks_building = attacks_building or (kind != RowKind.RANGED and breaks_buildings(builder, active, row))
    if attacks_building:
        steps.add(builder, Kind.ROLL_BUILDING_DIE, 1 - active, NONE)
    if overruns(builder, active):
        steps.add(builder, Kind.ENGAGE, active, NONE)
        add_attack(builder, active, 1)
        add_retaliation(builder, active, 1, NONE)
        add_resolution(builder, active)
    add_throw(builder, active)
    add_blasts(builder, add_blast_strikes(builder))


@step
def set_sides_of_charge(builder: Builder) -> tuple[int, int]:
    """Set the facts of both sides of a charge of side 0; return the result of :func:`~.step_builder.set_positions`."""
    overruns_again = overruns(builder, 0)
    distance_counts = builder.question.units[0].facts[0].throws or (
        overruns_again and builder.question.units[0].facts[0].edge_distance != NONE
    )  # otherwise the distance does not matter after contact
    backs, advances = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for side in range(2):
        steps.set_side(builder, side)
        facts = builder.setup.sides[side]
        facts.position_bit = unit_state.WINS_BIT + unit_state.BITS_OF_WINS_IN_A_CHARGE
        if distance_counts:
            facts.distance, facts.tracks_position = 0, 1
        backs[side] = steps.most_set_back(builder, side, 0)
    builder.setup.sides[0].overrun, builder.setup.sides[0].charges = 1 if overruns_again else 0, 1
    advances[0] = steps.LOST_COMBAT_LENGTH if overruns_again else 0  # the charger follows the loser to overrun it
    return steps.set_positions(builder.setup, backs, advances, unit_state.FALL_BACK)
