"""Joint distribution of the states of two sides, and fused operations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.fight.operations import apply
from analyser.engine.fight.program import Kind, Op, Pair, Setup, operation_at
from analyser.engine.state_index import StateIndex
from analyser.rules.structs import NONE

_ONE_SIDED = (Kind.END, Kind.END_ROUND, Kind.END_COMBAT, Kind.CLEAR_MARK)
_TWO_SIDED = (Kind.GIVE_ORDERS, Kind.ENGAGE, Kind.SPREAD_FUMES, Kind.RUN_AMOK)
_SIDE, _NUMBER, _BITS = 5, 6, 12  # a packed operation: lowest bits of its side and its number, and all its bits
_WORD = 62  # bits for all packed operations
_KIND_MASK, _NUMBER_MASK = (1 << _SIDE) - 1, (1 << _BITS - _NUMBER) - 1


class Joint(NamedTuple):
    """The joint distribution of the states of two sides."""

    first: Integers  # (m,): distinct states of side 0
    second: Integers  # (n,): distinct states of side 1
    probabilities: Floats  # (m, n), with the sum 1


class Fused(NamedTuple):
    """An operation and the operations after it that need no draw, which are applied in one step.

    So the states between them never enter the distribution.
    """

    operation: Op
    rest: int  # the following operations, packed from the lowest bits up; an array would need reference counting


@step
def fuse_operations(operations: Integers, place: int, limit: int) -> tuple[Fused, int]:
    """Return the operation at `place` fused with later operations, and the place after them, at most `limit`.

    After a strike only operations that read one side are fused, because a strike changes the sides separately.
    """
    operation = operation_at(operations, place)
    after, rest, shift = place + 1, 0, 0
    while after < limit and shift + _BITS < _WORD:
        kind, side, number = operation_at(operations, after)
        if kind not in _ONE_SIDED and (kind not in _TWO_SIDED or operation[0] == Kind.STRIKE):
            break
        rest |= (kind | side << _SIDE | number - NONE << _NUMBER) << shift
        after, shift = after + 1, shift + _BITS
    return Fused(operation, rest), after


@step
def next_operation(rest: int) -> Op:
    """Return the first of the packed operations; `rest` must not be empty."""
    return rest & _KIND_MASK, rest >> _SIDE & 1, (rest >> _NUMBER & _NUMBER_MASK) + NONE


@step
def concern_one_side(rest: int) -> bool:
    """Return True if each packed operation reads and changes only one side."""
    while rest:
        if next_operation(rest)[0] not in _ONE_SIDED:
            return False
        rest >>= _BITS
    return True


@step
def apply_to_both(setup: Setup, rest: int, pair: Pair) -> tuple[int, int]:
    """Return the states of both sides after packed operations."""
    while rest:
        pair = apply(setup, next_operation(rest), pair, True)
        rest >>= _BITS
    return pair


@step
def apply_to_side(setup: Setup, rest: int, side: int, state: int) -> int:
    """Return the state of one side after packed operations that concern one side each."""
    while rest:
        operation = next_operation(rest)
        if operation[1] == side:
            state = apply(setup, operation, (state, state), True)[side]
        rest >>= _BITS
    return state


@step
def enlarge(probabilities: Floats, firsts: StateIndex, seconds: StateIndex) -> Floats:
    """Return a copy of the matrix with space for twice as many states as there are, so that few copies are made."""
    rows, columns = probabilities.shape
    result = np.zeros((max(rows, 2 * firsts.length[0]), max(columns, 2 * seconds.length[0])))
    for row in range(rows):
        for column in range(columns):
            result[row, column] = probabilities[row, column]
    return result


@step
def trimmed(firsts: StateIndex, seconds: StateIndex, probabilities: Floats) -> Joint:
    """Return the distribution over the indexed states, without unused rows and columns of the matrix."""
    rows, columns = firsts.length[0], seconds.length[0]
    return Joint(firsts.states[:rows].copy(), seconds.states[:columns].copy(), probabilities[:rows, :columns].copy())


@step
def with_side_first(side: int, joint: Joint) -> Joint:
    """Return the distribution with `side` first. Copies only possible pairs, because most pairs are impossible."""
    if side == 0:
        return joint
    first, second, probabilities = joint
    swapped = np.zeros((len(second), len(first)))
    for row in range(len(first)):
        for column in range(len(second)):
            if probabilities[row, column] != 0.0:
                swapped[column, row] = probabilities[row, column]
    return Joint(second, first, swapped)
