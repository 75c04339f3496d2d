"""Warmaster's rules, tabulated over every state of a move: what the engines run through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import NO_DIE, Chain, Die, Extent, ExtraDie, Phase, States, Transition, sided
from analyser.morale.warmaster import rules
from analyser.morale.warmaster.path import Choice, Met, meetings, way_of
from analyser.morale.warmaster.question import Question
from analyser.morale.warmaster.rules import Kind, Meeting

MOST_SIDES = 1 << 32  # of a draw
MOST_DICE = 12  # thrown together, so that they have no more sides
SIDES = 6
_MAKES_WAY, _HALTS_AND_TESTS = int(Meeting.MAKES_WAY), int(Meeting.HALTS_AND_TESTS)
_DESTROYS_STANDS, _BURST_THROUGH = int(Meeting.DESTROYS_STANDS), int(Meeting.BURST_THROUGH)


class Layout(NamedTuple):
    """How a state is written as a whole number.

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
    moving: int
    gone: int  # the first state of a unit that was destroyed before this turn
    states: int


class Ended(NamedTuple):
    """What some states say, arrays of one entry each: the numbers of :class:`Layout`, and flags."""

    lost: NDArray[np.int64]
    destroyed: NDArray[np.int64]
    moved: NDArray[np.int64]
    place: NDArray[np.int64]  # -1: not halted
    friends: NDArray[np.int64]
    test: NDArray[np.bool_]
    six: NDArray[np.bool_]
    pushed: NDArray[np.bool_]
    gone: NDArray[np.bool_]


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


class Way(NamedTuple):
    """The obstacles as whole numbers, nearest first, and what comes of them."""

    reached_from: NDArray[np.int64]
    stands_in_way: NDArray[np.int64]
    friends: NDArray[np.int64]  # that evaders burst through (WM-6)
    meetings: NDArray[np.int64]
    stands: int


def layout_of(question: Question) -> Layout:
    """The layout of a question's states."""
    way = way_of(question)
    farthest = SIDES * question.dice if question.dice else len(question.law_of_distance) - 1
    friends = 1 + sum(max(len(met.friend_tests), met.kind == Kind.FRIEND) for met in way)
    turns, distances = question.turns, farthest + 1
    stands = whole_unit(question) if question.move == "retreats" and turns > 1 else 1
    moving = turns * stands * distances * 4 * friends
    gone = moving + turns * stands * len(way) * 8 * friends
    return Layout(turns, stands, distances, len(way), friends, moving, gone, gone + turns)


def whole_unit(question: Question) -> int:
    """The stands of a whole unit."""
    return question.stands or question.ruleset.stands


def ended(layout: Layout, numbers: NDArray[np.int64]) -> Ended:
    """What some states say."""
    gone = numbers >= layout.gone
    halted = (numbers >= layout.moving) & ~gone
    flags = np.where(halted, numbers - layout.moving, numbers) // layout.friends
    before = np.where(halted, flags // (8 * max(layout.obstacles, 1)), flags // (4 * layout.distances))
    place = np.where(halted, flags // 8 % max(layout.obstacles, 1), -1)
    moved = np.where(halted | gone, 0, flags // 4 % layout.distances)
    return Ended(
        lost=np.where(gone, numbers - layout.gone, before // layout.stands),
        destroyed=np.where(gone, layout.stands, before % layout.stands),
        moved=moved,
        place=place,
        friends=np.where(gone, 0, numbers % layout.friends),
        test=halted & (flags // 4 % 2 == 1),
        six=~gone & (flags // 2 % 2 == 1),
        pushed=~gone & (flags % 2 == 1),
        gone=gone,
    )


@step
def moving_state(layout: Layout, before: int, moved: int, six: int, pushed: int, confused: int) -> int:
    """The state of a unit on the move, or past all obstacles."""
    return (((before * layout.distances + moved) * 2 + six) * 2 + pushed) * layout.friends + confused


@step
def halted_state(layout: Layout, before: int, place: int, test: int, six: int, pushed: int, confused: int) -> int:
    """The state of a unit that has halted at the obstacle at `place`, confused by its own test there or not."""
    flags = (((before * layout.obstacles + place) * 2 + test) * 2 + six) * 2 + pushed
    return layout.moving + flags * layout.friends + confused


@step
def after_move(layout: Layout, driven_back: bool, state: int, total: int) -> int:
    """The state after a drive-back die (WM-1), or after the law of the distance."""
    moved = state // (4 * layout.friends) % layout.distances + total
    six = state // (2 * layout.friends) % 2
    if driven_back and rules.is_confused_by(1 if total == SIDES else 0):
        six = 1
    before = state // (4 * layout.friends * layout.distances)
    return moving_state(layout, before, min(moved, layout.distances - 1), six, 0, 0)


@step
def obstacles_reached(way: Way, moved: int) -> int:
    """How many obstacles a move of so many centimetres goes into, if none stops it."""
    reached = 0
    while reached < len(way.reached_from) and way.reached_from[reached] <= moved:
        reached += 1
    return reached


@step
def stands_before(way: Way, destroyed: int, place: int, reached: int) -> int:
    """Stands that a retreating unit has left when it comes to the obstacle at `place` (WM-8)."""
    stands = way.stands - destroyed
    for each in range(min(place, reached)):
        if way.meetings[each, reached, 0] == _DESTROYS_STANDS:
            stands = rules.stands_after(stands, way.stands_in_way[each])
    return stands


@step
def after_obstacles(layout: Layout, way: Way, tests: Tests, state: int, total: int) -> int:
    """The state of a moving unit after the obstacles of a phase and its tests (WM-2 to WM-8)."""
    confused, pushed = state % layout.friends, state // layout.friends % 2
    six = state // (2 * layout.friends) % 2
    moved = state // (4 * layout.friends) % layout.distances
    before = state // (4 * layout.friends * layout.distances)
    reached = obstacles_reached(way, moved)
    for place in range(tests.first, min(tests.last, reached)):
        meeting = way.meetings[place, reached, six or pushed]
        mover_fails = total // (tests.friends + 1) if place == tests.last - 1 else 0
        if meeting == _MAKES_WAY:
            pushed |= mover_fails
            confused += total % (tests.friends + 1) if place == tests.last - 1 else 0
        elif meeting == _BURST_THROUGH:
            confused += way.friends[place]
        elif meeting == _DESTROYS_STANDS:
            if stands_before(way, before % layout.stands, place + 1, reached) == 0:
                return halted_state(layout, before, place, 0, six, pushed, confused)
        else:
            fails = mover_fails if meeting == _HALTS_AND_TESTS else 1
            return halted_state(layout, before, place, fails, six, pushed, confused)
    return moving_state(layout, before, moved, six, pushed, confused)


@kernel
def tabulated_move(layout: Layout, driven_back: bool, totals: int) -> NDArray[np.int64]:
    """:func:`after_move` in the first turn: shape (moving states of a turn, totals)."""
    after = np.empty((layout.moving // layout.turns, totals), np.int64)
    for state in range(after.shape[0]):
        for total in range(totals):
            after[state, total] = after_move(layout, driven_back, state, total)
    return after


@kernel
def tabulated_obstacles(layout: Layout, way: Way, tests: Tests) -> NDArray[np.int64]:
    """:func:`after_obstacles` in the first turn: shape (moving states of a turn, totals of the tests)."""
    after = np.empty((layout.moving // layout.turns, 2 * (tests.friends + 1)), np.int64)
    for state in range(0, after.shape[0], layout.friends):
        for total in range(after.shape[1]):
            first = after_obstacles(layout, way, tests, state, total)
            for confused in range(layout.friends):  # friends confused before are added to those now
                after[state + confused, total] = first + confused
    return after


def in_all_turns(layout: Layout, first_turn: NDArray[np.int64]) -> Transition:
    """The rows of all turns, from a table of the moving states of the first; others stay as they are."""
    moving, halted = layout.moving // layout.turns, (layout.gone - layout.moving) // layout.turns
    a_turn_on = np.where(first_turn >= layout.moving, halted, moving)

    def rows(states: States) -> States:
        lost, now = np.divmod(states, moving)
        moves = (states < layout.moving)[:, None]
        now[~moves[:, 0]] = 0
        return np.where(moves, first_turn[now] + lost[:, None] * a_turn_on[now], states[:, None])

    return rows


def is_confused(question: Question, states: Ended) -> NDArray[np.bool_]:
    """Whether the unit is confused, and there is anything left of it to be (WM-8), at the end of a move."""
    destroyed = (states.place >= 0) & (question.move == "retreats")
    return (states.test | states.six | states.pushed) & ~destroyed


def stands_destroyed(question: Question, choice: Choice, states: Ended) -> NDArray[np.int64]:
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
    states = ended(layout, numbers)
    lost = np.minimum(states.lost + is_confused(question, states), layout.turns - 1)
    destroyed = stands_destroyed(question, choice, states)
    before = lost * layout.stands + np.minimum(destroyed, layout.stands - 1)
    starts = before * (layout.moving // (layout.turns * layout.stands))
    return np.where(destroyed == whole_unit(question), layout.gone + lost, starts)[:, None]


def chain_of(question: Question, choice: Choice) -> Chain:
    """The moves of a question under one choice; the law after each of them is recorded."""
    layout = layout_of(question)
    turn = [*_move_phases(question, layout), *_obstacle_phases(question, choice, layout)]
    turn[-1] = replace(turn[-1], recorded=True)
    between = Phase(partial(next_turn, question, choice, layout))
    phases = list(turn)
    for _ in range(question.turns - 1):
        phases += [between, *turn]
    extent = Extent(
        f"{question.turns} turns of up to {layout.distances - 1} cm past {layout.obstacles} obstacles"
        f" and {layout.friends - 1} friends",
        "fewer turns, dice or friends",
    )
    return Chain(0, tuple(phases), layout.states, extent)


def _move_phases(question: Question, layout: Layout) -> list[Phase]:
    """The dice for the distance, one after the other, or its law."""
    die = sided(SIDES) if question.dice else Die(question.law_of_distance)
    first_turn = tabulated_move(layout, question.dice is not None, die.highest + 1)
    return [Phase(in_all_turns(layout, first_turn), extra_dice=(ExtraDie(die, 1),))] * (question.dice or 1)


def _obstacle_phases(question: Question, choice: Choice, layout: Layout) -> Iterator[Phase]:
    """What is met on the way, a phase for the tests at each obstacle."""
    met = way_of(question)
    way = Way(
        np.array([each.reached_from for each in met], np.int64),
        np.array([each.stands for each in met], np.int64),
        np.array([each.kind == Kind.FRIEND for each in met], np.int64),
        meetings(question, choice),
        whole_unit(question),
    )
    for tests, die in _tests(met):
        yield Phase(in_all_turns(layout, tabulated_obstacles(layout, way, tests)), extra_dice=(ExtraDie(die, 1),))


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
        spared = (SIDES - 1) ** dice
        fails = [0, *(weight * (SIDES**dice - spared) for weight in weights)]
        weights = [a + b for a, b in zip([*(weight * spared for weight in weights), 0], fails)]
    spared = (SIDES - 1) ** mover
    whole = [*(weight * spared for weight in weights), *(weight * (SIDES**mover - spared) for weight in weights)]
    sides = SIDES ** (sum(friends) + mover)
    return Die(tuple(whole), sides) if sides <= MOST_SIDES else Die(tuple(weight / sides for weight in whole))
