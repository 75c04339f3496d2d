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
_STAKES = 32  # sizes of bets that are mixed, each half of the one before it, in turn
_STAKE = 0.5  # the greatest: what is lost at once is less than all, as values are within 2 of one another


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


def difference_bounds(
    better: ArrayLike, equal: ArrayLike, worse: ArrayLike, error: float = ERROR
) -> tuple[Floats, Floats]:
    """The confidence sequence of the difference of two probabilities that are sampled in pairs.

    Pairs are trials of both with the same random numbers: `better`, those in which the first alone had the event;
    `worse`, the other alone; `equal`, both or neither. The difference of the two in a pair is 1, -1 or 0, so that what
    they have in common makes the interval narrower. Inside is every value against which bets on its being too low, or
    too high, mixed over stakes of 1/2, 1/4, 1/8 and so on, have not won enough (Waudby-Smith and Ramdas, Estimating
    means of bounded random variables by betting, Journal of the Royal Statistical Society B 86, 2024). In which order
    the pairs came makes no difference.

    Parameters
    ----------
    better, equal, worse : int or arrays
        0 or more.
    error : float
        As of :func:`mixture_bounds`.

    Returns
    -------
    low, high : float64 arrays
        From -1 to 1.

    Examples
    --------
    >>> low, high = difference_bounds([30, 3000], [940, 940_000], [30, 57_000])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([-0.031, -0.055], [0.031, -0.053])
    """
    counts = np.stack(np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (better, equal, worse))))
    return -_difference_high(counts[::-1], error / 2), _difference_high(counts, error / 2)


def _difference_high(counts: Floats, error: float) -> Floats:
    """The upper end of the mean of 1, 0 and -1, by how often each was seen: where bets on less have won enough."""
    stakes = _STAKE ** np.arange(1, _STAKES + 1).reshape(-1, *[1] * (counts.ndim - 1))
    values = np.array([1.0, 0.0, -1.0])
    total = np.maximum(counts.sum(axis=0), 1)

    def is_out(mean: Floats) -> NDArray[np.bool_]:
        wealth = sum(count * np.log1p(-stakes * (value - mean)) for value, count in zip(values, counts))
        return np.asarray(np.logaddexp.reduce(wealth, axis=0) - math.log(_STAKES) > -math.log(error))

    return _first_inside(is_out, np.ones_like(total), (counts[0] - counts[2]) / total)


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
