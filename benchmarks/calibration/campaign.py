"""What the intervals of many samples cover, and whether the counts follow their exact laws."""

import math
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
from scipy import stats

from analyser.common.intervals import NORMAL_95
from benchmarks.calibration.counting import TRIALS
from benchmarks.calibration.coverage import METHODS
from benchmarks.calibration.samples import QUESTIONS, play, question_of

SEEDS = dict.fromkeys(QUESTIONS, 100_000) | {"battle": 10_000}  # whose samples take long
BINS = 20
_AT_ONCE = 250  # seeds


def dkw_half_width(trials, error):
    """The half-width of a band around an empirical distribution function (Massart, Annals of Probability 18, 1990)."""
    return math.sqrt(math.log(2 / error) / (2 * trials))


def ends_of(method):
    """The ends of an interval of every count that there can be."""
    low, high = method(np.arange(TRIALS + 1), TRIALS)[:2]
    return low, high


def law_of(p):
    """The exact law of a count."""
    return stats.binom.pmf(np.arange(TRIALS + 1), TRIALS, p)


def chances_of(kind, counts):
    """Of each chance what its intervals cover, of these samples and by its exact law, and the ranks of its counts."""
    ends, found = {name: ends_of(method) for name, method in METHODS.items()}, []
    for place, (chance, seen) in enumerate(zip(question_of(kind).chances, counts.T)):
        law = law_of(chance.p)
        inside = {name: (low <= chance.p) & (chance.p <= high) for name, (low, high) in ends.items()}
        ranks = ranks_of(seen, law, np.random.default_rng(place))
        found.append(
            {
                "chance": chance.title,
                "p": chance.p,
                "expected": TRIALS * min(chance.p, 1 - chance.p),
                "covered": {name: float(covers[seen].mean()) for name, covers in inside.items()},
                "by_law": {name: float(law[covers].sum()) for name, covers in inside.items()},
                "ranks": np.histogram(ranks, BINS, (0, 1))[0].tolist(),
                "off": float(stats.kstest(ranks, "uniform").statistic),
            }
        )
    return found


def ranks_of(seen, law, rng):
    """Where each count lies in its law, a number from 0 to 1 that is uniform if the law is right: ties by lot."""
    below = np.concatenate([[0.0], np.cumsum(law)])
    return np.clip(below[seen] + rng.random(len(seen)) * law[seen], 0, 1)


def means_of(kind, means):
    """In what part of the samples the 95% interval of each mean covers the exact one."""
    found = []
    for (name, exact), (mean, error) in zip(question_of(kind).means.items(), means.transpose(1, 2, 0)):
        covered = float((np.abs(mean - exact) <= NORMAL_95 * error).mean())
        found.append({"mean": name, "unlike": unlike(kind, name), "covered": covered})
    return found


def unlike(kind, figure):
    """In how many trials of a sample a figure is not what it is most often."""
    shares = [row["probability"] for row in question_of(kind).samples.exact.distribution(figure)]
    return float(TRIALS * (1 - max([*shares, 1 - sum(shares)])))


def campaign(seeds, processes=1):
    """The results of some kinds of questions, by so many `seeds` of each kind."""
    results = {"trials": TRIALS, "bins": BINS, "kinds": {}}
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for kind in seeds:
            start = time.perf_counter()
            parts = [range(first, min(first + _AT_ONCE, seeds[kind])) for first in range(0, seeds[kind], _AT_ONCE)]
            counts, means = (np.concatenate(each) for each in zip(*pool.map(partial(play, kind), parts)))
            chances = chances_of(kind, counts)
            results["kinds"][kind] = {
                "seeds": seeds[kind],
                "band": dkw_half_width(seeds[kind], 0.05 / len(chances)),
                "chances": chances,
                "means": means_of(kind, means),
            }
            print(f"{kind}: {seeds[kind]} samples, {time.perf_counter() - start:.0f} s", flush=True)
    return results
