"""The joint distribution of the states of two sides, and fused operations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.records import Floats, Integers
from analyser.engine.fight.operations import changed
from analyser.engine.fight.program import Kind, Line, Pair, Setup, operation_at
from analyser.engine.state_index import StateIndex
from analyser.rules.structs import NONE

_ALONE_AND_CERTAIN = (Kind.END, Kind.END_ROUND, Kind.END_COMBAT, Kind.FORGET)
_CERTAIN_OF_BOTH = (Kind.GIVE_ORDERS, Kind.ENGAGE, Kind.ENVELOP, Kind.RUN_AMOK)
_SIDE, _NUMBER, _BITS = 5, 6, 12  # of a packed operation: lowest bit of the side, of the number; bits in all
_WORD = 62  # bits of all packed operations
_KIND_MASK, _NUMBER_MASK = (1 << _SIDE) - 1, (1 << _BITS - _NUMBER) - 1


class Joint(NamedTuple):
    """The joint distribution of the states of two sides."""

    first: Integers  # (m,): distinct states of side 0
    second: Integers  # (n,): distinct states of side 1
    probabilities: Floats  # (m, n), with the sum 1


class Fused(NamedTuple):
    """An operation fused with the following operations without a draw, which are applied in one step.

    Intermediate states therefore never enter the distribution.
    """

    operation: Line
    rest: int  # the following operations, packed, the next one lowest; passing an array would cost reference counting


@step
def fused_from(operations: Integers, place: int, limit: int) -> tuple[Fused, int]:
    """Return the operation at `place` fused with those after it, and the place of the next, at most `limit`.

    After a strike only operations that look at one side are fused, because a strike changes the sides separately.
    """
    operation = operation_at(operations, place)
    after, rest, shift = place + 1, 0, 0
    while after < limit and shift + _BITS < _WORD:
        kind, side, number = operation_at(operations, after)
        if kind not in _ALONE_AND_CERTAIN and (kind not in _CERTAIN_OF_BOTH or operation[0] == Kind.STRIKE):
            break
        rest |= (kind | side << _SIDE | number - NONE << _NUMBER) << shift
        after, shift = after + 1, shift + _BITS
    return Fused(operation, rest), after


@step
def next_of(rest: int) -> Line:
    """Return the next of the packed operations, of which there must be one."""
    return rest & _KIND_MASK, rest >> _SIDE & 1, (rest >> _NUMBER & _NUMBER_MASK) + NONE


@step
def are_alone(rest: int) -> bool:
    """Return True if all packed operations look at one side each."""
    while rest:
        if next_of(rest)[0] not in _ALONE_AND_CERTAIN:
            return False
        rest >>= _BITS
    return True


@step
def both_after(setup: Setup, rest: int, pair: Pair) -> tuple[int, int]:
    """Return the states of both sides after packed operations."""
    while rest:
        pair = changed(setup, next_of(rest), pair, True)
        rest >>= _BITS
    return pair


@step
def side_after(setup: Setup, rest: int, side: int, state: int) -> int:
    """Return the state of one side after packed operations that look at one side each."""
    while rest:
        operation = next_of(rest)
        if operation[1] == side:
            state = changed(setup, operation, (state, state), True)[side]
        rest >>= _BITS
    return state


@step
def larger(probabilities: Floats, firsts: StateIndex, seconds: StateIndex) -> Floats:
    """Return a copy of the matrix with zeros for twice as many states as there are, so that few copies are made."""
    rows, columns = probabilities.shape
    result = np.zeros((max(rows, 2 * firsts.length[0]), max(columns, 2 * seconds.length[0])))
    for row in range(rows):
        for column in range(columns):
            result[row, column] = probabilities[row, column]
    return result


@step
def gathered(firsts: StateIndex, seconds: StateIndex, probabilities: Floats) -> Joint:
    """Return the distribution over indexed states, from a matrix that is large enough."""
    rows, columns = firsts.length[0], seconds.length[0]
    return Joint(firsts.states[:rows].copy(), seconds.states[:columns].copy(), probabilities[:rows, :columns].copy())


@step
def seen_from(side: int, joint: Joint) -> Joint:
    """Return the distribution with `side` first. Most pairs are impossible, so the others are copied one by one."""
    if side == 0:
        return joint
    first, second, probabilities = joint
    turned = np.zeros((len(second), len(first)))
    for row in range(len(first)):
        for column in range(len(second)):
            if probabilities[row, column] != 0.0:
                turned[column, row] = probabilities[row, column]
    return Joint(second, first, turned)
