"""The operations that are no strikes, in the exact engine: what each makes of a joint distribution."""

from __future__ import annotations

import numpy as np

from analyser.common.jit import step
from analyser.engine.fight import operations
from analyser.engine.fight.exact.distribution import Fused, Joint, both_after, gathered
from analyser.engine.fight.exact.outcomes import PoolCache
from analyser.engine.fight.program import Setup
from analyser.engine.index import index_of, state_index, with_room
from analyser.rules.draws import Draw, Odds, probability_of
from analyser.rules.structs import NONE

_BOTH = 2  # a test is passed or failed


@step
def probability_passed(draw: int, highest: int, odds: Odds) -> float:
    """The probability that the test of an operation is passed: where nothing is drawn, 1 or 0."""
    if draw == Draw.NOTHING:
        return 1.0 if highest > 0 else 0.0
    return probability_of(draw, highest, odds)


@step
def after_operation(setup: Setup, fused: Fused, joint: Joint, cache: PoolCache) -> Joint:
    """The distribution after fused operations, the first no strike, pair by pair."""
    operation, rest = fused
    first, second, before = joint
    shape = (before.shape[0], before.shape[1], _BOTH)
    to_first, to_second = np.empty(shape, np.int64), np.empty(shape, np.int64)
    shares = np.zeros(shape)
    firsts, seconds = state_index(2 * shape[0]), state_index(2 * shape[1])
    # Along a row, and from row to row, a side mostly comes to the same state: then it need not be looked for.
    one_before, two_before = np.full((_BOTH, 2), NONE, np.int64), np.full((shape[1], _BOTH, 2), NONE, np.int64)
    for row in range(shape[0]):
        firsts, seconds = with_room(firsts, _BOTH * shape[1]), with_room(seconds, _BOTH * shape[1])
        for column in range(shape[1]):
            if before[row, column] == 0.0:
                continue
            pair = (int(first[row]), int(second[column]))  # the interpreter is slow at numbers of arrays
            draw, highest = operations.required_draw(setup, operation, pair)
            passes = probability_passed(draw, highest, cache.odds)
            for failed in range(_BOTH):
                share = passes if failed == 0 else 1.0 - passes
                if share == 0.0:
                    continue
                one, two = both_after(setup, rest, operations.changed(setup, operation, pair, failed == 0))
                if one_before[failed, 0] != one:
                    one_before[failed, 0], one_before[failed, 1] = one, index_of(firsts, one)
                if two_before[column, failed, 0] != two:
                    two_before[column, failed, 0], two_before[column, failed, 1] = two, index_of(seconds, two)
                to_first[row, column, failed], to_second[row, column, failed] = (
                    one_before[failed, 1],
                    two_before[column, failed, 1],
                )
                shares[row, column, failed] = share
    after = np.zeros((firsts.length[0], seconds.length[0]))
    for row in range(shape[0]):
        for column in range(shape[1]):
            for failed in range(_BOTH):
                if shares[row, column, failed] > 0.0:
                    to = to_first[row, column, failed], to_second[row, column, failed]
                    after[to] += shares[row, column, failed] * before[row, column]
    return gathered(firsts, seconds, after)
