"""A duel from the facts of a question: the rows that both units shoot with, and the course of a round (AC-9.2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.jit import step
from analyser.common.records import Floats, Integers
from analyser.engine.fight.program import Kind, When
from analyser.game.ruleset import Rating
from analyser.rules import unit_state
from analyser.rules.attack import set_fight
from analyser.rules.policies import Policy
from analyser.rules.shots import WhyNot, can_shoot_with
from analyser.rules.structs import CATEGORIES, INCH, NONE, Bonus, Penalty
from analyser.rules.unit_state import FALL_BACK
from analyser.web.attacks import Drawn, band_of, worth_of
from analyser.web.blocks import MOST_ROWS, Refusal
from analyser.web.fights import (
    ACTIVE,
    SHOTS,
    Course,
    add,
    add_blasts,
    add_combat,
    add_fixed,
    add_row,
    begin_setup,
    breaks_buildings,
    common_length,
    count_of,
    course_with,
    new_blasts,
    overruns,
    place,
    row_for_contact,
    set_back_by,
    set_side,
    why_no_charge,
)

MOST_INCHES = 60  # a table's depth; also how far back "far from the edge" is where distances count
_AERIAL = CATEGORIES.index("aerial")
_SHOOTING = 1 << Policy.SHOOT | 1 << Policy.SHORT_RANGE | 1 << Policy.ALL_OUT | 1 << Policy.OVERCHARGE
_FIGURES = 3  # by which rows are compared


class Shooter(NamedTuple):
    """Policy of a side, and the rows that it shoots with."""

    policy: int
    rows: Integers  # (MOST_ROWS,): places of those of its own activation, the main one first
    n_rows: int  # how many of them
    lookout: int  # place of the row of its opportunity fire, or NONE


class Strikes(NamedTuple):
    """Numbers of the strikes of both sides in one activation, and of the first blast; NONE where one is not made."""

    shots: int  # the first of them,
    n_shots: int  # and how many
    reaction: int
    answers: Integers  # (2,): of a Tail Gunner to each side
    blast: int


@step
def usable(unit: Any, category: int, policy: int) -> int:
    """Return bits of the rows that the policy can fire at a target of that category."""
    rows = 0
    for row in range(unit.n_rows):
        rows |= 1 << row if can_shoot_with(unit.rows[row].facts[0], category, policy) else 0
    return rows


@step
def reactive(unit: Any) -> int:
    """Return bits of the Reactive rows."""
    rows = 0
    for row in range(unit.n_rows):
        rows |= 1 << row if unit.rows[row].facts[0].reactive else 0
    return rows


@step
def reaching(unit: Any, distance: int) -> int:
    """Return bits of the rows that reach so far."""
    rows = 0
    for row in range(unit.n_rows):
        rows |= 1 << row if distance == NONE or unit.rows[row].facts[0].long_range >= distance else 0
    return rows


@step
def best_row(question: Any, setup: Any, side: int, rows: int, overcharge: int, drawn: Drawn) -> int:
    """Return the place of the row, of those in the bits `rows`, that does most damage aimed; of equals the first.

    Those that reach go before others. Rows are compared as by :func:`~analyser.scenarios.attack.best_of`.
    """
    reach = rows & reaching(question.units[side], question.fight[0].distance)
    rows = reach or rows
    best, highest = NONE, np.full(_FIGURES, -1.0)
    for row in range(question.units[side].n_rows):
        if not rows >> row & 1:
            continue
        if rows & (rows - 1) == 0:
            return row
        figures = aimed(question, setup, side, row, overcharge, drawn)
        if best == NONE or is_better(figures, highest):
            best, highest = row, figures
    return best


@step
def is_better(figures: Floats, highest: Floats) -> bool:
    """Return True if the first figure in which they differ is the higher one."""
    for place_of in range(_FIGURES):
        if abs(figures[place_of] - highest[place_of]) > CERTAIN_WITHIN:
            return bool(figures[place_of] > highest[place_of])
    return False


@step
def aimed(question: Any, setup: Any, side: int, row: int, overcharge: int, drawn: Drawn) -> Floats:
    """Return mean models destroyed, the probability of annihilation and the mean damage of an aimed attack."""
    unit, enemy = question.units[side], question.units[1 - side]
    part, band = unit.rows[row], band_of(unit.rows[row], count_of(unit))
    if band == NONE or part.bands[band].dice <= 0:
        return np.full(_FIGURES, -1.0)
    setup.attack[0], setup.target[0] = part.attack[0], enemy.target[0]
    attack = setup.attack[0]
    attack.dice, attack.dice_in_parentheses = part.bands[band].dice, part.bands[band].special
    set_marks(attack, unit, enemy)
    attack.bonuses |= Bonus.AIMING
    attack.overcharge = overcharge and part.facts[0].can_overcharge
    set_fight(attack, setup.target[0], setup.fight[0])
    return worth_of(setup.fight[0], drawn)


@step
def set_marks(attack: Any, unit: Any, enemy: Any) -> None:
    """Set the bonuses and penalties of a shot that do not depend on the states."""
    attack.bonuses |= Bonus.AMMO_SUPPLY if unit.facts[0].ammo_supply else 0
    attack.penalties |= Penalty.CONCEALED if enemy.facts[0].concealed else 0


@step
def policy_of(question: Any, side: int) -> int:
    """Return the policy of a side: the one it was given, or what its armaments are for."""
    unit, enemy = question.units[side], question.units[1 - side]
    if unit.facts[0].policy != NONE:
        return int(unit.facts[0].policy)
    if usable(unit, enemy.target[0].category, Policy.SHOOT):
        return Policy.SHOOT.value
    return Policy.TAKE_COVER.value if why_no_charge(unit, enemy) else Policy.CHARGE.value


@step
def shooter_of(question: Any, setup: Any, side: int, drawn: Drawn) -> Shooter:
    """Return the policy and the rows of a side (see `scenarios/policies`)."""
    unit, category = question.units[side], question.units[1 - side].target[0].category
    policy, named, target = policy_of(question, side), unit.facts[0].row, unit.target[0]
    watching = usable(unit, category, Policy.LOOKOUT)
    fires = policy
    if policy == Policy.CHARGE and target.discipline != NONE and not (target.passes_tests or target.hot_headed):
        fires = Policy.SHOOT.value  # after a failed rally test (AC-5.6)
    shooting = usable(unit, category, fires) if _SHOOTING >> fires & 1 else 0
    rows, count, lookout = np.full(MOST_ROWS, NONE, np.int64), 0, NONE
    overcharge = 1 if policy == Policy.OVERCHARGE else 0
    if shooting:
        is_named = named != NONE and shooting >> max(named, 0) & 1
        rows[0] = named if is_named else best_row(question, setup, side, shooting, overcharge, drawn)
        count = 1
        most = max(unit.facts[0].all_out_attack, 1) if fires == Policy.ALL_OUT else 1
        for row in range(unit.n_rows):
            if count < most and shooting >> row & 1 and row != rows[0]:
                rows[count] = row
                count += 1
    if (policy == Policy.LOOKOUT or unit.facts[0].on_lookout) and watching:
        can_be_named = usable(unit, category, policy) if _SHOOTING >> policy & 1 else watching
        lookout = named
        if named == NONE or not can_be_named >> max(named, 0) & 1:
            of_kind = watching & reactive(unit)
            lookout = best_row(question, setup, side, of_kind or watching, overcharge, drawn)
    return Shooter(policy, rows, count, lookout)


@step
def why_no_duel(question: Any, side: int, shooter: Shooter) -> int:
    """Return why a side cannot carry out its policy; 0 if it can."""
    unit, enemy, policy = question.units[side], question.units[1 - side], shooter.policy
    if unit.target[0].aircraft:
        return Refusal.AIRCRAFT.value
    if unit.facts[0].edge_distance > MOST_INCHES * INCH:
        return Refusal.TOO_MANY_PLACES.value
    if policy == Policy.TAKE_COVER:
        return 0
    if policy == Policy.CHARGE:
        refused = why_no_charge(unit, enemy)
        if refused:
            return refused
        return has_no_dice(unit, row_for_contact(unit, 1))
    can_fire, named = usable(unit, enemy.target[0].category, policy), unit.facts[0].row
    if not can_fire or (named != NONE and not can_fire >> max(named, 0) & 1):
        return Refusal.NO_ROW_TO_SHOOT_WITH.value
    if policy == Policy.ALL_OUT and not unit.facts[0].all_out_attack:
        return Refusal.NO_ALL_OUT_ATTACK.value
    return has_no_dice(unit, shooter.lookout if policy == Policy.LOOKOUT else shooter.rows[0])


@step
def has_no_dice(unit: Any, row: int) -> int:
    """Return a refusal if the grid has no band for the unit as it stands (AC-2.4); else 0."""
    return WhyNot.NO_DICE.value if band_of(unit.rows[row], count_of(unit)) == NONE else 0


@step
def may_charge(question: Any, side: int, policy: int) -> bool:
    """Return True if the side may charge: by its policy, or by a rule (Berserk, Run Amok of AC-7)."""
    facts = question.units[side].facts[0]
    if policy == Policy.CHARGE:
        return True
    return (facts.berserk or facts.run_amok) and not why_no_charge(question.units[side], question.units[1 - side])


@step
def add_shot(question: Any, course: Course, setup: Any, side: int, row: int, shooter: Shooter, opportunity: int) -> int:
    """Add the strike of a shot; return its number."""
    unit, enemy = question.units[side], question.units[1 - side]
    number = add_row(question, course, setup, side, row, 0)
    strike, attack, facts = setup.strikes[number], setup.attacks[number], unit.rows[row].facts[0]
    strike.long_range, strike.short_range = max(facts.long_range, 0), facts.short_range
    strike.indirect, strike.move_or_fire, strike.reloads = facts.indirect, facts.move_or_fire, facts.slow_to_fire
    strike.wrecks = breaks_buildings(unit.rows[row], enemy)
    strike.marks = unit.target[0].category == _AERIAL and enemy.facts[0].tail_gunner > 0
    strike.orders, strike.by_lookout = (ACTIVE if opportunity else SHOTS), opportunity
    strike.after_failed_rally = 1 if opportunity or row == shooter.rows[0] else 0
    set_marks(attack, unit, enemy)
    attack.opportunity_fire = opportunity
    attack.overcharge = shooter.policy == Policy.OVERCHARGE and not opportunity and facts.can_overcharge
    return number


@step
def new_answer(question: Any, course: Course, setup: Any, side: int) -> int:
    """Add the attack back of a Tail Gunner on a side that shoots at it (AC-7); return its number, or NONE."""
    own, other = question.units[side], question.units[1 - side].facts[0]
    if own.target[0].category != _AERIAL or not other.tail_gunner:
        return NONE
    number = add_fixed(question, course, setup, 1 - side, other.tail_gunner, Rating.WEAKENED, other.veteran, 1)
    setup.strikes[number].on_marked = 1
    return number


@step
def add_made(question: Any, course: Course, setup: Any, side: int, number: int, strikes: Strikes) -> None:
    """Append a shot in the activation of a side, and what follows from it at once."""
    add(course, Kind.STRIKE, side, number)
    strike = setup.strikes[number]
    if strike.wrecks:
        add(course, Kind.WRECK, 1 - strike.striker, NONE)
    if strikes.blast != NONE:
        add_blasts(question, course, strikes.blast)
    answer = strikes.answers[strike.striker]
    if strike.marks and answer != NONE:
        add(course, Kind.STRIKE, side, answer)
        if strikes.blast != NONE:
            add_blasts(question, course, strikes.blast)
        add(course, Kind.FORGET, strike.striker, NONE)


@step
def new_strikes(question: Any, course: Course, setup: Any, side: int, shooters: tuple[Shooter, Shooter]) -> Strikes:
    """Add the shots that can be made in the activation of a side."""
    blast = NONE if question.fight[0].distance == NONE else new_blasts(question, course, setup)
    shooter, enemy = (shooters[0], shooters[1]) if side == 0 else (shooters[1], shooters[0])
    shots, reaction, answers = course.strikes[0], NONE, np.zeros(2, np.int64)
    for place_of in range(shooter.n_rows):
        add_shot(question, course, setup, side, shooter.rows[place_of], shooter, 0)
    if enemy.lookout != NONE:
        reaction = add_shot(question, course, setup, 1 - side, enemy.lookout, enemy, 1)
    for each in range(2):
        answers[each] = new_answer(question, course, setup, each)
    return Strikes(shots, shooter.n_rows, reaction, answers, blast)


@step
def add_activation(
    question: Any, course: Course, setup: Any, side: int, policy: int, strikes: Strikes, fumes: int
) -> None:
    """Append the activation of a side (AC-9.2); `fumes`: whether Corrosive Fumes are looked for."""
    if fumes:
        add(course, Kind.ENVELOP, 0, NONE)
    add(course, Kind.BEGIN, side, NONE)
    if strikes.reaction != NONE:
        add_made(question, course, setup, side, strikes.reaction, strikes)
    add(course, Kind.GIVE_ORDERS, side, strikes.shots if strikes.n_shots else NONE)
    if fumes:
        add(course, Kind.ENVELOP, 0, NONE)
    for shot in range(strikes.n_shots):
        add_made(question, course, setup, side, strikes.shots + shot, strikes)
    if may_charge(question, side, policy):
        add_combat(question, course, setup, side)
    if strikes.reaction != NONE:
        add_made(question, course, setup, side, strikes.reaction, strikes)
    if question.units[side].facts[0].run_amok:
        add(course, Kind.RUN_AMOK, side, NONE)
        if strikes.blast != NONE:
            add_blasts(question, course, strikes.blast)
    add(course, Kind.END, side, NONE)
    if fumes:
        add(course, Kind.ENVELOP, 0, NONE)


@step
def wins_counted(question: Any, side: int, shooters: tuple[Shooter, Shooter]) -> int:
    """Return in how many bits the combats are counted that a side wins (Hunter, AC-7)."""
    if not question.units[side].facts[0].hunter:
        return 0
    combats, bits = 0, 0
    for each in range(2):
        if may_charge(question, each, shooters[0].policy if each == 0 else shooters[1].policy):
            combats += 2 if overruns(question.units[each]) else 1
    most = combats * question.fight[0].rounds
    while most >> bits:
        bits += 1
    return bits


@step
def set_duel_side(question: Any, setup: Any, side: int, shooters: tuple[Shooter, Shooter]) -> None:
    """Fill in the facts of a side of a duel."""
    unit, facts, distance = question.units[side], setup.sides[side], question.fight[0].distance
    shooter = shooters[0] if side == 0 else shooters[1]
    own = unit.facts[0]
    set_side(question, setup, side)
    row = shooter.lookout if shooter.policy == Policy.LOOKOUT else shooter.rows[0]
    facts.rearms = row != NONE and unit.rows[max(row, 0)].facts[0].slow_to_fire != 0
    facts.policy, facts.charges = shooter.policy, may_charge(question, side, shooter.policy)
    facts.berserk, facts.runs_amok, facts.overrun = own.berserk, own.run_amok, overruns(unit)
    facts.speed, facts.distance = own.speed, distance
    facts.tracks_position = distance != NONE or own.edge_distance != NONE
    facts.position_at = unit_state.WINS + wins_counted(question, side, shooters)
    if own.edge_distance == NONE and distance != NONE:
        facts.edge_distance = MOST_INCHES * INCH


@step
def set_duel(question: Any, setup: Any, course: Course, shooters: tuple[Shooter, Shooter]) -> int:
    """Fill in the setup of a duel and the course of a round; return why there can be none, 0 if it can be fought."""
    for side in range(2):
        refused = why_no_duel(question, side, shooters[0] if side == 0 else shooters[1])
        if refused:
            return refused
    begin_setup(question, setup)
    fight = question.fight[0]
    for side in range(2):
        set_duel_side(question, setup, side, shooters)
    fumes = 0
    for side in range(2):
        if NONE not in (setup.sides[side].distance, setup.sides[side].fumes_within):
            fumes = 1
    parts = course_with(course.strikes), course_with(course.strikes)
    for side in range(2):
        part = parts[0] if side == 0 else parts[1]
        strikes = new_strikes(question, part, setup, side, shooters)
        add_activation(question, part, setup, side, shooters[side].policy, strikes, fumes)
    if fight.first == NONE:
        add(course, Kind.TOSS, 0, NONE)
        add_part(course, parts[0], When.IF_FIRST)
        add_part(course, parts[1], When.ALWAYS)
        add_part(course, parts[0], When.IF_SECOND)
    else:
        add_part(course, parts[0] if fight.first == 0 else parts[1], When.ALWAYS)
        add_part(course, parts[1] if fight.first == 0 else parts[0], When.ALWAYS)
    add(course, Kind.END_ROUND, 0, NONE)
    add(course, Kind.END_ROUND, 1, NONE)
    return 0 if placed(setup, parts, fight, shooters, question) else Refusal.TOO_MANY_PLACES.value


@step
def add_part(course: Course, part: Course, when: int) -> None:
    """Append an activation of the round in which a toss puts it there."""
    for line in range(part.length[0]):
        kind, side, number = part.lines[line, 0], part.lines[line, 1], part.lines[line, 2]
        add(course, kind, side, when if kind == Kind.BEGIN else number)


@step
def placed(setup: Any, parts: tuple[Course, Course], fight: Any, shooters: Any, question: Any) -> bool:
    """Give both sides the places where they begin, if places count; return False if there is no room for them."""
    if not setup.sides[0].tracks_position and not setup.sides[1].tracks_position:
        return True
    backs, advances, common = np.zeros(2, np.int64), np.zeros(2, np.int64), FALL_BACK
    if fight.distance != NONE:
        common = common_length(INCH, fight.distance)
    for side in range(2):
        facts, shooter = setup.sides[side], shooters[0] if side == 0 else shooters[1]
        for active in range(2):
            charger = active if setup.sides[active].charges else NONE
            backs[side] += fight.rounds * set_back_by(parts[0] if active == 0 else parts[1], setup, side, charger)
        a_round = facts.speed * (2 if facts.charges else 1) + (2 * FALL_BACK if facts.overrun else 0)
        advances[side] = a_round * fight.rounds
        if fight.distance == NONE:
            continue
        common = common_length(common, facts.speed)
        if shooter.policy == Policy.SHORT_RANGE and shooter.rows[0] != NONE:
            row = question.units[side].rows[shooter.rows[0]].facts[0]
            common = common_length(common, row.long_range if row.short_range == NONE else row.short_range)
    return place(setup, backs, advances, common)
