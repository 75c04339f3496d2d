"""Values, plans and chances of a graph, against a plain reading."""

import numpy as np
import pytest

from analyser.engine.fight.best import game_graph
from analyser.engine.fight.best.backward_induction import BEST, PLANNED, WORST, backward_values, node_probabilities
from analyser.results.duel_solution import solved_duel
from analyser.rules.structs import NONE
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


def read_plainly(edges, final, first, second, plan):
    """Values and plan node by node."""
    values = np.zeros((len(plan) + 1, len(edges.begins) - 1))
    values[-1, : len(final)] = final
    for number in reversed(range(len(plan))):
        now = values[number]
        now[: len(final)] = values[number + 1, : len(final)]
        for place, chooser in [*enumerate(edges.choosers.tolist())][1:]:
            for node in range(edges.bounds[place, 0], edges.bounds[place, number + 1]):
                ways = slice(*edges.begins[node : node + 2])
                after, take = now[edges.to[ways]], first if chooser == 0 else second
                if chooser == NONE:
                    now[node] = sum(edges.weights[ways] * after)
                    continue
                if take != PLANNED:
                    plan[number, node] = np.flatnonzero(take * after >= max(take * after) - 1e-14 * abs(final).max())[0]
                now[node] = after[plan[number, node]]
        for node in range(edges.bounds[0, number + 1]):
            if edges.begins[node] < edges.begins[node + 1]:
                now[node] = now[edges.to[edges.begins[node]]]
    return values


@pytest.mark.parametrize("takes", [(BEST, WORST), (WORST, BEST), (BEST, PLANNED), (PLANNED, PLANNED)])
def test_values_and_plans_are_those_of_a_plain_reading(play, takes):
    plans = [play.plan.copy(), play.plan.copy()]
    values = backward_values(play.game.edges, play.final_values, *takes, plans[0])
    plain = read_plainly(play.game.edges, play.final_values, *takes, plans[1])
    assert np.allclose(values, plain, rtol=0, atol=1e-13)
    assert np.array_equal(*plans)


def test_chances_and_final_values_give_the_value(play):
    chances = node_probabilities(play.game.edges, play.plan)
    assert np.allclose(chances[:, : play.game.starts].sum(axis=1)[-1], 1)
    assert chances[-1, : play.game.starts] @ play.final_values == pytest.approx(play.value)


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
