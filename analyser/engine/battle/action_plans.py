"""Plans of a unit's action; the look-ahead takes the best one (BT-6).

A plan is six numbers: manoeuvre, action, target, attack, length and objective. The attack is an index into the attacks
of :class:`~.battle_data.RowFacts`, or ALL_ROWS. A move goes toward the objective, or toward the target if there is no
objective (NONE). A negative length is a move toward the unit's own edge.
"""

from __future__ import annotations

import numpy as np

from analyser.common.jit import step
from analyser.engine.battle.battle_data import (
    BEYOND,
    LANES,
    MOST,
    NOWHERE,
    Battle,
    Place,
    first_of,
    side_of,
    units_of,
    wide,
)
from analyser.engine.battle.choices import NO_TARGET
from analyser.engine.battle.gains import (
    SHARE_LOST,
    gain_of,
    gain_of_charge,
    health_of,
    result_of,
    value_of_result,
)
from analyser.engine.battle.look_ahead_weights import Weight
from analyser.engine.battle.objectives import distance_to_objective, points_at_stake
from analyser.engine.battle.position_value import position_value, prospects, weights_of
from analyser.engine.battle.positions import squared_distance
from analyser.rules import unit_state
from analyser.rules.activation import at_double_time
from analyser.rules.battle import OBJECTIVE_WITHIN, floor_sqrt, moved_coordinate
from analyser.rules.policies import Action, Manoeuvre
from analyser.rules.structs import INCH, NONE

MANOEUVRE, ACTION, TARGET, ATTACK, LENGTH, OBJECTIVE = range(6)
ALL_ROWS = -1
TIE_TOLERANCE = 1e-9
_NEAR = 6 * INCH  # at shorter distances, `goal_of` hardly depends on the distance
_REARMED = 0.3  # value of re-arming, as a share of the best attack at full strength
_IN_COVER = 0.7  # factor of the losses of a unit in cover
_WHOLE = 256.0  # full strength of a unit


@step
def store_plan(battle: Battle, unit: int, decision: tuple[int, int], target: int, attack: int, length: int) -> None:
    """Store the plan of a unit, without an objective."""
    plan = battle.field.plans[unit]
    plan[OBJECTIVE] = NONE
    plan[MANOEUVRE], plan[ACTION] = decision
    plan[TARGET], plan[ATTACK], plan[LENGTH] = target, attack, length


@step
def better_plan(
    battle: Battle, unit: int, values: tuple[float, float], decision: tuple[int, int], target: int, length: int
) -> float:
    """Store a plan without an attack if it beats the best so far; `values`: of both plans. Return the better value."""
    value, best = values
    if value <= best + TIE_TOLERANCE:
        return best
    store_plan(battle, unit, decision, target, 0, length)
    return value


@step
def volley(battle: Battle, unit: int, other: int, length: int, moved: bool, shift: int) -> tuple[float, int]:
    """Return the value (at least 0) of a unit's best shot at an enemy at distance `length`, and the shot or ALL_ROWS.

    `moved`: True if the unit has moved. `shift`: number of bonuses less number of penalties, except short range.
    """
    field, facts = battle.field, battle.setup
    rows, state = facts.rows[unit, other - first_of(side_of(other))], field.states[unit]
    empty = state & unit_state.RELOADING != 0
    best, result, total, fired, health = 0.0, 0, 0.0, 0, health_of(battle, other)
    most_fired = int(facts.several[unit]) if facts.several[unit] > 1 else 0
    for at in range(rows.number):
        if length > rows.long[at] or length <= rows.within[at]:
            continue
        if (rows.reloads[at] and empty) or (rows.still[at] and moved):
            continue
        short, number = length <= rows.short[at], wide(rows.strikes[at])
        bonuses = shift + (1 if short else 0)
        value = gain_of(battle, number, unit, other, short, bonuses)
        if value > best:
            best, result = value, at
        if value <= 0.0 or fired == most_fired or health <= 0:
            continue
        if at == 0 or rows.row[at] != rows.row[at - 1]:
            row = result_of(battle, number, unit, other, (short, bonuses, health))  # after the rows fired before
            total += value_of_result(battle, unit, other, row)
            health -= int(row[SHARE_LOST] * facts.health[other] + 0.5)
            fired += 1
    return (total, ALL_ROWS) if total > best and fired > 1 else (best, result)


@step
def is_too_near(battle: Battle, unit: int, other: int, length: int) -> bool:
    """Return True if an enemy at distance `length` is within the short range of an Indirect row of the unit."""
    rows = battle.setup.rows[unit, other - first_of(side_of(other))]
    result = False
    for at in range(rows.number):
        result = result or length <= rows.within[at]
    return bool(result)


@step
def plan_flight(battle: Battle, unit: int) -> float:
    """Plan the sortie of an aircraft; return its expected gain (BT-3)."""
    field, facts = battle.field, battle.setup
    first, best = first_of(1 - side_of(unit)), 0.0
    store_plan(battle, unit, (Manoeuvre.ADVANCE, Action.SHOOT), NO_TARGET, 0, 0)
    for other in units_of(battle, 1 - side_of(unit)):
        if field.place[other] != Place.ON_FIELD:
            continue
        rows = facts.rows[unit, other - first]
        for at in range(rows.number):
            if rows.reloads[at] and field.states[unit] & unit_state.RELOADING:
                continue
            near = rows.short[at] >= 0 and rows.within[at] < 0
            value = gain_of(battle, wide(rows.strikes[at]), unit, other, near, 1 if near else 0)
            if value > best:
                best, length = value, wide(rows.short[at] if near else rows.long[at])
                store_plan(battle, unit, (Manoeuvre.ADVANCE, Action.SHOOT), other, wide(at), length)
    return best


@step
def plan_charge(battle: Battle, unit: int, other: int, length: int, bounds: tuple[float, float]) -> float:
    """Plan to charge an enemy if that is better than the best plan so far; `bounds`: as in :func:`plan_approach`."""
    field = battle.field
    best, most_future = bounds
    value = gain_of_charge(battle, unit, other)
    if value > 0.0:
        value *= weights_of(battle, side_of(unit))[Weight.CHARGE.value]
    if value + most_future <= best:
        return best
    value += position_value(battle, unit, wide(field.x[other]), wide(field.y[other]))
    return better_plan(battle, unit, (value, best), (Manoeuvre.CHARGE, Action.NOTHING), other, length)


@step
def goal_of(battle: Battle, unit: int) -> int:
    """Return the enemy that a unit advances toward, by expected gain and distance; NO_TARGET if there is none."""
    field, facts = battle.field, battle.setup
    first, result, most, best_gain, least = first_of(1 - side_of(unit)), NO_TARGET, -1.0, np.int32(-1), NOWHERE
    for index in range(facts.units[1 - side_of(unit)]):
        squared = squared_distance(field, first + index, wide(field.x[unit]), wide(field.y[unit]))
        gain = facts.attacks[unit, index // LANES, MOST, index % LANES]
        if squared < NOWHERE and (gain > best_gain or squared < least):  # else its attraction cannot be greater
            attraction = float(gain) / (floor_sqrt(wide(squared)) + _NEAR)
            if attraction > most:
                result, most, best_gain, least = first + index, attraction, gain, wide(squared)
    return result


@step
def plan_to_hold(battle: Battle, unit: int, value_here: float) -> float:
    """Plan to stay and take cover or re-arm; return the plan's value."""
    field, facts = battle.field, battle.setup
    if field.states[unit] & unit_state.RELOADING:
        store_plan(battle, unit, (Manoeuvre.STAY, Action.RE_ARM), NO_TARGET, 0, 0)
        ready = _REARMED * facts.dread[unit] * field.strength[unit] / _WHOLE
        return value_here + (ready if field.round < facts.rounds else 0.0)
    store_plan(battle, unit, (Manoeuvre.STAY, Action.TAKE_COVER), NO_TARGET, 0, 0)
    return value_here * _IN_COVER if facts.hides[unit] and value_here < 0.0 else value_here


@step
def plan_to_watch(battle: Battle, unit: int, value: float, best: float) -> float:
    """Plan to go on lookout if that is possible and its `value` is more than `best`; return the better value."""
    field, facts = battle.field, battle.setup
    if not facts.watches[unit] or field.states[unit] & unit_state.RELOADING:
        return best
    return better_plan(battle, unit, (value, best), (Manoeuvre.STAY, Action.GO_ON_LOOKOUT), NO_TARGET, 0)


@step
def plan_approach(battle: Battle, unit: int, other: int, length: int, bounds: tuple[float, float]) -> float:
    """Plan to advance into range or short range of an enemy and shoot, if that is better than the best plan so far.

    `bounds`: the value of the best plan so far, and an upper bound on the value of any position.
    """
    best, most_future = bounds
    field, facts = battle.field, battle.setup
    rows, speed = facts.rows[unit, other - first_of(side_of(other))], int(field.sides[unit].speed)
    x, y = wide(field.x[unit]), wide(field.y[unit])
    for at in range(rows.number):
        if rows.still[at] or (length <= rows.long[at] and not rows.near[at]):
            continue
        stop = NONE
        if rows.long[at] < length <= rows.long[at] + speed:
            stop = wide(rows.long[at])
        if rows.near[at] and rows.short[at] < length <= rows.short[at] + speed:
            stop = wide(rows.short[at])
        if stop < INCH:
            continue
        value, attack = volley(battle, unit, other, stop, True, 0)
        if value <= 0.0 or value + most_future <= best:
            continue
        moved = length - stop
        to_x = moved_coordinate(x, wide(field.x[other]), moved, length)
        to_y = moved_coordinate(y, wide(field.y[other]), moved, length)
        if squared_distance(field, other, to_x, to_y) >= (stop + 1) * (stop + 1) and moved < speed:  # rounding
            moved += 1
            to_x = moved_coordinate(x, wide(field.x[other]), moved, length)
            to_y = moved_coordinate(y, wide(field.y[other]), moved, length)
        value += position_value(battle, unit, to_x, to_y)
        if value > best + TIE_TOLERANCE:
            best = value
            store_plan(battle, unit, (Manoeuvre.ADVANCE, Action.SHOOT), other, attack, moved)
    return best


@step
def plan_advance(battle: Battle, unit: int, rally_failed: bool, best: float) -> float:
    """Plan a move toward an enemy if better than `best`: an advance, the longest move, or one to just out of reach."""
    field, facts = battle.field, battle.setup
    goal = goal_of(battle, unit)
    if goal == NO_TARGET:
        return best
    x, y, speed = wide(field.x[unit]), wide(field.y[unit]), int(field.sides[unit].speed)
    length, index = floor_sqrt(wide(squared_distance(field, goal, x, y))), goal - first_of(side_of(goal))
    beyond_reach = wide(facts.attacks[unit, index // LANES, BEYOND, index % LANES])
    most = min(speed if rally_failed else at_double_time(speed), length - INCH)
    can_watch = facts.watches[unit] != 0 and not rally_failed and not field.states[unit] & unit_state.RELOADING
    for stop in range(3):
        moved = min(speed, most) if stop == 0 else most
        moved = moved if stop < 2 else length - beyond_reach
        if moved <= 0 or moved > most or (stop == 1 and most <= speed):
            continue
        to_x = moved_coordinate(x, wide(field.x[goal]), moved, length)
        to_y = moved_coordinate(y, wide(field.y[goal]), moved, length)
        watches = can_watch and moved <= speed
        coming, danger, watched, _ = prospects(battle, unit, to_x, to_y)
        value = coming - danger + (watched if watches else 0.0)
        manoeuvre = Manoeuvre.ADVANCE.value if moved <= speed else Manoeuvre.DOUBLE_TIME.value
        action = Action.GO_ON_LOOKOUT.value if watches else Action.NOTHING.value
        best = better_plan(battle, unit, (value, best), (manoeuvre, action), goal, moved)
    return best


@step
def plan_to_objective(battle: Battle, unit: int, target: int, rally_failed: bool, bounds: tuple[float, float]) -> float:
    """Plan a move toward an objective, and perhaps a shot, if that is better than the best plan so far (BT-7).

    `target`: the target of the shot. `bounds`: as in :func:`plan_approach`.
    """
    field, facts, (best, most_future) = battle.field, battle.setup, bounds
    x, y, speed = wide(field.x[unit]), wide(field.y[unit]), int(field.sides[unit].speed)
    for objective in range(facts.objectives):
        distance = distance_to_objective(battle, unit, objective)
        most = distance - OBJECTIVE_WITHIN  # the move ends in contact
        if most <= 0 or points_at_stake(battle, unit, objective) == 0.0:
            continue
        for times in range(1, 2 if rally_failed or most <= speed else 3):
            moved = min(times * speed, most)
            to_x = moved_coordinate(x, wide(facts.objective_x[objective]), moved, distance)
            to_y = moved_coordinate(y, int(facts.objective_y), moved, distance)
            manoeuvre = Manoeuvre.ADVANCE.value if times == 1 else Manoeuvre.DOUBLE_TIME.value
            fires_at = NO_TARGET if times == 2 or rally_failed else target
            value = plan_move(battle, unit, (to_x, to_y), manoeuvre, fires_at, moved, (best, most_future))
            if value > best:
                best = value
                field.plans[unit, OBJECTIVE] = objective
    return best


@step
def plan_retreat(
    battle: Battle, unit: int, terms: tuple[int, int], rally_failed: bool, bounds: tuple[float, float]
) -> float:
    """Plan a move toward the unit's own edge, and perhaps a shot, if that is better than the best plan so far.

    `terms`: the target of the shot, and the greatest move in multiples of SPEED. `bounds`: as in :func:`plan_approach`.
    """
    field = battle.field
    (target, most), (best, most_future) = terms, bounds
    x, y, speed = wide(field.x[unit]), wide(field.y[unit]), int(field.sides[unit].speed)
    room = int(field.sides[unit].edge_distance)
    for times in range(1, most + 1):
        moved = min(times * speed, room)
        if moved <= 0:
            continue
        to_y = y - moved if side_of(unit) == 0 else y + moved
        manoeuvre = Manoeuvre.RETIRE.value if times == 1 else Manoeuvre.RETIRE_AT_DOUBLE_TIME.value
        fires_at = NO_TARGET if times == 2 or rally_failed else target
        best = plan_move(battle, unit, (x, to_y), manoeuvre, fires_at, -moved, (best, most_future))
    return best


@step
def plan_move(
    battle: Battle,
    unit: int,
    to: tuple[int, int],
    manoeuvre: int,
    target: int,
    length: int,
    bounds: tuple[float, float],
) -> float:
    """Plan a move to a point, and perhaps a shot at a target, if better than the best plan; return the better value.

    `length`: as in a plan. `bounds`: as in :func:`plan_approach`.
    """
    best, most_future = bounds
    shot, row = 0.0, 0
    if target != NO_TARGET:
        distance = floor_sqrt(wide(squared_distance(battle.field, target, to[0], to[1])))
        shot, row = volley(battle, unit, target, distance, True, 0)
    if shot + most_future <= best:
        return best
    value = shot + position_value(battle, unit, to[0], to[1])
    if value <= best + TIE_TOLERANCE:
        return best
    action = Action.SHOOT.value if shot > 0.0 else Action.NOTHING.value
    store_plan(battle, unit, (manoeuvre, action), target if shot > 0.0 else NO_TARGET, row, length)
    return value
