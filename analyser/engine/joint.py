"""The exact engine of longer fights: the joint law of both sides' states, pushed through a program.

A law is two lists of states and a matrix of chances. An operation gives every pair of states one or two pairs that
follow; equal states come together again, so that the law stays small and nothing is left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.dice import Face, Rating
from analyser.engine import program
from analyser.engine.exact import ROWS_A_STATE, push_law
from analyser.engine.gathering import Gathering, gathering, place_of, with_room
from analyser.engine.pools import most_blanks, most_hits, pool_law
from analyser.engine.program import Kind, Operation, Setup
from analyser.jit import kernel, step
from analyser.rules.armoured_clash import morale, unit_state
from analyser.rules.armoured_clash.facts import NONE

_OUTCOME = (1 << morale.ATTACKER_DAMAGE) - 1
_FIELD = (1 << morale.BITS) - 1
_DAMAGE, _DESTROYED = morale.ATTACKER_DAMAGE, morale.ATTACKER_DESTROYED
_BOTH = 2  # ways of a test
COIN, BUILDING_DIE = program.COIN, program.BUILDING_DIE


class Law(NamedTuple):
    """The joint law of two sides.

    Attributes
    ----------
    first, second : int64 arrays, shapes (m,) and (n,)
        The states of side 0 and of side 1, each once.
    chances : float64 array, shape (m, n)
        They add up to 1.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    chances: NDArray[np.float64]


class Chances(NamedTuple):
    """What chance is made of: the die, the deck, and the laws of pools that are known already.

    Attributes
    ----------
    faces : float64 array, shape (5,)
    cards, at_most : float64 arrays
        The chance of each card value, and of at most that.
    building : float
        The chance that the die for a building wrecks it (Siegebreaker, AC-6).
    pools : float64 array
        One law (hits, blanks) after the other, where `starts` says.
    starts, known : int64 and bool arrays, shape (strikes, ratings, dice + 1)
    """

    faces: NDArray[np.float64]
    cards: NDArray[np.float64]
    at_most: NDArray[np.float64]
    building: float
    pools: NDArray[np.float64]
    starts: NDArray[np.int64]
    known: NDArray[np.bool_]


@step
def pool_of(setup: Setup, chances: Chances, number: int) -> NDArray[np.float64]:
    """The law (hits, blanks) of the pool of the scratch fight; worked out when it is first asked for."""
    fight = setup.fight[0]
    dice = fight.dice + (len(chances.cards) - 1 if fight.overcharge else 0)
    hits, blanks = most_hits(fight, dice) + 1, most_blanks(fight, dice) + 1
    start = chances.starts[number, fight.rating, fight.dice]
    law = chances.pools[start : start + hits * blanks].reshape(hits, blanks)
    if not chances.known[number, fight.rating, fight.dice]:
        law[:, :] = pool_law(fight, chances.faces, chances.cards)
        chances.known[number, fight.rating, fight.dice] = True
    return law


class Ways(NamedTuple):
    """What a strike can come to, a row for every condition and state of the struck unit.

    Attributes
    ----------
    first, last : int64 arrays, shape (conditions, states)
        Where the row stands in the others; NONE: not worked out.
    place, own, chance : arrays
        The place of the struck unit's next state, the striker's own losses (Overcharge), how likely.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    place: NDArray[np.int64]
    own: NDArray[np.int64]
    chance: NDArray[np.float64]


@step
def grown(numbers: NDArray[Any], room: int) -> NDArray[Any]:
    """A longer copy of `numbers`."""
    larger = np.empty(room, numbers.dtype)
    larger[: len(numbers)] = numbers
    return larger


@kernel
def conditions_of(
    setup: Setup, number: int, active: int, mine: NDArray[np.int64], theirs: NDArray[np.int64],
    chances: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """The distinct conditions under which a strike is made, and which of them holds for each pair of states.

    `chances` and the answer have a row for each state of the striker; NONE: the strike is not made.
    """
    striker = setup.strikes[number].striker
    found = gathering(64)
    which = np.full(chances.shape, NONE, np.int64)
    for row in range(chances.shape[0]):
        found = with_room(found, chances.shape[1])
        for column in range(chances.shape[1]):
            if chances[row, column] == 0.0:
                continue
            words = (mine[row], theirs[column]) if striker == 0 else (theirs[column], mine[row])
            if program.is_made(setup, number, active, words):
                which[row, column] = place_of(found, program.condition(setup, number, words))
    return found.states[: found.length[0]].copy(), which


@kernel
def strike_law(
    setup: Setup, number: int, which: NDArray[np.int64], conditions: NDArray[np.int64],
    mine: NDArray[np.int64], theirs: NDArray[np.int64], before: NDArray[np.float64], chances: Chances,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """The law after a strike: the striker's states, the struck unit's, and the chances of the pairs."""
    fight = setup.fight[0]
    others = gathering(2 * len(theirs))
    first = np.full((len(conditions), len(theirs)), NONE, np.int64)
    last = np.zeros((len(conditions), len(theirs)), np.int64)
    place, own, chance = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024)
    outcomes, weights = np.empty(0, np.int64), np.empty(0)
    filled = 0
    same = np.full(len(theirs), NONE, np.int64)
    for column in range(len(theirs)):
        for row in range(len(mine)):
            if before[row, column] == 0.0:
                continue
            at = which[row, column]
            if at == NONE:
                if same[column] == NONE:
                    others = with_room(others, 1)
                    same[column] = place_of(others, theirs[column])
                continue
            if first[at, column] != NONE:
                continue
            program.set_strike(setup, number, conditions[at], theirs[column])
            law = pool_of(setup, chances, number)
            if ROWS_A_STATE * law.size > len(outcomes):
                outcomes, weights = np.empty(ROWS_A_STATE * law.size, np.int64), np.empty(ROWS_A_STATE * law.size)
            count = push_law(fight, law, chances.at_most, outcomes, weights)
            if filled + count > len(place):
                room = 2 * (filled + count)
                place, own, chance = grown(place, room), grown(own, room), grown(chance, room)
            others = with_room(others, count)
            first[at, column] = filled
            for outcome in range(count):
                after = program.after_attack(setup, number, theirs[column], outcomes[outcome] & _OUTCOME)
                place[filled] = place_of(others, after)
                own[filled] = outcomes[outcome] >> _DAMAGE
                chance[filled] = weights[outcome]
                filled += 1
            last[at, column] = filled
    ways = Ways(first, last, place, own, chance)
    strikers, pushed = push_ways(setup, number, which, mine, before, ways, same, others)
    return strikers, others.states[: others.length[0]].copy(), pushed


@step
def push_ways(
    setup: Setup, number: int, which: NDArray[np.int64], mine: NDArray[np.int64], before: NDArray[np.float64],
    ways: Ways, same: NDArray[np.int64], others: Gathering,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """The striker's states after the strike, and the chances of the pairs."""
    strikers = gathering(2 * len(mine))
    overcharge = setup.attacks[number].overcharge and setup.strikes[number].bears_blanks
    for row in range(len(mine)):
        for column in range(len(same)):
            if before[row, column] == 0.0:
                continue
            at = which[row, column]
            strikers = with_room(strikers, 1)
            if at == NONE:
                place_of(strikers, mine[row])
                continue
            first, last = ways.first[at, column], ways.last[at, column]
            last = last if overcharge else first + 1
            strikers = with_room(strikers, last - first)
            for way in range(first, last):
                place_of(strikers, striker_after(setup, number, mine[row], ways, way, others))
    after = np.zeros((strikers.length[0], others.length[0]))
    for row in range(len(mine)):
        for column in range(len(same)):
            share = before[row, column]
            if share == 0.0:
                continue
            at = which[row, column]
            if at == NONE:
                after[place_of(strikers, mine[row]), same[column]] += share
                continue
            to = place_of(strikers, striker_after(setup, number, mine[row], ways, ways.first[at, column], others))
            for way in range(ways.first[at, column], ways.last[at, column]):
                if overcharge:
                    to = place_of(strikers, striker_after(setup, number, mine[row], ways, way, others))
                after[to, ways.place[way]] += share * ways.chance[way]
    return strikers.states[: strikers.length[0]].copy(), after


@step
def striker_after(setup: Setup, number: int, word: int, ways: Ways, way: int, others: Gathering) -> int:
    """The striker's state after its strike went that way."""
    own = ways.own[way]
    struck = others.states[ways.place[way]]
    return program.after_striking(setup, number, word, struck, own >> _DESTROYED - _DAMAGE, own & _FIELD)


def strike(setup: Setup, operation: Operation, law: Law, chances: Chances) -> Law:
    """The law after a strike."""
    number = operation.number
    striker = int(setup.strikes[number].striker)
    mine, theirs, before = (
        (law.first, law.second, law.chances) if striker == 0 else (law.second, law.first, law.chances.T)
    )
    before = np.ascontiguousarray(before)
    conditions, which = conditions_of(setup, number, operation.side, mine, theirs, before)
    if len(conditions) == 0:
        return law
    mine, theirs, after = strike_law(setup, number, which, conditions, mine, theirs, before, chances)
    return Law(mine, theirs, after) if striker == 0 else Law(theirs, mine, np.ascontiguousarray(after.T))


@step
def chance_passed(asked: int, highest: int, chances: Chances) -> float:
    """The chance of the first of the two ways of an operation."""
    if asked == COIN:
        return 0.5
    if asked == BUILDING_DIE:
        return chances.building
    if highest < 0:
        return 0.0
    return float(chances.at_most[highest]) if highest < len(chances.at_most) - 1 else 1.0


@kernel
def change_law(
    setup: Setup, operation: tuple[int, int, int], first: NDArray[np.int64], second: NDArray[np.int64],
    before: NDArray[np.float64], chances: Chances,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """The law after an operation that is no strike."""
    shape = (before.shape[0], before.shape[1], _BOTH)
    to_first, to_second = np.empty(shape, np.int64), np.empty(shape, np.int64)
    shares = np.zeros(shape)
    firsts, seconds = gathering(2 * len(first)), gathering(2 * len(second))
    for row in range(shape[0]):
        firsts, seconds = with_room(firsts, _BOTH * shape[1]), with_room(seconds, _BOTH * shape[1])
        for column in range(shape[1]):
            if before[row, column] == 0.0:
                continue
            words = (first[row], second[column])
            asked, highest = program.asks(setup, operation, words)
            passes = chance_passed(asked, highest, chances)
            for way in range(_BOTH):
                share = passes if way == 0 else 1.0 - passes
                if share == 0.0:
                    continue
                one, two = program.changed(setup, operation, words, way == 0)
                to_first[row, column, way] = place_of(firsts, one)
                to_second[row, column, way] = place_of(seconds, two)
                shares[row, column, way] = share
    after = np.zeros((firsts.length[0], seconds.length[0]))
    for row in range(shape[0]):
        for column in range(shape[1]):
            for way in range(_BOTH):
                if shares[row, column, way] > 0.0:
                    to = to_first[row, column, way], to_second[row, column, way]
                    after[to] += shares[row, column, way] * before[row, column]
    return firsts.states[: firsts.length[0]].copy(), seconds.states[: seconds.length[0]].copy(), after


def apply(setup: Setup, operation: Operation, law: Law, chances: Chances) -> Law:
    """The law after one operation of a program."""
    if operation.kind == Kind.STRIKE:
        return strike(setup, operation, law, chances)
    kind, side, number = map(int, operation)
    return Law(*change_law(setup, (kind, side, number), *law, chances))


def chances_for(setup: Setup, die: NDArray[np.int64], deck: NDArray[np.int64]) -> Chances:
    """What chance is made of, with room for the law of every pool that a fight can come to."""
    faces, cards = die / die.sum(), deck / deck.sum()
    number_of_strikes, most = len(setup.strikes), int(max(setup.dice.max(), setup.strikes["fixed_dice"].max(), 0))
    starts = np.zeros((number_of_strikes, len(Rating), most + 1), np.int64)
    end = 0
    for number in range(number_of_strikes):
        attack = setup.attacks[number]
        dice = np.arange(most + 1) + (len(cards) - 1 if attack.overcharge else 0)
        added = 2 if attack.arc else 1
        sizes = (dice * (1 + added) * 2 + attack.veteran + 1) * (dice * added + 1 if attack.overcharge else 1)
        for rating in range(len(Rating)):
            starts[number, rating] = end + np.concatenate([[0], np.cumsum(sizes)[:-1]])
            end += int(sizes.sum())
    return Chances(
        faces=faces,
        cards=cards,
        at_most=np.cumsum(cards),
        building=float(faces[Face.HEROIC] + faces[Face.STRIKE]),
        pools=np.empty(end),
        starts=starts,
        known=np.zeros(starts.shape, np.bool_),
    )


def start_law(setup: Setup, statuses: tuple[int, int] = (0, 0)) -> Law:
    """Both sides as they stand before the first operation; `statuses` are bits of their states."""
    words = [unit_state.start_word(unit, status) for unit, status in zip(setup.units, statuses)]
    return Law(np.array(words[:1]), np.array(words[1:]), np.ones((1, 1)))
