"""Any chance in [0, 1], however small: what is simulated is what the exact laws say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analyser import morale
from analyser.engine.chain.exact import exact_distributions
from analyser.engine.chain.simulated import simulated_counts
from analyser.morale.systems import SYSTEMS

IMPOSSIBLE = 1e-9  # how likely a count this far out may be before it is a mistake
LEAST = 2.0**-33  # a chance below it is rounded to none

chances = st.one_of(
    st.sampled_from([0.0, 5e-324, 1e-300, 1e-12, LEAST, 2 * LEAST, 1e-5, 0.5, 1 - 1e-12, 1 - LEAST, 1.0]),
    st.floats(0, 1),
    st.floats(-40, 0).map(lambda power: 10.0**power),
    st.floats(-16, -1).map(lambda power: 1 - 10.0**power),
)


def either(number, chance):
    """A distribution: nothing, or a number."""
    return {"0": 1 - chance, str(number): chance}


QUESTIONS = {
    "legion": lambda p: {"courage": 2, "tokens": 1, "destroyed": p, "received": either(5, p), "commander_near": p},
    "grande-tactique": lambda p: {"division": {"units": [{"rout": p}, {"rout": 1 - p}, {"rout": p / 2}], "turns": 3}},
    "warmaster": lambda p: {
        "move": "falls_back",
        "distance": either(6, p),
        "obstacles": [{"distance": 2, "kind": "friend"}, {"distance": 4, "kind": "enemy"}],
        "turns": 2,
    },
    "mordheim": lambda p: {
        "warband": {
            "leader": 8,
            "others": [{"leadership": 7, "number": 3}],
            "casualties": either(2, p),
            "leader_stunned": p,
        },
        "alone": {"leadership": 7, "edge": 14},
        "turns": 3,
    },
    "compare": lambda p: {"models": 4, "losses": either(2, p), "rounds": 3, "nerve": p},
}


def assert_counts_fit(counts, law, trials):
    """Each count is one that a binomial distribution with the exact chance can come to."""
    law = np.clip(law, 0, 1)
    least, most = stats.binom.sf(counts - 1, trials, law), stats.binom.cdf(counts, trials, law)
    assert np.minimum(least, most).min() > IMPOSSIBLE


@pytest.mark.parametrize("system", QUESTIONS)
@settings(deadline=None)
@given(chance=chances, trials=st.sampled_from([400, 5000]), seed=st.integers(0, 1000))
def test_simulated_and_exact_agree(system, chance, trials, seed):
    ready = morale.load_question(system, QUESTIONS[system](chance))
    for part, chain in enumerate(SYSTEMS[system].answers.chains(ready).values()):
        states, laws = exact_distributions(chain)
        sample = simulated_counts(chain, trials, seed, part)
        everything = np.union1d(states, sample.states)
        for law, counts in zip(laws, sample.weights):
            expected, found = np.zeros(len(everything)), np.zeros(len(everything))
            expected[np.searchsorted(everything, states)] = law
            found[np.searchsorted(everything, sample.states)] = counts
            assert found.sum() == trials
            assert_counts_fit(found, expected, trials)
