"""Tests that who plays best can fail on purpose (AC-5.1): the graph of choices beside the engine of duels."""

import pytest

from analyser import best_play, tell
from tests.oracle import fights_by_engine as engine
from tests.oracle.random_fights import random_fights, random_retreat

BEST = "best"


@pytest.mark.slow
def test_what_is_failed_on_purpose_stands_in_the_plan_and_is_told():
    """A, suppressed, runs amok: it fails its rally test and shoots, instead of being made to charge (AC-5.6, AC-7)."""
    made = random_fights(random_retreat, 4, 2)[1]
    scenario = engine.best_play_of({**made, "policy_a": BEST, "policy_b": BEST}, "margin").scenario.as_dict()
    first, second, *_ = best_play(scenario).plan()
    assert (first["when"], first["do"], second["do"]) == ("test", "fail the test on purpose", "shoot")
    assert first["costs"] > 0.1
    assert "A is activated; rally test (AC-5.6): failed on purpose (AC-5.1)" in str(tell(scenario, seed=3))
