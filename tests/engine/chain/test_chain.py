"""Chains of rolls: what a phase rolls, its law and its sample."""

from itertools import product

import numpy as np
import pytest

from analyser.engine.chain.chain import NO_DIE, Chain, Die, ExtraDie, Phase, sided, success_die
from analyser.engine.chain.exact import exact_distributions
from analyser.engine.chain.on_demand import sampled_counts
from tests.oracle.morale_checks import UNLIKELY, chi_square

SHOWN = np.arange(64, dtype=np.uint16)  # every state but the start stays; from the start, the total is the state


def thrown(die=NO_DIE, dice=0, extra_dice=()):
    """A chain of one phase whose last state is its total."""
    after = np.tile(SHOWN[:, None], (1, 64))
    after[0] = SHOWN
    return Chain(0, (Phase(after, die, np.full(64, dice, np.uint16), extra_dice, recorded=True),))


def law_of(values, length=64):
    """The law of equally likely whole numbers."""
    return np.bincount(list(values), minlength=length) / len(list(values))


CASES = {
    "two six-sided dice": (thrown(sided(6), 2), [sum(faces) for faces in product(range(1, 7), repeat=2)]),
    "one extra die of weight 7": (
        thrown(extra_dice=(ExtraDie(success_die(1, 6), 7),)),
        [7 * (face == 6) for face in range(1, 7)],
    ),
    "a die and two extra dice": (
        thrown(sided(6), 1, (ExtraDie(success_die(1, 6), 8), ExtraDie(success_die(2, 3), 16))),
        [a + 8 * (b == 6) + 16 * (c > 1) for a, b, c in product(range(1, 7), range(1, 7), range(1, 4))],
    ),
    "a die with a gap": (thrown(Die((0, 2, 0, 0, 1), 3), 2), [a + b for a, b in product((1, 1, 4), repeat=2)]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_law_of_a_throw_is_that_of_its_faces(case):
    chain, values = CASES[case]
    assert exact_distributions(chain).weights[0] == pytest.approx(law_of(values), abs=1e-15)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_die_is_rolled_fairly(case, seed):
    chain, values = CASES[case]
    law, counts = law_of(values), sampled_counts(chain, 200_000, seed).weights[0]
    assert not counts[law == 0].any()
    assert chi_square(counts, law * 200_000) > UNLIKELY
