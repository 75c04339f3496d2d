"""What each kind of interval covers of an event that is expected so often: by the binomial law, not by sampling."""

import numpy as np
from scipy import optimize, stats

from analyser.common.intervals import CONFIDENCE, clopper_pearson, intervals, wilson


def mid_p(counts, trials):
    """The interval that counts half of the probability of what was seen (Lancaster 1961): narrower, at times wrong."""
    ends = [], []
    for count in counts:
        outer = clopper_pearson(np.array([count]), trials)
        for end, found, sign in zip(outer, ends, (-1, 1)):

            def tail(p, sign=sign, count=count):
                beyond = stats.binom.cdf(count - 1, trials, p) if sign > 0 else stats.binom.sf(count, trials, p)
                return beyond + stats.binom.pmf(count, trials, p) / 2 - (1 - CONFIDENCE) / 2

            sharp = end[0] in (0, 1)
            found.append(end[0] if sharp else optimize.brentq(tail, *sorted((end[0], count / trials)), xtol=1e-15))
    return tuple(map(np.array, ends))


METHODS = {"shown": intervals, "wilson": wilson, "clopper_pearson": clopper_pearson}
STRETCHES = ((0.05, 1), (1, 3), (3, 8), (8, 20), (20, 40), (40, 80), (80, 200), (200, 1000))  # expected events
TRIALS = 1 << 20
_A_STRETCH = 400  # places looked at
_SMALL = (50, 100, 200, 400, 700, 1000, 2000, 4000)  # trials of samples in which every probability is looked at


def covered(method, trials, truths, most):
    """In what part of all samples of so many trials the interval contains each truth; nobody sees more than `most`."""
    counts = np.arange(most + 1)
    low, high = method(counts, trials)[:2]
    law = stats.binom.pmf(counts[:, None], trials, truths)
    return (law * ((low[:, None] <= truths) & (truths <= high[:, None]))).sum(axis=0)


def by_expected(trials=TRIALS):
    """The least, the mean and the greatest coverage of each method, by how many events are expected."""
    rows = []
    for least, most in STRETCHES:
        expected = np.geomspace(least, most, _A_STRETCH)
        row = {"least": least, "most": most}
        for name, method in (METHODS | {"mid_p": mid_p}).items():
            found = covered(method, trials, expected / trials, int(most + 12 * most**0.5 + 30))
            row[name] = [float(found.min()), float(found.mean()), float(found.max())]
        rows.append(row)
    return rows


def of_small_samples():
    """The same for samples of few trials, over all probabilities from 0.001 to a half."""
    truths = np.linspace(0.001, 0.5, 1000)
    rows = []
    for trials in _SMALL:
        row = {"trials": trials}
        for name, method in METHODS.items():
            found = covered(method, trials, truths, trials)
            row[name] = [float(found.min()), float(found.mean()), float(found.max())]
        rows.append(row)
    return rows
