"""Warmaster's rules, tabulated over every state of a move: what the engines run through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import MOST_CELLS, Beside, Chain, Die, Phase, check_size, succeeding
from analyser.jit import kernel, step
from analyser.morale.warmaster.path import Choice, Met, meetings, way_of
from analyser.morale.warmaster.question import Question
from analyser.rules import warmaster
from analyser.rules.warmaster import Kind, Meeting

MOST_TESTS_AT_ONCE = 16  # combinations of test dice in one phase
SIDES = 6
FRIEND, MOVER = 0, 1
DICE_AT_ONCE = 5  # drive-back dice of one phase
_MAKES_WAY, _HALTS_AND_TESTS = int(Meeting.MAKES_WAY), int(Meeting.HALTS_AND_TESTS)
_DESTROYS_STANDS, _BURST_THROUGH = int(Meeting.DESTROYS_STANDS), int(Meeting.BURST_THROUGH)


class Layout(NamedTuple):
    """How a state is written as a whole number.

    First come the units on the move: ``(((lost * distances + moved) * 2 + six) * 2 + pushed) * friends + confused``;
    then those that have halted: ``((((lost * obstacles + place) * 2 + test) * 2 + six) * 2 + pushed) * friends +
    confused``. `lost` counts the turns lost to confusion before this one.
    """

    turns: int
    distances: int
    obstacles: int
    friends: int  # numbers of friends confused, 0 among them
    moving: int
    states: int


class Tests(NamedTuple):
    """The test dice of a phase, one row a unit that tests: all in the total, each in its own place.

    A unit's sixes are ``total // worth % values``.
    """

    place: NDArray[np.int64]  # of the obstacle it tests for
    mover: NDArray[np.int64]  # whether it is the mover
    worth: NDArray[np.int64]
    values: NDArray[np.int64]


class Way(NamedTuple):
    """The obstacles as whole numbers, nearest first, and what comes of them."""

    reached_from: NDArray[np.int64]
    stands_in_way: NDArray[np.int64]
    friends: NDArray[np.int64]  # that evaders burst through (WM-6)
    meetings: NDArray[np.int64]
    stands: int


def layout_of(question: Question) -> Layout:
    """The layout of a question's states.

    Raises
    ------
    InputError
        More states than there is room for.
    """
    way = way_of(question)
    farthest = SIDES * question.dice if question.dice else len(question.law_of_distance) - 1
    friends = 1 + sum(max(len(met.friend_tests), met.kind == Kind.FRIEND) for met in way)
    turns, distances = question.turns, farthest + 1
    moving = turns * distances * 4 * friends
    states = moving + turns * len(way) * 8 * friends
    check_size(states)
    return Layout(turns, distances, len(way), friends, moving, states)


@step
def moving_state(layout: Layout, lost: int, moved: int, six: int, pushed: int, confused: int) -> int:
    """The state of a unit on the move, or past all obstacles."""
    return (((lost * layout.distances + moved) * 2 + six) * 2 + pushed) * layout.friends + confused


@step
def halted_state(layout: Layout, lost: int, place: int, test: int, six: int, pushed: int, confused: int) -> int:
    """The state of a unit that has halted at the obstacle at `place`, confused by its own test there or not."""
    flags = (((lost * layout.obstacles + place) * 2 + test) * 2 + six) * 2 + pushed
    return layout.moving + flags * layout.friends + confused


@step
def after_move(layout: Layout, radix: int, state: int, total: int) -> int:
    """The state after dice for the distance: each 6 among drive-back dice counts `radix` beside its 6 (WM-1)."""
    moved = state // (4 * layout.friends) % layout.distances + total % radix
    six = state // (2 * layout.friends) % 2 or warmaster.is_confused_by(total // radix)
    return moving_state(layout, 0, min(moved, layout.distances - 1), int(six), 0, 0)


@step
def confused_at(tests: Tests, place: int, mover: int, total: int) -> int:
    """How many units fail the tests for the obstacle at `place`: the mover (0 or 1), or friends."""
    confused = 0
    for row in range(len(tests.place)):
        if tests.place[row] == place and tests.mover[row] == mover:
            confused += int(warmaster.is_confused_by(total // tests.worth[row] % tests.values[row]))
    return confused


@step
def obstacles_reached(way: Way, moved: int) -> int:
    """How many obstacles a move of so many centimetres goes into, if none stops it."""
    reached = 0
    while reached < len(way.reached_from) and way.reached_from[reached] <= moved:
        reached += 1
    return reached


@step
def stands_before(way: Way, place: int, reached: int) -> int:
    """Stands that a retreating unit has left when it comes to the obstacle at `place` (WM-8)."""
    stands = way.stands
    for each in range(min(place, reached)):
        if way.meetings[each, reached, 0] == _DESTROYS_STANDS:
            stands = warmaster.stands_after(stands, way.stands_in_way[each])
    return stands


@step
def after_obstacles(layout: Layout, way: Way, tests: Tests, first: int, last: int, state: int, total: int) -> int:
    """The state of a moving unit after the obstacles from `first` to `last` - 1, test dice `total` (WM-2 to WM-8)."""
    confused, pushed = state % layout.friends, state // layout.friends % 2
    six = state // (2 * layout.friends) % 2
    moved = state // (4 * layout.friends) % layout.distances
    reached = obstacles_reached(way, moved)
    for place in range(first, min(last, reached)):
        meeting = way.meetings[place, reached, six or pushed]
        if meeting == _MAKES_WAY:
            confused += confused_at(tests, place, FRIEND, total)
            pushed |= confused_at(tests, place, MOVER, total)
        elif meeting == _BURST_THROUGH:
            confused += way.friends[place]
        elif meeting == _DESTROYS_STANDS:
            if stands_before(way, place + 1, reached) == 0:
                return halted_state(layout, 0, place, 0, six, pushed, confused)
        else:
            test = confused_at(tests, place, MOVER, total) if meeting == _HALTS_AND_TESTS else 1
            return halted_state(layout, 0, place, test, six, pushed, confused)
    return moving_state(layout, 0, moved, six, pushed, confused)


@kernel
def tabulated_move(layout: Layout, radix: int, totals: int) -> NDArray[np.uint16]:
    """:func:`after_move` in the first turn: shape (moving states of a turn, totals)."""
    after = np.empty((layout.moving // layout.turns, totals), np.uint16)
    for state in range(after.shape[0]):
        for total in range(totals):
            after[state, total] = after_move(layout, radix, state, total)
    return after


@kernel
def tabulated_obstacles(
    layout: Layout, way: Way, tests: Tests, first: int, last: int, totals: int
) -> NDArray[np.uint16]:
    """:func:`after_obstacles` in the first turn: shape (moving states of a turn, totals)."""
    after = np.empty((layout.moving // layout.turns, totals), np.uint16)
    for state in range(after.shape[0]):
        for total in range(totals):
            after[state, total] = after_obstacles(layout, way, tests, first, last, state, total)
    return after


def in_all_turns(layout: Layout, first_turn: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """A table of the moving states of the first turn, for all turns; a unit that has halted stays: (states, totals)."""
    moving, halted = layout.moving // layout.turns, (layout.states - layout.moving) // layout.turns
    after = np.empty((layout.states, first_turn.shape[1]), np.uint16)
    after[:] = np.arange(layout.states, dtype=np.uint16)[:, None]
    halts = first_turn >= layout.moving
    for lost in range(layout.turns):
        after[lost * moving : (lost + 1) * moving] = first_turn + np.where(halts, lost * halted, lost * moving)
    return after


def is_confused(layout: Layout) -> NDArray[np.bool_]:
    """Whether the unit is confused, in each state at the end of a move; shape (states,)."""
    flags = np.arange(layout.states) // layout.friends
    halted = np.arange(layout.states) - layout.moving >= 0
    return np.where(halted, (np.arange(layout.states) - layout.moving) // layout.friends % 8 > 0, flags % 4 > 0)


def turns_lost(layout: Layout) -> NDArray[np.int64]:
    """The turns lost to confusion before this one, in each state; shape (states,)."""
    moving, halted = layout.moving // layout.turns, (layout.states - layout.moving) // layout.turns
    parts = (np.arange(layout.moving) // moving, np.arange(layout.states - layout.moving) // max(halted, 1))
    return np.concatenate(parts)


def next_turn(layout: Layout) -> NDArray[np.uint16]:
    """The start of the next turn, one more turn lost if the unit was confused (WM-9): shape (states, 1)."""
    lost = np.minimum(turns_lost(layout) + is_confused(layout), layout.turns - 1)
    return (lost * (layout.moving // layout.turns)).astype(np.uint16)[:, None]


def chain_of(question: Question, choice: Choice) -> Chain:
    """The moves of a question under one choice; the law after each of them is recorded."""
    layout = layout_of(question)
    turn = [*_move_phases(question, layout), *_obstacle_phases(question, choice, layout)]
    turn[-1] = replace(turn[-1], recorded=True)
    between = Phase(next_turn(layout))
    phases = list(turn)
    for _ in range(question.turns - 1):
        phases += [between, *turn]
    return Chain(0, tuple(phases))


def _move_phases(question: Question, layout: Layout) -> Iterator[Phase]:
    """The dice for the distance, or its law."""
    if not question.dice:
        law = question.law_of_distance
        after = in_all_turns(layout, tabulated_move(layout, len(law), len(law)))
        yield Phase(after, Die(law), np.ones(layout.states, np.uint16))
        return
    radix = SIDES * DICE_AT_ONCE + 1
    die = Die((0, *(1,) * (SIDES - 1), *(0,) * radix, 1), SIDES)
    for done in range(0, question.dice, DICE_AT_ONCE):
        dice = min(DICE_AT_ONCE, question.dice - done)
        after = in_all_turns(layout, tabulated_move(layout, radix, dice * die.highest + 1))
        yield Phase(after, die, np.full(layout.states, dice, np.uint16))


def _obstacle_phases(question: Question, choice: Choice, layout: Layout) -> Iterator[Phase]:
    """The obstacles, as many at once as their test dice allow."""
    met, ruleset = way_of(question), question.ruleset
    if not met:
        return
    way = Way(
        np.array([each.reached_from for each in met], np.int64),
        np.array([each.stands for each in met], np.int64),
        np.array([each.kind == Kind.FRIEND for each in met], np.int64),
        meetings(question, choice),
        question.stands or ruleset.stands,
    )
    room = min(MOST_TESTS_AT_ONCE, MOST_CELLS // layout.states)
    first = 0
    for rows in _packed(met, room):
        places = [place for place, _, _ in rows]
        last = places[-1] + 1
        dice = np.array([dice for _, _, dice in rows if dice], np.int64)
        tested = [(place, mover) for place, mover, dice in rows if dice]
        values = dice + 1
        worth = np.concatenate([[1], np.cumprod(values)])
        tests = Tests(
            np.array([place for place, _ in tested], np.int64), np.array([mover for _, mover in tested], np.int64),
            worth[:-1], values,
        )  # fmt: skip
        after = tabulated_obstacles(layout, way, tests, first, last, int(worth[-1]))
        six = succeeding(1, SIDES)
        beside = tuple(Beside(six, int(each)) for each, number in zip(worth, dice) for _ in range(number))
        yield Phase(in_all_turns(layout, after), beside=beside)
        first = last if rows[-1][1] else last - 1


def _packed(met: tuple[Met, ...], room: int) -> Iterator[list[tuple[int, int, int]]]:
    """The units that test, in phases of at most `room` combinations: place of the obstacle, mover or not, dice.

    The mover comes last at each obstacle, so that what it has chosen there stands until all of them have tested.
    """
    rows: list[tuple[int, int, int]] = []
    combinations = 1
    for place, each in enumerate(met):
        for mover, dice in (*((FRIEND, tests) for tests in each.friend_tests), (MOVER, each.mover_tests)):
            if rows and combinations * (dice + 1) > room:
                yield rows
                rows, combinations = [], 1
            rows.append((place, mover, dice))
            combinations *= dice + 1
    yield rows
