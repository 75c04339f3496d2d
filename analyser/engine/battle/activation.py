"""Activation of a unit in a battle; it follows the same rules as in a duel with its target (AC-9.2)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle import choices, combat, positions
from analyser.engine.battle.action_plans import ACTION, ALL_ROWS, ATTACK, LENGTH, MANOEUVRE, OBJECTIVE, TARGET, volley
from analyser.engine.battle.attack import does_penalty_count, strike
from analyser.engine.battle.battle_data import (
    NO_POLICY,
    NO_STRIKE,
    NOWHERE,
    Battle,
    Place,
    StrikeSlot,
    first_of,
    pair_of,
    side_of,
    strike_of,
    units_of,
    wide,
)
from analyser.engine.battle.choices import NO_TARGET
from analyser.engine.battle.gains import gain_of
from analyser.engine.battle.log import Event, record
from analyser.engine.battle.lookahead import plan_action
from analyser.engine.battle.losses import NO_UNIT, passes, set_state
from analyser.engine.battle.objectives import count_contacts, distance_to_objective
from analyser.engine.battle.positions import distance_between
from analyser.engine.battle.transports import disembark, disembarks_now, passenger_of
from analyser.rules import activation, special_rules, unit_state
from analyser.rules.activation import Order
from analyser.rules.discipline import ACTIVATED, DISORDERED
from analyser.rules.policies import Action, Manoeuvre, Policy
from analyser.rules.policy_lines import view_index
from analyser.rules.structs import NONE, Penalty
from analyser.rules.unit_state import is_removed


@step
def activate(battle: Battle, unit: int) -> None:
    """Activate a unit."""
    field, units = battle.field, battle.field.units
    if field.place[unit] == Place.ABOARD:  # Cryo has activated its transport, so the transport gets no turn
        activate_passenger(battle, unit)
        return
    record(battle, Event.ACTIVATED, unit, 0, unit_state.models_of(field.states[unit]), 0, 0)
    spread_fumes(battle)
    field.states[unit] = activation.start_activation(field.states[unit], units[unit])
    if field.place[unit] == Place.INCOMING:
        fly_sortie(battle, unit)
    else:
        highest = activation.highest_rally_card(field.states[unit], units[unit])
        if not passes(battle, unit, highest, 1):
            field.states[unit] |= unit_state.RALLY_FAILED
        was_fired_at = opportunity_fire(battle, unit, unit)
        act_on_field(battle, unit, was_fired_at)
        if not was_fired_at:
            opportunity_fire(battle, unit, unit)
        run_amok(battle, unit)
    end_activation(battle, unit)
    spread_fumes(battle)
    if battle.setup.has_transports:
        passenger = passenger_of(battle, unit)
        if passenger != NONE:
            activate_passenger(battle, passenger)


@step
def activate_passenger(battle: Battle, unit: int) -> None:
    """Activate an embarked unit in its transport's turn: it may disembark and shoot (BT-3)."""
    field, units = battle.field, battle.field.units
    if field.states[unit] & ACTIVATED:
        return
    record(battle, Event.ACTIVATED, unit, 0, unit_state.models_of(field.states[unit]), 0, 0)
    field.states[unit] = activation.start_activation(field.states[unit], units[unit])
    rallied = passes(battle, unit, activation.highest_rally_card(field.states[unit], units[unit]), 1)
    if disembarks_now(battle, unit):
        disembark(battle, unit)
        if rallied:
            shoot_reforming(battle, unit)
        opportunity_fire(battle, unit, unit)
    end_activation(battle, unit)
    spread_fumes(battle)


@step
def shoot_reforming(battle: Battle, unit: int) -> None:
    """Carry out the attack step of a unit that has just disembarked, with the penalty for reforming (AC-4.2)."""
    field, facts = battle.field, battle.setup
    if facts.own_policy[unit] in (Policy.LOOKOUT, Policy.TAKE_COVER):
        stand_by(battle, unit, int(facts.own_policy[unit]), int(facts.rearms_on_lookout[unit]))
        return
    looks_ahead, attack = facts.own_policy[unit] == NONE, 0
    if looks_ahead:
        target, attack = best_shot(battle, unit)
    else:
        target = choices.target_without_moving(battle, unit)
    if target == NO_TARGET:
        return
    field.states[unit] = unit_state.with_order(field.states[unit], Order.SHOOT)
    field.reforming = 1
    if looks_ahead:
        fire_rows(battle, unit, target, attack)
    else:
        shoot(battle, unit, target, distance_between(battle, unit, target))
    field.reforming = 0


@step
def end_activation(battle: Battle, unit: int) -> None:
    """End an activation (AC-5.7, AC-5.8); Corrosive Fumes may then disorder the unit again."""
    field, state = battle.field, int(battle.field.states[unit])
    field.states[unit] = activation.end_activation(state, field.units[unit])
    if (state & ~field.states[unit]) & DISORDERED:
        field.fumes_pending = 1


@step
def act_on_field(battle: Battle, unit: int, was_fired_at: bool) -> None:
    """Choose and carry out the orders of an active unit on the field."""
    field, facts = battle.field, battle.setup
    state = int(field.states[unit])
    if is_removed(state):
        return
    rally_failed = state & unit_state.RALLY_FAILED != 0
    if facts.own_policy[unit] == NONE:
        if rally_failed or was_fired_at:
            if facts.objectives:
                count_contacts(battle)
            plan_action(battle, unit, rally_failed)
        carry_out_plan(battle, unit)
        return
    target = choices.target_of(battle, unit, rally_failed)
    if target != NO_TARGET:
        give_orders(battle, unit, target)
    elif facts.own_policy[unit] in (Policy.LOOKOUT, Policy.TAKE_COVER):
        stand_by(battle, unit, int(facts.own_policy[unit]), int(facts.rearms_on_lookout[unit]))
    elif facts.holds[unit]:
        stand_by(battle, unit, Policy.TAKE_COVER.value, 1)


@step
def carry_out_plan(battle: Battle, unit: int) -> None:
    """Carry out the plan of a unit that looks ahead (BT-6)."""
    field = battle.field
    plan, side = field.plans[unit], field.sides[unit]
    manoeuvre, action, target, length = int(plan[MANOEUVRE]), int(plan[ACTION]), int(plan[TARGET]), int(plan[LENGTH])
    objective = int(plan[OBJECTIVE])
    distance = 0 if target == NO_TARGET else distance_between(battle, unit, target)
    aim = unit if target == NO_TARGET or objective != NONE else target
    record(battle, Event.ORDERED, unit, aim, manoeuvre, action, distance)
    side.rearms = 0
    field.states[unit] = activation.carry_out_move(field.states[unit], (manoeuvre, action), side, length)
    if objective != NONE:
        to = int(battle.setup.objective_x[objective]), int(battle.setup.objective_y)
        positions.advance(battle, unit, to, length, distance_to_objective(battle, unit, objective))
        record(battle, Event.MOVED, unit, unit, length, 0, 0)
    elif length > 0:
        positions.advance(battle, unit, positions.place_of(battle, target), length, distance)
        record(battle, Event.MOVED, unit, target, length, 0, 0)
    elif length < 0:
        positions.move_back(battle, unit, -length)
    if length != 0:
        spread_fumes(battle)
    if manoeuvre == Manoeuvre.CHARGE:
        combat.charge(battle, unit, target)
    elif action == Action.SHOOT and target != NO_TARGET:
        fire_rows(battle, unit, target, int(plan[ATTACK]))


@step
def fire_rows(battle: Battle, unit: int, target: int, attack: int) -> None:
    """Make the ranged attack with index `attack`; ALL_ROWS fires several rows (All-Out Attack, AC-7)."""
    rows = battle.setup.rows[unit, target - first_of(side_of(target))]
    if attack != ALL_ROWS:
        fire(battle, wide(rows.strikes[attack]), unit, target, distance_between(battle, unit, target))
        return
    fired = 0
    for at in range(rows.number):
        is_new_row = at == 0 or rows.row[at] != rows.row[at - 1]
        if is_new_row and fired < battle.setup.several[unit]:
            distance = distance_between(battle, unit, target)
            fired += 1 if fire(battle, wide(rows.strikes[at]), unit, target, distance) else 0


@step
def best_shot(battle: Battle, unit: int) -> tuple[int, int]:
    """Return the target and the attack of the best shot of a unit that has just disembarked (BT-6), or NO_TARGET."""
    best, target, attack = 0.0, NO_TARGET, 0
    for other in units_of(battle, 1 - side_of(unit)):
        if battle.field.place[other] == Place.ON_FIELD:
            value, row = volley(battle, unit, other, distance_between(battle, unit, other), False, -1)
            if value > best:
                best, target, attack = value, other, row
    return target, attack


@step
def stand_by(battle: Battle, unit: int, policy: int, rearms: int) -> None:
    """Let a unit go on lookout or take cover, by `policy`; if it is reloading and `rearms` is 1, it re-arms instead."""
    field, side, state = battle.field, battle.field.sides[unit], int(battle.field.states[unit])
    side.policy, side.rearms = policy, rearms
    orders = battle.setup.orders[policy, 0]
    action = Action.RE_ARM.value if rearms and state & unit_state.RELOADING else int(orders[1])
    record(battle, Event.ORDERED, unit, unit, int(orders[0]), action, 0)
    field.states[unit] = activation.carry_out_move(state, (int(orders[0]), action), side, 0)


@step
def give_orders(battle: Battle, unit: int, target: int) -> None:
    """Choose and carry out orders by the unit's policy, as in a duel with the target."""
    field, facts, tables = battle.field, pair_of(battle, unit, target), battle.tables
    side, state = field.sides[unit], int(field.states[unit])
    side.policy = Policy.CHARGE  # default, if the unit has no policy against this target
    if facts.tactic != NO_POLICY:
        side.policy = facts.tactic
    side.charges = 1 if facts.charges >= 0 else 0
    side.rearms = facts.rearms
    side.distance = field.nearest_length if target == field.nearest else distance_between(battle, unit, target)
    number = strike_of(battle, unit, target, 0)
    has_row = number != NO_STRIKE
    row = tables.strikes[max(number, 0)]
    view = activation.view_of(state, side.distance, side, row, has_row)
    orders = battle.setup.orders[side.policy, view_index(view)]
    manoeuvre, action = int(orders[0]), int(orders[1])
    length = activation.length_moved(manoeuvre, side, row, view.distance, NONE)
    if action == Action.SHOOT and manoeuvre in (Manoeuvre.ADVANCE, Manoeuvre.CLOSE_IN) and length == 0:
        manoeuvre = Manoeuvre.AIM
    after = activation.carry_out_move(state, (manoeuvre, action), side, length)
    has_rearmed = state & ~after & unit_state.RELOADING != 0
    record(battle, Event.ORDERED, unit, target, manoeuvre, Action.RE_ARM if has_rearmed else action, view.distance)
    field.states[unit] = after
    if length > 0:
        positions.advance(battle, unit, positions.place_of(battle, target), length, view.distance)
        record(battle, Event.MOVED, unit, target, length, 0, 0)
        spread_fumes(battle)
    order = unit_state.order_of(field.states[unit])
    if order in (Order.SHOOT, Order.SHOOT_AIMING):
        shoot(battle, unit, target, view.distance if length == 0 else distance_between(battle, unit, target))
    elif order == Order.CHARGE:
        combat.charge(battle, unit, target)


@step
def shoot(battle: Battle, unit: int, target: int, distance: int) -> None:
    """Fire the rows of a unit one after another (All-Out Attack, AC-7), the first row at `distance`."""
    facts = pair_of(battle, unit, target)
    for index in range(facts.shots):
        length = distance if index == 0 else distance_between(battle, unit, target)
        fire(battle, strike_of(battle, unit, target, wide(index)), unit, target, length)


@step
def fire(battle: Battle, number: int, unit: int, other: int, distance: int) -> bool:
    """Make a ranged attack, if allowed (AC-4.1, AC-6), and a Tail Gunner's return shot; return True if it was made."""
    field = battle.field
    row, state = battle.tables.strikes[number], int(field.states[unit])
    if is_removed(state) or is_removed(field.states[other]) or (row.reloads and state & unit_state.RELOADING):
        return False
    rally_failed = state & unit_state.RALLY_FAILED != 0
    if rally_failed and not row.after_failed_rally:
        return False
    order = unit_state.order_of(state)
    # A unit that shoots without aiming has advanced; flying and disembarking do not count (BT-3).
    has_advanced = field.place[unit] == Place.ON_FIELD and not field.reforming and not rally_failed
    if row.move_or_fire and order == Order.SHOOT and has_advanced:
        return False
    short = row.short_range != NONE and distance <= row.short_range
    if distance > row.long_range or (row.indirect and short):
        return False
    aims = order == Order.SHOOT_AIMING and not row.by_lookout
    reforms = (
        field.reforming and not row.by_lookout and does_penalty_count(battle, number, short, Penalty.REFORMING.value)
    )
    shift = (1 if aims else 0) - (1 if reforms else 0)
    if not strike(battle, number, unit, other, short, shift):
        return False
    combat.resolve_blasts(battle)
    if pair_of(battle, unit, other).answered and combat.both_stand(battle, unit, other):
        strike(battle, strike_of(battle, other, unit, StrikeSlot.RETURN_SHOT.value), other, unit, False, 0)
        combat.resolve_blasts(battle)
    return True


@step
def opportunity_fire(battle: Battle, unit: int, at: int) -> bool:
    """Let an enemy on lookout fire at the active unit, at the range of unit `at`; return True if one fired (BT-4)."""
    field, facts = battle.field, battle.setup
    if not facts.has_lookouts or is_removed(field.states[unit]):
        return False
    if facts.ahead[1 - side_of(unit)] and at == unit:
        other = best_on_lookout(battle, unit)
        number = NO_STRIKE if other == NO_TARGET else strike_of(battle, other, unit, StrikeSlot.REACTION.value)
        return number != NO_STRIKE and fire(battle, number, other, unit, distance_between(battle, other, unit))
    for other in units_of(battle, 1 - side_of(unit)):
        if field.place[other] == Place.ON_FIELD and field.states[other] & unit_state.ON_LOOKOUT:
            number = strike_of(battle, other, unit, StrikeSlot.REACTION.value)
            if number != NO_STRIKE and fire(battle, number, other, unit, distance_between(battle, other, at)):
                return True
    return False


@step
def best_on_lookout(battle: Battle, unit: int) -> int:
    """Return the enemy on lookout whose shot at the active unit has the greatest gain, or NO_TARGET (BT-6)."""
    field, result, best = battle.field, NO_TARGET, 0.0
    for other in units_of(battle, 1 - side_of(unit)):
        if field.place[other] != Place.ON_FIELD or not field.states[other] & unit_state.ON_LOOKOUT:
            continue
        number = strike_of(battle, other, unit, StrikeSlot.REACTION.value)
        if number == NO_STRIKE:
            continue
        row, distance = battle.tables.strikes[number], distance_between(battle, other, unit)
        short = row.short_range != NONE and distance <= row.short_range
        empty = row.reloads and field.states[other] & unit_state.RELOADING
        if distance > row.long_range or (row.indirect and short) or empty:
            continue
        value = gain_of(battle, number, other, unit, short, 1 if short else 0)
        if value > best:
            result, best = other, value
    return result


@step
def run_amok(battle: Battle, unit: int) -> None:
    """Damage the nearest enemy within reach of Run Amok if the unit has not charged; the unit loses a model (AC-7)."""
    field = battle.field
    state, side = int(field.states[unit]), field.sides[unit]
    if not side.runs_amok:
        return
    target, least = NO_TARGET, NOWHERE
    for enemy in units_of(battle, 1 - side_of(unit)):
        other = int(field.states[enemy])
        if field.place[enemy] == Place.ON_FIELD:
            side.distance = distance_between(battle, unit, enemy)
            near = special_rules.damages_enemy(state, other, (side, field.sides[enemy]), field.units[enemy])
            if near and side.distance < least:
                target, least = enemy, int(side.distance)
    if target == NO_TARGET:
        return
    limit, damaged = field.units[target].damage_limit, int(field.states[target])
    set_state(battle, target, unit, special_rules.take_damage(damaged, field.sides[target], limit), 0)
    record(battle, Event.OWN_LOSS, unit, target, 1, 0, 0)
    set_state(battle, unit, NO_UNIT, special_rules.lose_model(state, side), 0)
    combat.resolve_blasts(battle)


@step
def fly_sortie(battle: Battle, unit: int) -> None:
    """Fly a sortie of an aircraft (BT-3): shoot and return; an enemy on lookout may fire before and after the shot."""
    field = battle.field
    plan, looks_ahead = field.plans[unit], battle.setup.own_policy[unit] == NONE
    target = int(plan[TARGET]) if looks_ahead else choices.target_in_flight(battle, unit)
    if target != NO_TARGET:
        distance = int(plan[LENGTH]) if looks_ahead else choices.sortie_distance(battle, unit, target)
        opportunity_fire(battle, unit, target)
        if not is_removed(field.states[unit]):
            record(battle, Event.ORDERED, unit, target, Manoeuvre.ADVANCE, Action.SHOOT, distance)
            field.states[unit] = unit_state.with_order(field.states[unit], Order.SHOOT)
            facts = pair_of(battle, unit, target)
            if looks_ahead:
                rows = battle.setup.rows[unit, target - first_of(side_of(target))]
                fire(battle, wide(rows.strikes[plan[ATTACK]]), unit, target, distance)
            for index in range(0 if looks_ahead else facts.shots):
                fire(battle, strike_of(battle, unit, target, wide(index)), unit, target, distance)
            opportunity_fire(battle, unit, target)
    if not is_removed(field.states[unit]):
        field.place[unit] = Place.IN_RESERVE


@step
def spread_fumes(battle: Battle) -> None:
    """Disorder each unit that an enemy's Corrosive Fumes reach (AC-7)."""
    field, facts = battle.field, battle.setup
    if not field.fumes_pending:
        return
    field.fumes_pending = 0
    for index in range(facts.fume_units):
        unit = int(facts.fume_unit_at[index])
        if field.off[unit]:
            continue
        for other in units_of(battle, 1 - side_of(unit)):
            reached = facts.suffers[other] and positions.is_within(battle, unit, other, int(facts.fumes[unit]))
            if reached and not field.states[other] & DISORDERED and not positions.is_commanded(battle, other):
                field.states[other] |= DISORDERED


@step
def enter_field(battle: Battle, unit: int) -> None:
    """Bring a unit out of reserve: an aircraft becomes INCOMING, another unit enters at its own edge (BT-3)."""
    field, facts = battle.field, battle.setup
    record(battle, Event.ENTERED, unit, 0, 0, 0, 0)
    if facts.aircraft[unit]:
        field.place[unit] = Place.INCOMING
        return
    field.place[unit] = Place.ON_FIELD
    positions.move_to(battle, unit, int(battle.field.start_x[unit]), 0 if side_of(unit) == 0 else int(facts.table))
