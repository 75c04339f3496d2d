"""Who is activated next, and whom it makes its target (BT-4)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.attack import pool_for
from analyser.engine.battle.tables import NO_HABIT, NOWHERE, Battle, Place, first_of, side_of
from analyser.rules import unit_state
from analyser.rules.battle import Choice, Turn, length_of
from analyser.rules.discipline import ACTIVATED
from analyser.rules.policies import Policy
from analyser.rules.structs import NONE

NO_TARGET = -1
_SAME = 1e-9


@step
def is_ready(battle: Battle, unit: int) -> bool:
    """Whether a unit can be activated: it is there, and has not been."""
    field = battle.field
    there = field.place[unit] in (Place.ON_FIELD, Place.INCOMING)
    if field.place[unit] == Place.ABOARD:  # whose turn is that of its transport, unless that had none
        there = field.states[battle.encoding.carrier[unit]] & ACTIVATED != 0
    return bool(there and not field.states[unit] & ACTIVATED)


@step
def next_unit(battle: Battle, side: int) -> int:
    """The unit that a side activates next; NONE if nobody is ready."""
    field, facts = battle.field, battle.encoding
    if facts.order[side] != Turn.NEAREST:
        for place in range(facts.units[side]):
            if is_ready(battle, facts.listed[side, place]):
                return int(facts.listed[side, place])
        return NONE
    found, least = NONE, NOWHERE + 2
    first, others = first_of(side), first_of(1 - side)
    for unit in range(first, first + facts.units[side]):
        if not is_ready(battle, unit):
            continue
        nearest = NOWHERE if field.place[unit] == Place.ON_FIELD else NOWHERE + 1
        for other in range(others, others + facts.units[1 - side]):
            nearest = min(nearest, int(field.distance[unit, other])) if nearest <= NOWHERE else nearest
        if nearest < least:
            found, least = unit, nearest
    return found


@step
def target_of(battle: Battle, unit: int, rally_failed: bool) -> int:
    """The target of a unit on the field; NO_TARGET if nobody is there."""
    facts = battle.encoding
    must = battle.field.sides[unit].berserk if rally_failed else battle.field.sides[unit].runs_amok
    if must:
        found = nearest_within(battle, unit, True)
        if found != NO_TARGET:
            return found
    if facts.own_habit[unit] in (Policy.LOOKOUT, Policy.TAKE_COVER):  # which need none (BT-4)
        return NO_TARGET
    found = best_attacked(battle, unit, rally_failed)
    if found == NO_TARGET:
        found = best_after_an_advance(battle, unit, rally_failed)
    if found == NO_TARGET:
        found = nearest_within(battle, unit, False)
    if found != NO_TARGET:
        return found
    return nearest_of_all(battle, unit)


@step
def best_attacked(battle: Battle, unit: int, rally_failed: bool) -> int:
    """The best of those that it can attack from where it stands."""
    field, facts = battle.field, battle.encoding
    side = side_of(unit)
    first = first_of(1 - side)
    end = first + facts.units[1 - side]
    choice = facts.choice[side]
    found, least, best = NO_TARGET, NOWHERE, -1.0
    for other in range(first, end):
        length = field.distance[unit, other]
        if rally_failed:
            attacks = within(length, facts.within_rallying[unit, other], facts.reach_rallying[unit, other])
        else:
            attacks = within(length, facts.within[unit, other], facts.reach[unit, other])
        if not attacks:
            continue
        if choice == Choice.NEAREST:
            if length < least and can_strike(battle, unit, other, rally_failed):
                found, least = other, int(length)
        elif can_strike(battle, unit, other, rally_failed):
            found, least, best = better(battle, (unit, other, int(choice)), found, least, best)
    return found


@step
def best_after_an_advance(battle: Battle, unit: int, rally_failed: bool) -> int:
    """The best of those that it can shoot at after an advance."""
    field, facts = battle.field, battle.encoding
    side = side_of(unit)
    first, speed, choice = first_of(1 - side), field.sides[unit].speed, facts.choice[side]
    found, least, best = NO_TARGET, NOWHERE, -1.0
    for other in range(first, first + facts.units[1 - side]):
        habit = facts.habit[unit, other]
        if habit == NO_HABIT or (habit == Policy.CHARGE and not rally_failed):
            continue
        reach = facts.reach_rallying[unit, other] if rally_failed else facts.reach[unit, other]
        length = int(field.distance[unit, other])
        if reach >= 0 and length <= reach + speed and can_strike(battle, unit, other, rally_failed):
            if choice == Choice.NEAREST:
                if length < least:
                    found, least = other, length
            else:
                found, least, best = better(battle, (unit, other, int(choice)), found, least, best)
    return found


@step
def within(length: int, least: int, most: int) -> bool:
    """Whether a length is above `least` and at most `most`."""
    return least < length <= most


@step
def can_strike(battle: Battle, unit: int, other: int, rally_failed: bool) -> bool:
    """Whether the grid has attack dice for the unit as it stands, in the row that it shoots with (AC-2.4)."""
    if battle.encoding.habit[unit, other] == Policy.CHARGE and not rally_failed:
        return True
    number, field = int(battle.encoding.strikes[unit, other, 0]), battle.field
    short = field.distance[unit, other] <= battle.tables.strikes[number].short_range
    return pool_for(battle, number, int(field.states[unit]), short, False, 0) > 0


@step
def target_in_flight(battle: Battle, unit: int) -> int:
    """The target of a sortie: of all on the field that the aircraft can fire at (BT-3).

    Distances are those from where it comes in: its place on its own edge.
    """
    field, facts = battle.field, battle.encoding
    side = side_of(unit)
    first, choice = first_of(1 - side), facts.choice[side]
    found, least, best = NO_TARGET, NOWHERE, -1.0
    edge = 0 if side == 0 else int(facts.table)
    for other in range(first, first + facts.units[1 - side]):
        if field.place[other] != Place.ON_FIELD or facts.habit[unit, other] == NO_HABIT:
            continue
        if not can_strike(battle, unit, other, False):
            continue
        length = length_of(int(facts.x[unit]) - int(field.x[other]), edge - int(field.y[other]))
        value = 0.0
        if choice != Choice.NEAREST:
            row = battle.tables.strikes[facts.strikes[unit, other, 0]]
            flown = int(row.long_range if row.short_range == NONE or row.indirect else row.short_range)
            value = value_of(battle, unit, other, int(choice), flown)
        if value > best + _SAME or (abs(value - best) <= _SAME and length < least):
            found, least, best = other, length, max(value, best)
    return found


@step
def better(battle: Battle, pair: tuple[int, int, int], found: int, least: int, best: float) -> tuple[int, int, float]:
    """The target found so far, or the other one of the pair if it is better; with its distance and its value."""
    unit, other, choice = pair
    length = int(battle.field.distance[unit, other])
    value = value_of(battle, unit, other, choice, length)
    more = value > best + _SAME
    if more or (abs(value - best) <= _SAME and length < least):
        return other, length, max(value, best)
    return found, least, best


@step
def value_of(battle: Battle, unit: int, other: int, choice: int, length: int) -> float:
    """What a target is worth to a unit, both as they stand (:mod:`.values`)."""
    facts, tables, field = battle.encoding, battle.tables, battle.field
    striker, struck = (other, unit) if choice == Choice.MOST_DANGEROUS else (unit, other)
    start = int(facts.value_at[unit, other])
    if start < 0:
        return 0.0
    by_damage = facts.value_by_damage[unit, other]
    state = field.states[striker]
    count = unit_state.damage_of(state) if by_damage else unit_state.models_of(state)
    models = unit_state.models_of(field.states[struck])
    short = 1 if length <= facts.value_short[unit, other] else 0
    return float(tables.values[start + (count * (facts.models[struck] + 1) + models) * 2 + short])


@step
def nearest_within(battle: Battle, unit: int, to_charge: bool) -> int:
    """The nearest enemy with which the unit has a habit; or that it can charge now."""
    field, facts = battle.field, battle.encoding
    first = first_of(1 - side_of(unit))
    found, least = NO_TARGET, NOWHERE
    for other in range(first, first + facts.units[1 - side_of(unit)]):
        length = field.distance[unit, other]
        good = length <= facts.charges[unit, other] if to_charge else facts.habit[unit, other] != NO_HABIT
        if good and length < least:
            found, least = other, int(length)
    return found


@step
def nearest_of_all(battle: Battle, unit: int) -> int:
    """The nearest enemy on the field."""
    field, first = battle.field, first_of(1 - side_of(unit))
    found, least = NO_TARGET, NOWHERE
    for other in range(first, first + battle.encoding.units[1 - side_of(unit)]):
        if field.distance[unit, other] < least:
            found, least = other, int(field.distance[unit, other])
    return found
