"""Value of a position: the attacks that it allows next turn, less the enemy's best attack in response (BT-6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import inlined, step, tiered
from analyser.engine.battle.battle_data import (
    AHEAD,
    BEYOND,
    CHARGING,
    DANGER,
    LANES,
    MOST,
    MOST_AFTER_MOVE,
    MOST_UNITS,
    MOVING,
    NO_STRIKE,
    POWER,
    RANGE,
    REACH,
    STANDING,
    WATCHING,
    Battle,
    Place,
    StrikeSlot,
    blocks_of,
    first_of,
    pair_of,
    side_of,
    strike_of,
    units_of,
    wide,
)
from analyser.engine.battle.gains import gain_of, gain_of_charge, health_of
from analyser.engine.battle.look_ahead_weights import Weight
from analyser.engine.battle.objectives import is_in_contact, objective_value
from analyser.engine.battle.positions import squared_distance
from analyser.rules.activation import at_double_time
from analyser.rules.battle import ZERO_GROUND_PRESENCE
from analyser.rules.discipline import ACTIVATED

THOUSANDTHS = 1000.0
_WHOLE = 256  # full strength of a unit
_LATER = 0.6  # weight of an attack next round, relative to an attack this round
_NOT_NEXT = 0.6  # weight of a target's attacks if another target probably acts next
_AFTER_ACTING = 0.2  # weight of a target's attacks next round, after it has acted
_SUPPRESSION_COST = 0.3  # cost of suppression, as a share of the value of the unit's attacks
_FARTHEST = 30_000
_NEVER = np.int32(-1)
_MOVES_AHEAD = 4  # number of AHEAD rows: after 1, 2, 3 or 4 moves at double time
# Weights (256: full) of an attack that requires 1, 2, 3, 4, or more moves at double time before it.
_SHARES = (np.int32(140), np.int32(80), np.int32(46), np.int32(26), np.int32(10))


@step
def weights_of(battle: Battle, side: int) -> Any:
    """Return the weights of a side's tactic in this round."""
    field, facts = battle.field, battle.setup
    return facts.weights[min((facts.rounds - field.round + 1) // 2, 2), max(field.tactic[side], 0)]


@step
def update_strength(battle: Battle, unit: int) -> None:
    """Update the strength, cap and attack weight of a unit."""
    field = battle.field
    strength = np.int32(0)
    if field.place[unit] == Place.ON_FIELD:
        strength = np.int32(_WHOLE * health_of(battle, unit) // battle.setup.health[unit])
    field.strength[unit] = strength
    field.cap[unit] = np.int32(battle.setup.stake[unit] * (0.5 + 0.5 * (strength / _WHOLE)) * THOUSANDTHS)
    field.attack_weight[unit] = np.int32(strength * next_attack_weight(battle, unit))


@step
def update_values(battle: Battle, side: int) -> None:
    """Update what hurting each unit of a side is worth to its enemy, as if the unit with the best attack acted next."""
    field, facts = battle.field, battle.setup
    weights, first, most = weights_of(battle, 1 - side), first_of(side), field.most[side]
    value, removal = weights[Weight.VALUE.value], weights[Weight.REMOVAL.value]
    denial, units = weights[Weight.DENIAL.value] / THOUSANDTHS, blocks_of(facts.units[side]) * LANES
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
    for objective in range(facts.objectives):
        for number in units_of(battle, side):
            if facts.holds_objectives[number] and is_in_contact(battle, number, objective):
                field.removal_value[number] += weights[Weight.OBJECTIVE.value] * facts.objective_points


@step
def next_attack_weight(battle: Battle, unit: int) -> float:
    """Return the weight of a unit's next attack: 1 in this round, smaller in the next, 0 after the last."""
    if not battle.field.states[unit] & ACTIVATED:
        return 1.0
    return 0.0 if battle.field.round == battle.setup.rounds else _LATER


@inlined
def best_gain(squared: Any, table: Any, gains: int, ranges: int, lane: Any) -> Any:
    """Return the best gain (thousandths) of an attack, except on lookout, at a squared distance (`lane`: column)."""
    best = table[gains + CHARGING, lane] if squared <= table[ranges + CHARGING, lane] else np.int32(0)
    standing = table[gains + STANDING, lane] if squared <= table[ranges + STANDING, lane] else np.int32(0)
    best = standing if standing > best else best
    moving = table[gains + MOVING, lane] if squared <= table[ranges + MOVING, lane] else np.int32(0)
    return moving if moving > best else best


@inlined
def scaled_gain(gain: Any, strength: Any) -> Any:
    """Return a gain times a strength or weight in 256ths."""
    return np.int32(np.int32(gain * strength) >> np.int32(8))


@step
def store_best_attacks(battle: Battle, side: int) -> None:
    """Store each enemy's best and second-best gain by attacks on the units of a side in their current states."""
    field, facts = battle.field, battle.setup
    first, blocks, last = np.uint64(first_of(side)), blocks_of(facts.units[side]), np.int32(MOST_UNITS - 1)
    for index in range(facts.units[1 - side]):
        other = first_of(1 - side) + index
        x, y, key, second = wide(field.x[other]), wide(field.y[other]), np.int32(0), np.int32(0)
        for block in range(blocks if field.place[other] == Place.ON_FIELD else 0):
            table = facts.attacks[other, block]
            for lane in range(LANES):  # the greatest key is that of the first unit with the best gain
                at = np.int32(block * LANES + lane)
                gain = gain_on(field, first + np.uint64(block * LANES + lane), x, y, table, lane)
                with_place = np.int32(np.int32(gain * np.int32(MOST_UNITS)) + np.int32(last - at))
                key = with_place if with_place > key else key
        best_at = np.int32(last - np.int32(key % np.int32(MOST_UNITS)))
        for block in range(blocks if key > 0 else 0):
            table = facts.attacks[other, block]
            for lane in range(LANES):
                at = np.int32(block * LANES + lane)
                gain = gain_on(field, first + np.uint64(block * LANES + lane), x, y, table, lane)
                gain = gain if at != best_at else np.int32(0)
                second = gain if gain > second else second
        field.most[1 - side, index], field.second[1 - side, index] = key // MOST_UNITS, second
        field.most_on[1 - side, index] = first_of(side) + best_at


@inlined
def gain_on(field: Any, unit: Any, x: int, y: int, table: Any, lane: Any) -> Any:
    """Return the best gain (thousandths) by an attack on a unit, from a point."""
    gain = best_gain(squared_distance(field, unit, x, y), table, POWER, REACH, lane)
    cap = field.cap[unit]
    return cap if gain > cap else gain


@step
def prospects(battle: Battle, unit: int, x: int, y: int) -> tuple[float, float, float, float]:
    """Return four values of a point to a unit: future attacks, danger, the best shot on lookout, and an upper bound.

    The first is the value of the best attack next turn, or after moves toward an enemy, plus the value of objectives
    (BT-7). The second is the increase of the enemy's expected gains if the unit is at the point. The third is the value
    of the best shot on lookout from the point; shots at enemies that have acted are worth less. The fourth is an upper
    bound on the first value at any point.
    """
    field, facts, enemy = battle.field, battle.setup, 1 - side_of(unit)
    first, cap, number = np.uint64(first_of(enemy)), field.cap[unit], np.int32(unit)
    most, second, most_on = field.most[enemy], field.second[enemy], field.most_on[enemy]
    best, watched, greatest, total = np.int32(0), np.int32(0), np.int32(0), np.int32(0)
    for block in range(blocks_of(facts.units[enemy])):
        table = facts.attacks[unit, block]
        for lane in range(LANES):
            at = np.uint64(block * LANES + lane)
            squared, strength = squared_distance(field, first + at, x, y), field.strength[first + at]
            weight = field.attack_weight[first + at]
            gain = best_gain(squared, table, DANGER, RANGE, lane)
            gain = cap if gain > cap else gain
            elsewhere, next_best = most[at], second[at]
            elsewhere = next_best if most_on[at] == number else elsewhere
            more = np.int32(gain - elsewhere)
            more = more if more > np.int32(0) else np.int32(0)
            total = np.int32(total + scaled_gain(more, weight))
            gain = best_gain(squared, table, POWER, REACH, lane)
            part = _SHARES[3] if squared <= table[AHEAD + 3, lane] else _SHARES[4]
            part = _SHARES[2] if squared <= table[AHEAD + 2, lane] else part
            part = _SHARES[1] if squared <= table[AHEAD + 1, lane] else part
            part = _SHARES[0] if squared <= table[AHEAD, lane] else part
            later = scaled_gain(table[MOST_AFTER_MOVE, lane], part)
            gain = later if later > gain else gain
            gain = scaled_gain(gain, strength)
            best = gain if gain > best else best
            gain = table[POWER + WATCHING, lane] if squared <= table[REACH + WATCHING, lane] else np.int32(0)
            gain = scaled_gain(gain, weight)
            watched = gain if gain > watched else watched
            gain = scaled_gain(table[MOST, lane], strength)
            greatest = gain if gain > greatest else greatest
    weights = weights_of(battle, side_of(unit))
    total = cap if total > cap else total
    strength = field.strength[unit]
    future, most_future = 0.0, 0.0
    if field.round < facts.rounds:
        future = float(best) * strength / (_WHOLE * THOUSANDTHS)
        most_future = float(weights[Weight.FUTURE.value] * greatest * strength / (_WHOLE * THOUSANDTHS))
    future *= float(weights[Weight.FUTURE.value])
    if facts.objectives:
        future += float(weights[Weight.OBJECTIVE.value] * objective_value(battle, unit, x, y))
        most_future += float(weights[Weight.OBJECTIVE.value] * facts.objective_points)
    return (
        future,
        float(total * weights[Weight.LOSS.value] / THOUSANDTHS),
        float(float(watched) * strength / (_WHOLE * THOUSANDTHS)),
        most_future,
    )


@step
def position_value(battle: Battle, unit: int, x: int, y: int) -> float:
    """Return the value of a point to a unit: its future attacks less the enemy's attacks in response."""
    coming, danger, _, _ = prospects(battle, unit, x, y)
    return coming - danger


@step
def watched_in_flight(battle: Battle, unit: int) -> float:
    """Return the value of a unit's best shot on lookout at an aircraft that has still to fly a sortie (BT-3)."""
    field, facts, enemy, best = battle.field, battle.setup, 1 - side_of(unit), 0.0
    for index in range(facts.units[enemy] if facts.has_reserves else 0):
        other = first_of(enemy) + index
        if facts.aircraft[other] and field.place[other] in (Place.INCOMING, Place.IN_RESERVE):
            weight = 1.0 if field.place[other] == Place.INCOMING else _LATER if field.round < facts.rounds else 0.0
            best = max(best, weight * facts.attacks[unit, index // LANES, POWER + WATCHING, index % LANES])
    return float(best * field.strength[unit] / (_WHOLE * THOUSANDTHS))


@tiered(1.4)
def fill_gains_of_all(battle: Battle) -> None:
    """Fill the setup's arrays `attacks`, `watched` and `dread`, for units at full strength."""
    field, facts = battle.field, battle.setup
    for side in range(2):
        for unit in units_of(battle, side):
            field.states[unit] = facts.state[unit]
            field.health_value[unit] = field.removal_value[unit] = 0.5 * facts.stake[unit]
            field.suppression_value[unit] = 0.1 * facts.stake[unit]
    for side in range(2):
        for unit in units_of(battle, side):
            most, watched = 0.0, 0
            for index in range(facts.units[1 - side]):
                most = max(most, fill_gains_against(battle, unit, first_of(1 - side) + index, index))
                watched = max(watched, int(facts.attacks[unit, index // LANES, POWER + WATCHING, index % LANES]))
            facts.watched[unit] = watched / THOUSANDTHS
            facts.dread[unit] = most


@step
def fill_gains_against(battle: Battle, unit: int, other: int, index: int) -> float:
    """Store the gains and ranges of a unit's attacks on an enemy; return the greatest gain."""
    facts = battle.setup
    rows, speed = facts.rows[unit, index], int(battle.field.sides[unit].speed)
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
    base, table, lane = max(far, farther, charges), facts.attacks[unit, index // LANES], index % LANES
    for moves in range(_MOVES_AHEAD):
        within_moves = min(base + at_double_time(speed) * (moves + 1), _FARTHEST)
        table[AHEAD + moves, lane] = np.int32(within_moves * within_moves) if base >= 0 else _NEVER
    table[MOST_AFTER_MOVE, lane] = np.int32(max(charging, moving) * THOUSANDTHS)
    table[MOST, lane] = np.int32(max(charging, standing, moving) * THOUSANDTHS)
    return max(charging, standing, moving)


@step
def fill_attack_kind(battle: Battle, unit: int, other: int, attack_kind: int, gain: float, length: int) -> None:
    """Store the gain and range of one kind of attack, in the tables of the unit and of the endangered enemy."""
    facts = battle.setup
    squared = np.int32((min(length, _FARTHEST) + 1) * (min(length, _FARTHEST) + 1) - 1) if length >= 0 else _NEVER
    index, of_enemy = other - first_of(side_of(other)), unit - first_of(side_of(unit))
    table, lane = facts.attacks[unit, index // LANES], index % LANES
    table[POWER + attack_kind, lane], table[REACH + attack_kind, lane] = np.int32(gain * THOUSANDTHS), squared
    table, lane = facts.attacks[other, of_enemy // LANES], of_enemy % LANES
    table[DANGER + attack_kind, lane], table[RANGE + attack_kind, lane] = np.int32(gain * THOUSANDTHS), squared
    if attack_kind != WATCHING:
        table[BEYOND, lane] = max(table[BEYOND, lane], np.int32(min(max(length, 0), _FARTHEST) + 1))
