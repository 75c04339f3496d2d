"""Builder of a fight's program from two units: :class:`Builder` in compiled code, `Draft` in Python."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from analyser.common.jit import step, step_for
from analyser.common.kernel_records import Int, Integers, record_type
from analyser.engine.fight.program import Kind, Operation
from analyser.rules import shots, unit_state
from analyser.rules.structs import NONE
from analyser.rules.unit_state import FALL_BACK

MOST_LINES, MOST_PARTS = 1024, 6
LOST_COMBAT_LENGTH = 2 * FALL_BACK  # longest way back after a lost combat: the withdrawal and a fall-back


class UnitFacts(NamedTuple):
    """Facts about a unit in a fight that are not in TargetFacts. Lengths are in hundredths of an inch."""

    type: int = NONE  # index in charge_strikes.TYPES
    speed: int = 0
    points: int = NONE
    victory_points: int = NONE
    edge_distance: int = NONE  # distance to the unit's own table edge; NONE: far
    veteran: int = 0
    static: int = 0
    hunter: int = 0
    onslaught: int = 0
    overrun: int = 0
    storming_party: int = 0
    stoic_defence: int = 0
    berserk: int = 0
    run_amok: int = 0
    all_out_attack: int = 0  # number of rows that it can fire together; 0: without the rule
    sponsons: int = 0  # number of dice of its Sponsons
    tail_gunner: int = 0  # number of dice of its Tail Gunner
    spectacular_demise: int = 0  # number of dice of its blast
    throws: int = 0
    throw_reach: int = NONE  # reach of its Throw
    fumes: int = NONE  # reach of its Corrosive Fumes; NONE: it has no fumes
    on_lookout: int = 0
    reloading: int = 0
    ammo_supply: int = 0
    concealed: int = 0
    overcharges: int = 0  # 1: it uses Overcharge in close quarters
    carriages: int = 0
    withdraws_without_room: int = 0
    supported: int = 0
    threatened: int = 0
    accompanied: int = 0  # 1: other units of its side are in contact (AC-8.7)
    outflanking: int = 0
    difficult_terrain: int = 0
    overruns: int = 1  # 1: it uses Overrun if it has the rule
    policy: int = NONE  # a Policy; NONE: the default policy for its armaments
    row: int = NONE  # index of the row to shoot with; NONE: the best row
    close_quarters_row: int = NONE  # index of the row for close quarters; NONE: the first possible row
    capacity: int = 0  # number of passengers that each of its models can carry
    passengers: int = NONE  # number of passengers; NONE: it is not an occupied transport


class OperationList:
    """List of operations as a record."""

    length: Int  # number of operations
    operations: Annotated[Any, np.int64, (MOST_LINES, 3)]


class Parts:
    """Operation lists of a program, one for each builder."""

    strikes: Int  # number of strikes in all lists together
    lines: Annotated[Any, record_type(OperationList), (MOST_PARTS,)]


PARTS = record_type(Parts)


class Builder(NamedTuple):
    """Builder of a list of operations, with the setup that receives the strikes."""

    question: Any  # has `units`, the two units, and `fight`, the circumstances
    setup: Any
    parts: Any  # a record of PARTS
    part: int  # index in `parts` of the list that this builder extends


@step
def begin(builder: Builder) -> None:
    """Empty the list of operations."""
    builder.parts.lines[builder.part].length = 0


@step_for(lambda builder, *operation: builder.lines.append(Operation(*operation)))
def add(builder: Builder, kind: int, side: int, number: int) -> None:
    """Append an operation."""
    lines = builder.parts.lines[builder.part]
    place, operations = lines.length, lines.operations
    operations[place, 0], operations[place, 1], operations[place, 2] = kind, side, number
    lines.length = place + 1


@step_for(lambda builder, part: builder.lines.extend(part.lines))
def extend(builder: Builder, part: Builder) -> None:
    """Append the operations of another builder."""
    for line in lines_of(part):
        add(builder, line[0], line[1], line[2])


@step_for(lambda builder: builder.lines)
def lines_of(builder: Builder) -> Integers:
    """Return the operations so far."""
    lines = builder.parts.lines[builder.part]
    return lines.operations[: lines.length]  # type: ignore[no-any-return]


@step_for(lambda builder: len(builder.setup.strikes))
def strikes_of(builder: Builder) -> int:
    """Return the number of strikes so far."""
    return int(builder.parts.strikes)


@step
def band_of(row: Any, count: int) -> int:
    """Return the index of the band that covers `count` models or points of damage (AC-2.4); NONE if no band does."""
    for place in range(row.n_bands):
        if row.bands[place].first <= count <= row.bands[place].last:
            return int(place)
    return NONE


@step
def set_defaults(strike: Any) -> None:
    """Set the default facts of a strike."""
    strike.orders = strike.inside = strike.fixed_dice = strike.long_range = strike.short_range = NONE
    strike.by_lookout = strike.by_blast = strike.secondary_unit = strike.marks_striker = strike.on_marked = 0
    strike.by_damage = strike.in_combat = strike.indirect = strike.move_or_fire = strike.reloads = 0
    strike.pays_overcharge = strike.attacks_building = strike.before_throw = strike.by_throw = strike.separate_test = 0
    strike.after_failed_rally = 1


@step_for(lambda builder, *strike: builder.new_strike(*strike))
def new_strike(builder: Builder, striker: int, row: int) -> int:
    """Add a strike with a row of the striking side, or without a row (NONE); return the number of the strike."""
    number, setup, units = builder.parts.strikes, builder.setup, builder.question.units
    builder.parts.strikes = number + 1
    setup.strikes[number].striker = striker
    set_defaults(setup.strikes[number])
    setup.targets[number] = units[1 - striker].target[0]
    for count in range(setup.dice_entries):
        setup.dice[number, 0, count] = setup.dice[number, 1, count] = NONE
    if row == NONE:
        setup.attacks[number] = builder.question.plain[0]
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
def add_row(builder: Builder, side: int, row: int, close: int) -> int:
    """Add a strike of a side with one of its rows, in close quarters if `close`; return its number."""
    number = new_strike(builder, side, row)
    strike, attack, unit = builder.setup.strikes[number], builder.setup.attacks[number], builder.question.units[side]
    strike.by_damage, strike.in_combat, strike.pays_overcharge = 1 if unit.target[0].behemoth else 0, close, 1
    attack.close_quarters, attack.charging = close, 0
    if close:
        attack.overcharge = 1 if unit.facts[0].overcharges and unit.rows[row].facts[0].can_overcharge else 0
        builder.setup.targets[number].exposed = NONE  # only ranged attacks prioritise models (AC-3.9)
    return number


@step
def add_fixed(builder: Builder, side: int, dice: int, rating: int, veteran: int, ignores_cover: int) -> int:
    """Add a strike with fixed dice and rating (AC-7), which may ignore cover and front; return its number."""
    number = new_strike(builder, side, NONE)
    builder.setup.strikes[number].fixed_dice = dice
    attack, target = builder.setup.attacks[number], builder.setup.targets[number]
    attack.veteran, attack.stated_rating, attack.torrent = veteran, rating, ignores_cover
    attack.close_quarters = 1 - ignores_cover
    target.exposed, target.from_front = NONE, 1 - ignores_cover
    if ignores_cover:
        target.obstacle = 0
    return number


@step
def set_side(builder: Builder, side: int) -> None:
    """Set the facts of a side that are common to all fights."""
    units, facts = builder.question.units, builder.setup.sides[side]
    unit, enemy = units[side], units[1 - side].facts[0]
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
def most_set_back(builder: Builder, side: int, charger: int) -> int:
    """Return the greatest length that one activation can set a side back; `charger`: the active side, or NONE."""
    setup = builder.setup
    length = combats = panic = 0
    counted = np.zeros(strikes_of(builder), np.int64)
    for line in lines_of(builder):
        kind, active, number = line
        if kind == Kind.RESOLVE:
            combats += 1
        elif kind == Kind.TEST_PANIC and active == side:
            panic = FALL_BACK
        elif kind == Kind.STRIKE and not counted[number] and setup.strikes[number].striker != side:
            counted[number] = 1
            if setup.attacks[number].close_quarters or setup.targets[number].discipline == NONE:
                continue
            if setup.strikes[number].by_blast:  # each unit has only one blast
                panic = FALL_BACK
            else:
                length += FALL_BACK
    lost = 0
    if charger != NONE:
        lost = 1 if side == charger else combats  # a charger fights again only if it has won
    return length + panic + LOST_COMBAT_LENGTH * lost


@step
def common_divisor(one: int, other: int) -> int:
    """Return the greatest common divisor of two lengths."""
    while other:
        one, other = other, one % other
    return one


@step
def set_positions(setup: Any, backs: Integers, advances: Integers, common: int) -> tuple[int, int]:
    """Set both sides' stride and origin; return (NONE, 0), or a side whose positions do not fit, and its range."""
    stride = common_divisor(common, FALL_BACK)  # the longer the stride, the fewer bits a position needs
    for side in range(2):
        edge = setup.sides[side].edge_distance
        if edge != NONE and edge <= backs[side]:  # an edge out of reach does not matter
            backs[side] = edge
            stride = common_divisor(stride, edge)
    for side in range(2):
        facts = setup.sides[side]
        facts.stride = stride
        if not facts.tracks_position:
            continue
        back, ahead = int(backs[side]), 0
        if facts.distance != NONE:
            ahead = min(int(advances[side]), facts.distance + int(backs[1 - side]))
        strides_back, strides_ahead = -(-back // stride), -(-ahead // stride)
        room = 1 << unit_state.STATE_BITS - facts.position_bit  # number of positions that fit on either side of 0
        if strides_back + strides_ahead >= 2 * room:
            return side, back + ahead
        facts.origin = 0 if max(strides_back, strides_ahead) < room else (strides_back - strides_ahead) // 2
    return NONE, 0
