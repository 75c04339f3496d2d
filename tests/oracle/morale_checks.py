"""Checks of every morale system: rows of tables, cases worked by hand, plain readings, and samples against laws."""

import numpy as np
import pytest

from analyser import morale
from analyser.engine.chain.exact import exact_distributions
from analyser.engine.chain.simulated import CHUNK_TRIALS, simulated_counts
from analyser.morale.systems import SYSTEMS
from tests.helpers.samples import chi_square

EXACTLY = 1e-12
UNLIKELY = 1e-4  # one chi-square test in ten thousand would fail by chance; the seeds are fixed
VALUES = ("p_", "mean_", "probability")  # columns that are numbers; the others are keys


def rows(result, table=None):
    """The rows of a table by their keys, in order."""
    name = table or next(iter(result.raw_tables))
    columns = result.columns[name]
    keys = list(result.raw_tables[name].keys)
    height = len(columns[keys[0]])
    return {
        tuple(columns[key][row] for key in keys): {
            name: float(values[row])
            for name, values in columns.items()
            if name not in keys and not name.endswith("interval")  # whose interval it is
        }
        for row in range(height)
    }


def assert_worked(system, question, expected):
    """Figures of an answer are those worked by hand: ``{(table, *key, column): value}``, "" being the main table."""
    result = morale.exact(system, question)
    for (table, *key, column), value in expected.items():
        found = rows(result, table)
        missing = {column: 0.0} if column == "probability" else {}  # of an outcome that is impossible
        assert found.get(tuple(key), missing)[column] == pytest.approx(value, abs=EXACTLY), (table, key, column)


def numbers(tables):
    """(table, key, column) -> number, of probabilities and means; rows of one key are added up."""
    found = {}
    for name, table in tables.items():
        for given in table:
            row = {column: value for column, value in given.items() if not column.endswith("interval")}  # whose it is
            key = tuple(
                (column, _cell(value)) for column, value in sorted(row.items()) if not column.startswith(VALUES)
            )
            for column, value in row.items():
                if column.startswith(VALUES):
                    found[name, key, column] = found.get((name, key, column), 0.0) + float(value)
    return found


def _cell(value):
    """A key: 2 and 2.0 are one."""
    return value if isinstance(value, str | bool) else round(float(value), 9)


def differences(system, question, reading, skip=()):
    """A line for each number that differs from a plain reading, for which what one of them does not name is 0."""
    answer = {
        name: table for name, table in morale.exact(system, question).as_dict()["tables"].items() if name not in skip
    }
    theirs, ours = numbers(answer), numbers(reading(question))
    return [
        f"{where}: {theirs.get(where, 0.0)!r}, the reading says {ours.get(where, 0.0)!r}"
        for where in sorted({*theirs, *ours}, key=str)
        if abs(theirs.get(where, 0.0) - ours.get(where, 0.0)) > EXACTLY
    ]


def assert_sample_fits(system, question, *, trials=200_000, seeds=(1, 2, 3)):
    """Every recorded law of a question agrees with its sample, whole states and all, by chi-square."""
    ready = morale.load_question(system, question)
    for part, chain in enumerate(SYSTEMS[system].answers.chains(ready).values()):
        states, laws = exact_distributions(chain)
        for seed in seeds:
            sample = simulated_counts(chain, trials, seed, part)
            assert np.isin(sample.states, states).all()
            found = np.zeros(laws.shape)
            found[:, np.searchsorted(states, sample.states)] = sample.weights
            for law, counts in zip(laws, found):
                assert_counts_fit(counts, law, trials)


def assert_counts_fit(counts, law, trials):
    """Counts of all trials agree with a law: nothing impossible was seen, and chi-square."""
    assert counts.sum() == trials
    p = chi_square(counts, law)
    assert p is None or p > UNLIKELY


def assert_same_on_any_threads(system, question, trials=3 * CHUNK_TRIALS + 1000):
    """The same seed gives the same bits on 1, 2 and 3 threads that share chunks, and another seed others."""
    counts = [morale.simulate(system, question, trials, seed=5, threads=threads).as_dict() for threads in (1, 2, 3)]
    assert counts[0] == counts[1] == counts[2]
    assert morale.simulate(system, question, trials, seed=6).as_dict()["tables"] != counts[0]["tables"]
