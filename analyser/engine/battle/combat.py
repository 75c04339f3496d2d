"""Charges from contact to withdrawal, with Sponsons, Overrun and Throw (AC-8), and Spectacular Demise (AC-7)."""

from __future__ import annotations

from typing import Any

from analyser.common.jit import step
from analyser.engine.battle.attack import strike
from analyser.engine.battle.battle_data import NO_STRIKE, Battle, Place, StrikeSlot, side_of, strike_of, units_of, wide
from analyser.engine.battle.log import Event, record
from analyser.engine.battle.losses import NO_UNIT, passes, set_state
from analyser.engine.battle.positions import distance_between, is_commanded, is_unit_near, is_within, move_back, move_to
from analyser.engine.battle.transports import store_passengers, take_passenger_test
from analyser.engine.rng import uniform_below
from analyser.rules import combat_result, discipline, special_rules, unit_state
from analyser.rules.battle import NEAR_IN_COMBAT
from analyser.rules.discipline import FELL_BACK
from analyser.rules.structs import NONE, Test
from analyser.rules.unit_state import FALL_BACK, is_removed


@step
def charge(battle: Battle, unit: int, other: int) -> None:
    """Resolve a charge: Sponsons, the combat, the unit's Overrun and Throw, and blasts."""
    field, facts = battle.field, battle.setup
    shift = engage(battle, unit, other)
    try_strike(battle, StrikeSlot.SPONSONS.value, other, unit, 0)
    strikes_first = facts.stoic[other] != 0
    if strikes_first:
        try_strike(battle, StrikeSlot.RETALIATION.value, other, unit, -shift)
    has_destroyed = try_strike(battle, StrikeSlot.CHARGE.value, unit, other, shift)
    if not strikes_first:
        try_strike(battle, StrikeSlot.RETALIATION.value, other, unit, -shift)
    if resolve(battle, unit, other):
        move_to(battle, unit, wide(field.x[other]), wide(field.y[other]))
        shift = engage(battle, unit, other)
        has_destroyed |= try_strike(battle, StrikeSlot.OVERRUN.value, unit, other, shift)
        try_strike(battle, StrikeSlot.RETALIATION_TO_OVERRUN.value, other, unit, -shift)
        resolve(battle, unit, other)
    if has_destroyed and facts.throws[unit]:
        throw = battle.tables.strikes[strike_of(battle, unit, other, StrikeSlot.THROW.value)]
        if both_stand(battle, unit, other) and is_within(battle, unit, other, int(throw.long_range)):
            try_strike(battle, StrikeSlot.THROW.value, unit, other, 0)
    resolve_blasts(battle)


@step
def both_stand(battle: Battle, unit: int, other: int) -> bool:
    """Return True if neither of two units is removed."""
    return not is_removed(battle.field.states[unit]) and not is_removed(battle.field.states[other])


@step
def engage(battle: Battle, unit: int, other: int) -> int:
    """Bring two units into contact; return the charge's bonus less its penalty for units nearby (AC-8.2)."""
    field, units = battle.field, battle.field.units
    field.lost_aboard = 0
    for fighter, enemy in ((unit, other), (other, unit)):
        side = field.sides[fighter]
        side.fumes_reach = battle.setup.fumes[enemy] if battle.setup.suffers[fighter] else NONE
        if side.fumes_reach != NONE and is_commanded(battle, fighter):
            side.fumes_reach = NONE
        field.states[fighter] = combat_result.enter_contact(field.states[fighter], side, units[fighter])
        store_passengers(battle, fighter)
    supported = is_unit_near(battle, other, unit, side_of(unit), NEAR_IN_COMBAT)
    threatened = is_unit_near(battle, unit, other, side_of(other), NEAR_IN_COMBAT)
    return (1 if supported else 0) - (1 if threatened else 0)


@step
def try_strike(battle: Battle, kind: int, striker: int, struck: int, shift: int) -> bool:
    """Make a strike if possible; return True if the struck unit has lost models and is not removed."""
    number = strike_of(battle, striker, struck, kind)
    if number == NO_STRIKE or not both_stand(battle, striker, struck):
        return False
    models = unit_state.models_of(battle.field.states[struck])
    strike(battle, number, striker, struck, False, shift)
    after = int(battle.field.states[struck])
    return not is_removed(after) and unit_state.models_of(after) < models


@step
def resolve(battle: Battle, unit: int, other: int) -> bool:
    """Resolve a combat: winner, withdrawal and test (AC-8.5). Return True if the charger overruns (AC-7)."""
    field = battle.field
    mine, theirs = int(field.states[unit]), int(field.states[other])
    won_by = combat_result.winner_if_fought(mine, theirs, (field.sides[unit], field.sides[other]))
    if won_by == combat_result.NOT_FOUGHT:
        return False
    record(battle, Event.COMBAT, unit, other, won_by, 0, 0)
    if won_by == combat_result.ACTIVE:
        withdraw(battle, other, unit)
        field.points[side_of(unit)] += battle.setup.hunts[unit]
    elif won_by == combat_result.TARGET:
        withdraw(battle, unit, other)
        field.points[side_of(other)] += battle.setup.hunts[other]
    elif not is_removed(mine):
        set_state(battle, unit, NO_UNIT, combat_result.withdraw(mine, field.sides[unit]), 0)
        if not is_removed(field.states[unit]):
            move_back(battle, unit, FALL_BACK)
    again = combat_result.overruns(won_by, int(field.states[unit]), int(field.states[other]), field.sides[unit])
    for fighter in (unit, other):
        if not is_removed(field.states[fighter]):
            field.states[fighter] &= ~combat_result.COMBAT_FLAGS
    field.states[unit] = combat_result.end_combat(field.states[unit], won_by, again, field.sides[unit])
    return again


@step
def withdraw(battle: Battle, unit: int, winner: int) -> None:
    """Withdraw the loser of a combat by 3 inches, and take its test (AC-8.5); annihilate a Static loser (AC-7)."""
    field, state = battle.field, int(battle.field.states[unit])
    side = field.sides[unit]
    if is_removed(state):
        return
    set_state(battle, unit, winner, combat_result.withdraw_loser(state, side), 0)
    if is_removed(field.states[unit]):
        return
    move_back(battle, unit, FALL_BACK)
    fight = fill_test(battle, unit)
    lost = unit_state.models_lost(field.states[unit])
    qualities = int(field.states[unit])
    take_test(battle, unit, winner, discipline.highest_passing_card(fight, lost, fight.disordered))
    if lost and field.units[unit].discipline != NONE and not is_removed(field.states[unit]):
        take_passenger_test(battle, unit, winner, qualities)


@step
def fill_test(battle: Battle, unit: int) -> Any:
    """Fill and return the record `field.fight` for a unit's test after a combat or a blast."""
    field = battle.field
    target, fight = field.units[unit], field.fight[0]
    target.near_commander = 1 if is_commanded(battle, unit) else 0
    combat_result.set_losers_test(fight, target, field.attack[0], field.sides[unit], field.states[unit])
    return fight


@step
def take_test(battle: Battle, unit: int, caused_by: int, highest: int) -> None:
    """Take a unit's test, described by the record `field.fight`; cards up to `highest` pass it."""
    field, state = battle.field, int(battle.field.states[unit])
    if passes(battle, unit, highest, 0):
        return
    after = combat_result.fail_combat_test(field.fight[0], state & ~FELL_BACK, field.sides[unit])
    if is_removed(after):
        set_state(battle, unit, caused_by, after, 0)
    else:
        set_state(battle, unit, caused_by, after | state & FELL_BACK, after & FELL_BACK)


@step
def resolve_blasts(battle: Battle) -> None:
    """Resolve the Spectacular Demise of units that have lost their last model (AC-7)."""
    if battle.field.demise_pending:
        resolve_each_blast(battle)


@step
def resolve_each_blast(battle: Battle) -> None:
    """Resolve each due Spectacular Demise, including those that other blasts cause."""
    field, waits = battle.field, True
    while waits:
        waits = False
        for side in range(2):
            for unit in units_of(battle, side):
                if special_rules.is_demise_die_due(field.states[unit], field.sides[unit]) and not field.absent[unit]:
                    field.states[unit] |= special_rules.DIE_ROLLED
                    blast(battle, unit)
                    waits = True
    field.demise_pending = 0


@step
def blast(battle: Battle, unit: int) -> None:
    """Roll the die of a Spectacular Demise, and apply the result to each other unit within its reach."""
    field, facts = battle.field, battle.setup
    drawn = uniform_below(field, facts.die_sides)
    heroic, strikes = drawn < facts.heroic, drawn < facts.heroic + facts.strike
    misses = not strikes and drawn < facts.heroic + facts.strike + facts.miss
    record(battle, Event.DIE, unit, 0, 0 if heroic else 1 if strikes else 2 if misses else 3, 0, 0)
    if strikes:
        reach = special_rules.HEROIC_REACH if heroic else special_rules.STRIKE_REACH
    else:
        reach = special_rules.PANIC_REACH if misses else -1
    for side in range(2):
        for other in units_of(battle, side):
            near = other != unit and field.place[other] == Place.ON_FIELD
            if near and distance_between(battle, unit, other) <= reach:
                if strikes:
                    strike(battle, int(facts.blasts[unit, other]), unit, other, False, 0)
                else:
                    fight = fill_test(battle, other)
                    takes_test = fight.test != Test.NOT_TAKEN and field.units[other].discipline != NONE
                    take_test(battle, other, unit, discipline.highest_card_of_test(fight, 0, fight.disordered))
                    if takes_test and not is_removed(field.states[other]):
                        field.lost_aboard = 0
                        take_passenger_test(battle, other, unit, 0)
