"""Program of a longer fight: a list of operations on the states of two sides, which all engines run."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.common.kernel_records import Int, Integers, python_copy, record_type
from analyser.game.ruleset import Rating
from analyser.rules.house_rules import effects_on
from analyser.rules.structs import ATTACK, FIGHT, NONE, SIDE, STRIKE, TARGET

Op = tuple[int, int, int]  # an operation in kernels
Pair = tuple[int, int]  # the states of side 0 and side 1


class Kind(IntEnum):
    """Kind of an operation."""

    STRIKE = 0  # an attack
    BEGIN = 1  # a unit is activated, and takes its rally test
    GIVE_ORDERS = 2
    ENGAGE = 3  # a charge, or an Overrun, brings the units into contact
    RESOLVE = 4  # result of a combat: the winner, the loser's withdrawal and test
    TEST_PASSENGERS = 5
    END_COMBAT = 6
    END = 7  # end of an activation
    TOSS = 8  # a coin decides which unit is activated first in this round
    ROLL_BUILDING_DIE = 9  # after an attack on a building (Siegebreaker)
    END_ROUND = 10
    ROLL_DEMISE_DIE = 11  # after the last model is lost (Spectacular Demise); success: a strike that reaches the enemy
    ROLL_PANIC_DIE = 12  # the demise die if it showed no strike; success: it shows a miss
    TEST_PANIC = 13  # the enemy's suppression test after a miss of the demise die
    SPREAD_FUMES = 14  # Corrosive Fumes disorder each unit that they reach
    CLEAR_MARK = 15  # removes the mark of a Throw or of a Tail Gunner
    RUN_AMOK = 16  # a unit that has not charged damages an enemy nearby
    NEXT_ATTACKER = 17  # in focus fire, the next attacker replaces the previous one
    ORDER = 18  # a unit gets orders that its side chose, instead of orders by its policy
    CHOOSE = 19  # a plan selects one of the following branches
    BRANCH = 20  # first line of a branch; the branch is skipped if it is not selected
    DECLINE_OVERRUN = 21  # a unit that could overrun does not
    TEST_SHOT = 22  # the suppression test of an attack, if it is a separate operation


ON_PURPOSE = 1 << 5  # flag added to the kind of an operation: its test is failed on purpose (AC-5.1)


class Operation(NamedTuple):
    """Operation of a program."""

    kind: int  # a Kind
    # The active side, 0 or 1. For tests (TEST_...), dice (ROLL_...), CLEAR_MARK, END_COMBAT, END_ROUND: the side of the
    # unit that is tested or changed. For CHOOSE: the round from 0. For BRANCH: the number of the branch.
    side: int = 0
    # For STRIKE, TEST_SHOT and NEXT_ATTACKER: the strike. For GIVE_ORDERS: the strike of the row to shoot with, or
    # NONE. For BEGIN: a When. For ORDER: :func:`pack_order`. For CHOOSE: the place of the choice in its round. For
    # BRANCH: the number of its lines.
    number: int = NONE


class OrderParts(NamedTuple):
    """Parts that are packed into the number of an ORDER."""

    manoeuvre: int
    action: int
    strike: int  # the strike of the row to shoot with, or NONE
    stop: int  # end of a shorter move (:func:`~.activation.length_until_stop`); 0: full move


_MANOEUVRE_BITS, _ACTION_BITS, _STOP_BITS = 4, 3, 18  # a stop is below 2 * activation.STOP_IS_DISTANCE


def pack_order(order: OrderParts) -> int:
    """Return the number of an ORDER, packed from its parts."""
    packed = order.strike - NONE << _STOP_BITS | order.stop
    return (packed << _ACTION_BITS | order.action) << _MANOEUVRE_BITS | order.manoeuvre


@step
def unpack_order(number: int) -> OrderParts:
    """Return the parts of an ORDER from its number."""
    packed = number >> _MANOEUVRE_BITS
    action, packed = packed & (1 << _ACTION_BITS) - 1, packed >> _ACTION_BITS
    stop, strike = packed & (1 << _STOP_BITS) - 1, (packed >> _STOP_BITS) + NONE
    return OrderParts(number & (1 << _MANOEUVRE_BITS) - 1, action, strike, stop)


class When(IntEnum):
    """Condition of an activation (BEGIN); in some rounds a toss decides which unit is first."""

    ALWAYS = -1
    IF_SECOND = 0  # the toss made the unit second
    IF_FIRST = 1


MOST_STRIKES = 64  # 32 attacks, each with a return shot
MOST_COUNT = 1000  # most models, or points of damage, of a unit


class Setup:
    """Constants of a program as one record; `attack`, `target` and `fight` are scratch memory of one thread."""

    sides: Annotated[Any, SIDE, (2,)]
    units: Annotated[Any, TARGET, (2,)]  # unit of each side; its models, damage and statuses are those at the start
    passengers: Annotated[Any, TARGET, (2,)]  # the passengers of each side's unit
    strikes: Annotated[Any, STRIKE, (MOST_STRIKES,)]
    attacks: Annotated[Any, ATTACK, (MOST_STRIKES,)]  # the attack of each strike
    targets: Annotated[Any, TARGET, (MOST_STRIKES,)]  # the struck unit of each strike
    # Attack dice by number of models, or damage: row 0 has the usual dice, row 1 those in parentheses. NONE: no dice.
    dice: Annotated[Any, np.int16, (MOST_STRIKES, 2, MOST_COUNT + 1)]
    dice_entries: Int  # number of used entries in a row of `dice`: one more than the most models or damage
    attack: Annotated[Any, ATTACK, (1,)]
    target: Annotated[Any, TARGET, (1,)]
    fight: Annotated[Any, FIGHT, (2,)]
    copy: Any  # method that returns a copy of the setup

    def __getitem__(self, name: str) -> Any:
        """Return a field by its name; faster than an attribute."""


SETUP = record_type(Setup)


@step
def operation_at(operations: Integers, place: int) -> Op:
    """Return one operation of a program."""
    return int(operations[place, 0]), int(operations[place, 1]), int(operations[place, 2])


def _house_rule_dice(setup: Setup, strikes: int) -> list[NDArray[np.int64]]:
    """Return the dice that house rules add to each strike: one array for each range, or one array of zeros."""
    attacks, targets = setup["attacks"][:strikes], setup["targets"][:strikes]
    if not attacks["house_1"].any() and not targets["house_1"].any():
        return [np.zeros((strikes, 1), np.int64)]
    pairs = [(python_copy(attack), python_copy(target)) for attack, target in zip(attacks, targets)]
    return [np.array([[effects_on(*pair, short).dice] for pair in pairs], np.int64) for short in (0, 1)]


def first_pools(setup: Setup, operations: Integers) -> Integers:
    """Return the index of the first pool of each strike and number of dice; each rating has a pool (`PoolCache`)."""
    strikes = 1 + operations[operations[:, 0] == Kind.STRIKE, 2].max(initial=-1)
    table = setup["dice"][:strikes, :, : setup["dice_entries"]].reshape(strikes, 2 * setup["dice_entries"])
    fixed = setup["strikes"]["fixed_dice"][:strikes, None]
    added = _house_rule_dice(setup, strikes)
    table = np.concatenate([np.where(table > 0, np.maximum(table + column, 1), 0) for column in added], axis=1)
    dice = np.maximum(np.concatenate([table, fixed, np.zeros_like(fixed)], axis=1), 0).astype(np.int64)  # NONE as 0
    rolls = np.zeros((strikes, dice.max(initial=0) + 1), np.bool_)
    np.put_along_axis(rolls, dice, True, axis=1)
    return (np.cumsum(rolls).reshape(rolls.shape) - 1) * len(Rating)
