"""Draws made bit by bit: as many show each face as if each trial's die were thrown by itself."""

import numpy as np
import pytest
from scipy import stats

from analyser.common.jit import kernel
from analyser.engine.chain.bitwise import DRAW_BITS, count_ones, draw_buffers, draw_for_each
from analyser.engine.chain.chain import RECORD, Chain, Die, Phase, bernoulli, sided
from analyser.engine.chain.on_demand import sampled_counts
from analyser.engine.rng import fill, stream_of
from tests.oracle.morale_checks import UNLIKELY, chi_square

SEEDS = 800


def shown(die, trials, seed):
    """How often each value of a die was shown to `trials` trials that are alike."""
    chain = Chain(0, (Phase(lambda _, totals: totals, die, 1), RECORD), die.highest + 1)
    return sampled_counts(chain, trials, seed).weights[0]


@pytest.mark.slow
@pytest.mark.parametrize("trials", [1, 64, 511, 513, 3000])
@pytest.mark.parametrize("chance", [0.05, 1 / 3, 0.5, 0.75])
def test_each_trial_has_its_own_chance(chance, trials):
    """Whether drawn whole or bit by bit, the number of trials that it happened to is binomial."""
    happens = [shown(bernoulli(chance), trials, seed)[1] for seed in range(SEEDS)]
    counts = np.bincount(happens, minlength=trials + 1)
    assert chi_square(counts, SEEDS * stats.binom.pmf(range(trials + 1), trials, chance)) > UNLIKELY


@pytest.mark.slow
@pytest.mark.parametrize("trials", [100, 600, 5000])
@pytest.mark.parametrize("face", [1, 3, 6])
def test_each_trial_throws_its_own_die(face, trials):
    """The number of trials that show one face is binomial."""
    faces = [shown(sided(6), trials, seed)[face] for seed in range(SEEDS)]
    counts = np.bincount(faces, minlength=trials + 1)
    assert chi_square(counts, SEEDS * stats.binom.pmf(range(trials + 1), trials, 1 / 6)) > UNLIKELY


@pytest.mark.slow
@pytest.mark.parametrize("trials", [100, 600, 5000])
def test_the_faces_of_a_throw_are_no_more_even_than_chance_makes_them(trials):
    """The chi-square of six faces has the law that it has for dice thrown one by one: five degrees of freedom."""
    found = [stats.chisquare(shown(sided(6), trials, seed)[1:]).statistic for seed in range(SEEDS)]
    assert stats.kstest(found, stats.chi2(5).cdf).pvalue > UNLIKELY


@pytest.mark.parametrize("trials", [600_000, 1_000_000])
@pytest.mark.parametrize("chance", [1e-5, 0.3, 1 - 1e-5])
def test_many_trials(chance, trials):
    found = shown(bernoulli(chance), trials, 3)
    assert stats.chisquare(found, trials * np.array([1 - chance, chance])).pvalue > UNLIKELY


@pytest.mark.parametrize("die", [Die((10**9,) * 3, 3 * 10**9), Die((1, 0, 4, 2), 7), sided(100), Die((0.2, 0.0, 0.8))])
@pytest.mark.parametrize("trials", [300, 1_000_000])
def test_draws_beyond_the_last_whole_multiple_are_drawn_again(die, trials):
    """Of the first die's draws three in ten are: all trials are shown a value, each as often as its chance says."""
    found = shown(die, trials, 2)
    assert found.sum() == trials
    assert not found[die.pmf == 0].any()
    assert chi_square(found, trials * die.pmf) > UNLIKELY


def test_what_is_certain_happens_and_what_is_impossible_does_not():
    assert shown(bernoulli(1.0), 10_000, 1)[1] == 10_000
    assert shown(bernoulli(0.0), 10_000, 1)[1] == 0


@kernel
def draws_in_kernel(trials, thresholds, counts, buffers):
    draw_for_each(trials, thresholds, len(thresholds), counts, buffers)


@pytest.mark.slow
@pytest.mark.parametrize("trials", [1, 31, 512, 10_000])
def test_thresholds_that_are_one_are_reached_together_and_every_draw_reaches_0(trials):
    half = 1 << (DRAW_BITS - 1)
    thresholds, buffers, counts = np.array([0, half, half, half + 1]), draw_buffers(), np.zeros(5, np.int64)
    buffers.stream[:] = stream_of(9)
    draws_in_kernel(trials, thresholds, counts, buffers)
    assert counts.sum() == trials
    assert counts[[0, 2, 3]].tolist() == [0, 0, 0]
    assert stats.binomtest(int(counts[4]), trials).pvalue > UNLIKELY


@kernel
def ones_in_kernel(count, counter, gamma):
    return count_ones(count, counter, gamma)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 1024, 3000])
def test_ones_are_those_of_the_stream(count):
    """Counted one by one in the words that the stream says."""
    stream, words = stream_of(4), np.empty((count + 63) // 64, np.uint64)
    after = fill(words, len(words), stream.start, stream.gamma)
    digits = "".join(f"{int(word):064b}"[::-1] for word in words)
    assert ones_in_kernel(count, stream.start, stream.gamma) == (digits[:count].count("1"), after)


@pytest.mark.parametrize("trials", [1, 400, 511, 513, 1000, 1_000_000])
def test_a_chance_below_every_draw_does_not_happen(trials):
    """A chance below 2**-33 has a threshold of 2**32, which no draw reaches; a certain one is reached by all."""
    assert shown(bernoulli(1e-12), trials, 3)[1] == 0
    assert shown(Die((1 - 3e-12, 1e-12, 2e-12)), trials, 3)[1:].sum() == 0
    assert shown(bernoulli(1.0), trials, 3)[1] == trials
