"""Warmaster: who is confused by a move that was not ordered (WM-1 to WM-8).

A unit that is moved meets the obstacles in its way one after the other; a state is how far it moves, what has
confused it, and how many friends are confused.
"""

from __future__ import annotations

from enum import IntEnum

from analyser.common.jit import step


class Move(IntEnum):
    """Why the unit moves."""

    DRIVEN_BACK = 0
    FALLS_BACK = 1
    RETREATS = 2
    EVADES = 3


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


_RETREATS, _EVADES = int(Move.RETREATS), int(Move.EVADES)
_IMPASSABLE, _FRIEND = int(Kind.IMPASSABLE), int(Kind.FRIEND)
_MAKES_WAY, _HALTS_AND_TESTS = int(Meeting.MAKES_WAY), int(Meeting.HALTS_AND_TESTS)
_HALTS_CONFUSED, _DESTROYS_STANDS = int(Meeting.HALTS_CONFUSED), int(Meeting.DESTROYS_STANDS)
_BURST_THROUGH = int(Meeting.BURST_THROUGH)


@step
def is_confused_by(sixes: int) -> bool:
    """Whether dice of which so many show 6 confuse a unit: any one does (WM-1, WM-2, WM-4, WM-7)."""
    return sixes > 0


@step
def meeting(move: int, kind: int, makes_way: bool) -> int:
    """What comes of moving into an obstacle; `makes_way`: the player's choice for a friend that can (WM-4, WM-5)."""
    if kind == _FRIEND and move == _EVADES:
        return _BURST_THROUGH
    if kind == _FRIEND and makes_way:
        return _MAKES_WAY
    if move == _RETREATS:
        return _DESTROYS_STANDS
    return _HALTS_AND_TESTS if kind == _IMPASSABLE else _HALTS_CONFUSED


@step
def stands_after(stands: int, in_the_way: int) -> int:
    """Stands left of a retreating unit that had so many blocked (WM-8)."""
    return max(stands - in_the_way, 0)
