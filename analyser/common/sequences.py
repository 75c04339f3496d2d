"""Confidence sequences: intervals that hold at all numbers of trials at once, so a simulation may stop at any.

A 95% interval is only valid for a number of trials fixed beforehand. Repeated looks, and a stop at a hoped-for result,
are wrong far more often. For example, compare two equal probabilities at each doubling from a thousand to a thousand
million trials: one is called better in half of all runs. A confidence sequence contains the true value at all times in
95% of runs, at 1.5 to 2.5 times the width. It decides questions such as "which is better?" if the number of trials was
not fixed beforehand.

A sequence is the set of values against which no bet has won too much. A wealth that begins at 1 and is a fair game
under the true value reaches 20 in at most 5% of runs (Ville 1939).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analyser.common.intervals import CONFIDENCE

Floats = NDArray[np.float64]
ERROR = 1 - CONFIDENCE
_STEPS = 60  # steps of a bisection


def mixture_bounds(seen: ArrayLike, trials: ArrayLike, error: float = ERROR) -> tuple[Floats, Floats]:
    """Return the ends of the confidence sequence of a probability, for counts of an event in numbers of trials.

    The bets are mixed uniformly over all probabilities (Robbins, Statistical methods related to the law of the iterated
    logarithm, Annals of Mathematical Statistics 41, 1970). The interval contains every p with
    ``seen ln p + missing ln(1 - p) >= ln B(seen + 1, missing + 1) + ln error``.

    Parameters
    ----------
    seen, trials : int or arrays
        0 or more; `seen` at most `trials`.
    error : float
        Probability that the true value is ever outside, in (0, 1). To compare K variants, use ``0.05 / K``.

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
    """Return the ends of the confidence sequence of a mean of many trials, by its standard error.

    The bets are mixed over a normal distribution of the deviation in standard deviations (Robbins 1970). The `degrees`
    of freedom allow for the error of the standard deviation (Lai, On confidence sequences, Annals of Statistics 4,
    1976). Means of many trials count as normal (Waudby-Smith et al., Time-uniform central limit theory and asymptotic
    confidence sequences, Annals of Statistics 52, 2024).

    Parameters
    ----------
    mean, standard_error : float
        Estimates after `trials` trials.
    degrees : int
        Degrees of freedom of the standard error: B - 1 for B batches of equal size.
    trials, tuned_for : int
        1 or more. Compared with an interval, the sequence is narrowest at `tuned_for` trials, which must be fixed
        beforehand; it is hardly wider at ten times as many.

    Examples
    --------
    >>> low, high = mean_bounds(0.5, 0.01, 10**6, trials=1000, tuned_for=1000)
    >>> round((high - low) / 0.02, 2)  # 1.96 for an interval
    3.04
    """
    spread = _SPREAD * trials / tuned_for
    beyond = ((1 + spread) / error**2) ** (1 / (degrees + 1))
    squared = degrees * (beyond - 1) / (1 - beyond / (1 + spread)) if beyond < 1 + spread else math.inf
    half = math.sqrt(squared) * standard_error if standard_error else 0.0
    return mean - half, mean + half


_SPREAD = 8.0  # variance of the mixture in squared standard errors, optimal at 95%


def _first_inside(is_out: Any, outer: Floats, inner: Floats) -> Floats:
    """Return the end of an interval between `outer` and the inside point `inner`; `outer` if it is inside, too."""
    inside, outside = inner, outer
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        out = is_out(middle)
        inside, outside = np.where(out, inside, middle), np.where(out, middle, outside)
    return np.where(is_out(outer), outside, outer)
