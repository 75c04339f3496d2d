"""95% intervals of simulated means, for numbers whose possible values are known, even if the simulation misses some.

With two possible values, the interval is that of the probability of one of them. Otherwise it is the normal interval,
±1.96 standard errors, or Gaffke's if the variance is too uncertain (:data:`ENOUGH_VARIANCE`). Gaffke's method gives the
trials random (Dirichlet) weights. For the high end it adds a trial with the largest possible value, for the low end
one with the smallest. With two values Gaffke's interval is Clopper and Pearson's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import CERTAIN_WITHIN, mean_and_variance, plus_minus
from analyser.common.intervals import CONFIDENCE, MIN_FOR_WILSON, NORMAL_95, intervals

ENOUGH_VARIANCE = MIN_FOR_WILSON  # variance * trials / range**2 from which the normal interval covers 94.5%
_BISECTION_STEPS = 50
_NEARLY_SYMMETRIC = 1.25  # up to this ratio of its two sides an interval is printed as ± the longer side


class Mean(NamedTuple):
    """A mean; a simulated mean also has its standard error, and the ends and kind of its 95% interval."""

    value: float
    error: float | None = None
    low: float | None = None
    high: float | None = None
    kind: str | None = None  # normal or gaffke; with two possible values wilson or blaker; with a single value "none"

    def times(self, factor: float) -> Mean:
        """Return the mean times `factor`, which is 0 or more."""
        error, low, high = (None if bound is None else factor * bound for bound in self[1:4])
        return Mean(factor * self.value, error, low, high, self.kind)

    def minus(self, constant: float) -> Mean:
        """Return the mean minus `constant`."""
        low, high = (None if end is None else end - constant for end in (self.low, self.high))
        return self._replace(value=self.value - constant, low=low, high=high)

    def clip(self, least: float, most: float) -> Mean:
        """Return the mean with its interval clipped to the smallest and the largest possible value.

        >>> Mean(99.5, 0.4, 98.9, 100.2, "normal").clip(0, 100).high
        100
        """
        low, high = (None if end is None else min(max(end, least), most) for end in (self.low, self.high))
        return self._replace(low=low, high=high)


def mean_between(values: NDArray[Any], weights: NDArray[Any], trials: int | None, possible: NDArray[Any]) -> Mean:
    """Return the mean of a number over a distribution, or over a simulation with its interval.

    `values`, `weights` and `trials` are those of :func:`analyser.common.estimates.mean_of`. `possible` has all possible
    values of the number, or at least the smallest, the largest and a value between them.

    >>> nothing = mean_between(np.array([0]), np.array([150]), 150, np.arange(4))  # of up to three models
    >>> nothing.value, round(nothing.high, 3), nothing.kind
    (0.0, 0.073, 'gaffke')
    """
    mean, variance = mean_and_variance(values, weights, trials)
    if trials is None:
        return Mean(mean)
    error, possible = math.sqrt(variance / trials), np.unique(np.append(possible, values[weights > 0]))
    least, most = float(possible[0]), float(possible[-1])
    if least == most:
        return Mean(mean, error, mean, mean, "none")
    if len(possible) == 2:
        ends = intervals(np.array([weights[values == most].sum()]), trials)
        low, high = (least + (most - least) * float(end[0]) for end in ends[:2])
        return Mean(mean, error, low, high, str(ends.kind[0]))
    if variance * trials >= ENOUGH_VARIANCE * (most - least) ** 2:
        return _normal(mean, error, least, most)
    counts = np.append(weights, max(trials - float(weights.sum()), 0.0))
    return _gaffke(mean, error, (np.append(values, 0.0) - least) / (most - least), counts, least, most)


def mean_of_moments(mean: float, variance: float, trials: float, least: float, most: float) -> Mean:
    """Return a simulated mean and its interval, given only mean and variance of a number between `least` and `most`.

    If the normal interval is not valid, the interval is Gaffke's for a number that has only two values. One of them is
    `least` or `most`, whichever is nearer to the mean.

    >>> round(mean_of_moments(0.0, 0.0, 150, 0, 3).high, 3)
    0.073
    """
    error = math.sqrt(variance / trials)
    if least == most or trials < 1:
        return Mean(mean, error, least, most, "none")
    if math.isinf(most - least) or variance * trials >= ENOUGH_VARIANCE * (most - least) ** 2:
        return _normal(mean, error, least, most)
    near, sign = (least, 1) if mean - least <= most - mean else (most, -1)
    distance = abs(mean - near)
    square = variance + distance**2  # also 0 if `distance` squared underflows
    far = near + sign * min(square / distance, most - least) if square and distance else near
    count = trials * distance**2 / square if square else 0.0
    shares = (np.array([near, far]) - least) / (most - least)
    return _gaffke(mean, error, shares, np.array([trials - count, count]), least, most)


def _normal(mean: float, error: float, least: float, most: float) -> Mean:
    return Mean(mean, error, max(mean - NORMAL_95 * error, least), min(mean + NORMAL_95 * error, most), "normal")


def _gaffke(
    mean: float, error: float, shares: NDArray[np.float64], counts: NDArray[Any], least: float, most: float
) -> Mean:
    low = most - (most - least) * _upper_bound(1 - shares, counts)
    high = least + (most - least) * _upper_bound(shares, counts)
    return Mean(mean, error, min(low, mean), max(high, mean), "gaffke")


def sum_of(means: Sequence[Mean]) -> Mean:
    """Return the mean of a sum. Errors and ends are added, which is valid for any dependence of the numbers.

    >>> sum_of([Mean(1.0, 0.5, 0.0, 2.0, "normal")] * 2)
    Mean(value=2.0, error=1.0, low=0.0, high=4.0, kind='normal')
    """
    value = math.fsum(mean.value for mean in means)
    if not means or any(mean.error is None for mean in means):
        return Mean(value)
    error, low, high = (math.fsum(parts) for parts in zip(*(mean[1:4] for mean in means)))
    kind = next((mean.kind for mean in means if mean.kind in ("blaker", "gaffke")), means[0].kind)
    return Mean(value, error, low, high, kind)


def sums_of(parts: Sequence[float]) -> NDArray[np.float64]:
    """Return the sorted distinct sums of all subsets of `parts`.

    >>> sums_of([3, 5]).tolist()
    [0.0, 3.0, 5.0, 8.0]
    """
    sums = np.zeros(1)
    for part in parts:
        sums = np.concatenate([sums, sums + part])
    return np.unique(sums)


def _upper_bound(shares: NDArray[np.float64], counts: NDArray[Any]) -> float:
    """Return Gaffke's 97.5% upper bound of a mean; `shares` are values from 0 to 1, `counts` their numbers of trials.

    A Dirichlet-weighted mean exceeds a bound with the probability that a sum of gamma variables is positive. At 2.5%
    the saddlepoint approximation (Lugannani and Rice, 1980) of this probability has a relative error below 1%.
    """
    atoms, index = np.unique(np.append(shares, np.float64(1)), return_inverse=True)  # atoms: distinct shares
    weights = np.asarray(np.bincount(index.reshape(-1), np.append(counts, 1.0)), np.float64)
    atoms, weights = atoms[weights > 0], weights[weights > 0]
    if len(atoms) == 1:
        return 1.0
    low_tilt, high_tilt = 0.0, 1.0
    for _ in range(_BISECTION_STEPS):
        tilt = (low_tilt + high_tilt) / 2
        end, tail = _tail(atoms, weights, tilt)
        low_tilt, high_tilt = (tilt, high_tilt) if tail > (1 - CONFIDENCE) / 2 else (low_tilt, tilt)
    return end


def _tail(atoms: NDArray[np.float64], weights: NDArray[np.float64], tilt: float) -> tuple[float, float]:
    """Return a bound (the mean of the atoms, tilted by `tilt` in (0, 1)) and the probability of a mean above it."""
    tilted = weights / (1 - tilt * atoms)
    end = float(tilted @ atoms / tilted.sum())
    slope = tilt / (1 - tilt * end)
    parts = 1 - slope * (atoms - end)
    deviance = math.sqrt(max(2 * float(weights @ np.log(parts)), 0.0))
    spread = slope * math.sqrt(float(weights @ ((atoms - end) / parts) ** 2))
    if not deviance or not spread:
        return end, 0.5
    density = math.exp(-(deviance**2) / 2) / math.sqrt(2 * math.pi)
    return end, math.erfc(deviance / math.sqrt(2)) / 2 + density * (1 / spread - 1 / deviance)


def mean_figures(name: str, mean: Mean) -> dict[str, Any]:
    """Return the JSON entries of a mean, with its standard error and interval if simulated (see :func:`mean_in`)."""
    if mean.error is None:
        return {name: mean.value}
    parts = zip(("standard_error", "low", "high", "interval"), mean[1:])
    return {name: mean.value} | {f"{name}_{part}": value for part, value in parts}


def victory_points_figures(
    name: str, rating: int | None, gone: NDArray[np.bool_], weights: NDArray[Any], trials: int | None
) -> dict[str, Any]:
    """Return JSON entries of expected victory points: `rating` in outcomes where `gone` is True, else 0 (AC-5.9)."""
    if rating is None:
        return {name: None}
    return mean_figures(name, mean_between(gone, weights, trials, np.arange(2)).times(rating))


def values_of_unit(figure: str, models: int | None, damage_limit: int | None) -> NDArray[np.int64]:
    """Return the possible values of a unit's models left or destroyed, or of the damage on one model."""
    return np.arange(max(damage_limit or 1, 1) if figure.endswith("damage_left") else (models or 0) + 1)


def mean_in(figures: Any, name: str) -> Mean:
    """Return the mean `name` in JSON entries, with its standard error and interval."""
    parts = ("standard_error", "low", "high", "interval")
    return Mean(figures[name], *(figures.get(f"{name}_{part}") for part in parts))


def mean_text(mean: Mean, suffix: str = "", decimals: int = 3) -> str:
    """Return a mean as text: with half its interval, or with both ends if the interval is asymmetric.

    >>> mean_text(Mean(0.5)), mean_text(Mean(2.5, 0.01, 2.48, 2.52)), mean_text(Mean(0.01, 0.01, 0.001, 0.047))
    ('0.500', '2.50 ±0.02', '0.01 (0.00 to 0.05)')
    """
    if mean.low is None or mean.high is None or mean.high == mean.low:
        return f"{mean.value:.{decimals}f}{suffix}"
    below, above = mean.value - mean.low, mean.high - mean.value
    longer = max(below, above)
    text = plus_minus(mean.value, longer, suffix)
    if longer <= _NEARLY_SYMMETRIC * min(below, above):
        return text
    digits = len(text.split("±")[1].partition(".")[2])
    return f"{mean.value:z.{digits}f}{suffix} ({mean.low:z.{digits}f} to {mean.high:z.{digits}f})"


def mean_by_batch(sums: NDArray[Any], trials: NDArray[np.int64]) -> tuple[float, float | None]:
    """Return the mean over all trials and its standard error, from the sum and the number of trials of each batch.

    With a single batch the error is None.

    >>> mean_by_batch(np.array([1.0, 3.0]), np.array([2, 2]))
    (1.0, 0.5)
    >>> mean_by_batch(np.array([110.00000000000001, 110.0]), np.array([1, 1]))
    (110.0, 0.0)
    """
    is_used = trials > 0
    batches, total = int(is_used.sum()), int(trials.sum())
    mean = float(sums.sum()) / total
    if batches < 2:
        return mean, None
    spread = float(((sums - mean * trials)[is_used] ** 2).sum())
    error = math.sqrt(spread * batches / (batches - 1)) / total
    return mean, error if error > CERTAIN_WITHIN * abs(mean) else 0.0  # equal batches differ by rounding only


def amount_by_batch(sums: NDArray[Any], trials: NDArray[np.int64], least: float, most: float) -> Mean:
    """Return the mean, with 95% interval, of amounts that are 0 or between `least` and `most`, given sums of batches.

    The variance is estimated from the batches with Student's t, and limited to variances possible with this mean. With
    one batch it is the largest possible variance. The interval is that of
    :func:`~analyser.common.means.mean_of_moments`, so its upper end is also valid for rare or unseen amounts.

    >>> mean = amount_by_batch(np.zeros(32), np.full(32, 256), 10.0, 100.0)
    >>> mean.value, round(mean.high, 3), mean.kind
    (0.0, 0.045, 'gaffke')
    """
    from scipy.special import stdtrit  # loads 0.5 s faster than `scipy.stats`

    mean, error = mean_by_batch(sums, trials)
    total, largest = int(trials.sum()), max(mean * (most - mean), 0.0)
    variance = largest
    if error is not None:
        factor = float(stdtrit(int((trials > 0).sum()) - 1, (1 + CONFIDENCE) / 2)) / NORMAL_95
        variance = min(max((factor * error) ** 2 * total, mean * (least - mean)), largest)
    result = mean_of_moments(mean, variance, total, 0.0, max(most, mean))
    return result if error is None else result._replace(error=error)
