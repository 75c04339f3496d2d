"""Grande Tactique: what the answer says about itself, section by section."""

import pytest

from analyser import morale

FAR = "GT-5 the map edge: no edge_distance was given, so it is far"
COLUMN = {"arm": "infantry", "enemy": "infantry", "friends": [{"distance": 3}]}


def left_out(**sections):
    return morale.exact("grande-tactique", sections).not_modelled


@pytest.mark.parametrize(
    ("sections", "told"),
    [
        ({"flight": {"arm": "infantry", "enemy": "cavalry"}}, FAR),
        ({"column": COLUMN}, FAR),
        ({"rout": {"units": [{}, {"edge_distance": 9}, {}], "turns": 1}}, "no edge_distance (1, 3)"),
        ({"game": {"units": [{"arm": "artillery"}, {}, {"edge_distance": 9}], "turns": 1}}, "no edge_distance (2)"),
    ],
)
def test_an_edge_left_out_is_said_to_be_far(sections, told):
    (found,) = (rule for rule in left_out(**sections) if rule.startswith("GT-5 the map edge"))
    assert told in found


def test_no_edge_is_said_to_be_far_that_is_given_or_that_nobody_flees_to():
    asked = {
        "flight": {"arm": "infantry", "enemy": "cavalry", "edge_distance": 9},
        "column": COLUMN | {"edge_distance": 9},
        "rout": {"units": [{"edge_distance": 9}], "turns": 1},
        "game": {"units": [{"edge_distance": 9}, {"arm": "artillery"}], "turns": 1},
    }
    assert not [rule for rule in left_out(**asked) if "GT-5 the map edge" in rule]
