"""Intervals of means: against Clopper and Pearson's of two values, and how often they hold."""

import math

import numpy as np
import pytest

from analyser.common.intervals import clopper_pearson
from analyser.common.means import Mean, mean_between, mean_of_moments, mean_text, sum_of
from tests.helpers.skips import proof

THREE = np.arange(3)
LAWS = {
    "rare": [0.99, 0.005, 0.0, 0.005],
    "rarely the most": [0.5, 0.49, 0.0, 0.01],
    "flat": [0.25, 0.25, 0.25, 0.25],
    "nearly always the most": [0.01, 0.01, 0.0, 0.98],
    "in the middle": [0.0, 0.5, 0.5, 0.0],
}


@pytest.mark.parametrize(("seen", "trials"), [(0, 10), (1, 10), (0, 150), (2, 150), (150, 150), (5, 100_000)])
def test_of_two_values_gaffkes_interval_is_that_of_clopper_and_pearson(seen, trials):
    values, counts = np.array([0, 2]), np.array([trials - seen, seen])
    found = mean_between(values, counts, trials, THREE)
    low, high = (2 * float(end[0]) for end in clopper_pearson(np.array([seen]), trials))
    assert found.kind == "gaffke"
    assert found.high == pytest.approx(high, rel=0.004)
    assert 2 - found.low == pytest.approx(2 - low, rel=0.004)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("trials", [3, 150, *proof(20, 1000)])
def test_it_holds_in_95_of_100_samples(law, trials):
    rng, samples, values = np.random.default_rng(7), 1000, np.arange(4)
    truth = float(np.dot(LAWS[law], values))
    seen, often = np.unique(rng.multinomial(trials, LAWS[law], size=samples), axis=0, return_counts=True)
    found = [mean_between(values, each, trials, values) for each in seen]
    held = sum(number for mean, number in zip(found, often) if mean.low - 1e-9 <= truth <= mean.high + 1e-9)
    assert held >= 0.95 * samples - 2.5 * math.sqrt(0.05 * 0.95 * samples)


def test_it_grows_into_the_normal_interval():
    """Just before there is enough for the normal interval Gaffke's is within 8% of its width."""
    counts = np.array([440, 330, 220, 110])
    found = mean_between(np.arange(4), counts, 1100, np.arange(4))
    assert found.kind == "gaffke"
    assert (found.high - found.low) / (2 * 1.96 * found.error) == pytest.approx(1, abs=0.08)
    more = mean_between(np.arange(4), 10 * counts, 11_000, np.arange(4))
    assert more.kind == "normal"
    assert more.high - more.low == pytest.approx(2 * 1.959964 * more.error)


def test_of_moments_alone_it_is_that_of_two_values():
    for seen in (0, 2, 148):
        mean, variance = 3 * seen / 150, 9 * seen / 150 * (1 - seen / 150)
        alone = mean_of_moments(mean, variance, 150, 0, 3)
        whole = mean_between(np.array([0, 3]), np.array([150 - seen, seen]), 150, np.arange(4))
        assert alone[2:4] == pytest.approx(whole[2:4], abs=1e-9)


def test_what_is_missing_counts_as_nothing():
    assert mean_between(np.array([1]), np.array([5]), 10, np.arange(2)).value == 0.5
    given, missing = (np.array([0, 2]), np.array([5, 5])), (np.array([2]), np.array([5]))
    assert mean_between(*given, 10, THREE)[:4] == pytest.approx(mean_between(*missing, 10, THREE)[:4])


def test_exact_means_and_sums_of_them():
    exact = mean_between(np.array([0, 1]), np.array([0.5, 0.5]), None, np.arange(2))
    assert exact == Mean(0.5)
    assert sum_of([exact, exact]) == Mean(1.0)
    assert sum_of([]) == Mean(0.0)
    assert mean_text(exact) == "0.500"


@pytest.mark.parametrize("mean", [0.0, 1e-320, 1e-200])
def test_a_mean_that_is_as_good_as_an_end_has_the_interval_of_that_end(mean):
    """The square of so small a distance from the end is nothing."""
    found, at_end = mean_of_moments(mean, 0.0, 150, 0, 3), mean_of_moments(0.0, 0.0, 150, 0, 3)
    assert (found.low, found.high) == pytest.approx((at_end.low, at_end.high))
