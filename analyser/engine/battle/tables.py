"""Data of a battle: tables that do not depend on chance, and the field that changes during the battle.

A unit is a number: those of side 0 are 0 to MOST_UNITS - 1, those of side 1 follow. Lengths are in hundredths of an
inch.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.records import Int, record_type
from analyser.engine.battle.tactics import MOST_TACTICS, Weight
from analyser.game.ruleset import HIGHEST_CARD
from analyser.rules.policies import Policy
from analyser.rules.structs import ATTACK, FIGHT, SIDE, STRIKE, TARGET
from analyser.rules.tactics import VIEWS

MOST_UNITS = 64  # a side
_UNIT_BITS = 6
UNITS = 2 * MOST_UNITS
MOST_HAND = 10
MOST_CARDS = 10_000
MOST_ROUNDS = 10
MOST_SHOTS = 6  # rows that one unit fires in one activation
NO_STRIKE = -1
NOWHERE = 1 << 30  # the square of a distance beyond any on the field, for units that are not there
BATCHES = 32  # of battles, which tell differences from chance
PERCENT = 101
CHUNK_BATTLES = 256  # a power of two: the words of so many fit into those of a chunk
EVENT_FIELDS, MOST_EVENTS = 6, 1 << 13
PLAN = 5
OUTCOMES = 5
MOST_POINTS = 1023  # victory points of a side
MOST_STRIKES, MOST_POOLS = 1 << 13, 1 << 15  # different ones of a battle
MOST_CELLS, MOST_ROWS, MOST_GAINS = 1 << 21, 1 << 20, 1 << 21
CELLS_A_COUNT, CONDITIONS = 20, 10
GAINS = 4


class Blow(IntEnum):
    """The strikes that a unit can make at another one, beside its shots, which are the first of them."""

    REACTION = MOST_SHOTS
    CHARGE = 7
    RETALIATION = 8
    OVERRUN = 9
    RETALIATION_TO_OVERRUN = 10
    SPONSONS = 11
    THROW = 12
    ANSWER = 13  # Tail Gunner
    BLAST = 14  # Spectacular Demise


BLOWS = 16


class PairFacts:
    """Abilities of a unit against an enemy, in as much room as a processor fetches at once."""

    strikes: Annotated[Any, np.int16, (BLOWS,)]  # or NO_STRIKE
    reach: Annotated[Any, np.int16]  # up to which it attacks where it stands; below 0: it cannot
    within: Annotated[Any, np.int16]  # down to which: its short range, of an Indirect row; or -1
    reach_rallying: Annotated[Any, np.int16]  # the same of its shot after a failed rally test
    within_rallying: Annotated[Any, np.int16]
    charges: Annotated[Any, np.int16]  # up to which it can charge, by whatever makes it; below 0: it cannot
    value_short: Annotated[Any, np.int16]  # up to where the second of each two expected values holds
    value_at: Annotated[Any, np.int32]  # where its expected values begin; below 0: they are 0
    value_by_damage: Annotated[Any, np.int8]
    tactic: Annotated[Any, np.int8]  # a Policy, or NO_TACTIC
    shunned: Annotated[Any, np.int8]  # it is attacked only if there is no better target (BT-4)
    rearms: Annotated[Any, np.int8]
    answered: Annotated[Any, np.int8]  # its shots are answered (Tail Gunner)
    shots: Annotated[Any, np.int8]  # how many rows it fires
    has_dice: Annotated[Any, np.int8]  # the first of them has dice at every strength


PAIR = record_type(PairFacts)
PLACES = MOST_UNITS + 1  # one more than needed: rows that are a power of two apart would share the fastest memory
WAYS = 4  # to attack: CHARGING, STANDING, MOVING, WATCHING
LONGEST = np.iinfo(np.int16).max  # longer than any distance


class RowFacts:
    """The ranged attacks that a unit can choose against an enemy (BT-6); lengths in hundredths of an inch."""

    strikes: Annotated[Any, np.int16, (MOST_SHOTS,)]
    long: Annotated[Any, np.int16, (MOST_SHOTS,)]
    short: Annotated[Any, np.int16, (MOST_SHOTS,)]  # -1 for a row without short range
    within: Annotated[
        Any, np.int16, (MOST_SHOTS,)
    ]  # the range down to which it fires: short, of an Indirect row; or -1
    row: Annotated[Any, np.int8, (MOST_SHOTS,)]  # of the grid: two attacks with one row differ by Overcharge
    still: Annotated[Any, np.int8, (MOST_SHOTS,)]  # Move or Fire
    reloads: Annotated[Any, np.int8, (MOST_SHOTS,)]  # Slow to Fire
    near: Annotated[Any, np.int8, (MOST_SHOTS,)]  # dice in parentheses at short range (Point Blank)
    number: Annotated[Any, np.int8]  # of attacks


ROWS = record_type(RowFacts)


class Encoding:
    """Both armies and the terms of their battle, as one record."""

    rounds: Int
    table: Int  # its depth
    replacement: Int  # whether tests draw from a full deck
    cards: Int  # of a deck
    hand_limit: Int
    disembark_within: Int  # of an enemy
    disembark_by: Int  # the round
    has_transports: Int  # whether a unit is embarked,
    has_lookouts: Int  # or may go on lookout,
    has_reserves: Int  # or begins in reserve
    heroic: Int  # sides of the die by face,
    strike: Int
    miss: Int
    die_sides: Int  # and in all
    cards_up_to: Annotated[Any, np.int64, (HIGHEST_CARD + 1,)]  # cards of a deck with at most each value,
    at_most: Annotated[Any, np.float64, (HIGHEST_CARD + 1,)]  # and the probability of one
    units: Annotated[Any, np.int64, (2,)]  # of each side
    gives: Annotated[Any, np.int64, (2,)]  # whether it gives the first initiative away
    hand: Annotated[Any, np.int64, (2,)]  # a Hand
    order: Annotated[Any, np.int64, (2,)]  # an Order of activation
    choice: Annotated[Any, np.int64, (2,)]  # a Choice of targets
    discard_below: Annotated[Any, np.int64, (2,)]
    orders: Annotated[Any, np.int64, (len(Policy), VIEWS, 2)]  # manoeuvre and action by policy and number of a view
    deck: Annotated[Any, np.uint8, (MOST_CARDS,)]
    # Of each unit
    state: Annotated[Any, np.int64, (UNITS,)]  # as it begins
    x: Annotated[Any, np.int64, (UNITS,)]
    y: Annotated[Any, np.int64, (UNITS,)]
    arrives: Annotated[Any, np.int64, (UNITS,)]  # the round from which it may come out of reserve; 0: it is deployed
    aircraft: Annotated[Any, np.int64, (UNITS,)]
    commander: Annotated[Any, np.int64, (UNITS,)]
    rating: Annotated[Any, np.int64, (UNITS,)]  # VICTORY POINTS RATING
    hunts: Annotated[Any, np.int64, (UNITS,)]  # Hunter
    throws: Annotated[Any, np.int64, (UNITS,)]
    stoic: Annotated[Any, np.int64, (UNITS,)]  # Stoic Defence
    fumes: Annotated[Any, np.int64, (UNITS,)]  # how far its Corrosive Fumes reach; NONE
    suffers: Annotated[Any, np.int64, (UNITS,)]  # whether fumes can disorder it
    worth: Annotated[Any, np.float64, (UNITS,)]  # of one model, in percent of the points of its side
    models: Annotated[Any, np.int64, (UNITS,)]  # at the start
    carrier: Annotated[Any, np.int64, (UNITS,)]  # the transport that it begins on; NONE
    cargo: Annotated[Any, np.int64, (UNITS,)]  # the unit that is embarked on it at the start; NONE
    commanders: Annotated[Any, np.int64, (2,)]  # of a side
    commander_at: Annotated[Any, np.int64, (2, MOST_UNITS)]
    smokers: Int  # units with Corrosive Fumes
    smoker_at: Annotated[Any, np.int64, (UNITS,)]
    listed: Annotated[Any, np.int64, (2, MOST_UNITS)]  # the units of a side as it activates them by a fixed order
    own_tactic: Annotated[Any, np.int64, (UNITS,)]  # a Policy
    rearms_on_lookout: Annotated[Any, np.int64, (UNITS,)]
    holds: Annotated[Any, np.int64, (UNITS,)]  # whether it holds if there is no enemy that it would attack (BT-4)
    furthest: Annotated[Any, np.int64, (UNITS,)]  # up to which it attacks any enemy from where it stands
    pairs: Annotated[Any, PAIR, (UNITS, PLACES)]  # of a unit and each enemy, see `pair_of`
    # Of sides and units that look ahead (BT-6)
    weights: Annotated[Any, np.float64, (MOST_TACTICS, len(Weight))]
    mix: Annotated[Any, np.float64, (2, MOST_TACTICS)]  # cumulated probabilities of the tactics of a side
    ahead: Annotated[Any, np.int64, (2,)]  # whether a side looks ahead
    slots: Annotated[Any, np.int64, (2,)]  # units of a side that stand in any place of its line, by chance
    slot_at: Annotated[Any, np.int64, (2, MOST_UNITS)]  # those units
    stake: Annotated[Any, np.float64, (UNITS,)]  # value of a unit: victory points, and a little of its points
    limit: Annotated[Any, np.int64, (UNITS,)]  # DAMAGE LIMIT
    health: Annotated[Any, np.int64, (UNITS,)]  # points of damage that destroy it, at the start
    by_damage: Annotated[Any, np.int64, (UNITS,)]  # whether its bands go by damage
    several: Annotated[Any, np.int64, (UNITS,)]  # rows that it can fire in one activation (All-Out Attack)
    hides: Annotated[Any, np.int64, (UNITS,)]  # whether taking cover protects it on an open field
    watches: Annotated[Any, np.int64, (UNITS,)]  # whether it can go on lookout
    watched: Annotated[Any, np.float64, (UNITS,)]  # gain of its best shot on lookout
    dread: Annotated[Any, np.float64, (UNITS,)]  # gain of its best attack at full strength, on any enemy
    rows: Annotated[Any, ROWS, (UNITS, PLACES)]
    # What a unit at full strength gains by attacks on each enemy, in thousandths, and the square of how far it reaches:
    # of a unit, and of the enemies of a unit; by a charge, by a shot, by a move and a shot, by a shot on lookout.
    power: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]
    reach: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]
    danger: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]
    range: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]
    ahead_of: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]  # the square of its reach after one to four moves
    blasts: Annotated[Any, np.int64, (UNITS, UNITS)]  # the strike of Spectacular Demise; or NO_STRIKE


NO_TACTIC = -1
CHARGING, STANDING, MOVING, WATCHING = range(WAYS)


class Tables:
    """The strikes of a battle, and the distributions of their pools, as one record."""

    number: Int  # of strikes
    strikes: Annotated[Any, STRIKE, (MOST_STRIKES,)]
    attacks: Annotated[Any, ATTACK, (MOST_STRIKES,)]
    targets: Annotated[Any, TARGET, (MOST_STRIKES,)]  # as at the start
    # With targets as at the start, by :func:`condition_of`; those at short range follow the others.
    fights: Annotated[Any, FIGHT, (MOST_STRIKES, 2 * CONDITIONS)]
    first_cell: Annotated[Any, np.int64, (MOST_STRIKES,)]  # of each strike, in `pool_of`
    pool_of: Annotated[Any, np.int32, (MOST_CELLS,)]  # by count of models or damage, and what else counts (`cell_of`)
    dice: Annotated[Any, np.int32, (MOST_POOLS,)]  # of each pool
    first: Annotated[Any, np.uint64, (MOST_POOLS,)]  # of each pool, in `alias`
    bits: Annotated[Any, np.uint64, (MOST_POOLS,)]  # of each pool, how many of a word pick the row there
    alias: Annotated[Any, np.uint64, (MOST_ROWS, 2)]  # a threshold; the score below it, above it in the upper half
    # By the health left of the target from 0 on: expected share of its whole health that an attack takes, probabilities
    # that it is removed, or suppressed, and the expected share of the attacker's own health (Overcharge).
    gains: Annotated[Any, np.float32, (MOST_GAINS, GAINS)]
    gains_of: Annotated[Any, np.int32, (MOST_CELLS,)]  # of each cell of `pool_of`, the first row of `gains`
    values: Annotated[Any, np.float64, (MOST_CELLS,)]  # expected values by pair, models, enemy's models and range


class Field:
    """A battle as it stands, as one record, with room to work in; it belongs to one thread."""

    states: Annotated[Any, np.int64, (UNITS,)]
    x: Annotated[Any, np.int32, (UNITS,)]
    y: Annotated[Any, np.int32, (UNITS,)]
    place: Annotated[Any, np.int8, (UNITS,)]  # a Place
    off: Annotated[Any, np.int32, (UNITS,)]  # 0 for a unit on the field, else NOWHERE
    squared: Annotated[Any, np.int32, (UNITS,)]  # of distances, as they were last measured; NOWHERE or more of others
    nearest: Int  # the first of the nearest of those to whom distances were last measured; NONE
    nearest_length: Int  # and how far it is
    shunned: Int  # whether a target is looked for among the enemies that a unit shuns
    fallen: Int  # whether a unit with Spectacular Demise has been removed and may go off
    stirred: Int  # whether anything has changed since Corrosive Fumes last spread
    absent: Annotated[Any, np.int8, (UNITS,)]  # units that are left out of all battles
    deck: Annotated[Any, np.uint8, (2, MOST_CARDS)]
    hand: Annotated[Any, np.uint8, (2, MOST_HAND)]
    left: Annotated[Any, np.int64, (2,)]  # cards of the deck
    held: Annotated[Any, np.int64, (2,)]  # cards of the hand
    broken_down: Annotated[Any, np.int64, (2,)]  # communications
    done: Annotated[Any, np.int64, (2,)]  # units at the start of the order of a side that have nothing to do this round
    points: Annotated[Any, np.int64, (2,)]  # victory points
    holder: Int  # of the initiative
    round: Int
    batch: Int
    lost_aboard: Int  # models lost by a unit embarked on the attacked unit
    reforming: Int  # whether the active unit has just disembarked
    # Of the look-ahead (BT-6)
    tactic: Annotated[Any, np.int64, (2,)]  # of each side in this battle
    at: Annotated[Any, np.int64, (UNITS,)]  # where each unit stands along the front at the start
    share: Annotated[Any, np.float64, (UNITS,)]  # value of all the health of a unit to its enemy,
    gone: Annotated[Any, np.float64, (UNITS,)]  # of its removal,
    cowed: Annotated[Any, np.float64, (UNITS,)]  # and of its suppression
    threat: Annotated[Any, np.float64, (UNITS,)]  # gain of its best attack, as it was last weighed
    strength: Annotated[Any, np.int32, (UNITS,)]  # strength left, of 256; 0 for a unit off the field
    acts: Annotated[Any, np.int32, (UNITS,)]  # the same, less for a unit that acts late or never again
    # Of each enemy of the side that acts: the most that it gains by an attack, on which unit, and the second most.
    most: Annotated[Any, np.int32, (MOST_UNITS,)]
    most_on: Annotated[Any, np.int32, (MOST_UNITS,)]
    second: Annotated[Any, np.int32, (MOST_UNITS,)]
    value: Annotated[Any, np.float64, (UNITS,)]  # of acting now, as each unit was last weighed
    fresh: Annotated[Any, np.int8, (UNITS,)]  # whether that still holds
    seen: Annotated[Any, np.int64, (UNITS, 2)]  # state and place of each unit when its own side last looked,
    looked_at: Annotated[Any, np.int64, (UNITS, 2)]  # and when the other side did
    looked: Annotated[Any, np.int64, (2,)]  # the round in which a side last looked
    plans: Annotated[Any, np.int64, (UNITS, PLAN)]  # manoeuvre, action, target, attack, length; see `lookahead`
    sides: Annotated[Any, SIDE, (UNITS,)]
    units: Annotated[Any, TARGET, (UNITS,)]
    fight: Annotated[Any, FIGHT, (1,)]
    attack: Annotated[Any, ATTACK, (1,)]
    targets: Annotated[Any, TARGET, (MOST_STRIKES,)]  # of each strike, as the unit stood when it was last struck by it
    counter: Annotated[Any, np.uint64]  # of the stream of this battle
    gamma: Annotated[Any, np.uint64]
    margins: Annotated[Any, np.int64, (CHUNK_BATTLES,)]  # VP of side 0 less those of side 1, of the last chunk
    logged: Int  # events of this battle
    logs: Int  # whether they are recorded
    log: Annotated[Any, np.int32, (MOST_EVENTS, EVENT_FIELDS)]


class Place(IntEnum):
    """Where a unit is."""

    GONE = 0  # destroyed, broken, fled; or never there
    ON_FIELD = 1
    IN_RESERVE = 2
    INCOMING = 3  # an aircraft before its sortie
    ABOARD = 4


class Counts:
    """Sums over the results of battles, as one record."""

    results: Annotated[Any, np.int64, (MOST_POINTS + 1, MOST_POINTS + 1)]  # by VP of side 0 and of side 1
    outcomes: Annotated[Any, np.int64, (BATCHES, OUTCOMES)]  # by :class:`~analyser.rules.battle.Outcome`
    # Models of the second unit that the first has destroyed, or made break or flee,
    killed: Annotated[Any, np.int64, (BATCHES, UNITS, UNITS)]
    lost: Annotated[Any, np.int64, (BATCHES, UNITS)]  # and those lost by whatever cause
    survived: Annotated[Any, np.int64, (UNITS,)]  # battles at whose end a unit is there
    models: Annotated[Any, np.int64, (MOST_ROUNDS, UNITS)]  # left at the end of each round
    standing: Annotated[Any, np.int64, (MOST_ROUNDS, 2, MOST_UNITS + 1)]  # how often so many units were left
    percent: Annotated[Any, np.int64, (MOST_ROUNDS, 2, PERCENT)]  # how often so many percent of the points were left
    ended: Annotated[Any, np.int64, (MOST_ROUNDS + 1,)]  # after which round it was over


class Battle(NamedTuple):
    """All that a kernel plays with."""

    encoding: Encoding
    tables: Tables
    field: Field
    counts: Counts


_SHIFTS = 5  # -2 to 2: bonuses less penalties that the states make
_NO_SHIFT = 2


@step
def condition_of(covered: bool, shift: int) -> int:
    """The place of a fight among those of its strike: is the target taking cover, bonuses less penalties (AC-3.1)."""
    return (_SHIFTS if covered else 0) + shift + _NO_SHIFT


@step
def cell_of(count: int, short: bool, condition: int) -> int:
    """The place of a pool among those of its strike."""
    return (count * 2 + (1 if short else 0)) * CONDITIONS + condition


@step
def side_of(unit: int) -> int:
    """The side of a unit."""
    return unit >> _UNIT_BITS & 1  # an index that the compiler knows to be 0 or 1


@step
def wide(number: Any) -> int:
    """Return a number in 64 bits: of each narrower kind of its arguments a step would be compiled once more."""
    return np.int64(number)  # type: ignore[return-value]


@step
def pair_of(battle: Battle, unit: int, enemy: int) -> PairFacts:
    """Return the abilities of a unit against an enemy."""
    facts: PairFacts = battle.encoding.pairs[unit, enemy % MOST_UNITS]
    return facts


@step
def strike_of(battle: Battle, unit: int, enemy: int, blow: int) -> int:
    """The number of a strike of a unit at an enemy; NO_STRIKE."""
    return wide(battle.encoding.pairs[unit, enemy % MOST_UNITS].strikes[blow])


@step
def first_of(side: int) -> int:
    """The first unit of a side."""
    return (side & 1) << _UNIT_BITS
