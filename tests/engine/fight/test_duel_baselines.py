"""The duels that the engines are timed against follow the same law as the plain reading."""

import numpy as np
import pytest
from scipy import stats

from analyser.rules.discipline import SUPPRESSED
from analyser.rules.unit_state import MODELS_MASK
from benchmarks import longer_fights
from benchmarks.baselines.duels import ROUNDS, TWELVE, Facts, numpy_vectorised, pure_python, scenario
from tests.oracle import plain_duel
from tests.oracle.fights_by_engine import fate_of

SMALL = Facts(models=4, dice=(0, 1, 2, 2, 3), defence=1, discipline=7, break_limit=1)
STEADY = Facts(models=3, dice=(0, 1, 1, 2), defence=2, discipline=10, break_limit=0)
FEWEST_EXPECTED = 10
BASELINES = pytest.mark.parametrize(
    "baseline", [pure_python, numpy_vectorised], ids=lambda module: module.__name__.rsplit(".", 1)[-1]
)


def end_of(facts, unit):
    """A unit's end in the form of the baselines."""
    return facts.models + 1 if unit.fate == "broken" else unit.models


def plain_laws(facts, rounds):
    """The exact laws at the end of each round, in the form of the baselines."""
    unit = scenario(facts)
    laws = np.zeros((rounds, facts.models + 2, facts.models + 2, 2))
    for number, law in enumerate(plain_duel.laws({"a": unit, "b": unit, "rounds": rounds})):
        for duel, chance in law.items():
            assert not duel.b.unit.suppressed
            place = end_of(facts, duel.a.unit), end_of(facts, duel.b.unit), int(duel.a.unit.suppressed)
            laws[number][place] += float(chance)
    return laws


def p_value(found, expected):
    """Chi-square of counts against expected ones, the rare cells as one; nothing where nothing is expected."""
    found, expected = found.ravel(), expected.ravel()
    assert not found[expected == 0].any()
    common = expected >= FEWEST_EXPECTED
    found = np.append(found[common], found[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    some = expected > 0
    return stats.chisquare(found[some], expected[some]).pvalue


@pytest.mark.slow
@BASELINES
@pytest.mark.parametrize("facts", [SMALL, pytest.param(STEADY, marks=pytest.mark.proof)], ids=["small", "steady"])
def test_baselines_play_the_plain_duel(baseline, facts):
    trials, rounds = 10_000, 2
    found, laws = baseline.play(facts, rounds, trials, 1), plain_laws(facts, rounds)
    for number in range(rounds):
        assert found[number].sum() == trials
        assert p_value(found[number], laws[number] * trials) > 1e-3


def test_the_duel_that_is_timed_is_the_one_of_the_baselines():
    trials = 20_000
    found = numpy_vectorised.play(TWELVE, ROUNDS, trials, 4)[-1].ravel()
    ours = ends_of_sample(longer_fights.the_duel(replacement=True)(200_000)[-1])
    common = found + ours >= 4 * FEWEST_EXPECTED
    table = [np.append(counts[common], counts[~common].sum()) for counts in (found, ours)]
    assert stats.chi2_contingency(table).pvalue > 1e-3


def ends_of_sample(snapshot):
    """A snapshot of the engine in the form of the baselines."""
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
