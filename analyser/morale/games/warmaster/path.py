"""What is in a unit's way, as integers: where it is met, who tests for it, and what the player chooses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.morale.games.warmaster.question import Friend, Obstacle, Question
from analyser.morale.games.warmaster.rules import Kind, Meeting, Move, meeting
from analyser.morale.questions import as_written

Choice = Literal["always", "never", "fewest"]
CHOICES: tuple[Choice, ...] = ("always", "never", "fewest")
NO_SIX = Fraction(5, 6)
_GAP_KEPT_FROM = (Kind.ENEMY, Kind.COMBAT)


class Met(NamedTuple):
    """An obstacle on the way."""

    obstacle: Obstacle
    kind: Kind  # a friend that cannot make way is an unyielding one
    halt: float  # centimetres after which a unit that does not get past it stops
    reached_from: int  # the least whole centimetres of a move that goes into it
    mover_tests: int  # dice of the mover: if it makes way (WM-4), or at the edge of terrain (WM-2)
    friend_tests: tuple[int, ...]  # dice of each friend that makes way then
    stands: int  # of the mover in whose way it is


@lru_cache(maxsize=16)
def way_of(question: Question) -> tuple[Met, ...]:
    """What is met on the way, nearest first.

    At one place a friend that can make way comes last: the unit stops there before it is pushed. Only where touching
    is going into it the friend comes first. Of two that halt the unit there, the one that does so without a roll.
    """

    def order(met: Met) -> tuple[float, int, bool, float, bool]:
        last = (met.kind == Kind.FRIEND) != question.ruleset.touching_is_into
        return met.halt, met.reached_from, last, met.obstacle.distance, met.kind == Kind.IMPASSABLE

    return tuple(sorted((_met(question, each) for each in question.obstacles), key=order))


def reached_by(way: tuple[Met, ...], moved: Any) -> Any:
    """How many obstacles moves of so many centimetres go into."""
    return np.searchsorted([met.reached_from for met in way], moved, side="right")


def farthest_of(question: Question) -> int:
    """The longest move, in centimetres."""
    return 6 * question.dice if question.dice else len(question.distance_pmf) - 1


def _met(question: Question, obstacle: Obstacle) -> Met:
    ruleset = question.ruleset
    kind = Kind[obstacle.kind.upper()]
    if kind == Kind.FRIEND and not obstacle.can_make_way and question.move != "evades":
        kind = Kind.UNYIELDING
    keeps_gap = kind in _GAP_KEPT_FROM
    halt = as_written(obstacle.distance) - (as_written(ruleset.gap) if keeps_gap else 0)
    there = max(halt, Fraction(0))
    touching = ruleset.touching_is_into and not keeps_gap
    reached_from = math.ceil(there) if touching else math.floor(there) + 1
    if halt < 0 and question.move == "falls_back":
        reached_from = 0  # WM-3: it is too near already, whatever the distance of the move
    tested = kind == Kind.FRIEND and question.move != "evades"
    pushed = tuple(_pushed(obstacle, ruleset.tests_for_chain == "all")) if tested else ()
    return Met(
        obstacle=obstacle,
        kind=kind,
        halt=float(there),
        reached_from=reached_from,
        mover_tests=_mover_tests(question, obstacle, kind),
        friend_tests=pushed,
        stands=obstacle.stands or question.stands or ruleset.stands,
    )


def _mover_tests(question: Question, obstacle: Obstacle, kind: Kind) -> int:
    """Dice of the mover: one for each friend that it pushes (WM-4), one for impassable terrain (WM-2)."""
    if question.move == "evades" or kind not in (Kind.FRIEND, Kind.IMPASSABLE):
        return 0
    return obstacle.friends if kind == Kind.FRIEND and question.ruleset.tests_for_chain == "all" else 1


def _pushed(friend: Obstacle | Friend, everyone: bool) -> Iterator[int]:
    """The dice of a friend that makes way, then of all that it pushes: one for itself, one for each of them (WM-4)."""
    yield 1 + sum(each.friends if everyone else 1 for each in friend.chain)
    for each in friend.chain:
        yield from _pushed(each, everyone)


def choices_of(question: Question) -> tuple[Choice, ...]:
    """The choices that there are: one, where no friend can make way or each one's is stated, or there is none."""
    free = [met for met in way_of(question) if met.kind == Kind.FRIEND and met.obstacle.make_way is None]
    return CHOICES if free and question.move != "evades" else CHOICES[:1]


def meetings(question: Question, choice: Choice) -> NDArray[np.int64]:
    """What comes of each obstacle: shape (obstacles, obstacles reached, mover confused already)."""
    way, move = way_of(question), Move[question.move.upper()]
    found = np.zeros((len(way), len(way) + 1, 2), np.int64)
    for reached in range(len(way) + 1):
        willing = _willing(way[:reached], choice, move)
        for place, met in enumerate(way[:reached]):
            for confused in range(2):
                found[place, reached, confused] = meeting(move, met.kind, willing[place][confused])
    return found


def _willing(way: tuple[Met, ...], choice: Choice, move: Move) -> list[tuple[bool, bool]]:
    """Whether each friend is to make way: while the mover is not confused, and once it is."""
    if choice == "fewest" and move != Move.RETREATS:
        return _fewest(way, move)
    stated = [met.obstacle.make_way for met in way]
    return [(choice != "never" if each is None else each,) * 2 for each in stated]


def _fewest(way: tuple[Met, ...], move: Move) -> list[tuple[bool, bool]]:
    """The choices that confuse the fewest units on average, from the last obstacle to the first.

    The player has seen the dice: how far the unit moves, and whether it is confused already.
    """
    more = [Fraction(0)] * 2  # units confused from here on, if the mover is not yet, and if it is
    willing: list[tuple[bool, bool]] = []
    for met in reversed(way):
        refused, pushed = [Fraction(1), Fraction(0)], _confused_if_pushed(met, more)
        if met.kind == Kind.FRIEND:
            stated = met.obstacle.make_way
            best = (pushed[0] <= refused[0], pushed[1] <= refused[1]) if stated is None else (stated, stated)
            more = [pushed[now] if best[now] else refused[now] for now in range(2)]
        else:
            best = (False, False)
            tests = meeting(move, met.kind, False) == Meeting.HALTS_AND_TESTS
            more = [1 - NO_SIX if tests else Fraction(1), Fraction(0)]
        willing.insert(0, best)
    return willing


def _confused_if_pushed(met: Met, more: list[Fraction]) -> list[Fraction]:
    """Units confused if this friend makes way, and from there on, by whether the mover is confused already."""
    friends = sum((1 - NO_SIX**tests for tests in met.friend_tests), Fraction(0))
    steady = NO_SIX**met.mover_tests
    return [friends + steady * more[0] + (1 - steady) * (1 + more[1]), friends + more[1]]
