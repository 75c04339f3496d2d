"""Best play beside all plans of tiny duels, beside tactics, and beside the engine of distributions."""

from itertools import product

import pytest

from analyser import InputError, duel
from analyser.engine.fight.best.choice_program import RETALIATION, SUBJECT
from analyser.results.duel_solution import solved_duel
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as
from tests.oracle.fight_files import row

SAME = 1e-12
SHORT, LONG = 6, 12


def unit(models=1, dice=1, **more):
    """A small unit with a ranged row, and one for close quarters."""
    reach = {"against": ["light", "heavy"], "short_range": SHORT, "long_range": LONG}
    rows = [
        row("ranged", dice, **reach, id="rifles", name="Rifles"),
        row("melee", dice + 1, id="blades", name="Blades"),
    ]
    keys = {"type": "infantry", "models": models, "defence": 1, "damage_limit": 1, "discipline": 7, "break_limit": 0}
    return {**keys, "category": "light", "victory_points": 1, "speed": 3, "rows": rows} | more


def played(a=None, b=None, **terms):
    """The play of a duel of small units in which both play best."""
    given = {"policy_a": "best", "policy_b": "best", "first": "a", "rounds": 1} | terms
    return solved_duel(load_as(DuelScenario, {"duel": given, "a": a or unit(), "b": b or unit()}))


def choices_of(play):
    """The (round, node) of every choice that a side has, those of each side together."""
    edges, found = play.game.edges, ([], [])
    for number, place in product(range(play.game.rounds), play.choice_points):
        bounds = edges.bounds[place.place]
        for node in range(bounds[0], bounds[number + 1]):
            if edges.begins[node + 1] - edges.begins[node] > 1:
                found[place.side].append((number, node, int(edges.begins[node + 1] - edges.begins[node])))
    return found


def subjects_of(play, side):
    """What a side has a choice of."""
    places, rules = play.game.places, play.game.rules
    return {int(rules.places[places[node], SUBJECT]) for _, node, _ in choices_of(play)[side]}


def plans_of(play, side):
    """Every plan of a side; the other one's is that of best play."""
    choices = choices_of(play)[side]
    for taken in product(*(range(number) for _, _, number in choices)):
        plan = play.plan.copy()
        for (number, node, _), edge in zip(choices, taken):
            plan[number, node] = edge
        yield plan


@pytest.mark.parametrize("want", ["win", "margin", "points", "survival"])
def test_no_plan_of_a_tiny_duel_does_better(want):
    play = played(unit(discipline=None), unit(discipline=None, rows=unit()["rows"][:1]), policy_b="shoot", want=want)
    values = [play.value_of_plan(plan) for plan in plans_of(play, 0)]
    assert len(values) > 4
    assert max(values) == play.value


def test_of_all_plans_of_both_sides_best_play_is_the_saddle_point():
    play = played(unit(rows=unit()["rows"][:1]), unit(rows=unit()["rows"][:1]))
    assert max(play.value_of_plan(plan) for plan in plans_of(play, 0)) == play.value
    assert min(play.value_of_plan(plan) for plan in plans_of(play, 1)) == play.value


def blade(name, dice, *qualities):
    """A melee row."""
    return row("melee", dice, *qualities, id=name, name=name.title())


@pytest.mark.parametrize("want", ["win", "survival", "margin"])
def test_no_plan_of_striking_back_does_better(want):
    """With each row, with Overcharge or without: B has only that to choose (AC-8.3, AC-6)."""
    swords, lances = blade("swords", 1), blade("lances", 2, "Overcharge")
    charger = unit(2, rows=[blade("pikes", 2)], discipline=None, rules=["Run Amok"])
    play = played(charger, unit(2, rows=[swords, lances], discipline=None), want=want, policy_a="charge")
    values = [play.value_of_plan(plan) for plan in plans_of(play, 1)]
    assert RETALIATION in subjects_of(play, 1)
    assert len(values) > 4
    assert max(values) == play.value > min(values)


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
