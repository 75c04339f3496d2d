"""Games whose rounds depend on numbers that come from elsewhere, such as the losses of a fight: exact, and rolled.

A course is one run of such numbers, one a round; each number has a turn, the phases that are played in a round with
it. Numbers of different rounds may hang together in any way: a course has its weight as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Chain, Phase, pushed_through
from analyser.engine.throw_sheet import Row, sheet_for
from analyser.engine.throws import CHUNK_TRIALS, CHUNKS_A_PART, Sample

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


def laws_along(start: int, turns: Sequence[Turn], courses: Courses) -> NDArray[np.float64]:
    """The law of the state after the recorded phase of each round: shape (rounds, states).

    Parameters
    ----------
    start : int
    turns : sequence of sequences of Phase
        The phases of a round with the number 0, 1, …; one of them recorded.
    courses : Courses
        With probabilities.
    """
    states = len(turns[0][0].after)
    recorded = np.zeros((courses.numbers.shape[1], states))
    laws = np.zeros((1, states))
    laws[0, start] = 1.0
    so_far = np.zeros(len(courses.numbers), np.int64)  # courses with the same numbers so far share one law
    for turn, numbers in enumerate(courses.numbers.T):
        together, so_far = np.unique(so_far * len(turns) + numbers, return_inverse=True)
        weights = np.bincount(so_far, courses.weights)
        befores, now = together // len(turns), together % len(turns)
        after = np.empty((len(together), states))
        for number in np.unique(now):
            law = laws[befores[now == number]]
            for phase in turns[number]:
                law = pushed_through(law, phase)
                if phase.recorded:
                    recorded[turn] += weights[now == number] @ law
            after[now == number] = law
        laws = after
    return recorded


def counts_along(
    start: int, turns: Sequence[Turn], courses: Courses, seed: int, part: int = 0, threads: int = 1
) -> NDArray[np.int64]:
    """How many trials were in each state after the recorded phase of each round: shape (rounds, states).

    Every trial plays the course that it has seen, and every die of it is rolled.

    Parameters
    ----------
    start, turns
        As of :func:`laws_along`.
    courses : Courses
        With counts.
    seed : int
    part : int
        Which of several games of one question this is: each has chunks of its own.
    threads : int
        The counts do not depend on it.
    """
    sheet = sheet_for(Chain(start, tuple(phase for turn in turns for phase in turn)))
    ends = np.cumsum([len(turn) for turn in turns])
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
    return counts
