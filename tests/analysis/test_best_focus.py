"""Focus fire at its best: beside every order and every way, and how it is told."""

import json
from itertools import permutations, product

import pytest

from analyser import InputError, best_focus, focus

SAME = 1e-12
TARGET = {"models": 4, "defence": 2, "damage_limit": 1, "discipline": 6, "break_limit": 2}
RIFLES, SHARP = "crown/rifle-platoon@basic", "crown/sharp-rifles@basic"


def attack(dice, **more):
    """An attack without a profile."""
    return {"dice": dice} | more


ATTACKS = [attack(2, qualities=["Suppressive"]), attack(4, rating="improved"), attack(3, qualities=["Penetrating"])]


@pytest.mark.parametrize("want", ["annihilated", "broken", "destroyed", "suppressed"])
def test_no_fixed_order_does_better(want):
    found = best_focus(ATTACKS, TARGET, want=want)
    for number in (1, 2, 3):
        fixed = [focus(list(order), TARGET).probability(want).probability for order in permutations(ATTACKS, number)]
        assert found.chances[number - 1] >= max(fixed) - SAME
    given = focus(ATTACKS, TARGET)
    assert found.as_given == pytest.approx(given.probability(want).probability, abs=SAME)
    assert given.until(1, want).probability == given.probability(want)  # the same thing by the same name


def test_two_attacks_by_hand():
    """Who fires second may depend on nothing here: of two attacks only the order can be chosen."""
    two = ATTACKS[1:]
    found = best_focus(two, TARGET)
    expected = max(focus(list(order), TARGET).probability("annihilated").probability for order in permutations(two))
    assert found.value == pytest.approx(expected, abs=SAME)


def test_rows_aiming_and_closing_in_are_tried():
    asked = [{"attacker": RIFLES, "distance": 12}, {"attacker": SHARP, "distance": 12}]
    found = best_focus(asked, "imperium/scion-grenadier-platoon@basic")
    ways = []
    for one, other in product(
        [{"distance": 12, "bonuses": ["aiming"]}, {"distance": 8, "attacker_advanced": True}], repeat=2
    ):
        for order in permutations([{"attacker": RIFLES} | one, {"attacker": SHARP} | other]):
            try:
                ways.append(focus(list(order), "imperium/scion-grenadier-platoon@basic"))
            except InputError:
                continue
    assert found.value >= max(each.probability("annihilated").probability for each in ways) - SAME
    assert any("aims with" in step["next"] or "closes in" in step["next"] for step in found.steps)


def test_how_many_to_commit():
    found = best_focus(ATTACKS, TARGET)
    assert list(found.chances) == sorted(found.chances)
    assert found.until(found.chances[1]) == 2
    assert found.until(1.0) is None
    with pytest.raises(InputError, match=r"until: 0 is not usable"):
        found.until(0)


def test_it_is_told_in_every_form():
    found = best_focus(ATTACKS, TARGET)
    assert "By how many fire at most" in str(found)
    record = json.loads(json.dumps(found.as_dict()))
    assert record["chances"][-1] == found.value
    assert len(found.frame) == len(found.rows()) == len(record["steps"])
    by_fired = {}
    for step in found.steps:
        by_fired[step["fired"]] = by_fired.get(step["fired"], 0) + step["probability"]
        assert step["costs"] >= 0
    assert by_fired[0] == pytest.approx(1)


@pytest.mark.parametrize(
    ("attacks", "more", "told"),
    [
        ([], {}, r"0 attackers"),
        ([attack(1)] * 9, {}, r"9 attackers"),
        ([attack(1)], {"want": "sad"}, r"want: 'sad' is not usable"),
    ],
)
def test_what_is_wrong_is_told(attacks, more, told):
    with pytest.raises(InputError, match=told):
        best_focus(attacks, TARGET, **more)
