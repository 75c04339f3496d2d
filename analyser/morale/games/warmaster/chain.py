"""Warmaster's rules as transitions of a move: what the engines run through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import NO_DIE, Chain, Die, Extent, ExtraDie, Phase, States, Transition, sided
from analyser.morale.games.warmaster import rules
from analyser.morale.games.warmaster.path import Choice, Met, meetings, way_of
from analyser.morale.games.warmaster.question import Question
from analyser.morale.games.warmaster.rules import Kind, Meeting

MOST_SIDES = 1 << 32  # of a draw
MOST_DICE = 12  # thrown together, so that they have no more sides
DIE_SIDES = 6
Number = Any  # an integer, or one of each of some states


class Layout(NamedTuple):
    """How a state is written as an integer.

    First come the units on the move: ``(((before * distances + moved) * 2 + six) * 2 + pushed) * friends + confused``,
    where ``before = lost * stands + destroyed`` says what came of the turns before this one: how many were lost to
    confusion, and how many of the unit's stands were destroyed (WM-8). Then those that have halted:
    ``((((before * obstacles + place) * 2 + test) * 2 + six) * 2 + pushed) * friends + confused``. Last, by the turns
    that they have lost, come the units of which no stand was left before this turn.
    """

    turns: int
    stands: int  # numbers of stands that can be destroyed before a turn of a unit that still moves, 0 among them
    distances: int
    obstacles: int
    friends: int  # numbers of friends confused, 0 among them

    @property
    def moving_a_turn(self) -> int:
        """States of a unit on the move, in one turn."""
        return self.stands * self.distances * 4 * self.friends

    @property
    def moving(self) -> int:
        """States of a unit on the move; the first of one that has halted."""
        return self.turns * self.moving_a_turn

    @property
    def halted_a_turn(self) -> int:
        """States of a unit that has halted, in one turn."""
        return self.stands * self.obstacles * 8 * self.friends

    @property
    def gone(self) -> int:
        """The first state of a unit that was destroyed before this turn."""
        return self.moving + self.turns * self.halted_a_turn

    def moving_state(self, before: Number, moved: Number, six: Number, pushed: Number, confused: Number) -> States:
        """The state of a unit on the move, or past all obstacles."""
        flags = ((before * self.distances + moved) * 2 + six) * 2 + pushed
        return np.asarray(flags * self.friends + confused)

    def halted_state(
        self, before: Number, place: int, test: Number, six: Number, pushed: Number, confused: Number
    ) -> States:
        """The state of a unit that has halted at the obstacle at `place`, confused by its own test there or not."""
        flags = (((before * self.obstacles + place) * 2 + test) * 2 + six) * 2 + pushed
        return np.asarray(self.moving + flags * self.friends + confused)


class Parts(NamedTuple):
    """What some states say: the numbers of :class:`Layout`, and flags; arrays of the shape of the states."""

    lost: NDArray[np.int64]
    destroyed: NDArray[np.int64]
    moved: NDArray[np.int64]
    place: NDArray[np.int64]  # -1: not halted
    friends: NDArray[np.int64]
    test: NDArray[np.bool_]
    six: NDArray[np.bool_]
    pushed: NDArray[np.bool_]
    gone: NDArray[np.bool_]


def layout_of(question: Question) -> Layout:
    """The layout of a question's states."""
    way = way_of(question)
    farthest = DIE_SIDES * question.dice if question.dice else len(question.distance_pmf) - 1
    friends = 1 + sum(max(len(met.friend_tests), met.kind == Kind.FRIEND) for met in way)
    stands = whole_unit(question) if question.move == "retreats" and question.turns > 1 else 1
    return Layout(question.turns, stands, farthest + 1, len(way), friends)


def whole_unit(question: Question) -> int:
    """The stands of a whole unit."""
    return question.stands or question.ruleset.stands


def parts_of(layout: Layout, states: States) -> Parts:
    """What some states say."""
    gone = states >= layout.gone
    halted = (states >= layout.moving) & ~gone
    flags = np.where(halted, states - layout.moving, states) // layout.friends
    before = np.where(halted, flags // (8 * max(layout.obstacles, 1)), flags // (4 * layout.distances))
    return Parts(
        lost=np.where(gone, states - layout.gone, before // layout.stands),
        destroyed=np.where(gone, layout.stands, before % layout.stands),
        moved=np.where(halted | gone, 0, flags // 4 % layout.distances),
        place=np.where(halted, flags // 8 % max(layout.obstacles, 1), -1),
        friends=np.where(gone, 0, states % layout.friends),
        test=halted & (flags // 4 % 2 == 1),
        six=~gone & (flags // 2 % 2 == 1),
        pushed=~gone & (flags % 2 == 1),
        gone=gone,
    )


def after_die(layout: Layout, driven_back: bool, totals: int) -> States:
    """The states after a drive-back die (WM-1), or the distribution of the distance, from those of the first turn."""
    now, total = parts_of(layout, np.arange(layout.moving_a_turn)[:, np.newaxis]), np.arange(totals)
    six = now.six | (driven_back & rules.is_confused_by(total == DIE_SIDES))
    return layout.moving_state(now.destroyed, np.minimum(now.moved + total, layout.distances - 1), six, 0, 0)


class Tests(NamedTuple):
    """The tests of one phase, with what is met on the way to them.

    Attributes
    ----------
    first, last : int
        The obstacles that the phase sees to, from `first` to `last` - 1; the tests are for the last of them.
    friends : int
        Friends that test. Where none fails the total is 0; each that does adds 1, the mover `friends` + 1.
    """

    first: int
    last: int
    friends: int


def after_obstacles(question: Question, choice: Choice, layout: Layout, tests: Tests) -> States:
    """The states after the obstacles of a phase and its tests, from those of the first turn (WM-2 to WM-8)."""
    way, of_meetings = way_of(question), meetings(question, choice)
    now, totals = parts_of(layout, np.arange(layout.moving_a_turn)[:, np.newaxis]), 2 * (tests.friends + 1)
    reached = np.searchsorted([met.reached_from for met in way], now.moved, side="right")
    stands = np.array([met.stands for met in way])[:, np.newaxis]
    blocked = np.cumsum(stands * (of_meetings[:, :, 0] == Meeting.DESTROYS_STANDS), axis=0)
    six, shape = now.six, (layout.moving_a_turn, totals)
    pushed, confused = np.broadcast_to(now.pushed, shape), np.broadcast_to(now.friends, shape)
    halted, after = np.zeros(shape, np.bool_), np.zeros(shape, np.int64)
    for place in range(tests.first, tests.last):
        mover, friends = np.divmod(
            np.arange(totals) if place == tests.last - 1 else np.zeros(1, int), tests.friends + 1
        )
        meeting = np.where(~halted & (reached > place), of_meetings[place, reached, (six | pushed) * 1], -1)
        no_stands = rules.stands_after(whole_unit(question) - now.destroyed, blocked[place, reached]) == 0
        halts = np.isin(meeting, (Meeting.HALTS_AND_TESTS, Meeting.HALTS_CONFUSED))
        halts |= (meeting == Meeting.DESTROYS_STANDS) & no_stands
        test = np.select([meeting == Meeting.HALTS_AND_TESTS, meeting == Meeting.HALTS_CONFUSED], [mover, 1], 0)
        after = np.where(halts, layout.halted_state(now.destroyed, place, test, six, pushed, confused), after)
        halted |= halts
        makes_way = meeting == Meeting.MAKES_WAY
        pushed = pushed | (makes_way & (mover == 1))
        confused = confused + makes_way * friends
        confused = confused + (meeting == Meeting.BURST_THROUGH) * (way[place].kind == Kind.FRIEND)
    return np.where(halted, after, layout.moving_state(now.destroyed, now.moved, six, pushed, confused))


def in_all_turns(layout: Layout, first_turn: States) -> Transition:
    """The transition in all turns, from a table of the moving states of the first; others stay as they are."""
    a_turn_on = np.where(first_turn >= layout.moving, layout.halted_a_turn, layout.moving_a_turn)

    def targets(states: States) -> States:
        lost, now = np.divmod(states, layout.moving_a_turn)
        moves = states < layout.moving
        now[~moves] = 0
        return np.where(moves[:, None], first_turn[now] + lost[:, None] * a_turn_on[now], states[:, None])

    return targets


def is_confused(question: Question, states: Parts) -> NDArray[np.bool_]:
    """Whether the unit is confused, and there is anything left of it to be (WM-8), at the end of a move."""
    destroyed = (states.place >= 0) & (question.move == "retreats")
    return (states.test | states.six | states.pushed) & ~destroyed


def stands_destroyed(question: Question, choice: Choice, states: Parts) -> NDArray[np.int64]:
    """Stands lost by the end of a move: those of turns before, and those that obstacles on the way block (WM-8)."""
    whole = whole_unit(question)
    if question.move != "retreats":
        return np.zeros_like(states.moved)
    way = way_of(question)
    destroys = meetings(question, choice)[:, -1, 0] == Meeting.DESTROYS_STANDS
    blocked = np.concatenate([[0], np.cumsum([met.stands * hit for met, hit in zip(way, destroys)], dtype=np.int64)])
    reached = np.searchsorted([met.reached_from for met in way], states.moved, side="right")
    lost = np.minimum(states.destroyed + blocked[reached], whole)
    return np.asarray(np.where((states.place >= 0) | states.gone, whole, lost))


def next_turn(question: Question, choice: Choice, layout: Layout, numbers: States) -> States:
    """The start of the next turn, one more turn lost if the unit was confused (WM-9): shape (states, 1).

    Stands that are destroyed stay so, and a unit without stands moves no more (WM-8).
    """
    states = parts_of(layout, numbers)
    lost = np.minimum(states.lost + is_confused(question, states), layout.turns - 1)
    destroyed = stands_destroyed(question, choice, states)
    before = lost * layout.stands + np.minimum(destroyed, layout.stands - 1)
    starts = before * (layout.moving_a_turn // layout.stands)
    return np.where(destroyed == whole_unit(question), layout.gone + lost, starts)[:, None]


def chain_of(question: Question, choice: Choice) -> Chain:
    """The moves of a question under one choice; the state after each of them is recorded."""
    layout = layout_of(question)
    die = sided(DIE_SIDES) if question.dice else Die(question.distance_pmf)
    moved = in_all_turns(layout, after_die(layout, question.dice is not None, die.highest + 1))
    turn = [Phase(moved, extra_dice=(ExtraDie(die, 1),))] * (question.dice or 1)
    for tests, die in _tests(way_of(question)):
        met = in_all_turns(layout, after_obstacles(question, choice, layout, tests))
        turn.append(Phase(met, extra_dice=(ExtraDie(die, 1),)))
    turn[-1] = replace(turn[-1], recorded=True)
    between = Phase(partial(next_turn, question, choice, layout))
    extent = Extent(
        f"{question.turns} turns of up to {layout.distances - 1} cm past {layout.obstacles} obstacles"
        f" and {layout.friends - 1} friends",
        "fewer turns, dice or friends",
    )
    phases = (*turn, *(between, *turn) * (question.turns - 1))
    return Chain(0, phases, layout.gone + question.turns, extent)


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
        fails = [0, *(weight * (DIE_SIDES**dice - spared) for weight in weights)]
        weights = [a + b for a, b in zip([*(weight * spared for weight in weights), 0], fails)]
    spared = (DIE_SIDES - 1) ** mover
    whole = [*(weight * spared for weight in weights), *(weight * (DIE_SIDES**mover - spared) for weight in weights)]
    sides = DIE_SIDES ** (sum(friends) + mover)
    return Die(tuple(whole), sides) if sides <= MOST_SIDES else Die(tuple(weight / sides for weight in whole))
