"""Pictures of answers about morale."""

import pytest

from analyser import morale
from analyser.morale.answer_parts import picture_of
from analyser.plots.distributions import MOST_BARS

QUESTIONS = {
    "legion": {"courage": 1, "tokens": 2, "commander_courage": 2, "edge_distance": 6, "move_distance": 6},
    "grande-tactique": {
        "check": {},
        "flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18},
        "column": {"arm": "infantry", "enemy": "cavalry", "friends": [{"distance": 3, "shaken": 0.5}]},
        "rout": {"units": [{"edge_distance": 20}]},
        "division": {"units": [{"rout": 0.5}, {"rout": 0.25}, {"rout": 0.1}]},
    },
    "compare": {"models": 4, "losses": 1, "rounds": 2},
}


def drawn(system):
    return picture_of(morale.exact(system, QUESTIONS[system]))


@pytest.mark.parametrize("system", QUESTIONS)
def test_every_panel_is_drawn(system):
    panels = morale.exact(system, QUESTIONS[system]).panels
    titles = [axes.get_title() for axes in drawn(system)]
    assert titles == [f"{panel.heading}, percent" for panel in panels]


def test_many_bars_have_few_ticks_and_no_unlikely_ends():
    axes = picture_of(morale.exact("warmaster", {"dice": 20}))
    assert len(axes.get_xticks()) <= MOST_BARS
    assert len(axes.texts) == 0
    assert sum(bar.get_height() for bar in axes.patches) > 99.5
    assert "others: less than 0.01% at either end" in axes.get_xlabel()


def test_the_picture_of_a_destroyed_unit_is_drawn():
    question = {"courage": 1, "rounds": 2, "tokens": 2, "received": 1, "destroyed": 1}
    assert picture_of(morale.exact("legion", question))[0].figure.canvas.get_renderer()
