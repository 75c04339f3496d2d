"""Look-ahead of a side: which unit it activates next, and the plan of that unit's action (BT-6).

A plan is five numbers: manoeuvre, action, target, attack and length. The attack is an index of the unit's
:class:`~.battle_data.RowFacts` against the target, or ALL_ROWS. A negative length is a move toward the unit's own edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import Whole, inlined, step
from analyser.engine.battle.battle_data import (
    BEYOND,
    CHARGING,
    LANES,
    MOST,
    NOWHERE,
    REACH,
    Battle,
    Battlefield,
    Place,
    blocks_of,
    first_of,
    side_of,
    wide,
)
from analyser.engine.battle.choices import NO_TARGET, is_ready
from analyser.engine.battle.gains import gain_of, gain_of_charge
from analyser.engine.battle.look_ahead_weights import Weight
from analyser.engine.battle.position_value import (
    position_value,
    prospects,
    store_best_attacks,
    update_strength,
    update_values,
    weights_of,
)
from analyser.engine.battle.positions import is_within, squared_distance
from analyser.engine.rng import uniform_below
from analyser.rules import unit_state
from analyser.rules.activation import ROUND_FLAGS, at_double_time
from analyser.rules.battle import floor_sqrt, moved_coordinate
from analyser.rules.policies import Action, Manoeuvre
from analyser.rules.structs import INCH, NONE

MANOEUVRE, ACTION, TARGET, ATTACK, LENGTH = range(5)
ALL_ROWS = -1
ALL_UNITS = np.int64(-1)
_TIE_TOLERANCE = 1e-9
_IRRELEVANT_FLAGS = ROUND_FLAGS  # bits of a state that do not affect the other side's plans
_FAR = 1e9
_ENOUGH = 0.9  # share of the best possible future value at which a unit does not advance
_NEAR = 6 * INCH  # distance below which attraction hardly depends on the distance
_REARMED = 0.3  # value of re-arming, as a share of the best attack at full strength
_IN_COVER = 0.7  # factor of the losses of a unit in cover
_URGENCY = 0.5  # share of a unit's danger that is prevented if it acts first
_WHOLE = 256.0  # full strength of a unit


@step
def next_by_gain(battle: Battle, side: int) -> int:
    """Return the ready unit of a side with the greatest gain plus danger prevented; NONE if no unit is ready."""
    field, facts = battle.field, battle.setup
    if mark_outdated_plans(battle, side):
        store_best_attacks(battle, side)
    update_values(battle, 1 - side)
    result, best, ties = NONE, 0.0, 1
    for unit in range(first_of(side), first_of(side) + facts.units[side]):
        if not is_ready(battle, unit):
            continue
        if not field.plan_is_valid[unit]:
            field.value[unit] = plan_unit(battle, unit)
            field.plan_is_valid[unit] = 1
        value = field.value[unit] + _URGENCY * field.danger[unit]
        if result == NONE or value > best + _TIE_TOLERANCE:
            result, best, ties = unit, value, 1
        elif value >= best - _TIE_TOLERANCE:
            ties += 1
            if uniform_below(field, ties) == 0:
                result = unit
    return result


@step
def mark_outdated_plans(battle: Battle, side: int) -> bool:
    """Mark the units of a side whose plans are outdated by changes since its last turn.

    Return True if a unit has moved since then or a round has begun, so that the enemy's best attacks may have changed.
    """
    field, facts = battle.field, battle.setup
    mine, theirs = first_of(side), first_of(1 - side)
    is_new = field.last_look[side] != field.round
    field.last_look[side] = field.round
    moved, changed = is_new, ALL_UNITS if is_new else changed_units(battle, side, mine)
    for index in range(facts.units[side]):
        if changed >> index & 1:
            unit = mine + index
            field.plan_is_valid[unit] = 0
            moved = moved or field.seen_place[side, unit] != packed_place(field, unit)
            update_seen(battle, side, unit)
    changed = ALL_UNITS if is_new else changed_units(battle, side, theirs)
    for index in range(facts.units[1 - side]):
        if not changed >> index & 1:
            continue
        other = theirs + index
        has_changed = (field.seen_state[side, other] ^ field.states[other]) & ~_IRRELEVANT_FLAGS != 0
        has_moved = field.seen_place[side, other] != packed_place(field, other)
        moved = moved or has_moved
        update_seen(battle, side, other)
        for unit in range(mine, mine + (facts.units[side] if has_changed or has_moved else 0)):
            if field.plan_is_valid[unit] and (
                field.plans[unit, TARGET] == other
                or (has_moved and is_within(battle, unit, other, int(facts.furthest[unit])))
            ):
                field.plan_is_valid[unit] = 0
    return bool(moved)


@step
def changed_units(battle: Battle, side: int, first: int) -> int:
    """Return the units from `first` on that have changed or moved since a side's last look-ahead, one bit a unit."""
    field, changed = battle.field, np.int64(0)
    states, places = field.seen_state[side], field.seen_place[side]
    for at in range(blocks_of(battle.setup.units[side_of(first)]) * LANES):
        unit = np.uint64(first + at)
        differs = (states[unit] ^ field.states[unit]) | (places[unit] ^ packed_place(field, unit))
        changed |= np.int64(1) << np.int64(at) if differs else np.int64(0)
    return changed  # type: ignore[return-value]


@step
def update_seen(battle: Battle, side: int, unit: int) -> None:
    """Store the state and place of a unit at a side's look-ahead, and update the unit's strength."""
    field = battle.field
    field.seen_state[side, unit], field.seen_place[side, unit] = field.states[unit], packed_place(field, unit)
    update_strength(battle, unit)


@inlined
def packed_place(field: Battlefield, unit: Whole) -> Any:
    """Return a unit's place and coordinates, packed into one number."""
    return (np.int64(field.place[unit]) << 60) | (np.int64(field.x[unit]) << 24) | np.int64(field.y[unit])


@step
def plan_unit(battle: Battle, unit: int) -> float:
    """Plan the action of a ready unit, and return its expected gain."""
    field = battle.field
    field.danger[unit] = 0.0
    if field.place[unit] == Place.INCOMING:
        return plan_flight(battle, unit)
    if field.place[unit] == Place.ABOARD or battle.setup.own_policy[unit] != NONE:
        return 0.0
    return plan_action(battle, unit, False)


@step
def store_plan(battle: Battle, unit: int, decision: tuple[int, int], target: int, attack: int, length: int) -> None:
    """Store the plan of a unit."""
    plan = battle.field.plans[unit]
    plan[MANOEUVRE], plan[ACTION] = decision
    plan[TARGET], plan[ATTACK], plan[LENGTH] = target, attack, length


@step
def volley(battle: Battle, unit: int, other: int, length: int, moved: bool, shift: int) -> tuple[float, int]:
    """Return the value (at least 0) of a unit's best shot at an enemy at distance `length`, and its index or ALL_ROWS.

    `moved`: True if the unit has moved. `shift`: the bonuses less penalties, except short range.
    """
    field, facts = battle.field, battle.setup
    rows, state = facts.rows[unit, other - first_of(side_of(other))], field.states[unit]
    empty = state & unit_state.RELOADING != 0
    best, result, total, fired = 0.0, 0, 0.0, 0
    for at in range(rows.number):
        if length > rows.long[at] or length <= rows.within[at]:
            continue
        if (rows.reloads[at] and empty) or (rows.still[at] and moved):
            continue
        short = length <= rows.short[at]
        value = gain_of(battle, wide(rows.strikes[at]), unit, other, short, shift + (1 if short else 0))
        if value > best:
            best, result = value, at
        if value > 0.0 and fired < facts.several[unit] and (at == 0 or rows.row[at] != rows.row[at - 1]):
            total += value
            fired += 1
    return (total, ALL_ROWS) if total > best and fired > 1 else (best, result)


@step
def plan_flight(battle: Battle, unit: int) -> float:
    """Plan the sortie of an aircraft; return its expected gain (BT-3)."""
    field, facts = battle.field, battle.setup
    first, best = first_of(1 - side_of(unit)), 0.0
    store_plan(battle, unit, (Manoeuvre.ADVANCE, Action.SHOOT), NO_TARGET, 0, 0)
    for other in range(first, first + facts.units[1 - side_of(unit)]):
        if field.place[other] != Place.ON_FIELD:
            continue
        rows = facts.rows[unit, other - first]
        for at in range(rows.number):
            if rows.reloads[at] and field.states[unit] & unit_state.RELOADING:
                continue
            near = rows.short[at] >= 0 and rows.within[at] < 0
            value = gain_of(battle, wide(rows.strikes[at]), unit, other, near, 1 if near else 0)
            if value > best:
                best = value
                store_plan(
                    battle,
                    unit,
                    (Manoeuvre.ADVANCE, Action.SHOOT),
                    other,
                    wide(at),
                    wide(rows.short[at] if near else rows.long[at]),
                )
    return best


@step
def plan_action(battle: Battle, unit: int, rally_failed: bool) -> float:
    """Plan the action of a unit on the field; return the plan's value less the value of holding."""
    field, facts = battle.field, battle.setup
    side, x, y = side_of(unit), wide(field.x[unit]), wide(field.y[unit])
    moves = field.sides[unit].speed > 0
    coming, danger, watched, most_future = prospects(battle, unit, x, y)
    value_here, field.danger[unit] = coming - danger, danger
    hold = plan_to_hold(battle, unit, value_here)
    best, best_shot, shot_at, attack = hold, 0.0, NO_TARGET, 0
    must_charge = (field.sides[unit].berserk if rally_failed else field.sides[unit].runs_amok) != 0
    charges = False
    furthest = facts.furthest[unit] * (facts.furthest[unit] + 2)  # greatest square whose integer root is `furthest`
    for other in range(first_of(1 - side), first_of(1 - side) + facts.units[1 - side]):
        squared = squared_distance(field, other, x, y)
        if squared > furthest:
            continue
        length = floor_sqrt(wide(squared))
        index = other - first_of(1 - side)
        reach = facts.attacks[unit, index // LANES, REACH + CHARGING, index % LANES]
        if squared <= reach and (not rally_failed or must_charge):
            least = best if charges or not must_charge else -_FAR
            best = plan_charge(battle, unit, other, length, (least, most_future))
            charges = must_charge
        if charges:
            continue
        value, row = volley(battle, unit, other, length, False, 0 if rally_failed else 1)
        if value > best_shot:
            best_shot, shot_at, attack = value, other, row
        if moves and not rally_failed:
            best = plan_approach(battle, unit, other, length, (best, most_future))
    if charges:
        return best - hold
    if best_shot > 0.0 and best_shot + value_here > best + _TIE_TOLERANCE:
        best = best_shot + value_here
        manoeuvre = Manoeuvre.STAY if rally_failed else Manoeuvre.AIM
        store_plan(battle, unit, (manoeuvre, Action.SHOOT), shot_at, attack, 0)
    best = plan_to_watch(battle, unit, value_here + watched, best)
    if moves and coming < _ENOUGH * most_future and best < most_future + facts.watched[unit]:
        best = plan_advance(battle, unit, rally_failed, best)
    if moves and danger > 0.0 and best < most_future + best_shot:
        times = 2 if danger > best_shot and not rally_failed else 1
        best = plan_retreat(battle, unit, (shot_at, times), rally_failed, (best, most_future))
    return best - hold


@step
def plan_charge(battle: Battle, unit: int, other: int, length: int, bounds: tuple[float, float]) -> float:
    """Plan to charge an enemy if that is better than the best plan; `bounds`: as in :func:`plan_approach`."""
    field = battle.field
    best, most_future = bounds
    value = gain_of_charge(battle, unit, other)
    if value > 0.0:
        value *= weights_of(battle, side_of(unit))[Weight.CHARGE.value]
    if value + most_future > best:
        value += position_value(battle, unit, wide(field.x[other]), wide(field.y[other]))
        if value > best + _TIE_TOLERANCE:
            best = value
            store_plan(battle, unit, (Manoeuvre.CHARGE, Action.NOTHING), other, 0, length)
    return best


@step
def goal_of(battle: Battle, unit: int) -> int:
    """Return the enemy that a unit advances toward, by expected gain and distance; NO_TARGET if there is none."""
    field, facts = battle.field, battle.setup
    first, result, most, best_gain, least = first_of(1 - side_of(unit)), NO_TARGET, -1.0, np.int32(-1), NOWHERE
    for index in range(facts.units[1 - side_of(unit)]):
        squared = squared_distance(field, first + index, wide(field.x[unit]), wide(field.y[unit]))
        gain = facts.attacks[unit, index // LANES, MOST, index % LANES]
        if squared < NOWHERE and (gain > best_gain or squared < least):  # otherwise not more attractive
            attraction = float(gain) / (floor_sqrt(wide(squared)) + _NEAR)
            if attraction > most:
                result, most, best_gain, least = first + index, attraction, gain, wide(squared)
    return result


@step
def plan_to_hold(battle: Battle, unit: int, value_here: float) -> float:
    """Plan to stay and take cover or re-arm; return the value."""
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
    if value > best + _TIE_TOLERANCE:
        store_plan(battle, unit, (Manoeuvre.STAY, Action.GO_ON_LOOKOUT), NO_TARGET, 0, 0)
        return value
    return best


@step
def plan_approach(battle: Battle, unit: int, other: int, length: int, bounds: tuple[float, float]) -> float:
    """Plan to advance into range or short range of an enemy and shoot, if that is better than the best plan.

    `bounds`: the value of the best plan, and an upper bound on the value of any position.
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
        value += position_value(battle, unit, to_x, to_y)
        if value > best + _TIE_TOLERANCE:
            best = value
            store_plan(battle, unit, (Manoeuvre.ADVANCE, Action.SHOOT), other, attack, moved)
    return best


@step
def plan_advance(battle: Battle, unit: int, rally_failed: bool, best: float) -> float:
    """Plan a move toward an enemy, if better than `best`: an advance, the longest move, or just out of its reach."""
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
        if value > best + _TIE_TOLERANCE:
            best = value
            manoeuvre = Manoeuvre.ADVANCE if moved <= speed else Manoeuvre.DOUBLE_TIME
            action = Action.GO_ON_LOOKOUT if watches else Action.NOTHING
            store_plan(battle, unit, (manoeuvre, action), goal, 0, moved)
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
        shot, row = 0.0, 0
        if times == 1 and not rally_failed and target != NO_TARGET:
            length = floor_sqrt(wide(squared_distance(field, target, x, to_y)))
            shot, row = volley(battle, unit, target, length, True, 0)
        if shot + most_future <= best:
            continue
        value = shot + position_value(battle, unit, x, to_y)
        if value > best + _TIE_TOLERANCE:
            best = value
            manoeuvre = Manoeuvre.RETIRE if times == 1 else Manoeuvre.RETIRE_AT_DOUBLE_TIME
            action = Action.SHOOT if shot > 0.0 else Action.NOTHING
            store_plan(battle, unit, (manoeuvre, action), target if shot > 0.0 else NO_TARGET, row, -moved)
    return best
