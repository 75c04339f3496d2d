"""Games of Grande Tactique with as many units as there may be, by Monte Carlo."""

import pytest

from analyser import morale
from analyser.common.errors import InputError
from tests.oracle.morale_checks import rows

UNITS = [
    {
        "arm": ["infantry", "cavalry"][number % 2],
        "edge_distance": 30 + 6 * number,
        "column": 1 + number % 2,
        "worn_down_by_infantry": 0.2,
        "charged_by_cavalry": 0.1,
    }
    for number in range(8)
]


@pytest.mark.slow
def test_eight_units_over_six_turns_are_answered():
    game = {"units": UNITS, "turns": 6, "surrounded": 0.05}
    sample = morale.simulate("grande-tactique", {"game": game}, 2000)
    found = rows(sample, "game_units")
    assert len(found) == 8 * 6
    for row in found.values():
        states = ("eager", "shaken", "routed", "silenced", "destroyed", "withdrawn")
        assert sum(row[f"p_{state}"] for state in states) == pytest.approx(1, abs=1e-12)


@pytest.mark.slow
def test_eight_cavalry_of_one_column_are_answered():
    """Each may flee, from cavalry or not, to any inch that dice lead to: 2**62 states have a number."""
    units = [{"arm": "cavalry", "edge_distance": 42, "column": 1, "charged_by_cavalry": 0.1}] * 8
    game = {"units": units, "turns": 6, "surrounded": 0.05}
    assert morale.simulate("grande-tactique", {"game": game}, 500).trials == 500


def test_more_than_have_a_number_are_told_what_helps():
    units = [{"arm": "cavalry", "edge_distance": 90, "column": 1, "charged_by_cavalry": 0.1}] * 8
    with pytest.raises(InputError, match=r"too many to number .allowed: fewer units or turns, cavalry nearer"):
        morale.simulate("grande-tactique", {"game": {"units": units, "turns": 6}}, 500)


def test_the_last_places_before_the_edge_are_one():
    """Alone, its next flight leads off the map: 21/36 at once from 18 inches, all at the second (GT-5)."""
    unit = {"arm": "cavalry", "edge_distance": 18, "charged_by_cavalry": 1, "rout_charged_by_cavalry": 0}
    found = rows(morale.exact("grande-tactique", {"game": {"units": [unit, {}, {}], "turns": 2}}), "game_units")
    assert found[1, "cavalry", 1]["p_off_map"] == pytest.approx(21 / 36, abs=1e-12)
    assert found[1, "cavalry", 2]["p_off_map"] == pytest.approx(1, abs=1e-12)


@pytest.mark.slow
def test_four_of_infantry_fit_the_method_exact_over_four_turns():
    """docs/morale.md says so."""
    chances = {"worn_down_by_infantry": 0.2, "charged_by_cavalry": 0.1}
    units = [{"edge_distance": edge, **chances} for edge in (20, 26, 32, 38)]
    assert morale.exact("grande-tactique", {"game": {"units": units, "turns": 4}}).method == "exact"
