"""A told trial of a question about morale is the counted one: all trials of a sample, one by one, are its counts."""

import numpy as np
import pytest

import analyser as an
from analyser.ask.metric_lookup import metric_value
from analyser.engine.chain.chain import RECORD
from analyser.engine.chain.simulated import replay, simulated_counts
from analyser.morale.api import load_question
from analyser.morale.systems import SYSTEMS
from tests.oracle.morale_questions import QUESTIONS, READINGS

TOLD = {name: asked for name, asked in QUESTIONS.items() if asked[0] != "compare"} | {
    "legion by next to no chance": ("legion", {"courage": 2, "received": {0: 0.5, 3: 0.5}, "destroyed": 1e-12}),
}


def check(system, raw, trials=2000, seed=3):
    chains = SYSTEMS[system].answers.chains(load_question(system, raw))
    for part, chain in enumerate(chains.values()):
        counted, again = (sample(chain, trials, seed, part) for sample in (simulated_counts, replay))
        assert again.recorded.shape == (chain.phases.count(RECORD), trials)
        wanted = counted.weights if isinstance(counted.weights, np.ndarray) else counted.weights.toarray()
        found = (again.recorded[:, :, np.newaxis] == counted.states).sum(axis=1)
        assert found.tolist() == wanted.astype(np.int64).tolist()


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told_is_what_was_counted(name):
    check(*TOLD[name])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", [kind for kind in READINGS if kind != "compare"])
def test_what_is_told_of_random_questions_is_what_was_counted(kind, seed):
    system, questions, _ = READINGS[kind]
    check(system, questions(seed), trials=700, seed=seed)
    assert an.tell(questions(seed), trial=seed, seed=seed).lines


@pytest.mark.parametrize("name", [name for name, (_, question) in TOLD.items() if "until_panic" not in question])
def test_all_figures_together_are_the_answer_to_the_sample(name):
    system, raw = TOLD[name]
    trials = 6
    told = [an.tell(raw, trial=number, trials=trials, seed=9) for number in range(trials)]
    sample = an.morale.simulate(system, raw, trials, seed=9)
    unconditional = {"tokens", "friends", "turns_lost", "game_lost", "hits_of_fighter"}
    for metric in told[0].figures:
        plain = metric.partition("@")[0]
        if plain in sample.events or plain in unconditional:
            counted = metric_value(sample, f"p_{metric}" if plain in sample.events else f"mean_{metric}").value
            assert sum(each.figures[metric] for each in told) / trials == pytest.approx(counted)


def test_the_worst_the_median_and_the_best():
    question = TOLD["legion"][1]
    tokens = [
        an.tell(question, pick=pick, metric="tokens@commander=with@when=after rally:least", trials=60)
        for pick in ("worst", "median", "best")
    ]
    found = [each.figures["tokens@commander=with@when=after rally"] for each in tokens]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[-1] == 0
    assert an.tell(question, pick="best", metric="p_panicked@1@commander=with", trials=50).figures[
        "panicked@1@commander=with"
    ]
    assert "the worst by tokens@commander=with" in str(tokens[0])


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"pick": "worst"}, "metric: no figure is stated by which to pick the worst trial"),
        ({"pick": "worst", "metric": "panic"}, "unknown figure 'panic'; did you mean 'panicked'?"),
        ({"pick": "worst", "metric": "panicked@9"}, "9 is no round or turn"),
        ({"trial": 20_000}, "trial: trial 20000 of 20,001"),
    ],
)
def test_what_cannot_be_told_of_is_refused(how, told):
    with pytest.raises(an.InputError) as refused:
        an.tell({"courage": 1, "tokens": 2}, **how)
    assert told in str(refused.value)
