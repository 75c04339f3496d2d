"""Charge from contact to withdrawal, with Sponsons, Overrun and Throw (AC-8), and the effects of blasts (AC-7)."""

from __future__ import annotations

from typing import Any

from analyser.common.jit import step
from analyser.engine.battle.attack import strike
from analyser.engine.battle.battle_data import NO_STRIKE, Battle, Blow, Place, first_of, side_of, strike_of, wide
from analyser.engine.battle.log import Event, note
from analyser.engine.battle.losses import NOBODY, passes, settle
from analyser.engine.battle.positions import is_beside, is_commanded, is_within, length_between, put, set_back
from analyser.engine.battle.transports import count_aboard, test_aboard
from analyser.engine.rng import uniform_below
from analyser.rules import combat_result, discipline, special_rules, unit_state
from analyser.rules.battle import NEAR_IN_COMBAT
from analyser.rules.discipline import FELL_BACK
from analyser.rules.structs import NONE
from analyser.rules.unit_state import FALL_BACK, is_removed


@step
def charge(battle: Battle, unit: int, other: int) -> None:
    """Resolve the combat of a unit that has charged another one, its Overrun and its Throw."""
    field, facts = battle.field, battle.encoding
    shift = engage(battle, unit, other)
    blow(battle, Blow.SPONSONS, other, unit, 0)
    first = facts.stoic[other] != 0
    if first:
        blow(battle, Blow.RETALIATION, other, unit, -shift)
    has_destroyed = blow(battle, Blow.CHARGE, unit, other, shift)
    if not first:
        blow(battle, Blow.RETALIATION, other, unit, -shift)
    if resolve(battle, unit, other):
        put(battle, unit, wide(field.x[other]), wide(field.y[other]))
        shift = engage(battle, unit, other)
        has_destroyed |= blow(battle, Blow.OVERRUN, unit, other, shift)
        blow(battle, Blow.RETALIATION_TO_OVERRUN, other, unit, -shift)
        resolve(battle, unit, other)
    if has_destroyed and facts.throws[unit]:
        number = battle.tables.strikes[strike_of(battle, unit, other, Blow.THROW)]
        if stand(battle, unit, other) and is_within(battle, unit, other, int(number.long_range)):
            blow(battle, Blow.THROW, unit, other, 0)
    go_off(battle)


@step
def stand(battle: Battle, unit: int, other: int) -> bool:
    """Return True if neither of two units is removed."""
    return not is_removed(battle.field.states[unit]) and not is_removed(battle.field.states[other])


@step
def engage(battle: Battle, unit: int, other: int) -> int:
    """Bring two units into contact; return the charge's bonuses less penalties due to units nearby (AC-8.2)."""
    field, units = battle.field, battle.field.units
    field.lost_aboard = 0
    for fighter, enemy in ((unit, other), (other, unit)):
        side = field.sides[fighter]
        side.fumes_reach = battle.encoding.fumes[enemy] if battle.encoding.suffers[fighter] else NONE
        if side.fumes_reach != NONE and is_commanded(battle, fighter):
            side.fumes_reach = NONE
        field.states[fighter] = combat_result.enter_contact(field.states[fighter], side, units[fighter])
        count_aboard(battle, fighter)
    supported = is_beside(battle, other, unit, side_of(unit), NEAR_IN_COMBAT)
    threatened = is_beside(battle, unit, other, side_of(other), NEAR_IN_COMBAT)
    return (1 if supported else 0) - (1 if threatened else 0)


@step
def blow(battle: Battle, kind: int, striker: int, struck: int, shift: int) -> bool:
    """Make a strike if possible; return True if the struck unit has lost models and is not removed."""
    number = strike_of(battle, striker, struck, kind)
    if number == NO_STRIKE or not stand(battle, striker, struck):
        return False
    models = unit_state.models_of(battle.field.states[struck])
    strike(battle, number, striker, struck, False, shift)
    after = int(battle.field.states[struck])
    return not is_removed(after) and unit_state.models_of(after) < models


@step
def resolve(battle: Battle, unit: int, other: int) -> bool:
    """Resolve a combat: its winner, the loser's withdrawal and test (AC-8.5); return True if it overruns (AC-7)."""
    field = battle.field
    mine, theirs = int(field.states[unit]), int(field.states[other])
    won_by = combat_result.winner_if_fought(mine, theirs, (field.sides[unit], field.sides[other]))
    if won_by == combat_result.NOT_FOUGHT:
        return False
    note(battle, Event.COMBAT, unit, other, won_by, 0, 0)
    if won_by == combat_result.ACTIVE:
        withdraw(battle, other, unit)
        field.points[side_of(unit)] += battle.encoding.hunts[unit]
    elif won_by == combat_result.TARGET:
        withdraw(battle, unit, other)
        field.points[side_of(other)] += battle.encoding.hunts[other]
    elif not is_removed(mine):
        settle(battle, unit, NOBODY, combat_result.withdraw(mine, field.sides[unit]), 0)
        if not is_removed(field.states[unit]):
            set_back(battle, unit, FALL_BACK)
    again = combat_result.overruns(won_by, int(field.states[unit]), int(field.states[other]), field.sides[unit])
    for fighter in (unit, other):
        if not is_removed(field.states[fighter]):
            field.states[fighter] &= ~combat_result.COMBAT_FLAGS
    field.states[unit] = combat_result.end_combat(field.states[unit], won_by, again, field.sides[unit])
    return again


@step
def withdraw(battle: Battle, unit: int, winner: int) -> None:
    """Withdraw the loser of a combat by 3 inches and test it (AC-8.5); if it is Static, annihilate it (AC-7)."""
    field, state = battle.field, int(battle.field.states[unit])
    side = field.sides[unit]
    if is_removed(state):
        return
    settle(battle, unit, winner, combat_result.withdraw_loser(state, side), 0)
    if is_removed(field.states[unit]):
        return
    set_back(battle, unit, FALL_BACK)
    fight = test_of(battle, unit)
    lost = unit_state.models_lost(field.states[unit])
    qualities = int(field.states[unit])
    test(battle, unit, winner, discipline.highest_passing_card(fight, lost, fight.disordered))
    if lost and field.units[unit].discipline != NONE and not is_removed(field.states[unit]):
        test_aboard(battle, unit, winner, qualities)


@step
def test_of(battle: Battle, unit: int) -> Any:
    """Fill the scratch fight with a test that only the attacks of the combat affect, and return it."""
    field = battle.field
    target, fight = field.units[unit], field.fight[0]
    target.near_commander = 1 if is_commanded(battle, unit) else 0
    combat_result.set_losers_test(fight, target, field.attack[0], field.sides[unit], field.states[unit])
    return fight


@step
def test(battle: Battle, unit: int, due_to: int, highest: int) -> None:
    """Carry out the test of the scratch fight for a unit; cards up to `highest` pass it."""
    field, state = battle.field, int(battle.field.states[unit])
    if passes(battle, unit, highest, 0):
        return
    after = combat_result.fail_combat_test(field.fight[0], state & ~FELL_BACK, field.sides[unit])
    if is_removed(after):
        settle(battle, unit, due_to, after, 0)
    else:
        settle(battle, unit, due_to, after | state & FELL_BACK, after & FELL_BACK)


@step
def go_off(battle: Battle) -> None:
    """Set off units with Spectacular Demise that have lost their last model, one after the other (AC-7)."""
    if battle.field.fallen:
        go_off_in_turn(battle)


@step
def go_off_in_turn(battle: Battle) -> None:
    """Do :func:`go_off` after a unit with that rule has been removed."""
    field, waits = battle.field, True
    while waits:
        waits = False
        for side in range(2):
            for unit in range(first_of(side), first_of(side) + battle.encoding.units[side]):
                if special_rules.is_demise_die_due(field.states[unit], field.sides[unit]) and not field.absent[unit]:
                    field.states[unit] |= special_rules.DIE_ROLLED
                    burst(battle, unit)
                    waits = True
    field.fallen = 0


@step
def burst(battle: Battle, unit: int) -> None:
    """Roll a die for a unit that goes off, and apply the result to each other unit near it."""
    field, facts = battle.field, battle.encoding
    shown = uniform_below(field, facts.die_sides)
    heroic, strikes = shown < facts.heroic, shown < facts.heroic + facts.strike
    misses = not strikes and shown < facts.heroic + facts.strike + facts.miss
    note(battle, Event.DIE, unit, 0, 0 if heroic else 1 if strikes else 2 if misses else 3, 0, 0)
    if strikes:
        reach = special_rules.HEROIC_REACH if heroic else special_rules.STRIKE_REACH
    else:
        reach = special_rules.PANIC_REACH if misses else -1
    for side in range(2):
        for other in range(first_of(side), first_of(side) + facts.units[side]):
            near = other != unit and field.place[other] == Place.ON_FIELD
            if near and length_between(battle, unit, other) <= reach:
                if strikes:
                    strike(battle, int(facts.blasts[unit, other]), unit, other, False, 0)
                else:
                    fight = test_of(battle, other)
                    test(battle, other, unit, discipline.highest_card_of_test(fight, 0, fight.disordered))
