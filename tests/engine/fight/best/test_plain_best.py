"""Best play by backward induction against the plain reading of it, which tries everything, on duels at random."""

import random
from fractions import Fraction

import pytest

from analyser.common.errors import InputError
from analyser.engine.fight.best.choice_program import ORDERS, REACTION
from analyser.results.duel_solution import FIRST_EDGE
from tests.oracle import fights_by_engine as engine
from tests.oracle import plain_best
from tests.oracle import random_fights as made

SAME = 1e-12
BEST = "best"


def check(duel, want):
    """Refuse a value that is not that of the plain reading."""
    try:
        play = engine.best_play_of(duel, want)
    except InputError as error:
        if "too many positions" in error.problem:
            return
        raise
    expected = plain_best.value(duel, want, "ab"[play.objective_side])
    assert play.value == pytest.approx(float(expected), abs=SAME), duel
    assert play.exploitability < SAME


def few(duel):
    """At most two models a side, which is what the plain reading has time for."""
    for name in "ab":
        duel[name]["models"] = min(duel[name]["models"], 2)
        duel[name].pop("exposed", None)


def _as_simple_tactics_fight(play, side):
    """The plan of best play, except that one side chooses in combats as simple tactics do."""
    plan = play.plan.copy()
    for place in play.choice_points:
        if place.side == side and place.subject not in (ORDERS, REACTION):
            plan[:, play.game.nodes_of(place.place)] = FIRST_EDGE
    return plan


@pytest.mark.slow
@pytest.mark.parametrize("make", made.DUEL_MAKERS)
@pytest.mark.parametrize("seed", range(8))
def test_one_round(seed, make):
    want = random.Random(seed).choice(("win", "margin", "survival"))
    for duel in made.random_fights(make, seed, 1):
        duel["rounds"] = 1
        few(duel)
        for policies in ((BEST, BEST), (BEST, duel["policy_b"]) if seed % 2 else (duel["policy_a"], BEST)):
            check({**duel, "policy_a": policies[0], "policy_b": policies[1]}, want)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_two_rounds_and_several_rows(seed):
    for duel in made.random_fights(made.random_duel, seed, 1):
        few(duel)
        check({**duel, "rounds": 1 + (seed == 1), "policy_a": BEST, "policy_b": BEST}, "win")


@pytest.mark.slow
@pytest.mark.parametrize("distance", [None, 9])
@pytest.mark.parametrize("seed", range(3))
def test_a_garrison_may_leave_its_building(seed, distance):
    """By its exit manoeuvre, up to 3 inches from it; who has just left shoots reforming (AC-4.2)."""
    for duel in made.random_fights(made.random_duel, seed, 1):
        few(duel)
        duel["a"] |= {"type": "infantry", "garrisoned": True, "suppressed": seed % 2 == 0}
        duel["b"] |= {"garrisoned": False}
        duel |= {"rounds": 1, "distance": distance, "policy_a": BEST, "policy_b": BEST}
        check(duel, ("margin", "survival")[seed % 2])


@pytest.mark.slow
def test_whether_to_overrun_is_chosen_once_the_first_combat_is_over():
    """Who has won knows how both stand (AC-7): to go on whenever he can, as tactics do, gives something away."""
    gained = []
    for seed in range(6):
        (duel,) = made.random_fights(made.random_last_stand, seed, 1)
        duel |= {"policy_a": BEST, "policy_b": BEST}
        check(duel, "survival")
        play = engine.best_play_of(duel, "survival")
        gained.append(play.value - play.value_of_plan(_as_simple_tactics_fight(play, 0)))
        stated = {**duel, "a": {**duel["a"], "charge": {"overrun": False}}}
        check(stated, "survival")
        assert engine.best_play_of(stated, "survival").value <= play.value + SAME
    assert min(gained) > -SAME
    assert max(gained) > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_how_to_strike_in_a_combat_is_chosen_when_it_comes_to_it(seed):
    """By both, in a defensive advantage and an Overrun too, after Sponsons; but to decline is no way (AC-8.3, 8.4)."""
    for duel in made.random_fights(made.random_blades, seed, 1):
        for policies in ((BEST, BEST), ("charge", BEST), (BEST, "take_cover")):
            check({**duel, "policy_a": policies[0], "policy_b": policies[1]}, ("margin", "survival")[seed % 2])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_tests_are_failed_on_purpose_where_that_is_better(seed):
    """Who falls back is further away; who runs amok need not charge after a failed rally test (AC-5.1)."""
    for duel in made.random_fights(made.random_retreat, seed, 1):
        check({**duel, "policy_a": BEST, "policy_b": BEST}, ("margin", "survival")[seed % 2])


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, Fraction(3, 2)])
@pytest.mark.parametrize("seed", range(12))
def test_moves_may_stop_at_each_step(seed, step):
    """Toward the enemy and away from it, to the own edge at most."""
    for duel in made.random_fights(made.random_retreat, seed, 1):
        for name, edge in zip("ab", random.Random(seed).choices((0, 2, 4, 6), k=2)):
            duel[name] |= {"edge_distance": edge, "rules": []}
        check({**duel, "step": step, "rounds": 1, "policy_a": BEST, "policy_b": BEST}, ("margin", "survival")[seed % 2])
