"""Where the two units of a longer fight can come to stand, so that their states have room for it.

A state keeps a place as so many strides from where its unit stood (:mod:`~analyser.rules.unit_state`).
The stride is the longest that all lengths of the question are multiples of: whole inches take no more room than inches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any, NamedTuple

from analyser.common.errors import InputError
from analyser.engine.fight.program import Kind, Operation
from analyser.rules.structs import INCH, NONE
from analyser.rules.unit_state import FALL_BACK, TOPMOST
from analyser.scenarios.strikes import Strike

A_COMBAT_LOST = 2 * FALL_BACK  # withdrawing, and falling back for the test that follows


class Moves(NamedTuple):
    """How far a unit can get in a fight at most, in hundredths of an inch; its edge and the enemy may be nearer."""

    back: int
    ahead: int


def set_backs(side: int, operations: Iterable[Operation], strikes: Sequence[Strike], charger: int = NONE) -> int:
    """How far a unit can be set back by the operations of one activation at most; a strike in it twice is made once.

    `charger`: the side whose activation it is, if it can charge in it: it goes on after a combat that it has won only.
    """
    length = lost = dismayed = 0
    for kind, active, number in set(operations):
        if kind == Kind.STRIKE:
            strike = strikes[number]
            tested = not strike.attack.close_quarters and strike.target.discipline != NONE
            if strike.strike.striker == side or not tested:
                continue
            if strike.strike.by_blast:  # an enemy goes off once, in one way
                dismayed = FALL_BACK
            else:
                length += FALL_BACK
        elif kind == Kind.TEST_FRIGHTENED and active == side:
            dismayed = FALL_BACK
    if charger != NONE:
        combats = sum(operation.kind == Kind.RESOLVE for operation in operations)
        lost = 1 if side == charger else combats
    return length + dismayed + A_COMBAT_LOST * lost


def within_edges(sides: Sequence[Any], set_back: Sequence[int]) -> tuple[list[int], list[int]]:
    """How far back units can get, which is no further than their own edges, and the edges that they can reach.

    An edge that is out of reach stops nobody, so that no place depends on it.
    """
    reached = [side.edge_distance != NONE and side.edge_distance <= back for side, back in zip(sides, set_back)]
    back = [int(side.edge_distance) if at_edge else most for side, most, at_edge in zip(sides, set_back, reached)]
    return back, [int(side.edge_distance) for side, at_edge in zip(sides, reached) if at_edge]


def place(sides: Sequence[Any], moves: Sequence[Moves], lengths: Iterable[int], where: str) -> None:
    """Give both sides a stride and the place where they begin.

    Parameters
    ----------
    sides : sequence of records of SIDE
    moves : sequence of Moves
    lengths : iterable of int
        Hundredths of an inch: all that a place can depend on, besides falling back.
    where : str
        The section that the lengths stand in; opens the message where a state has no room for so many places.
    """
    stride = gcd(FALL_BACK, *lengths)
    for side, ways in zip(sides, moves):
        if not side.tracks_position:
            side.stride = stride
            continue
        back, ahead = -(-ways.back // stride), -(-ways.ahead // stride)
        room = 1 << TOPMOST - int(side.position_at)  # on either side of the middle
        if back + ahead >= 2 * room:
            length = ways.back + ways.ahead
            finest = next(each for each in range(1, INCH + 1) if INCH % each == 0 and length // each < 2 * room - 2)
            problem = f"lengths in steps of {stride / INCH:g} inches lead to more places than a state has room for"
            allowed = f"lengths in steps of {finest / INCH:g} inches, or fewer rounds"
            raise InputError(problem, where=where, allowed=allowed)
        side.stride = stride
        side.origin = 0 if max(back, ahead) < room else (back - ahead) // 2
