"""Confidence sequences: how often the truth is ever outside, added up over all ways that trials can come out."""

import numpy as np
import pytest

from analyser.common.intervals import mean_bounds, mixture_bounds, wilson
from tests.helpers.skips import proof

RUNS = 4000


def ever_outside(p, trials, bounds):
    """The probability that the interval is ever without `p` in so many trials, looked at after each, exactly."""
    alive, missed = np.array([1.0]), 0.0  # by how often it was seen so far
    for number in range(1, trials + 1):
        alive = np.append(alive * (1 - p), 0) + np.append(0, alive * p)
        low, high = bounds(np.arange(number + 1), np.full(number + 1, number))
        out = (p < low) | (p > high)
        missed += alive[out].sum()
        alive[out] = 0
    return missed


@pytest.mark.parametrize("p", [0.03, *proof(0.5, 0.2)])
def test_a_probability_is_outside_at_any_time_in_at_most_5_percent_of_runs(p):
    assert 0.001 < ever_outside(p, 400, mixture_bounds) <= 0.05
    fixed = ever_outside(p, 400, lambda seen, trials: wilson(seen, int(trials[0])))
    assert fixed > 0.2  # which is why


@pytest.mark.parametrize("error", [0.05, 0.005])
def test_a_smaller_error_is_kept_too(error):
    assert ever_outside(0.3, 150, lambda seen, trials: mixture_bounds(seen, trials, error)) <= error


def test_without_trials_nothing_is_known():
    assert mixture_bounds(0, 0) == (0, 1)
    low, high = mixture_bounds([0, 7], [7, 7])
    assert (low[0], high[1]) == (0, 1)
    assert 0 < low[1] < 1
    assert low[1] == pytest.approx(1 - high[0])


def test_ends_are_where_a_bet_has_won_twenty_to_one():
    from scipy.special import betaln

    for seen, trials in ((0, 30), (12, 40), (999, 1000)):
        low, high = mixture_bounds(seen, trials)
        for end in (low, high):
            if 0 < end < 1:
                log_wealth = betaln(seen + 1, trials - seen + 1) - seen * np.log(end) - (trials - seen) * np.log1p(-end)
                assert log_wealth == pytest.approx(np.log(20))


@pytest.mark.parametrize("tuned_for", [300, 3000])
def test_a_mean_is_outside_at_any_time_in_at_most_5_percent_of_runs(tuned_for):
    """The truth is 0; a mean of normal numbers, looked at after each batch, with 31 degrees of freedom each time."""
    rng, missed = np.random.default_rng(3), np.zeros(RUNS, bool)
    often_missed = missed.copy()
    total = np.zeros(RUNS)
    for look in range(1, 25):
        trials = 100 * look
        total += rng.normal(0, 10, RUNS)  # the sum of a hundred
        error = np.sqrt(rng.chisquare(31, RUNS) / 31 / trials)
        mean = total / trials
        ends = [mean_bounds(each, other, 31, trials, tuned_for) for each, other in zip(mean, error)]
        missed |= np.array([low > 0 or high < 0 for low, high in ends])
        often_missed |= np.abs(mean) > 2.04 * error
    assert missed.mean() <= 0.05
    assert often_missed.mean() > 0.15


def test_a_mean_without_any_spread_is_itself():
    assert mean_bounds(0.25, 0.0, 31, 10**6, 10**6) == (0.25, 0.25)
    low, high = mean_bounds(0.0, 1.0, 1, 10**6, 10**6)
    assert low == -high < -3
