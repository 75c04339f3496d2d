"""How likely a sample is of a distribution."""

import numpy as np
from scipy import stats

FEWEST_EXPECTED = 8


def chi_square(counts, law):
    """The p-value of a sample of a law, rare endings taken together; None where only one ending is common.

    Both are {ending: number}, or arrays.
    """
    if not isinstance(counts, dict):
        counts, law = ({at: each for at, each in enumerate(np.ravel(of).tolist()) if each} for of in (counts, law))
    trials = sum(counts.values())
    assert all(law.get(ending, 0.0) > 1e-15 for ending in counts), "an ending that cannot be"
    common = [ending for ending, chance in law.items() if chance * trials >= FEWEST_EXPECTED]
    found = [counts.get(ending, 0) for ending in common]
    expected = [law[ending] * trials for ending in common]
    found.append(trials - sum(found))
    expected.append(trials - sum(expected))
    if expected[-1] < FEWEST_EXPECTED and len(expected) > 1:
        found[-2:], expected[-2:] = [sum(found[-2:])], [sum(expected[-2:])]
    return stats.chisquare(found, expected).pvalue if len(found) > 1 else None
