"""Enemies on a page: planted duels whose answer is known, and fights of units of which one must win."""

import numpy as np
import pandas as pd
import pytest

from analyser.analysis.matchups import matchups
from analyser.game.profiles import Profiles
from analyser.report.page import Trades, enemies_data, wins_of
from tests.helpers.unit_files import unit_file

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


def test_the_stronger_wins_and_twins_are_even(tmp_path):
    giant = (3, {"basic": (12, 200)}, 24, 12)
    units = {"giant": giant, "twin": giant, "straw": (1, {"basic": (1, 10)}, 1, 1)}
    texts = [unit_file(name, *facts) for name, facts in units.items()]
    (tmp_path / "land.toml").write_text("\n".join(['format = 1\nid = "land"\nname = "Land"', *texts]), encoding="utf-8")
    wins = wins_of(matchups("land/*", "land/*", situations=["duel"], profiles=Profiles(tmp_path)).frame)
    assert wins.loc["land/giant", "land/twin"] == pytest.approx(wins.loc["land/twin", "land/giant"], abs=1e-12)
    assert wins.loc["land/giant", "land/straw"] > 0.99
    assert wins.loc["land/straw", "land/giant"] < 0.01
