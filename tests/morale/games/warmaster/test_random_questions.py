"""Warmaster: random questions over every key beside an independent reading of WM-1 to WM-9; what that found."""

import pytest

from analyser import morale
from tests.oracle import plain_warmaster as plain
from tests.oracle.morale_checks import assert_sample_fits, rows
from tests.oracle.readings import differences, unlikely


@pytest.mark.parametrize("seed", range(400))
def test_random_questions(seed):
    assert differences("warmaster", plain.questions(seed), plain.tables) == []


@pytest.mark.parametrize("seed", range(8))
def test_random_questions_rolled(seed):
    """Within five standard errors of the exact chances."""
    assert unlikely("warmaster", plain.questions(seed)) == []


MARCHES_ON = {
    "move": "retreats",
    "distance": 8,
    "turns": 2,
    "obstacles": [{"distance": 2, "kind": "friend"}, {"distance": 5, "kind": "enemy"}],
}


def choices(question):
    return rows(morale.exact("warmaster", question))


def test_a_destroyed_unit_moves_tests_and_is_counted_no_more():
    """WM-8: destroyed in turn 1, so no turn is lost to confusion, and nobody makes way for it in turn 2."""
    lost = rows(morale.exact("warmaster", MARCHES_ON), "turns_lost")
    assert [lost["always", number]["probability"] for number in range(3)] == pytest.approx([1, 0, 0], abs=1e-12)
    first, second = (choices(MARCHES_ON)["always", turn] for turn in (1, 2))
    assert first["mean_friends_confused"] == pytest.approx(1 / 6, abs=1e-12)
    assert second["p_all_stands_destroyed"] == pytest.approx(1, abs=1e-12)
    assert (second["mean_friends_confused"], second["mean_distance"]) == (0, 0)


def test_destroyed_stands_do_not_come_back():
    """WM-8: terrain blocks one of three stands a turn: 1, 2, then 3 are destroyed, and nothing moves in turn 4."""
    blocked = [{"distance": 1, "kind": "impassable", "stands": 1}]
    found = choices({"move": "retreats", "distance": 4, "turns": 4, "obstacles": blocked})
    assert [row["mean_stands_destroyed"] for row in found.values()] == pytest.approx([1, 2, 3, 3])
    assert [row["p_all_stands_destroyed"] for row in found.values()] == pytest.approx([0, 0, 1, 1])
    assert [row["mean_distance"] for row in found.values()] == pytest.approx([4, 4, 1, 0])


@pytest.mark.parametrize("move", [0, {0: 0.5, 2: 0.5}])
def test_falling_back_beside_an_enemy_confuses_whatever_the_distance(move):
    """WM-3: unable to end at least 1 cm from it; at exactly 1 cm it is able to, if it stays."""
    (row,) = choices(
        {"move": "falls_back", "distance": move, "obstacles": [{"distance": 0.5, "kind": "enemy"}]}
    ).values()
    assert (row["p_confused"], row["p_by_enemy_or_combat"]) == pytest.approx((1, 1))
    (row,) = choices({"move": "falls_back", "distance": 0, "obstacles": [{"distance": 1, "kind": "combat"}]}).values()
    assert row["p_confused"] == 0


def test_evaders_push_nobody_whoever_stands_behind():
    """WM-6: an unengaged friend is confused, no roll, also where those behind it could not make way; and a warning."""
    behind = [{"distance": 2, "kind": "friend", "chain": [{"kind": "unyielding"}]}]
    result = morale.exact("warmaster", {"move": "evades", "distance": 6, "obstacles": behind})
    (row,) = rows(result).values()
    assert (row["p_confused"], row["mean_friends_confused"], row["mean_distance"]) == (0, 1, 6)
    assert any("chain has no effect" in each for each in result.warnings)


def test_the_order_in_which_obstacles_are_listed_does_not_matter():
    """At one place: halted by a friend that cannot make way (WM-4), no roll at the edge of terrain (WM-2)."""
    here = [{"distance": 3, "kind": kind} for kind in ("impassable", "unyielding", "friend")]
    for listed in (here, here[::-1]):
        found = choices({"move": "falls_back", "distance": 5, "obstacles": listed})
        for row in found.values():
            assert (row["p_confused"], row["mean_friends_confused"]) == (pytest.approx(1), 0)


def test_hundredths_of_a_centimetre_count():
    """A move of 6 cm goes into a friend at 5.96 cm, one of 5 does not (WM-4)."""
    for distance, confused in ((5, 0), (6, 1)):
        obstacles = [{"distance": 5.96, "kind": "friend", "make_way": False}]
        (row,) = choices({"move": "falls_back", "distance": distance, "obstacles": obstacles}).values()
        assert row["p_confused"] == pytest.approx(confused)


def test_only_what_can_happen_is_called_applied():
    """A friend that nobody reaches, or behind an enemy, brings no rule; nor does one whose choice is stated."""

    def applied(*obstacles):
        return {rule[:4] for rule in morale.exact("warmaster", {"dice": 1, "obstacles": list(obstacles)}).rules_applied}

    assert applied() == applied({"distance": 9, "kind": "friend"}) == {"WM-1"}
    assert applied({"distance": 3, "kind": "friend", "make_way": False}) == {"WM-1", "WM-4"}
    assert applied({"distance": 3, "kind": "friend", "make_way": True}) == {"WM-1", "WM-4", "WM-7"}
    assert applied({"distance": 2, "kind": "enemy"}, {"distance": 4, "kind": "friend"}) == {"WM-1", "WM-3"}


@pytest.mark.parametrize("distance", [8, {0: 0.2, 3: 0.3, 8: 0.5}])
def test_destroyed_units_are_rolled_too(distance):
    stands = [{"distance": 1, "kind": "unyielding", "stands": 1}]
    question = MARCHES_ON | {"distance": distance, "turns": 3, "obstacles": [*MARCHES_ON["obstacles"], *stands]}
    assert_sample_fits("warmaster", question, trials=50_000, seeds=(1,))
