"""The inside of the exact engine's pools, where a slip would not show in a number but in the machine's memory."""

import numpy as np
import pytest

import analyser
from analyser.common.jit import Tiered
from analyser.engine.pool.pmf import empty_outcomes, fill_first_die_outcomes, memory_moves, memory_sizes
from analyser.rules.attack import scores_for
from analyser.scenarios.load import load_scenario
from tests.oracle.random_scenarios import random_scenarios


def moves_of_scenario(given):
    """The moves that the dice of a scenario make, and how many memories and what score a die they may reach."""
    ready = load_scenario(given)
    fight = ready.fight
    faces = np.array(ready.ruleset.die.sides_by_face) / ready.ruleset.die.sides
    outcomes = empty_outcomes(1000)
    dice = int(fight["dice"]) + (max(ready.ruleset.deck.copies) if fight["overcharge"] else 0)
    scores = scores_for(fight, dice)
    count = fill_first_die_outcomes(fight, scores, faces, outcomes)
    assert outcomes.probabilities.sum() == pytest.approx(1, rel=0, abs=1e-12)
    sizes = memory_sizes(fight, dice)
    added, after = memory_moves(scores, outcomes, count, sizes)
    return added, after, sizes.prod(), (1 + fight["explosion"]) * scores.heroic


def test_every_move_ends_in_a_memory_that_there_is():
    # Compiled code looks nothing up: a move beyond the last memory would write into somebody else's.
    for given in random_scenarios(seed=1, count=200):
        added, after, memories, most = moves_of_scenario(given)
        assert after.min() >= 0
        assert after.max() < memories
        assert added.max() <= most


@pytest.mark.parametrize("ask", [analyser.exact, analyser.simulate])
def test_a_large_pool_does_not_wait_for_the_interpreter(ask, monkeypatch):
    """Extra re-rolls with Overcharge take millions of additions: without compilation the first call took minutes."""
    expected = []

    def compile_for(kernel, seconds):
        expected.append(seconds > kernel._compile_time)
        _ = kernel.compiled

    monkeypatch.setattr(Tiered, "compile_for", compile_for)
    rerolls = {"faces": ["strike", "miss", "blank"], "dice": 4}
    attack = {"dice": 10, "rating": "neutral", "extra_reroll": rerolls, "overcharge": True, "attacker_models": 5}
    ask({"attack": attack | {"attacker_damage_limit": 2}, "target": {"models": 5, "defence": 2, "damage_limit": 3}})
    assert True in expected
