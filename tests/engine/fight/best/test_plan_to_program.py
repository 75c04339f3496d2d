"""A plan that is played trial by trial: sampled duels beside the graph that made their plan."""

from collections import Counter

import pytest

from analyser import InputError, duel
from analyser.common.method_settings import Sampling
from analyser.engine.fight import operations
from analyser.results.best import solve_best_play
from analyser.results.duel import solve_duel
from analyser.results.duel_solution import objective_values
from analyser.rules import unit_state
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as
from tests.helpers.samples import chi_square
from tests.oracle import fights_by_engine as engine
from tests.oracle.random_fights import DUEL_MAKERS, random_blades, random_fights, random_last_stand, random_retreat

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
LEAST = 1e-5
TRIALS = 4000


def small(selector, models=3):
    return {"unit": selector, "models": models}


def between(a, b, **terms):
    """A duel of two rounds in which both play best, if nothing else is said."""
    given = {"policy_a": "best", "policy_b": "best", "rounds": 2} | terms
    return load_as(DuelScenario, {"duel": given, "a": a, "b": b})


def told_of_one(setup, pairs):
    """How often each pair of states came up, as the graph of choices has them.

    Once a fight is over it does not matter where the two are, nor whom a toss finds there.
    """
    found = Counter()
    for first, second, weight in zip(*pairs):
        pair = operations.merge_moves(setup, (int(first), int(second)))
        if any(map(unit_state.is_removed, pair)):
            pair = tuple(
                state & (1 << int(side["position_bit"])) - 1 & ~unit_state.IS_FIRST
                for state, side in zip(pair, setup["sides"])
            )
        found[pair] += weight.item()
    return found


def check(scenario, replacement=True, trials=TRIALS, seed=1):
    """The p-values of how both stand after each round, and of what they did; cards are put back, or as good as."""
    sample = solve_duel(scenario, Sampling("monte-carlo", trials=trials, seed=seed, replacement=replacement))
    play = sample.solution
    for seen, law in zip(sample.moments, play.moments()):
        p = chi_square(told_of_one(play.setup, seen), told_of_one(play.setup, law))
        assert p is None or p > LEAST
    exact, deeds = solve_duel(scenario, Sampling())._actions, sample._actions
    assert exact.keys() == deeds.keys()
    for key, law in exact.items():
        assert sum(deeds[key].values()) == trials
        p = chi_square(deeds[key], law)
        assert p is None or p > LEAST
    return sample


@pytest.mark.parametrize("distance", [None, 18.0])
@pytest.mark.parametrize("first", ["a", "random"])
def test_a_sample_of_cards_put_back_is_one_of_the_plan(distance, first):
    sample = check(between(small(RIFLES), small(GRENADIERS), distance=distance, first=first))
    plan = sample.planned()
    assert plan["planned"] == sample.solution.value
    assert plan["difference"] == pytest.approx(plan["played"] - plan["planned"])
    assert abs(plan["difference"]) < 5 * plan["difference_standard_error"]


def test_a_real_deck_makes_a_difference_and_it_is_told():
    """Two cards, one that every test passes: who has failed a test passes the next one."""
    scenario = between(small(RIFLES, 6), small(GRENADIERS, 6), rounds=4, want="survival", first="a").as_dict()
    scenario["ruleset"]["deck"] = {"copies": {"1": 1, "10": 1}}
    sample = duel(scenario, method="monte-carlo", trials=20_000)
    plan = sample.planned()
    assert abs(plan["difference"]) > 5 * plan["difference_standard_error"]
    assert plan["played"] == pytest.approx(sample.probability("a_alive").probability)
    assert "with cards put back" in str(sample)
    assert sample.as_dict()["planned"] == plan
    assert duel(scenario).planned() is None


@pytest.mark.parametrize("want", ["win", "margin", "points", "survival"])
def test_what_was_played_is_the_mean_of_what_is_wanted(want):
    sample = duel(
        small(RIFLES), small(GRENADIERS), policy_b="best", rounds=1, want=want, method="monte-carlo", trials=500
    )
    plan, ends = sample.planned(), sample.moments[-1]
    values = objective_values(want, ends, sample.scenario, 1)
    assert (plan["side"], plan["want"]) == ("b", want)
    assert plan["played"] == pytest.approx((values * ends.weights).sum() / 500)


def test_the_same_seed_plays_the_same_on_any_number_of_threads():
    asked = {"policy_a": "best", "rounds": 2, "distance": 12, "method": "monte-carlo", "trials": 300_000, "seed": 4}
    one, two = (duel(small(RIFLES), small(GRENADIERS), threads=threads, **asked) for threads in (1, 2))
    assert one.as_dict() == two.as_dict()


@pytest.mark.slow
@pytest.mark.parametrize("make", [*DUEL_MAKERS, random_blades, random_retreat])
@pytest.mark.parametrize("seed", range(3))
def test_duels_at_random(seed, make):
    (made,) = random_fights(make, seed, 1)
    try:
        play = engine.best_play_of({**made, "rounds": 2, "policy_a": "best", "policy_b": "best"})
    except InputError as error:
        if "too many positions" in error.problem:
            return
        raise
    check(play.scenario, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 6))
def test_an_overrun_that_is_declined_now_and_then(seed):
    """A choice within the branch of another one."""
    (made,) = random_fights(random_last_stand, seed, 1)
    play = engine.best_play_of({**made, "rounds": 2, "policy_a": "best", "policy_b": "best"}, "survival")
    check(play.scenario, seed=seed)
    found = solve_best_play(play.scenario)
    if seed == 3:
        assert {row["do"] for row in found.plan() if row["when"] == "overrun"} == {"overrun", "do not overrun"}
