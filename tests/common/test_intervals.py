"""Intervals of a fixed number of trials: what they cover, summed over the binomial law, beside scipy's."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from analyser.common.estimates import estimate
from analyser.common.intervals import (
    MIN_FOR_WILSON,
    blaker,
    clopper_pearson,
    greatest_width,
    intervals,
    trials_for,
    wilson,
)
from tests.helpers.skips import proof


def some_counts(trials):
    return np.unique(np.array([0, 1, trials // 3, trials // 2, trials - 1, trials]))


@pytest.mark.parametrize("trials", [1, 7, 1_000, 10_000_000])
def test_wilsons_is_that_of_scipy(trials):
    low, high = wilson(some_counts(trials), trials)
    for place, count in enumerate(some_counts(trials).tolist()):
        expected = binomtest(count, trials).proportion_ci(0.95, method="wilson")
        assert (low[place], high[place]) == pytest.approx((expected.low, expected.high), rel=1e-7, abs=1e-15)


@pytest.mark.parametrize("trials", [1, 7, 1_000, 10_000_000])
def test_at_the_ends_of_clopper_and_pearsons_a_tail_holds_one_in_forty(trials):
    counts = some_counts(trials)
    low, high = clopper_pearson(counts, trials)
    assert binom.cdf(counts[:-1], trials, high[:-1]) == pytest.approx(0.025, rel=1e-7)
    assert binom.sf(counts[1:] - 1, trials, low[1:]) == pytest.approx(0.025, rel=1e-7)
    assert (low[0], high[-1]) == (0, 1)


def acceptable(count, trials, p):
    """The slow and obvious: the probability, under p, of all counts whose lesser tail is as unlikely."""
    values = np.arange(trials + 1)
    pmf = binom.pmf(values, trials, p)
    tails = np.minimum(binom.cdf(values, trials, p), binom.sf(values - 1, trials, p))
    return pmf[tails <= tails[count] * (1 + 1e-12)].sum()


@pytest.mark.parametrize("trials", [1, 2, 5, 23, *proof(60)])
def test_blakers_interval_is_as_it_is_defined(trials):
    counts = np.arange(trials + 1)
    for count, low, high in zip(counts, *blaker(counts, trials)):
        for end, outwards in ((low, -1), (high, 1)):
            if 0 < end < 1:
                assert acceptable(count, trials, end - outwards * 1e-9) > 0.05 - 1e-6
                beyond = end + outwards * np.geomspace(1e-7, 1, 40)
                assert all(acceptable(count, trials, p) <= 0.05 + 1e-6 for p in beyond if 0 < p < 1)


@pytest.mark.parametrize("trials", [9, 10**12])
def test_blakers_interval_lies_inside_of_clopper_and_pearsons(trials):
    counts = np.arange(min(trials, MIN_FOR_WILSON))
    (low, high), (outer_low, outer_high) = blaker(counts, trials), clopper_pearson(counts, trials)
    share = counts / trials
    assert (outer_low <= low * (1 + 1e-9)).all()
    assert ((low <= share) & (share < high)).all()
    assert (high <= outer_high * (1 + 1e-9)).all()
    assert (np.diff(low) > 0).all()
    assert (np.diff(high) > 0).all()


def coverage(trials, truths, counts):
    """In what part of all samples the interval contains the truth, exactly; what is beyond `counts` never happens."""
    low, high, _ = intervals(counts, trials)
    pmf = binom.pmf(counts[:, None], trials, truths)
    return (pmf * ((low[:, None] <= truths) & (truths <= high[:, None]))).sum(axis=0)


EXPECTED = np.geomspace(0.05, 1500, 1200)  # events


@pytest.mark.parametrize("trials", [10**5, *proof(1 << 20, 10**9)])
def test_rare_events_are_covered_as_often_as_is_said(trials):
    covered = coverage(trials, EXPECTED / trials, np.arange(2000))
    assert covered.min() >= 0.945
    assert covered[EXPECTED < MIN_FOR_WILSON / 2].min() >= 0.95 - 1e-9
    assert covered[EXPECTED > 8].max() <= 0.97
    assert covered[EXPECTED > 2 * MIN_FOR_WILSON].max() <= 0.956


@pytest.mark.parametrize("trials", [1, 2, 10, 57, 200, 400, 401, 700, *proof(2000, 5000)])
def test_any_probability_is_covered_as_often_as_is_said(trials):
    truths = np.linspace(1e-4, 0.9999, 700)
    covered = coverage(trials, truths, np.arange(trials + 1))
    assert covered.min() >= (0.95 - 1e-9 if trials < 2 * MIN_FOR_WILSON else 0.945)


def test_whose_interval_it_is_is_said():
    low, high, by = intervals(np.array([[0, MIN_FOR_WILSON - 1], [MIN_FOR_WILSON, 10**6 - MIN_FOR_WILSON + 1]]), 10**6)
    assert by.tolist() == [["blaker", "blaker"], ["wilson", "blaker"]]
    assert (low < high).all()
    assert (np.diff(intervals(np.arange(2 * MIN_FOR_WILSON), 10**6).low) > 0).all()


@pytest.mark.parametrize("trials", [1, 5, 100, 401, 590, 601, 3000])
def test_the_widest_is_that_of_all(trials):
    low, high, _ = intervals(np.arange(trials + 1), trials)
    assert greatest_width(np.arange(trials + 1), trials) == (high - low).max()


@pytest.mark.parametrize("wanted", [0.95, 0.5, 0.2, 0.1, 0.0902, 0.08, 0.05, 0.01])
def test_after_enough_trials_no_interval_is_wider(wanted):
    trials = trials_for(wanted)
    assert greatest_width(np.arange(trials + 1), trials) <= wanted
    assert trials == 1 or greatest_width(np.arange(trials), trials - 1) > wanted


@pytest.mark.parametrize("trials", [50, 10_000])
def test_no_printed_interval_leaves_what_a_chance_can_be(trials):
    for seen in (*range(12), trials // 2, *range(trials - 12, trials + 1)):
        text = str(estimate(seen, trials))
        if "±" in text:
            middle, half = (float(part) for part in text.replace("%", "").split("±"))
            assert middle - half >= -1e-9
            assert middle + half <= 100 + 1e-9
    assert str(estimate(2, 10_000)) == "0.02% (0.00 to 0.07)"
