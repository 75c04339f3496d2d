"""Operations and strikes of a round of a duel (AC-9.2): both activations, with shots, reactions and charges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.kernel_records import Integers
from analyser.engine.fight import step_builder as steps
from analyser.engine.fight.charge_steps import add_blast_strikes, add_blasts, breaks_buildings, overruns
from analyser.engine.fight.program import Kind, When
from analyser.engine.fight.step_builder import Builder
from analyser.game.ruleset import Rating
from analyser.rules import unit_state
from analyser.rules.activation import Order
from analyser.rules.structs import CATEGORIES, INCH, MOST_INCHES, NONE, Bonus, Penalty
from analyser.rules.unit_state import FALL_BACK

_AERIAL = CATEGORIES.index("aerial")
_SHOTS = 1 << Order.SHOOT_AIMING | 1 << Order.SHOOT
_ACTIVE = sum(1 << order for order in Order if order != Order.NOTHING)


class FollowingStrikes(NamedTuple):
    """Numbers of the strikes that follow a shot; NONE if there is no such strike."""

    return_shots: tuple[int, int]  # the return shot at each side (Tail Gunner)
    blast: int  # the first strike of Spectacular Demise (AC-7)


@step
def is_shot_back_at(builder: Builder, side: int) -> bool:
    """Return True if a side is aerial and a Tail Gunner shoots back after each of its ranged attacks (AC-7)."""
    return bool(
        builder.question.units[side].target[0].category == _AERIAL
        and builder.question.units[1 - side].facts[0].tail_gunner
    )


@step
def add_shot(builder: Builder, side: int, row: int, opportunity: int, overcharge: int, after_failed_rally: int) -> int:
    """Add the strike of a shot, or of opportunity fire; return its number."""
    number = steps.add_row(builder, side, row, 0)
    strike, attack = builder.setup.strikes[number], builder.setup.attacks[number]
    facts = builder.question.units[side].rows[row].facts[0]
    strike.long_range, strike.short_range = max(facts.long_range, 0), facts.short_range
    strike.indirect, strike.move_or_fire, strike.reloads = facts.indirect, facts.move_or_fire, facts.slow_to_fire
    strike.attacks_building = 1 if breaks_buildings(builder, side, row) else 0
    strike.marks_striker = 1 if is_shot_back_at(builder, side) else 0
    strike.orders, strike.by_lookout = (_ACTIVE if opportunity else _SHOTS), opportunity
    strike.after_failed_rally = after_failed_rally
    set_modifiers(builder, side, attack)
    attack.opportunity_fire = opportunity
    attack.overcharge = 1 if overcharge and facts.can_overcharge else 0
    return number


@step
def set_modifiers(builder: Builder, side: int, attack: Any) -> None:
    """Set the bonuses and penalties of a shot that are independent of the states."""
    attack.bonuses |= Bonus.AMMO_SUPPLY if builder.question.units[side].facts[0].ammo_supply else 0
    attack.penalties |= Penalty.CONCEALED if builder.question.units[1 - side].facts[0].concealed else 0


@step
def add_return_shot(builder: Builder, side: int) -> int:
    """Add a Tail Gunner's return shot at a side (AC-7); return its number, or NONE."""
    if not is_shot_back_at(builder, side):
        return NONE
    other = builder.question.units[1 - side].facts[0]
    number = steps.add_fixed(builder, 1 - side, other.tail_gunner, Rating.WEAKENED, other.veteran, 1)
    builder.setup.strikes[number].on_marked = 1
    return number


@step
def add_following_strikes(builder: Builder) -> FollowingStrikes:
    """Add the return shots at both sides and, if the distance is known, the blasts that shots can cause."""
    return_shots = add_return_shot(builder, 0), add_return_shot(builder, 1)
    return FollowingStrikes(
        return_shots, NONE if builder.question.fight[0].distance == NONE else add_blast_strikes(builder)
    )


@step
def add_shot_with_effects(builder: Builder, side: int, number: int, strikes: FollowingStrikes) -> None:
    """Append a shot in the activation of a side, and the effects that follow immediately."""
    strike = builder.setup.strikes[number]
    steps.add(builder, Kind.STRIKE, side, number)
    if strike.attacks_building:
        steps.add(builder, Kind.ROLL_BUILDING_DIE, 1 - strike.striker, NONE)
    add_blasts(builder, strikes.blast)
    return_shot = strikes.return_shots[strike.striker]
    if strike.marks_striker and return_shot != NONE:
        steps.add(builder, Kind.STRIKE, side, return_shot)
        add_blasts(builder, strikes.blast)
        steps.add(builder, Kind.CLEAR_MARK, strike.striker, NONE)


@step
def add_fumes(builder: Builder) -> None:
    """Append the spread of Corrosive Fumes, which follows activations and moves (AC-7)."""
    one, two = builder.setup.sides[0], builder.setup.sides[1]
    if one.distance != NONE and (one.fumes_reach != NONE or two.fumes_reach != NONE):
        steps.add(builder, Kind.SPREAD_FUMES, 0, NONE)


@step
def add_orders(builder: Builder, side: int, shots: tuple[int, int], strikes: FollowingStrikes, combat: Builder) -> None:
    """Append a unit's actions by its policy: its `shots` (first strike, number of strikes) and its charge, `combat`."""
    steps.add(builder, Kind.GIVE_ORDERS, side, shots[0] if shots[1] else NONE)
    add_fumes(builder)
    for shot in range(shots[1]):
        add_shot_with_effects(builder, side, shots[0] + shot, strikes)
    steps.extend(builder, combat)


@step
def add_activation(builder: Builder, side: int, reaction: Builder, orders: Builder, strikes: FollowingStrikes) -> None:
    """Append an activation (AC-9.2) except its BEGIN, which :func:`add_whole_activation` adds.

    A lookout may react before and after the orders.
    """
    steps.extend(builder, reaction)
    steps.extend(builder, orders)
    steps.extend(builder, reaction)
    if builder.question.units[side].facts[0].run_amok:
        steps.add(builder, Kind.RUN_AMOK, side, NONE)
        add_blasts(builder, strikes.blast)
    steps.add(builder, Kind.END, side, NONE)
    add_fumes(builder)


@step
def add_whole_activation(builder: Builder, side: int, activation: Builder, when: int) -> None:
    """Append a whole activation, which takes place only under the condition `when` (a When)."""
    add_fumes(builder)
    steps.add(builder, Kind.BEGIN, side, when)
    steps.extend(builder, activation)


@step
def add_round(builder: Builder, activations: tuple[Builder, Builder], first: int) -> None:
    """Append a round: an activation of each side (AC-9.2); `first` begins, or with NONE the winner of a toss."""
    if first == NONE:
        steps.add(builder, Kind.TOSS, 0, NONE)
        add_whole_activation(builder, 0, activations[0], When.IF_FIRST)
        add_whole_activation(builder, 1, activations[1], When.ALWAYS)
        add_whole_activation(builder, 0, activations[0], When.IF_SECOND)
    else:
        add_whole_activation(builder, first, activations[0] if first == 0 else activations[1], When.ALWAYS)
        add_whole_activation(builder, 1 - first, activations[1] if first == 0 else activations[0], When.ALWAYS)
    steps.add(builder, Kind.END_ROUND, 0, NONE)
    steps.add(builder, Kind.END_ROUND, 1, NONE)


@step
def set_side_of_duel(builder: Builder, side: int, policy: int, charges: int, rearms: int) -> None:
    """Set the facts of a side of a duel; `policy` is NONE if a plan decides for the side."""
    steps.set_side(builder, side)
    facts, own = builder.setup.sides[side], builder.question.units[side].facts[0]
    distance = builder.question.fight[0].distance
    facts.rearms, facts.policy, facts.charges = rearms, policy, charges
    facts.berserk, facts.runs_amok, facts.overrun = own.berserk, own.run_amok, 1 if overruns(builder, side) else 0
    facts.speed, facts.distance = own.speed, distance
    facts.tracks_position = 1 if distance != NONE or own.edge_distance != NONE else 0


@step
def reserve_win_bits(builder: Builder) -> None:
    """Reserve bits of the state for the number of combats that a side with Hunter can win (AC-7)."""
    combats, sides = 0, builder.setup.sides
    for side in range(2):
        if sides[side].charges:
            combats += 2 if sides[side].overrun else 1
    for side in range(2):
        most, bits = combats * builder.question.fight[0].rounds if sides[side].hunter else 0, 0
        while most >> bits:
            bits += 1
        sides[side].position_bit = unit_state.WINS_BIT + bits


@step
def most_set_backs(builder: Builder, activations: tuple[Builder, Builder]) -> Integers:
    """Return, for each side, the greatest length that all rounds of a duel can set it back."""
    backs, sides = np.zeros(2, np.int64), builder.setup.sides
    for side in range(2):
        for active in range(2):
            charger = active if sides[active].charges else NONE
            part = activations[0] if active == 0 else activations[1]
            backs[side] += builder.question.fight[0].rounds * steps.most_set_back(part, side, charger)
    return backs


@step
def most_advance(facts: Any, doubles: int) -> int:
    """Return the greatest length that a side can advance in a round."""
    return int(facts.speed * (2 if doubles else 1) + (2 * FALL_BACK if facts.overrun else 0))


@step
def set_positions_in_duel(builder: Builder, backs: Integers, advances: Integers, lengths: Integers) -> tuple[int, int]:
    """Set both sides' strides and origins; return (NONE, 0) if all positions fit, else a side and its range.

    `lengths`: lengths of further possible moves.
    """
    common, distance, sides = FALL_BACK, builder.question.fight[0].distance, builder.setup.sides
    if distance == NONE:
        return steps.set_positions(builder.setup, backs, advances, common)
    common = steps.common_divisor(steps.common_divisor(INCH, distance), common)
    for side in range(2):
        common = steps.common_divisor(common, sides[side].speed)
    for length in lengths:
        common = steps.common_divisor(common, length)
    if sides[0].edge_distance == NONE and sides[1].edge_distance == NONE:
        # Only the distance between the units matters. If the moves of both fit into the position of side 0, it stores
        # them (`merge_moves`). Otherwise an edge out of reach makes each side store its own moves.
        both = np.full(2, backs[0] + backs[1]), np.full(2, advances[0] + advances[1])
        if steps.set_positions(builder.setup, both[0], both[1], common)[0] == NONE:
            return NONE, 0
        sides[0].edge_distance = sides[1].edge_distance = MOST_INCHES * INCH
    return steps.set_positions(builder.setup, backs, advances, common)
