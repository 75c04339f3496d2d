"""Chains of rolls: what a phase rolls, its law and its sample."""

from itertools import product

import numpy as np
import pytest

from analyser.engine.chain.chain import NO_DIE, RECORD, Chain, Die, ExtraDie, Fields, Phase, fair_die, success_die
from analyser.engine.chain.exact import exact_distributions


def thrown(die=NO_DIE, dice=0, extra_dice=()):
    """A chain of one phase whose last state is its total."""
    return Chain(0, (Phase(lambda _, totals: totals, die, dice, extra_dice), RECORD), 64)


def law_of(values, length=64):
    return np.bincount(list(values), minlength=length) / len(list(values))


CASES = {
    "two six-sided dice": (thrown(fair_die(6), 2), [sum(faces) for faces in product(range(1, 7), repeat=2)]),
    "one extra die of weight 7": (
        thrown(extra_dice=(ExtraDie(success_die(1, 6), 7),)),
        [7 * (face == 6) for face in range(1, 7)],
    ),
    "a die and two extra dice": (
        thrown(fair_die(6), 1, (ExtraDie(success_die(1, 6), 8), ExtraDie(success_die(2, 3), 16))),
        [a + 8 * (b == 6) + 16 * (c > 1) for a, b, c in product(range(1, 7), range(1, 7), range(1, 4))],
    ),
    "a die with a gap": (thrown(Die((0, 2, 0, 0, 1), 3), 2), [a + b for a, b in product((1, 1, 4), repeat=2)]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_law_of_a_throw_is_that_of_its_faces(case):
    chain, values = CASES[case]
    assert exact_distributions(chain).dense_weights(64)[0] == pytest.approx(law_of(values), abs=1e-15)


def test_fields_are_read_as_they_are_packed():
    fields = Fields({"models": 5, "falls": 3, "status": 4})
    assert fields.size == 60
    for state, (models, falls, status) in enumerate(product(range(5), range(3), range(4))):
        assert fields.pack(models=models, falls=falls, status=status) == state
        assert [fields.get(name, state) for name in ("models", "falls", "status")] == [models, falls, status]
        assert fields.put(state, falls=2, status=1) == fields.pack(models=models, falls=2, status=1)
    assert fields.get("models", 60) == 5
