"""Distributions of numbers that can be read, sampled, added and compared."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, check_integer, shown
from analyser.common.estimates import SAME_WITHIN, Estimate, estimate
from analyser.common.intervals import CONFIDENCE, intervals

if TYPE_CHECKING:
    import pandas as pd

MOST_PAIRS = 10**8  # pairs of values of two distributions


@dataclass(frozen=True, eq=False)
class Distribution:
    """Distribution of a number, exact or simulated. Two distributions count as independent of each other.

    Attributes
    ----------
    name : str
        Name of the number.
    values : array, shape (n,)
        Sorted and distinct.
    probabilities : float64 array, shape (n,)
    trials : int or None
        Number of simulated trials, None if exact; of two combined simulations the smaller number.
    is_combined : bool
        True if several distributions are combined; intervals are then Hoeffding's for two samples.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 2}, "target": {"models": 4, "defence": 1, "damage_limit": 1}}
    >>> one = analyser.exact(fight)["models_destroyed"]
    >>> print((one + one > 2).probability, (one > one).probability)
    67.17% 38.72%
    """

    name: str
    values: NDArray[Any]
    probabilities: NDArray[np.float64]
    trials: int | None = None
    is_combined: bool = False

    @property
    def mean(self) -> float:
        """The mean."""
        return float(self.values @ self.probabilities)

    @property
    def std(self) -> float:
        """The standard deviation."""
        return math.sqrt(max(float((self.values - self.mean) ** 2 @ self.probabilities), 0.0))

    def pmf(self) -> pd.DataFrame:
        """Return the probability mass function: `value`, `probability`; if simulated, 95% intervals `low`, `high`."""
        import pandas as pd

        table = {"value": self.values, "probability": self.probabilities}
        if self.trials is not None and self.is_combined:
            reach = _reach(self.trials)
            ends = (np.clip(self.probabilities + by, 0, 1) for by in (-reach, reach))
            table |= dict(zip(("low", "high"), ends))
        elif self.trials is not None:
            table |= dict(zip(("low", "high"), intervals(np.round(self.probabilities * self.trials), self.trials)))
        return pd.DataFrame(table)

    def cdf(self, value: float) -> Estimate:
        """Return the probability of at most `value`."""
        return (self <= value).probability

    def quantile(self, q: float) -> float:
        """Return the smallest value v with P(number <= v) >= `q`, for `q` in [0, 1]."""
        if isinstance(q, bool) or not isinstance(q, int | float) or not 0 <= q <= 1:
            raise InputError(f"{shown(q)} is not usable", where="q", allowed="a probability, 0 to 1")
        reached = np.searchsorted(np.cumsum(self.probabilities), q - SAME_WITHIN)
        return float(self.values[min(int(reached), len(self.values) - 1)])

    def sample(self, n: int, *, seed: int = 0) -> NDArray[Any]:
        """Return `n` independent values, reproducible by the seed: shape (n,)."""
        check_integer(n, "n", 0)
        check_integer(seed, "seed", 0)
        chosen = np.random.default_rng(seed).choice(
            len(self.values), n, p=self.probabilities / self.probabilities.sum()
        )
        return np.asarray(self.values[chosen])

    def __add__(self, other: Distribution | float) -> Distribution:
        return _combined(self, other, np.add, "+")

    __radd__ = __add__

    def __sub__(self, other: Distribution | float) -> Distribution:
        return _combined(self, other, np.subtract, "-")

    def __mul__(self, factor: float) -> Distribution:
        if isinstance(factor, Distribution):
            raise InputError("a product of two distributions", where="*", allowed="a number, or + and -")
        return _combined(self, factor, np.multiply, "*")

    __rmul__ = __mul__

    def __gt__(self, other: Distribution | float) -> Event:
        return _compared(self, other, operator.gt)

    def __ge__(self, other: Distribution | float) -> Event:
        return _compared(self, other, operator.ge)

    def __lt__(self, other: Distribution | float) -> Event:
        return _compared(self, other, operator.lt)

    def __le__(self, other: Distribution | float) -> Event:
        return _compared(self, other, operator.le)


@dataclass(frozen=True)
class Event:
    """Event defined on one distribution, or on two independent ones.

    Attributes
    ----------
    probability : Estimate
        With a 95% interval, if anything in it was simulated.
    """

    probability: Estimate

    def __bool__(self) -> bool:
        raise InputError("a comparison of distributions is neither true nor false", allowed="its .probability")


def _of(other: Distribution | float) -> Distribution:
    if isinstance(other, Distribution):
        return other
    if isinstance(other, bool) or not isinstance(other, int | float | np.number):
        raise InputError(f"{shown(other)} is not usable", allowed="a distribution or a number")
    return Distribution(f"{other:g}", np.array([other]), np.ones(1))


def _pairs(one: Distribution, other: Distribution) -> tuple[NDArray[np.float64], int | None]:
    """Return the probability of each pair of values, and the number of trials behind it; None if exact."""
    if len(one.values) * len(other.values) > MOST_PAIRS:
        raise InputError(f"{len(one.values)} by {len(other.values)} values", allowed=f"{MOST_PAIRS:,} pairs")
    trials = [estimate.trials for estimate in (one, other) if estimate.trials is not None]
    return np.multiply.outer(one.probabilities, other.probabilities), min(trials, default=None)


def _combined(one: Distribution, other: Distribution | float, how: Any, sign: str) -> Distribution:
    second = _of(other)
    shares, trials = _pairs(one, second)
    result = how.outer(one.values, second.values).ravel()
    keys = result if result.dtype.kind in "iu" else result.round(9)
    values, places = np.unique(keys, return_inverse=True)
    both = one.is_combined or second.is_combined or isinstance(other, Distribution)
    name = one.name if second.name == one.name and sign == "+" else f"{one.name} {sign} {second.name}"
    summed = np.bincount(places.ravel(), shares.ravel(), len(values)).astype(np.float64)
    return Distribution(name, values, summed, trials, both)


def _compared(one: Distribution, other: Distribution | float, how: Callable[[Any, Any], Any]) -> Event:
    second = _of(other)
    shares, trials = _pairs(one, second)
    share = min(float(shares[how(one.values[:, None], second.values[None, :])].sum()), 1.0)
    if trials is None:
        return Event(Estimate(share))
    if not isinstance(other, Distribution) and not one.is_combined:
        return Event(estimate(round(share * trials), trials))
    reach = _reach(trials)
    return Event(Estimate(share, max(share - reach, 0.0), min(share + reach, 1.0)))


def _reach(trials: int) -> float:
    """Return half the 95% interval of a probability from two samples (Hoeffding, JASA 58, 1963, section 5b)."""
    return math.sqrt(math.log(2 / (1 - CONFIDENCE)) / (2 * trials))
