"""Find the best variant by a simulated race: after each stage, variants that cannot be best drop out.

Each further stage multiplies the trials by `GROWTH`, up to a maximum, with new random numbers common to all variants.
Each of the K variants has a confidence sequence: intervals, one after each stage, that all contain the true figure with
probability 1 - ``ERROR / K`` (Bonferroni). A variant drops out when the upper end of its interval lies below the lower
end of another, so the best variant drops out with probability at most `ERROR`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.intervals import mean_bounds, mixture_bounds

ERROR = 0.05  # largest probability that a race names a wrong variant as the best
FIRST_STAGE = 2_000  # trials of each variant in the first stage
GROWTH = 4  # factor by which a variant's total number of trials grows in each further stage
MOST_TRIALS = 2_048_000  # largest number of trials of a variant
Floats = NDArray[np.float64]
Report = Callable[[int, int], None]  # called in each stage with the numbers of variants done and of all variants


class TrialSums(NamedTuple):
    """Number of trials of a variant, and the sums of the figure and of its square over these trials."""

    trials: float
    total: float
    squares: float


@dataclass(frozen=True)
class RaceResult:
    """Result of a race among K variants; arrays have one entry per variant."""

    remaining: list[int]  # variants that can still be the best, from the best downwards
    values: Floats  # figure of each variant
    lows: Floats  # ends of its confidence sequence after its last trial
    highs: Floats
    trials: NDArray[np.int64]
    dropped_after: NDArray[np.int64]  # stage, from 1, after which a variant dropped out; 0 if it remains
    stages: int
    stop_reason: str  # "decided", "alike" (the remaining variants hardly differ), or "trials" (all are done)


def race(
    simulate: Callable[[int, int, int], TrialSums | None],
    variants: int,
    *,
    is_probability: bool,
    least: bool = False,
    within: float = 0.0,
    most_trials: int = MOST_TRIALS,
    report: Report | None = None,
) -> RaceResult:
    """Return the variants among K that can be the best, with their figures.

    Parameters
    ----------
    simulate : callable of (variant, trials, stage)
        Simulates trials of a variant in a stage; returns None if the variant cannot be simulated and must drop out.
    variants : int
        K, 1 or more.
    is_probability : bool
        True if the figure is 0 or 1 in each trial; the confidence sequence is then exact (a beta-binomial mixture).
    least : bool
        True if low values of the figure are better.
    within : float
        The race also ends when no two remaining variants can differ by more than this.

    Examples
    --------
    >>> probabilities = [0.3, 0.5, 0.4]
    >>> rng = np.random.default_rng(1)
    >>> def simulate(variant, trials, stage):
    ...     successes = rng.binomial(trials, probabilities[variant])
    ...     return TrialSums(trials, successes, successes)
    >>> race(simulate, 3, is_probability=True).remaining
    [1]
    """
    sums = np.zeros((variants, 3))
    values, lows, highs = np.full(variants, np.nan), np.full(variants, -np.inf), np.full(variants, np.inf)
    dropped_after: NDArray[np.int64] = np.zeros(variants, np.int64)
    remaining, stage, trials_each, stop_reason = list(range(variants)), 0, 0, ""
    sign = -1.0 if least else 1.0

    def drop(racing: list[int]) -> tuple[list[int], float]:
        """Drop the variants that cannot be best; return the others, and the span from their lowest to highest end."""
        bounds = _bounds_of(sums[racing], ERROR / variants, is_probability=is_probability)
        values[racing], lows[racing], highs[racing] = bounds
        ends = np.sort(sign * np.array([lows, highs]), axis=0)
        highest_worse_end = max(ends[0, variant] for variant in racing)
        for variant in racing:
            dropped_after[variant] = stage if ends[1, variant] < highest_worse_end else 0
        left = [variant for variant in racing if not dropped_after[variant]]
        return left, max(ends[1, variant] for variant in left) - min(ends[0, variant] for variant in left)

    while not stop_reason:
        stage += 1
        more = FIRST_STAGE if stage == 1 else min(trials_each * (GROWTH - 1), most_trials - trials_each)
        trials_each += more
        for done, variant in enumerate(list(remaining), start=1):
            added = simulate(variant, more, stage)
            if added is None:
                remaining.remove(variant)
                dropped_after[variant] = stage
            else:
                sums[variant] += added
            if report is not None:
                report(done, len(remaining))
        remaining, span = drop(remaining) if remaining else ([], 0.0)
        stop_reason = "decided" if len(remaining) <= 1 else "alike" if span <= within else ""
        stop_reason = stop_reason or ("trials" if trials_each >= most_trials else "")
    remaining.sort(key=lambda variant: -sign * values[variant])
    trials = sums[:, 0].astype(np.int64)
    return RaceResult(remaining, values, lows, highs, trials, dropped_after, stage, stop_reason)


def _bounds_of(sums: Floats, error: float, *, is_probability: bool) -> tuple[Floats, Floats, Floats]:
    """Return the figures of variants, and the ends of their confidence sequences."""
    trials, totals, squares = sums.T
    means = totals / trials
    if is_probability:
        return means, *mixture_bounds(totals, trials, error)
    variances = np.maximum(squares / trials - means**2, 0.0) / np.maximum(trials - 1, 1)
    ends = [
        mean_bounds(mean, math.sqrt(variance), int(count) - 1, int(count), FIRST_STAGE * GROWTH**2, error)
        for mean, variance, count in zip(means, variances, trials)
    ]
    return means, *np.array(ends).T
