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
from analyser.engine.pool.pmf import most_dice, no_outcomes, pool_pmf
from analyser.game.ruleset import Rating
from analyser.rules import outcome
from analyser.rules.conditions import set_pool
from analyser.rules.damage import Scores, scores_for, size_of
from analyser.rules.draws import Odds, odds_of

_OUTCOME = (1 << outcome.ATTACKER_DAMAGE) - 1
_OWN = outcome.ATTACKER_DAMAGE
_NUMBER, _CONDITION = 48, 32  # bits below the number of a strike, and below the place of a condition
_STATE, _WITHOUT_NUMBER = (1 << _CONDITION) - 1, (1 << _NUMBER) - 1
_ROOM = 1024
_RATINGS = len(Rating)


class PoolCache(NamedTuple):
    """The die and the deck, and the distributions of the scores of pools that are known already."""

    odds: Odds
    faces: NDArray[np.float64]  # the probability of each face,
    cards: NDArray[np.float64]  # and of each card value
    pools: NDArray[np.float64]  # (pools, scores)
    places: NDArray[np.int64]  # (strikes, ratings, dice + 1): which of the pools it is,
    known: NDArray[np.bool_]  # and whether it has been worked out


class StrikeOutcomes(NamedTuple):
    """What strikes can come to: a list for each condition and state of the struck unit that came up."""

    conditions: StateIndex  # of (strike, condition),
    states: StateIndex  # of states of the struck unit,
    lists: StateIndex  # and of pairs of their places
    starts: NDArray[np.int64]  # where each list begins; it ends where the next one begins
    state: NDArray[np.int64]  # the struck unit's next state
    own: NDArray[np.int64]  # the striker's own losses (Overcharge)
    probability: NDArray[np.float64]


@step
def pool_cache_for(setup: Setup, strikes: int, die: NDArray[np.int64], deck: NDArray[np.int64]) -> PoolCache:
    """Room for the distribution of every pool that the first `strikes` strikes can roll."""
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
    return PoolCache(odds_of(die, deck), faces, cards, room, places, np.zeros(places.shape, np.bool_))


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
def none_known() -> StrikeOutcomes:
    """None worked out yet."""
    starts, integers = np.zeros(_ROOM, np.int64), np.empty((2, _ROOM), np.int64)
    lists = state_index(64), state_index(256), state_index(256)
    return StrikeOutcomes(lists[0], lists[1], lists[2], starts, integers[0], integers[1], np.empty(_ROOM))


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
def pool_of(setup: Setup, scores: Scores, cache: PoolCache, number: int) -> NDArray[np.float64]:
    """The distribution of the score of the pool of the scratch fight; worked out when it is first asked for."""
    fight = setup.fight[0]
    size = size_of(fight, scores, most_dice(fight, cache.cards))
    pmf = cache.pools[cache.places[number, fight.rating, fight.dice], :size]
    if not cache.known[number, fight.rating, fight.dice]:
        found = pool_pmf(fight, scores, cache.faces, cache.cards)
        for score in range(size):  # one by one, as below: assigning whole arrays compiles a text of what does not fit
            pmf[score] = found[score]
        cache.known[number, fight.rating, fight.dice] = True
    return pmf


@step
def with_lists(
    known: StrikeOutcomes,
    setup: Setup,
    cache: PoolCache,
    number: int,
    conditions: NDArray[np.int64],
    struck: NDArray[np.int64],
    wanted: NDArray[np.bool_],
) -> tuple[StrikeOutcomes, NDArray[np.int64]]:
    """The outcomes, with those of a strike under each condition on each struck unit where they are `wanted`.

    Also the places of their lists, shape (conditions, struck); NOT_FOUND where none is wanted.
    """
    known_conditions, states = with_room(known.conditions, len(conditions)), with_room(known.states, len(struck))
    known = StrikeOutcomes(
        known_conditions, states, known.lists, known.starts, known.state, known.own, known.probability
    )
    lists, of_states = np.full(wanted.shape, NOT_FOUND, np.int64), np.empty(len(struck), np.int64)
    for column in range(len(struck)):
        of_states[column] = index_of(states, struck[column])
    for kind in range(len(conditions)):
        of_condition = index_of(known_conditions, number << _NUMBER | conditions[kind]) << _CONDITION
        for column in range(len(struck)):
            if wanted[kind, column]:
                at = find(known.lists, of_condition | of_states[column])
                if at == NOT_FOUND:
                    at = known.lists.length[0]
                    known = with_list(known, setup, cache, of_condition | of_states[column])
                lists[kind, column] = at
    return known, lists


@step
def with_list(known: StrikeOutcomes, setup: Setup, cache: PoolCache, key: int) -> StrikeOutcomes:
    """The outcomes with one list more, the last; `key`: the places of a condition and of a struck unit's state."""
    condition, struck = known.conditions.states[key >> _CONDITION], known.states.states[key & _STATE]
    number, condition = condition >> _NUMBER, condition & _WITHOUT_NUMBER
    lists = with_room(known.lists, 1)
    place = index_of(lists, key)
    strikes.set_strike(setup, number, condition, struck)
    scores = scores_for(setup.fight[0], most_dice(setup.fight[0], cache.cards))
    pmf = pool_of(setup, scores, cache, number)
    outcomes = no_outcomes(ROWS_A_STATE * len(pmf))
    count = push_pmf(setup.fight[0], scores, pmf, cache.odds, outcomes)
    starts = grown(known.starts, place + 2)
    start = starts[place]
    room = start + count
    state, own, probability = grown(known.state, room), grown(known.own, room), grown(known.probability, room)
    for row in range(count):
        state[start + row] = strikes.after_attack(setup, number, struck, outcomes.values[row] & _OUTCOME)
        own[start + row] = outcomes.values[row] >> _OWN
        probability[start + row] = outcomes.probabilities[row]
    starts[place + 1] = room
    return StrikeOutcomes(known.conditions, known.states, lists, starts, state, own, probability)
