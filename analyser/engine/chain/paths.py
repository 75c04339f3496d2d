"""Markov chains driven by a sequence of numbers from elsewhere, such as the losses of a fight: exact, and rolled.

A path is one run of such numbers, one a round; each number has a turn, the phases that are played in a round with it,
one of them :data:`~analyser.engine.chain.chain.RECORD`. Numbers of different rounds may depend on each other in any
way: a path has its weight as a whole. The chain has the phases of all turns, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded
from analyser.engine.chain.exact import TransitionTables, states_met, too_large
from analyser.engine.chain.on_demand import sample_of

Turns = Sequence[Sequence[Phase]]  # the phases of a round with the number 0, 1, ...
MOST_NUMBERS = 1 << 27  # of distributions that are propagated side by side: paths times states


class Paths(NamedTuple):
    """All paths that are possible, or that were seen; each row of the numbers once."""

    numbers: NDArray[np.int64]  # shape (paths, rounds)
    weights: NDArray[Any]  # probabilities, or how often each was seen: shape (paths,)


def distributions_along(chain: Chain, turns: Turns, paths: Paths) -> Recorded:
    """The distribution of the recorded state of each round; `paths` have probabilities."""
    tables = TransitionTables(
        states_met(chain, ([turns[number] for number in np.unique(numbers)] for numbers in paths.numbers.T))
    )
    states = len(tables.states)
    if states * len(paths.numbers) > MOST_NUMBERS:
        raise too_large(chain)
    recorded = np.zeros((paths.numbers.shape[1], states))
    distributions = tables.certain(chain.start)
    so_far = np.zeros(len(paths.numbers), np.int64)  # paths with the same numbers so far share one distribution
    for turn, numbers in enumerate(paths.numbers.T):
        together, so_far = np.unique(so_far * len(turns) + numbers, return_inverse=True)
        weights = np.bincount(so_far, paths.weights)
        before, now = together // len(turns), together % len(turns)
        after = np.empty((len(together), states))
        for number in np.unique(now):
            some = distributions[before[now == number]]
            for phase in turns[number]:
                if phase is RECORD:
                    recorded[turn] += weights[now == number] @ some
                else:
                    some = tables.of(phase).propagated(some)
            after[now == number] = some
        distributions = after
    return Recorded(tables.states, recorded)


def counts_along(chain: Chain, turns: Turns, paths: Paths, seed: int, part: int = 0, threads: int = 1) -> Recorded:
    """How many trials were in each state where it was recorded, in each round; `paths` have counts.

    Every trial follows the path that it has seen, and every die of it is rolled; `part` and `threads` as those of
    :func:`~analyser.engine.chain.on_demand.sampled_counts`.
    """
    sample = sample_of(chain, paths.numbers.shape[1], seed, part)
    for numbers, trials in zip(paths.numbers.tolist(), paths.weights.tolist()):
        sample.play([phase for number in numbers for phase in turns[number]], trials, threads)
    return sample.recorded()
