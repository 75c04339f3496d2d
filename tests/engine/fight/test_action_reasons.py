"""What each side of a duel did in each round, and why: by hand, by the plain reading, and sampled (AC-9.2)."""

import pytest

from tests.oracle.fight_files import duel, row, unit

SLOW = row("ranged", 1, "Slow to Fire")


def deed(result, side="a", number=1):
    """The one thing that a side can have done in a round, and why."""
    (found,) = [each for each in result.activations() if (each["side"], each["round"]) == (side, number)]
    assert found["probability"] == pytest.approx(1)
    return found["did"], found["because"]


@pytest.mark.parametrize(
    ("a", "terms", "expected"),
    [
        (unit(row("ranged", 1)), {}, ("shot_aiming", "policy")),
        (unit(row("ranged", 1), suppressed=True), {}, ("shot", "rally_failed")),
        (unit(row("ranged", 1), garrisoned=True), {}, ("shot", "in_building")),
        (unit(row("ranged", 1), speed=6.0), {"distance": 30.0}, ("advanced_and_shot", "out_of_range")),
        (unit(row("ranged", 1), speed=6.0), {"distance": 30.01}, ("advanced", "out_of_range")),
        (unit(row("ranged", 1)), {"distance": 30.0}, ("held", "out_of_range")),
        (unit(row("ranged", 1), speed=6.0, suppressed=True), {"distance": 30.0}, ("advanced", "rally_failed")),
        (
            unit(row("ranged", 1, short_range=9.0), speed=6.0),
            {"distance": 12.0, "policy_a": "short_range"},
            ("advanced_and_shot", "out_of_short_range"),
        ),
        (unit(SLOW, reloading=True), {}, ("re_armed", "reloading")),
        (unit(row("ranged", 1)), {"policy_a": "lookout"}, ("went_on_lookout", "policy")),
        (unit(), {"policy_a": "take_cover"}, ("took_cover", "policy")),
        (unit(row("melee", 1)), {"policy_a": "charge"}, ("charged", "policy")),
        (unit(row("melee", 1), speed=4.0), {"policy_a": "charge", "distance": 20.0}, ("double_timed", "out_of_reach")),
        (unit(row("melee", 1), garrisoned=True), {"policy_a": "charge"}, ("held", "in_building")),
        (unit(row("melee", 1), suppressed=True), {"policy_a": "charge"}, ("held", "rally_failed")),
        (unit(row("melee", 1), rules=["Run Amok"]), {"policy_a": "take_cover"}, ("charged", "rule")),
        (unit(row("melee", 1), rules=["Berserk"], suppressed=True), {"policy_a": "take_cover"}, ("charged", "rule")),
        (unit(row("ranged", 1), activated=True), {}, ("had_no_activation", "activated")),
    ],
)
def test_what_was_done_and_why(a, terms, expected):
    assert deed(duel(a, unit(), **{"policy_b": "take_cover"} | terms)) == expected


def test_who_is_gone_did_nothing_and_nor_did_who_has_won():
    result = duel(unit(row("ranged", 10)), unit(), policy_b="take_cover", rounds=2)
    assert deed(result, "b", 1) == ("was_gone", "gone")
    assert deed(result, "a", 2) == ("had_no_activation", "enemy_gone")
    assert deed(result, "b", 2) == ("was_gone", "gone")


def test_who_falls_to_opportunity_fire_did_not_act():
    watcher = unit(row("ranged", 10), on_lookout=True)
    assert deed(duel(unit(row("ranged", 1)), watcher, policy_b="lookout")) == ("fell", "opportunity_fire")


def test_cryo_takes_an_activation():
    # AC-6: every hit costs a model and every test is failed: activated, not suppressed, in either order.
    result = duel(unit(row("ranged", 1, "Cryo")), unit(), policy_b="take_cover")
    assert deed(result, "b") == ("had_no_activation", "activated")
    tossed = duel(unit(), unit(row("ranged", 1, "Cryo")), policy_a="take_cover", policy_b="shoot", first="random")
    found = {each["did"]: each["probability"] for each in tossed.activations() if each["side"] == "a"}
    assert found == {"took_cover": 0.5, "had_no_activation": 0.5}
