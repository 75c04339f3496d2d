"""Exact distributions of Markov chains: forward propagation, phase by phase (Chapman-Kolmogorov).

A small chain is tabulated for all its states. A large chain is searched breadth-first for its reachable states, which
are then tabulated; TooLargeError if there are too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import TooLargeError
from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.chain.chain import RECORD, Alternatives, Chain, Paths, Phase, Recorded, States, blocks_of, distinct

MOST_TABLE_ENTRIES = 1 << 24  # in all tables and recorded distributions of a large chain
MOST_DISTRIBUTION_ENTRIES = 1 << 27  # in the distributions of all paths: paths times states
_BLOCK = 64  # states in a block that is skipped if all probabilities are 0


class TransitionTables:
    """Transition tables of a chain's phases, over sorted `states`."""

    def __init__(self, states: States) -> None:
        self.states = states
        self._are_consecutive = int(states[-1]) == len(states) - 1
        self._tables: dict[Phase, tuple[NDArray[np.uint32], NDArray[np.uint16], Floats]] = {}

    def after_phase(self, phase: Phase, distributions: Floats) -> Floats:
        """Return the distributions after a phase from the `distributions` before it; shapes (distributions, states)."""
        if phase not in self._tables:
            targets = np.empty((len(self.states), phase.totals), np.uint32)
            for block in blocks_of(len(self.states), phase.totals):
                targets[block] = self.positions_of(phase.next_states(self.states[block]))
            dice = phase.dice_of(self.states).astype(np.uint16)
            self._tables[phase] = targets, dice, phase.pmfs(int(dice.max(initial=0)))
        return propagate(distributions, *self._tables[phase])

    def positions_of(self, states: Integers) -> Integers:
        """Return the positions of states in `self.states`; an unreachable state gets an arbitrary position."""
        if self._are_consecutive:
            return states
        return np.minimum(np.searchsorted(self.states, states), len(self.states) - 1)

    def point_distribution(self, state: int) -> Floats:
        """Return the distribution with probability 1 for one state: shape (1, states)."""
        distribution = np.zeros((1, len(self.states)))
        distribution[0, self.positions_of(np.array([state]))] = 1.0
        return distribution


class ReachabilitySearch:
    """Breadth-first search for reachable states; `reachable` has the states found so far, sorted."""

    def __init__(self, chain: Chain) -> None:
        self.reachable = np.array([chain.start])
        self._chain = chain
        self._entries_per_state = sum(phase.totals for phase in set(chain.phases)) + 2 * chain.phases.count(RECORD)
        self._last: dict[Phase, tuple[States, States]] = {}

    def advance(self, states: States, phase: Phase) -> States:
        """Return the possible states after a phase from `states`; TooLargeError if the tables are too large."""
        if phase is RECORD:
            return states
        last = self._last.get(phase)
        if last is not None and np.array_equal(states, last[0]):
            return last[1]
        most_dice = int(phase.dice_of(states).max())
        if (most_dice + 1) * phase.totals > MOST_TABLE_ENTRIES:
            raise too_large_error(self._chain)
        after = np.zeros(0, np.int64)
        for block in blocks_of(len(states), phase.totals):
            following, (low, high) = phase.next_states(states[block]), phase.span(states[block])
            totals = np.arange(phase.totals)
            reached = following[(totals >= low[:, np.newaxis]) & (totals <= high[:, np.newaxis])]
            after = distinct(np.concatenate([after, distinct(reached)]))
            self._check_room(len(after))
        self.reachable = distinct(np.concatenate([self.reachable, after]))
        self._check_room(len(self.reachable))
        self._last[phase] = states, after
        return after

    def _check_room(self, states: int) -> None:
        if states * self._entries_per_state > MOST_TABLE_ENTRIES:
            raise too_large_error(self._chain)


def too_large_error(chain: Chain) -> TooLargeError:
    """Return the error for a chain with too many states for the exact method."""
    return TooLargeError(f"{chain.what}: too many states for the exact method", less=chain.less)


@tiered(1.0)
def propagate(before: Floats, targets: NDArray[np.uint32], dice: NDArray[np.uint16], pmfs: Floats) -> Floats:
    """Return the distributions after a phase from those `before` it; shapes (distributions, states)."""
    after = np.zeros_like(before)
    for row in range(before.shape[0]):
        for first in range(0, before.shape[1], _BLOCK):
            last = min(first + _BLOCK, before.shape[1])
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
    """Return True if all probabilities are 0. Their bits are ORed, so that a block of states needs one branch."""
    united = np.int64(0)
    for bits in probabilities.view(np.int64):
        united |= bits
    return bool(united == 0)


def exact_distributions(chain: Chain) -> Recorded:
    """Return the recorded distributions of the state; TooLargeError if there are too many reachable states.

    >>> from analyser.engine.chain.chain import fair_die
    >>> two_dice = Phase(lambda states, totals: states + totals, fair_die(6), 2)
    >>> float(exact_distributions(Chain(0, (two_dice, RECORD), size=13)).weights[0, 7].round(4))
    0.1667
    """
    return distributions_along(chain, (chain.phases,), Paths.one(1.0))


def tabulated_states(chain: Chain, alternatives_by_round: Iterable[Iterable[Sequence[Phase]]]) -> States:
    """Return all states of a small chain, else its reachable states; an alternative of a round is a list of phases."""
    if chain.is_small:
        return np.arange(chain.size)
    search, states_before = ReachabilitySearch(chain), np.array([chain.start])
    for alternatives in alternatives_by_round:
        after = []
        for phases in alternatives:
            states = states_before
            for phase in phases:
                states = search.advance(states, phase)
            after.append(states)
        states_before = distinct(np.concatenate(after))
    return search.reachable


def distributions_along(chain: Chain, alternatives: Alternatives, paths: Paths) -> Recorded:
    """Return the distributions recorded in each round, averaged over `paths`, whose weights are probabilities.

    Raises TooLargeError, like :func:`exact_distributions`.
    """
    by_round = ([alternatives[number] for number in np.unique(numbers)] for numbers in paths.numbers.T)
    tables = TransitionTables(tabulated_states(chain, by_round))
    states = len(tables.states)
    if states * len(paths.numbers) > MOST_DISTRIBUTION_ENTRIES:
        raise too_large_error(chain)
    recordings = alternatives[0].count(RECORD)
    recorded = np.zeros((paths.numbers.shape[1] * recordings, states))
    distributions = tables.point_distribution(chain.start)
    so_far = np.zeros(len(paths.numbers), np.int64)  # distribution of each path; paths equal so far share one
    for round_number, numbers in enumerate(paths.numbers.T):
        keys, so_far = np.unique(so_far * len(alternatives) + numbers, return_inverse=True)
        weights = np.bincount(so_far, paths.weights)
        before, choices = keys // len(alternatives), keys % len(alternatives)
        after = np.empty((len(keys), states))
        for number in np.unique(choices):
            distributions_of_paths, recording = distributions[before[choices == number]], round_number * recordings
            for phase in alternatives[number]:
                if phase is RECORD:
                    recorded[recording] += weights[choices == number] @ distributions_of_paths
                    recording += 1
                else:
                    distributions_of_paths = tables.after_phase(phase, distributions_of_paths)
            after[choices == number] = distributions_of_paths
        distributions = after
    return Recorded(tables.states, recorded)
