"""What morale is measured against answers the same questions."""

import numpy as np
import pytest

from analyser import morale
from benchmarks.morale import QUESTIONS
from tests.helpers.samples import chi_square
from tests.oracle.morale_checks import UNLIKELY

TRIALS = 100_000


@pytest.mark.parametrize("name", QUESTIONS)
def test_baselines_play_the_question(name):
    """Each column, row by row: as often as the exact chance says, by chi-square on happened and not."""
    module = QUESTIONS[name]
    exact = morale.exact(module.SYSTEM, module.QUESTION).columns[module.TABLE]
    for column, counts in module.play(TRIALS, 1).items():
        chances = np.asarray(exact[column])[: len(counts)]
        for count, chance in zip(counts, chances):
            p = chi_square(np.array([count, TRIALS - count]), np.array([chance, 1 - chance]))
            assert p is None or p > UNLIKELY
