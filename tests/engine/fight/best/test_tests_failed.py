"""Tests that who plays best can fail on purpose (AC-5.1): the graph of choices beside the engine of duels."""

import random
from dataclasses import replace

import pytest

from analyser import InputError, best_play, tell
from analyser.common.sampling import Sampling
from analyser.engine.fight.best.choice_program import COUNT, FIRST, GUARD, TEST
from analyser.engine.fight.program import ON_PURPOSE, Kind
from analyser.results.duel import solve_duel
from analyser.results.play import worth
from tests.oracle import fights_by_engine as engine
from tests.oracle.random_fights import (
    random_clash,
    random_fights,
    random_fumes,
    random_fury,
    random_gunners,
    random_plain_duel,
    random_retreat,
    random_siege,
    random_watch,
    random_wreck,
)

SAME = 1e-12
BEST = "best"
MAKERS = (
    random_plain_duel,
    random_watch,
    random_siege,
    random_fumes,
    random_clash,
    random_wreck,
    random_fury,
    random_gunners,
)


def places_of_tests(play):
    """The places of tests that can be failed on purpose, and which operation each is."""
    rules = play.game.rules
    for place in play.places:
        if place.subject == TEST:
            first, count = rules.places[place.place, [FIRST, COUNT]].tolist()
            yield place, int(rules.operations[rules.branches[first + count - 1, GUARD], 0]) ^ ON_PURPOSE


def following_tactics(play, tactics, failing):
    """What a play is worth where both follow tactics, and one side fails its suppression tests, or none does."""
    plans = [play.plan_of_tactic(side, tactic) for side, tactic in enumerate(tactics)]
    plan = plans[0].copy()
    for place in play.places:
        nodes = play.game.nodes_of(place.place)
        plan[:, nodes] = plans[place.side][:, nodes]
    begins = play.game.edges.begins
    for place, kind in places_of_tests(play):
        nodes = play.game.nodes_of(place.place)
        several = begins[nodes.start + 1 : nodes.stop + 1] - begins[nodes.start : nodes.stop] > 1
        plan[:, nodes] = several & (place.side == failing and kind != Kind.BEGIN)
    return play.following(plan)


def of_tactics(play, tactics, failing):
    """The same by the engine of duels, where a unit is stated to fail its tests."""
    scenario = play.scenario
    units = [
        unit.model_copy(update={"fail_on_purpose": unit.fail_on_purpose or side == failing})
        for side, unit in enumerate((scenario.a, scenario.b))
    ]
    terms = scenario.terms.model_copy(update={"policy_a": tactics[0], "policy_b": tactics[1]})
    found = solve_duel(replace(scenario, terms=terms, a=units[0], b=units[1]), Sampling())
    ends = found.moments[-1]
    return float((worth(terms.want, ends, scenario, 0) * ends.weights).sum())


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("seed", range(4))
def test_who_fails_all_tests_and_who_fails_none(seed, make):
    rng = random.Random(seed)
    for made in random_fights(make, seed, 3):
        duel = {"distance": 6, **made, "rounds": 2, "policy_a": BEST, "policy_b": BEST}
        for name in "ab":
            duel[name].setdefault("speed", 4)
        try:
            play = engine.best_play_of(duel, rng.choice(("win", "margin", "survival")))
        except InputError as error:
            if "more places than a state has room for" in error.problem:
                continue
            raise
        tactics = [rng.choice(play.tactics(side)) for side in range(2)]
        for failing in (None, 0, 1):
            expected = of_tactics(play, tactics, failing)
            assert following_tactics(play, tactics, failing) == pytest.approx(expected, abs=SAME), (
                duel,
                tactics,
                failing,
            )
        assert play.exploitability < SAME


@pytest.mark.slow
def test_who_may_fail_tests_does_better_at_times(monkeypatch):
    """And never worse; who runs amok gains most: it need not charge after a failed rally test (AC-5.6, AC-7)."""
    gains = []
    for seed in range(6):
        for made in random_fights(random_retreat, seed, 2):
            duel = {**made, "policy_a": BEST, "policy_b": "take_cover"}
            play = engine.best_play_of(duel, "margin")
            with monkeypatch.context() as patched:
                patched.setattr("analyser.scenarios.duel.can_gain", lambda *_: False)
                gains.append(play.value - engine.best_play_of(duel, "margin").value)
    assert min(gains) > -SAME
    assert max(gains) > 0.01


@pytest.mark.slow
def test_what_is_failed_on_purpose_stands_in_the_plan_and_is_told():
    """A, suppressed, runs amok: it fails its rally test and shoots, instead of being made to charge (AC-5.6, AC-7)."""
    made = random_fights(random_retreat, 4, 2)[1]
    scenario = engine.best_play_of({**made, "policy_a": BEST, "policy_b": BEST}, "margin").scenario.as_dict()
    first, second, *_ = best_play(scenario).plan()
    assert (first["when"], first["do"], second["do"]) == ("test", "fail the test on purpose", "shoot")
    assert first["costs"] > 0.1
    assert "A is activated; rally test (AC-5.6): failed on purpose (AC-5.1)" in str(tell(scenario, seed=3))
