"""Transition matrices of a unit's states, one for each strike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.common.kernel_records import Integers
from analyser.engine.fight.exact.distribution import Joint, side_probabilities
from analyser.engine.fight.exact.propagate import propagate_program, start_states
from analyser.engine.fight.program import Kind, Setup, possible_dice
from analyser.game.ruleset import Rating


def strike_matrices(
    setup: Setup, strikes: int, die: Integers, deck: Integers
) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]:
    """Return the states of side 1 after any of side 0's `strikes`, and each strike's transition matrix (from row)."""
    mine, first = start_states(setup)
    index_of: dict[int, int] = {first: 0}
    result: list[dict[int, Joint]] = [{} for _ in range(strikes)]
    new_states = [first]
    while new_states:
        reached: dict[int, None] = {}
        for number, joints_of_strike in enumerate(result):
            joints = dict(zip(new_states, _after_strike(setup, number, mine, new_states, die, deck)))
            reached |= dict.fromkeys(state for joint in joints.values() for state in joint.second.tolist())
            joints_of_strike.update(joints)
        new_states = [state for state in reached if state not in index_of]
        index_of |= {state: len(index_of) + index for index, state in enumerate(new_states)}
    return np.array(list(index_of)), [_matrix(joints_by_state, index_of) for joints_by_state in result]


def _after_strike(
    setup: Setup, number: int, mine: int, states: list[int], die: Integers, deck: Integers
) -> list[Joint]:
    """Return the distribution after a strike on a unit in each of `states`."""
    starts = np.array([(mine, state) for state in states])
    models = np.tile(setup["sides"]["models"], (len(states), 1))
    rolls = possible_dice(setup, number + 1)
    pools = (np.cumsum(rolls).reshape(rolls.shape) - 1) * len(Rating)
    operations = np.array([(Kind.STRIKE, 0, number)], np.int64)
    return list(propagate_program(setup, operations, np.array([1]), starts, models, pools, die, deck))


def _matrix(joints: dict[int, Joint], index_of: dict[int, int]) -> NDArray[np.float64]:
    matrix = np.zeros((len(index_of), len(index_of)))
    for state, joint in joints.items():
        to = [index_of[next_state] for next_state in joint.second.tolist()]
        matrix[index_of[state], to] = side_probabilities(joint)[1]
    return matrix
