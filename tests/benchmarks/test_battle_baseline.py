"""The battles that the engine is timed against follow the same law as the engine's."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from benchmarks.baselines.battles import RIFLES, TWELVE, numpy_vectorised, pure_python
from benchmarks.battles import simulation
from tests.helpers.skips import proof

TRIALS, TIMES = 1500, 20
FEWEST = 8


@pytest.mark.slow
@pytest.mark.parametrize("units", [2, *proof(3)])
@pytest.mark.parametrize("baseline", [pure_python, numpy_vectorised], ids=lambda module: module.__name__)
def test_the_baseline_plays_the_battle_of_the_engine(baseline, units):
    terms = TWELVE._replace(units=2, gap=1200, hand_limit=2) if units == 2 else TWELVE._replace(units=units)
    found = Counter(map(tuple, baseline.play(RIFLES, terms, TRIALS, 1).tolist()))
    counts = simulation(RIFLES, terms).play(TIMES * TRIALS, 2).results
    law = {pair: int(counts[pair]) for pair in zip(*(each.tolist() for each in np.nonzero(counts)))}
    common = [pair for pair, count in law.items() if count >= FEWEST * TIMES]
    rare = [pair for pair in {*law, *found} if pair not in common]
    table = [
        [each.get(pair, 0) for pair in common] + [sum(each.get(pair, 0) for pair in rare)] for each in (found, law)
    ]
    table = [column for column in zip(*table) if any(column)]
    assert stats.chi2_contingency(table).pvalue > 1e-3
