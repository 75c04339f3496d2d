"""What an attack of a longer fight can come to, worked out once for each condition and state of the struck unit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.engine.attack.exact import ROWS_A_STATE, push_pmf
from analyser.engine.fight import strikes
from analyser.engine.fight.program import Setup
from analyser.engine.index import NOT_FOUND, StateIndex, find, index_of, state_index, with_room
from analyser.engine.pool.pmf import most_dice, pool_pmf
from analyser.game.dice import Rating
from analyser.rules import outcome
from analyser.rules.conditions import set_pool
from analyser.rules.damage import Scores, scores_for, size_of

_OUTCOME = (1 << outcome.ATTACKER_DAMAGE) - 1
_OWN = outcome.ATTACKER_DAMAGE
_NUMBER, _CONDITION = 48, 32  # bits below the number of a strike, and below the place of a condition
_STATE, _WITHOUT_NUMBER = (1 << _CONDITION) - 1, (1 << _NUMBER) - 1
_ROOM = 1024
_RATINGS = len(Rating)


class Chances(NamedTuple):
    """What chance is made of: the die, the deck, and the laws of pools that are known already.

    Attributes
    ----------
    faces : float64 array, shape (5,)
    cards, at_most : float64 arrays
        The chance of each card value, and of at most that.
    pools : float64 array, shape (pools, scores)
    places, known : int64 and bool arrays, shape (strikes, ratings, dice + 1)
        Which of the pools it is, and whether it has been worked out.
    """

    faces: NDArray[np.float64]
    cards: NDArray[np.float64]
    at_most: NDArray[np.float64]
    pools: NDArray[np.float64]
    places: NDArray[np.int64]
    known: NDArray[np.bool_]


class Ways(NamedTuple):
    """What strikes can come to, a list of ways for each condition and state of the struck unit that came up.

    Attributes
    ----------
    conditions, states, lists : StateIndex
        Of (strike, condition), of states of the struck unit, and of pairs of their places.
    starts : int64 array
        Where each list begins; it ends where the next one begins.
    state, own, chance : arrays
        The struck unit's next state, the striker's own losses (Overcharge), how likely it is.
    """

    conditions: StateIndex
    states: StateIndex
    lists: StateIndex
    starts: NDArray[np.int64]
    state: NDArray[np.int64]
    own: NDArray[np.int64]
    chance: NDArray[np.float64]


@step
def chances_for(setup: Setup, strikes: int, die: NDArray[np.int64], deck: NDArray[np.int64]) -> Chances:
    """What chance is made of, with room for the law of every pool that the first `strikes` strikes can come to."""
    faces, cards = die / die.sum(), deck / deck.sum()
    most = 0
    for number in range(strikes):
        most = max(most, most_of_strike(setup, number))
    places, pools, size = np.full((strikes, _RATINGS, most + 1), NOT_FOUND, np.int64), 0, 0
    for number in range(strikes):
        rolls = dice_rolled(setup, number, most)
        for rating in range(_RATINGS):
            for dice in range(most + 1):
                if rolls[dice]:
                    places[number, rating, dice] = pools
                    pools += 1
        attack, fight = setup.attacks[number], setup.fight[0]
        set_pool(attack, setup.targets[number], fight)
        fight.dice = most
        dice = most_dice(fight, cards)
        size = max(size, size_of(fight, scores_for(fight, dice), dice))
    room = np.empty((pools, size))
    return Chances(faces, cards, np.cumsum(cards), room, places, np.zeros(places.shape, np.bool_))


@step
def most_of_strike(setup: Setup, number: int) -> int:
    """The most dice that a strike can roll."""
    most = max(setup.strikes[number].fixed_dice, 0)
    for which in range(2):
        for count in range(setup.counts):
            most = max(most, setup.dice[number, which, count])
    return int(most)


@step
def dice_rolled(setup: Setup, number: int, most: int) -> NDArray[np.bool_]:
    """Which numbers of dice, up to `most`, a strike can roll, 0 among them."""
    rolls = np.zeros(most + 1, np.bool_)
    rolls[0] = rolls[max(setup.strikes[number].fixed_dice, 0)] = True
    for which in range(2):
        for count in range(setup.counts):
            rolls[max(setup.dice[number, which, count], 0)] = True
    return rolls


@step
def no_ways() -> Ways:
    """None worked out yet."""
    return Ways(
        state_index(64),
        state_index(256),
        state_index(256),
        np.zeros(_ROOM, np.int64),
        np.empty(_ROOM, np.int64),
        np.empty(_ROOM, np.int64),
        np.empty(_ROOM),
    )


@step
def grown(numbers: NDArray[Any], room: int) -> NDArray[Any]:
    """A longer copy of `numbers`, or itself where it is long enough."""
    if len(numbers) >= room:
        return numbers
    larger = np.empty(2 * room, numbers.dtype)
    for place in range(len(numbers)):
        larger[place] = numbers[place]
    return larger


@step
def pool_of(setup: Setup, scores: Scores, chances: Chances, number: int) -> NDArray[np.float64]:
    """The distribution of the score of the pool of the scratch fight; worked out when it is first asked for."""
    fight = setup.fight[0]
    size = size_of(fight, scores, most_dice(fight, chances.cards))
    pmf = chances.pools[chances.places[number, fight.rating, fight.dice], :size]
    if not chances.known[number, fight.rating, fight.dice]:
        found = pool_pmf(fight, scores, chances.faces, chances.cards)
        for score in range(size):  # one by one, as below: assigning whole arrays compiles a text of what does not fit
            pmf[score] = found[score]
        chances.known[number, fight.rating, fight.dice] = True
    return pmf


@step
def with_lists(
    ways: Ways,
    setup: Setup,
    chances: Chances,
    number: int,
    conditions: NDArray[np.int64],
    struck: NDArray[np.int64],
    wanted: NDArray[np.bool_],
) -> tuple[Ways, NDArray[np.int64]]:
    """The ways of a strike under each condition on each struck unit where they are `wanted`.

    Returns
    -------
    Ways
        With the new ones.
    int64 array, shape (conditions, struck)
        The places of the lists; NOT_FOUND where none is wanted.
    """
    known_conditions, states = with_room(ways.conditions, len(conditions)), with_room(ways.states, len(struck))
    ways = Ways(known_conditions, states, ways.lists, ways.starts, ways.state, ways.own, ways.chance)
    lists, of_states = np.full(wanted.shape, NOT_FOUND, np.int64), np.empty(len(struck), np.int64)
    for column in range(len(struck)):
        of_states[column] = index_of(states, struck[column])
    for kind in range(len(conditions)):
        of_condition = index_of(known_conditions, number << _NUMBER | conditions[kind]) << _CONDITION
        for column in range(len(struck)):
            if wanted[kind, column]:
                at = find(ways.lists, of_condition | of_states[column])
                if at == NOT_FOUND:
                    at = ways.lists.length[0]
                    ways = with_list(ways, setup, chances, of_condition | of_states[column])
                lists[kind, column] = at
    return ways, lists


@step
def with_list(ways: Ways, setup: Setup, chances: Chances, key: int) -> Ways:
    """The ways with one list more, the last: that of `key`, the places of a condition and of a struck unit's state."""
    condition, struck = ways.conditions.states[key >> _CONDITION], ways.states.states[key & _STATE]
    number, condition = condition >> _NUMBER, condition & _WITHOUT_NUMBER
    lists = with_room(ways.lists, 1)
    place = index_of(lists, key)
    strikes.set_strike(setup, number, condition, struck)
    scores = scores_for(setup.fight[0], most_dice(setup.fight[0], chances.cards))
    pmf = pool_of(setup, scores, chances, number)
    outcomes, weights = np.empty(ROWS_A_STATE * len(pmf), np.int64), np.empty(ROWS_A_STATE * len(pmf))
    count = push_pmf(setup.fight[0], scores, pmf, chances.at_most, outcomes, weights)
    starts = grown(ways.starts, place + 2)
    start = starts[place]
    room = start + count
    state, own, chance = grown(ways.state, room), grown(ways.own, room), grown(ways.chance, room)
    for way in range(count):
        state[start + way] = strikes.after_attack(setup, number, struck, outcomes[way] & _OUTCOME)
        own[start + way] = outcomes[way] >> _OWN
        chance[start + way] = weights[way]
    starts[place + 1] = room
    return Ways(ways.conditions, ways.states, lists, starts, state, own, chance)
