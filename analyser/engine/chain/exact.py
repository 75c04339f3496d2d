"""Exact distributions of Markov chains: forward propagation, phase by phase (Chapman-Kolmogorov).

A small chain is tabulated for all its states. In a large one a breadth-first search first finds and numbers the states
that can be reached, and refuses a question that is too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import TooLargeError
from analyser.common.jit import step, tiered
from analyser.common.records import Floats, Integers
from analyser.engine.chain.chain import RECORD, Chain, Paths, Phase, Recorded, States, Turns, distinct, slabs

ROOM = 1 << 24  # most entries of tables and recorded distributions of a large chain
MOST_NUMBERS = 1 << 27  # most entries of distributions propagated side by side: paths times states
_TOGETHER = 64  # states in a block that is skipped if all probabilities are 0


class TransitionTables:
    """Transition tables of the phases of a chain over sorted `states`; a state's number is its position."""

    def __init__(self, states: States) -> None:
        self.states = states
        self._are_numbers = int(states[-1]) == len(states) - 1
        self._tables: dict[Phase, tuple[NDArray[np.uint32], NDArray[np.uint16], Floats]] = {}

    def propagated(self, phase: Phase, distributions: Floats) -> Floats:
        """Return the distributions of the state after a phase, from those before it; shapes (distributions, states)."""
        if phase not in self._tables:
            targets = np.empty((len(self.states), phase.totals), np.uint32)
            for some in slabs(len(self.states), phase.totals):
                targets[some] = self.numbers_of(phase.rows(self.states[some]))
            dice = phase.dice_of(self.states).astype(np.uint16)
            self._tables[phase] = targets, dice, phase.pmfs(int(dice.max(initial=0)))
        return propagate(distributions, *self._tables[phase])

    def numbers_of(self, states: Integers) -> Integers:
        """Return the numbers of some states; unreachable states get an arbitrary number."""
        if self._are_numbers:
            return states
        return np.minimum(np.searchsorted(self.states, states), len(self.states) - 1)

    def certain(self, state: int) -> Floats:
        """Return the distribution with all probability on one state: shape (1, states)."""
        distribution = np.zeros((1, len(self.states)))
        distribution[0, self.numbers_of(np.array([state]))] = 1.0
        return distribution


class Search:
    """A breadth-first search for reachable states; `met` are those found so far, sorted."""

    def __init__(self, chain: Chain) -> None:
        self.met = np.array([chain.start])
        self._chain = chain
        self._numbers = sum(phase.totals for phase in set(chain.phases)) + 2 * chain.phases.count(RECORD)
        self._last: dict[Phase, tuple[States, States]] = {}

    def through(self, states: States, phase: Phase) -> States:
        """Return the states after a phase, from some states; TooLargeError if the tables are too large."""
        if phase is RECORD:
            return states
        last = self._last.get(phase)
        if last is not None and np.array_equal(states, last[0]):
            return last[1]
        if (int(phase.dice_of(states).max()) + 1) * phase.totals > ROOM:  # entries of the distributions of dice
            raise too_large(self._chain)
        after = np.zeros(0, np.int64)
        for some in slabs(len(states), phase.totals):
            rows, (low, high), totals = phase.rows(states[some]), phase.span(states[some]), np.arange(phase.totals)
            reached = rows[(totals >= low[:, np.newaxis]) & (totals <= high[:, np.newaxis])]
            after = distinct(np.concatenate([after, distinct(reached)]))
            self._check_room(len(after))
        self.met = distinct(np.concatenate([self.met, after]))
        self._check_room(len(self.met))
        self._last[phase] = states, after
        return after

    def _check_room(self, states: int) -> None:
        if states * self._numbers > ROOM:
            raise too_large(self._chain)


def too_large(chain: Chain) -> TooLargeError:
    """Return the error for a chain that the exact method refuses."""
    return TooLargeError(f"{chain.what}: too much for the method exact", less=chain.less)


@tiered(1.0)
def propagate(before: Floats, targets: NDArray[np.uint32], dice: NDArray[np.uint16], pmfs: Floats) -> Floats:
    """Return the distributions of the state after a phase, from those before it; shapes (distributions, states)."""
    after = np.zeros_like(before)
    for row in range(before.shape[0]):
        for first in range(0, before.shape[1], _TOGETHER):
            last = min(first + _TOGETHER, before.shape[1])
            if all_zero(before[row, first:last]):
                continue
            for state in range(first, last):
                if before[row, state] == 0.0:
                    continue
                pmf = pmfs[dice[state]]
                for total in range(len(pmf)):
                    if pmf[total] > 0.0:
                        after[row, targets[state, total]] += before[row, state] * pmf[total]
    return after


@step
def all_zero(probabilities: Floats) -> bool:
    """Return True if all are 0. Joining the bits needs one branch for a block of states."""
    joined = np.int64(0)
    for bits in probabilities.view(np.int64):
        joined |= bits
    return bool(joined == 0)


def exact_distributions(chain: Chain) -> Recorded:
    """Return the recorded distributions of the state; TooLargeError if too many states can be reached.

    Examples
    --------
    >>> from analyser.engine.chain.chain import fair_die
    >>> two_dice = Phase(lambda states, totals: states + totals, fair_die(6), 2)
    >>> float(exact_distributions(Chain(0, (two_dice, RECORD), size=13)).weights[0, 7].round(4))
    0.1667
    """
    return distributions_along(chain, (chain.phases,), Paths.one(1.0))


def states_met(chain: Chain, rounds: Iterable[Iterable[Sequence[Phase]]]) -> States:
    """Return all states of a small chain, else the reachable ones; `rounds` has the alternatives of each round."""
    if chain.is_small:
        return np.arange(chain.size)
    search, now = Search(chain), np.array([chain.start])
    for ways in rounds:
        after = []
        for phases in ways:
            states = now
            for phase in phases:
                states = search.through(states, phase)
            after.append(states)
        now = distinct(np.concatenate(after))
    return search.met


def distributions_along(chain: Chain, turns: Turns, paths: Paths) -> Recorded:
    """Return the recorded distributions of each round along paths, whose weights are probabilities.

    Raises TooLargeError, like :func:`exact_distributions`.
    """
    tables = TransitionTables(
        states_met(chain, ([turns[number] for number in np.unique(numbers)] for numbers in paths.numbers.T))
    )
    states = len(tables.states)
    if states * len(paths.numbers) > MOST_NUMBERS:
        raise too_large(chain)
    recordings = turns[0].count(RECORD)
    recorded = np.zeros((paths.numbers.shape[1] * recordings, states))
    distributions = tables.certain(chain.start)
    so_far = np.zeros(len(paths.numbers), np.int64)  # paths with the same numbers so far share one distribution
    for turn, numbers in enumerate(paths.numbers.T):
        together, so_far = np.unique(so_far * len(turns) + numbers, return_inverse=True)
        weights = np.bincount(so_far, paths.weights)
        before, now = together // len(turns), together % len(turns)
        after = np.empty((len(together), states))
        for number in np.unique(now):
            some, recording = distributions[before[now == number]], turn * recordings
            for phase in turns[number]:
                if phase is RECORD:
                    recorded[recording] += weights[now == number] @ some
                    recording += 1
                else:
                    some = tables.propagated(phase, some)
            after[now == number] = some
        distributions = after
    return Recorded(tables.states, recorded)
