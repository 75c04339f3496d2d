"""Warmaster: who is confused by a move that was not ordered (WM-1 to WM-8).

A unit that is moved meets the obstacles in its way one after the other; a state is how far it moves, what has
confused it, and how many friends are confused.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

Number = Any  # an integer, or one of each of some states


class Kind(IntEnum):
    """What is in its way."""

    IMPASSABLE = 0
    ENEMY = 1
    COMBAT = 2  # a unit in combat, friend or foe
    FRIEND = 3  # unengaged, able to make way
    UNYIELDING = 4  # a friend that is constricted or otherwise unable to make way (WM-5); an engaged one is in COMBAT


class Meeting(IntEnum):
    """What comes of meeting an obstacle."""

    MAKES_WAY = 0
    HALTS_AND_TESTS = 1
    HALTS_CONFUSED = 2
    DESTROYS_STANDS = 3
    BURST_THROUGH = 4


def is_confused_by(sixes: Number) -> Any:
    """Whether dice of which so many show 6 confuse a unit: any one does (WM-1, WM-2, WM-4, WM-7)."""
    return sixes > 0


def meeting(move: str, kind: Kind, makes_way: bool) -> Meeting:
    """What comes of moving into an obstacle; `makes_way`: the player's choice for a friend that can (WM-4, WM-5)."""
    if kind == Kind.FRIEND and move == "evades":
        return Meeting.BURST_THROUGH
    if kind == Kind.FRIEND and makes_way:
        return Meeting.MAKES_WAY
    if move == "retreats":
        return Meeting.DESTROYS_STANDS
    return Meeting.HALTS_AND_TESTS if kind == Kind.IMPASSABLE else Meeting.HALTS_CONFUSED
