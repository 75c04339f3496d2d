"""Course of a round of a duel (AC-9.2): both activations, with their shots, reactions and charges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.records import Integers
from analyser.engine.fight.charge_steps import add_blasts, breaks_buildings, new_blasts, overruns
from analyser.engine.fight.program import Kind, When
from analyser.engine.fight.step_builder import (
    Course,
    add,
    add_fixed,
    add_row,
    common_length,
    extend,
    place,
    set_back_by,
    set_side,
)
from analyser.game.ruleset import Rating
from analyser.rules import unit_state
from analyser.rules.activation import Order
from analyser.rules.structs import CATEGORIES, INCH, MOST_INCHES, NONE, Bonus, Penalty
from analyser.rules.unit_state import FALL_BACK

_AERIAL = CATEGORIES.index("aerial")
_SHOTS = 1 << Order.SHOOT_AIMING | 1 << Order.SHOOT
_ACTIVE = sum(1 << order for order in Order if order != Order.NOTHING)


class Strikes(NamedTuple):
    """Numbers of strikes that follow other strikes of an activation; NONE if there is none."""

    answers: tuple[int, int]  # the return shot at each side (Tail Gunner)
    blast: int  # the first strike of a destroyed last model


@step
def is_answered(course: Course, side: int) -> bool:
    """Return True if each ranged attack of a side is answered: it is aerial and shoots at a Tail Gunner (AC-7)."""
    return bool(
        course.question.units[side].target[0].category == _AERIAL
        and course.question.units[1 - side].facts[0].tail_gunner
    )


@step
def add_shot(course: Course, side: int, row: int, opportunity: int, overcharge: int, after_failed_rally: int) -> int:
    """Add the strike of a shot, or of opportunity fire; return its number."""
    number = add_row(course, side, row, 0)
    strike, attack = course.setup.strikes[number], course.setup.attacks[number]
    facts = course.question.units[side].rows[row].facts[0]
    strike.long_range, strike.short_range = max(facts.long_range, 0), facts.short_range
    strike.indirect, strike.move_or_fire, strike.reloads = facts.indirect, facts.move_or_fire, facts.slow_to_fire
    strike.attacks_building = 1 if breaks_buildings(course, side, row) else 0
    strike.marks_striker = 1 if is_answered(course, side) else 0
    strike.orders, strike.by_lookout = (_ACTIVE if opportunity else _SHOTS), opportunity
    strike.after_failed_rally = after_failed_rally
    set_marks(course, side, attack)
    attack.opportunity_fire = opportunity
    attack.overcharge = 1 if overcharge and facts.can_overcharge else 0
    return number


@step
def set_marks(course: Course, side: int, attack: Any) -> None:
    """Set the bonuses and penalties of a shot that are independent of the states."""
    attack.bonuses |= Bonus.AMMO_SUPPLY if course.question.units[side].facts[0].ammo_supply else 0
    attack.penalties |= Penalty.CONCEALED if course.question.units[1 - side].facts[0].concealed else 0


@step
def new_answer(course: Course, side: int) -> int:
    """Add a Tail Gunner's return shot at a side (AC-7); return its number, or NONE."""
    if not is_answered(course, side):
        return NONE
    other = course.question.units[1 - side].facts[0]
    number = add_fixed(course, 1 - side, other.tail_gunner, Rating.WEAKENED, other.veteran, 1)
    course.setup.strikes[number].on_marked = 1
    return number


@step
def first_blast(course: Course) -> int:
    """Add the blasts that shots can set off, if the distance is known; return the number of the first, or NONE."""
    return NONE if course.question.fight[0].distance == NONE else new_blasts(course)


@step
def new_answers(course: Course, blast: int) -> Strikes:
    """Add the return shots at both sides."""
    return Strikes((new_answer(course, 0), new_answer(course, 1)), blast)


@step
def add_after(course: Course, blast: int) -> None:
    """Append the effects of last models destroyed by a shot."""
    if blast != NONE:
        add_blasts(course, blast)


@step
def add_made(course: Course, side: int, number: int, strikes: Strikes) -> None:
    """Append a shot in the activation of a side, and its immediate consequences."""
    strike = course.setup.strikes[number]
    add(course, Kind.STRIKE, side, number)
    if strike.attacks_building:
        add(course, Kind.WRECK, 1 - strike.striker, NONE)
    add_after(course, strikes.blast)
    answer = strikes.answers[strike.striker]
    if strike.marks_striker and answer != NONE:
        add(course, Kind.STRIKE, side, answer)
        add_after(course, strikes.blast)
        add(course, Kind.FORGET, strike.striker, NONE)


@step
def add_fumes(course: Course) -> None:
    """Append the spread of Corrosive Fumes, which follows activations and moves (AC-7)."""
    one, two = course.setup.sides[0], course.setup.sides[1]
    if one.distance != NONE and (one.fumes_reach != NONE or two.fumes_reach != NONE):
        add(course, Kind.ENVELOP, 0, NONE)


@step
def add_orders(course: Course, side: int, shots: tuple[int, int], strikes: Strikes, combat: Course) -> None:
    """Append the actions of a unit by its policy: shots (the first strike, and their number) and a charge."""
    add(course, Kind.GIVE_ORDERS, side, shots[0] if shots[1] else NONE)
    add_fumes(course)
    for shot in range(shots[1]):
        add_made(course, side, shots[0] + shot, strikes)
    extend(course, combat)


@step
def add_activation(course: Course, side: int, reaction: Course, orders: Course, blast: int) -> None:
    """Append an activation (AC-9.2) without its first operation; an enemy on lookout may react before and after."""
    extend(course, reaction)
    extend(course, orders)
    extend(course, reaction)
    if course.question.units[side].facts[0].run_amok:
        add(course, Kind.RUN_AMOK, side, NONE)
        add_after(course, blast)
    add(course, Kind.END, side, NONE)
    add_fumes(course)


@step
def add_begun(course: Course, side: int, activation: Course, when: int) -> None:
    """Append an activation of a round, which takes place only `when` (a When) the toss selects it."""
    add_fumes(course)
    add(course, Kind.BEGIN, side, when)
    extend(course, activation)


@step
def add_round(course: Course, activations: tuple[Course, Course], first: int) -> None:
    """Append a round: an activation of each side (AC-9.2); `first` begins, or with NONE the winner of a toss."""
    if first == NONE:
        add(course, Kind.TOSS, 0, NONE)
        add_begun(course, 0, activations[0], When.IF_FIRST)
        add_begun(course, 1, activations[1], When.ALWAYS)
        add_begun(course, 0, activations[0], When.IF_SECOND)
    else:
        add_begun(course, first, activations[0] if first == 0 else activations[1], When.ALWAYS)
        add_begun(course, 1 - first, activations[1] if first == 0 else activations[0], When.ALWAYS)
    add(course, Kind.END_ROUND, 0, NONE)
    add(course, Kind.END_ROUND, 1, NONE)


@step
def set_side_of_duel(course: Course, side: int, policy: int, charges: int, rearms: int) -> None:
    """Fill in the facts of a side of a duel; `policy` is NONE if orders are chosen for it."""
    set_side(course, side)
    facts, own, distance = (
        course.setup.sides[side],
        course.question.units[side].facts[0],
        course.question.fight[0].distance,
    )
    facts.rearms, facts.policy, facts.charges = rearms, policy, charges
    facts.berserk, facts.runs_amok, facts.overrun = own.berserk, own.run_amok, 1 if overruns(course, side) else 0
    facts.speed, facts.distance = own.speed, distance
    facts.tracks_position = 1 if distance != NONE or own.edge_distance != NONE else 0


@step
def count_wins(course: Course) -> None:
    """Reserve bits for the combats that each side with Hunter can win (AC-7)."""
    combats, sides = 0, course.setup.sides
    for side in range(2):
        if sides[side].charges:
            combats += 2 if sides[side].overrun else 1
    for side in range(2):
        most, bits = combats * course.question.fight[0].rounds if sides[side].hunter else 0, 0
        while most >> bits:
            bits += 1
        sides[side].position_bit = unit_state.WINS_BIT + bits


@step
def set_backs(course: Course, activations: tuple[Course, Course]) -> Integers:
    """Return the greatest length that the rounds of a duel can set each side back."""
    backs, sides = np.zeros(2, np.int64), course.setup.sides
    for side in range(2):
        for active in range(2):
            charger = active if sides[active].charges else NONE
            part = activations[0] if active == 0 else activations[1]
            backs[side] += course.question.fight[0].rounds * set_back_by(part, side, charger)
    return backs


@step
def advance_of(facts: Any, doubles: int) -> int:
    """Return the greatest length that a side can advance in a round."""
    return int(facts.speed * (2 if doubles else 1) + (2 * FALL_BACK if facts.overrun else 0))


@step
def place_in_duel(course: Course, backs: Integers, advances: Integers, lengths: Integers) -> tuple[int, int]:
    """Set the stride and origin of both sides as :func:`~.course.place` does; `lengths` are further possible moves."""
    common, distance, sides = FALL_BACK, course.question.fight[0].distance, course.setup.sides
    if distance == NONE:
        return place(course.setup, backs, advances, common)
    common = common_length(common_length(INCH, distance), common)
    for side in range(2):
        common = common_length(common, sides[side].speed)
    for length in lengths:
        common = common_length(common, length)
    if sides[0].edge_distance == NONE and sides[1].edge_distance == NONE:
        # Only the distance between the two matters, so the position of one may hold the moves of both.
        both = np.full(2, backs[0] + backs[1]), np.full(2, advances[0] + advances[1])
        if place(course.setup, both[0], both[1], common)[0] == NONE:
            return NONE, 0
        sides[0].edge_distance = sides[1].edge_distance = MOST_INCHES * INCH  # each keeps a position of its own
    return place(course.setup, backs, advances, common)
