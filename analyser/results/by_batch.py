"""Means of samples that were played in batches: their standard errors, and intervals of differences."""

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
    """A mean over all trials and its standard error, from the sum and the trials of each batch; shapes (batches,).

    The error is None where there is one batch alone.

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
    return mean, error if error > CERTAIN_WITHIN * abs(mean) else 0.0  # not the dust of sums that are the same


def amount_by_batch(sums: NDArray[Any], trials: NDArray[np.int64], least: float, most: float) -> Mean:
    """A mean of amounts that are 0 or from `least` to `most`, and its 95% interval, from the sums of batches.

    The batches say how much the amounts vary, by Student's t where they are few; at least and at most as much as
    amounts with this mean can, which is all that is known of one batch. The interval is that of these moments
    (:func:`~analyser.common.means.mean_of_moments`), so what was seen rarely or never has an upper end that holds.

    >>> mean = amount_by_batch(np.zeros(32), np.full(32, 256), 10.0, 100.0)
    >>> mean.value, round(mean.high, 3), mean.by
    (0.0, 0.045, 'gaffke')
    """
    from scipy.special import stdtrit  # which loads in half a second less than `scipy.stats`

    mean, error = mean_by_batch(sums, trials)
    total, widest = int(trials.sum()), max(mean * (most - mean), 0.0)
    variance = widest
    if error is not None:
        times = float(stdtrit(int((trials > 0).sum()) - 1, (1 + CONFIDENCE) / 2)) / NORMAL_95
        variance = min(max((times * error) ** 2 * total, mean * (least - mean)), widest)
    result = mean_of_moments(mean, variance, total, 0.0, max(most, mean))
    return result if error is None else result._replace(error=error)


def means_by_batch(sums: NDArray[Any], trials: NDArray[np.int64], wrong: float = 1 - CONFIDENCE) -> Shared:
    """Return a difference of probabilities by batches, with its interval, which is -1 to 1 if there is one batch.

    `wrong`: how often the interval may be wrong; for K intervals that hold together, a Kth of that.
    """
    from scipy.special import stdtrit

    mean, error = mean_by_batch(sums, trials)
    half = math.inf if error is None else float(stdtrit(int((trials > 0).sum()) - 1, 1 - wrong / 2)) * error
    return Shared(mean, max(mean - half, -1.0), min(mean + half, 1.0))
