"""What made a combat rating (AC-3.1) is told with it: in the text and the JSON of attacks, charges and focus fire."""

import pytest

import analyser
from tests.oracle.fight_files import charge, row, unit

TARGET = {"models": 6, "defence": 2, "damage_limit": 1, "discipline": 7}
RATINGS = {-1: "weakened", 0: "neutral", 1: "improved"}


def told(conditions):
    """The bonuses and penalties of one attack, after a look that they make its rating."""
    difference = len(conditions["bonuses"]) - len(conditions["penalties"])
    if conditions["rating_by"] is None:
        assert conditions["rating"] == RATINGS[(difference > 0) - (difference < 0)]
    return conditions["bonuses"], conditions["penalties"], conditions["rating_by"]


@pytest.mark.parametrize(
    ("attack", "target", "reasons"),
    [
        ({}, {}, ([], [], None)),
        ({"bonuses": ["aiming"]}, {}, (["aiming"], [], None)),
        ({"bonuses": ["short_range"]}, {"garrisoned": True}, (["short_range"], ["concealed"], None)),
        ({"qualities": ["Seismic"]}, {"garrisoned": True}, (["seismic"], ["concealed"], None)),
        ({"opportunity_fire": True, "qualities": ["Lock On"]}, {}, ([], [], None)),
        ({"rating": "improved"}, {}, ([], [], "stated")),
        ({"qualities": ["Indirect"], "line_of_sight": "none", "bonuses": ["aiming"]}, {}, ([], [], "no sight")),
    ],
)
def test_what_made_the_rating_of_an_attack(attack, target, reasons):
    result = analyser.exact({"attack": {"dice": 4} | attack, "target": TARGET | target})
    assert told(result.conditions) == reasons
    alone = analyser.focus({"attacks": [{"dice": 4} | attack], "target": TARGET | target})
    assert alone.conditions == [result.conditions]
    assert alone.as_dict()["attacks"][0]["conditions"] == result.conditions


@pytest.mark.parametrize(
    ("circumstances", "charges", "strikes_back"),
    [
        ({}, ([], [], None), ([], [], None)),
        ({"outflanking": True}, (["outflanking"], [], None), ([], [], None)),
        ({"supported": True}, (["supported"], [], None), ([], ["threatened"], None)),
        ({"threatened": True}, ([], ["threatened"], None), (["supported"], [], None)),
    ],
)
def test_what_made_the_ratings_of_a_charge(circumstances, charges, strikes_back):
    result = charge(unit(row("melee", 2)), unit(row("melee", 2)), **circumstances)
    assert [told(strike) for strike in result.strikes] == [charges, strikes_back]


def test_overwhelming_onslaught_overrun_suppression_and_sponsons_are_told_too():
    charger = unit(row("melee", 1), rules=["Onslaught", "Overrun"], suppressed=True)
    first, again = charge(charger, unit(type="armour")).strikes
    assert told(first) == (["overwhelming", "onslaught"], ["suppressed"], None)
    assert told(again) == (["overwhelming"], ["suppressed", "overrun"], None)
    first, _ = charge(unit(row("melee", 1)), unit(rules=["Sponsons (2)"])).strikes
    assert told(first) == ([], [], "rule")
    assert first["rating"] == "weakened"
