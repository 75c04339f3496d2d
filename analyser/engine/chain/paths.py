"""Games whose rounds depend on numbers that come from elsewhere, such as the losses of a fight: exact, and rolled.

A course is one run of such numbers, one a round; each number has a turn, the phases that are played in a round with
it. Numbers of different rounds may hang together in any way: a course has its weight as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import UNTOLD, Chain, Extent, Phase, Recorded, States, each_once
from analyser.engine.chain.exact import Search, Tables, pushed_through, too_large
from analyser.engine.chain.layout import Row, sheet_for
from analyser.engine.chain.on_demand import CHUNK_TRIALS as FEWER_TRIALS
from analyser.engine.chain.on_demand import CHUNKS_A_PART, Wanderers
from analyser.engine.chain.sampled import CHUNK_TRIALS, Sample

MOST_NUMBERS = 1 << 27  # of laws that are followed side by side: courses times states

Turn = Sequence[Phase]


class Courses(NamedTuple):
    """All courses that are possible, or that were seen.

    Attributes
    ----------
    numbers : int64 array, shape (courses, rounds)
        Each row once.
    weights : float64 or int64 array, shape (courses,)
        The probability of each, or how often it was seen.
    """

    numbers: NDArray[np.int64]
    weights: NDArray[np.float64] | NDArray[np.int64]


class Game(NamedTuple):
    """A game that is played along courses.

    Attributes
    ----------
    start : int
    turns : sequence of sequences of Phase
        The phases of a round with the number 0, 1, …; one of them recorded.
    size : int
        States are whole numbers below it. Default: as many as the first phase's array has.
    extent : Extent
        What makes it so large.
    """

    start: int
    turns: Sequence[Turn]
    size: int = 0
    extent: Extent = UNTOLD

    @property
    def chain(self) -> Chain:
        """All its turns one after the other."""
        return Chain(self.start, tuple(phase for turn in self.turns for phase in turn), self.size, self.extent)


def laws_along(game: Game, courses: Courses) -> Recorded:
    """The law of the state after the recorded phase of each round.

    Parameters
    ----------
    game : Game
    courses : Courses
        With probabilities.

    Raises
    ------
    TooLargeError
    """
    turns, tables = game.turns, Tables(_states_along(game, courses))
    states = len(tables.states)
    if states * len(courses.numbers) > MOST_NUMBERS:
        raise too_large(game.chain)
    recorded = np.zeros((courses.numbers.shape[1], states))
    laws = np.zeros((1, states))
    laws[0, tables.numbers_of(np.array([game.start]))] = 1.0
    so_far = np.zeros(len(courses.numbers), np.int64)  # courses with the same numbers so far share one law
    for turn, numbers in enumerate(courses.numbers.T):
        together, so_far = np.unique(so_far * len(turns) + numbers, return_inverse=True)
        weights = np.bincount(so_far, courses.weights)
        befores, now = together // len(turns), together % len(turns)
        after = np.empty((len(together), states))
        for number in np.unique(now):
            law = laws[befores[now == number]]
            for phase in turns[number]:
                law = pushed_through(law, tables.of(phase))
                if phase.recorded:
                    recorded[turn] += weights[now == number] @ law
            after[now == number] = law
        laws = after
    return Recorded(tables.states, recorded)


def _states_along(game: Game, courses: Courses) -> States:
    """All states, where they are few; else those that can be reached along the courses."""
    chain = game.chain
    if chain.is_small:
        return np.arange(chain.states)
    search, now = Search(chain), np.array([game.start])
    for numbers in courses.numbers.T:
        after = []
        for number in np.unique(numbers):
            states = now
            for phase in game.turns[number]:
                states = search.through(states, phase)
            after.append(states)
        now = each_once(np.concatenate(after))
    return search.found


def counts_along(game: Game, courses: Courses, seed: int, part: int = 0, threads: int = 1) -> Recorded:
    """How many trials were in each state after the recorded phase of each round.

    Every trial plays the course that it has seen, and every die of it is rolled.

    Parameters
    ----------
    game : Game
    courses : Courses
        With counts.
    seed : int
    part : int
        Which of several games of one question this is: each has random numbers of its own.
    threads : int
        The counts do not depend on it.
    """
    chain = game.chain
    return (_counts_by_tables if chain.is_small else _counts_on_demand)(game, chain, courses, seed, part, threads)


def _counts_by_tables(game: Game, chain: Chain, courses: Courses, seed: int, part: int, threads: int) -> Recorded:
    sheet = sheet_for(chain)
    ends = np.cumsum([len(turn) for turn in game.turns])
    rows = np.split(sheet.script, ends[:-1])
    slot = Row._fields.index("slot")
    counts = np.zeros((courses.numbers.shape[1], sheet.states), np.int64)
    first = part * CHUNKS_A_PART
    for numbers, trials in zip(courses.numbers.tolist(), courses.weights.tolist()):
        script = np.concatenate([rows[number] for number in numbers])
        recorded = script[:, slot] >= 0
        script[recorded, slot] = np.arange(len(numbers))
        sample = Sample(sheet._replace(script=script, slots=len(numbers)), seed, first)
        sample.play(trials, threads, lambda _: None)
        counts += sample.counts
        first += -(-trials // CHUNK_TRIALS)
    return Recorded(np.arange(chain.states), counts)


def _counts_on_demand(game: Game, chain: Chain, courses: Courses, seed: int, part: int, threads: int) -> Recorded:
    wanderers, first = Wanderers(chain, courses.numbers.shape[1], seed, part), 0
    for numbers, trials in zip(courses.numbers.tolist(), courses.weights.tolist()):
        phases = tuple(phase for number in numbers for phase in game.turns[number])
        wanderers.play(phases, trials, threads, lambda _: None, first)
        first += -(-trials // FEWER_TRIALS)
    return wanderers.recorded()
