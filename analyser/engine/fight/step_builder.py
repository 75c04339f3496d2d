"""Course of a fight: its operations and strikes, composed from the facts of two units.

The composers (:mod:`.charge_steps`, :mod:`.duel_steps`) are steps. Python runs them on a draft
(:class:`~analyser.scenarios.fight_records.Draft`), whose lines may contain choices. The calculator runs them on a
:class:`Course`, which fills the records of a setup.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from analyser.common.jit import step, step_for
from analyser.common.records import Int, Integers, record_type
from analyser.engine.fight.program import Kind, Operation
from analyser.rules import shots, unit_state
from analyser.rules.structs import NONE
from analyser.rules.unit_state import FALL_BACK

MOST_LINES, MOST_PARTS = 1024, 6
A_COMBAT_LOST = 2 * FALL_BACK  # the withdrawal, and falling back after a failed test


class UnitFacts(NamedTuple):
    """Facts about a unit in a fight that a target does not have. Lengths are in hundredths of an inch."""

    type: int = NONE  # index in charge_strikes.TYPES
    speed: int = 0
    points: int = NONE
    victory_points: int = NONE
    edge_distance: int = NONE  # distance to its own table edge; NONE: far
    veteran: int = 0
    static: int = 0
    hunter: int = 0
    onslaught: int = 0
    overrun: int = 0
    storming_party: int = 0
    stoic_defence: int = 0
    berserk: int = 0
    run_amok: int = 0
    all_out_attack: int = 0  # rows
    sponsons: int = 0  # dice
    tail_gunner: int = 0  # dice
    spectacular_demise: int = 0  # dice
    throws: int = 0
    throw_reach: int = NONE
    fumes: int = NONE  # range of its Corrosive Fumes; NONE: it has none
    on_lookout: int = 0
    reloading: int = 0
    ammo_supply: int = 0
    concealed: int = 0
    overcharges: int = 0  # in close quarters
    carriages: int = 0
    withdraws_without_room: int = 0
    supported: int = 0
    threatened: int = 0
    accompanied: int = 0  # 1: other units of its side are in contact (AC-8.7)
    outflanking: int = 0
    difficult_terrain: int = 0
    overruns: int = 1  # 1: it uses Overrun
    policy: int = NONE  # a Policy; NONE: chosen by its armaments
    row: int = NONE  # index of the row to shoot with; NONE: the best
    close_quarters_row: int = NONE  # index of the row for close quarters; NONE: the first
    capacity: int = 0  # embarked models that each of its models carries
    passengers: int = NONE  # models embarked on it; NONE: it is not an occupied transport


class Lines:
    """Operations as a record."""

    length: Int  # number of operations
    operations: Annotated[Any, np.int64, (MOST_LINES, 3)]


class Parts:
    """Operations of a course and of its parts."""

    strikes: Int  # number of strikes of all parts
    lines: Annotated[Any, record_type(Lines), (MOST_PARTS,)]


PARTS = record_type(Parts)


class Course(NamedTuple):
    """Operations of a fight, and the setup that receives its strikes."""

    question: Any  # with `units`, two units, and `fight`, the circumstances
    setup: Any
    parts: Any  # a record of PARTS
    place: int  # index of its own lines in `parts`


@step
def begin(course: Course) -> None:
    """Empty a course."""
    course.parts.lines[course.place].length = 0


@step_for(lambda course, *operation: course.lines.append(Operation(*operation)))
def add(course: Course, kind: int, side: int, number: int) -> None:
    """Append an operation."""
    lines = course.parts.lines[course.place]
    place, operations = lines.length, lines.operations
    operations[place, 0], operations[place, 1], operations[place, 2] = kind, side, number
    lines.length = place + 1


@step_for(lambda course, part: course.lines.extend(part.lines))
def extend(course: Course, part: Course) -> None:
    """Append the operations of a part."""
    for line in lines_of(part):
        add(course, line[0], line[1], line[2])


@step_for(lambda course: course.lines)
def lines_of(course: Course) -> Integers:
    """Return the operations of a course."""
    lines = course.parts.lines[course.place]
    return lines.operations[: lines.length]  # type: ignore[no-any-return]


@step_for(lambda course: len(course.setup.strikes))
def strikes_of(course: Course) -> int:
    """Return the number of strikes."""
    return int(course.parts.strikes)


@step
def band_of(row: Any, count: int) -> int:
    """Return the index of the band that covers `count` models or damage (AC-2.4); NONE if no band does."""
    for place in range(row.n_bands):
        if row.bands[place].first <= count <= row.bands[place].last:
            return int(place)
    return NONE


@step
def set_usual(strike: Any) -> None:
    """Fill in the default facts of a strike."""
    strike.orders = strike.inside = strike.fixed_dice = strike.long_range = strike.short_range = NONE
    strike.by_lookout = strike.by_blast = strike.with_own_unit = strike.marks_striker = strike.on_marked = (
        strike.by_damage
    ) = 0
    strike.in_combat = strike.indirect = strike.move_or_fire = strike.reloads = strike.pays_overcharge = (
        strike.attacks_building
    ) = 0
    strike.before_throw = strike.by_throw = strike.separate_test = 0
    strike.after_failed_rally = 1


@step_for(lambda course, *strike: course.new_strike(*strike))
def new_strike(course: Course, striker: int, row: int) -> int:
    """Add a strike with a row of the side, or without a row (NONE); return the number of the strike."""
    number, setup, units = course.parts.strikes, course.setup, course.question.units
    course.parts.strikes = number + 1
    setup.strikes[number].striker = striker
    set_usual(setup.strikes[number])
    setup.targets[number] = units[1 - striker].target[0]
    for count in range(setup.counts):
        setup.dice[number, 0, count] = setup.dice[number, 1, count] = NONE
    if row == NONE:
        setup.attacks[number] = course.question.plain[0]
        return int(number)
    part, state = units[striker].rows[row], units[striker].target[0]
    setup.attacks[number] = part.attack[0]
    more = shots.DICE_PER_CARRIAGE * units[striker].facts[0].carriages if part.facts[0].full_steam_ahead else 0
    most = state.damage_limit if state.behemoth else state.models
    for count in range(most + 1):
        band = band_of(part, count)
        if band != NONE:
            cell = part.bands[band]
            setup.dice[number, 0, count] = cell.dice + more
            setup.dice[number, 1, count] = NONE if cell.special == NONE else cell.special + more
    return int(number)


@step
def add_row(course: Course, side: int, row: int, close: int) -> int:
    """Add a strike of a side with one of its rows, in close quarters if `close`; return its number."""
    number = new_strike(course, side, row)
    strike = course.setup.strikes[number]
    strike.by_damage = 1 if course.question.units[side].target[0].behemoth else 0
    strike.in_combat, strike.pays_overcharge = close, 1
    course.setup.attacks[number].close_quarters, course.setup.attacks[number].charging = close, 0
    if close:
        course.setup.targets[number].exposed = NONE  # only ranged attacks prioritise models (AC-3.9)
    return number


@step
def add_fixed(course: Course, side: int, dice: int, rating: int, veteran: int, afterwards: int) -> int:
    """Add a strike with a fixed number of dice and a stated rating (AC-7); return its number.

    Sponsons strike the target's front, in close quarters. A strike that answers an event (`afterwards`: Tail Gunner,
    Spectacular Demise) causes a separate test, and ignores cover and front.
    """
    number = new_strike(course, side, NONE)
    course.setup.strikes[number].fixed_dice = dice
    attack, target = course.setup.attacks[number], course.setup.targets[number]
    attack.veteran, attack.stated_rating, attack.torrent = veteran, rating, afterwards
    attack.close_quarters = 1 - afterwards
    target.exposed, target.from_front = NONE, 1 - afterwards
    if afterwards:
        target.obstacle = 0
    return number


@step
def set_side(course: Course, side: int) -> None:
    """Fill in the facts of a side that all fights have."""
    unit, enemy, facts = course.question.units[side], course.question.units[1 - side].facts[0], course.setup.sides[side]
    own, target = unit.facts[0], unit.target[0]
    facts.models, facts.garrisoned, facts.distance = target.models, target.garrisoned, NONE
    facts.edge_distance, facts.tracks_position = own.edge_distance, 1 if own.edge_distance != NONE else 0
    facts.stride, facts.origin, facts.position_bit = 1, 0, unit_state.WINS_BIT
    facts.speed = facts.retires = facts.policy = facts.charges = facts.berserk = facts.runs_amok = facts.rearms = 0
    facts.static, facts.hunter, facts.overrun = own.static, own.hunter, 0
    suffers = not target.automata and not target.near_commander and not target.steady
    facts.fumes_reach = enemy.fumes if suffers else NONE
    facts.withdraws_without_room, facts.spectacular_demise = own.withdraws_without_room, own.spectacular_demise
    facts.capacity, facts.passengers = own.capacity, max(own.passengers, 0)


@step
def set_back_by(course: Course, side: int, charger: int) -> int:
    """Return the greatest length that the operations of one activation can set a side back.

    A repeated strike is made once. `charger` is the active side if it can charge, else NONE. A charger continues only
    after winning a combat, so it loses at most one.
    """
    setup = course.setup
    length = combats = dismayed = 0
    counted = np.zeros(strikes_of(course), np.int64)
    for line in lines_of(course):
        kind, active, number = line
        if kind == Kind.RESOLVE:
            combats += 1
        elif kind == Kind.TEST_FRIGHTENED and active == side:
            dismayed = FALL_BACK
        elif kind == Kind.STRIKE and not counted[number] and setup.strikes[number].striker != side:
            counted[number] = 1
            if setup.attacks[number].close_quarters or setup.targets[number].discipline == NONE:
                continue
            if setup.strikes[number].by_blast:  # an enemy goes off only once
                dismayed = FALL_BACK
            else:
                length += FALL_BACK
    lost = 0
    if charger != NONE:
        lost = 1 if side == charger else combats
    return length + dismayed + A_COMBAT_LOST * lost


@step
def common_length(one: int, other: int) -> int:
    """Return the greatest common divisor of two lengths."""
    while other:
        one, other = other, one % other
    return one


@step
def place(setup: Any, backs: Integers, advances: Integers, common: int) -> tuple[int, int]:
    """Set the stride and origin of both sides; return a side whose positions do not fit into a state, and their length.

    The result is (NONE, 0) if all fit. A state holds a position as a number of strides from where the unit stood
    (:mod:`~analyser.rules.unit_state`). The stride is the greatest common divisor of all lengths: the longer it is, the
    fewer bits a position needs. `backs` and `advances` are the longest moves of each side; its own edge and the enemy
    may limit them. `common` divides all lengths except distances to an edge.
    """
    stride = common_length(common, FALL_BACK)
    for side in range(2):
        edge = setup.sides[side].edge_distance
        if edge != NONE and edge <= backs[side]:  # an edge out of reach does not matter
            backs[side] = edge
            stride = common_length(stride, edge)
    for side in range(2):
        facts = setup.sides[side]
        facts.stride = stride
        if not facts.tracks_position:
            continue
        back, ahead = int(backs[side]), 0
        if facts.distance != NONE:
            ahead = min(int(advances[side]), facts.distance + int(backs[1 - side]))
        origin = unit_state.origin_of(back, ahead, stride, facts.position_bit)
        if origin == unit_state.TOO_FAR:
            return side, back + ahead
        facts.origin = origin
    return NONE, 0
