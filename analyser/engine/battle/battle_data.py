"""Data of a battle for kernels: constant setup and tables, the current state (the battlefield), and counts of results.

Units are numbered: units of side 0 from 0, units of side 1 from MOST_UNITS. Lengths are in hundredths of an inch.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.kernel_records import Int, record_type
from analyser.engine.battle.look_ahead_weights import WEIGHTS
from analyser.game.ruleset import HIGHEST_CARD
from analyser.rules.policies import Policy
from analyser.rules.policy_lines import VIEW_COUNT
from analyser.rules.structs import ATTACK, FIGHT, SIDE, STRIKE, TARGET

MOST_UNITS = 64  # units of a side
_UNIT_BITS = 6
UNITS = 2 * MOST_UNITS
MOST_HAND = 10
MOST_CARDS = 10_000
MOST_ROUNDS = 10
MOST_SHOTS = 6  # most shots of a unit at an enemy: fired in one activation, or stored to choose from (RowFacts)
NO_STRIKE = -1
NOWHERE = 1 << 30  # added to the squared distance of a unit off the field; exceeds every squared distance on the field
BATCHES = 32  # number of batches of battles, whose differences give standard errors
PERCENT = 101  # number of whole percentages, 0 to 100
CHUNK_BATTLES = 256  # a power of two; the random words of a chunk suffice for these battles
EVENT_FIELDS, MOST_EVENTS = 6, 1 << 13
PLAN_FIELDS = 6
OUTCOMES = 5
MOST_OBJECTIVES, MOST_OBJECTIVE_POINTS = 5, 5
MOST_POINTS = 1023  # most victory points of a side that are counted
MOST_STRIKES, MOST_POOLS = 1 << 13, 1 << 15  # different strikes and pools of a battle
MOST_CELLS, MOST_ROWS, MOST_GAINS = 1 << 21, 1 << 20, 1 << 21
CELLS_PER_COUNT, CONDITIONS = 20, 10
GAINS = 4


class StrikeSlot(IntEnum):
    """Index of each kind of strike in PairFacts.strikes; the indices below MOST_SHOTS are those of the unit's shots."""

    REACTION = MOST_SHOTS
    CHARGE = 7
    RETALIATION = 8
    OVERRUN = 9
    RETALIATION_TO_OVERRUN = 10
    SPONSONS = 11
    THROW = 12
    RETURN_SHOT = 13  # Tail Gunner
    BLAST = 14  # Spectacular Demise


STRIKE_SLOTS = 16


class PairFacts:
    """Abilities of a unit against an enemy. The record is kept smaller than a cache line."""

    strikes: Annotated[Any, np.int16, (STRIKE_SLOTS,)]  # number of each strike in Tables, by StrikeSlot; or NO_STRIKE
    reach: Annotated[Any, np.int16]  # greatest distance from which its tactic attacks without an advance; below 0: none
    within: Annotated[Any, np.int16]  # it attacks only beyond this distance: short range of an Indirect row, or -1
    reach_rallying: Annotated[Any, np.int16]  # `reach` and `within` of the shot after a failed rally test
    within_rallying: Annotated[Any, np.int16]
    charges: Annotated[Any, np.int16]  # greatest distance of a charge, chosen or compulsory; below 0: no charge
    value_short: Annotated[Any, np.int16]  # greatest distance at which the expected value at short range applies
    value_at: Annotated[Any, np.int32]  # index in Tables.values of the first value of this pair; below 0: all are 0
    value_by_damage: Annotated[Any, np.int8]  # 1: the attacker's damage, not its models, selects the expected value
    tactic: Annotated[Any, np.int8]  # a Policy, or NO_POLICY
    shunned: Annotated[Any, np.int8]  # 1: the unit attacks this enemy only if it has no better target (BT-4)
    rearms: Annotated[Any, np.int8]  # 1: a reloading unit re-arms instead of shooting (Slow to Fire)
    answered: Annotated[Any, np.int8]  # 1: a Tail Gunner shoots back
    shots: Annotated[Any, np.int8]  # number of rows that it fires
    has_dice: Annotated[Any, np.int8]  # 1: the first row that it fires has dice at every strength


PAIR = record_type(PairFacts)
PAIR_COLUMNS = MOST_UNITS + 1  # one column is unused: with 64, records of a column would share few cache lines
LANES = 16  # enemies that vector instructions process together
# Rows of BattleSetup.attacks. POWER to AHEAD are the first rows of groups of four. POWER: gain (in thousandths) of each
# attack of the unit on an enemy at full strength; REACH: its squared range. DANGER and RANGE: gain and squared range of
# each attack of the enemy on the unit. The attacks are a charge, a shot without a move, a shot after a move, and a shot
# on lookout. AHEAD: squared ranges after 1, 2, 3 or 4 moves at double time. MOST to BEYOND ignore shots on lookout.
CHARGING, STANDING, MOVING, WATCHING = range(4)
POWER, REACH, DANGER, RANGE, AHEAD = range(0, 20, 4)
MOST, MOST_AFTER_MOVE, BEYOND = 20, 21, 22  # greatest POWER; greatest after a move; shortest distance out of reach
ATTACK_ROWS = 23
LONGEST_LENGTH = np.iinfo(np.int16).max  # longest length that PairFacts can store; exceeds every distance


class RowFacts:
    """Ranged attacks that a unit can choose against an enemy (BT-6)."""

    strikes: Annotated[Any, np.int16, (MOST_SHOTS,)]
    long: Annotated[Any, np.int16, (MOST_SHOTS,)]
    short: Annotated[Any, np.int16, (MOST_SHOTS,)]  # -1 for a row without short range
    within: Annotated[Any, np.int16, (MOST_SHOTS,)]  # fires only beyond this: short range of an Indirect row, or -1
    row: Annotated[Any, np.int8, (MOST_SHOTS,)]  # index of its row; of two attacks with one row, the second overcharges
    still: Annotated[Any, np.int8, (MOST_SHOTS,)]  # 1: a Move or Fire row
    reloads: Annotated[Any, np.int8, (MOST_SHOTS,)]  # 1: a Slow to Fire row
    near: Annotated[Any, np.int8, (MOST_SHOTS,)]  # 1: at short range it uses the dice in parentheses (Point Blank)
    number: Annotated[Any, np.int8]  # number of attacks


ROWS = record_type(RowFacts)


class BattleSetup:
    """Constants of a battle as one record: both armies, and the terms of the battle."""

    rounds: Int
    table: Int  # depth of the table
    replacement: Int  # 1: each card for a test or for dice is drawn from a full deck
    cards: Int  # number of cards of a deck
    hand_limit: Int
    disembark_within: Int  # passengers disembark if an enemy is at most this far away
    disembark_by: Int  # round from which passengers disembark in any case
    has_transports: Int  # 1: a unit is embarked
    has_lookouts: Int  # 1: a unit may go on lookout
    has_reserves: Int  # 1: a unit begins in reserve
    objectives: Int  # number of objectives (BT-7)
    objective_points: Int  # victory points for an objective that a side controls at the end of a round
    objective_y: Int
    objective_x: Annotated[Any, np.int64, (MOST_OBJECTIVES,)]
    heroic: Int  # number of sides of the die with a heroic strike
    strike: Int  # number of sides with a strike
    miss: Int  # number of sides with a miss
    die_sides: Int  # number of all sides
    cards_up_to: Annotated[Any, np.int64, (HIGHEST_CARD + 1,)]  # number of cards of a deck up to each value
    probability_up_to: Annotated[Any, np.float64, (HIGHEST_CARD + 1,)]  # probability of a card up to each value
    units: Annotated[Any, np.int64, (2,)]  # number of units of each side
    gives_away: Annotated[Any, np.int64, (2,)]  # 1: the side leaves the first initiative to the enemy
    card_choice: Annotated[Any, np.int64, (2,)]  # a CardChoice
    order: Annotated[Any, np.int64, (2,)]  # an ActivationChoice
    choice: Annotated[Any, np.int64, (2,)]  # a TargetChoice
    discard_below: Annotated[Any, np.int64, (2,)]  # the side discards cards below this value
    orders: Annotated[Any, np.int64, (len(Policy), VIEW_COUNT, 2)]  # manoeuvre and action by policy and view index
    deck: Annotated[Any, np.uint8, (MOST_CARDS,)]
    # By unit:
    state: Annotated[Any, np.int64, (UNITS,)]  # state at the start
    x: Annotated[Any, np.int64, (UNITS,)]
    y: Annotated[Any, np.int64, (UNITS,)]
    arrives: Annotated[Any, np.int64, (UNITS,)]  # first round in which it may leave the reserve; 0: it is deployed
    aircraft: Annotated[Any, np.int64, (UNITS,)]  # 1: it is an aircraft
    commander: Annotated[Any, np.int64, (UNITS,)]  # 1: it is a commander
    rating: Annotated[Any, np.int64, (UNITS,)]  # VICTORY POINTS RATING
    hunts: Annotated[Any, np.int64, (UNITS,)]  # victory points for a combat won (Hunter)
    holds_objectives: Annotated[Any, np.int64, (UNITS,)]  # 1: it can control an objective
    contests: Annotated[Any, np.int64, (UNITS,)]  # 1: it prevents the control of an objective by the enemy
    throws: Annotated[Any, np.int64, (UNITS,)]  # 1: it has Throw
    stoic: Annotated[Any, np.int64, (UNITS,)]  # 1: it has Stoic Defence
    fumes: Annotated[Any, np.int64, (UNITS,)]  # reach of its Corrosive Fumes, or NONE
    suffers: Annotated[Any, np.int64, (UNITS,)]  # 1: Corrosive Fumes can disorder it
    model_percent: Annotated[Any, np.float64, (UNITS,)]  # points of one model, in percent of the points of its side
    models: Annotated[Any, np.int64, (UNITS,)]  # number of models at the start
    carrier: Annotated[Any, np.int64, (UNITS,)]  # its transport at the start, or NONE
    cargo: Annotated[Any, np.int64, (UNITS,)]  # its passenger at the start, or NONE
    commanders: Annotated[Any, np.int64, (2,)]  # number of commanders of a side
    commander_at: Annotated[Any, np.int64, (2, MOST_UNITS)]
    fume_units: Int  # number of units with Corrosive Fumes
    fume_unit_at: Annotated[Any, np.int64, (UNITS,)]
    listed: Annotated[Any, np.int64, (2, MOST_UNITS)]  # units of a side in order of activation, unless that is NEAREST
    own_policy: Annotated[Any, np.int64, (UNITS,)]  # a Policy, or NONE if the unit looks ahead
    rearms_on_lookout: Annotated[Any, np.int64, (UNITS,)]
    holds: Annotated[Any, np.int64, (UNITS,)]  # 1: it holds if it has no enemy to attack (BT-4)
    furthest: Annotated[Any, np.int64, (UNITS,)]  # upper bound of its attack ranges (in look-ahead, after an advance)
    pairs: Annotated[Any, PAIR, (UNITS, PAIR_COLUMNS)]  # by unit and enemy, see `pair_of`
    # For sides and units that look ahead (BT-6):
    weights: Annotated[Any, np.float64, WEIGHTS.shape]  # by rounds left (see `FACTORS`) and tactic
    mix: Annotated[Any, np.float64, (2, WEIGHTS.shape[1])]  # cumulative probabilities of the tactics of a side
    ahead: Annotated[Any, np.int64, (2,)]  # 1: the side looks ahead
    slots: Annotated[Any, np.int64, (2,)]  # number of units of a side that swap starting positions at random
    slot_at: Annotated[Any, np.int64, (2, MOST_UNITS)]  # the units that swap positions
    stake: Annotated[Any, np.float64, (UNITS,)]  # value of a unit: victory points, plus a small part of its points
    limit: Annotated[Any, np.int64, (UNITS,)]  # DAMAGE LIMIT
    health: Annotated[Any, np.int64, (UNITS,)]  # points of damage that destroy it, at the start
    by_damage: Annotated[Any, np.int64, (UNITS,)]  # 1: damage, not models, selects its band of the armaments table
    several: Annotated[Any, np.int64, (UNITS,)]  # number of rows that it can fire in one activation (All-Out Attack)
    hides: Annotated[Any, np.int64, (UNITS,)]  # 1: taking cover protects it on an open field
    watches: Annotated[Any, np.int64, (UNITS,)]  # 1: it can go on lookout
    watched: Annotated[Any, np.float64, (UNITS,)]  # gain of its best shot on lookout
    dread: Annotated[Any, np.float64, (UNITS,)]  # gain of its best attack at full strength, on any enemy
    rows: Annotated[Any, ROWS, (UNITS, PAIR_COLUMNS)]
    # By unit and block of enemies: gains and ranges of attacks (POWER to BEYOND):
    attacks: Annotated[Any, np.int32, (UNITS, MOST_UNITS // LANES, ATTACK_ROWS, LANES)]
    blasts: Annotated[Any, np.int64, (UNITS, UNITS)]  # the strike of Spectacular Demise, or NO_STRIKE


NO_POLICY = -1


class Tables:
    """Strikes of a battle, and the score distributions of their pools, as one record."""

    number: Int  # number of strikes
    strikes: Annotated[Any, STRIKE, (MOST_STRIKES,)]
    attacks: Annotated[Any, ATTACK, (MOST_STRIKES,)]
    targets: Annotated[Any, TARGET, (MOST_STRIKES,)]  # targets in their first states
    # Fights against targets in their first states, by `condition_of`: all beyond short range, then all at short range.
    fights: Annotated[Any, FIGHT, (MOST_STRIKES, 2 * CONDITIONS)]
    first_cell: Annotated[Any, np.int64, (MOST_STRIKES,)]  # first cell of each strike in `pool_of`
    pool_of: Annotated[Any, np.int32, (MOST_CELLS,)]  # pool by strike, models or damage, range, condition (`cell_of`)
    dice: Annotated[Any, np.int32, (MOST_POOLS,)]  # number of dice of each pool
    first: Annotated[Any, np.uint64, (MOST_POOLS,)]  # first row of each pool in `alias`
    bits: Annotated[Any, np.uint64, (MOST_POOLS,)]  # by pool: number of bits that select a row of `alias`
    alias: Annotated[Any, np.uint64, (MOST_ROWS, 2)]  # see :func:`~analyser.engine.pool.alias.alias_table`
    # A row for each health of the target, from 0: expected share of its full health lost, probability of removal,
    # probability of suppression, and expected number of models that the attacker loses (Overcharge).
    gains: Annotated[Any, np.float32, (MOST_GAINS, GAINS)]
    gains_of: Annotated[Any, np.int32, (MOST_CELLS,)]  # first row of `gains` for each cell of `pool_of`
    values: Annotated[Any, np.float64, (MOST_CELLS,)]  # expected values by strike, strength, target's models and range


class Battlefield:
    """Current state of a battle, and scratch memory, as one record for one thread; kernels call it `field`."""

    states: Annotated[Any, np.int64, (UNITS,)]
    x: Annotated[Any, np.int32, (UNITS,)]
    y: Annotated[Any, np.int32, (UNITS,)]
    place: Annotated[Any, np.int8, (UNITS,)]  # a Place
    off: Annotated[Any, np.int32, (UNITS,)]  # 0 for a unit on the field, else NOWHERE
    squared: Annotated[Any, np.int32, (UNITS,)]  # squared distance in the last `find_nearest`, plus `off`
    nearest: Int  # result of the last `find_nearest`: a unit, or NONE
    nearest_length: Int  # distance of the unit `nearest`
    shunned: Int  # 1: the target is chosen among enemies that the unit shuns
    demise_pending: Int  # 1: a unit with Spectacular Demise has been removed; its die may be due
    fumes_pending: Int  # 1: units have moved since Corrosive Fumes last spread
    absent: Annotated[Any, np.int8, (UNITS,)]  # 1: the unit is left out of all battles
    deck: Annotated[Any, np.uint8, (2, MOST_CARDS)]
    hand: Annotated[Any, np.uint8, (2, MOST_HAND)]
    cards_left: Annotated[Any, np.int64, (2,)]  # number of cards in the deck
    hand_size: Annotated[Any, np.int64, (2,)]  # number of cards in the hand
    broken_down: Annotated[Any, np.int64, (2,)]  # 1: communications have broken down
    finished: Annotated[Any, np.int64, (2,)]  # number of units at the start of `listed` that have no turn left
    points: Annotated[Any, np.int64, (2,)]  # victory points
    holders: Annotated[Any, np.int64, (2, MOST_OBJECTIVES)]  # number of units in contact that can control the objective
    contesters: Annotated[Any, np.int64, (2, MOST_OBJECTIVES)]  # number of units in contact that deny the enemy control
    initiative_side: Int  # side that holds the initiative
    round: Int
    batch: Int
    lost_aboard: Int  # models lost by a unit embarked on the attacked unit
    reforming: Int  # 1: the active unit has just disembarked
    # For the look-ahead (BT-6):
    tactic: Annotated[Any, np.int64, (2,)]  # tactic of each side in this battle
    start_x: Annotated[Any, np.int64, (UNITS,)]  # starting position of each unit along the front
    health_value: Annotated[Any, np.float64, (UNITS,)]  # value to the enemy of destroying a unit's full health
    removal_value: Annotated[Any, np.float64, (UNITS,)]  # value to the enemy of removing a unit
    suppression_value: Annotated[Any, np.float64, (UNITS,)]  # value to the enemy of suppressing a unit
    danger: Annotated[Any, np.float64, (UNITS,)]  # latest estimate of what the enemy's best attacks cost a unit
    strength: Annotated[Any, np.int32, (UNITS,)]  # current strength, 256 if unhurt; 0 for a unit off the field
    cap: Annotated[Any, np.int32, (UNITS,)]  # greatest possible gain of an enemy by attacks on a unit, in thousandths
    attack_weight: Annotated[Any, np.int32, (UNITS,)]  # strength times `next_attack_weight`
    # By side and unit: best gain by an attack at full strength, the enemy attacked, and the best gain on the others.
    most: Annotated[Any, np.int32, (2, MOST_UNITS)]
    most_on: Annotated[Any, np.int32, (2, MOST_UNITS)]
    second: Annotated[Any, np.int32, (2, MOST_UNITS)]
    value: Annotated[Any, np.float64, (UNITS,)]  # latest estimate of each unit's gain by acting now
    plan_is_valid: Annotated[Any, np.int8, (UNITS,)]  # 1: `value` and the plan are still valid
    seen_state: Annotated[Any, np.int64, (2, UNITS)]  # states at the last look-ahead of a side
    seen_place: Annotated[Any, np.int64, (2, UNITS)]  # places and coordinates at that look-ahead
    last_look: Annotated[Any, np.int64, (2,)]  # round of a side's last look-ahead; 0: none
    plans: Annotated[Any, np.int64, (UNITS, PLAN_FIELDS)]  # see `action_plans`
    sides: Annotated[Any, SIDE, (UNITS,)]
    units: Annotated[Any, TARGET, (UNITS,)]
    fight: Annotated[Any, FIGHT, (1,)]
    attack: Annotated[Any, ATTACK, (1,)]
    targets: Annotated[Any, TARGET, (MOST_STRIKES,)]  # scratch target of each strike
    counter: Annotated[Any, np.uint64]  # counter of the random stream (:class:`~analyser.engine.rng.StreamPosition`)
    gamma: Annotated[Any, np.uint64]
    margins: Annotated[Any, np.int64, (CHUNK_BATTLES,)]  # margins of the last chunk: VP of side 0 less VP of side 1
    logged: Int  # number of recorded events of this battle
    is_logging: Int  # 1: events are recorded
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

    results: Annotated[Any, np.int64, (MOST_POINTS + 1, MOST_POINTS + 1)]  # number of battles by VP of both sides
    outcomes: Annotated[
        Any, np.int64, (BATCHES, OUTCOMES)
    ]  # number of battles by Outcome (:mod:`analyser.rules.battle`)
    # By batch and pair of units: models of the second unit that the first has destroyed, or caused to break or flee.
    killed: Annotated[Any, np.int64, (BATCHES, UNITS, UNITS)]
    lost: Annotated[Any, np.int64, (BATCHES, UNITS)]  # models lost by any cause
    survived: Annotated[Any, np.int64, (UNITS,)]  # number of battles at whose end a unit is not removed
    models: Annotated[Any, np.int64, (MOST_ROUNDS, UNITS)]  # models left at the end of each round
    standing: Annotated[Any, np.int64, (MOST_ROUNDS, 2, MOST_UNITS + 1)]  # battles by round, side, units left
    percent: Annotated[Any, np.int64, (MOST_ROUNDS, 2, PERCENT)]  # battles by round, side, percentage of points left
    ended: Annotated[Any, np.int64, (MOST_ROUNDS + 1,)]  # battles by last round


class Battle(NamedTuple):
    """All data of a battle for kernels."""

    setup: BattleSetup
    tables: Tables
    field: Battlefield
    counts: Counts


MOST_SHIFT = 2  # conditions have bonuses less penalties from -2 to 2


@step
def condition_of(covered: bool, shift: int) -> int:
    """Return the condition of a strike, an index below CONDITIONS, from cover and bonuses less penalties (AC-3.1)."""
    return (CONDITIONS // 2 if covered else 0) + min(max(shift, -MOST_SHIFT), MOST_SHIFT) + MOST_SHIFT


@step
def cell_of(count: int, short: bool, condition: int) -> int:
    """Return the cell of a pool among those of its strike; `count`: models of the striker, or damage on a behemoth."""
    return (count * 2 + (1 if short else 0)) * CONDITIONS + condition


@step
def side_of(unit: int) -> int:
    """Return the side of a unit."""
    return unit >> _UNIT_BITS & 1  # `& 1` tells the compiler that this index is 0 or 1


@step
def wide(number: Any) -> int:
    """Return a number in 64 bits, because functions would be compiled again for each narrower type."""
    return np.int64(number)  # type: ignore[return-value]


@step
def pair_of(battle: Battle, unit: int, enemy: int) -> PairFacts:
    """Return the abilities of a unit against an enemy."""
    facts: PairFacts = battle.setup.pairs[unit, enemy % MOST_UNITS]
    return facts


@step
def strike_of(battle: Battle, unit: int, enemy: int, slot: int) -> int:
    """Return the number of a unit's strike at an enemy, or NO_STRIKE; `slot`: a StrikeSlot, or the index of a shot."""
    return wide(battle.setup.pairs[unit, enemy % MOST_UNITS].strikes[slot])


@step
def first_of(side: int) -> int:
    """Return the first unit of a side."""
    return (side & 1) << _UNIT_BITS


@step
def units_of(battle: Battle, side: int) -> range:
    """Return the numbers of the units of a side."""
    return range(first_of(side), first_of(side) + battle.setup.units[side])


@step
def blocks_of(units: int) -> int:
    """Return the number of blocks of LANES units that hold this many units."""
    return (units + LANES - 1) // LANES
