"""Means of simulations in batches: standard errors, and intervals of differences."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.intervals import CONFIDENCE, NORMAL_95
from analyser.common.means import Mean, mean_of_moments


class Shared(NamedTuple):
    """A mean over all trials, and its interval by Student's t over the batches."""

    mean: float
    low: float
    high: float


def mean_by_batch(sums: NDArray[Any], trials: NDArray[np.int64]) -> tuple[float, float | None]:
    """Return the mean over all trials and its standard error, from the sum and trials of each batch (batches,).

    The error is None for a single batch.

    >>> mean_by_batch(np.array([1.0, 3.0]), np.array([2, 2]))
    (1.0, 0.5)
    >>> mean_by_batch(np.array([110.00000000000001, 110.0]), np.array([1, 1]))
    (110.0, 0.0)
    """
    played = trials > 0
    batches, total = int(played.sum()), int(trials.sum())
    mean = float(sums.sum()) / total
    if batches < 2:
        return mean, None
    spread = float(((sums - mean * trials)[played] ** 2).sum())
    error = math.sqrt(spread * batches / (batches - 1)) / total
    return mean, error if error > CERTAIN_WITHIN * abs(mean) else 0.0  # equal batches differ by rounding only


def amount_by_batch(sums: NDArray[Any], trials: NDArray[np.int64], least: float, most: float) -> Mean:
    """Return the mean, with 95% interval, of amounts that are 0 or from `least` to `most`, from sums of batches.

    The variance comes from the batches, with Student's t for few batches. It is limited to the variances that amounts
    with this mean can have; for one batch the limits are the only information. The interval is that of these moments
    (:func:`~analyser.common.means.mean_of_moments`), so its upper end also holds for rare or unseen amounts.

    >>> mean = amount_by_batch(np.zeros(32), np.full(32, 256), 10.0, 100.0)
    >>> mean.value, round(mean.high, 3), mean.by
    (0.0, 0.045, 'gaffke')
    """
    from scipy.special import stdtrit  # loads 0.5 s faster than `scipy.stats`

    mean, error = mean_by_batch(sums, trials)
    total, widest = int(trials.sum()), max(mean * (most - mean), 0.0)
    variance = widest
    if error is not None:
        times = float(stdtrit(int((trials > 0).sum()) - 1, (1 + CONFIDENCE) / 2)) / NORMAL_95
        variance = min(max((times * error) ** 2 * total, mean * (least - mean)), widest)
    result = mean_of_moments(mean, variance, total, 0.0, max(most, mean))
    return result if error is None else result._replace(error=error)


def means_by_batch(sums: NDArray[Any], trials: NDArray[np.int64], wrong: float = 1 - CONFIDENCE) -> Shared:
    """Return a difference of probabilities by batches, with its interval, which is -1 to 1 for a single batch.

    `wrong`: error probability of the interval; divide it by K for K simultaneous intervals.
    """
    from scipy.special import stdtrit

    mean, error = mean_by_batch(sums, trials)
    half = math.inf if error is None else float(stdtrit(int((trials > 0).sum()) - 1, 1 - wrong / 2)) * error
    return Shared(mean, max(mean - half, -1.0), min(mean + half, 1.0))
