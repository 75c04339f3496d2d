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
_SIDE, _NUMBER, _BITS = 5, 6, 12  # a packed operation: bits where its side and its number begin, and its width
_WORD = 62  # bits for all packed operations
_KIND_MASK, _NUMBER_MASK = (1 << _SIDE) - 1, (1 << _BITS - _NUMBER) - 1


class Joint(NamedTuple):
    """Joint distribution of the states of two sides. It lists only pairs that occur, about a twentieth of all pairs."""

    first: Integers  # (m,): distinct states of side 0
    second: Integers  # (n,): distinct states of side 1
    rows: Integers  # (pairs,): index in `first`; equal indices are adjacent after `merge_equal_pairs`
    columns: Integers  # (pairs,): index in `second`
    probabilities: Floats  # (pairs,), with the sum 1


class Pairs(NamedTuple):
    """List of pairs of states in any order. Pairs may be equal; the number of pairs is stored separately."""

    rows: Integers
    columns: Integers
    weights: Floats


class Fused(NamedTuple):
    """An operation and the operations after it that need no draw, which are applied in one step."""

    operation: Op
    rest: int  # the following operations, packed from the lowest bits up; an array would need reference counting


@step
def fuse_operations(operations: Integers, place: int, limit: int) -> tuple[Fused, int]:
    """Return the operation at `place` fused with later ones, and the next place; a strike only with one-sided ones."""
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
def certain(one: int, two: int) -> Joint:
    """Return the distribution in which both sides are certain to be in these states."""
    return Joint(np.full(1, one), np.full(1, two), np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1))


@step
def empty_pairs(room: int) -> Pairs:
    """Return a list with space for `room` pairs."""
    return Pairs(np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room))


@step
def joint_of_pairs(firsts: StateIndex, seconds: StateIndex, pairs: Pairs, length: int) -> Joint:
    """Return the distribution of the first `length` pairs, which may be equal and are in any order."""
    first, second = firsts.states[: firsts.length[0]].copy(), seconds.states[: seconds.length[0]].copy()
    return Joint(first, second, pairs.rows[:length], pairs.columns[:length], pairs.weights[:length])


@step
def merge_equal_pairs(side: int, joint: Joint) -> Joint:
    """Return the distribution with equal pairs merged, and with the sides exchanged if `side` is 1."""
    first, second, rows, columns, weights = joint
    if side == 1:
        first, second, rows, columns = second, first, columns, rows
    length, starts, order = len(rows), np.zeros(len(first) + 1, np.int64), np.empty(len(rows), np.int64)
    for index in range(length):
        starts[rows[index] + 1] += 1
    for row in range(len(first)):
        starts[row + 1] += starts[row]
    for index in range(length):
        order[starts[rows[index]]] = index
        starts[rows[index]] += 1
    last, count = np.full(len(second), NONE, np.int64), 0  # index of the last pair in each column
    to_rows, to_columns, sums = empty_pairs(length)
    for turn in range(length):
        index = order[turn]
        row, column, same = rows[index], columns[index], last[columns[index]]
        if same != NONE and to_rows[same] == row:
            sums[same] += weights[index]
            continue
        to_rows[count], to_columns[count], sums[count] = row, column, weights[index]
        last[column] = count
        count += 1
    return Joint(first, second, to_rows[:count], to_columns[:count], sums[:count])


def side_probabilities(joint: Joint) -> tuple[Floats, Floats]:
    """Return the probability of each state of side 0, and of side 1."""
    ones, twos = (np.bincount(places, joint.probabilities) for places in (joint.rows, joint.columns))
    return ones.astype(np.float64), twos.astype(np.float64)
