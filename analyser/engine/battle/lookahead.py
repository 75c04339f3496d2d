"""Look-ahead of a side: which unit it activates next, and the best plan of that unit's action (BT-6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import Whole, inlined, step
from analyser.engine.battle import action_plans
from analyser.engine.battle.action_plans import TIE_TOLERANCE, store_plan, volley
from analyser.engine.battle.battle_data import (
    CHARGING,
    LANES,
    REACH,
    Battle,
    Battlefield,
    Place,
    blocks_of,
    first_of,
    side_of,
    units_of,
    wide,
)
from analyser.engine.battle.choices import NO_TARGET, is_ready
from analyser.engine.battle.objectives import count_contacts
from analyser.engine.battle.position_value import (
    prospects,
    store_best_attacks,
    update_strength,
    update_values,
    watched_in_flight,
)
from analyser.engine.battle.positions import is_within, squared_distance
from analyser.engine.rng import uniform_below
from analyser.rules.activation import ROUND_FLAGS
from analyser.rules.battle import floor_sqrt
from analyser.rules.policies import Action, Manoeuvre
from analyser.rules.structs import NONE

ALL_UNITS = np.int64(-1)
_FAR = 1e9
_ENOUGH = 0.9  # a unit whose position has at least this share of the best possible future value does not advance
_URGENCY = 0.5  # share of a unit's danger that acting first is assumed to prevent


@step
def next_by_gain(battle: Battle, side: int) -> int:
    """Return the ready unit with the greatest sum of gain and prevented danger; NONE if the side has no ready unit."""
    field, facts = battle.field, battle.setup
    if mark_outdated_plans(battle, side):
        store_best_attacks(battle, side)
        if facts.objectives:
            count_contacts(battle)
            for unit in units_of(battle, side):
                field.plan_is_valid[unit] = 0
    update_values(battle, 1 - side)
    result, best, ties = NONE, 0.0, 1
    for unit in units_of(battle, side):
        if not is_ready(battle, unit):
            continue
        if not field.plan_is_valid[unit]:
            field.value[unit] = plan_unit(battle, unit)
            field.plan_is_valid[unit] = 1
        value = field.value[unit] + _URGENCY * field.danger[unit]
        if result == NONE or value > best + TIE_TOLERANCE:
            result, best, ties = unit, value, 1
        elif value >= best - TIE_TOLERANCE:
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
        has_changed = (field.seen_state[side, other] ^ field.states[other]) & ~ROUND_FLAGS != 0
        has_moved = field.seen_place[side, other] != packed_place(field, other)
        moved = moved or has_moved
        update_seen(battle, side, other)
        for unit in range(mine, mine + (facts.units[side] if has_changed or has_moved else 0)):
            if field.plan_is_valid[unit] and (
                field.plans[unit, action_plans.TARGET] == other
                or (has_moved and is_within(battle, unit, other, int(facts.furthest[unit])))
            ):
                field.plan_is_valid[unit] = 0
    return bool(moved)


@step
def changed_units(battle: Battle, side: int, first: int) -> int:
    """Return a bit mask of units, from `first` on, whose state or place has changed since a side's last look-ahead."""
    field, changed = battle.field, np.int64(0)
    states, places = field.seen_state[side], field.seen_place[side]
    for at in range(blocks_of(battle.setup.units[side_of(first)]) * LANES):
        unit = np.uint64(first + at)
        differs = (states[unit] ^ field.states[unit]) | (places[unit] ^ packed_place(field, unit))
        changed |= np.int64(1) << np.int64(at) if differs else np.int64(0)
    return changed  # type: ignore[return-value]


@step
def update_seen(battle: Battle, side: int, unit: int) -> None:
    """Store the state and place of a unit as last seen by a side, and update the unit's strength."""
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
        return action_plans.plan_flight(battle, unit)
    if field.place[unit] == Place.ABOARD or battle.setup.own_policy[unit] != NONE:
        return 0.0
    return plan_action(battle, unit, False)


@step
def plan_action(battle: Battle, unit: int, rally_failed: bool) -> float:
    """Plan the action of a unit on the field; return the plan's value less the value of holding."""
    field, facts = battle.field, battle.setup
    side, x, y = side_of(unit), wide(field.x[unit]), wide(field.y[unit])
    moves = field.sides[unit].speed > 0
    coming, danger, watched, most_future = prospects(battle, unit, x, y)
    if facts.watches[unit]:
        watched = max(watched, watched_in_flight(battle, unit))
    value_here, field.danger[unit] = coming - danger, danger
    hold = action_plans.plan_to_hold(battle, unit, value_here)
    best, best_shot, shot_at, attack, too_near = hold, 0.0, NO_TARGET, 0, NO_TARGET
    must_charge = (field.sides[unit].berserk if rally_failed else field.sides[unit].runs_amok) != 0
    charges = False
    furthest = facts.furthest[unit] * (facts.furthest[unit] + 2)  # greatest squared distance within `furthest`
    for other in units_of(battle, 1 - side):
        squared = squared_distance(field, other, x, y)
        if squared > furthest:
            continue
        length = floor_sqrt(wide(squared))
        index = other - first_of(1 - side)
        reach = facts.attacks[unit, index // LANES, REACH + CHARGING, index % LANES]
        if squared <= reach and (not rally_failed or must_charge):
            least = best if charges or not must_charge else -_FAR
            best = action_plans.plan_charge(battle, unit, other, length, (least, most_future))
            charges = must_charge
        if charges:
            continue
        value, row = volley(battle, unit, other, length, False, 0 if rally_failed else 1)
        if value > best_shot:
            best_shot, shot_at, attack = value, other, row
        elif shot_at == NO_TARGET and action_plans.is_too_near(battle, unit, other, length):
            too_near = other
        if moves and not rally_failed:
            best = action_plans.plan_approach(battle, unit, other, length, (best, most_future))
    if charges:
        return best - hold
    if best_shot > 0.0 and best_shot + value_here > best + TIE_TOLERANCE:
        best = best_shot + value_here
        manoeuvre = Manoeuvre.STAY if rally_failed else Manoeuvre.AIM
        store_plan(battle, unit, (manoeuvre, Action.SHOOT), shot_at, attack, 0)
    best = action_plans.plan_to_watch(battle, unit, value_here + watched, best)
    if moves and coming < _ENOUGH * most_future and best < most_future + facts.watched[unit]:
        best = action_plans.plan_advance(battle, unit, rally_failed, best)
    if moves and facts.objectives:
        best = action_plans.plan_to_objective(battle, unit, shot_at, rally_failed, (best, most_future))
    if moves and danger > 0.0 and best < most_future + best_shot:
        times = 2 if danger > best_shot and not rally_failed else 1
        best = action_plans.plan_retreat(battle, unit, (shot_at, times), rally_failed, (best, most_future))
    if moves and shot_at == NO_TARGET and too_near != NO_TARGET:
        best = action_plans.plan_retreat(battle, unit, (too_near, 1), rally_failed, (best, most_future))
    return best - hold
