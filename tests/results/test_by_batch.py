"""Means of battles that were played in batches: their intervals hold, also of what is seen rarely or never."""

import numpy as np
import pytest

import analyser
from analyser.common.means import amount_by_batch
from tests.helpers.shell import RIFLES
from tests.helpers.skips import proof

SAMPLES = 120
MODEL, MODELS = 10.0, 5  # points of a model, and how many there are


def covered(chances, batches, battles):
    """How often the interval has the mean of so many models with these chances, of batches of so many battles."""
    draws, chances = np.random.default_rng(7), np.array(chances)
    exact = MODEL * float(chances @ np.arange(len(chances)))
    trials = np.full(batches, battles)
    seen = draws.multinomial(battles, chances, size=(SAMPLES, batches)) @ np.arange(len(chances)) * MODEL
    found = [amount_by_batch(sums, trials, MODEL, MODEL * MODELS) for sums in seen]
    return sum(mean.low <= exact <= mean.high for mean in found) / SAMPLES


@pytest.mark.parametrize("batches", [1, 32, *proof(2, 4)])
@pytest.mark.parametrize(
    "chances",
    [
        (0.9999, 0.0001),  # at most once in all
        (0.999, 0.001),
        (0.9995, 0, 0, 0, 0, 0.0005),  # rarely, and then all of it
        (0.99, 0.004, 0.003, 0.001, 0.001, 0.001),
        (0.4, 0.2, 0.1, 0.1, 0.1, 0.1),
    ],
)
def test_intervals_hold(batches, chances):
    assert covered(chances, batches, 256) >= 0.945 - 3 * (0.95 * 0.05 / SAMPLES) ** 0.5


def test_what_units_of_a_battle_do_has_intervals_that_hold():
    """Aircraft that nothing here can fire at lose nothing in any battle, which does not say that they cannot."""
    found = analyser.battle([RIFLES, "crown/defiance-fighter-squadron@basic"], [RIFLES], trials=100, rounds=2)
    for row in found.contributions():
        for name in ("points_destroyed", "points_absorbed", "friends_destroyed"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
            assert row[name] > 0 or row[f"{name}_high"] > 0
    for row in found.survivors():
        assert row["mean_points_low"] <= row["mean_points"] <= row["mean_points_high"]
        share = row["mean_percent_high"] / row["mean_percent"]
        assert row["mean_points_high"] / row["mean_points"] == pytest.approx(share)
