"""The losses of a duel, round by round (AC-9.2): what one side loses, and how it stands.

What is lost in a round depends on how both sides came out of the round before, so losses of different rounds depend on
each other: a path of losses has its probability as a whole. The exact method propagates the joint distribution of the
pair of states and the path that led to it; Monte Carlo plays every trial round by round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import TooLargeError
from analyser.common.sampling import Sampling
from analyser.engine.chain.paths import Paths
from analyser.morale.games.compare.duel import Fought, Words, fates_of, fought
from analyser.morale.games.compare.question import Question
from analyser.morale.games.compare.stream import FATES
from analyser.results.states import is_removed, run, simulation_of

if TYPE_CHECKING:
    from analyser.engine.fight.sampled.simulation import Simulation

MOST_STATES = 4000  # pairs of states whose next round is worked out: some seconds
MOST_ENTRIES = 4_000_000  # pairs of states with the losses that led to them
MOST_PATHS = 20_000
BATCH = 1 << 20  # trials that are played side by side


class Stream(NamedTuple):
    """What a side of a duel loses, and how it stands.

    Attributes
    ----------
    paths : Paths
        Models lost, round by round.
    fates : float64 or int64 array, shape (rounds, 4)
        The weight of each fate at the end of each round.
    """

    paths: Paths
    fates: NDArray[Any]


class _Round(NamedTuple):
    """What a round comes to from one pair of states: by probability, or by how often it was seen."""

    after: NDArray[np.int64]  # places of the pairs that follow
    lost: NDArray[np.int64]
    weights: NDArray[Any]


class _Pairs:
    """The pairs of states of a duel as they are met, each with its number."""

    def __init__(self, duel: Fought) -> None:
        self._duel = duel
        self.words: list[Words] = []
        self._places: dict[Words, int] = {}
        self._rounds: dict[int, _Round] = {}
        self._simulation: Simulation | None = None
        self.places_of([duel.start[0]], [duel.start[1]])

    def places_of(self, first: list[int], second: list[int]) -> NDArray[np.int64]:
        """The numbers of some pairs."""
        for pair in zip(first, second):
            if pair not in self._places:
                self._places[pair] = len(self.words)
                self.words.append(pair)
        return np.array([self._places[pair] for pair in zip(first, second)], np.int64)

    def mine(self) -> NDArray[np.int64]:
        """The states of the side that is looked at, by number of the pair."""
        return np.array(self.words, np.int64)[:, self._duel.side]

    def ended(self, place: int, how: Sampling) -> _Round:
        """Where a round from a pair leads, what is lost in it, and how likely or often that is.

        A duel that is over stays as it is: the rounds that are left change nobody's losses or fate.
        """
        duel, words = self._duel, self.words[place]
        if is_removed(np.array(words)).any():
            return _Round(np.array([place]), np.zeros(1, np.int64), np.array([how.trials or 1.0]))
        if self._simulation is None and how.method != "exact":
            self._simulation = simulation_of(duel.setup, [duel.round], duel.scenario.ruleset, replacement=True)
        (endings,) = run(duel.setup, [duel.round], words, duel.scenario.ruleset, how, self._simulation)
        after = self.places_of(endings.first.tolist(), endings.second.tolist())
        lost = duel.lost(duel.words(endings)) - duel.lost(np.array([words[duel.side]]))[0]
        return _Round(after, lost, endings.weights)

    def round_from(self, place: int) -> _Round:
        """The law of a round from a pair, worked out once."""
        if place not in self._rounds:
            if len(self._rounds) >= MOST_STATES:
                raise _too_large(f"{MOST_STATES} pairs of states")
            self._rounds[place] = self.ended(place, Sampling())
        return self._rounds[place]


def _too_large(what: str) -> TooLargeError:
    problem = f"the losses of this duel come in too many courses: more than {what}"
    return TooLargeError(problem, where="duel", less="fewer rounds or models")


def exact_stream(question: Question) -> Stream:
    """The joint law of the losses in all rounds.

    Raises
    ------
    TooLargeError
        More states, or more courses of losses, than can be followed.
    """
    duel, models = fought(question), question.models
    pairs, numbers = _Pairs(duel), np.zeros((1, 0), np.int64)
    course, place, chance = np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1)
    fates = np.zeros((question.rounds_played, len(FATES)))
    for turn in range(question.rounds_played):
        keys, chance = _one_round(pairs, course * (models + 1), place, chance)
        course, place = keys
        courses, course = np.unique(course, return_inverse=True)
        numbers = np.column_stack([numbers[courses // (models + 1)], courses % (models + 1)])
        if len(numbers) > MOST_PATHS:
            raise _too_large(f"{MOST_PATHS} of them")
        fates[turn] = np.bincount(fates_of(pairs.mine()[place]), chance, len(FATES))
    return Stream(Paths(numbers, np.bincount(course, chance)), fates)


def _one_round(
    pairs: _Pairs, course: NDArray[np.int64], place: NDArray[np.int64], chance: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Paths and places after a round, each pair of them once, and their chances; `course` has room for a number."""
    parts, size = [], 0
    for each in np.unique(place):
        found, rows = pairs.round_from(int(each)), np.flatnonzero(place == each)
        size += len(rows) * len(found.after)
        if size > MOST_ENTRIES:
            raise _too_large(f"{MOST_ENTRIES} states with the losses that led to them")
        keys = np.array([(course[rows, None] + found.lost).ravel(), np.tile(found.after, len(rows))])
        parts.append((keys, (chance[rows, None] * found.weights).ravel()))
    keys, chances = (np.concatenate(part, axis=-1) for part in zip(*parts))
    order = np.lexsort(keys)
    keys, chances = keys[:, order], chances[order]
    firsts = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    return keys[:, firsts], np.add.reduceat(chances, firsts)


def sampled_stream(question: Question, sampling: Sampling, trials: int) -> Stream:
    """What was lost in each round of so many duels, played round by round: every die rolled, every card drawn."""
    duel = fought(question)
    fates = np.zeros((question.rounds_played, len(FATES)), np.int64)
    seen: dict[tuple[int, ...], int] = {}
    for batch, done in enumerate(range(0, trials, BATCH)):
        some = min(BATCH, trials - done)

        def played(rounds: int, done: int = done, some: int = some) -> None:
            sampling.report(done + some * rounds // question.rounds_played, trials)

        for course, count in _batch(question, duel, some, (sampling.seed, batch), sampling.n_threads, fates, played):
            seen[course] = seen.get(course, 0) + count
    courses = sorted(seen)
    return Stream(Paths(np.array(courses, np.int64), np.array([seen[each] for each in courses], np.int64)), fates)


def _batch(
    question: Question, duel: Fought, trials: int, seed: tuple[int, int], threads: int, fates: NDArray[np.int64],
    played: Callable[[int], None],
) -> list[tuple[tuple[int, ...], int]]:  # fmt: skip
    """The courses of one batch of duels, and how often each was seen; `fates` are added to."""
    pairs, models = _Pairs(duel), question.models
    place, course, numbers = np.zeros(trials, np.int64), np.zeros(trials, np.int64), np.zeros((1, 0), np.int64)
    for turn in range(question.rounds_played):
        stream = np.random.default_rng((*seed, turn))
        place, lost = _played(pairs, place, stream, threads)
        courses, course = np.unique(course * (models + 1) + lost, return_inverse=True)
        numbers = np.column_stack([numbers[courses // (models + 1)], courses % (models + 1)])
        fates[turn] += np.bincount(fates_of(pairs.mine()[place]), minlength=len(FATES))
        played(turn + 1)
    return [(tuple(row), int(count)) for row, count in zip(numbers.tolist(), np.bincount(course))]


def _played(
    pairs: _Pairs, place: NDArray[np.int64], stream: np.random.Generator, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each trial stands after a round, and what it has lost in it.

    Trials in one state are played together; which of them each result is that of is shuffled, as they are alike.
    """
    after, lost = np.empty_like(place), np.empty_like(place)
    short = place.astype(np.uint16) if len(pairs.words) < 1 << 16 else place  # which is sorted much faster
    by_place = np.argsort(short, kind="stable")
    starts = np.flatnonzero(np.diff(place[by_place], prepend=-1))
    for rows in np.split(by_place, starts[1:]):
        how = Sampling(
            "monte-carlo", trials=len(rows), seed=int(stream.integers(1 << 63)), threads=threads, replacement=True
        )
        found = pairs.ended(int(place[rows[0]]), how)
        drawn = stream.permutation(np.repeat(np.arange(len(found.after)), found.weights))
        after[rows], lost[rows] = found.after[drawn], found.lost[drawn]
    return after, lost
