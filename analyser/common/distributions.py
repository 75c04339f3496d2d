"""Distributions of numbers: mean and quantiles, random samples, sums and comparisons."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, check_integer, is_number, shown
from analyser.common.estimates import SAME_WITHIN, Estimate, estimate
from analyser.common.intervals import CONFIDENCE, intervals

if TYPE_CHECKING:
    import pandas as pd

MOST_PAIRS = 10**8  # largest number of pairs of values of two distributions


@dataclass(frozen=True, eq=False)
class Distribution:
    """Distribution of a number, exact or simulated; operations treat two distributions as independent.

    Attributes
    ----------
    name : str
        Name of the number.
    values : array, shape (n,)
        The possible values, sorted and distinct.
    probabilities : float64 array, shape (n,), of the values
    trials : int or None
        Number of simulated trials; the smaller number if two simulations were combined; None if exact.
    is_combined : bool
        True for a sum or difference of distributions; its intervals are then Hoeffding's for two samples.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 2}, "target": {"models": 4, "defence": 1, "damage_limit": 1}}
    >>> destroyed = analyser.exact(fight)["models_destroyed"]
    >>> print((destroyed + destroyed > 2).probability, (destroyed > destroyed).probability)
    67.17% 38.72%
    """

    name: str
    values: NDArray[Any]
    probabilities: NDArray[np.float64]
    trials: int | None = None
    is_combined: bool = False

    @property
    def mean(self) -> float:
        """Mean of the number."""
        return float(self.values @ self.probabilities)

    @property
    def std(self) -> float:
        """Standard deviation of the number."""
        return math.sqrt(max(float((self.values - self.mean) ** 2 @ self.probabilities), 0.0))

    def pmf(self) -> pd.DataFrame:
        """Return the probability mass function: `value`, `probability`; if simulated, 95% intervals `low`, `high`."""
        import pandas as pd

        table = {"value": self.values, "probability": self.probabilities}
        if self.trials is not None and self.is_combined:
            half = _hoeffding_half_width(self.trials)
            table["low"], table["high"] = (np.clip(self.probabilities + offset, 0, 1) for offset in (-half, half))
        elif self.trials is not None:
            table["low"], table["high"], _ = intervals(np.round(self.probabilities * self.trials), self.trials)
        return pd.DataFrame(table)

    def cdf(self, value: float) -> Estimate:
        """Return the probability of at most `value`."""
        return (self <= value).probability

    def quantile(self, q: float) -> float:
        """Return the smallest value v with P(number <= v) >= `q`, for `q` in [0, 1]."""
        if not is_number(q) or not 0 <= q <= 1:
            raise InputError(f"{shown(q)} is not usable", where="q", allowed="a probability, 0 to 1")
        index = np.searchsorted(np.cumsum(self.probabilities), q - SAME_WITHIN)
        return float(self.values[min(int(index), len(self.values) - 1)])

    def sample(self, n: int, *, seed: int = 0) -> NDArray[Any]:
        """Return `n` independent random values, reproducible by the seed: shape (n,)."""
        check_integer(n, "n", 0)
        check_integer(seed, "seed", 0)
        probabilities = self.probabilities / self.probabilities.sum()
        return np.asarray(np.random.default_rng(seed).choice(self.values, n, p=probabilities))

    def __add__(self, other: Distribution | float) -> Distribution:
        return _combination(self, other, np.add, "+")

    __radd__ = __add__

    def __sub__(self, other: Distribution | float) -> Distribution:
        return _combination(self, other, np.subtract, "-")

    def __mul__(self, factor: float) -> Distribution:
        if isinstance(factor, Distribution):
            raise InputError("distributions cannot be multiplied", where="*", allowed="a number as factor, or + and -")
        return _combination(self, factor, np.multiply, "*")

    __rmul__ = __mul__

    def __gt__(self, other: Distribution | float) -> Event:
        return _comparison(self, other, operator.gt)

    def __ge__(self, other: Distribution | float) -> Event:
        return _comparison(self, other, operator.ge)

    def __lt__(self, other: Distribution | float) -> Event:
        return _comparison(self, other, operator.lt)

    def __le__(self, other: Distribution | float) -> Event:
        return _comparison(self, other, operator.le)


@dataclass(frozen=True)
class Event:
    """Event that depends on one distribution, or on two independent distributions.

    Attributes
    ----------
    probability : Estimate
        With a 95% interval if one of the distributions was simulated.
    """

    probability: Estimate

    def __bool__(self) -> bool:
        raise InputError("a comparison of distributions is neither true nor false", allowed="its probability")


def _as_distribution(other: Distribution | float) -> Distribution:
    if isinstance(other, Distribution):
        return other
    if not is_number(other):
        raise InputError(f"{shown(other)} is not usable", allowed="a distribution or a number")
    return Distribution(f"{other:g}", np.array([other]), np.ones(1))


def _pairs(first: Distribution, second: Distribution) -> tuple[NDArray[np.float64], int | None]:
    """Return the probability of each pair of values, and the smaller number of trials (None if both are exact)."""
    if len(first.values) * len(second.values) > MOST_PAIRS:
        raise InputError(f"{len(first.values)} by {len(second.values)} values", allowed=f"{MOST_PAIRS:,} pairs")
    trials = [distribution.trials for distribution in (first, second) if distribution.trials is not None]
    return np.multiply.outer(first.probabilities, second.probabilities), min(trials, default=None)


def _combination(first: Distribution, other: Distribution | float, ufunc: Any, sign: str) -> Distribution:
    second = _as_distribution(other)
    probabilities, trials = _pairs(first, second)
    results = ufunc.outer(first.values, second.values).ravel()
    keys = results if results.dtype.kind in "iu" else results.round(9)
    values, indices = np.unique(keys, return_inverse=True)
    is_combined = first.is_combined or second.is_combined or isinstance(other, Distribution)
    name = first.name if second.name == first.name and sign == "+" else f"{first.name} {sign} {second.name}"
    sums = np.bincount(indices.ravel(), probabilities.ravel(), len(values)).astype(np.float64)
    return Distribution(name, values, sums, trials, is_combined)


def _comparison(first: Distribution, other: Distribution | float, holds: Callable[[Any, Any], Any]) -> Event:
    second = _as_distribution(other)
    probabilities, trials = _pairs(first, second)
    probability = min(float(probabilities[holds(first.values[:, None], second.values[None, :])].sum()), 1.0)
    if trials is None:
        return Event(Estimate(probability))
    if not isinstance(other, Distribution) and not first.is_combined:
        return Event(estimate(round(probability * trials), trials))
    half = _hoeffding_half_width(trials)
    return Event(Estimate(probability, max(probability - half, 0.0), min(probability + half, 1.0)))


def _hoeffding_half_width(trials: int) -> float:
    """Return the half-width of a probability's 95% interval from two samples (Hoeffding, JASA 58, 1963, section 5b)."""
    return math.sqrt(math.log(2 / (1 - CONFIDENCE)) / (2 * trials))
