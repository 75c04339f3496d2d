"""Distributions to compute with, against plain sums over all pairs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import analyser
from analyser.common.distributions import Distribution
from analyser.common.errors import InputError
from analyser.plots import distribution

DIE = Distribution("d6", np.arange(1, 7), np.full(6, 1 / 6))
OTHER = DIE + 0
COIN = Distribution("coin", np.array([0, 1]), np.array([0.25, 0.75]))
FIGHT = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}


def test_sums_and_differences_are_those_of_all_pairs():
    pairs = list(product(range(1, 7), repeat=2))
    for made, plain in ((DIE + DIE, [a + b for a, b in pairs]), (DIE - DIE, [a - b for a, b in pairs])):
        wanted = {value: Fraction(plain.count(value), 36) for value in sorted(set(plain))}
        assert made.values.tolist() == list(wanted)
        assert made.probabilities == pytest.approx([float(each) for each in wanted.values()])
    assert (2 * DIE + 1).values.tolist() == [3, 5, 7, 9, 11, 13]
    assert (DIE + COIN).name == "d6 + coin"


@pytest.mark.parametrize(
    ("event", "share"),
    [
        (DIE > OTHER, Fraction(15, 36)),
        (DIE >= OTHER, Fraction(21, 36)),
        (DIE < 3, Fraction(2, 6)),
        (DIE <= COIN, Fraction(1, 8)),
        (DIE + DIE >= 10, Fraction(6, 36)),
    ],
)
def test_comparisons_have_probabilities(event, share):
    assert event.probability == pytest.approx(float(share))
    assert event.probability.low is None  # exact
    with pytest.raises(InputError, match="neither true nor false"):
        bool(event)


def test_a_distribution_is_read_and_sampled():
    assert (DIE.mean, DIE.std) == (pytest.approx(3.5), pytest.approx((35 / 12) ** 0.5))
    assert [DIE.quantile(q) for q in (0, 0.5, 1)] == [1, 3, 6]
    assert DIE.cdf(2) == pytest.approx(1 / 3)
    assert DIE.pmf().columns.tolist() == ["value", "probability"]
    drawn = DIE.sample(60_000, seed=3)
    assert np.bincount(drawn)[1:] == pytest.approx(10_000, abs=5 * (60_000 * 5 / 36) ** 0.5)
    assert (drawn == DIE.sample(60_000, seed=3)).all()
    assert (DIE.sample(9, seed=1) != DIE.sample(9, seed=2)).any()


def test_that_of_an_answer_is_its_table():
    exact = analyser.exact(FIGHT)
    one = exact["models_destroyed"]
    assert one.pmf()["probability"].tolist() == exact.pmf("models_destroyed")["probability"].tolist()
    assert (one >= 2).probability == pytest.approx(exact.at_least(2))
    assert one.mean == pytest.approx(exact.mean("models_destroyed"))
    assert one.quantile(0.9) == exact.quantile("models_destroyed", 0.9)
    assert [bar.get_height() for bar in distribution(one + one).patches][-1] == pytest.approx(
        100 * one.probabilities[-1] ** 2
    )
    duel = analyser.duel("crown/rifle-platoon@basic", "imperium/krupp@basic", rounds=2)
    assert duel["a_models_left", 1].mean == pytest.approx(duel.mean("a_models_left", 1))
    with pytest.raises(InputError, match="did you mean 'models_destroyed'"):
        exact["models_destroid"]


def test_those_of_samples_have_intervals_that_hold_the_exact_value():
    exact = analyser.exact(FIGHT)["models_destroyed"]
    sample = analyser.simulate(FIGHT, trials=4000, seed=5)["models_destroyed"]
    assert (sample >= 2).probability == analyser.simulate(FIGHT, trials=4000, seed=5).at_least(2)
    missed = 0
    for seed in range(20):
        one, other = (
            analyser.simulate(FIGHT, trials=4000, seed=2 * seed + each)["models_destroyed"] for each in (0, 1)
        )
        found = (one > other).probability
        missed += not found.low <= (exact > exact + 0).probability <= found.high
        assert found.high - found.low == pytest.approx(2 * (np.log(40) / 8000) ** 0.5)
    assert missed <= 2
    assert {"low", "high"} <= set((sample + sample).pmf())


@pytest.mark.parametrize("wrong", ["two", None, True])
def test_wrong_operands(wrong):
    with pytest.raises(InputError, match="a distribution or a number"):
        DIE + wrong
    with pytest.raises(InputError, match="a distribution or a number"):
        bool(wrong < DIE)
