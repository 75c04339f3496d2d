"""Wilson's intervals, beside those of scipy."""

import numpy as np
import pytest
from scipy.stats import binomtest

from analyser.common.estimates import wilson_interval


@pytest.mark.parametrize("trials", [1, 7, 1_000, 10_000_000])
def test_they_are_those_of_scipy(trials):
    counts = np.unique(np.array([0, 1, trials // 3, trials // 2, trials - 1, trials]))
    low, high = wilson_interval(counts, trials)
    for place, count in enumerate(counts.tolist()):
        expected = binomtest(count, trials).proportion_ci(0.95, method="wilson")
        assert (low[place], high[place]) == pytest.approx((expected.low, expected.high), rel=1e-12, abs=1e-15)


def test_what_is_never_or_always_seen_has_a_sharp_end():
    low, high = wilson_interval(np.array([0, 50]), 50)
    assert (low[0], high[1]) == (0.0, 1.0)
