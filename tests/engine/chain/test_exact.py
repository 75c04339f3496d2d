"""Games along given numbers: as a chain that draws the numbers itself, where they are independent."""

from itertools import product

import numpy as np
import pytest

from analyser.engine.chain.chain import RECORD, Chain, Die, Paths, Phase, fair_die
from analyser.engine.chain.exact import distributions_along, exact_distributions
from analyser.engine.chain.simulated import counts_along
from tests.oracle.morale_checks import assert_counts_fit

ROUNDS, LAW = 3, (0.5, 0.2, 0.3)
THROW = Phase(lambda states, totals: np.minimum(states + totals, 29), fair_die(6), 1)
DOUBLE = Phase(lambda states, _: np.where(states % 2, states, np.minimum(2 * states, 29)))


def received(law):
    return Phase(lambda states, totals: np.minimum(states + totals, 29), Die(law), 1)


TURNS = [(received((0.0,) * number + (1.0,)), THROW, DOUBLE, RECORD, THROW) for number in range(3)]
NUMBERS = np.array(list(product(range(3), repeat=ROUNDS)), np.int64)
GAME = Chain(1, sum(TURNS, ()), 30)
DRAWN = Chain(1, (received(LAW), THROW, DOUBLE, RECORD, THROW) * ROUNDS, 30)
INDEPENDENT = exact_distributions(DRAWN).dense_weights(30)


def test_independent_numbers_give_the_law_of_a_chain():
    found = distributions_along(GAME, TURNS, Paths(NUMBERS, np.array(LAW)[NUMBERS].prod(axis=1))).dense_weights(30)
    assert found == pytest.approx(INDEPENDENT, abs=1e-15)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_die_along_a_course_is_rolled(seed):
    trials = 200_000
    counts = np.random.default_rng(seed).multinomial(trials, np.array(LAW)[NUMBERS].prod(axis=1))
    sample = counts_along(GAME, TURNS, Paths(NUMBERS, counts), seed, part=2).dense_weights(GAME.size)
    for law, found in zip(INDEPENDENT, sample):
        assert_counts_fit(found, law, trials)
