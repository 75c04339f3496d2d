"""Who has fallen back since it was last activated: an activation that is not made forgets nothing (AC-5.4, AC-9.2)."""

import pytest

from tests.oracle.fight_files import duel, row, unit


def fell_back(side, a, b, **terms):
    rounds = duel(a, b, deck={"5": 1}, **terms).as_dict()["rounds"]
    return next(each["p_fell_back"] for each in rounds if each["side"] == side)


def test_a_toss_for_who_is_first_is_half_of_each():
    # A loses its charge and is suppressed; shot at by B, who comes after it, it falls back.
    a = unit(row("melee", [0] * 10), type="cavalry", models=5, discipline=0)
    b = unit(row("ranged", 1), row("melee", 1), type="cavalry", models=5, defence=50)
    chances = {
        first: fell_back("a", a, b, policy_a="charge", policy_b="shoot", first=first) for first in ("a", "b", "random")
    }
    assert chances == pytest.approx({"a": 1.0, "b": 0.0, "random": 0.5})


def test_an_answer_that_ends_the_duel_hides_nothing():
    # B falls back from the shot, then its Tail Gunner destroys the shooter: B is not activated any more.
    a = unit(row("ranged", 1), type="rotorcraft", category="aerial", models=1)
    b = unit(row("ranged", 1), rules=["Tail Gunner (1)"], type="cavalry", models=3, discipline=3, suppressed=True)
    assert fell_back("b", a, b, policy_a="shoot", policy_b="shoot") == pytest.approx(1.0)
