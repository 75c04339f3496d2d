"""The operations that are no strikes, in the exact engine: what each makes of a joint law."""

from __future__ import annotations

import numpy as np

from analyser.common.jit import step
from analyser.engine.fight import operations
from analyser.engine.fight.exact.distribution import Law, Stretch, both_after, gathered
from analyser.engine.fight.exact.outcomes import Chances
from analyser.engine.fight.program import Draw, Setup
from analyser.engine.index import index_of, state_index, with_room
from analyser.game.dice import Face
from analyser.rules.structs import NONE

_BOTH = 2  # ways of a test


@step
def certainty(highest: int) -> float:
    """The chance of the first of the two ways where nothing is asked of chance."""
    return 1.0 if highest > 0 else 0.0


@step
def chance_passed(asked: int, highest: int, chances: Chances) -> float:
    """The chance of the first of the two ways of an operation."""
    if asked == Draw.COIN:
        return 0.5
    if asked == Draw.STRIKE_DIE:
        return float(chances.faces[Face.HEROIC] + chances.faces[Face.STRIKE])
    if asked == Draw.HEROIC_DIE:
        return float(chances.faces[Face.HEROIC])
    if asked == Draw.MISS_OR_STRIKE_DIE:
        return float(chances.faces[Face.MISS] / (1.0 - chances.faces[Face.HEROIC]))
    if asked == Draw.MISS_DIE:
        return float(chances.faces[Face.MISS] / (1.0 - chances.faces[Face.HEROIC] - chances.faces[Face.STRIKE]))
    if highest < 0:
        return 0.0
    return float(chances.at_most[highest]) if highest < len(chances.at_most) - 1 else 1.0


@step
def changed_law(setup: Setup, stretch: Stretch, law: Law, chances: Chances) -> Law:
    """The law after a stretch that begins with neither a strike nor the end of a combat, pair by pair."""
    operation, rest = stretch
    first, second, before = law
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
            words = (first[row], second[column])
            asked, highest = operations.asks(setup, operation, words)
            passes = certainty(highest) if asked == Draw.NOTHING else chance_passed(asked, highest, chances)
            for way in range(_BOTH):
                share = passes if way == 0 else 1.0 - passes
                if share == 0.0:
                    continue
                one, two = both_after(setup, rest, operations.changed(setup, operation, words, way == 0))
                if one_before[way, 0] != one:
                    one_before[way, 0], one_before[way, 1] = one, index_of(firsts, one)
                if two_before[column, way, 0] != two:
                    two_before[column, way, 0], two_before[column, way, 1] = two, index_of(seconds, two)
                to_first[row, column, way], to_second[row, column, way] = one_before[way, 1], two_before[column, way, 1]
                shares[row, column, way] = share
    after = np.zeros((firsts.length[0], seconds.length[0]))
    for row in range(shape[0]):
        for column in range(shape[1]):
            for way in range(_BOTH):
                if shares[row, column, way] > 0.0:
                    to = to_first[row, column, way], to_second[row, column, way]
                    after[to] += shares[row, column, way] * before[row, column]
    return gathered(firsts, seconds, after)
