"""Warmaster: moves without orders, such as drive-backs, and the confusion that they cause (WM-1 to WM-8)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from enum import IntEnum
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from analyser.common.text import counted
from analyser.engine.chain.chain import RECORD, Chain, Die, ExtraDie, Fields, Phase, States, Story, fair_die
from analyser.morale.games.warmaster.question import FOES, Kind, Obstacle, Question
from analyser.morale.questions import exact_fraction

Choice = Literal["always", "never", "fewest confused"]
CHOICES: tuple[Choice, ...] = get_args(Choice)
NO_SIX = Fraction(5, 6)
DIE_SIDES = 6
Number = Any  # an integer, or an array with an integer for each state


class Meeting(IntEnum):
    """Result of meeting an obstacle."""

    MAKES_WAY = 0
    HALTS_AND_TESTS = 1
    HALTS_CONFUSED = 2
    DESTROYS_STANDS = 3
    BURST_THROUGH = 4


def is_confused_by(sixes: Number) -> Any:
    """Return True if this many sixes confuse a unit; a single six is enough (WM-1, WM-2, WM-4, WM-7)."""
    return sixes > 0


def meeting_result(move: str, kind: Kind, makes_way: bool) -> Meeting:
    """Return the result of meeting an obstacle, which may be a friend that `makes_way` (WM-2 to WM-6, WM-8)."""
    if kind == "friend" and move == "evades":
        return Meeting.BURST_THROUGH
    if kind == "friend" and makes_way:
        return Meeting.MAKES_WAY
    if move == "retreats":
        return Meeting.DESTROYS_STANDS
    return Meeting.HALTS_AND_TESTS if kind == "impassable" else Meeting.HALTS_CONFUSED


class ObstacleOnWay(NamedTuple):
    """An obstacle on the way, with the distances, dice and stands that the rules derive for it."""

    obstacle: Obstacle
    kind: Kind
    halt: float  # centimetres after which the unit stops if it cannot pass
    reached_from: int  # shortest move that reaches it, in whole centimetres
    mover_tests: int  # dice of the mover if the friend makes way (WM-4), or at the edge of terrain (WM-2)
    friend_tests: tuple[int, ...]  # dice of each friend that makes way
    stands: int  # stands of the mover that it blocks


@lru_cache(maxsize=16)
def obstacles_of(question: Question) -> tuple[ObstacleOnWay, ...]:
    """Return the obstacles on the way, friends included, in the order in which they affect the unit.

    The nearest comes first; `sort_key` decides between obstacles at the same distance.
    """

    def sort_key(entry: ObstacleOnWay) -> tuple[float, int, bool, float, bool]:
        last = (entry.kind == "friend") != question.ruleset.touching_is_into
        return entry.halt, entry.reached_from, last, entry.obstacle.distance, entry.kind == "impassable"

    return tuple(sorted((_obstacle_on_way(question, obstacle) for obstacle in question.obstacles), key=sort_key))


def reached_by(way: tuple[ObstacleOnWay, ...], moved: Any) -> Any:
    """Return the number of obstacles that a move reaches, for each of its lengths in centimetres."""
    return np.searchsorted([entry.reached_from for entry in way], moved, side="right")


def _obstacle_on_way(question: Question, obstacle: Obstacle) -> ObstacleOnWay:
    ruleset, kind = question.ruleset, obstacle.kind
    keeps_gap = kind in FOES
    halt = exact_fraction(obstacle.distance) - (exact_fraction(ruleset.gap) if keeps_gap else 0)
    stop = max(halt, Fraction(0))
    touching = ruleset.touching_is_into and not keeps_gap
    reached_from = math.ceil(stop) if touching else math.floor(stop) + 1
    if halt < 0 and question.move == "falls_back":
        reached_from = 0  # the unit is too near before the move, so any distance reaches the obstacle (WM-3)
    mover_tests, friend_tests, everyone = 0, tuple[int, ...](), ruleset.tests_for_chain == "all"
    if kind == "impassable" and question.move != "evades":  # one die for terrain (WM-2)
        mover_tests = 1
    elif kind == "friend" and question.move != "evades":  # one die for each friend that it pushes (WM-4)
        mover_tests = 1 + obstacle.chain if everyone else 1
        friend_tests = tuple(1 + (n if everyone else min(n, 1)) for n in range(obstacle.chain, -1, -1))
    stands = obstacle.stands or question.stands or ruleset.stands
    return ObstacleOnWay(obstacle, kind, float(stop), reached_from, mover_tests, friend_tests, stands)


def choices_of(question: Question) -> tuple[Choice, ...]:
    """Return the choices that differ: only one if no friend leaves the player a choice."""
    optional = [entry for entry in obstacles_of(question) if entry.kind == "friend" and entry.obstacle.make_way is None]
    return CHOICES if optional and question.move != "evades" else CHOICES[:1]


def meeting_results(question: Question, choice: Choice) -> NDArray[np.int64]:
    """Return the result of meeting each obstacle, by number of obstacles reached and confusion of the mover (0, 1)."""
    way, sees_dice = obstacles_of(question), choice == "fewest confused" and question.move != "retreats"
    stated = [entry.obstacle.make_way for entry in way]
    always = [(choice != "never" if stated_choice is None else stated_choice,) * 2 for stated_choice in stated]
    results = np.zeros((len(way), len(way) + 1, 2), np.int64)
    for reached in range(len(way) + 1):
        makes_way = _choices_for_fewest(way[:reached]) if sees_dice else always
        for index, entry in enumerate(way[:reached]):
            for confused in range(2):
                results[index, reached, confused] = meeting_result(
                    question.move, entry.kind, makes_way[index][confused]
                )
    return results


def _choices_for_fewest(way: tuple[ObstacleOnWay, ...]) -> list[tuple[bool, bool]]:
    """Return which friends make way so that the mean number of confused units is least, by backward induction."""
    more = [Fraction(0)] * 2  # mean number of units confused later, if the mover is not confused yet, and if it is
    choices: list[tuple[bool, bool]] = []  # by obstacle: the choice if the mover is not confused yet, and if it is
    for entry in reversed(way):
        refused = [1 - NO_SIX if entry.kind == "impassable" else Fraction(1), Fraction(0)]
        friends = sum((1 - NO_SIX**tests for tests in entry.friend_tests), Fraction(0))
        steady, stated = NO_SIX**entry.mover_tests, entry.obstacle.make_way
        pushed = [friends + steady * more[0] + (1 - steady) * (1 + more[1]), friends + more[1]]
        best = (pushed[0] <= refused[0], pushed[1] <= refused[1]) if stated is None else (stated, stated)
        best = best if entry.kind == "friend" else (False, False)
        more = [pushed[confused] if best[confused] else refused[confused] for confused in range(2)]
        choices.insert(0, best)
    return choices


class MoveState(NamedTuple):
    """Fields of states, as arrays of the shape of the states."""

    moved: NDArray[np.int64]  # centimetres moved
    halted_at: NDArray[np.int64]  # index of the obstacle at which the unit has halted; -1 if it has not halted
    friends: NDArray[np.int64]  # number of confused friends
    test: NDArray[np.bool_]  # True if confused by halting at the obstacle, with or without a test
    six: NDArray[np.bool_]  # True if confused by its drive-back dice
    pushed: NDArray[np.bool_]  # True if confused by friends that made way


class Mover:
    """A unit and the obstacles on its way, under a choice of the player, with states as integers."""

    def __init__(self, question: Question, choice: Choice) -> None:
        self.question, self.way = question, obstacles_of(question)
        self.full_stands = question.stands or question.ruleset.stands
        self.retreats = question.move == "retreats"
        self._results = meeting_results(question, choice)
        self.farthest = 6 * question.dice if question.dice else len(question.distance or ()) - 1  # in centimetres
        self.n_friend_counts = 1 + sum(max(len(entry.friend_tests), entry.kind == "friend") for entry in self.way)
        flags = {"test": 2, "six": 2, "pushed": 2, "friends": self.n_friend_counts}
        stops = len(self.way) + 1  # `halted_at` is 0 on the move, or the index of an obstacle plus 1
        self.fields = Fields({"moved": self.farthest + 1, "halted_at": stops, **flags})

    def read(self, states: States) -> MoveState:
        """Return the fields of states."""
        moved, stop, *flags, friends = (self.fields.get(name, states) for name in self.fields.sizes)
        return MoveState(moved, stop - 1, friends, *(flag == 1 for flag in flags))

    def is_confused(self, fields: MoveState) -> Any:
        """Return True if the unit is confused at the end of a move and still has stands (WM-8)."""
        return (fields.test | fields.six | fields.pushed) & ~((fields.halted_at >= 0) & self.retreats)

    def stands_destroyed(self, fields: MoveState) -> Any:
        """Return the number of stands that a retreat destroys (WM-8)."""
        destroys = self._results[:, -1, 0] == Meeting.DESTROYS_STANDS
        blocked = np.cumsum([0, *(entry.stands * hit for entry, hit in zip(self.way, destroys.tolist()))])
        lost = np.minimum(blocked[reached_by(self.way, fields.moved)], self.full_stands)
        return np.where(fields.halted_at >= 0, self.full_stands, lost)

    def possible_meetings(self) -> Iterator[tuple[Kind, Meeting]]:
        """Yield each kind of obstacle that the unit can meet, with the result, until an obstacle always halts it."""
        pmf = self.question.distance
        moves = [distance for distance in range(self.farthest + 1) if not pmf or pmf[distance]]
        for number in sorted(set(reached_by(self.way, moves).tolist())):
            for index, entry in enumerate(self.way[:number]):
                results = {Meeting(result) for result in self._results[index, number].tolist()}
                yield from ((entry.kind, result) for result in results)
                if results <= {Meeting.HALTS_CONFUSED, Meeting.HALTS_AND_TESTS}:
                    break

    def chain(self) -> Chain:
        """Return the chain of the move; it records the state at the end."""
        question, die = self.question, fair_die(DIE_SIDES) if self.question.dice else Die(self.question.distance or ())
        title = "Drive-back die (WM-1)" if question.dice else "The move, centimetres"
        phases = [self._phase(self._after_die, die, title)] * (question.dice or 1)
        for index, entry in enumerate(self.way):
            title = f"{_word_of(entry).capitalize()} at {entry.obstacle.distance:g} cm (WM-2 to WM-8)"
            tests = combined_tests(entry.friend_tests, entry.mover_tests)
            phases.append(self._phase(partial(self._after_obstacle, index), tests, title))
        obstacles = f"{len(self.way)} obstacles and {self.n_friend_counts - 1} friends"
        what = f"a move of up to {self.farthest} cm past {obstacles}"
        story = Story(self._read, "Turn")
        return Chain(0, (*phases, RECORD), self.fields.size, what, "fewer dice or friends", story)

    def _read(self, state: int) -> dict[str, Any]:
        fields = self.read(np.array([state]))
        confused, index = bool(self.is_confused(fields)[0]), int(fields.halted_at[0])
        at = f"halts at the {_word_of(self.way[index])}" if index >= 0 else "on the move"
        labels: dict[str, Any] = {"the unit": at}
        labels |= {"centimetres moved": int(fields.moved[0])} if index < 0 else {}
        labels |= {"confused": confused, "friends confused": int(fields.friends[0])}
        return labels | ({"stands destroyed": int(self.stands_destroyed(fields)[0])} if self.retreats else {})

    def _phase(self, change: Callable[[MoveState, Any], Any], die: Die, title: str) -> Phase:
        """Return a phase that changes the states of a unit on the move."""

        def next_states(states: States, totals: Any) -> States:
            moving = self.fields.get("halted_at", states[:, 0]) == 0
            after = np.repeat(states, len(totals), axis=1)
            after[moving] = change(self.read(states[moving]), totals)
            return after

        return Phase(next_states, extra_dice=(ExtraDie(die, 1),), title=title)

    def _after_die(self, fields: MoveState, total: Any) -> Any:
        """Return the states after a drive-back die (WM-1), or after the distance of another move."""
        six = fields.six | ((self.question.dice is not None) & is_confused_by(total == DIE_SIDES))
        moved = np.minimum(fields.moved + total, self.farthest)
        return self.fields.pack(moved=moved, six=six)

    def _after_obstacle(self, index: int, fields: MoveState, totals: Any) -> Any:
        """Return the states after an obstacle, with its tests (WM-2 to WM-8).

        A total is the number of friends with a 6, plus ``number of friends + 1`` if the mover has a 6.
        """
        entry, reached = self.way[index], reached_by(self.way, fields.moved)
        mover, friends = np.divmod(totals, len(entry.friend_tests) + 1)
        results = self._results[index, reached, (fields.six | fields.pushed) * 1]
        result = np.where(reached > index, results, -1)
        stands = np.array([before.stands for before in self.way[: index + 1]])
        blocked = stands @ (self._results[: index + 1, :, 0] == Meeting.DESTROYS_STANDS)
        halting = [result == meeting for meeting in (Meeting.HALTS_AND_TESTS, Meeting.HALTS_CONFUSED)]
        no_stands = (result == Meeting.DESTROYS_STANDS) & (self.full_stands <= blocked[reached])
        confused = {"pushed": fields.pushed, "friends": fields.friends, "test": np.select(halting, [mover, 1], 0)}
        halted = self.fields.pack(halted_at=index + 1, six=fields.six, **confused)
        makes_way, bursts = result == Meeting.MAKES_WAY, result == Meeting.BURST_THROUGH
        more_friends = makes_way * friends + bursts * (entry.kind == "friend")
        pushed = fields.pushed | (makes_way & (mover == 1))
        all_friends = fields.friends + more_friends
        passed = self.fields.pack(moved=fields.moved, six=fields.six, pushed=pushed, friends=all_friends)
        return np.where(np.any(halting, axis=0) | no_stands, halted, passed)


@lru_cache(maxsize=16)
def mover_of(question: Question, choice: Choice) -> Mover:
    """Return the mover; cached, because chain, answer and rules all use it."""
    return Mover(question, choice)


@cache
def combined_tests(friends: tuple[int, ...], mover: int) -> Die:
    """Return all tests as one die: the number of friends with a 6, plus ``len(friends) + 1`` if the mover has a 6.

    >>> combined_tests((1,), 1).pmf.round(4).tolist()
    [0.6944, 0.1389, 0.1389, 0.0278]
    """
    weights = np.ones(1)
    for dice in friends:
        passing = float(NO_SIX**dice)
        weights = np.convolve(weights, [passing, 1 - passing])
    passing = float(NO_SIX**mover)
    products = np.concatenate([passing * weights, (1 - passing) * weights])
    words = tuple(_in_words(value, len(friends), mover) for value in range(len(products)))
    return Die(tuple(products.tolist()), words=words)


def _word_of(entry: ObstacleOnWay) -> str:
    return "impassable terrain" if entry.kind == "impassable" else entry.kind


def _in_words(value: int, friends: int, mover: int) -> str:
    mover_failed, failed = divmod(value, friends + 1)
    of_friends = [f"{failed} of {counted(friends, 'friend')} with a 6"] if friends else []
    return ", ".join([*of_friends, *([f"the unit with{'' if mover_failed else 'out'} a 6"] if mover else [])])
