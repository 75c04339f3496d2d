"""Where the two units of a longer fight can come to stand, so that their states have room for it.

A state keeps a place as so many strides from where its unit stood (:mod:`~analyser.rules.unit_state`).
The stride is the longest that all lengths of the question are multiples of: whole inches take no more room than inches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any

from analyser.common.errors import InputError
from analyser.engine.fight.program import Kind, Operation
from analyser.rules.structs import INCH, NONE
from analyser.rules.unit_state import FALL_BACK, TOPMOST
from analyser.scenarios.strikes import Strike

A_COMBAT_LOST = 2 * FALL_BACK  # withdrawing, and falling back for the test that follows


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


def place(
    sides: Sequence[Any], set_back: Sequence[int], advance: Sequence[int], lengths: Iterable[int], where: str
) -> None:
    """Give both sides a stride and the place where they begin; InputError where a state has no room for the others.

    Parameters
    ----------
    sides : sequence of records of SIDE
    set_back, advance : sequence of int
        Hundredths of an inch: how far each side can get at most; its own edge and the enemy may be nearer.
    lengths : iterable of int
        The same: all that a place can depend on, besides edges and falling back.
    where : str
        The section that the lengths stand in; opens the message.
    """
    at_edge = [side.edge_distance != NONE and side.edge_distance <= back for side, back in zip(sides, set_back)]
    backs = [int(side.edge_distance) if stops else back for side, back, stops in zip(sides, set_back, at_edge)]
    # An edge that is out of reach stops nobody, so that no place depends on it.
    edges = [int(side.edge_distance) for side, stops in zip(sides, at_edge) if stops]
    stride = gcd(FALL_BACK, *lengths, *edges)
    for side, back, most, enemy in zip(sides, backs, advance, backs[::-1]):
        side.stride = stride
        if not side.tracks_position:
            continue
        ahead = 0 if side.distance == NONE else min(most, int(side.distance) + enemy)
        strides_back, strides_ahead = -(-back // stride), -(-ahead // stride)
        room = 1 << TOPMOST - int(side.position_at)  # on either side of the middle
        if strides_back + strides_ahead >= 2 * room:
            length = back + ahead
            finest = next(each for each in range(1, INCH + 1) if INCH % each == 0 and length // each < 2 * room - 2)
            problem = f"lengths in steps of {stride / INCH:g} inches lead to more places than a state has room for"
            allowed = f"lengths in steps of {finest / INCH:g} inches, or fewer rounds"
            raise InputError(problem, where=where, allowed=allowed)
        side.origin = 0 if max(strides_back, strides_ahead) < room else (strides_back - strides_ahead) // 2
