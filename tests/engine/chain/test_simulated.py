"""Simulated chains: as many trials show each face as if the die of each were thrown by itself."""

import numpy as np
import pytest
from scipy import stats

from analyser.engine.chain.chain import RECORD, Chain, Die, Phase, bernoulli, fair_die
from analyser.engine.chain.simulated import simulated_counts
from tests.oracle.morale_checks import assert_counts_fit

SEEDS = 400


def shown(die, trials, seed):
    """How often each value of a die was shown to `trials` trials that are alike."""
    chain = Chain(0, (Phase(lambda _, totals: totals, die, 1), RECORD), die.highest + 1)
    return simulated_counts(chain, trials, seed).dense_weights(die.highest + 1)[0]


@pytest.mark.slow
@pytest.mark.parametrize("trials", [1, 511, 513])
@pytest.mark.parametrize(("die", "value"), [(bernoulli(0.05), 1), (fair_die(6), 1), (fair_die(6), 6)])
def test_each_trial_throws_its_own_die(die, value, trials):
    """The number of trials that are shown one value is binomial."""
    counts = np.bincount([shown(die, trials, seed)[value] for seed in range(SEEDS)], minlength=trials + 1)
    assert_counts_fit(counts, stats.binom.pmf(range(trials + 1), trials, die.pmf[value]), SEEDS)


@pytest.mark.parametrize(
    "die", [Die((10**9,) * 3, 3 * 10**9), Die((1, 0, 4, 2), 7), fair_die(100), Die((0.2, 0.0, 0.8))]
)
@pytest.mark.parametrize("trials", [300, 1_000_000])
def test_all_trials_are_shown_a_value_and_none_that_cannot_be(die, trials):
    assert_counts_fit(shown(die, trials, 2), die.pmf, trials)


@pytest.mark.parametrize("trials", [1, 400, 511, 513, 1000, 1_000_000])
def test_a_chance_of_next_to_nothing_does_not_happen(trials):
    """A chance of a million millionth does not happen to a million trials; what is certain happens to all."""
    for never in (0.0, 5e-324, 1e-12):
        assert shown(bernoulli(never), trials, 3)[1] == 0
        assert shown(bernoulli(1 - never), trials, 3)[1] == trials
    assert shown(Die((1 - 3e-12, 1e-12, 2e-12)), trials, 3)[1:].sum() == 0
