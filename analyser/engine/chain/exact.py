"""Exact distributions of Markov chains: forward propagation through the reachable states (Chapman-Kolmogorov)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import TooLargeError
from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Floats
from analyser.engine.chain.chain import RECORD, Alternatives, Chain, Paths, Phase, Recorded, States, blocks_of, distinct

MOST_TABLE_ENTRIES = 1 << 24  # most entries of all tables and recorded distributions
MOST_DISTRIBUTION_ENTRIES = 1 << 27  # most entries of the distributions of all paths: paths times states
_BLOCK = 64  # number of states in a block, which is skipped if all its probabilities are 0
# Next states, shape (states, totals); number of dice by state; distribution of the total by number of dice.
TransitionTable = tuple[NDArray[np.uint32], NDArray[np.uint16], Floats]


def transition_table(phase: Phase, states: States) -> TransitionTable:
    """Return the table of a phase; next states are indices of the sorted `states` (arbitrary for impossible totals)."""
    targets = np.empty((len(states), phase.totals), np.uint32)
    for block in blocks_of(len(states), phase.totals):
        targets[block] = np.minimum(np.searchsorted(states, phase.next_states(states[block])), len(states) - 1)
    dice = phase.dice_of(states).astype(np.uint16)
    return targets, dice, phase.pmfs(int(dice.max(initial=0)))


def reachable_states(chain: Chain, alternatives_by_round: Iterable[Iterable[Sequence[Phase]]]) -> States:
    """Return the sorted reachable states, found breadth-first; TooLargeError if their tables are too large."""
    entries_per_state = sum(phase.totals for phase in set(chain.phases)) + 2 * chain.phases.count(RECORD)
    last: dict[Phase, tuple[States, States]] = {}
    reachable = states_before = np.array([chain.start])

    def unite(states: States, others: States) -> States:
        both = distinct(np.concatenate([states, distinct(others)]))
        if len(both) * entries_per_state > MOST_TABLE_ENTRIES:
            raise too_large_error(chain)
        return both

    def after_phase(phase: Phase, states: States) -> States:
        nonlocal reachable
        if phase is RECORD:
            return states
        if phase in last and np.array_equal(states, last[phase][0]):
            return last[phase][1]
        if (int(phase.dice_of(states).max()) + 1) * phase.totals > MOST_TABLE_ENTRIES:
            raise too_large_error(chain)
        after, totals = np.zeros(0, np.int64), np.arange(phase.totals)
        for block in blocks_of(len(states), phase.totals):
            low, high = phase.span(states[block])
            possible = (totals >= low[:, np.newaxis]) & (totals <= high[:, np.newaxis])
            after = unite(after, phase.next_states(states[block])[possible])
        reachable = unite(reachable, after)
        last[phase] = states, after
        return after

    for alternatives in alternatives_by_round:
        ends = []
        for phases in alternatives:
            states = states_before
            for phase in phases:
                states = after_phase(phase, states)
            ends.append(states)
        states_before = distinct(np.concatenate(ends))
    return reachable


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
    >>> float(exact_distributions(Chain(0, (two_dice, RECORD), size=13)).dense_weights(13)[0, 7].round(4))
    0.1667
    """
    return distributions_along(chain, (chain.phases,), Paths.one(1.0))


def distributions_along(chain: Chain, alternatives: Alternatives, paths: Paths) -> Recorded:
    """Return the distributions recorded in each round, averaged over `paths` by their probabilities."""
    by_round = ([alternatives[number] for number in np.unique(numbers)] for numbers in paths.numbers.T)
    chain_states, tables = reachable_states(chain, by_round), dict[Phase, TransitionTable]()
    states = len(chain_states)
    if states * len(paths.numbers) > MOST_DISTRIBUTION_ENTRIES:
        raise too_large_error(chain)
    recordings = alternatives[0].count(RECORD)
    recorded = np.zeros((paths.numbers.shape[1] * recordings, states))
    distributions = (chain_states == chain.start)[np.newaxis].astype(np.float64)
    so_far = np.zeros(len(paths.numbers), np.int64)  # each path's distribution; paths equal so far share one
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
                    continue
                if phase not in tables:
                    tables[phase] = transition_table(phase, chain_states)
                distributions_of_paths = propagate(distributions_of_paths, *tables[phase])
            after[choices == number] = distributions_of_paths
        distributions = after
    return Recorded(chain_states, recorded)
