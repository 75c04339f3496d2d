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


EVERYTHING = {
    "check": {"quality": "old guard"},
    "flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18},
    "column": COLUMN,
    "rout": {"units": [{"edge_distance": 20}], "turns": 1},
    "division": {"units": [{"rout": 0.1}], "turns": 1},
    "game": {"units": [{"edge_distance": 22.5}], "turns": 1},
}


def test_of_several_sections_each_line_says_to_which_it_belongs():
    """GT-4 is applied in [flight] alone."""
    result = morale.exact("grande-tactique", EVERYTHING)
    assert "GT-4 pursuit" in result.rules_applied
    assert "[column], [game]: GT-4 pursuit" in result.not_modelled
    assert all(rule.startswith("[") for rule in result.not_modelled)
    assert len({rule.split(": ", 1)[1] for rule in result.not_modelled}) == len(result.not_modelled)


def test_nothing_points_to_a_section_that_is_asked():
    assert not [rule for rule in left_out(**EVERYTHING) if "see [" in rule]
    assert "[rout], [division]: GT-10 voluntary withdrawal" in left_out(**EVERYTHING)
    assert "GT-10 voluntary withdrawal: see [game]" in left_out(rout=EVERYTHING["rout"])


@pytest.mark.parametrize(
    ("unit", "is_told"),
    [
        ({"arm": "cavalry", "quality": "veteran", "worn_down_by_infantry": 0.5}, True),
        ({"arm": "artillery", "modifier": 1, "worn_down_by_artillery": 0.5}, True),
        ({"quality": "veteran", "charged_by_infantry": 0.5}, True),
        ({"quality": "veteran", "worn_down_by_infantry": 0.5}, False),
        ({"modifier": -1, "loses_firing": 0.5}, False),
        ({"arm": "cavalry", "worn_down_by_infantry": 0.5}, False),
    ],
)
def test_quality_without_a_morale_check_has_no_effect(unit, is_told):
    """GT-2: infantry alone checks its morale, under fire."""
    found = morale.exact("grande-tactique", {"game": {"units": [unit], "turns": 1}}).warnings
    told = "game.units.0: quality and modifier have no effect: no morale check is made (GT-2)"
    assert found == ((told,) if is_told else ())
