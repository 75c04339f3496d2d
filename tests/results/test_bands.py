"""Intervals of a whole table at once, beside those that hold each by itself."""

import numpy as np
import pytest

import analyser
from analyser.common.intervals import clopper_pearson, dkw_half_width
from analyser.results.simultaneous_intervals import event_intervals

FIGHT = {"attack": {"dice": 10}, "target": {"models": 5, "defence": 2, "damage_limit": 1, "discipline": 7}}


@pytest.fixture(scope="module")
def found():
    return analyser.simulate(FIGHT, trials=3000, seed=2).all_at_once()


def test_at_least_is_within_the_same_distance_everywhere(found):
    pmf = found.pmf("models_destroyed")
    reach = dkw_half_width(3000)
    assert pmf["at_least_band_low"].to_numpy() == pytest.approx((pmf["at_least"] - reach).clip(lower=0).to_numpy())
    assert pmf["at_least_band_high"].to_numpy() == pytest.approx((pmf["at_least"] + reach).clip(upper=1).to_numpy())
    assert (pmf["at_least_band_low"] <= pmf["at_least_low"] + 1e-9).all()


def test_all_events_share_one_error(found):
    banded = event_intervals(found)
    assert list(banded) == list(found.events)
    counts = np.array([round(p * 3000) for p in banded.values()])
    low, high = clopper_pearson(counts, 3000, 0.05 / len(counts))
    for p, *ends in zip(banded.values(), low, high):
        assert (p.low, p.high) == pytest.approx(tuple(ends))
    for name, p in banded.items():
        alone = found.probability(name)
        assert p.low <= alone.low <= alone.high <= p.high


def test_they_are_said_in_text_and_in_json(found):
    text, plain = str(found), found.as_dict()["bands"]
    assert "Models destroyed, the whole table at once" in text
    assert "All events at once" in text
    assert plain["at_least"] == {"by": "dkw", "half_width": dkw_half_width(3000)}
    assert plain["events"]["figures"].keys() == set(found.events)
    assert "bands" not in analyser.simulate(FIGHT, trials=300).as_dict()
