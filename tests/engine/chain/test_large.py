"""Questions with more states than tables have room for: met as they come up, by both methods."""

import time

import numpy as np
import pytest
from scipy import stats

from analyser import morale
from analyser.common.errors import InputError, TooLargeError
from analyser.engine.chain import simulated
from analyser.engine.chain.chain import RECORD, Chain, Paths, Phase, bernoulli, fair_die
from analyser.engine.chain.exact import distributions_along
from analyser.engine.chain.simulated import counts_along, simulated_counts
from analyser.morale.games.grande_tactique.question import MOST_DIVISION, MOST_GAME
from analyser.morale.games.mordheim.question import MOST_WARBANDS, MOST_WARRIORS
from tests.oracle.morale_checks import EXACTLY, assert_counts_fit
from tests.oracle.morale_questions import QUESTIONS, division, warbands


@pytest.fixture
def no_tables(monkeypatch):
    """Every question counts as one with many states."""
    monkeypatch.setattr(simulated, "MANY_STATES", 0)


def test_the_refusal_tells_a_player_what_to_do():
    with pytest.raises(TooLargeError) as error:
        morale.exact("grande-tactique", division(14, turns=8))
    told = str(error.value)
    assert "a division of 14 units, each standing, in rout or lost" in told
    assert "fewer units" in told
    assert "--method monte-carlo" in told
    assert "totals" not in told


MANY_ROUTED = {"rout": {"units": [{}] * 8, "charged_by_infantry": 0.5, "turns": 100}}


@pytest.mark.parametrize(
    ("system", "question"),
    [
        ("grande-tactique", division(14, turns=100)),
        pytest.param("grande-tactique", MANY_ROUTED | division(13), marks=pytest.mark.slow),
        ("legion", {"courage": 1, "tokens": 60, "received": {0: 0.5, 100: 0.5}, "rounds": 100}),
        ("mordheim", warbands(4, 30) | {"turns": 100}),
    ],
)
def test_what_is_too_large_is_refused_soon(system, question):
    with pytest.raises(TooLargeError):
        morale.exact(system, question)  # kernels compiled
    began = time.perf_counter()
    with pytest.raises(TooLargeError, match="--method monte-carlo"):
        morale.exact(system, question)
    assert time.perf_counter() - began < 10


@pytest.mark.parametrize("trials", [1, 16, 17])
def test_each_trial_has_its_own_chance(trials, no_tables):
    """How many of a small group it happened to is binomial."""
    chain = Chain(0, (Phase(np.maximum, bernoulli(0.3), 1), RECORD), 2)
    happened = [int(simulated_counts(chain, trials, seed).dense_weights(2)[0, 1]) for seed in range(800)]
    law = stats.binom.pmf(range(trials + 1), trials, 0.3)
    assert_counts_fit(np.bincount(happened, minlength=trials + 1), law, 800)


@pytest.mark.parametrize("name", ["division", "warbands", "compare"])
def test_any_number_of_threads_gives_the_same_bits(name, no_tables, monkeypatch):
    monkeypatch.setattr(simulated, "CHUNK_OF_MANY_STATES", 1 << 12)
    system, question = QUESTIONS[name]
    first, *others = (morale.simulate(system, question, 20_000, seed=5, threads=n).as_dict() for n in (1, 2, 3))
    assert all(other == first for other in others)
    assert morale.simulate(system, question, 20_000, seed=6).as_dict()["tables"] != first["tables"]


def test_chunks_and_parts_have_random_numbers_of_their_own(no_tables, monkeypatch):
    chain = Chain(0, (Phase(lambda _, totals: totals, fair_die(6), 1), RECORD), 7)
    one, other = (simulated_counts(chain, 5_000, 1, part).weights for part in (0, 16))
    assert (one != other).any()
    monkeypatch.setattr(simulated, "CHUNK_OF_MANY_STATES", 1_000)
    assert (simulated_counts(chain, 2_000, 1).weights != 2 * simulated_counts(chain, 1_000, 1).weights).any()


def test_too_many_ends_are_refused(no_tables, monkeypatch):
    monkeypatch.setattr(simulated, "MOST_RECORDED", 10)
    with pytest.raises(InputError, match=r"1000 trials end in too many .*fewer trials, or fewer units"):
        morale.simulate("grande-tactique", QUESTIONS["division"][1], 1_000)


def test_states_without_a_number_are_refused():
    with pytest.raises(InputError, match="100 units: too many states"):
        Chain(0, (), 1 << 63, "100 units", "fewer units")


FAR = 1 << 40  # states are multiples of it
THROW = Phase(lambda states, totals: np.minimum(states // FAR + totals, 40) * FAR, fair_die(8), 1)
TURNS = [(Phase(lambda states, _, lost=lost: states + lost * FAR), THROW, RECORD) for lost in range(3)]
GAME = Chain(0, sum(TURNS, ()), 41 * FAR)


def test_courses_through_many_states():
    """The sum of eight-sided dice and of what a course says, up to 40: by hand, and rolled."""
    numbers = np.array([[0, 1], [2, 2], [2, 0]])
    chances = np.array([0.5, 0.3, 0.2])
    found = distributions_along(GAME, TURNS, Paths(numbers, chances))
    expected = np.zeros((2, 41))
    die = np.array([0, *[1 / 8] * 8])
    two = np.convolve(die, die)
    for (first, second), chance in zip(numbers, chances):
        expected[0, first : first + 9] += chance * die
        expected[1, first + second : first + second + 17] += chance * two
    for place, state in enumerate(found.states // FAR):
        assert found.weights[:, place] == pytest.approx(expected[:, state], abs=EXACTLY)
    for seed in (1, 2, 3):
        sample = counts_along(GAME, TURNS, Paths(numbers, (chances * 40_000).astype(int)), seed)
        counts = np.zeros((2, 41))
        counts[:, sample.states // FAR] = sample.weights
        for law, count in zip(expected, counts):
            assert_counts_fit(count, law, 40_000)


def test_too_many_courses_for_the_states_are_refused(monkeypatch):
    monkeypatch.setattr("analyser.engine.chain.exact.MOST_DISTRIBUTION_ENTRIES", 10)
    with pytest.raises(TooLargeError):
        distributions_along(GAME, TURNS, Paths(np.array([[0, 1], [2, 2]]), np.array([0.5, 0.5])))


HUNDRED = {0: 0.4, 1: 0.3, 50: 0.2, 100: 0.1}
WORN = {"column": 1, "charged_by_cavalry": 0.1, "worn_down_by_infantry": 0.2, "worn_down_by_artillery": 0.2}
UNITS = [WORN | {"loses_firing": 0.1, "edge_distance": 40 + place} for place in range(MOST_GAME)]
WARRIORS = [{"name": f"warrior {place}", "leadership": 2 + place} for place in range(10)]
TOGETHER = {"leader": 7, "p_out": 0.2, "rout_test": True, "best_other": 6, "warriors": WARRIORS}
FAR_AND_LONG = {"edge_distance": 1000, "rounds": 100}
EVERY_MAXIMUM = {
    "tokens, received, rounds": (
        "legion",
        {"courage": 20, "tokens": 60, "received": HUNDRED, "received_after": HUNDRED, "commander_courage": 20}
        | FAR_AND_LONG
        | {"move_distance": 10, "destroyed": 0.01},
    ),
    "division": ("grande-tactique", division(MOST_DIVISION, turns=100)),
    "game": ("grande-tactique", {"game": {"units": UNITS, "surrounded": 0.01, "turns": 100}}),
    "warbands": ("mordheim", warbands(MOST_WARBANDS, MOST_WARRIORS, leader_stunned=0.1) | {"turns": 100}),
    "tests": ("mordheim", {"together": TOGETHER, "stupidity": {"leadership": 5}, "turns": 100}),
    "models": (
        "compare",
        {"models": 100, "losses": HUNDRED, "warmaster": {"dice": 10}}
        | FAR_AND_LONG
        | {"legion": {"move_distance": 10}},
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "tests" else [pytest.mark.proof]) for name in EVERY_MAXIMUM]
)
def test_every_documented_maximum_is_answered(name):
    system, question = EVERY_MAXIMUM[name]
    found = morale.simulate(system, question, 200, seed=1)
    for table, columns in found.columns.items():
        for column in found.raw_tables[table].weights:
            assert ((columns[column] >= 0) & (columns[column] <= 1)).all()
