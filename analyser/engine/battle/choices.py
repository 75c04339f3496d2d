"""Choice of the next unit to activate, and of its target (BT-4)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.attack import pool_for
from analyser.engine.battle.battle_data import (
    NO_POLICY,
    NO_STRIKE,
    NOWHERE,
    Battle,
    Place,
    condition_of,
    pair_of,
    side_of,
    strike_of,
    units_of,
    wide,
)
from analyser.engine.battle.positions import find_nearest
from analyser.rules import unit_state
from analyser.rules.battle import ActivationChoice, TargetChoice, floor_sqrt
from analyser.rules.discipline import ACTIVATED
from analyser.rules.policies import Policy
from analyser.rules.structs import NONE

NO_TARGET = -1
_TIE_TOLERANCE = 1e-9
_LAST = 1 << 28  # stands for an aircraft's distance; exceeds every distance, and the root of NOWHERE


# Classes of enemies among which a unit chooses its target (BT-4). ATTACKED: it can attack them without moving.
# AFTER_AN_ADVANCE: it can shoot at them after an advance. WITH_POLICY: it has a policy against them. CHARGED: it can
# charge them now. FLOWN: an aircraft can fire at them. Shunned enemies: see `PairFacts`.
ATTACKED, AFTER_AN_ADVANCE, WITH_POLICY, CHARGED, FLOWN = range(5)


@step
def is_ready(battle: Battle, unit: int) -> bool:
    """Return True if a unit can be activated now; a passenger cannot be activated before its transport."""
    field = battle.field
    if field.states[unit] & ACTIVATED:
        return False
    if field.place[unit] == Place.ABOARD:  # it acts in its transport's turn, or alone if Cryo took that turn
        return bool(field.states[battle.setup.carrier[unit]] & ACTIVATED)
    return field.place[unit] in (Place.ON_FIELD, Place.INCOMING)


@step
def next_unit(battle: Battle, side: int) -> int:
    """Return the unit that a side activates next (BT-4); NONE if no unit is ready."""
    field, facts = battle.field, battle.setup
    if facts.order[side] == ActivationChoice.NEAREST:
        return nearest_to_an_enemy(battle, side)
    for index in range(field.finished[side], facts.units[side]):
        unit = int(facts.listed[side, index])
        if is_ready(battle, unit):
            if index == field.finished[side] and field.place[unit] != Place.ABOARD:
                field.finished[side] = index + 1
            return unit
        if index == field.finished[side] and (field.place[unit] == Place.GONE or field.states[unit] & ACTIVATED):
            field.finished[side] = index + 1
    return NONE


@step
def nearest_to_an_enemy(battle: Battle, side: int) -> int:
    """Return the ready unit of a side that is nearest to an enemy (aircraft last); NONE if no unit is ready."""
    field, result, least = battle.field, NONE, _LAST + 1
    for unit in units_of(battle, side):
        if is_ready(battle, unit):
            length = _LAST
            if field.place[unit] == Place.ON_FIELD:
                find_nearest(battle, 1 - side, wide(field.x[unit]), wide(field.y[unit]))
                length = int(field.nearest_length)
            if length < least:
                result, least = unit, length
    return result


@step
def target_of(battle: Battle, unit: int, rally_failed: bool) -> int:
    """Return the target of a unit on the field; NO_TARGET if there is none."""
    field, facts = battle.field, battle.setup
    find_nearest(battle, 1 - side_of(unit), wide(field.x[unit]), wide(field.y[unit]))
    if field.nearest == NONE:
        return NO_TARGET
    nearest, length = int(field.nearest), int(field.nearest_length)
    must_charge = field.sides[unit].berserk if rally_failed else field.sides[unit].runs_amok
    if must_charge:
        result = best_in_class(battle, unit, CHARGED, rally_failed, 0)
        if result != NO_TARGET:
            return result
    if facts.own_policy[unit] in (Policy.LOOKOUT, Policy.TAKE_COVER):  # these act without a target (BT-4)
        return NO_TARGET
    nearest_first = facts.choice[side_of(unit)] == TargetChoice.NEAREST and not pair_of(battle, unit, nearest).shunned
    if nearest_first and can_attack(battle, (unit, nearest), length, rally_failed):
        return nearest
    for enemy_class in range(ATTACKED, CHARGED):
        result = best_in_class(battle, unit, enemy_class, rally_failed, 0)
        if result != NO_TARGET:
            return result
    return best_in_class(battle, unit, ATTACKED, rally_failed, 1) if facts.holds[unit] else nearest


@step
def target_without_moving(battle: Battle, unit: int) -> int:
    """Return the target of a unit that has disembarked: as after a failed rally test, it shoots without moving."""
    find_nearest(battle, 1 - side_of(unit), wide(battle.field.x[unit]), wide(battle.field.y[unit]))
    return best_or_shunned(battle, unit, ATTACKED, True)


@step
def target_in_flight(battle: Battle, unit: int) -> int:
    """Return the target of a sortie, among all enemies on the field that the aircraft can fire at (BT-3).

    Distances are measured from the aircraft's position on its own edge.
    """
    facts, side = battle.setup, side_of(unit)
    find_nearest(battle, 1 - side, int(battle.field.start_x[unit]), 0 if side == 0 else int(facts.table))
    return best_or_shunned(battle, unit, FLOWN, False)


@step
def best_or_shunned(battle: Battle, unit: int, enemy_class: int, rally_failed: bool) -> int:
    """Return the best enemy of a class, or if there is none, the best of those that the unit shuns."""
    result = best_in_class(battle, unit, enemy_class, rally_failed, 0)
    return result if result != NO_TARGET else best_in_class(battle, unit, enemy_class, rally_failed, 1)


@step
def best_in_class(battle: Battle, unit: int, enemy_class: int, rally_failed: bool, shunned: int) -> int:
    """Return the best enemy of a class (BT-4), of those shunned if `shunned`; call :func:`find_nearest` before."""
    if shunned and not battle.setup.holds[unit]:
        return NO_TARGET
    battle.field.shunned = shunned
    field, facts = battle.field, battle.setup
    choice = 0 if enemy_class in (WITH_POLICY, CHARGED) else int(facts.choice[side_of(unit)])  # 0: the nearest
    beyond = field.nearest_length - facts.furthest[unit]
    too_far = enemy_class == AFTER_AN_ADVANCE and beyond > field.sides[unit].speed
    if too_far or (enemy_class == ATTACKED and beyond > 0):
        return NO_TARGET
    nearest, length = int(field.nearest), int(field.nearest_length)
    is_nearest = choice == TargetChoice.NEAREST and nearest != NONE
    if is_nearest and is_in_class(battle, (unit, nearest), length, enemy_class, rally_failed):
        return nearest
    result, least, best = NO_TARGET, NOWHERE, -1.0
    for other in units_of(battle, 1 - side_of(unit)):
        squared = field.squared[other]
        if squared >= NOWHERE or (choice == TargetChoice.NEAREST and squared >= least):
            continue
        length = floor_sqrt(squared)
        if is_in_class(battle, (unit, other), length, enemy_class, rally_failed):
            if choice == TargetChoice.NEAREST:
                result, least = other, length * length
                continue
            distance = sortie_distance(battle, unit, other) if enemy_class == FLOWN else length
            value = value_of(battle, unit, other, choice, distance)
            if value > best + _TIE_TOLERANCE or (abs(value - best) <= _TIE_TOLERANCE and squared < least):
                result, least, best = other, length * length, max(value, best)
    return result


@step
def is_in_class(battle: Battle, pair: tuple[int, int], length: int, enemy_class: int, rally_failed: bool) -> bool:
    """Return True if the second unit of a pair, at distance `length`, is in a class of the first unit's enemies."""
    unit, other = pair
    facts = pair_of(battle, unit, other)
    if enemy_class == CHARGED:
        return bool(length <= facts.charges)
    if facts.tactic == NO_POLICY or facts.shunned != battle.field.shunned:
        return False
    if enemy_class == WITH_POLICY:
        return True
    if enemy_class == ATTACKED:
        return can_attack(battle, pair, length, rally_failed)
    charges = facts.tactic == Policy.CHARGE and not rally_failed
    reach = facts.reach_rallying if rally_failed else facts.reach
    if enemy_class == AFTER_AN_ADVANCE and (reach < 0 or charges or length > reach + battle.field.sides[unit].speed):
        return False
    return charges or facts.has_dice != 0 or has_dice_now(battle, pair, -1 if enemy_class == FLOWN else length)


@step
def can_attack(battle: Battle, pair: tuple[int, int], length: int, rally_failed: bool) -> bool:
    """Return True if the first unit of a pair can attack the second without moving."""
    facts = pair_of(battle, *pair)
    reach, least = (facts.reach_rallying, facts.within_rallying) if rally_failed else (facts.reach, facts.within)
    if facts.tactic == NO_POLICY or length <= least or length > reach:
        return False
    if facts.has_dice or (facts.tactic == Policy.CHARGE and not rally_failed):
        return True
    return has_dice_now(battle, pair, length)


@step
def has_dice_now(battle: Battle, pair: tuple[int, int], length: int) -> bool:
    """Return True if a unit now has dice against an enemy (AC-2.4); a length of -1 means beyond short range."""
    number = strike_of(battle, pair[0], pair[1], 0)
    if number == NO_STRIKE:
        return False
    short = 0 <= length <= battle.tables.strikes[number].short_range
    return pool_for(battle, number, int(battle.field.states[pair[0]]), short, condition_of(False, 0)) > 0


@step
def sortie_distance(battle: Battle, unit: int, other: int) -> int:
    """Return the distance at which an aircraft shoots: short range if possible, else long range (BT-3)."""
    row = battle.tables.strikes[strike_of(battle, unit, other, 0)]
    return int(row.long_range if row.short_range == NONE or row.indirect else row.short_range)


@step
def value_of(battle: Battle, unit: int, other: int, choice: int, length: int) -> float:
    """Return the value of a target to a unit in their current states (BT-4)."""
    facts, tables, field = pair_of(battle, unit, other), battle.tables, battle.field
    if choice == TargetChoice.THREATENED_FIRST:
        threat = pair_of(battle, other, unit)
        return 1.0 if threat.within_rallying < length <= threat.reach_rallying or length <= threat.charges else 0.0
    striker, struck = (other, unit) if choice == TargetChoice.MOST_DANGEROUS else (unit, other)
    start = int(facts.value_at)
    if start < 0:
        return 0.0
    state = field.states[striker]
    count = unit_state.damage_of(state) if facts.value_by_damage else unit_state.models_of(state)
    models = unit_state.models_of(field.states[struck])
    short = 1 if length <= facts.value_short else 0
    return float(tables.values[start + (count * (battle.setup.models[struck] + 1) + models) * 2 + short])
