"""Numbers with their precision: exact, or simulated with an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analyser.common.intervals import IntervalName, intervals

Method = Literal["exact", "monte-carlo"]

CERTAIN_WITHIN = 1e-12  # a probability nearer to 0 or 1 than this counts as 0 or 1
SAME_WITHIN = 1e-9  # exact figures that differ by less count as equal
LOW_PERCENTILE, HIGH_PERCENTILE = 0.10, 0.90


class Estimate(float):
    """A probability, exact or simulated: a float that prints with its 95% interval.

    Parameters
    ----------
    probability : float
    low, high : float or None
        Ends of the 95% interval; None for an exact probability.
    kind : str or None
        Kind of interval: ``wilson``; for a rare or nearly certain event ``blaker`` (:mod:`analyser.common.intervals`).

    Examples
    --------
    >>> p = Estimate(0.634, 0.625, 0.643)
    >>> p, p > 0.5, round(1 - p, 3), f"{p:.2f}"
    (63.4% ±0.9, True, 0.366, '0.63')
    """

    __slots__ = ("high", "kind", "low")
    low: float | None
    high: float | None
    kind: IntervalName | None

    def __new__(
        cls, probability: float, low: float | None = None, high: float | None = None, kind: IntervalName | None = None
    ) -> Estimate:
        """Create the float with the ends of its interval."""
        new = super().__new__(cls, probability)
        new.low, new.high, new.kind = low, high, kind
        return new

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self.low, self.high, self.kind

    @property
    def probability(self) -> float:
        """The probability as a plain float."""
        return float(self)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __str__(self) -> str:
        """Return a percentage ± half its interval; if this range leaves 0% to 100%, the ends of the interval instead.

        >>> print(Estimate(0.634), Estimate(0.634, 0.625, 0.643), Estimate(1e-7), Estimate(0, 0, 3.8e-7), sep=", ")
        63.40%, 63.4% ±0.9, <0.01%, <0.00004%
        >>> print(Estimate(0.0002, 0.00003, 0.0007), Estimate(0.995, 0.972, 0.9997), sep=", ")
        0.02% (0.00 to 0.07), 99.5% (97.2 to 100.0)
        """
        p = float(self)
        if self.low is None or self.high is None:
            return _exact_percent(p)
        if p in (0, 1):  # the event occurred in no trial, or in every trial
            distance = 100 * (1 - self.low if p else self.high)
            digits = decimals_of(distance)
            distance = math.ceil(distance * 10**digits) / 10**digits
            return f">{100 - distance:.{digits}f}%" if p else f"<{distance:.{digits}f}%"
        half = max(self.high - p, p - self.low)  # an interval near 0 or 1 is not symmetric
        digits = decimals_of(100 * half)
        centre, printed_half = round(100 * p, digits), round(100 * half, digits)
        if centre - printed_half >= -SAME_WITHIN and centre + printed_half <= 100 + SAME_WITHIN:
            return plus_minus(100 * p, 100 * half, "%")
        low, high = (100 * min(max(end, 0.0), 1.0) for end in (self.low, self.high))
        while f"{100 * p:.{digits}f}" in (f"{0:.{digits}f}", f"{100:.{digits}f}"):  # the event is uncertain
            digits += 1
        return f"{100 * p:.{digits}f}% ({low:.{digits}f} to {high:.{digits}f})"

    __repr__ = __str__  # a shell shows the printed text


def _exact_percent(p: float) -> str:
    """Return an exact probability in percent; a possible event is never 0%, and an uncertain event never 100%."""
    if abs(p) < CERTAIN_WITHIN or abs(p - 1) < CERTAIN_WITHIN:
        return f"{100 * p:.0f}%"
    if p < 5e-5:
        return "<0.01%"
    return ">99.99%" if p >= 1 - 5e-5 else f"{100 * p:.2f}%"


def plus_minus(value: float, half: float, suffix: str = "") -> str:
    """Return a value ± `half`, both with the decimals that give `half` one significant digit.

    >>> plus_minus(63.44, 0.87, "%"), plus_minus(2.5, 0.0096), plus_minus(41.2, 17, "%"), plus_minus(-0.3, 2, " pp")
    ('63.4% ±0.9', '2.50 ±0.01', '41% ±17', '0 pp ±2')
    """
    digits = decimals_of(half)
    return f"{value:z.{digits}f}{suffix} ±{half:.{digits}f}"


def decimals_of(half: float) -> int:
    """Return the number of decimals with which `half` has one significant digit; 0 if it is 1 or more."""
    return max(0, -math.floor(math.log10(float(f"{half:.0e}")))) if half > 0 else 0


def estimate(weight: float, trials: int | None) -> Estimate:
    """Return the estimate of a probability; `weight` is the probability itself, or a number of trials out of `trials`.

    >>> print(estimate(0.25, None), estimate(25, 100))
    25.00% 25% ±9
    """
    return estimates([weight], trials)[0]


def estimates(weights: Sequence[float], trials: int | None) -> list[Estimate]:
    """Return the estimate of each weight, as :func:`estimate` does."""
    if trials is None:
        return [Estimate(float(min(max(weight, 0.0), 1.0))) for weight in weights]
    shares = [float(weight) / trials for weight in weights]
    return list(map(Estimate, shares, *(interval.tolist() for interval in intervals(np.array(weights), trials))))


def mean_of(values: NDArray[Any], weights: NDArray[Any], trials: int | None) -> tuple[float, float | None]:
    """Return the mean of a number over a distribution or a simulation, and for a simulation its standard error.

    A constant number is returned without rounding and with error 0. If the weights sum to less than 1 (in a
    simulation: less than `trials`), the number is 0 for the rest.

    Parameters
    ----------
    values : array, shape (n,)
    weights : array, shape (n,)
        The probability of each value; in a simulation, the number of trials with this value.

    Examples
    --------
    >>> mean_of(np.array([0, 1]), np.array([0.75, 0.25]), None), mean_of(np.array([3, 3]), np.array([4, 6]), 10)
    ((0.25, None), (3.0, 0.0))
    """
    mean, variance = mean_and_variance(values, weights, trials)
    return mean, None if trials is None else math.sqrt(variance / trials)


def mean_and_variance(values: NDArray[Any], weights: NDArray[Any], trials: int | None) -> tuple[float, float]:
    """Return the mean and variance of a number over a distribution or a simulation, as in :func:`mean_of`.

    >>> mean_and_variance(np.array([0, 1]), np.array([0.5, 0.5]), None)
    (0.5, 0.25)
    >>> mean_and_variance(np.array([2.0]), np.array([5]), 10)  # nothing in five of ten trials
    (1.0, 1.0)
    """
    total, possible = trials or 1, values[weights > 0]
    rest = 1 - float(weights.sum()) / total
    rest = rest if rest > CERTAIN_WITHIN else 0.0
    if not rest and len(possible) and (possible == possible[0]).all():
        return float(possible[0]), 0.0
    mean = float((values * weights).sum() / total)
    return mean, float(((values - mean) ** 2 * weights).sum() / total) + rest * mean**2


def probability_figures(name: str, estimated: Estimate) -> dict[str, Any]:
    """Return the JSON entries of a probability, with its 95% interval if simulated (see :func:`estimate_in`)."""
    if estimated.low is None or estimated.high is None:
        return {name: estimated.probability}
    prefix = "" if name == "probability" else f"{name}_"
    ends = {f"{prefix}low": estimated.low, f"{prefix}high": estimated.high, f"{prefix}interval": estimated.kind}
    return {name: estimated.probability, **ends}


def estimate_in(figures: Mapping[str, Any], name: str) -> Estimate:
    """Return the probability `name` in JSON entries, with its interval."""
    prefix = "" if name == "probability" else f"{name}_"
    return Estimate(figures[name], *(figures.get(f"{prefix}{part}") for part in ("low", "high", "interval")))
