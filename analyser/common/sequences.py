"""Confidence sequences: intervals that hold at every number of trials at once, so that a simulation may stop at any.

An interval of a fixed number of trials is right in 95% of samples. Looking at it again and again, and stopping at a
hoped-for result, is wrong far more often: of two equal probabilities, compared whenever the trials have doubled from a
thousand to a thousand million, one is called better in half of all runs. A confidence sequence contains the
truth at all times in 95% of runs. That costs about 1.5 to 2.5 times the width. Decisions such as "which is better?"
rest on these wherever the number of trials was not fixed beforehand.

Each is the set of values against which no bet has won too much: a wealth that begins at 1 and, if the value is the
truth, is a fair game, reaches 20 in at most 5% of runs (Ville 1939).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analyser.common.intervals import CONFIDENCE

Floats = NDArray[np.float64]
ERROR = 1 - CONFIDENCE
_STEPS = 60  # of a bisection


def mixture_bounds(seen: ArrayLike, trials: ArrayLike, error: float = ERROR) -> tuple[Floats, Floats]:
    """The confidence sequence of a probability: its ends after each number of trials, by how often it was seen.

    The bets are mixed over all probabilities alike (Robbins, Statistical methods related to the law of the iterated
    logarithm, Annals of Mathematical Statistics 41, 1970): inside is every p with
    ``seen ln p + missing ln(1 - p) >= ln B(seen + 1, missing + 1) + ln error``.

    Parameters
    ----------
    seen, trials : int or arrays
        0 or more; `seen` at most `trials`.
    error : float
        The probability that the truth is ever outside, above 0 and below 1. Of a race over K variants ``0.05 / K``.

    Returns
    -------
    low, high : float64 arrays

    Examples
    --------
    >>> low, high = mixture_bounds([0, 50, 500_000], [0, 100, 1_000_000])
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.3446, 0.4978], [1.0, 0.6554, 0.5022])
    """
    from scipy.special import betaln, xlog1py, xlogy

    seen, missing = np.asarray(seen, np.float64), np.asarray(trials, np.float64) - np.asarray(seen, np.float64)
    least = betaln(seen + 1, missing + 1) + math.log(error)
    share = np.where(seen + missing > 0, seen / np.maximum(seen + missing, 1), 0.5)

    def is_out(p: Floats) -> NDArray[np.bool_]:
        return np.asarray(xlogy(seen, p) + xlog1py(missing, -p) < least)

    low = _first_inside(is_out, np.zeros_like(share), share)
    return low, _first_inside(is_out, np.ones_like(share), share)


def mean_bounds(
    mean: float, standard_error: float, degrees: int, trials: int, tuned_for: int, error: float = ERROR
) -> tuple[float, float]:
    """The confidence sequence of a mean of many trials, by its standard error.

    The bets are mixed over a normal distribution of how many standard deviations the truth is off (Robbins 1970), with
    the standard deviation as far from the truth as so few `degrees` of freedom let it be (Lai, On confidence sequences,
    Annals of Statistics 4, 1976). Means of so many trials are normal for every purpose (Waudby-Smith et al.,
    Time-uniform central limit theory and asymptotic confidence sequences, Annals of Statistics 52, 2024).

    Parameters
    ----------
    mean, standard_error : float
        After so many `trials`.
    degrees : int
        Of freedom of the standard error: of B batches of equal size B - 1.
    trials, tuned_for : int
        1 or more. The sequence is narrowest, beside an interval of a fixed number, at the second, which must be known
        beforehand; it is hardly wider at ten times as many.

    Examples
    --------
    >>> low, high = mean_bounds(0.5, 0.01, 10**6, trials=1000, tuned_for=1000)
    >>> round((high - low) / 0.02, 2)  # beside 1.96 of an interval
    3.04
    """
    spread = _SPREAD * trials / tuned_for
    beyond = ((1 + spread) / error**2) ** (1 / (degrees + 1))
    squared = degrees * (beyond - 1) / (1 - beyond / (1 + spread)) if beyond < 1 + spread else math.inf
    half = math.sqrt(squared) * standard_error if standard_error else 0.0
    return mean - half, mean + half


_SPREAD = 8.0  # variance of the mixture, in squared standard errors, for which an interval at 95% is narrowest


def _first_inside(is_out: Any, outer: Floats, inner: Floats) -> Floats:
    """The end of an interval between `outer` and `inner`, which is inside; `outer` itself if it is."""
    inside, outside = inner, outer
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        out = is_out(middle)
        inside, outside = np.where(out, inside, middle), np.where(out, middle, outside)
    return np.where(is_out(outer), outside, outer)
