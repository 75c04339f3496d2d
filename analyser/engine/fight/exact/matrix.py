"""Transitions of a unit's states by one strike, as a matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.common.records import Integers
from analyser.engine.fight.exact.distribution import Joint
from analyser.engine.fight.exact.propagate import run, start_states
from analyser.engine.fight.program import Kind, Setup, dice_of
from analyser.game.ruleset import Rating


def strike_matrices(
    setup: Setup, strikes: int, die: Integers, deck: Integers
) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]:
    """Return the states that side 1 can reach by the first `strikes` strikes of side 0, in any number and order.

    Also return a matrix for each strike, shape (states, states): the probability of each next state (column) from each
    state (row). State 0 is the state before the first strike. A strike must not depend on the striker's state, nor
    change it.
    """
    mine, first = start_states(setup)
    places: dict[int, int] = {first: 0}
    result: list[dict[int, Joint]] = [{} for _ in range(strikes)]
    waiting = [first]
    while waiting:
        new: dict[int, None] = {}
        for number, of_strike in enumerate(result):
            joints = dict(zip(waiting, _struck(setup, number, mine, waiting, die, deck)))
            new |= dict.fromkeys(state for joint in joints.values() for state in joint.second.tolist())
            of_strike.update(joints)
        waiting = [state for state in new if state not in places]
        places |= {state: len(places) + at for at, state in enumerate(waiting)}
    return np.array(list(places)), [_matrix(each, places) for each in result]


def _struck(setup: Setup, number: int, mine: int, states: list[int], die: Integers, deck: Integers) -> list[Joint]:
    """Return the distribution after a strike on each of `states`, each a separate fight."""
    starts = np.array([(mine, state) for state in states])
    models = np.tile(setup["sides"]["models"], (len(states), 1))
    rolls = dice_of(setup, number + 1)
    pools = (np.cumsum(rolls).reshape(rolls.shape) - 1) * len(Rating)
    operations = np.array([(Kind.STRIKE, 0, number)], np.int64)
    return list(run(setup, operations, np.array([1]), starts, models, pools, die, deck))


def _matrix(joints: dict[int, Joint], places: dict[int, int]) -> NDArray[np.float64]:
    matrix = np.zeros((len(places), len(places)))
    for state, joint in joints.items():
        matrix[places[state], [places[each] for each in joint.second.tolist()]] = joint.probabilities[0]
    return matrix
