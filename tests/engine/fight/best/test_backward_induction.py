"""Whole arrays, and what the compiler makes: the same values, plans and chances, to the bit."""

import numpy as np
import pytest

from analyser.common.jit import interpreted
from analyser.engine.fight.best import game_graph
from analyser.engine.fight.best.backward_induction import BEST, PLANNED, WORST, backward_values, node_probabilities
from analyser.results.duel_solution import solved_duel
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as

A, B = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"


def duel_of(models=3, **terms):
    given = {"rounds": 3, "policy_a": "best", "policy_b": "best"} | terms
    return load_as(
        DuelScenario, {"duel": given, "a": {"unit": A, "models": models}, "b": {"unit": B, "models": models}}
    )


@pytest.fixture(scope="module", params=[{"models": 2}, {"models": 2, "rounds": 1, "distance": 18, "want": "points"}])
def play(request):
    """A play of a few hundred to some thousand situations."""
    return solved_duel(duel_of(**request.param))


@pytest.mark.parametrize("takes", [(BEST, WORST), (WORST, BEST), (BEST, PLANNED), (PLANNED, PLANNED)])
def test_values_and_plans_are_the_same_to_the_bit(play, takes):
    plans = [play.plan.copy(), play.plan.copy()]
    at_once = backward_values._meanwhile(play.game.edges, play.final_values, *takes, plans[0])
    with interpreted():
        one_by_one = backward_values(play.game.edges, play.final_values, *takes, plans[1])
    assert np.array_equal(at_once, one_by_one)
    assert np.array_equal(*plans)


def test_chances_are_the_same_to_the_bit(play):
    with interpreted():
        one_by_one = node_probabilities(play.game.edges, play.plan)
    assert np.array_equal(node_probabilities._meanwhile(play.game.edges, play.plan), one_by_one)


class Explorer:
    """Explores as ever, says with how much room, and is compiled where somebody expects seconds of work."""

    def __init__(self, explored):
        self.explored, self.rooms, self.is_compiled = explored, [], False

    def compiling_pays(self):
        return self.is_compiled

    def compile_for(self, seconds):
        self.is_compiled = self.is_compiled or seconds > 1

    def __call__(self, *arguments):
        self.rooms.append(arguments[-1])
        return self.explored(*arguments)


def test_what_turns_out_large_is_tried_no_further_and_compiled(monkeypatch):
    asked = duel_of(models=2)
    whole, explorer = solved_duel(asked).game, Explorer(game_graph.explore_graph)
    monkeypatch.setattr(game_graph, "explore_graph", explorer)
    monkeypatch.setattr(game_graph, "_MOST_EDGES_INTERPRETED", 100)
    assert np.array_equal(solved_duel(asked).game.edges.weights, whole.edges.weights)
    assert explorer.rooms == [100, game_graph.MOST_EDGES]
