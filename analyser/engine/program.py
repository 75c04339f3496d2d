"""A longer fight as a program: a list of small operations on the states of two sides, read by both engines.

Each operation is written once, as a step on a pair of states (:mod:`~analyser.rules.armoured_clash.unit_state`):
what card it asks for, and what it comes to when the test is passed or failed. The exact engine follows both ways,
the Monte Carlo engine the one that the drawn card takes. Attacks are operations too; their dice are the engines'.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from analyser.jit import step
from analyser.rules.armoured_clash import activation, close_quarters, demise, morale, unit_state
from analyser.rules.armoured_clash.activation import Order
from analyser.rules.armoured_clash.conditions import set_fight, special_counts
from analyser.rules.armoured_clash.facts import (
    ATTACK,
    FIGHT,
    NONE,
    SIDE,
    STRIKE,
    TARGET,
    Bonus,
    Penalty,
    SideFacts,
)
from analyser.rules.armoured_clash.policies import allowed, decide


class Kind(IntEnum):
    """The operations."""

    STRIKE = 0  # an attack
    BEGIN = 1  # a unit is activated, and takes its rally test
    GIVE_ORDERS = 2
    ENGAGE = 3  # a charge has brought the two into contact
    RESOLVE = 4  # who has won the combat, the loser's withdrawal and test
    TEST_PASSENGERS = 5
    END_COMBAT = 6
    END = 7  # of an activation
    TOSS = 8  # who is activated first in this round
    WRECK = 9  # a die for the building (Siegebreaker)
    END_ROUND = 10
    GO_OFF = 11  # Spectacular Demise: the die of a unit whose last model is destroyed
    FRIGHTEN = 12  # whether that die, if it was no strike, was a miss
    TEST_FRIGHTENED = 13  # the enemy's suppression test


class Operation(NamedTuple):
    """One line of a program.

    Attributes
    ----------
    kind : Kind
    side : int
        The side that is active, 0 or 1; of TEST_PASSENGERS and WRECK: the side concerned.
    number : int
        Of STRIKE: which strike. Of GIVE_ORDERS: the strike of the row that the unit shoots with, or NONE. Of BEGIN:
        a :class:`When`.
    """

    kind: int
    side: int = 0
    number: int = NONE


class When(IntEnum):
    """Which activation of a round it is, where a toss decides who is first."""

    ALWAYS = -1
    IF_SECOND = 0
    IF_FIRST = 1


MOST_STRIKES = 32
MOST_COUNT = 1000  # of models, or of damage


class Setup:
    """All that does not change while a program runs, as one record, so that it costs nothing to hand on.

    Attributes
    ----------
    sides : array of SIDE, shape (2,)
    units : array of TARGET, shape (2,)
        Each side's own unit, for the tests that it takes; its state does not count.
    passengers : array of TARGET, shape (2,)
        The unit embarked on it.
    strikes : array of STRIKE, shape (MOST_STRIKES,)
    attacks, targets : arrays of ATTACK and TARGET, shape (MOST_STRIKES,)
        The attack of each strike, and the struck unit as this strike sees it.
    dice : int16 array, shape (MOST_STRIKES, 2, MOST_COUNT + 1)
        Attack dice by models, or by damage; in the second row the values in parentheses. NONE: no attack.
    counts : int
        How many models, or how much damage, `dice` is filled for, 0 among them.
    attack, target, fight : arrays of ATTACK, TARGET and FIGHT, shape (1,)
        Scratch: a setup belongs to one thread.
    """

    sides: Any
    units: Any
    passengers: Any
    strikes: Any
    attacks: Any
    targets: Any
    dice: Any
    counts: Any
    attack: Any
    target: Any
    fight: Any
    copy: Any  # as every record's


SETUP = np.dtype(
    (
        np.record,
        [
            ("sides", SIDE, (2,)), ("units", TARGET, (2,)), ("passengers", TARGET, (2,)),
            ("strikes", STRIKE, (MOST_STRIKES,)), ("attacks", ATTACK, (MOST_STRIKES,)),
            ("targets", TARGET, (MOST_STRIKES,)), ("dice", np.int16, (MOST_STRIKES, 2, MOST_COUNT + 1)),
            ("counts", np.int64), ("attack", ATTACK, (1,)), ("target", TARGET, (1,)), ("fight", FIGHT, (1,)),
        ],
    )
)  # fmt: skip


# What an operation asks chance for: nothing, a card, a coin, a die that shows a strike or a heroic strike, or a die
# that shows a miss, given that it shows neither of those.
NOTHING, CARD_OF_0, CARD_OF_1, COIN, STRIKE_DIE, MISS_DIE = range(6)

_BEGIN, _GIVE_ORDERS, _ENGAGE, _RESOLVE, _TEST_PASSENGERS, _END_COMBAT, _END = (
    int(kind)
    for kind in (
        Kind.BEGIN, Kind.GIVE_ORDERS, Kind.ENGAGE, Kind.RESOLVE, Kind.TEST_PASSENGERS, Kind.END_COMBAT, Kind.END,
    )
)  # fmt: skip
_TOSS, _WRECK, _END_ROUND, _GO_OFF, _FRIGHTEN, _TEST_FRIGHTENED = (
    int(kind)
    for kind in (
        Kind.TOSS, Kind.WRECK, Kind.END_ROUND, Kind.GO_OFF, Kind.FRIGHTEN, Kind.TEST_FRIGHTENED,
    )
)  # fmt: skip
_ALWAYS = int(When.ALWAYS)
_SHOOT_AIMING, _SHOOT, _LOST, _WON, _OVERRUN = (
    int(order) for order in (Order.SHOOT_AIMING, Order.SHOOT, Order.LOST, Order.WON, Order.OVERRUN)
)
_AIMING, _SHORT_RANGE, _SUPPRESSED_ATTACKER = int(Bonus.AIMING), int(Bonus.SHORT_RANGE), int(Penalty.SUPPRESSED)
_SUPPRESSED = morale.SUPPRESSED
_ON_LOOKOUT, _RELOADING, _RALLY_FAILED = unit_state.ON_LOOKOUT, unit_state.RELOADING, unit_state.RALLY_FAILED
_FIRST, _OUT_OF_BUILDING = unit_state.FIRST, unit_state.OUT_OF_BUILDING
_ATTACKER_DESTROYED, _ATTACKER_DAMAGE = morale.ATTACKER_DESTROYED, morale.ATTACKER_DAMAGE

# --- attacks ----------------------------------------------------------------------------------------------


@step
def strike_dice(setup: Setup, number: int, striker: int, struck: int, short: bool) -> int:
    """Attack dice of a striker in that state; NONE where the grid gives none (AC-2.4, AC-3.2, AC-4.4)."""
    strike = setup.strikes[number]
    if strike.fixed_dice != NONE:
        return int(strike.fixed_dice)
    count = band_count(setup, number, striker, struck)
    special = setup.dice[number, 1, count]
    if special != NONE and special_counts(setup.attacks[number], setup.targets[number], short):
        return int(special)
    return int(setup.dice[number, 0, count])


@step
def band_count(setup: Setup, number: int, striker: int, struck: int) -> int:
    """What picks the band: damage, models, or half the models in or against a building (AC-2.3, AC-4.4, AC-8.6)."""
    strike = setup.strikes[number]
    if strike.by_damage:
        return unit_state.damage_of(striker)
    models = unit_state.models_of(striker)
    sides, mine = setup.sides, strike.striker
    in_building = activation.in_building(striker, sides[mine])
    storms = strike.counts and activation.in_building(struck, sides[1 - mine])
    return (models + 1) // 2 if in_building or storms else models


@step
def is_made(setup: Setup, number: int, active: int, words: tuple[int, int]) -> bool:
    """Whether the strike is made in these states of side 0 and side 1, `active` being the active side."""
    strike = setup.strikes[number]
    mine, theirs = (words[0], words[1]) if strike.striker == 0 else (words[1], words[0])
    if strike.by_blast:
        return unit_state.is_removed(mine) and mine & demise.BLAST != 0 and not unit_state.is_removed(theirs)
    if unit_state.is_removed(mine) or unit_state.is_removed(theirs):
        return False
    of_active = words[0] if active == 0 else words[1]
    if strike.orders != NONE and not strike.orders >> unit_state.order_of(of_active) & 1:
        return False
    if mine & _RALLY_FAILED and not strike.after_failed_rally:
        return False
    if strike.by_lookout and not mine & _ON_LOOKOUT:
        return False
    if strike.reloads and mine & _RELOADING:
        return False
    if strike.inside != NONE and strike.inside != (1 if mine & _OUT_OF_BUILDING == 0 else 0):
        return False
    side = setup.sides[strike.striker]
    if strike.move_or_fire and has_moved(mine, side):
        return False
    inches = activation.inches_between(words[0], words[1], side)
    if not strike.counts and not activation.reaches(strike, side, inches):
        return False
    if strike.answers != NONE and strike_dice(setup, strike.answers, theirs, mine, False) <= 0:
        return False
    return strike_dice(setup, number, mine, theirs, activation.is_short(strike, side, inches)) > 0


@step
def has_moved(word: int, side: SideFacts) -> bool:
    """Whether a unit that shoots has advanced: then it has neither aimed, nor failed its rally test, nor a building."""
    shoots = unit_state.order_of(word) == _SHOOT
    return shoots and not word & _RALLY_FAILED and not activation.in_building(word, side)


@step
def condition(setup: Setup, number: int, words: tuple[int, int]) -> int:
    """What there is to know of the striker, besides the struck unit's state, as one small number."""
    strike = setup.strikes[number]
    mine, theirs = (words[0], words[1]) if strike.striker == 0 else (words[1], words[0])
    side = setup.sides[strike.striker]
    short = activation.is_short(strike, side, activation.inches_between(words[0], words[1], side))
    aiming = not strike.counts and not strike.by_lookout and unit_state.order_of(mine) == _SHOOT_AIMING
    damage = unit_state.damage_of(mine) if strike.bears_blanks and setup.attacks[number].overcharge else 0
    known = strike_dice(setup, number, mine, theirs, short) << morale.BITS | damage
    suppressed = strike.fixed_dice == NONE and mine & _SUPPRESSED
    return known << 3 | (4 if short else 0) | (2 if aiming else 0) | (1 if suppressed else 0)


@step
def set_strike(setup: Setup, number: int, condition: int, struck: int) -> None:
    """Fill the scratch `fight` with the attack under a :func:`condition` on a unit in state `struck`."""
    setup.attack[0] = setup.attacks[number]
    setup.target[0] = setup.targets[number]
    attack, target, strike = setup.attack[0], setup.target[0], setup.strikes[number]
    attack.dice = condition >> 13
    attack.dice_in_parentheses = NONE
    attack.damage = condition >> 3 & unit_state.MODELS_MASK
    attack.bonuses |= (_SHORT_RANGE if condition & 4 else 0) | (_AIMING if condition & 2 else 0)
    attack.penalties |= _SUPPRESSED_ATTACKER if condition & 1 else 0
    unit_state.put_into(target, setup.sides[1 - strike.striker], struck)
    set_fight(attack, target, setup.fight[0])


@step
def after_attack(setup: Setup, number: int, struck: int, outcome: int) -> int:
    """The struck unit after an attack of that outcome."""
    strike = setup.strikes[number]
    word = unit_state.carried_over(struck, outcome, setup.sides[1 - strike.striker], strike.counts)
    return close_quarters.struck_by(word, setup.attacks[number]) if strike.counts else word


@step
def after_striking(setup: Setup, number: int, striker: int, struck: int, destroyed: int, damage: int) -> int:
    """The striker after its attack, which cost it `destroyed` models and left it `damage` (Overcharge, AC-6).

    `struck`: the state of the other side after the attack.
    """
    strike, attack = setup.strikes[number], setup.attacks[number]
    if strike.by_blast:
        return demise.settled(striker, demise.BLAST)
    word = striker & ~_ON_LOOKOUT if strike.by_lookout else striker
    word |= _RELOADING if strike.reloads else 0
    if not attack.overcharge or not strike.bears_blanks:
        return word
    side = setup.sides[strike.striker]
    if destroyed >= unit_state.models_of(word):
        word = unit_state.removed_word(word, side, unit_state.models_of(word), morale.ANNIHILATED)
        return word | close_quarters.FELL_IN_COMBAT if strike.counts and not unit_state.is_removed(struck) else word
    kept = word & ~(unit_state.MODELS_MASK << morale.DAMAGE)
    return kept - destroyed | damage << morale.DAMAGE


# --- what is no attack ------------------------------------------------------------------------------------


@step
def may_begin(number: int, word: int, other: int) -> bool:
    """Whether the fight goes on, and this is the activation of the round that the toss gave the unit."""
    return not unit_state.is_removed(other) and (number == _ALWAYS or (number == 1) == (word & _FIRST != 0))


@step
def card_for(side: int, highest: int) -> tuple[int, int]:
    """A card from a side's deck for a test that cards up to `highest` pass, unless every card does, or none."""
    if abs(highest) == morale.ANY_CARD:
        return NOTHING, highest
    return (CARD_OF_0 if side == 0 else CARD_OF_1), highest


@step
def asks(setup: Setup, operation: tuple[int, int, int], words: tuple[int, int]) -> tuple[int, int]:
    """What the operation asks chance for in these states, and the highest card that passes its test."""
    kind, side, number = operation
    mine, theirs = (words[0], words[1]) if side == 0 else (words[1], words[0])
    if kind == _BEGIN and may_begin(number, mine, theirs):
        return card_for(side, activation.rallies_up_to(activation.begun(mine, setup.units[side]), setup.units[side]))
    if kind == _TOSS:
        return COIN, 0
    if kind == _WRECK and setup.sides[side].garrisoned and not mine & _OUT_OF_BUILDING:
        return STRIKE_DIE, 0
    if kind == _GO_OFF and demise.goes_off(mine, setup.sides[side]):
        return STRIKE_DIE, 0
    if kind == _FRIGHTEN and demise.panics(mine):
        return MISS_DIE, 0
    if kind == _TEST_FRIGHTENED and demise.panics(theirs) and not unit_state.is_removed(mine):
        set_losers_test(setup, side, mine)
        return card_for(side, morale.test_up_to(setup.fight[0], 0, setup.fight[0].disordered))
    if kind == _RESOLVE and close_quarters.in_combat(mine):
        return asks_of_loser(setup, side, words)
    if kind == _TEST_PASSENGERS and tests_passengers(setup, side, words):
        set_passengers_test(setup, side, mine)
        fight = setup.fight[0]
        lost = close_quarters.passengers_lost(mine, setup.sides[side])
        return card_for(side, morale.test_up_to(fight, lost, fight.disordered))
    return NOTHING, morale.ANY_CARD


@step
def loser(setup: Setup, active: int, words: tuple[int, int]) -> int:
    """The side that has lost the combat of the active side; NONE where nobody has."""
    mine, theirs = (words[0], words[1]) if active == 0 else (words[1], words[0])
    won_by = close_quarters.winner(mine, theirs, (setup.sides[active], setup.sides[1 - active]))
    if won_by == close_quarters.NOBODY:
        return NONE
    return 1 - active if won_by == close_quarters.ACTIVE else active


@step
def asks_of_loser(setup: Setup, active: int, words: tuple[int, int]) -> tuple[int, int]:
    """The card that the loser of the combat must draw (AC-8.5)."""
    lost_by = loser(setup, active, words)
    if lost_by == NONE:
        return NOTHING, morale.ANY_CARD
    word = words[0] if lost_by == 0 else words[1]
    side = setup.sides[lost_by]
    if unit_state.is_removed(word) or side.static:
        return NOTHING, morale.ANY_CARD
    back = close_quarters.withdrawn(word, side)
    if unit_state.is_removed(back):
        return NOTHING, morale.ANY_CARD
    set_losers_test(setup, lost_by, back)
    fight = setup.fight[0]
    return card_for(lost_by, morale.passes_up_to(fight, unit_state.lost_of(back), fight.disordered))


@step
def set_losers_test(setup: Setup, side: int, back: int) -> None:
    """Fill the scratch `fight` with the test of a loser that has withdrawn to the state `back`."""
    clear(setup)
    setup.target[0] = setup.units[side]
    close_quarters.set_losers_test(setup.fight[0], setup.target[0], setup.attack[0], setup.sides[side], back)


@step
def set_passengers_test(setup: Setup, side: int, word: int) -> None:
    """Fill the scratch `fight` with the test of the unit embarked on a transport in state `word`."""
    clear(setup)
    setup.target[0] = setup.passengers[side]
    close_quarters.passengers_test(setup.fight[0], setup.target[0], setup.attack[0], setup.sides[side], word)


@step
def clear(setup: Setup) -> None:
    """Make the scratch attack one that nothing bears on but what its caller says."""
    attack = setup.attack[0]
    attack.close_quarters = attack.opportunity_fire = attack.corrosive = attack.precision = 0


@step
def tests_passengers(setup: Setup, side: int, words: tuple[int, int]) -> bool:
    """Whether the transport of `side` has just taken a test for a lost combat and is still there (AC-5.10)."""
    mine, theirs = (words[0], words[1]) if side == 0 else (words[1], words[0])
    if unit_state.is_removed(mine) or unit_state.lost_of(mine) == 0 or setup.units[side].discipline == NONE:
        return False
    if close_quarters.aboard(setup.sides[side], unit_state.models_of(mine)) == 0:
        return False
    return unit_state.order_of(mine) == _LOST or unit_state.order_of(theirs) in (_WON, _OVERRUN)


@step
def changed(
    setup: Setup, operation: tuple[int, int, int], words: tuple[int, int], passed: bool
) -> tuple[int, int]:  # fmt: skip
    """The states of side 0 and side 1 after the operation, its test `passed` or not."""
    kind, side, _ = operation
    if kind == _RESOLVE:
        return resolved(setup, side, words, passed)
    if kind == _ENGAGE:
        if not close_quarters.in_combat(words[0] if side == 0 else words[1]):
            return words
        sides, units = setup.sides, setup.units
        first = close_quarters.engaged(words[0], sides[0], units[0])
        return first, close_quarters.engaged(words[1], sides[1], units[1])
    if kind == _TOSS:
        return (words[0] | _FIRST, words[1]) if passed else (words[0], words[1] | _FIRST)
    mine, theirs = (words[0], words[1]) if side == 0 else (words[1], words[0])
    if kind == _TEST_FRIGHTENED and demise.panics(theirs):
        mine, theirs = frightened(setup, side, mine, passed), demise.settled(theirs, demise.PANIC)
    elif kind == _GO_OFF and demise.goes_off(mine, setup.sides[side]):
        mine = demise.shown(mine, passed)
    elif kind == _FRIGHTEN and demise.panics(mine):
        mine = mine if passed else demise.settled(mine, demise.PANIC)
    elif kind == _GIVE_ORDERS:
        mine = given_orders(setup, operation, mine, theirs)
    elif kind == _BEGIN and may_begin(operation[2], mine, theirs):
        mine = activation.begun(mine, setup.units[side]) | (0 if passed else _RALLY_FAILED)
    elif not unit_state.is_removed(mine) or kind == _END:
        mine = changed_alone(setup, operation, mine, passed)
    return (mine, theirs) if side == 0 else (theirs, mine)


@step
def changed_alone(setup: Setup, operation: tuple[int, int, int], word: int, passed: bool) -> int:
    """The state of the side of an operation that looks at no other side."""
    kind, side, _ = operation
    if kind == _END:
        return activation.ended(word, setup.units[side])
    if kind == _WRECK and passed and setup.sides[side].garrisoned:
        return unit_state.moved(word, setup.sides[side], 0)
    if kind == _TEST_PASSENGERS and not passed:
        set_passengers_test(setup, side, word)
        return close_quarters.passengers_failed(setup.fight[0], word, setup.sides[side])
    if kind == _END_COMBAT:
        return close_quarters.after_combat(word)
    return activation.after_the_round(word) if kind == _END_ROUND else word


@step
def frightened(setup: Setup, side: int, word: int, passed: bool) -> int:
    """A unit after the suppression test that a Spectacular Demise brings about (AC-7)."""
    if passed or unit_state.is_removed(word):
        return word
    set_losers_test(setup, side, word)
    return close_quarters.failed_combat_test(setup.fight[0], word, setup.sides[side])


@step
def given_orders(setup: Setup, operation: tuple[int, int, int], mine: int, theirs: int) -> int:
    """The active unit with its orders, if it awaits any."""
    _, number_of_side, number = operation
    if not activation.awaits_orders(mine):
        return mine
    side = setup.sides[number_of_side]
    strike = setup.strikes[max(number, 0)]
    view = activation.view_of(mine, theirs, side, strike, number != NONE)
    manoeuvre, action = decide(side.policy, view)
    return activation.ordered(mine, allowed(manoeuvre, action, view), side, strike, view.distance)


@step
def resolved(setup: Setup, active: int, words: tuple[int, int], passed: bool) -> tuple[int, int]:
    """Both sides after the combat of the active one is resolved (AC-8.5 to AC-8.7)."""
    mine, theirs = (words[0], words[1]) if active == 0 else (words[1], words[0])
    fell_before_it = unit_state.is_removed(mine) and not mine & close_quarters.FELL_IN_COMBAT
    if not close_quarters.in_combat(mine) or (fell_before_it and not unit_state.is_removed(theirs)):
        return words
    side, other = setup.sides[active], setup.sides[1 - active]
    charged = unit_state.order_of(mine) != _OVERRUN
    won_by = close_quarters.winner(mine, theirs, (side, other))
    if won_by == close_quarters.ACTIVE:
        theirs = after_losing(setup, 1 - active, theirs, passed)
        mine = close_quarters.scored(mine, side)
    elif won_by == close_quarters.TARGET:
        mine = after_losing(setup, active, mine, passed)
        theirs = close_quarters.scored(theirs, other)
    elif not unit_state.is_removed(mine):
        mine = close_quarters.withdrawn(mine, side)
    again = won_by == close_quarters.ACTIVE and side.overrun and charged
    again = again and not unit_state.is_removed(theirs) and not unit_state.is_removed(mine)
    mine = close_quarters.ended_as(mine, won_by, bool(again))
    return (mine, theirs) if active == 0 else (theirs, mine)


@step
def after_losing(setup: Setup, side: int, word: int, passed: bool) -> int:
    """The loser of a combat: annihilated if Static (AC-7), else 3 inches back and tested (AC-8.5)."""
    facts = setup.sides[side]
    if unit_state.is_removed(word):
        return word
    if facts.static:
        return unit_state.removed_word(word, facts, 0, morale.ANNIHILATED)
    back = close_quarters.withdrawn(word, facts)
    if passed or unit_state.is_removed(back):
        return back
    set_losers_test(setup, side, back)
    return close_quarters.failed_combat_test(setup.fight[0], back, facts)
