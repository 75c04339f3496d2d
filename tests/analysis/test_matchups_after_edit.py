"""A table after an edit is that which is worked out from nothing; only what the edit touches is fought."""

import pandas as pd
import pytest

from analyser.analysis.grid import Fight, prepare_kernels
from analyser.analysis.matchups import matchups, matchups_after_edit
from tests.helpers.planted import with_oak


@pytest.fixture(scope="module")
def found(wood):
    return matchups("*/*", "*/*", situations=["long-range", "charge"], profiles=wood)


@pytest.mark.parametrize(
    "changes", [{"points": 75}, {"dice": 3}, {"defence": 4, "points": "-5"}, {"rules": "Veteran (1)"}]
)
def test_it_is_the_table_of_the_changed_loadouts_to_the_bit(wood, found, changes):
    changed = with_oak(wood, **changes)
    anew = matchups(changed, changed, situations=["long-range", "charge"], profiles=wood)
    kept = matchups_after_edit(found, changed, changed)
    pd.testing.assert_frame_equal(kept.frame, anew.frame, check_exact=True)
    assert (kept.attackers, kept.not_modelled) == (anew.attackers, anew.not_modelled)


def test_rows_and_columns_of_who_is_changed_are_fought_and_nothing_else(wood, found, fought):
    changed = with_oak(wood, defence=3)
    matchups_after_edit(found, changed, changed)
    assert fought
    assert all("wood/oak@basic" in pair for pair in fought)
    assert len(fought) == 2 * (2 * len(changed) - 1)  # in two situations


def test_a_kernel_is_told_of_all_the_fights_of_a_question_at_once():
    told = []

    class Recorded:
        def __init__(self, name):
            self.compile_for = lambda seconds: told.append((name, seconds))

    shots, blows = Recorded("shots"), Recorded("blows")
    shoot, charge = (Fight(None, "", each, cost=1, interpreted=by) for each, by in ((shots, 0.25), (blows, 0.5)))
    prepare_kernels([(shoot, 8), (charge, 2), (shoot, 4), (charge, 0)])
    assert told == [("shots", 3.0), ("blows", 1.0)]
    prepare_kernels([(charge, 0)])
    assert len(told) == 2  # nobody fights: nothing is compiled
