"""What one strike makes of each state that a unit may be in: its transitions as a matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analyser.common.records import Integers
from analyser.engine.fight.exact.distribution import Joint
from analyser.engine.fight.exact.propagate import run, start_states
from analyser.engine.fight.program import Kind, Setup, dice_of
from analyser.game.ruleset import Rating
from analyser.game.units import MOST_MODELS
from analyser.rules import unit_state


def strike_matrices(
    setup: Setup, strikes: int, die: Integers, deck: Integers
) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]:
    """The states that side 1 can come to by the first `strikes` strikes of side 0, in any order and number.

    Also a matrix for each strike, shape (states, states): the probability of each next state (column) from each state
    (row). State 0 is that before the first strike. A strike must not depend on the striker's own state, nor change it.
    """
    mine, first = start_states(setup)
    places: dict[int, int] = {first: 0}
    parts: list[list[tuple[Integers, Integers, NDArray[np.float64]]]] = [[] for _ in range(strikes)]
    waiting = [first]
    while waiting:
        found: list[int] = []
        for number, mine_of_it in enumerate(parts):
            for at in range(0, len(waiting), MOST_MODELS):
                some = np.array(waiting[at : at + MOST_MODELS])
                joint = _struck(setup, number, mine, some, die, deck)
                row, column = np.nonzero(joint.probabilities)
                state = joint.second[column]
                mine_of_it.append((_row(joint.first, some)[row], state, joint.probabilities[row, column]))
                for each in np.unique(state).tolist():
                    if each not in places:
                        places[each] = len(places)
                        found.append(each)
        waiting = found
    return np.array(list(places)), [_matrix(each, places) for each in parts]


def _struck(setup: Setup, number: int, mine: int, states: Integers, die: Integers, deck: Integers) -> Joint:
    """The distribution after a strike on each of `states`, told apart by as many models of the striker."""
    strikers = (mine & ~unit_state.MODELS_MASK) | np.arange(1, len(states) + 1)
    joint = Joint(strikers, states, np.eye(len(states)))
    rolls = dice_of(setup, number + 1)
    pools = (np.cumsum(rolls).reshape(rolls.shape) - 1) * len(Rating)
    operations = np.array([(Kind.STRIKE, 0, number)], np.int64)
    return run(setup, operations, np.array([1]), joint, pools, die, deck)[0]


def _row(strikers: Integers, states: Integers) -> Integers:
    return states[(strikers & unit_state.MODELS_MASK) - 1]


def _matrix(
    parts: Sequence[tuple[Integers, Integers, NDArray[np.float64]]], places: dict[int, int]
) -> NDArray[np.float64]:
    matrix = np.zeros((len(places), len(places)))
    for before, after, probability in parts:
        matrix[[places[each] for each in before.tolist()], [places[each] for each in after.tolist()]] = probability
    return matrix
