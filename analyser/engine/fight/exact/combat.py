"""The resolution of a combat in the exact engine: what it makes of a joint distribution.

With its result the target's next state follows from its own, and the active unit's from its own and from whether the
target is gone. Both are worked out once a state, not once a pair, of which there are many: losses of both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.engine.fight import operations
from analyser.engine.fight.exact.distribution import Fused, Joint, joint_of, seen_from, side_after
from analyser.engine.fight.exact.operation import probability_passed
from analyser.engine.fight.exact.outcomes import PoolCache
from analyser.engine.fight.program import Setup
from analyser.engine.index import StateIndex, index_of, state_index
from analyser.rules import close_quarters, unit_state
from analyser.rules.structs import NONE

_BOTH = 2  # of a test, passed or failed, and of a unit, gone or not
_RESULTS = operations.NOT_FOUGHT + 1
_ACTIVE, _TARGET = close_quarters.ACTIVE, close_quarters.TARGET


class Aftermath(NamedTuple):
    """What combats come to, as far as it is known: a place is NONE, and a probability NaN, where it is not."""

    mine: StateIndex  # next states of the active unit,
    theirs: StateIndex  # and of its target
    to_mine: NDArray[np.int64]  # (states, results, passed or failed, target gone or not): the active unit's next state
    to_theirs: NDArray[np.int64]  # (states, results, passed or failed)
    passes: NDArray[np.float64]  # (2, states): how likely the active unit, or the target, passes the loser's test


@step
def nothing_known(rows: int, columns: int) -> Aftermath:
    """Before the first combat."""
    return Aftermath(
        state_index(_RESULTS * _BOTH * _BOTH * rows),
        state_index(_RESULTS * _BOTH * columns),
        np.full((rows, _RESULTS, _BOTH, _BOTH), NONE, np.int64),
        np.full((columns, _RESULTS, _BOTH), NONE, np.int64),
        np.full((_BOTH, max(rows, columns)), np.nan),
    )


@step
def after_combat(setup: Setup, fused: Fused, joint: Joint, cache: PoolCache) -> Joint:
    """The distribution after fused operations that begin with the resolution of a combat."""
    active = fused.operation[1]
    active_states, target_states, before = seen_from(active, joint)
    rows, columns = before.shape
    results = np.empty((rows, columns), np.int8)
    known = nothing_known(rows, columns)
    # By name each, and not handed to a function for each pair: to hand on an array counts a reference to it.
    to_mine, to_theirs, passes, states = known.to_mine, known.to_theirs, known.passes, known.theirs.states
    for row in range(rows):
        for column in range(columns):
            if before[row, column] == 0.0:
                continue
            pair = int(active_states[row]), int(target_states[column])
            result = operations.result_of_combat(setup, active, pair if active == 0 else (pair[1], pair[0]))
            results[row, column] = result
            passed = passes[1, column] if result == _ACTIVE else passes[0, row] if result == _TARGET else 1.0
            missing = np.isnan(passed)
            for failed in range(_BOTH):
                if not missing and (passed if failed == 0 else 1.0 - passed) > 0.0:
                    place = to_theirs[column, result, failed]
                    missing = place == NONE or to_mine[row, result, failed, is_gone(states[place])] == NONE
            if missing:
                learn(setup, fused, pair, (row, column, result), cache, known)
    after = np.zeros((known.mine.length[0], known.theirs.length[0]))
    for row in range(rows):
        for column in range(columns):
            result, probability = results[row, column], before[row, column]
            if probability == 0.0:
                continue
            passed = passes[1, column] if result == _ACTIVE else passes[0, row] if result == _TARGET else 1.0
            if passed > 0.0:
                place = to_theirs[column, result, 0]
                after[to_mine[row, result, 0, is_gone(states[place])], place] += passed * probability
            if passed < 1.0:
                place = to_theirs[column, result, 1]
                after[to_mine[row, result, 1, is_gone(states[place])], place] += (1.0 - passed) * probability
    return joint_of(active, known.mine, known.theirs, after)


@step
def is_gone(state: int) -> int:
    """Whether a unit is gone, as a place."""
    return 1 if unit_state.is_removed(state) else 0


@step
def learn(
    setup: Setup, fused: Fused, states: tuple[int, int], at: tuple[int, int, int], cache: PoolCache, known: Aftermath
) -> None:
    """Bring into `known` what a combat comes to; `at`: the row, the column and the result."""
    operation, rest = fused
    active, (row, column, result) = operation[1], at
    pair = states if active == 0 else (states[1], states[0])
    to_mine, to_theirs, passes, states_of_theirs = known.to_mine, known.to_theirs, known.passes, known.theirs.states
    passed, loser = 1.0, (1, column) if result == _ACTIVE else (0, row)
    if result in (_ACTIVE, _TARGET):
        if np.isnan(passes[loser]):
            draw, highest = operations.required_draw(setup, operation, pair)
            passes[loser] = probability_passed(draw, highest, cache.odds)
        passed = passes[loser]
    for failed in range(_BOTH):
        if (passed if failed == 0 else 1.0 - passed) == 0.0:
            continue
        theirs = to_theirs[column, result, failed]
        if theirs != NONE and to_mine[row, result, failed, is_gone(states_of_theirs[theirs])] != NONE:
            continue
        after = operations.changed(setup, operation, pair, failed == 0)
        if theirs == NONE:
            theirs = index_of(known.theirs, side_after(setup, rest, 1 - active, after[1 - active]))
            to_theirs[column, result, failed] = theirs
        gone = is_gone(states_of_theirs[theirs])
        if to_mine[row, result, failed, gone] == NONE:
            to_mine[row, result, failed, gone] = index_of(known.mine, side_after(setup, rest, active, after[active]))
