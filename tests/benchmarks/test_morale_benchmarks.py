"""What morale is measured against answers the same questions."""

import numpy as np
import pytest

from analyser import morale
from benchmarks.morale import QUESTIONS
from tests.oracle.morale_checks import UNLIKELY, chi_square

TRIALS = 100_000


@pytest.mark.parametrize("name", QUESTIONS)
def test_baselines_play_the_question(name):
    """Each column, row by row: as often as the exact chance says, by chi-square on happened and not."""
    module = QUESTIONS[name]
    exact = morale.exact(module.SYSTEM, module.QUESTION).columns[module.TABLE]
    for column, counts in module.play(TRIALS, 1).items():
        chances = np.asarray(exact[column])[: len(counts)]
        for count, chance in zip(counts, chances):
            assert chi_square(np.array([count, TRIALS - count]), TRIALS * np.array([chance, 1 - chance])) > UNLIKELY
