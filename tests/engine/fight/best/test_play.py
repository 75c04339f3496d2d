"""Best play beside tactics and the engine of distributions; what is too large is refused."""

from itertools import product

import pytest

from analyser import InputError, duel
from analyser.results.duel_solution import solved_duel
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as
from tests.oracle.fight_files import row

SAME = 1e-12
SHORT, LONG = 6, 12


def unit(models=1, dice=1, **more):
    reach = {"against": ["light", "heavy"], "short_range": SHORT, "long_range": LONG}
    rows = [
        row("ranged", dice, **reach, id="rifles", name="Rifles"),
        row("melee", dice + 1, id="blades", name="Blades"),
    ]
    keys = {"type": "infantry", "models": models, "defence": 1, "damage_limit": 1, "discipline": 7, "break_limit": 0}
    return {**keys, "category": "light", "victory_points": 1, "speed": 3, "rows": rows} | more


def played(a=None, b=None, **terms):
    given = {"policy_a": "best", "policy_b": "best", "first": "a", "rounds": 1} | terms
    return solved_duel(load_as(DuelScenario, {"duel": given, "a": a or unit(), "b": b or unit()}))


@pytest.mark.parametrize("distance", [None, 9.0])
@pytest.mark.parametrize("first", ["a", "random"])
def test_a_tactic_in_the_graph_is_the_tactic_of_a_duel(distance, first):
    terms = {"rounds": 2, "first": first} | ({} if distance is None else {"distance": distance})
    a, b = unit(2), unit(1, suppressed=True)
    play = played(a, b, **terms)
    for mine, yours in product(play.tactics(0), play.tactics(1)):
        both, theirs = play.plan_of_tactic(0, mine), play.plan_of_tactic(1, yours)
        for place in play.choice_points:
            if place.side == 1:
                nodes = play.game.nodes_of(place.place)
                both[:, nodes] = theirs[:, nodes]
        found = duel(a, b, policy_a=mine, policy_b=yours, **terms)
        expected = found.probability("a_wins").probability + found.probability("draw").probability / 2
        assert play.value_of_plan(both) == pytest.approx(expected, abs=SAME), (mine, yours)


def test_what_is_too_large_is_refused_before_it_starts(monkeypatch):
    monkeypatch.setattr("analyser.results.duel_solution.game_of", None)  # it is not even begun
    with pytest.raises(InputError, match=r"about .* transitions.*fewer rounds or models"):
        played(unit(200), unit(200), rounds=6)


def test_what_turns_out_too_large_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr("analyser.results.duel_solution.CLOSE_SHARE", 1e9)
    scenario = {"duel": {"policy_a": "best", "policy_b": "best"}, "a": unit(3), "b": unit(3)}
    with pytest.raises(InputError, match=r"more than 1,000 transitions from"):
        solved_duel(load_as(DuelScenario, scenario), most_edges=1000)
