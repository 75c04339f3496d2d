"""A told trial of a question about morale is the counted one: all trials of a sample, one by one, are its counts."""

import numpy as np
import pytest

import analyser as an
from analyser.engine.chain.chain import RECORD
from analyser.engine.chain.sampled import replayed, sampled_counts
from analyser.morale.api import load_question
from analyser.morale.systems import SYSTEMS
from tests.oracle import plain_legion, plain_warmaster, questions_mordheim

GAME = {
    "units": [
        {"arm": "infantry", "quality": "old guard", "column": 1, "charged_by_cavalry": 0.3, "edge_distance": 20},
        {"arm": "infantry", "column": 1, "state": "shaken", "worn_down_by_infantry": 0.5, "edge_distance": 26},
        {"arm": "cavalry", "charged_by_infantry": 0.4, "edge_distance": 15},
        {"arm": "artillery", "worn_down_by_artillery": 0.3},
    ],
    "turns": 3,
    "surrounded": 0.1,
}
QUESTIONS = {
    "legion": ("legion", {"courage": 2, "tokens": 5, "received": {0: 0.5, 3: 0.5}, "destroyed": 0.05}),
    "legion by next to no chance": ("legion", {"courage": 2, "received": {0: 0.5, 3: 0.5}, "destroyed": 1e-12}),
    "legion by a commander": (
        "legion",
        {
            "courage": 1,
            "tokens": 3,
            "commander_courage": 2,
            "commander_near": 0.4,
            "edge_distance": 10,
            "move_distance": 5,
        },
    ),
    "warmaster": ("warmaster", {"dice": 3, "obstacles": [{"kind": "friend", "distance": 4}], "turns": 3}),
    "warmaster chain": (
        "warmaster",
        {
            "dice": 2,
            "obstacles": [
                {"kind": "impassable", "distance": 3},
                {"kind": "friend", "distance": 6, "chain": [{}, {}]},
                {"kind": "enemy", "distance": 9},
            ],
        },
    ),
    "mordheim combat": (
        "mordheim",
        {
            "combat": {
                "rounds": 2,
                "fighter": {"attacks": 3, "hatred": True, "leadership": 7},
                "enemy": {"attacks": 2, "frenzy": True, "causes_fear": True, "leadership": 8},
                "charger": "fighter",
            }
        },
    ),
    "mordheim alone": (
        "mordheim",
        {"alone": {"leadership": 6, "opponents": 2, "edge": 12.5, "charged": 0.3}, "stupidity": {"leadership": 7}},
    ),
    "grande-tactique check": (
        "grande-tactique",
        {
            "check": {"arm": "infantry", "cause": "worn down", "state": "shaken"},
            "flight": {"arm": "infantry", "enemy": "cavalry", "surrounded": 0.2},
            "rout": {"units": [{"edge_distance": 20}, {"shelter_distance": 9}], "charged_by_cavalry": 0.2},
            "division": {"units": [{"rout": 0.3, "lost": 0.2}] * 3, "turns": 3},
            "column": {
                "arm": "infantry",
                "enemy": "cavalry",
                "friends": [{"arm": "infantry", "distance": 4, "shaken": 0.5}, {"arm": "cavalry", "distance": 9}],
            },
        },
    ),
    "grande-tactique game": ("grande-tactique", {"game": GAME}),
}


def sample_and_replay(system, raw, trials, seed):
    """Of each chain of a question what its sample counts, and its trials one by one."""
    chains = SYSTEMS[system].answers.chains(load_question(system, raw))
    for part, chain in enumerate(chains.values()):
        yield chain, sampled_counts(chain, trials, seed, part), replayed(chain, trials, seed, part)


def check(system, raw, trials=2000, seed=3):
    for chain, counted, again in sample_and_replay(system, raw, trials, seed):
        assert again.recorded.shape == (chain.phases.count(RECORD), trials)
        wanted = counted.weights if isinstance(counted.weights, np.ndarray) else counted.weights.toarray()
        found = (again.recorded[:, :, np.newaxis] == counted.states).sum(axis=1)
        assert found.tolist() == wanted.astype(np.int64).tolist()


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_told_is_what_was_counted(name):
    check(*QUESTIONS[name])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("system", "questions"),
    [
        ("legion", plain_legion.questions),
        ("warmaster", plain_warmaster.questions),
        ("mordheim", questions_mordheim.questions),
    ],
)
def test_what_is_told_of_random_questions_is_what_was_counted(system, questions, seed):
    check(system, questions(seed), trials=700, seed=seed)
    assert an.tell(questions(seed), trial=seed, seed=seed).lines


@pytest.mark.parametrize("name", QUESTIONS)
def test_all_figures_together_are_the_answer_to_the_sample(name):
    system, raw = QUESTIONS[name]
    trials = 12
    told = [an.tell(raw, trial=number, trials=trials, seed=9) for number in range(trials)]
    sample = an.morale.simulate(system, raw, trials, seed=9)
    for event in sample.events:
        if sample.weighed[sample._tables_of_events[event]].means.get("given") is None:
            assert sum(each.figures[event] for each in told) / trials == pytest.approx(float(sample.probability(event)))
    for figure in {"tokens", "friends", "turns_lost", "game_lost", "hits_of_fighter"}.intersection(sample.figures):
        assert sum(each.figures[figure] for each in told) / trials == pytest.approx(sample.mean(figure))


def test_a_rolled_chance_leads_to_what_is_said():
    """A panic check is told as the tokens and COURAGE have it, whatever the trial."""
    question = {"courage": 2, "tokens": 4, "rounds": 1}
    for number in range(20):
        lines = an.tell(question, trial=number, trials=20).lines
        (rally,) = (line for line in lines if line.startswith("Rally step (LG-2)"))
        panicked = any(line == "Panic check (LG-3): panicked" for line in lines)
        assert panicked == (rally.count("success") == 0)
        assert rally.count("miss") + rally.count("success") == 4


def test_the_worst_the_median_and_the_best():
    question = QUESTIONS["legion"][1]
    tokens = [an.tell(question, pick=pick, metric="tokens:least", trials=200) for pick in ("worst", "median", "best")]
    found = [each.figures["tokens"] for each in tokens]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[-1] == 0
    assert an.tell(question, pick="best", metric="p_panicked@1", trials=50).figures["panicked@1"]
    assert "the worst by tokens" in str(tokens[0])


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"pick": "worst"}, "metric: by which figure?"),
        ({"pick": "worst", "metric": "panic"}, "no figure 'panic'; did you mean 'panicked'?"),
        ({"pick": "worst", "metric": "panicked@9"}, "no round or turn 9"),
        ({"trial": 20_000}, "trial: trial 20000 of 20,001"),
    ],
)
def test_what_cannot_be_told_of_is_refused(how, told):
    with pytest.raises(an.InputError) as refused:
        an.tell({"courage": 1, "tokens": 2}, **how)
    assert told in str(refused.value)


def test_a_comparison_is_not_told():
    with pytest.raises(an.InputError, match="a question of compare is not told"):
        an.tell({"models": 6, "losses": 1})
