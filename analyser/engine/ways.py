"""What an attack of a longer fight can come to, worked out once for each condition and state of the struck unit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine import strikes
from analyser.engine.exact import ROWS_A_STATE, push_law
from analyser.engine.gathering import NOWHERE, Gathering, gathering, place_of, seek, with_room
from analyser.engine.pools import most_blanks, most_hits, pool_law
from analyser.engine.program import Setup
from analyser.jit import step
from analyser.rules.armoured_clash import morale

_OUTCOME = (1 << morale.ATTACKER_DAMAGE) - 1
_FIELD = (1 << morale.BITS) - 1
_OWN = morale.ATTACKER_DAMAGE
_OWN_DESTROYED = morale.ATTACKER_DESTROYED - morale.ATTACKER_DAMAGE
_NUMBER, _CONDITION = 48, 32  # bits below the number of a strike, and below the place of a condition
_ROOM = 1024


class Chances(NamedTuple):
    """What chance is made of: the die, the deck, and the laws of pools that are known already.

    Attributes
    ----------
    faces : float64 array, shape (5,)
    cards, at_most : float64 arrays
        The chance of each card value, and of at most that.
    pools : float64 array, shape (pools, hits + 1, blanks + 1)
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
    conditions, states, lists : Gathering
        Of (strike, condition), of states of the struck unit, and of pairs of their places.
    starts : int64 array
        Where each list begins; it ends where the next one begins.
    state, own, chance : arrays
        The struck unit's next state, the striker's own losses (Overcharge), how likely it is.
    """

    conditions: Gathering
    states: Gathering
    lists: Gathering
    starts: NDArray[np.int64]
    state: NDArray[np.int64]
    own: NDArray[np.int64]
    chance: NDArray[np.float64]


@step
def no_ways() -> Ways:
    """None worked out yet."""
    return Ways(
        gathering(64), gathering(256), gathering(256), np.zeros(_ROOM, np.int64), np.empty(_ROOM, np.int64),
        np.empty(_ROOM, np.int64), np.empty(_ROOM),
    )  # fmt: skip


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
def copy_law(law: NDArray[np.float64], into: NDArray[np.float64]) -> None:
    """Copy a law. Number by number, as below: assigning whole arrays compiles a text of what shapes do not fit."""
    for hits in range(law.shape[0]):
        for blanks in range(law.shape[1]):
            into[hits, blanks] = law[hits, blanks]


@step
def pool_of(setup: Setup, chances: Chances, number: int) -> NDArray[np.float64]:
    """The law (hits, blanks) of the pool of the scratch fight; worked out when it is first asked for."""
    fight = setup.fight[0]
    dice = fight.dice + (len(chances.cards) - 1 if fight.overcharge else 0)
    hits, blanks = most_hits(fight, dice) + 1, most_blanks(fight, dice) + 1
    law = chances.pools[chances.places[number, fight.rating, fight.dice], :hits, :blanks]
    if not chances.known[number, fight.rating, fight.dice]:
        copy_law(pool_law(fight, chances.faces, chances.cards), law)
        chances.known[number, fight.rating, fight.dice] = True
    return law


@step
def known_list(ways: Ways, number: int, condition: int, struck: int) -> int:
    """The place of the list for a strike under a condition on a unit in state `struck`; NOWHERE if it is new.

    A look-up alone: to hand back the growing arrays of :func:`with_list` costs more than to find the place.
    """
    of_condition, of_state = seek(ways.conditions, number << _NUMBER | condition), seek(ways.states, struck)
    if NOWHERE in (of_condition, of_state):
        return NOWHERE
    return seek(ways.lists, of_condition << _CONDITION | of_state)


@step
def with_list(ways: Ways, setup: Setup, chances: Chances, number: int, condition: int, struck: int) -> Ways:
    """The ways with one list more, the last: for a strike under a condition on a unit in state `struck`."""
    conditions, states, lists = with_room(ways.conditions, 1), with_room(ways.states, 1), with_room(ways.lists, 1)
    key = place_of(conditions, number << _NUMBER | condition) << _CONDITION | place_of(states, struck)
    place = place_of(lists, key)
    strikes.set_strike(setup, number, condition, struck)
    law = pool_of(setup, chances, number)
    outcomes, weights = np.empty(ROWS_A_STATE * law.size, np.int64), np.empty(ROWS_A_STATE * law.size)
    count = push_law(setup.fight[0], law, chances.at_most, outcomes, weights)
    starts = grown(ways.starts, place + 2)
    start = starts[place]
    room = start + count
    state, own, chance = grown(ways.state, room), grown(ways.own, room), grown(ways.chance, room)
    for way in range(count):
        state[start + way] = strikes.after_attack(setup, number, struck, outcomes[way] & _OUTCOME)
        own[start + way] = outcomes[way] >> _OWN
        chance[start + way] = weights[way]
    starts[place + 1] = room
    return Ways(conditions, states, lists, starts, state, own, chance)


@step
def striker_after(setup: Setup, number: int, word: int, ways: Ways, way: int) -> int:
    """The striker's state after its strike went that way."""
    own = ways.own[way]
    return strikes.after_striking(setup, number, word, ways.state[way], own >> _OWN_DESTROYED, own & _FIELD)
