"""Charges and duels from the facts of a question: the strikes and sides of a setup, and the course of a fight.

Each function stands for one of :mod:`analyser.scenarios` (`strikes`, `charge`, `duel`, `policies`), which makes the
same setups and courses from scenario files; the tests compare them number by number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.records import Integers
from analyser.engine.fight.program import Kind
from analyser.game.ruleset import Rating
from analyser.rules import contact, shots, unit_state
from analyser.rules.activation import Order
from analyser.rules.shots import RowKind
from analyser.rules.structs import CATEGORIES, NONE
from analyser.web.attacks import band_of
from analyser.web.blocks import MOST_UNIT, Refusal

MOST_LINES = 1024
_AERIAL = CATEGORIES.index("aerial")
_FLYING = sum(1 << contact.TYPES.index(name) for name in ("rotorcraft", "aircraft"))  # AC-8.1
_CHARGES, _OVERRUNS = 1 << Order.CHARGE, 1 << Order.OVERRUN
SHOTS = 1 << Order.SHOOT_AIMING | 1 << Order.SHOOT
ACTIVE = sum(1 << order for order in Order if order != Order.NOTHING)


class Course(NamedTuple):
    """Operations of a fight, as they are added one by one, and how many strikes there are."""

    lines: Integers  # (MOST_LINES, 3)
    length: Integers  # (1,): how many lines there are
    strikes: Integers  # (1,)


@step
def course_with(strikes: Integers) -> Course:
    """Return an empty course beside those that have so many strikes."""
    return Course(np.empty((MOST_LINES, 3), np.int64), np.zeros(1, np.int64), strikes)


@step
def add(course: Course, kind: int, side: int, number: int) -> None:
    """Append an operation."""
    place = course.length[0]
    course.lines[place, 0], course.lines[place, 1], course.lines[place, 2] = kind, side, number
    course.length[0] += 1


@step
def count_of(unit: Any) -> int:
    """Return the number that picks the band of a row: models, or the damage on a behemoth (AC-2.3)."""
    return int(shots.band_count(unit.target[0].models, unit.target[0].damage, unit.target[0].behemoth, 0))


@step
def new_strike(course: Course, setup: Any, striker: int) -> int:
    """Add a strike by a side with the usual facts; return its number."""
    number = course.strikes[0]
    course.strikes[0] += 1
    strike = setup.strikes[number]
    strike.striker = striker
    strike.orders = strike.inside = strike.fixed_dice = strike.long_range = strike.short_range = NONE
    strike.by_lookout = strike.by_blast = strike.beside = strike.marks = strike.on_marked = strike.by_damage = 0
    strike.counts = strike.indirect = strike.move_or_fire = strike.reloads = strike.bears_blanks = strike.wrecks = 0
    strike.before_throw = strike.by_throw = strike.test_apart = 0
    strike.after_failed_rally = 1
    for count in range(setup.counts):
        setup.dice[number, 0, count] = setup.dice[number, 1, count] = NONE
    return int(number)


@step
def add_row(question: Any, course: Course, setup: Any, side: int, row: int, close: int) -> int:
    """Add the strike of a side with one of its rows, in close quarters or not; return its number."""
    unit = question.units[side]
    part, state = unit.rows[row], unit.target[0]
    number = new_strike(course, setup, side)
    strike = setup.strikes[number]
    strike.by_damage, strike.counts, strike.bears_blanks = state.behemoth != 0, close, 1
    setup.attacks[number] = part.attack[0]
    setup.attacks[number].close_quarters, setup.attacks[number].charging = close, 0
    setup.targets[number] = question.units[1 - side].target[0]
    if close:
        setup.targets[number].exposed = NONE
    more = shots.DICE_A_CARRIAGE * unit.facts[0].carriages if part.facts[0].full_steam_ahead else 0
    most = state.damage_limit if state.behemoth else state.models
    for count in range(most + 1):
        band = band_of(part, count)
        if band != NONE:
            cell = part.bands[band]
            setup.dice[number, 0, count] = cell.dice + more
            setup.dice[number, 1, count] = NONE if cell.special == NONE else cell.special + more
    return number


@step
def add_fixed(
    question: Any, course: Course, setup: Any, side: int, dice: int, rating: int, veteran: int, afterwards: int
) -> int:
    """Add a strike of so many dice at a stated rating (AC-7); return its number.

    `afterwards`: it answers something, causes a test of its own, and no cover and no front counts.
    """
    number = new_strike(course, setup, side)
    setup.strikes[number].fixed_dice = dice
    setup.attacks[number] = question.plain[0]
    attack = setup.attacks[number]
    attack.veteran, attack.stated_rating, attack.torrent = veteran, rating, afterwards
    attack.close_quarters = 1 - afterwards
    setup.targets[number] = question.units[1 - side].target[0]
    target = setup.targets[number]
    target.exposed, target.from_front = NONE, 1 - afterwards
    if afterwards:
        target.obstacle = 0
    return number


@step
def row_for_contact(unit: Any, impact: int) -> int:
    """Return the melee (or impact) row of a unit, the one that it names first; NONE if it has none (AC-8.1, AC-8.3)."""
    result, named = NONE, unit.facts[0].close_quarters_row
    for place in range(unit.n_rows):
        kind = unit.rows[place].facts[0].kind
        if kind == RowKind.MELEE or (impact and kind == RowKind.IMPACT):
            if place == named:
                return int(place)
            if result == NONE:
                result = place
    return int(result)


@step
def why_no_charge(charger: Any, charged: Any) -> int:
    """Return why one unit cannot charge the other (AC-8.1, AC-7); 0 if it can."""
    if charger.facts[0].static:
        return Refusal.IS_STATIC.value
    if row_for_contact(charger, 1) == NONE:
        return Refusal.NO_ROW_TO_CHARGE_WITH.value
    kind = charged.facts[0].type
    if charged.target[0].aircraft or (kind != NONE and _FLYING >> kind & 1):
        return Refusal.CANNOT_BE_CHARGED.value
    return 0


@step
def overruns(unit: Any) -> bool:
    """Return True if the unit makes use of Overrun in a charge (AC-7)."""
    return bool(unit.facts[0].overrun and unit.facts[0].overruns)


@step
def add_charge(question: Any, course: Course, setup: Any, active: int, again: int) -> None:
    """Append the charger's attack, or that of its Overrun (AC-8.2, AC-7)."""
    charger, charged = question.units[active], question.units[1 - active]
    facts, row = charger.facts[0], row_for_contact(charger, 1)
    number = add_row(question, course, setup, active, row, 1)
    strike, attack = setup.strikes[number], setup.attacks[number]
    attack.bonuses |= contact.bonuses_of_charge(
        facts.supported, facts.onslaught, facts.outflanking, facts.type, charged.facts[0].type, again
    )
    attack.penalties |= contact.penalties_of_charge(facts.threatened, again)
    attack.overcharge = facts.overcharges and charger.rows[row].facts[0].can_overcharge
    attack.charging = 1 - again
    if facts.outflanking and not again:
        setup.targets[number].from_front = 0
    strike.orders = _OVERRUNS if again else _CHARGES
    strike.wrecks = breaks_buildings(charger.rows[row], charged) and not again
    strike.before_throw = facts.throws
    add(course, Kind.STRIKE, active, number)


@step
def breaks_buildings(row: Any, struck: Any) -> bool:
    """Return True if a die is rolled for the building after an attack with that row (Siegebreaker, AC-6)."""
    return bool(struck.target[0].garrisoned and row.facts[0].siegebreaker)


@step
def add_retaliation(question: Any, course: Course, setup: Any, active: int, again: int, inside: int) -> None:
    """Append the charged unit's attack back, if it has a melee row (AC-8.3)."""
    charger, charged = question.units[active], question.units[1 - active]
    row = row_for_contact(charged, 0)
    if row == NONE or inside == contact.NEVER:
        return
    number = add_row(question, course, setup, 1 - active, row, 1)
    strike, attack, facts = setup.strikes[number], setup.attacks[number], charger.facts[0]
    attack.bonuses |= contact.bonuses_of_retaliation(facts.threatened, charged.facts[0].type, facts.type)
    attack.penalties |= contact.penalties_of_retaliation(facts.supported)
    attack.overcharge = charged.facts[0].overcharges and charged.rows[row].facts[0].can_overcharge
    setup.targets[number].from_front = 1
    strike.orders = _OVERRUNS if again else _CHARGES
    strike.inside = inside
    add(course, Kind.STRIKE, active, number)


@step
def add_resolution(course: Course, active: int) -> None:
    """Append how a combat ends (AC-8.5)."""
    add(course, Kind.RESOLVE, active, NONE)
    add(course, Kind.END_COMBAT, 0, NONE)
    add(course, Kind.END_COMBAT, 1, NONE)


@step
def new_blasts(question: Any, course: Course, setup: Any) -> int:
    """Add the attacks of last models that are destroyed (Spectacular Demise, AC-7); return the number of the first."""
    first = course.strikes[0]
    for side in range(2):
        dice = question.units[side].facts[0].spectacular_demise
        if dice:
            number = add_fixed(question, course, setup, side, dice, Rating.NEUTRAL, 0, 1)
            setup.strikes[number].by_blast = 1
    return int(first)


@step
def add_blasts(question: Any, course: Course, first: int) -> None:
    """Append what last models do once they are destroyed, by the strikes from number `first` on."""
    for side in range(2):
        if question.units[side].facts[0].spectacular_demise:
            add(course, Kind.GO_OFF, side, NONE)
            add(course, Kind.FRIGHTEN, side, NONE)
            add(course, Kind.STRIKE, side, first)
            add(course, Kind.TEST_FRIGHTENED, 1 - side, NONE)
            first += 1


@step
def add_combat(question: Any, course: Course, setup: Any, active: int) -> None:
    """Append a charge of the active side (AC-8, AC-7)."""
    charger, charged = question.units[active], question.units[1 - active]
    facts, other = charger.facts[0], charged.facts[0]
    add(course, Kind.ENGAGE, active, NONE)
    if other.sponsons:
        number = add_fixed(question, course, setup, 1 - active, other.sponsons, Rating.WEAKENED, other.veteran, 0)
        setup.strikes[number].orders = _CHARGES
        add(course, Kind.STRIKE, active, number)
    advantage = facts.difficult_terrain or other.stoic_defence
    before, after = contact.times_of_retaliation(charged.target[0].garrisoned, facts.storming_party, advantage)
    add_retaliation(question, course, setup, active, 0, before)
    add_charge(question, course, setup, active, 0)
    add_retaliation(question, course, setup, active, 0, after)
    add_resolution(course, active)
    wrecks = False
    for place in range(charger.n_rows):
        row = charger.rows[place]
        if row.facts[0].kind != RowKind.RANGED and breaks_buildings(row, charged):
            wrecks = True
    if wrecks:
        add(course, Kind.WRECK, 1 - active, NONE)
    if overruns(charger):
        add(course, Kind.ENGAGE, active, NONE)
        add_charge(question, course, setup, active, 1)
        add_retaliation(question, course, setup, active, 1, NONE)
        add_resolution(course, active)
    if facts.throws:
        add_throw(question, course, setup, active)
    add_blasts(question, course, new_blasts(question, course, setup))


@step
def add_throw(question: Any, course: Course, setup: Any, active: int) -> None:
    """Append the Throw of the charger, when its combat is over (AC-7)."""
    facts = question.units[active].facts[0]
    number = add_fixed(question, course, setup, active, 0, Rating.WEAKENED, facts.veteran, 0)
    strike, attack = setup.strikes[number], setup.attacks[number]
    strike.by_throw, strike.on_marked, strike.long_range = 1, 1, facts.throw_reach
    attack.close_quarters, attack.overcharge, attack.models = 0, 1, 0
    setup.targets[number] = question.units[1 - active].target[0]
    setup.targets[number].discipline = NONE
    if facts.outflanking:
        setup.targets[number].from_front = 0
    add(course, Kind.STRIKE, active, number)
    add(course, Kind.FORGET, 1 - active, NONE)


@step
def set_side(question: Any, setup: Any, side: int) -> None:
    """Fill in the facts of a side that every fight has."""
    unit, enemy, facts = question.units[side], question.units[1 - side], setup.sides[side]
    own, target = unit.facts[0], unit.target[0]
    facts.models, facts.garrisoned, facts.distance = target.models, target.garrisoned, NONE
    facts.edge_distance, facts.tracks_position = own.edge_distance, own.edge_distance != NONE
    facts.stride, facts.origin, facts.position_at = 1, 0, unit_state.WINS
    facts.speed = facts.retires = facts.policy = facts.charges = facts.berserk = facts.runs_amok = facts.rearms = 0
    facts.static, facts.hunter, facts.overrun = own.static, own.hunter, 0
    suffers = not target.automata and not target.near_commander and not target.steady
    facts.fumes_within = enemy.facts[0].fumes if suffers else NONE
    facts.withdraws_without_room, facts.spectacular_demise = own.withdraws_without_room, own.spectacular_demise
    facts.capacity = facts.passengers = 0
    setup.units[side] = target


@step
def common_length(one: int, other: int) -> int:
    """Return the greatest common divisor of two lengths."""
    while other:
        one, other = other, one % other
    return one


@step
def set_back_by(course: Course, setup: Any, side: int, charger: int) -> int:
    """Return the most that the operations of one activation can set a side back; a repeated strike is made once.

    `charger`: the side whose activation it is, if it can charge in it. It goes on only after a combat that it has won.
    """
    length = combats = dismayed = 0
    counted = np.zeros(course.strikes[0], np.int64)
    for place in range(course.length[0]):
        kind, number = course.lines[place, 0], course.lines[place, 2]
        if kind == Kind.RESOLVE:
            combats += 1
        elif kind == Kind.TEST_FRIGHTENED and course.lines[place, 1] == side:
            dismayed = unit_state.FALL_BACK
        elif kind == Kind.STRIKE and not counted[number] and setup.strikes[number].striker != side:
            counted[number] = 1
            if setup.attacks[number].close_quarters or setup.targets[number].discipline == NONE:
                continue
            if setup.strikes[number].by_blast:
                dismayed = unit_state.FALL_BACK
            else:
                length += unit_state.FALL_BACK
    lost = 0
    if charger != NONE:
        lost = 1 if side == charger else combats
    return length + dismayed + 2 * unit_state.FALL_BACK * lost


@step
def place(setup: Any, backs: Integers, advances: Integers, common: int) -> bool:
    """Give both sides a stride and the place where they begin; return False if a state has no room for the others.

    `backs` and `advances`: how far each gets at most; `common`: a length that all others are multiples of.
    """
    stride = common_length(common, unit_state.FALL_BACK)
    for side in range(2):
        edge = setup.sides[side].edge_distance
        if edge != NONE and edge <= backs[side]:
            backs[side] = edge
            stride = common_length(stride, edge)
    for side in range(2):
        facts = setup.sides[side]
        facts.stride = stride
        if not facts.tracks_position:
            continue
        ahead = 0 if facts.distance == NONE else min(advances[side], facts.distance + backs[1 - side])
        origin = unit_state.origin_of(backs[side], ahead, stride, facts.position_at)
        if origin == unit_state.TOO_FAR:
            return False
        facts.origin = origin
    return True


@step
def set_charge(question: Any, setup: Any, course: Course) -> int:
    """Fill in the setup and the course of a charge of unit 0; return why it cannot be made, 0 if it can."""
    attacker, target = question.units[0], question.units[1]
    refused = why_no_charge(attacker, target)
    if attacker.target[0].garrisoned:
        refused = Refusal.IN_BUILDING.value
    if attacker.facts[0].outflanking and target.target[0].garrisoned:
        refused = Refusal.FRONT_ALL_ROUND.value
    if refused:
        return refused
    if band_of(attacker.rows[row_for_contact(attacker, 1)], count_of(attacker)) == NONE:
        return shots.WhyNot.NO_DICE.value
    begin_setup(question, setup)
    add_combat(question, course, setup, 0)
    backs, advances = np.zeros(2, np.int64), np.zeros(2, np.int64)
    again = overruns(attacker)
    placed = attacker.facts[0].throws or (again and attacker.facts[0].edge_distance != NONE)
    for side in range(2):
        set_side(question, setup, side)
        facts = setup.sides[side]
        facts.hunter = 1  # combats won are counted for both: they tell how the first one went
        facts.position_at = unit_state.WINS + unit_state.BITS_OF_WINS_IN_A_CHARGE
        if placed:
            facts.distance, facts.tracks_position = 0, 1
        backs[side] = set_back_by(course, setup, side, 0)
    setup.sides[0].overrun, setup.sides[0].charges = again, 1
    advances[0] = 2 * unit_state.FALL_BACK if again else 0
    return 0 if place(setup, backs, advances, unit_state.FALL_BACK) else Refusal.TOO_MANY_PLACES.value


@step
def begin_setup(question: Any, setup: Any) -> None:
    """Say for how many models, or how much damage, the dice of strikes are given."""
    most = 0
    for side in range(2):
        state = question.units[side].target[0]
        most = max(most, state.damage_limit if state.behemoth else state.models)
    setup.counts = min(most, MOST_UNIT) + 1
