"""Enemies on a page: planted duels whose answer is known, and fights of units of which one must win."""

import numpy as np
import pandas as pd
import pytest

from analyser.report.page import Trades, enemies_data, wins_of

DUELS = pd.DataFrame(
    [
        ("b/axe@basic", "a/tank@basic", 0.9, 0.0),
        ("a/tank@basic", "b/axe@basic", 0.1, 0.2),
        ("b/axe@basic", "a/tank@full", 0.8, 0.0),
        ("a/tank@full", "b/axe@basic", 0.4, 0.0),
        ("b/straw@basic", "a/tank@basic", 0.0, 0.0),
        ("a/tank@basic", "b/straw@basic", 1.0, 0.0),
        ("a/tank@basic", "b/cloud@basic", np.nan, np.nan),
        ("a/tank@basic", "a/tank@full", 0.0, 0.0),
    ],
    columns=["attacker", "defender", "p_attacker_wins", "p_draw"],
)


def test_wins_are_means_over_levels_and_over_who_begins():
    found = wins_of(DUELS)
    assert found.loc["b/axe", "a/tank"] == pytest.approx((0.9 + 0.7 + 0.8 + 0.6) / 4)
    assert found.loc["a/tank", "b/axe"] == pytest.approx((0.1 + 0.1 + 0.4 + 0.2) / 4)
    assert (found.loc["a/tank", "b/straw"], found.loc["b/straw", "a/tank"]) == (1.0, 0.0)
    assert "b/cloud" not in found


def test_the_page_gets_square_tables_without_a_unit_against_itself():
    names = ["a/tank", "b/axe", "b/straw", "b/cloud"]
    trades = Trades(["a/tank", "b/cloud"], np.array([[9.0, 12.34], [5.0, 9.0]]))
    found = enemies_data(names, wins_of(DUELS), trades)
    assert found["wins"][0] == [None, 200, 1000, None]
    assert [each[0] for each in found["wins"]] == [None, 750, 0, None]
    assert found["destroys"][0] == [None, None, None, 12.3]
    assert found["destroys"][3] == [5.0, None, None, None]
