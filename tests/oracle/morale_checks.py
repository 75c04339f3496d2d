"""What the tests of every morale system share: samples against laws, and tables as plain dictionaries."""

import numpy as np
from scipy import stats

from analyser import morale
from analyser.engine.chain.exact import exact_distributions
from analyser.engine.chain.sampled import CHUNK_TRIALS, sampled_counts
from analyser.morale.systems import SYSTEMS

FEWEST_EXPECTED = 10
UNLIKELY = 1e-4  # one chi-square test in ten thousand would fail by chance; the seeds are fixed


def rows(result, table=None):
    """The rows of a table by their keys, in order."""
    name = table or next(iter(result.weighed))
    columns = result.columns[name]
    keys = list(result.weighed[name].keys)
    height = len(columns[keys[0]])
    return {
        tuple(columns[key][row] for key in keys): {
            name: float(values[row])
            for name, values in columns.items()
            if name not in keys and not name.endswith("interval")  # whose interval it is
        }
        for row in range(height)
    }


def assert_sample_fits(system, question, *, trials=200_000, seeds=(1, 2, 3)):
    """Every recorded law of a question agrees with its sample, whole states and all, by chi-square."""
    ready = morale.load_question(system, question)
    for part, chain in enumerate(SYSTEMS[system].answers.chains(ready).values()):
        states, laws = exact_distributions(chain)
        for seed in seeds:
            sample = sampled_counts(chain, trials, seed, part)
            assert np.isin(sample.states, states).all()
            found = np.zeros(laws.shape)
            found[:, np.searchsorted(states, sample.states)] = sample.weights
            for law, counts in zip(laws, found):
                assert counts.sum() == trials
                assert not counts[law == 0].any()
                assert chi_square(counts, law * trials) > UNLIKELY


def assert_sample_is_near(system, question, tables, trials, seed=0):
    """Every probability of a sample is within five standard errors of the exact one, in each of these tables."""
    law, sample = morale.exact(system, question), morale.simulate(system, question, trials, seed=seed)
    for table in tables:
        sampled, looked_at = rows(sample, table), 0
        for key, row in rows(law, table).items():
            for name in (each for each in row if each.startswith("p")):
                error = (row[name] * (1 - row[name]) / trials) ** 0.5
                assert abs(sampled[key][name] - row[name]) <= 5 * error + 1e-9, (table, key, name)
                looked_at += 1
        assert looked_at, table


def chi_square(found, expected):
    """The p-value of counts against expected counts, rare states together."""
    common = expected >= FEWEST_EXPECTED
    found = np.append(found[common], found[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    some = expected > FEWEST_EXPECTED / 10
    if some.sum() < 2:
        return 1.0
    found, expected = found[some], expected[some]
    return stats.chisquare(found, expected * found.sum() / expected.sum()).pvalue


def assert_same_on_any_threads(system, question, trials=3 * CHUNK_TRIALS + 1000):
    """The same seed gives the same bits on 1, 2 and 3 threads that share chunks, and another seed others."""
    counts = [morale.simulate(system, question, trials, seed=5, threads=threads).as_dict() for threads in (1, 2, 3)]
    assert counts[0] == counts[1] == counts[2]
    assert morale.simulate(system, question, trials, seed=6).as_dict()["tables"] != counts[0]["tables"]
