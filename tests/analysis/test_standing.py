"""The effect of an edit on the matchups of a loadout."""

from types import SimpleNamespace

import pandas as pd
import pytest

from analyser.analysis.standing import matchup_changes

NAMES = ["oak", "ash", "fir", "yew"]


def standings(*leads):
    """A field in which the oak is so far ahead of the others."""
    return SimpleNamespace(leads=pd.DataFrame([[0.0, *leads], *[[0.0] * 4] * 3], NAMES, NAMES))


def test_a_matchup_moves_by_the_lead_after_an_edit_less_the_lead_before():
    found = matchup_changes(standings(0.2, -0.1, 0.3), standings(-0.3, 0.1, 0.4), "oak")
    assert found["opponent"].tolist() == ["ash", "yew", "fir"]  # the worst first
    assert found["before"].tolist() == [0.2, 0.3, -0.1]
    assert found["after"].tolist() == [-0.3, 0.4, 0.1]
    assert found["change"].tolist() == pytest.approx([-0.5, 0.1, 0.2])
    assert found["changes_hands"].tolist() == [True, False, True]
