"""Grande Tactique: who flees, and one flight (GT-1 to GT-5, GT-9), worked by hand."""

import pytest

from analyser import morale
from tests.helpers.grande_tactique import EXACTLY, ask, only
from tests.oracle.morale_checks import rows

# --- who flees (GT-1, GT-2, GT-9) ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arm", "state", "cause", "p_flees"),
    [
        ("infantry", "eager", "charged", 1),
        ("cavalry", "eager", "charged", 1),
        ("cavalry", "shaken", "worn down", 1),
        ("cavalry", "eager", "worn down", 0),
        ("cavalry", "shaken", "lost firing", 0),
        ("infantry", "shaken", "worn down", 1 / 2),  # 4 or more on one die stands
        ("infantry", "shaken", "lost firing", 1 / 2),
        ("infantry", "eager", "worn down", 0),
    ],
)
def test_who_flees(arm, state, cause, p_flees):
    found = only("check", check={"arm": arm, "state": state, "cause": cause})
    assert found["p_flees"] == pytest.approx(p_flees, abs=EXACTLY)
    assert found["p_stands"] == pytest.approx(1 - p_flees, abs=EXACTLY)


@pytest.mark.parametrize(
    ("cause", "by", "state", "p_silenced"),
    [
        ("charged", None, "eager", 1),
        ("worn down", "artillery", "eager", 1),
        ("worn down", None, "shaken", 1),  # artillery's fire is taken for granted, and a warning says so
        ("worn down", "infantry", "shaken", 0),
        ("lost firing", None, "shaken", 0),
    ],
)
def test_artillery_is_silenced_by_a_charge_or_by_the_fire_of_artillery(cause, by, state, p_silenced):
    """GT-1: it does not flee."""
    check = {"arm": "artillery", "cause": cause, "state": state, "worn_down_by": by}
    found = only("check", check=check)
    assert (found["p_flees"], found["p_routed"], found["p_silenced"]) == (0, 0, p_silenced)
    told = " ".join(morale.exact("grande-tactique", {"check": check}).warnings)
    assert ("artillery has worn it down" in told) == (cause == "worn down" and by is None)


@pytest.mark.parametrize(
    ("check", "chances"),
    [
        ({}, (0, 1 / 2, 1 / 2, 0)),
        ({"state": "eager"}, (0, 1, 0, 0)),  # worn down: shaken
        ({"state": "eager", "cause": "lost firing"}, (1, 0, 0, 0)),
        ({"state": "eager", "cause": "charged"}, (0, 0, 1, 0)),
        ({"arm": "cavalry", "cause": "lost firing"}, (0, 1, 0, 0)),
        ({"arm": "artillery", "state": "eager", "worn_down_by": "infantry"}, (0, 1, 0, 0)),
        ({"arm": "artillery"}, (0, 0, 0, 1)),
    ],
)
def test_the_states_after_a_check(check, chances):
    found = only("check", check=check)
    names = ("p_eager", "p_shaken", "p_routed", "p_silenced")
    assert [found[name] for name in names] == pytest.approx(chances, abs=EXACTLY)
    assert found["p_stands"] == pytest.approx(found["p_eager"] + found["p_shaken"], abs=EXACTLY)


def test_whether_fire_shakes_the_eager_can_be_settled_otherwise():
    found = only("check", check={"state": "eager"}, ruleset={"fire_shakes": False})
    assert (found["p_eager"], found["p_shaken"]) == (1, 0)


def test_old_guard_has_two_instead_of_one():
    """Target 4 on a six: a veteran fails on 1 and 2, 2/6; Old Guard on 1 alone, 1/6 (GT-9)."""
    assert only("check", check={"quality": "veteran"})["p_flees"] == pytest.approx(2 / 6, abs=EXACTLY)
    assert only("check", check={"quality": "old guard"})["p_flees"] == pytest.approx(1 / 6, abs=EXACTLY)


# --- one flight (GT-3, GT-4, GT-5) --------------------------------------------------------------------------------


def test_the_worked_check():
    """Cavalry fleeing from cavalry 18 inches from its edge: 2d6 >= 7, 21/36."""
    found = only("fates", flight={"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18})
    assert found["p_off_map"] == pytest.approx(21 / 36, abs=EXACTLY)


@pytest.mark.parametrize(("enemy", "distance"), [("infantry", 11), ("artillery", 11)])
def test_cavalry_flees_eleven_without_dice(enemy, distance):
    assert list(ask("flight", flight={"arm": "cavalry", "enemy": enemy})) == [("routed", distance, 0.0)]


@pytest.mark.parametrize(("edge", "p_off_map"), [(7, 1), (7.5, 0)])
def test_infantry_flees_seven(edge, p_off_map):
    found = only("fates", flight={"arm": "infantry", "enemy": "infantry", "edge_distance": edge})
    assert (found["p_off_map"], found["mean_flight_if_it_flees"]) == (p_off_map, 7)


def test_pursuit():
    """Cavalry pursues infantry 6, cavalry 1 less than it fled: of 11 + 7 on average, 17; infantry does not (GT-4)."""
    assert only("fates", flight={"arm": "infantry", "enemy": "cavalry"})["mean_pursuit_if_it_flees"] == 6
    assert only("fates", flight={"arm": "cavalry", "enemy": "cavalry"})["mean_pursuit_if_it_flees"] == pytest.approx(17)
    joint = ask("flight", flight={"arm": "cavalry", "enemy": "cavalry"})
    assert joint["routed", 13.0, 12.0]["probability"] == pytest.approx(1 / 36, abs=EXACTLY)
    assert all(pursuit == distance - 1 for _, distance, pursuit in joint)
    assert only("fates", flight={"arm": "infantry", "enemy": "infantry"})["mean_pursuit_if_it_flees"] == 0


@pytest.mark.parametrize("surrounded", [0, 0.25, 0.75])
def test_how_far_a_unit_flees_does_not_hang_on_those_that_are_surrounded(surrounded):
    """A unit that is surrounded does not move: the means are those of units that flee (GT-3, GT-4, GT-5)."""
    flight = {"arm": "cavalry", "enemy": "cavalry", "surrounded": surrounded}
    found = only("fates", flight=flight)
    assert found["mean_flight_if_it_flees"] == pytest.approx(18, abs=EXACTLY)
    assert found["mean_pursuit_if_it_flees"] == pytest.approx(17, abs=EXACTLY)
    result = morale.simulate("grande-tactique", {"flight": flight}, 200_000, seed=3)
    row = rows(result, "fates")["cavalry",]
    error = (35 / 6 / (200_000 * (1 - surrounded))) ** 0.5  # the variance of two dice is 35/6
    assert row["mean_flight_if_it_flees_standard_error"] == pytest.approx(error, rel=0.02)
    assert abs(row["mean_flight_if_it_flees"] - 18) < 5 * error


def test_nobody_flees_who_is_surely_surrounded():
    found = only("fates", flight={"arm": "infantry", "enemy": "cavalry", "surrounded": 1})
    assert found["p_destroyed"] == 1
    assert not [name for name in found if name.startswith("mean")]


def test_infantry_makes_for_woods_within_reach():
    near = {"arm": "infantry", "enemy": "cavalry", "edge_distance": 5, "shelter_distance": 4}
    assert list(ask("flight", flight=near)) == [("in shelter", 4.0, 6.0)]
    assert only("fates", flight=near | {"shelter_distance": 7.5})["p_off_map"] == 1


def test_without_a_gap_a_unit_is_destroyed():
    """No gap with 1/4; else off the map with 21/36: 1/4 + 3/4 x 21/36 = 11/16 (GT-5)."""
    flight = {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18, "surrounded": 0.25}
    assert only("fates", flight=flight)["p_destroyed"] == pytest.approx(11 / 16, abs=EXACTLY)
