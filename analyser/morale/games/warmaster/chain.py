"""Warmaster's rules as transitions of a move: what the engines run through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import NO_DIE, RECORD, Chain, Die, ExtraDie, Fields, Phase, States, sided
from analyser.morale.games.warmaster import rules
from analyser.morale.games.warmaster.path import Choice, Met, farthest_of, meetings, reached_by, way_of
from analyser.morale.games.warmaster.question import Question
from analyser.morale.games.warmaster.rules import Kind, Meeting

MOST_SIDES = 1 << 32  # of a draw
MOST_DICE = 12  # thrown together, so that they have no more sides
DIE_SIDES = 6


class Parts(NamedTuple):
    """What some states say; arrays of the shape of the states."""

    lost: NDArray[np.int64]  # turns lost to confusion before this one
    destroyed: NDArray[np.int64]  # stands of the unit destroyed before this turn (WM-8)
    moved: NDArray[np.int64]  # centimetres
    place: NDArray[np.int64]  # of the obstacle at which it has halted; -1: it has not
    friends: NDArray[np.int64]  # confused
    test: NDArray[np.bool_]  # confused by its own test where it has halted
    six: NDArray[np.bool_]  # by its drive-back dice
    pushed: NDArray[np.bool_]  # by friends that made way
    gone: NDArray[np.bool_]  # no stand of it was left before this turn


class Layout:
    """How a state is written as an integer: first the units on the move, then those that have halted.

    Last, by the turns that they have lost, come the units of which no stand was left before this turn.
    """

    def __init__(self, question: Question) -> None:
        way = way_of(question)
        self.whole = question.stands or question.ruleset.stands
        self.turns, self.obstacles = question.turns, len(way)
        self.stands = self.whole if question.move == "retreats" and question.turns > 1 else 1
        self.distances = farthest_of(question) + 1
        self.friends = 1 + sum(max(len(met.friend_tests), met.kind == Kind.FRIEND) for met in way)
        before = {"lost": self.turns, "destroyed": self.stands}
        flags = {"six": 2, "pushed": 2, "friends": self.friends}
        self.moving = Fields(before | {"moved": self.distances} | flags)
        self.halted = Fields(before | {"place": max(self.obstacles, 1), "test": 2} | flags)
        self.gone = self.moving.size + (self.halted.size if way else 0)

    def read(self, states: States) -> Parts:
        """What some states say."""
        gone = states >= self.gone
        halted = (states >= self.moving.size) & ~gone

        def part(name: str, of_gone: Any = 0, otherwise: int = 0) -> Any:
            moving, stopped = (
                fields.get(name, states - first) if name in fields.sizes else otherwise
                for fields, first in ((self.moving, 0), (self.halted, self.moving.size))
            )
            return np.where(gone, of_gone, np.where(halted, stopped, moving))

        return Parts(
            lost=part("lost", states - self.gone),
            destroyed=part("destroyed", self.stands),
            moved=part("moved"),
            place=part("place", -1, -1),
            friends=part("friends"),
            test=part("test") == 1,
            six=part("six") == 1,
            pushed=part("pushed") == 1,
            gone=gone,
        )

    def phase(self, change: Callable[[Parts, Any], Any], die: Die) -> Phase:
        """A roll of a unit on the move, whose `change` is worked out for all states of a first turn at once."""
        a_turn, turn_halted = self.moving.size // self.turns, self.halted.size // self.turns
        totals = die.highest + 1
        first_turn = change(self.read(np.arange(a_turn)[:, np.newaxis]), np.arange(totals))
        a_turn_on = np.where(first_turn >= self.moving.size, turn_halted, a_turn)

        def in_all_turns(states: States, _: Any) -> States:
            lost, now = np.divmod(states, a_turn)
            now = np.where(states < self.moving.size, now, 0)[:, 0]
            return np.where(states < self.moving.size, first_turn[now] + lost * a_turn_on[now], states)

        return Phase(in_all_turns, extra_dice=(ExtraDie(die, 1),))


class Tests(NamedTuple):
    """The tests of one phase, with what is met on the way to them.

    The phase sees to the obstacles from `first` to `last` - 1, and the tests are for the last of them: of some friends,
    and of the mover. Where none fails the total is 0; each friend that does adds 1, the mover `friends` + 1.
    """

    first: int
    last: int
    friends: int


def after_obstacles(question: Question, choice: Choice, layout: Layout, tests: Tests, now: Parts, totals: Any) -> Any:
    """The states after the obstacles of a phase and its tests, from those of the first turn (WM-2 to WM-8)."""
    way, of_meetings = way_of(question), meetings(question, choice)
    reached, shape = reached_by(way, now.moved), (len(now.moved), len(totals))
    stands = np.array([met.stands for met in way])[:, np.newaxis]
    blocked = np.cumsum(stands * (of_meetings[:, :, 0] == Meeting.DESTROYS_STANDS), axis=0)
    six, pushed, confused = now.six, np.broadcast_to(now.pushed, shape), np.broadcast_to(now.friends, shape)
    halted, after = np.zeros(shape, np.bool_), np.zeros(shape, np.int64)
    for place in range(tests.first, tests.last):
        mover, friends = np.divmod(totals if place == tests.last - 1 else np.zeros(1, int), tests.friends + 1)
        meeting = np.where(~halted & (reached > place), of_meetings[place, reached, (six | pushed) * 1], -1)
        no_stands = rules.stands_after(layout.whole - now.destroyed, blocked[place, reached]) == 0
        halts = np.isin(meeting, (Meeting.HALTS_AND_TESTS, Meeting.HALTS_CONFUSED))
        halts |= (meeting == Meeting.DESTROYS_STANDS) & no_stands
        test = np.select([meeting == Meeting.HALTS_AND_TESTS, meeting == Meeting.HALTS_CONFUSED], [mover, 1], 0)
        flags = {"six": six, "pushed": pushed, "friends": confused}
        stopped = layout.halted.pack(destroyed=now.destroyed, place=place, test=test, **flags)
        after = np.where(halts, layout.moving.size + stopped, after)
        halted |= halts
        makes_way = meeting == Meeting.MAKES_WAY
        pushed = pushed | (makes_way & (mover == 1))
        confused = confused + makes_way * friends
        confused = confused + (meeting == Meeting.BURST_THROUGH) * (way[place].kind == Kind.FRIEND)
    flags = {"six": six, "pushed": pushed, "friends": confused}
    return np.where(halted, after, layout.moving.pack(destroyed=now.destroyed, moved=now.moved, **flags))


def is_confused(question: Question, states: Parts) -> NDArray[np.bool_]:
    """Whether the unit is confused, and there is anything left of it to be (WM-8), at the end of a move."""
    destroyed = (states.place >= 0) & (question.move == "retreats")
    return (states.test | states.six | states.pushed) & ~destroyed


def stands_destroyed(question: Question, choice: Choice, whole: int, states: Parts) -> NDArray[np.int64]:
    """Stands lost by the end of a move: those of turns before, and those that obstacles on the way block (WM-8)."""
    if question.move != "retreats":
        return np.zeros_like(states.moved)
    way = way_of(question)
    destroys = meetings(question, choice)[:, -1, 0] == Meeting.DESTROYS_STANDS
    blocked = np.cumsum([0, *(met.stands * hit for met, hit in zip(way, destroys.tolist()))])
    lost = np.minimum(states.destroyed + blocked[reached_by(way, states.moved)], whole)
    return np.asarray(np.where((states.place >= 0) | states.gone, whole, lost))


def chain_of(question: Question, choice: Choice) -> Chain:
    """The moves of a question under one choice; the state after each of them is recorded."""
    layout, die = Layout(question), sided(DIE_SIDES) if question.dice else Die(question.distance_pmf)

    def after_die(now: Parts, total: Any) -> Any:
        """A drive-back die (WM-1), or the distance of another move."""
        six = now.six | ((question.dice is not None) & rules.is_confused_by(total == DIE_SIDES))
        moved = np.minimum(now.moved + total, layout.distances - 1)
        return layout.moving.pack(destroyed=now.destroyed, moved=moved, six=six)

    def next_turn(numbers: States, _: Any) -> Any:
        """One more turn lost if the unit was confused (WM-9); one without stands moves no more (WM-8)."""
        states = layout.read(numbers)
        lost = np.minimum(states.lost + is_confused(question, states), layout.turns - 1)
        destroyed = stands_destroyed(question, choice, layout.whole, states)
        start = layout.moving.pack(lost=lost, destroyed=np.minimum(destroyed, layout.stands - 1))
        return np.where(destroyed == layout.whole, layout.gone + lost, start)

    def met(tests: Tests, die: Die) -> Phase:
        return layout.phase(lambda now, totals: after_obstacles(question, choice, layout, tests, now, totals), die)

    turn = [layout.phase(after_die, die)] * (question.dice or 1)
    turn += [*(met(tests, die) for tests, die in _tests(way_of(question))), RECORD]
    phases = (*turn, *(Phase(next_turn), *turn) * (question.turns - 1))
    past = f"{layout.obstacles} obstacles and {layout.friends - 1} friends"
    what = f"{question.turns} turns of up to {layout.distances - 1} cm past {past}"
    return Chain(0, phases, layout.gone + question.turns, what, "fewer turns, dice or friends")


def _tests(met: tuple[Met, ...]) -> Iterator[tuple[Tests, Die]]:
    """The tests of the way, nearest first, those of a few friends and of the mover in one throw.

    The mover comes last at each obstacle, so that what it has chosen there stands until all of them have tested.
    """
    first = 0
    for place, each in enumerate(met):
        friends: list[int] = []
        for tests in each.friend_tests:
            if sum(friends) + tests + each.mover_tests > MOST_DICE and friends:
                yield Tests(first, place + 1, len(friends)), tests_together(tuple(friends), 0)
                first, friends = place, []
            friends.append(tests)
        if friends or each.mover_tests:
            yield Tests(first, place + 1, len(friends)), tests_together(tuple(friends), each.mover_tests)
            first = place + 1
    if first < len(met):
        yield Tests(first, len(met), 0), NO_DIE


@cache
def tests_together(friends: tuple[int, ...], mover: int) -> Die:
    """Friends that throw so many dice each, and the mover's, as one die of as many sides as they have together.

    It shows how many of the friends throw any 6 and, one more than there are friends higher, whether the mover does.

    Examples
    --------
    >>> tests_together((2,), 1)
    Die(weights=(125, 55, 25, 11), sides=216)
    """
    weights = [1]
    for dice in friends:
        spared = (DIE_SIDES - 1) ** dice
        weights = np.convolve(np.array(weights, object), [spared, DIE_SIDES**dice - spared]).tolist()
    spared = (DIE_SIDES - 1) ** mover
    whole = [weight * ways for ways in (spared, DIE_SIDES**mover - spared) for weight in weights]
    sides = DIE_SIDES ** (sum(friends) + mover)
    return Die(tuple(whole), sides) if sides <= MOST_SIDES else Die(tuple(weight / sides for weight in whole))
