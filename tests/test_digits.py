"""Draws made bit by bit: as many reach an edge as if each were drawn whole."""

import numba
import numpy as np
import pytest
from scipy import stats

from analyser.engine.chains import Chain, Phase, happening
from analyser.engine.digits import count_ones
from analyser.engine.streams import fill, stream_of
from analyser.engine.throws import sampled_counts
from tests.morale_checks import UNLIKELY, chi_square

SEEDS = 800


def happened(chance, trials, seed):
    """How often it happened to `trials` trials that are alike."""
    after = np.array([[0, 1], [1, 1]], np.uint16)
    chain = Chain(0, (Phase(after, happening(chance), np.ones(2, np.uint16), recorded=True),))
    return sampled_counts(chain, trials, seed)[0, 1]


@pytest.mark.parametrize("trials", [1, 64, 511, 513, 3000])
@pytest.mark.parametrize("chance", [0.05, 1 / 3, 0.5, 0.75])
def test_each_trial_has_its_own_chance(chance, trials):
    """Whether drawn whole or bit by bit, the number of trials that it happened to is binomial."""
    counts = np.bincount([happened(chance, trials, seed) for seed in range(SEEDS)], minlength=trials + 1)
    assert chi_square(counts, SEEDS * stats.binom.pmf(range(trials + 1), trials, chance)) > UNLIKELY


@pytest.mark.parametrize("trials", [600_000, 1_000_000])
@pytest.mark.parametrize("chance", [1e-5, 0.3, 1 - 1e-5])
def test_many_trials(chance, trials):
    happens = happened(chance, trials, 3)
    expected = trials * np.array([chance, 1 - chance])
    assert stats.chisquare([happens, trials - happens], expected).pvalue > UNLIKELY


def test_what_is_certain_happens_and_what_is_impossible_does_not():
    assert happened(1.0, 10_000, 1) == 10_000
    assert happened(0.0, 10_000, 1) == 0


@numba.njit
def ones_in_kernel(count, words, counter, gamma):
    return count_ones(count, words, counter, gamma)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 1024, 3000])
def test_ones_are_those_of_the_stream(count):
    """Counted one by one in the words that the stream says, through a memory of 32 words."""
    stream, ones, left = stream_of(4), 0, count
    counter = stream.start
    words = np.empty(32, np.uint64)
    found, after = ones_in_kernel(count, words.copy(), counter, stream.gamma)
    while left > 0:  # 16 words are never used at once
        some = min(left, 16 * 64)
        whole = (some // 64 + 16) // 16 * 16
        counter = np.uint64(fill(words, whole, counter, stream.gamma))
        digits = "".join(f"{int(word):064b}"[::-1] for word in words)
        ones, left = ones + digits[:some].count("1"), left - some
    assert (found, np.uint64(after)) == (ones, counter)
