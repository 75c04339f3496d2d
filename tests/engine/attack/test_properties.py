"""What must hold for every attack, tried on scenarios that are made to look for trouble."""

from hypothesis import given, settings
from hypothesis import strategies as st

import analyser
from tests.oracle.random_scenarios import random_scenario

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
