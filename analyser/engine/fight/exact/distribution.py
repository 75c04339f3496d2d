"""The joint law of two sides, and the states that an operation's end makes of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.engine.fight.operations import changed
from analyser.engine.fight.program import Kind, Setup
from analyser.engine.index import StateIndex
from analyser.rules.structs import NONE

_ALONE_AND_CERTAIN = (Kind.END, Kind.END_ROUND, Kind.END_COMBAT, Kind.FORGET)
_CERTAIN_OF_BOTH = (Kind.GIVE_ORDERS, Kind.ENGAGE, Kind.ENVELOP, Kind.RUN_AMOK)
_SIDE, _NUMBER, _BITS, _WORD = 5, 6, 12, 62  # bits below the parts of a packed operation, of one, and of all
_KIND_MASK, _NUMBER_MASK = (1 << _SIDE) - 1, (1 << _BITS - _NUMBER) - 1
_SIDE_BY_SIDE = (Kind.STRIKE, Kind.RESOLVE)


class Law(NamedTuple):
    """The joint law of two sides.

    Attributes
    ----------
    first, second : int64 arrays, shapes (m,) and (n,)
        The states of side 0 and of side 1, each once.
    chances : float64 array, shape (m, n)
        They add up to 1.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    chances: NDArray[np.float64]


class Stretch(NamedTuple):
    """An operation, and those after it that ask chance for nothing: a law goes through all of them at once.

    So the states that they would only tell apart for a moment never stand in a law.

    Attributes
    ----------
    operation : (int, int, int)
    rest : int
        Those after it, the next one lowest, packed: numbers cost nothing to hand on, while each array handed on counts
        a reference, which is more than most operations cost.
    """

    operation: tuple[int, int, int]
    rest: int


@step
def operation_at(operations: NDArray[np.int64], place: int) -> tuple[int, int, int]:
    """One operation of a program."""
    return operations[place, 0], operations[place, 1], operations[place, 2]


@step
def stretch_from(operations: NDArray[np.int64], place: int, limit: int) -> tuple[Stretch, int]:
    """The stretch that begins with the operation at `place`, and where the next one begins: at `limit` at most.

    Where states change side by side, only operations that look at one side can be among those after it.
    """
    operation = operation_at(operations, place)
    after, rest, shift = place + 1, 0, 0
    while after < limit and shift + _BITS < _WORD and may_follow(operation[0], operations[after, 0]):
        kind, side, number = operation_at(operations, after)
        rest |= (kind | side << _SIDE | number - NONE << _NUMBER) << shift
        after, shift = after + 1, shift + _BITS
    return Stretch(operation, rest), after


@step
def may_follow(first: int, kind: int) -> bool:
    """Whether an operation of that kind can be in a stretch that begins with one of the kind `first`."""
    return kind in _ALONE_AND_CERTAIN or (kind in _CERTAIN_OF_BOTH and first not in _SIDE_BY_SIDE)


@step
def next_of(rest: int) -> tuple[int, int, int]:
    """The next of packed operations; there must be one."""
    return rest & _KIND_MASK, rest >> _SIDE & 1, (rest >> _NUMBER & _NUMBER_MASK) + NONE


@step
def both_after(setup: Setup, rest: int, words: tuple[int, int]) -> tuple[int, int]:
    """Both sides after the rest of a stretch."""
    while rest:
        words = changed(setup, next_of(rest), words, True)
        rest >>= _BITS
    return words


@step
def side_after(setup: Setup, rest: int, side: int, word: int) -> int:
    """One side after the rest of a stretch whose operations look at one side each."""
    while rest:
        operation = next_of(rest)
        if operation[1] == side:
            word = changed(setup, operation, (word, word), True)[side]
        rest >>= _BITS
    return word


@step
def gathered(firsts: StateIndex, seconds: StateIndex, chances: NDArray[np.float64]) -> Law:
    """A law of the states that came together."""
    return Law(firsts.states[: firsts.length[0]].copy(), seconds.states[: seconds.length[0]].copy(), chances)


@step
def law_of(active: int, mine: StateIndex, theirs: StateIndex, chances: NDArray[np.float64]) -> Law:
    """A law whose rows in `chances` are the states of the side `active`."""
    return gathered(mine, theirs, chances) if active == 0 else gathered(theirs, mine, chances.T.copy())


@step
def seen_from(side: int, law: Law) -> Law:
    """The same law with that side first."""
    return law if side == 0 else Law(law.second, law.first, law.chances.T.copy())
