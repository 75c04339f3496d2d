"""Enemies on a page: planted duels whose answer is known, and fights of units of which one must win."""

import numpy as np
import pandas as pd
import pytest

from analyser.report.page import enemies_data, wins_of

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


def test_wins_are_means_over_who_begins():
    found = wins_of(DUELS)
    assert found.loc["b/axe@basic", "a/tank@basic"] == pytest.approx((0.9 + 0.7) / 2)
    assert found.loc["a/tank@basic", "b/axe@basic"] == pytest.approx((0.1 + 0.1) / 2)
    assert (found.loc["a/tank@basic", "b/straw@basic"], found.loc["b/straw@basic", "a/tank@basic"]) == (1.0, 0.0)
    assert "b/cloud@basic" not in found


def test_the_page_gets_a_row_for_each_level_and_means_over_the_levels_of_its_enemies():
    names = ["a/tank@basic", "a/tank@full", "b/axe@basic", "b/straw@basic", "b/cloud@basic"]
    fighters = ["a/tank@basic", "a/tank@full", "b/cloud@basic"]
    trades = pd.DataFrame([[9, 9, 12.34], [9, 9, 3], [5, 6, 9.0]], fighters, fighters)
    found = enemies_data(names, wins_of(DUELS), trades)
    assert found["wins"][:2] == [[None, 100, 1000, None], [None, 300, None, None]]
    assert [each[0] for each in found["wins"]] == [None, None, 750, 0, None]
    assert [each[0] for each in found["draws"]] == [None, None, 50, 0, None]
    assert found["draws"][:2] == [[None, 100, 0, None], [None, 0, None, None]]
    assert [each[3] for each in found["ahead"]] == [7.3, -3, None, None, None]
    assert found["ahead"][4] == [-2.2, None, None, None]
    nothing = enemies_data(names, wins_of(DUELS[6:7].dropna()), None)
    assert all(set(row) == {None} for table in nothing.values() for row in table)
