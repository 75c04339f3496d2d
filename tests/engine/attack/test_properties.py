"""What must hold for every attack, tried on scenarios that are made to look for trouble."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import analyser
from tests.oracle.random_scenarios import RATINGS, random_scenario

SLACK = 1e-12

every_attack = settings(derandomize=True, deadline=None, database=None)
scenarios = st.builds(random_scenario, st.randoms(use_true_random=False))


@every_attack
@given(scenarios, st.integers(min_value=2, max_value=9))
def test_only_the_proportions_of_die_and_deck_count(scenario, times):
    ruleset = {
        name: {key: times * number for key, number in table.items()} for name, table in scenario["ruleset"].items()
    }
    one, many = analyser.exact(scenario), analyser.exact(scenario | {"ruleset": ruleset})
    assert one.outcomes.tolist() == many.outcomes.tolist()
    assert abs(one.weights - many.weights).max() <= SLACK


@every_attack
@given(scenarios)
def test_a_scenario_echoed_and_read_again_is_the_same_attack(scenario):
    result = analyser.exact(scenario)
    again = analyser.exact(result.scenario.as_dict())
    assert again.outcomes.tolist() == result.outcomes.tolist()
    assert again.weights.tolist() == result.weights.tolist()


# --- more is more -----------------------------------------------------------------------------------------


def changed(scenario, section, **keys):
    """The scenario with other values for some keys of a section."""
    return scenario | {section: scenario[section] | keys}


def without_strike_rerolls(scenario):
    """Rolling a strike again may hurt, and the scenario's die decides whether: leave that out."""
    extra = scenario["attack"].get("extra_reroll", {"faces": [], "dice": 0})
    faces = [face for face in extra["faces"] if face != "strike"]
    return changed(scenario, "attack", extra_reroll={"faces": faces, "dice": extra["dice"]})


def hits(scenario):
    return at_least(analyser.exact(without_strike_rerolls(scenario)).hits_weights)


def destroyed(scenario):
    """Of a target with room for all: the models destroyed are then those that damage destroyed."""
    return at_least(analyser.exact(changed(scenario, "target", models_without_room=0)).destroyed_weights)


def failed(scenario):
    """The chance that a unit fails its test; one that is suppressed already stays so, whatever its DISCIPLINE."""
    result = analyser.exact(scenario)
    worse = sum(result.column(name) for name in ("suppressed", "activated", "fell_back", "broken", "fled")) > 0
    return [result.probabilities[worse].sum()]


def broken(scenario):
    return [analyser.exact(scenario).probability("broken").probability]


def at_least(weights):
    """The chance of at least 0, 1, 2, ... of something, from its law."""
    return [weights[number:].sum() for number in range(len(weights))]


def rated(number):
    return lambda scenario: changed(scenario, "attack", rating=RATINGS[number])


def named(section, key, name):
    """A scenario with and without a quality or rule: a pair of functions."""
    return (
        lambda scenario: changed(scenario, section, **{key: [*scenario[section][key], name]}),
        lambda scenario: changed(scenario, section, **{key: [each for each in scenario[section][key] if each != name]}),
    )


def raised(section, key, usual=0):
    """A scenario with two more of something, and as it is."""
    return lambda scenario: changed(scenario, section, **{key: scenario[section].get(key, usual) + 2}), lambda s: s


NEVER_LESS = {  # which figure, of which scenario, is never smaller than that of which other
    "neutral": (hits, rated(1), rated(0)),
    "improved": (hits, rated(2), rated(1)),
    "dice": (hits, *raised("attack", "dice")),
    "Veteran": (hits, *raised("attack", "veteran")),
    "Arc": (hits, *named("attack", "qualities", "Arc")),
    "Durable": (hits, *reversed(named("target", "rules", "Durable"))),
    "DEFENCE": (destroyed, *reversed(raised("target", "defence"))),
    "Devastating": (destroyed, *named("attack", "qualities", "Devastating")),
    "Penetrating": (destroyed, *named("attack", "qualities", "Penetrating")),
    "DISCIPLINE": (failed, *reversed(raised("target", "discipline"))),
    "Suppressive": (failed, *named("attack", "qualities", "Suppressive")),
    "BREAK LIMIT": (broken, *raised("target", "break_limit")),
}


@pytest.mark.parametrize("what", NEVER_LESS)
@every_attack
@given(scenario=scenarios)
def test_more_of_it_never_does_less(what, scenario):
    figure, more, less = NEVER_LESS[what]
    scenario = changed(scenario, "target", discipline=scenario["target"].get("discipline", 7))
    scenario = changed(scenario, "target", break_limit=scenario["target"].get("break_limit", 0))
    larger, smaller = figure(more(scenario)), figure(less(scenario))
    larger += [0.0] * (len(smaller) - len(larger))
    assert all(a >= b - SLACK for a, b in zip(larger, smaller))
