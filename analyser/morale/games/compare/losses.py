"""The losses of a duel, round by round (AC-9.2): what one side loses, and how it stands.

What is lost in a round depends on how both sides came out of the round before, so losses of different rounds depend on
each other: a path of losses has its probability as a whole. The exact method propagates the joint distribution of the
pair of states and the path that led to it; Monte Carlo plays every trial round by round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import TooLargeError
from analyser.common.sampling import Sampling
from analyser.engine.chain.paths import Paths
from analyser.morale.games.compare.duel import Fought, Pair, fought
from analyser.morale.games.compare.question import Question
from analyser.morale.games.compare.systems import GONE, NERVES, ROUTED, SHAKEN, STEADY
from analyser.results.states import flag, is_removed, run, simulation_of

if TYPE_CHECKING:
    from analyser.engine.fight.sampled.simulation import Simulation

MOST_STATES = 4000  # pairs of states whose next round is worked out: some seconds
MOST_ENTRIES = 4_000_000  # pairs of states with the losses that led to them
MOST_PATHS = 20_000
BATCH = 1 << 20  # trials that are played side by side


class Stream(NamedTuple):
    """What a side of a duel loses, and how it stands."""

    paths: Paths  # models lost, round by round
    fates: NDArray[Any]  # the weight of each fate at the end of each round: shape (rounds, 4)


def fates_of(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """How a unit stands: gone, fallen back since it was activated, suppressed or disordered, or steady."""
    shaken = flag(states, "suppressed") | flag(states, "disordered")
    return np.select([is_removed(states), flag(states, "fell_back"), shaken], [GONE, ROUTED, SHAKEN], STEADY)


class _Round(NamedTuple):
    """What a round comes to from one pair of states: by probability, or by how often it was seen."""

    after: NDArray[np.int64]  # numbers of the pairs that follow
    lost: NDArray[np.int64]
    weights: NDArray[Any]


class _Pairs:
    """The pairs of states of a duel as they are met, each with its number."""

    def __init__(self, duel: Fought) -> None:
        self._duel = duel
        self.states: list[Pair] = []
        self._numbers: dict[Pair, int] = {}
        self._rounds: dict[int, _Round] = {}
        self._simulation: Simulation | None = None
        self.numbers_of([duel.start[0]], [duel.start[1]])

    def numbers_of(self, first: list[int], second: list[int]) -> NDArray[np.int64]:
        """The numbers of some pairs."""
        for pair in zip(first, second):
            if pair not in self._numbers:
                self._numbers[pair] = len(self.states)
                self.states.append(pair)
        return np.array([self._numbers[pair] for pair in zip(first, second)], np.int64)

    def fates(self, pairs: NDArray[np.int64], weights: NDArray[Any] | None = None) -> NDArray[Any]:
        """The weight of each fate of the side that is looked at, from those of some pairs."""
        return np.bincount(fates_of(np.array(self.states)[:, self._duel.side])[pairs], weights, len(NERVES))

    def ended(self, number: int, sampling: Sampling) -> _Round:
        """Where a round from a pair leads, what is lost in it, and how likely or often that is.

        A duel that is over stays as it is: the rounds that are left change nobody's losses or fate.
        """
        duel, pair = self._duel, self.states[number]
        if is_removed(np.array(pair)).any():
            return _Round(np.array([number]), np.zeros(1, np.int64), np.array([sampling.trials or 1.0]))
        if self._simulation is None and not sampling.is_exact:
            self._simulation = simulation_of(duel.setup, [duel.round], duel.scenario.ruleset, replacement=True)
        (endings,) = run(duel.setup, [duel.round], pair, duel.scenario.ruleset, sampling, self._simulation)
        after = self.numbers_of(endings.first.tolist(), endings.second.tolist())
        lost = duel.lost(duel.states_of_side(endings)) - duel.lost(np.array([pair[duel.side]]))[0]
        return _Round(after, lost, endings.weights)

    def round_from(self, number: int) -> _Round:
        """The distribution of a round from a pair, worked out once."""
        if number not in self._rounds:
            if len(self._rounds) >= MOST_STATES:
                raise _too_large(f"{MOST_STATES} pairs of states")
            self._rounds[number] = self.ended(number, Sampling())
        return self._rounds[number]


def _too_large(what: str) -> TooLargeError:
    problem = f"the losses of this duel come in too many courses: more than {what}"
    return TooLargeError(problem, where="duel", less="fewer rounds or models")


def _extended(
    numbers: NDArray[np.int64], models: int, path: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All paths one round longer, and the row of each of `path`: the row so far times (models + 1), plus the loss."""
    paths, path = np.unique(path, return_inverse=True)
    return np.column_stack([numbers[paths // (models + 1)], paths % (models + 1)]), path


def exact_stream(question: Question) -> Stream:
    """The joint distribution of the losses in all rounds.

    Raises
    ------
    TooLargeError
        More states, or more paths of losses, than can be followed.
    """
    models, pairs, numbers = question.models, _Pairs(fought(question)), np.zeros((1, 0), np.int64)
    path, pair, probability = np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1)
    fates = np.zeros((question.rounds_played, len(NERVES)))
    for turn in range(question.rounds_played):
        (path, pair), probability = _one_round(pairs, path * (models + 1), pair, probability)
        numbers, path = _extended(numbers, models, path)
        if len(numbers) > MOST_PATHS:
            raise _too_large(f"{MOST_PATHS} of them")
        fates[turn] = pairs.fates(pair, probability)
    return Stream(Paths(numbers, np.bincount(path, probability)), fates)


def _one_round(
    pairs: _Pairs, path: NDArray[np.int64], pair: NDArray[np.int64], probability: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Paths and pairs after a round, each once, and their probabilities; `path` has room for a number."""
    parts, size = [], 0
    for each in np.unique(pair):
        ends, rows = pairs.round_from(int(each)), np.flatnonzero(pair == each)
        size += len(rows) * len(ends.after)
        if size > MOST_ENTRIES:
            raise _too_large(f"{MOST_ENTRIES} states with the losses that led to them")
        keys = np.array([(path[rows, None] + ends.lost).ravel(), np.tile(ends.after, len(rows))])
        parts.append((keys, (probability[rows, None] * ends.weights).ravel()))
    keys, probabilities = (np.concatenate(part, axis=-1) for part in zip(*parts))
    order = np.lexsort(keys)
    keys, probabilities = keys[:, order], probabilities[order]
    firsts = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    return keys[:, firsts], np.add.reduceat(probabilities, firsts)


def sampled_stream(question: Question, sampling: Sampling) -> Stream:
    """What was lost in each round of the duels, played round by round: every die rolled, every card drawn."""
    duel, models, rounds, trials = fought(question), question.models, question.rounds_played, sampling.first_trials()
    fates, batches = np.zeros((rounds, len(NERVES)), np.int64), []
    for batch, done in enumerate(range(0, trials, BATCH)):
        some = min(BATCH, trials - done)
        pairs, numbers = _Pairs(duel), np.zeros((1, 0), np.int64)
        pair, path = np.zeros(some, np.int64), np.zeros(some, np.int64)
        for turn in range(rounds):
            stream = np.random.default_rng((sampling.seed, batch, turn))
            pair, lost = _played(pairs, pair, stream, sampling.n_threads)
            numbers, path = _extended(numbers, models, path * (models + 1) + lost)
            fates[turn] += pairs.fates(pair)
            sampling.report(done + some * (turn + 1) // rounds, trials)
        batches.append((numbers, np.bincount(path)))
    numbers, counts = (np.concatenate(part) for part in zip(*batches))
    numbers, row = np.unique(numbers, axis=0, return_inverse=True)
    return Stream(Paths(numbers, np.bincount(row.ravel(), counts).astype(np.int64)), fates)


def _played(
    pairs: _Pairs, pair: NDArray[np.int64], stream: np.random.Generator, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each trial stands after a round, and what it has lost in it.

    Trials in one state are played together; which of them each result is that of is shuffled, as they are exchangeable.
    """
    after, lost = np.empty_like(pair), np.empty_like(pair)
    short = pair.astype(np.uint16) if len(pairs.states) < 1 << 16 else pair  # which is sorted much faster
    by_pair = np.argsort(short, kind="stable")
    starts = np.flatnonzero(np.diff(pair[by_pair], prepend=-1))
    for rows in np.split(by_pair, starts[1:]):
        seed = int(stream.integers(1 << 63))
        sampling = Sampling("monte-carlo", len(rows), seed, threads=threads, replacement=True)
        ends = pairs.ended(int(pair[rows[0]]), sampling)
        drawn = stream.permutation(np.repeat(np.arange(len(ends.after)), ends.weights))
        after[rows], lost[rows] = ends.after[drawn], ends.lost[drawn]
    return after, lost
