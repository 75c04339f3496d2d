"""95% intervals of simulated probabilities, and confidence sequences.

An interval is valid for a number of trials fixed beforehand. If fewer than :data:`MIN_FOR_WILSON` trials have the
event, or fewer than that lack it, the interval is Blaker's, whose coverage is at least 95% for any probability.
Otherwise it is Wilson's, which is fast and covers at least 94.5% (`docs/calibration.md` compares them).

A confidence sequence has an interval for every number of trials. In 95% of runs all these intervals contain the true
value, so a simulation may stop at any time. They are 1.5 to 2.5 times as wide as ordinary intervals. The sequence
excludes a value if bets that are fair at this value have turned a stake of 1 into 20 (Ville 1939).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntervalName = Literal["wilson", "blaker"]
Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats]

CONFIDENCE = 0.95
NORMAL_95 = 1.959963984540054  # half the width of a normal 95% interval, in standard errors
MIN_FOR_WILSON = 200  # fewest trials with the event, and fewest without it, for Wilson's interval (it covers 94.5%)
_FEW_TRIALS = 3 * MIN_FOR_WILSON  # trials up to which the widest interval may be Blaker's
_COUNTS_SEARCHED = 10  # the search for Blaker's widest interval begins this far below MIN_FOR_WILSON or half the trials
_MOST_STEPS, _CLOSE_ENOUGH = 200, 1e-13
_FARTHEST = 40.0  # standard deviations from the mean beyond which a count has a negligible probability


class Intervals(NamedTuple):
    """95% intervals of several probabilities: ends and kind of each, as arrays of one shape."""

    low: Floats
    high: Floats
    kind: NDArray[np.str_]  # IntervalName


def intervals(counts: NDArray[Any], trials: int) -> Intervals:
    """Return the 95% interval of a probability for each of `counts` events in `trials`.

    >>> low, high, kinds = intervals(np.array([0, 500]), 1000)
    >>> low.round(4).tolist(), high.round(4).tolist(), kinds.tolist()
    ([0.0, 0.4691], [0.0036, 0.5309], ['blaker', 'wilson'])
    """
    counts = np.asarray(counts)
    low, high = wilson(counts, trials)
    few = is_rare(counts, trials)
    if few.any():
        low[few], high[few] = blaker(counts[few], trials)
    return Intervals(low, high, np.where(few, "blaker", "wilson"))


def is_rare(counts: NDArray[Any], trials: int) -> NDArray[np.bool_]:
    """Return True for each count for which :func:`intervals` uses Blaker's interval."""
    return np.asarray(np.minimum(counts, trials - counts) < MIN_FOR_WILSON)


def greatest_width(counts: NDArray[Any], trials: int) -> float:
    """Return the greatest interval width of `counts`; in many trials, that of the count nearest to half the trials."""
    if trials <= _FEW_TRIALS:
        low, high, _ = intervals(np.unique(counts), trials)
        return float((high - low).max())
    nearest = np.asarray(counts)[np.argmin(np.abs(np.asarray(counts) - trials / 2))]
    return width(int(nearest), trials)


@lru_cache(maxsize=4096)
def width(count: int, trials: int) -> float:
    """Return the width of the 95% interval for `count` events in `trials`."""
    low, high, _ = intervals(np.array([count]), trials)
    return float(high[0] - low[0])


@lru_cache
def trials_for(width: float) -> int:
    """Return the number of trials after which every possible 95% interval is at most this wide.

    >>> trials_for(0.01), trials_for(0.2)
    (38411, 101)
    """
    trials = max(math.ceil(NORMAL_95**2 * (1 / width**2 - 1)), 1)  # Wilson's interval is widest at a half
    while trials <= _FEW_TRIALS:
        half = trials // 2  # in few trials, the widest interval is near half of them, or just below MIN_FOR_WILSON
        counts = np.arange(max(min(half, MIN_FOR_WILSON) - _COUNTS_SEARCHED, 0), half + 1)
        if greatest_width(counts, trials) <= width:
            break
        trials += 1
    return trials


def wilson(counts: NDArray[Any], trials: int, half: float = NORMAL_95) -> Ends:
    """Return the Wilson score interval for each of `counts` events in `trials`.

    The half-width `half` is in standard errors. Source: Newcombe, Two-sided confidence intervals for the single
    proportion, Statistics in Medicine 17 (1998), method 3.

    >>> low, high = wilson(np.array([5]), 10)
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (0.237, 0.763)
    """
    share, squared = np.asarray(counts, np.float64) / trials, half**2
    centre = (2 * trials * share + squared) / (2 * (trials + squared))
    half_width = half / (2 * (trials + squared)) * np.sqrt(4 * trials * share * (1 - share) + squared)
    return np.where(share == 0, 0.0, centre - half_width), np.where(share == 1, 1.0, centre + half_width)


def clopper_pearson(counts: NDArray[Any], trials: int, error: float = 1 - CONFIDENCE) -> Ends:
    """Return the exact interval for each of `counts` events in `trials`; its coverage is at least 1 - `error`.

    Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934).

    >>> low, high = clopper_pearson(np.array([0, 1]), 1000)
    >>> low.round(6).tolist(), high.round(6).tolist()
    ([0.0, 2.5e-05], [0.003682, 0.005559])
    """
    from scipy.special import betaincinv

    with_event = np.asarray(counts, np.float64)
    without = trials - with_event
    low = betaincinv(np.maximum(with_event, 1), without + 1, error / 2)
    high = betaincinv(with_event + 1, np.maximum(without, 1), 1 - error / 2)
    return np.where(with_event == 0, 0.0, low), np.where(without == 0, 1.0, high)


def blaker(counts: NDArray[Any], trials: int) -> Ends:
    """Return Blaker's 95% interval for each of `counts` events in `trials`; its coverage is at least 95%.

    A probability p is in the interval if two tails of its distribution sum to more than 5%. The first is P(count or
    fewer) or P(count or more), whichever is smaller. The second is the longest tail on the other side that is at most
    as likely as the first. The interval includes gaps between such p. Source: Blaker, Confidence curves and improved
    exact confidence intervals for discrete distributions, Canadian Journal of Statistics 28 (2000).

    >>> low, high = blaker(np.array([0, 1]), 1000)
    >>> low.round(6).tolist(), high.round(6).tolist()
    ([0.0, 5.1e-05], [0.003551, 0.005527])
    """
    counts = np.asarray(counts, np.int64)
    distinct, index = np.unique(np.minimum(counts, trials - counts), return_inverse=True)
    low, high = (ends[index.reshape(counts.shape)] for ends in _blaker_ends(distinct.astype(np.float64), trials))
    mirrored = counts > trials - counts
    return np.where(mirrored, 1 - high, low), np.where(mirrored, 1 - low, high)


def _blaker_ends(counts: Floats, trials: int) -> Ends:
    """Return Blaker's intervals for counts up to half of the trials.

    As p moves away from the observed share, the first tail (see :func:`blaker`) becomes less likely. Whenever it
    becomes less likely than the second, the second loses its innermost value, so their sum jumps down. The last jump
    before Clopper and Pearson's end is Blaker's end if it brings the sum to 5% or less. Otherwise Blaker's end is the
    p beyond this jump where the sum reaches 5%.
    """
    error, share = 1 - CONFIDENCE, counts / trials
    outer_low, outer_high = clopper_pearson(counts, trials, error)

    end = np.minimum(np.ceil(trials * outer_high + _FARTHEST * np.sqrt(trials * outer_high + 1)), trials + 1)
    above = _last(lambda value: _at_least(value, trials, outer_high) > error / 2, counts + 1, end)
    step = _root(lambda p: _at_most(counts, trials, p) - _at_least(above, trials, p), share, outer_high)

    def excess_above(p: Floats) -> Floats:
        return _at_most(counts, trials, p) + _at_least(above + 1, trials, p) - error

    high = np.where(excess_above(step) >= 0, _root(excess_above, step, outer_high), step)

    start = np.full_like(counts, -1.0)
    below = 1 + _last(lambda value: _at_most(value, trials, outer_low) <= error / 2, start, counts)
    step = _root(lambda p: _at_least(counts, trials, p) - _at_most(below, trials, p), share, outer_low)

    def excess_below(p: Floats) -> Floats:
        return _at_least(counts, trials, p) + _at_most(below - 1, trials, p) - error

    low = np.where(excess_below(step) >= 0, _root(excess_below, step, outer_low), step)
    return np.where(counts == 0, 0.0, low), high


def _at_least(value: Floats, trials: int, p: Floats) -> Floats:
    """Return the probability of `value` successes or more."""
    from scipy.special import betainc

    inside = np.clip(value, 1, trials)
    return np.where(value <= 0, 1.0, np.where(value > trials, 0.0, betainc(inside, trials - inside + 1, p)))


def _at_most(value: Floats, trials: int, p: Floats) -> Floats:
    """Return the probability of `value` successes or fewer."""
    from scipy.special import betaincc

    inside = np.clip(value, 0, trials - 1)
    return np.where(value < 0, 0.0, np.where(value >= trials, 1.0, betaincc(inside + 1, trials - inside, p)))


def _last(holds: Callable[[Floats], NDArray[np.bool_]], first: Floats, end: Floats) -> Floats:
    """Return the last integer for which `holds` is True, by bisection between `first` (True) and `end` (False)."""
    while (end - first > 1).any():
        middle = np.floor((first + end) / 2)
        is_true = holds(middle)
        first, end = np.where(is_true, middle, first), np.where(is_true, end, middle)
    return first


def _root(function: Callable[[Floats], Floats], start: Floats, end: Floats) -> Floats:
    """Return the roots of a function between `start` and `end`, by false position (the Illinois rule)."""
    at_start, at_end = function(start), function(end)
    for _ in range(_MOST_STEPS):
        slope = np.where(at_start == at_end, 1.0, at_start - at_end)
        between = np.clip((at_start * end - at_end * start) / slope, np.minimum(start, end), np.maximum(start, end))
        result = function(between)
        crossed = (result > 0) != (at_end > 0)  # the root lies between `between` and `end`
        start, at_start = np.where(crossed, end, start), np.where(crossed, at_end, at_start / 2)
        moved, end, at_end = np.abs(between - end), between, result
        if (np.minimum(moved, np.abs(end - start)) <= _CLOSE_ENOUGH * np.abs(end)).all():
            break
    return end


_STEPS = 60  # steps of a bisection


def mixture_bounds(counts: ArrayLike, trials: ArrayLike, error: float = 1 - CONFIDENCE) -> Ends:
    """Return the ends of the confidence sequence of a probability, for `counts` of an event in `trials`.

    The bets are mixed uniformly over all probabilities (Robbins, Statistical methods related to the law of the iterated
    logarithm, Annals of Mathematical Statistics 41, 1970). The interval contains every p with ``count ln p + rest ln(1
    - p) >= ln B(count + 1, rest + 1) + ln error``: `rest` counts the trials without the event, B is the beta function.

    Parameters
    ----------
    counts, trials : int or arrays
        0 or more; `counts` at most `trials`.
    error : float
        Probability, in (0, 1), that the sequence ever excludes the true value. To compare K variants, use ``0.05 / K``.

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

    counts, rest = np.asarray(counts, np.float64), np.asarray(trials, np.float64) - np.asarray(counts, np.float64)
    least = betaln(counts + 1, rest + 1) + math.log(error)
    share = np.where(counts + rest > 0, counts / np.maximum(counts + rest, 1), 0.5)

    def is_out(p: Floats) -> NDArray[np.bool_]:
        return np.asarray(xlogy(counts, p) + xlog1py(rest, -p) < least)

    low = _first_inside(is_out, np.zeros_like(share), share)
    return low, _first_inside(is_out, np.ones_like(share), share)


def mean_bounds(
    mean: float, standard_error: float, degrees: int, trials: int, tuned_for: int, error: float = 1 - CONFIDENCE
) -> tuple[float, float]:
    """Return the ends of the confidence sequence of a mean of many trials, from its standard error.

    The bets are mixed over a normal distribution of the distance of the true mean from the value tested (Robbins 1970);
    `_SPREAD` is its variance, in squared standard errors at `tuned_for` trials. The `degrees` of freedom allow for the
    error of the standard deviation (Lai, On confidence sequences, Annals of Statistics 4, 1976). Means of many trials
    count as normal (Waudby-Smith et al., Time-uniform central limit theory and asymptotic confidence sequences, Annals
    of Statistics 52, 2024).

    Parameters
    ----------
    mean, standard_error : float
        Estimates after `trials` trials.
    degrees : int
        Degrees of freedom of the standard error: B - 1 for B batches of equal size.
    trials, tuned_for : int
        1 or more. Relative to an ordinary interval, the sequence is narrowest at `tuned_for` trials, which must be
        fixed beforehand; at ten times as many trials it is hardly wider.

    Examples
    --------
    >>> low, high = mean_bounds(0.5, 0.01, 10**6, trials=1000, tuned_for=1000)
    >>> round((high - low) / 0.02, 2)  # 1.96 for an ordinary interval
    3.04
    """
    spread = _SPREAD * trials / tuned_for
    bound = ((1 + spread) / error**2) ** (1 / (degrees + 1))
    squared = degrees * (bound - 1) / (1 - bound / (1 + spread)) if bound < 1 + spread else math.inf
    half = math.sqrt(squared) * standard_error if standard_error else 0.0
    return mean - half, mean + half


_SPREAD = 8.0  # see :func:`mean_bounds`; optimal at 95%


def _first_inside(is_out: Any, outer: Floats, inner: Floats) -> Floats:
    """Return an end of an interval, by bisection between `inner`, a point inside, and `outer`, which may be inside."""
    inside, outside = inner, outer
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        is_outside = is_out(middle)
        inside, outside = np.where(is_outside, inside, middle), np.where(is_outside, middle, outside)
    return np.where(is_out(outer), outside, outer)
