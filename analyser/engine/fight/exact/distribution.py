"""The joint distribution of the states of two sides, and operations that are fused."""

from __future__ import annotations

from typing import NamedTuple

from analyser.common.jit import step
from analyser.common.records import Floats, Integers
from analyser.engine.fight.operations import changed
from analyser.engine.fight.program import Kind, Line, Pair, Setup, operation_at
from analyser.engine.index import StateIndex
from analyser.rules.structs import NONE

_ALONE_AND_CERTAIN = (Kind.END, Kind.END_ROUND, Kind.END_COMBAT, Kind.FORGET)
_CERTAIN_OF_BOTH = (Kind.GIVE_ORDERS, Kind.ENGAGE, Kind.ENVELOP, Kind.RUN_AMOK)
_SIDE, _NUMBER, _BITS, _WORD = 5, 6, 12, 62  # bits below the parts of a packed operation, of one, and of all
_KIND_MASK, _NUMBER_MASK = (1 << _SIDE) - 1, (1 << _BITS - _NUMBER) - 1


class Joint(NamedTuple):
    """The joint distribution of the states of two sides."""

    first: Integers  # (m,): states of side 0, each once
    second: Integers  # (n,): the same of side 1
    probabilities: Floats  # (m, n): they add up to 1


class Fused(NamedTuple):
    """An operation fused with those after it that draw nothing: a distribution goes through all of them at once.

    So the states that they would only tell apart for a moment never stand in a distribution.
    """

    operation: Line
    rest: int  # those after it, the next one lowest, packed: to hand on an array would count a reference to it


@step
def fused_from(operations: Integers, place: int, limit: int) -> tuple[Fused, int]:
    """The operation at `place` and those fused with it, and where the next one stands: at `limit` at most.

    Where states change side by side, only operations that look at one side can be among those after it.
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
    """The next of packed operations; there must be one."""
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
    """Both sides after packed operations."""
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
def gathered(firsts: StateIndex, seconds: StateIndex, probabilities: Floats) -> Joint:
    """The distribution over indexed states."""
    return Joint(firsts.states[: firsts.length[0]].copy(), seconds.states[: seconds.length[0]].copy(), probabilities)


@step
def seen_from(side: int, joint: Joint) -> Joint:
    """Return the distribution with `side` first."""
    return joint if side == 0 else Joint(joint.second, joint.first, joint.probabilities.T.copy())
