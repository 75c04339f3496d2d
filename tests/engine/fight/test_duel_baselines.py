"""The duels that the engines are timed against have the same results as those of the engines."""

import numpy as np
import pytest
from scipy import stats

from analyser.rules.discipline import SUPPRESSED
from analyser.rules.unit_state import MODELS_MASK
from benchmarks import duels
from benchmarks.baselines.duels import ROUNDS, TWELVE, numpy_vectorised, pure_python
from tests.oracle.fights_by_engine import fate_of

FEWEST_EXPECTED = 10


@pytest.mark.slow
@pytest.mark.parametrize(("baseline", "trials"), [(numpy_vectorised, 20_000), (pure_python, 4000)])
def test_the_duel_that_is_timed_is_the_one_of_the_baselines(baseline, trials):
    found = baseline.play(TWELVE, ROUNDS, trials, 4)[-1].ravel()
    ours = ends_of_sample(duels.the_duel(replacement=True)(200_000)[-1])
    common = found + ours >= 4 * FEWEST_EXPECTED
    table = [np.append(counts[common], counts[~common].sum()) for counts in (found, ours)]
    assert stats.chi2_contingency(table).pvalue > 1e-3


def ends_of_sample(snapshot):
    counts = np.zeros((TWELVE.models + 2, TWELVE.models + 2, 2), np.int64)
    for one, two, many in zip(*(column.tolist() for column in snapshot)):
        ends = [TWELVE.models + 1 if fate_of(word) == "broken" else word & MODELS_MASK for word in (one, two)]
        counts[
            (
                *(end if not fate_of(word) or end > TWELVE.models else 0 for end, word in zip(ends, (one, two))),
                int(not fate_of(one) and bool(one & SUPPRESSED)),
            )
        ] += many
    return counts.ravel()
