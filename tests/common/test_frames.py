"""Tidy frames: documented types, names beside ids, no prose; and tables in colours."""

from typing import get_args

import numpy as np
import pandas as pd

from analyser.common.frames import ORDERED_TEXTS, styler, tidy
from analyser.game.units import Category, LevelName

ROWS = [
    {"loadout": "x/red-guard@full-strength", "level": "full-strength", "aiming": True, "hits": 2.5, "why_not": None},
    {"loadout": "x/blue@basic", "level": "basic", "aiming": None, "hits": None, "why_not": "too far"},
]


def test_the_orders_are_those_of_the_game():
    assert (get_args(LevelName), get_args(Category)) == ORDERED_TEXTS


def test_columns_have_their_documented_types():
    frame = tidy(ROWS)
    assert [*frame] == ["loadout", "loadout_name", "level", "aiming", "hits"]
    assert [str(kind) for kind in frame.dtypes] == ["category", "category", "category", "boolean", "float64"]
    assert frame.sort_values("level")["loadout_name"].tolist() == ["Blue, basic", "Red Guard, full-strength"]
    assert frame["level"].cat.ordered
    assert not frame["loadout"].cat.ordered


def test_names_that_are_there_are_not_doubled():
    beside = tidy([row | {"unit": "Red"} for row in ROWS])
    assert "loadout_name" not in beside
    matchup = tidy({"attacker": ["x/a@basic"], "attacker_unit": ["A"], "by": ["x/b@basic, x/c@basic"]})
    assert [*matchup] == ["attacker", "attacker_unit", "by"]


def test_the_frame_that_was_given_stays_as_it_was():
    given = pd.DataFrame({"level": ["basic"], "why": ["so"]})
    tidy(given)
    assert [*given] == ["level", "why"]
    assert given["level"].dtype != "category"


def test_a_table_in_colours_hides_ids_and_writes_percent():
    frame = tidy({"attacker": ["x/a@basic", "x/b@basic"], "p_broken": [0.25, np.nan], "gain": [1.0, -2.0]})
    page = styler(frame).to_html()
    assert ("x/a@basic" in page, "A, basic" in page, "25.0%" in page, "nan" in page) == (False, True, True, False)
    assert page.count("linear-gradient") >= 3
