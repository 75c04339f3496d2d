"""Value of a position: the attacks that it allows next turn, less the enemy's best attack in response (BT-6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import inlined, step, tiered
from analyser.engine.battle.battle_data import (
    CHARGING,
    MOVING,
    NO_STRIKE,
    STANDING,
    WATCHING,
    Battle,
    Place,
    StrikeSlot,
    first_of,
    pair_of,
    side_of,
    strike_of,
    wide,
)
from analyser.engine.battle.gains import gain_of, gain_of_charge, health_of
from analyser.engine.battle.look_ahead_weights import Weight
from analyser.engine.battle.positions import squared_distance
from analyser.rules.battle import ZERO_GROUND_PRESENCE
from analyser.rules.discipline import ACTIVATED
from analyser.rules.structs import NONE

THOUSANDTHS = 1000.0
_AT_ONCE = 16  # units processed together by vector instructions
_WHOLE = 256  # full strength of a unit
_LATER = 0.6  # weight of an attack next round, relative to an attack this round
_NOT_NEXT = 0.6  # weight of what a target can do, if it is probably not the next to act
_AFTER_ACTING = 0.2  # weight of what a target can do next round, once it has acted
_SUPPRESSION_COST = 0.3  # as a share of the value of the unit's attack
_FARTHEST = 30_000
_NEVER = np.int32(-1)
_MOVES_AHEAD = 4  # moves at double time that are distinguished
# Weights (256: full) of an attack that requires 1, 2, 3, 4, or more moves at double time before it.
_SHARES = (np.int32(140), np.int32(80), np.int32(46), np.int32(26), np.int32(10))


@step
def weights_of(battle: Battle, side: int) -> Any:
    """Return the weights of a side's tactic in this round."""
    field, facts = battle.field, battle.setup
    return facts.weights[min((facts.rounds - field.round + 1) // 2, 2), max(field.tactic[side], 0)]


@step
def update_strength(battle: Battle, unit: int) -> None:
    """Update the strength of a unit."""
    field = battle.field
    strength = np.int32(0)
    if field.place[unit] == Place.ON_FIELD:
        strength = np.int32(_WHOLE * health_of(battle, unit) // battle.setup.health[unit])
    field.strength[unit] = strength
    field.attack_weight[unit] = np.int32(strength * next_attack_weight(battle, unit))


@step
def update_values(battle: Battle, side: int) -> None:
    """Update the values of a side's units to its enemy, as if the unit with the best attack acted next."""
    field, facts = battle.field, battle.setup
    weights, first, most = weights_of(battle, 1 - side), first_of(side), field.most[side]
    value, removal = weights[Weight.VALUE.value], weights[Weight.REMOVAL.value]
    denial, units = weights[Weight.DENIAL.value] / THOUSANDTHS, rounded_up(facts.units[side])
    greatest, standing, last = np.int32(0), np.int32(0), np.int32(0)
    for at in range(units):
        unit = np.uint64(first + at)
        attack = np.int32(most[at] * field.attack_weight[unit])
        greatest = attack if attack > greatest else greatest
        is_standing = np.int32(1) if field.strength[unit] > np.int32(0) else np.int32(0)
        standing, last = np.int32(standing + is_standing), np.int32(last + np.int32(is_standing * np.int32(at)))
    for at in range(units):
        unit = np.uint64(first + at)
        share = 1.0 if np.int32(most[at] * field.attack_weight[unit]) >= greatest else _NOT_NEXT
        share = _AFTER_ACTING if field.attack_weight[unit] < field.strength[unit] else share
        threat = denial * most[at] * share
        field.health_value[unit] = facts.stake[unit] * value + threat
        field.removal_value[unit] = facts.stake[unit] * removal
        field.suppression_value[unit] = _SUPPRESSION_COST * threat
    if standing == 1:
        field.removal_value[first + last] += ZERO_GROUND_PRESENCE


@step
def next_attack_weight(battle: Battle, unit: int) -> float:
    """Return the weight of a unit's next attack: 1 in this round, less in the next round, 0 after the last round."""
    if not battle.field.states[unit] & ACTIVATED:
        return 1.0
    return 0.0 if battle.field.round == battle.setup.rounds else _LATER


@inlined
def gain_if_reached(squared: Any, reach: Any, gain: Any) -> Any:
    """Return `gain` if the squared distance is within the squared `reach`, else 0."""
    return gain if squared <= reach else np.int32(0)


@step
def store_best_attacks(battle: Battle, side: int) -> None:
    """Store each enemy's best and second-best gain by attacks on the units of a side in their current states."""
    field, facts = battle.field, battle.setup
    units = rounded_up(facts.units[1 - side])
    first = first_of(1 - side)
    best, next_best, best_on = field.most[1 - side], field.second[1 - side], field.most_on[1 - side]
    for at in range(units):
        best[at], next_best[at], best_on[at] = np.int32(0), np.int32(0), np.int32(NONE)
    for unit in range(first_of(side), first_of(side) + facts.units[side]):
        if field.place[unit] != Place.ON_FIELD:
            continue
        x, y, cap = wide(field.x[unit]), wide(field.y[unit]), greatest_gain(battle, unit)
        danger, reach = facts.danger[unit], facts.range[unit]
        for at in range(units):
            gain = best_gain(squared_distance(field, np.uint64(first + at), x, y), at, danger, reach, cap)
            most, second = best[at], next_best[at]
            next_best[at] = most if gain > most else (gain if gain > second else second)
            best_on[at] = np.int32(unit) if gain > most else best_on[at]
            best[at] = gain if gain > most else most


@inlined
def best_gain(squared: Any, at: int, danger: Any, reach: Any, cap: Any) -> Any:
    """Return the best gain (thousandths, at most `cap`) of enemy `at` by an attack from this squared distance."""
    gain = gain_if_reached(squared, reach[CHARGING, at], danger[CHARGING, at])
    standing = gain_if_reached(squared, reach[STANDING, at], danger[STANDING, at])
    gain = standing if standing > gain else gain
    moving = gain_if_reached(squared, reach[MOVING, at], danger[MOVING, at])
    gain = moving if moving > gain else gain
    return cap if gain > cap else gain


@step
def rounded_up(units: int) -> int:
    """Return a number of units, rounded up to a multiple of the vector size."""
    return (units + _AT_ONCE - 1) // _AT_ONCE * _AT_ONCE


@step
def greatest_gain(battle: Battle, unit: int) -> Any:
    """Return the greatest possible gain of an enemy by attacks on a unit in its current state, in thousandths."""
    left = battle.field.strength[unit] / _WHOLE
    return np.int32(battle.setup.stake[unit] * (0.5 + 0.5 * left) * THOUSANDTHS)


@step
def future_and_danger(battle: Battle, unit: int, x: int, y: int) -> tuple[float, float]:
    """Return the value of a unit's future attacks from a point, and the cost of the enemy's best attacks there.

    The value is that of the best attack next turn, or after moves toward an enemy. The cost is the increase of the
    enemy's expected gains if the unit is at the point.
    """
    field, facts = battle.field, battle.setup
    first, units = first_of(1 - side_of(unit)), rounded_up(facts.units[1 - side_of(unit)])
    power, reach, ahead = facts.power[unit], facts.reach[unit], facts.ahead_of[unit]
    danger, ranges, cap = facts.danger[unit], facts.range[unit], greatest_gain(battle, unit)
    enemy = 1 - side_of(unit)
    most, second, most_on = field.most[enemy], field.second[enemy], field.most_on[enemy]
    best, total = np.int32(0), np.int32(0)
    for at in range(units):
        other = np.uint64(first + at)
        squared = squared_distance(field, other, x, y)
        gain = best_gain(squared, at, danger, ranges, cap)
        more = np.int32(gain - (second[at] if most_on[at] == unit else most[at]))
        more = more if more > np.int32(0) else np.int32(0)
        total = np.int32(total + np.int32(np.int32(more * field.attack_weight[other]) >> np.int32(8)))
        gain = gain_if_reached(squared, reach[CHARGING, at], power[CHARGING, at])
        standing = gain_if_reached(squared, reach[STANDING, at], power[STANDING, at])
        gain = standing if standing > gain else gain
        moving = gain_if_reached(squared, reach[MOVING, at], power[MOVING, at])
        gain = moving if moving > gain else gain
        later = power[CHARGING, at] if power[CHARGING, at] > power[MOVING, at] else power[MOVING, at]
        share = _SHARES[3] if squared <= ahead[3, at] else _SHARES[4]
        share = _SHARES[2] if squared <= ahead[2, at] else share
        share = _SHARES[1] if squared <= ahead[1, at] else share
        share = _SHARES[0] if squared <= ahead[0, at] else share
        later = np.int32(np.int32(later * share) >> np.int32(8))
        gain = later if later > gain else gain
        gain = np.int32(np.int32(gain * field.strength[other]) >> np.int32(8))
        best = gain if gain > best else best
    weights = weights_of(battle, side_of(unit))
    total = cap if total > cap else total
    future = float(best) * field.strength[unit] / (_WHOLE * THOUSANDTHS) if field.round < facts.rounds else 0.0
    return float(weights[Weight.FUTURE.value] * future), float(total * weights[Weight.LOSS.value] / THOUSANDTHS)


@step
def most_future_value(battle: Battle, unit: int) -> float:
    """Return an upper bound on the value of a unit's future attacks from any point: its best attack on any enemy."""
    field, facts = battle.field, battle.setup
    if field.round == facts.rounds:
        return 0.0
    first, power, best = first_of(1 - side_of(unit)), facts.power[unit], np.int32(0)
    for at in range(rounded_up(facts.units[1 - side_of(unit)])):
        gain = power[CHARGING, at] if power[CHARGING, at] > power[STANDING, at] else power[STANDING, at]
        gain = power[MOVING, at] if power[MOVING, at] > gain else gain
        gain = np.int32(np.int32(gain * field.strength[np.uint64(first + at)]) >> np.int32(8))
        best = gain if gain > best else best
    weight = weights_of(battle, side_of(unit))[Weight.FUTURE.value]
    return float(weight * best * field.strength[unit] / (_WHOLE * THOUSANDTHS))


@step
def position_value(battle: Battle, unit: int, x: int, y: int) -> float:
    """Return the value of a point to a unit: its future attacks less the enemy's attacks in response."""
    coming, danger = future_and_danger(battle, unit, x, y)
    return coming - danger


@step
def lookout_value(battle: Battle, unit: int, x: int, y: int) -> float:
    """Return the value of going on lookout at a point: the best shot at an enemy that has yet to act."""
    field, facts = battle.field, battle.setup
    first, units = first_of(1 - side_of(unit)), rounded_up(facts.units[1 - side_of(unit)])
    power, reach, best = facts.power[unit], facts.reach[unit], np.int32(0)
    for at in range(units):
        other = np.uint64(first + at)
        gain = gain_if_reached(squared_distance(field, other, x, y), reach[WATCHING, at], power[WATCHING, at])
        gain = np.int32(np.int32(gain * field.attack_weight[other]) >> np.int32(8))
        best = gain if gain > best else best
    return float(float(best) * field.strength[unit] / (_WHOLE * THOUSANDTHS))


@tiered(1.4)
def fill_gains_of_all(battle: Battle) -> None:
    """Fill the setup's arrays `power` to `ahead_of`, `watched` and `dread`, for units at full strength."""
    field, facts = battle.field, battle.setup
    for side in range(2):
        for unit in range(first_of(side), first_of(side) + facts.units[side]):
            field.states[unit] = facts.state[unit]
            field.health_value[unit] = field.removal_value[unit] = 0.5 * facts.stake[unit]
            field.suppression_value[unit] = 0.1 * facts.stake[unit]
    for side in range(2):
        for unit in range(first_of(side), first_of(side) + facts.units[side]):
            most, watched = 0.0, 0
            for place in range(facts.units[1 - side]):
                most = max(most, fill_gains_against(battle, unit, first_of(1 - side) + place, place))
                watched = max(watched, int(facts.power[unit, WATCHING, place]))
            facts.watched[unit] = watched / THOUSANDTHS
            facts.dread[unit] = most


@step
def fill_gains_against(battle: Battle, unit: int, other: int, place: int) -> float:
    """Store the gains and ranges of a unit's attacks on an enemy; return the greatest gain."""
    facts = battle.setup
    rows, speed = facts.rows[unit, place], int(battle.field.sides[unit].speed)
    standing, moving, far, farther = 0.0, 0.0, -1, -1
    for at in range(rows.number):
        number = wide(rows.strikes[at])
        aimed = gain_of(battle, number, unit, other, False, 1)
        if aimed > 0.0:
            standing, far = max(standing, aimed), max(far, wide(rows.long[at]))
        shot = gain_of(battle, number, unit, other, False, 0)
        if shot > 0.0 and not rows.still[at]:
            moving, farther = max(moving, shot), max(farther, wide(rows.long[at]) + speed)
    charges = wide(pair_of(battle, unit, other).charges)
    charging = max(gain_of_charge(battle, unit, other), 0.0) if charges >= 0 else 0.0
    watching, sees = 0.0, -1
    number = strike_of(battle, unit, other, StrikeSlot.REACTION.value)
    if number != NO_STRIKE:
        watching = max(gain_of(battle, number, unit, other, False, 0), 0.0)
        sees = int(battle.tables.strikes[number].long_range)
    fill_attack_kind(battle, unit, other, CHARGING, charging, charges)
    fill_attack_kind(battle, unit, other, STANDING, standing, far)
    fill_attack_kind(battle, unit, other, MOVING, moving, farther)
    fill_attack_kind(battle, unit, other, WATCHING, watching, sees)
    base = max(far, farther, charges)
    for moves in range(_MOVES_AHEAD):
        within_moves = min(base + 2 * speed * (moves + 1), _FARTHEST)
        facts.ahead_of[unit, moves, place] = np.int32(within_moves * within_moves) if base >= 0 else _NEVER
    return max(charging, standing, moving)


@step
def fill_attack_kind(battle: Battle, unit: int, other: int, attack_kind: int, gain: float, length: int) -> None:
    """Store the gain and range of one kind of attack, for the unit and for the enemy in danger."""
    facts = battle.setup
    squared = np.int32((min(length, _FARTHEST) + 1) * (min(length, _FARTHEST) + 1) - 1) if length >= 0 else _NEVER
    place, of_enemy = other - first_of(side_of(other)), unit - first_of(side_of(unit))
    facts.power[unit, attack_kind, place] = facts.danger[other, attack_kind, of_enemy] = np.int32(gain * THOUSANDTHS)
    facts.reach[unit, attack_kind, place] = facts.range[other, attack_kind, of_enemy] = squared
