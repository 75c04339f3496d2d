"""Simulations agree with the exact distributions, on any number of threads."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.container import ErrorbarContainer

from analyser import morale
from tests.oracle.morale_checks import assert_same_on_any_threads, assert_sample_fits
from tests.oracle.morale_questions import QUESTIONS

ONE_OF_EACH = ("legion", "division", "game", "warmaster", "warbands", "compare")


@pytest.mark.parametrize("name", QUESTIONS)
def test_simulations_agree_with_the_exact_distributions(name):
    assert_sample_fits(*QUESTIONS[name], trials=100_000, seeds=(1, 2))


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_any_number_of_threads_gives_the_same_counts(name):
    system, question = QUESTIONS[name]
    assert_same_on_any_threads(system, question, *([70_000] if name == "game" else []))


def test_simulated_bars_have_intervals():
    system, question = "grande-tactique", {"flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18}}

    def bars_with_intervals(result):
        axes = result.plot(ax=plt.figure().subplots())
        return len(axes.patches), sum(isinstance(part, ErrorbarContainer) for part in axes.containers)

    bars, intervals = bars_with_intervals(morale.simulate(system, question, trials=1000))
    assert bars > 0
    assert (intervals, bars_with_intervals(morale.exact(system, question))[1]) == (1, 0)
