"""The duels that the engines are timed against follow the same law as the plain reading."""

import numpy as np
import plain_duel
import pytest
from scipy import stats

from benchmarks.baselines.duels import ROUNDS, TWELVE, Facts, numpy_vectorised, pure_python, scenario

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


@BASELINES
@pytest.mark.parametrize("facts", [SMALL, STEADY], ids=["small", "steady"])
def test_baselines_play_the_plain_duel(baseline, facts):
    trials, rounds = 20_000, 3
    found, laws = baseline.play(facts, rounds, trials, 1), plain_laws(facts, rounds)
    for number in range(rounds):
        assert found[number].sum() == trials
        assert p_value(found[number], laws[number] * trials) > 1e-3


def test_baselines_agree_on_the_duel_that_is_timed():
    trials = 20_000
    one = pure_python.play(TWELVE, ROUNDS, trials, 1)[-1].ravel()
    other = numpy_vectorised.play(TWELVE, ROUNDS, trials, 2)[-1].ravel()
    common = one + other >= 2 * FEWEST_EXPECTED
    table = [np.append(counts[common], counts[~common].sum()) for counts in (one, other)]
    assert stats.chi2_contingency(table).pvalue > 1e-3


@BASELINES
def test_a_seed_gives_the_same_duels(baseline):
    first, second = (baseline.play(TWELVE, 2, 300, 5) for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, baseline.play(TWELVE, 2, 300, 6))
