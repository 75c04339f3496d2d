"""Data of a battle: constant tables, and the field, which changes during the battle.

A unit is a number: units of side 0 have 0 to MOST_UNITS - 1, units of side 1 follow. Lengths are in hundredths of an
inch.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.records import Int, record_type
from analyser.engine.battle.look_ahead_weights import MOST_TACTICS, Weight
from analyser.game.ruleset import HIGHEST_CARD
from analyser.rules.policies import Policy
from analyser.rules.policy_lines import VIEW_COUNT
from analyser.rules.structs import ATTACK, FIGHT, SIDE, STRIKE, TARGET

MOST_UNITS = 64  # a side
_UNIT_BITS = 6
UNITS = 2 * MOST_UNITS
MOST_HAND = 10
MOST_CARDS = 10_000
MOST_ROUNDS = 10
MOST_SHOTS = 6  # rows that one unit fires in one activation
NO_STRIKE = -1
NOWHERE = 1 << 30  # squared distance of units off the field, greater than any on it
BATCHES = 32  # batches of battles, for standard errors
PERCENT = 101
CHUNK_BATTLES = 256  # a power of two; the random words of these battles fit into those of a chunk
EVENT_FIELDS, MOST_EVENTS = 6, 1 << 13
PLAN = 5
OUTCOMES = 5
MOST_POINTS = 1023  # victory points of a side
MOST_STRIKES, MOST_POOLS = 1 << 13, 1 << 15  # distinct ones of a battle
MOST_CELLS, MOST_ROWS, MOST_GAINS = 1 << 21, 1 << 20, 1 << 21
CELLS_A_COUNT, CONDITIONS = 20, 10
GAINS = 4


class Blow(IntEnum):
    """Indices of a unit's strikes at another unit, after those of its shots."""

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
    """Abilities of a unit against an enemy, within one cache line."""

    strikes: Annotated[Any, np.int16, (BLOWS,)]  # or NO_STRIKE
    reach: Annotated[Any, np.int16]  # greatest distance of an attack without moving; below 0: none
    within: Annotated[Any, np.int16]  # an attack must be beyond it: short range of an Indirect row, or -1
    reach_rallying: Annotated[Any, np.int16]  # `reach` of the shot after a failed rally test
    within_rallying: Annotated[Any, np.int16]
    charges: Annotated[Any, np.int16]  # greatest distance of a charge of any kind; below 0: none
    value_short: Annotated[Any, np.int16]  # greatest distance at which the second of two expected values applies
    value_at: Annotated[Any, np.int32]  # index of its first expected value; below 0: all are 0
    value_by_damage: Annotated[Any, np.int8]
    tactic: Annotated[Any, np.int8]  # a Policy, or NO_TACTIC
    shunned: Annotated[Any, np.int8]  # 1: the unit attacks it only without a better target (BT-4)
    rearms: Annotated[Any, np.int8]
    answered: Annotated[Any, np.int8]  # 1: its shots are answered (Tail Gunner)
    shots: Annotated[Any, np.int8]  # number of rows that it fires
    has_dice: Annotated[Any, np.int8]  # 1: the first of these rows has dice at every strength


PAIR = record_type(PairFacts)
PLACES = MOST_UNITS + 1  # one more than needed: rows a power of two apart would compete for cache lines
WAYS = 4  # ways of attack: CHARGING, STANDING, MOVING, WATCHING
LONGEST = np.iinfo(np.int16).max  # greater than any distance


class RowFacts:
    """The ranged attacks that a unit can choose against an enemy (BT-6); lengths in hundredths of an inch."""

    strikes: Annotated[Any, np.int16, (MOST_SHOTS,)]
    long: Annotated[Any, np.int16, (MOST_SHOTS,)]
    short: Annotated[Any, np.int16, (MOST_SHOTS,)]  # -1 for a row without short range
    within: Annotated[Any, np.int16, (MOST_SHOTS,)]  # it fires beyond it: short range of an Indirect row, or -1
    row: Annotated[Any, np.int8, (MOST_SHOTS,)]  # of the grid; two attacks with a row differ by Overcharge
    still: Annotated[Any, np.int8, (MOST_SHOTS,)]  # Move or Fire
    reloads: Annotated[Any, np.int8, (MOST_SHOTS,)]  # Slow to Fire
    near: Annotated[Any, np.int8, (MOST_SHOTS,)]  # 1: dice in parentheses at short range (Point Blank)
    number: Annotated[Any, np.int8]  # number of attacks


ROWS = record_type(RowFacts)


class Encoding:
    """Both armies and the terms of their battle, as one record."""

    rounds: Int
    table: Int  # depth of the table
    replacement: Int  # 1: tests draw from a full deck
    cards: Int  # of a deck
    hand_limit: Int
    disembark_within: Int  # distance of an enemy
    disembark_by: Int  # round
    has_transports: Int  # 1: a unit is embarked
    has_lookouts: Int  # 1: a unit may go on lookout
    has_reserves: Int  # 1: a unit begins in reserve
    heroic: Int  # sides of the die with this face
    strike: Int
    miss: Int
    die_sides: Int  # all sides
    cards_up_to: Annotated[Any, np.int64, (HIGHEST_CARD + 1,)]  # cards of a deck with at most each value
    at_most: Annotated[Any, np.float64, (HIGHEST_CARD + 1,)]  # probability of such a card
    units: Annotated[Any, np.int64, (2,)]  # number of units of each side
    gives: Annotated[Any, np.int64, (2,)]  # 1: the side gives the first initiative away
    hand: Annotated[Any, np.int64, (2,)]  # a Hand
    order: Annotated[Any, np.int64, (2,)]  # a Turn
    choice: Annotated[Any, np.int64, (2,)]  # a Choice of targets
    discard_below: Annotated[Any, np.int64, (2,)]
    orders: Annotated[
        Any, np.int64, (len(Policy), VIEW_COUNT, 2)
    ]  # manoeuvre and action by policy and number of a view
    deck: Annotated[Any, np.uint8, (MOST_CARDS,)]
    # Of each unit
    state: Annotated[Any, np.int64, (UNITS,)]  # first state
    x: Annotated[Any, np.int64, (UNITS,)]
    y: Annotated[Any, np.int64, (UNITS,)]
    arrives: Annotated[Any, np.int64, (UNITS,)]  # first round in which it may leave the reserve; 0: it is deployed
    aircraft: Annotated[Any, np.int64, (UNITS,)]
    commander: Annotated[Any, np.int64, (UNITS,)]
    rating: Annotated[Any, np.int64, (UNITS,)]  # VICTORY POINTS RATING
    hunts: Annotated[Any, np.int64, (UNITS,)]  # Hunter
    throws: Annotated[Any, np.int64, (UNITS,)]
    stoic: Annotated[Any, np.int64, (UNITS,)]  # Stoic Defence
    fumes: Annotated[Any, np.int64, (UNITS,)]  # range of its Corrosive Fumes, or NONE
    suffers: Annotated[Any, np.int64, (UNITS,)]  # 1: fumes can disorder it
    worth: Annotated[Any, np.float64, (UNITS,)]  # of one model, in percent of the points of its side
    models: Annotated[Any, np.int64, (UNITS,)]  # at the start
    carrier: Annotated[Any, np.int64, (UNITS,)]  # its transport at the start, or NONE
    cargo: Annotated[Any, np.int64, (UNITS,)]  # its passenger at the start, or NONE
    commanders: Annotated[Any, np.int64, (2,)]  # number of commanders of a side
    commander_at: Annotated[Any, np.int64, (2, MOST_UNITS)]
    smokers: Int  # number of units with Corrosive Fumes
    smoker_at: Annotated[Any, np.int64, (UNITS,)]
    listed: Annotated[Any, np.int64, (2, MOST_UNITS)]  # units of a side in its fixed order of activation
    own_tactic: Annotated[Any, np.int64, (UNITS,)]  # a Policy
    rearms_on_lookout: Annotated[Any, np.int64, (UNITS,)]
    holds: Annotated[Any, np.int64, (UNITS,)]  # 1: without an enemy to attack it holds (BT-4)
    furthest: Annotated[Any, np.int64, (UNITS,)]  # greatest distance at which it attacks an enemy without moving
    pairs: Annotated[Any, PAIR, (UNITS, PLACES)]  # of a unit and each enemy, see `pair_of`
    # Of sides and units that look ahead (BT-6)
    weights: Annotated[Any, np.float64, (MOST_TACTICS, len(Weight))]
    mix: Annotated[Any, np.float64, (2, MOST_TACTICS)]  # cumulative probabilities of the tactics of a side
    ahead: Annotated[Any, np.int64, (2,)]  # 1: the side looks ahead
    slots: Annotated[Any, np.int64, (2,)]  # number of units of a side whose positions in its line are random
    slot_at: Annotated[Any, np.int64, (2, MOST_UNITS)]  # those units
    stake: Annotated[Any, np.float64, (UNITS,)]  # value of a unit: victory points, and a little of its points
    limit: Annotated[Any, np.int64, (UNITS,)]  # DAMAGE LIMIT
    health: Annotated[Any, np.int64, (UNITS,)]  # damage that destroys it, at the start
    by_damage: Annotated[Any, np.int64, (UNITS,)]  # 1: its bands count damage
    several: Annotated[Any, np.int64, (UNITS,)]  # rows that it can fire in one activation (All-Out Attack)
    hides: Annotated[Any, np.int64, (UNITS,)]  # 1: taking cover protects it on an open field
    watches: Annotated[Any, np.int64, (UNITS,)]  # 1: it can go on lookout
    watched: Annotated[Any, np.float64, (UNITS,)]  # gain of its best shot on lookout
    dread: Annotated[Any, np.float64, (UNITS,)]  # gain of its best attack at full strength, on any enemy
    rows: Annotated[Any, ROWS, (UNITS, PLACES)]
    # Gains (in thousandths) and squared ranges of attacks at full strength. `power`, `reach`: of a unit on each enemy.
    # `danger`, `range`: of each enemy on the unit. Ways: charge, shot, move and shot, shot on lookout.
    power: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]
    reach: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]
    danger: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]
    range: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]
    ahead_of: Annotated[Any, np.int32, (UNITS, WAYS, MOST_UNITS)]  # squared range after one to four moves
    blasts: Annotated[Any, np.int64, (UNITS, UNITS)]  # the strike of Spectacular Demise, or NO_STRIKE


NO_TACTIC = -1
CHARGING, STANDING, MOVING, WATCHING = range(WAYS)


class Tables:
    """The strikes of a battle, and the distributions of their pools, as one record."""

    number: Int  # number of strikes
    strikes: Annotated[Any, STRIKE, (MOST_STRIKES,)]
    attacks: Annotated[Any, ATTACK, (MOST_STRIKES,)]
    targets: Annotated[Any, TARGET, (MOST_STRIKES,)]  # in their first states
    # With targets in their first states, by :func:`condition_of`; fights at short range follow the others.
    fights: Annotated[Any, FIGHT, (MOST_STRIKES, 2 * CONDITIONS)]
    first_cell: Annotated[Any, np.int64, (MOST_STRIKES,)]  # of each strike, in `pool_of`
    pool_of: Annotated[Any, np.int32, (MOST_CELLS,)]  # pool by strike, models or damage, range, condition (`cell_of`)
    dice: Annotated[Any, np.int32, (MOST_POOLS,)]  # of each pool
    first: Annotated[Any, np.uint64, (MOST_POOLS,)]  # of each pool, first row in `alias`
    bits: Annotated[Any, np.uint64, (MOST_POOLS,)]  # of each pool, number of bits of a word that select a row
    alias: Annotated[Any, np.uint64, (MOST_ROWS, 2)]  # see :func:`~analyser.engine.pool.alias.alias_table`
    # By the present health of the target, from 0: the expected loss as a share of its full health, the probabilities of
    # its removal and suppression, and the attacker's expected own losses (Overcharge).
    gains: Annotated[Any, np.float32, (MOST_GAINS, GAINS)]
    gains_of: Annotated[Any, np.int32, (MOST_CELLS,)]  # of each cell of `pool_of`, the first row of `gains`
    values: Annotated[Any, np.float64, (MOST_CELLS,)]  # expected values by pair, models, enemy's models and range


class Field:
    """The present state of a battle, as one record with scratch space, for one thread."""

    states: Annotated[Any, np.int64, (UNITS,)]
    x: Annotated[Any, np.int32, (UNITS,)]
    y: Annotated[Any, np.int32, (UNITS,)]
    place: Annotated[Any, np.int8, (UNITS,)]  # a Place
    off: Annotated[Any, np.int32, (UNITS,)]  # 0 for a unit on the field, else NOWHERE
    squared: Annotated[Any, np.int32, (UNITS,)]  # squared distances, last measured; NOWHERE or more off the field
    nearest: Int  # first of the nearest units in the last measurement, or NONE
    nearest_length: Int  # its distance
    shunned: Int  # 1: the target is chosen among enemies that the unit shuns
    fallen: Int  # 1: a unit with Spectacular Demise has been removed and may go off
    stirred: Int  # 1: Corrosive Fumes may reach other units than when they last spread
    absent: Annotated[Any, np.int8, (UNITS,)]  # 1: the unit is left out of all battles
    deck: Annotated[Any, np.uint8, (2, MOST_CARDS)]
    hand: Annotated[Any, np.uint8, (2, MOST_HAND)]
    left: Annotated[Any, np.int64, (2,)]  # cards of the deck
    held: Annotated[Any, np.int64, (2,)]  # cards of the hand
    broken_down: Annotated[Any, np.int64, (2,)]  # 1: communications have broken down
    done: Annotated[Any, np.int64, (2,)]  # number of units, first in a side's order, that are finished this round
    points: Annotated[Any, np.int64, (2,)]  # victory points
    holder: Int  # of the initiative
    round: Int
    batch: Int
    lost_aboard: Int  # models lost by a unit embarked on the attacked unit
    reforming: Int  # 1: the active unit has just disembarked
    # Of the look-ahead (BT-6)
    tactic: Annotated[Any, np.int64, (2,)]  # of each side in this battle
    at: Annotated[Any, np.int64, (UNITS,)]  # first position of each unit along the front
    share: Annotated[Any, np.float64, (UNITS,)]  # value of a unit's full health to its enemy
    gone: Annotated[Any, np.float64, (UNITS,)]  # value of its removal
    cowed: Annotated[Any, np.float64, (UNITS,)]  # value of its suppression
    threat: Annotated[Any, np.float64, (UNITS,)]  # gain of its best attack, last computed
    strength: Annotated[Any, np.int32, (UNITS,)]  # present strength, of 256; 0 for a unit off the field
    acts: Annotated[Any, np.int32, (UNITS,)]  # strength times the weight of the next attack (`timing_of`)
    # Of each enemy of the active side: its best gain by an attack, on which unit, and its second-best gain.
    most: Annotated[Any, np.int32, (MOST_UNITS,)]
    most_on: Annotated[Any, np.int32, (MOST_UNITS,)]
    second: Annotated[Any, np.int32, (MOST_UNITS,)]
    value: Annotated[Any, np.float64, (UNITS,)]  # gain of each unit by acting now, last computed
    fresh: Annotated[Any, np.int8, (UNITS,)]  # 1: that value and the plan are still valid
    seen: Annotated[Any, np.int64, (UNITS, 2)]  # state and position at the last look-ahead of its own side
    looked_at: Annotated[Any, np.int64, (UNITS, 2)]  # state and position at the last look-ahead of the other side
    looked: Annotated[Any, np.int64, (2,)]  # round of a side's last look-ahead
    plans: Annotated[Any, np.int64, (UNITS, PLAN)]  # manoeuvre, action, target, attack, length; see `lookahead`
    sides: Annotated[Any, SIDE, (UNITS,)]
    units: Annotated[Any, TARGET, (UNITS,)]
    fight: Annotated[Any, FIGHT, (1,)]
    attack: Annotated[Any, ATTACK, (1,)]
    targets: Annotated[Any, TARGET, (MOST_STRIKES,)]  # scratch target of each strike
    counter: Annotated[Any, np.uint64]  # of the stream of this battle
    gamma: Annotated[Any, np.uint64]
    margins: Annotated[Any, np.int64, (CHUNK_BATTLES,)]  # VP of side 0 less those of side 1, of the last chunk
    logged: Int  # number of recorded events of this battle
    logs: Int  # 1: events are recorded
    log: Annotated[Any, np.int32, (MOST_EVENTS, EVENT_FIELDS)]


class Place(IntEnum):
    """Location of a unit."""

    GONE = 0  # destroyed, broken, fled or absent
    ON_FIELD = 1
    IN_RESERVE = 2
    INCOMING = 3  # an aircraft before its sortie
    ABOARD = 4


class Counts:
    """Sums over the results of battles, as one record."""

    results: Annotated[Any, np.int64, (MOST_POINTS + 1, MOST_POINTS + 1)]  # by VP of side 0 and of side 1
    outcomes: Annotated[Any, np.int64, (BATCHES, OUTCOMES)]  # by :class:`~analyser.rules.battle.Outcome`
    # Models of the second unit that the first has destroyed or caused to break or flee
    killed: Annotated[Any, np.int64, (BATCHES, UNITS, UNITS)]
    lost: Annotated[Any, np.int64, (BATCHES, UNITS)]  # models lost by any cause
    survived: Annotated[Any, np.int64, (UNITS,)]  # battles that a unit survives
    models: Annotated[Any, np.int64, (MOST_ROUNDS, UNITS)]  # left at the end of each round
    standing: Annotated[Any, np.int64, (MOST_ROUNDS, 2, MOST_UNITS + 1)]  # battles by round, side, units left
    percent: Annotated[Any, np.int64, (MOST_ROUNDS, 2, PERCENT)]  # battles by round, side, percent of points left
    ended: Annotated[Any, np.int64, (MOST_ROUNDS + 1,)]  # battles by last round


class Battle(NamedTuple):
    """All data of a battle for kernels."""

    encoding: Encoding
    tables: Tables
    field: Field
    counts: Counts


_SHIFTS = 5  # bonuses less penalties due to the states: -2 to 2
_NO_SHIFT = 2


@step
def condition_of(covered: bool, shift: int) -> int:
    """Return the index of a strike's fight, by cover of the target and bonuses less penalties (AC-3.1)."""
    return (_SHIFTS if covered else 0) + shift + _NO_SHIFT


@step
def cell_of(count: int, short: bool, condition: int) -> int:
    """Return the index of a pool among the pools of its strike."""
    return (count * 2 + (1 if short else 0)) * CONDITIONS + condition


@step
def side_of(unit: int) -> int:
    """Return the side of a unit."""
    return unit >> _UNIT_BITS & 1  # the compiler knows this index to be 0 or 1


@step
def wide(number: Any) -> int:
    """Return a number in 64 bits, because a step would be compiled again for each narrower type of an argument."""
    return np.int64(number)  # type: ignore[return-value]


@step
def pair_of(battle: Battle, unit: int, enemy: int) -> PairFacts:
    """Return the abilities of a unit against an enemy."""
    facts: PairFacts = battle.encoding.pairs[unit, enemy % MOST_UNITS]
    return facts


@step
def strike_of(battle: Battle, unit: int, enemy: int, blow: int) -> int:
    """Return the number of a unit's strike at an enemy, or NO_STRIKE."""
    return wide(battle.encoding.pairs[unit, enemy % MOST_UNITS].strikes[blow])


@step
def first_of(side: int) -> int:
    """Return the first unit of a side."""
    return (side & 1) << _UNIT_BITS
