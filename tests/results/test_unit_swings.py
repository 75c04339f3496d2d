"""Which unit swings a battle, in a line that stays short."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from analyser.common.kernel_records import empty_record
from analyser.engine.battle.battle_data import Counts
from analyser.results.unit_swings import MOST_NAMED, swing_units_sentence, unit_swing
from analyser.rules.battle import Outcome

NAMES = {"mine": "Reds", "yours": "Blues"}


@pytest.mark.parametrize("tied", [0, 1, MOST_NAMED, MOST_NAMED + 1])
def test_few_that_cannot_be_told_from_the_swing_unit_are_named_and_many_are_counted(tied):
    first = {"name": "first", "side": "mine", "difference": 0.2, "low": 0.15, "high": 0.25}
    near = [first | {"name": f"near {place}", "difference": 0.12, "low": 0.08, "high": 0.16} for place in range(tied)]
    far = [first | {"name": "far", "difference": 0.05, "low": 0.01, "high": 0.09}]
    others = [first | {"name": "theirs", "side": "yours", "high": 0.9}]
    line = swing_units_sentence([first, *near, *far, *others], "mine", "Reds")
    assert line.startswith("Swing unit of Reds: first. Without it Reds wins 20 pp ±5 less often")
    assert all((row["name"] in line) == (tied <= MOST_NAMED) for row in near)
    assert (f"{tied} others may matter as much." in line) == (tied > MOST_NAMED)
    assert "far" not in line
    assert "theirs" not in line


def counts_of(wins, losses):
    counts = empty_record(Counts)
    counts.outcomes[0, Outcome.VICTORY], counts.outcomes[0, Outcome.DEFEAT] = wins, losses
    return counts


def test_ends_are_those_of_two_clopper_pearson_intervals_for_all_units():
    """With 0.01 for the intervals of both sides with all units, and 0.04 for those without a unit."""
    certain = unit_swing(counts_of(2000, 0), counts_of(0, 1000), "mine", 4)
    assert certain["difference"] == certain["high"] == 1.0
    assert certain["low"] == pytest.approx((0.0025) ** (1 / 2000) - (1 - (0.005) ** (1 / 1000)))
    never = unit_swing(counts_of(2000, 0), counts_of(1000, 0), "yours", 4)
    assert never["low"] < never["difference"] == 0 < never["high"]
    some = unit_swing(counts_of(8000, 2000), counts_of(300, 200), "mine", 4)
    with_it, without = binomtest(8000, 10_000), binomtest(300, 500)
    (low, high), (least, most) = with_it.proportion_ci(1 - 0.005), without.proportion_ci(1 - 0.01)
    assert (some["low"], some["high"]) == pytest.approx((low - most, high - least))
    assert (some["difference"], some["trials"]) == (pytest.approx(0.2), 500)


def test_the_intervals_hold_for_all_units_at_once():
    """Of 400 samples with known probabilities, at most 5% may have an interval without the true difference."""
    rng, with_all, without = np.random.default_rng(7), 0.8, np.linspace(0.5, 0.9, 10)

    def has_missed():
        wins, trials = rng.binomial(10_000, with_all), 500
        base = counts_of(wins, 10_000 - wins)
        wins_without = rng.binomial(trials, without)
        rows = [unit_swing(base, counts_of(wins, trials - wins), "mine", 10) for wins in wins_without]
        return not all(row["low"] <= with_all - p <= row["high"] for row, p in zip(rows, without, strict=True))

    assert sum(has_missed() for _ in range(400)) <= binom.ppf(0.999, 400, 0.05)
