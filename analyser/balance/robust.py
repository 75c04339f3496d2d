"""Where most values lie and how widely, whatever a few of them do; and fields that might as well have been met."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NORMAL = 1.4826  # standard deviations in a median absolute deviation of a normal law
LOW, HIGH = 2.5, 97.5  # percentiles: a 95% interval
DRAWS, SEED = 400, 0


def robust_z(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each value is from the median, in robust standard deviations (1.4826 median absolute deviations).

    NaN counts for nothing and gets NaN; where half of the values or more are equal, all get NaN but those, which get 0.

    Examples
    --------
    >>> robust_z(np.array([1.0, 2.0, 3.0, 4.0, 50.0])).round(2).tolist()
    [-1.35, -0.67, 0.0, 0.67, 31.7]
    """
    if not np.isfinite(values).any():
        return np.full(values.shape, np.nan)
    away = values - np.nanmedian(values)
    spread = NORMAL * np.nanmedian(np.abs(away))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(away == 0, 0.0, away / spread)
    return np.where(np.isinf(found), np.nan, found)


def weights(units: int, *, draws: int = DRAWS, seed: int = SEED) -> NDArray[np.float64]:
    """Fields that might as well have been met: the same units, in other shares (the Bayesian bootstrap, Rubin 1981).

    Returns
    -------
    float64 array, shape (draws, units)
        Each row adds up to 1: a draw from the flat Dirichlet law. The same seed gives the same weights.

    Examples
    --------
    >>> weights(3, draws=2).sum(axis=1).round(12).tolist()
    [1.0, 1.0]
    """
    return np.random.default_rng(seed).dirichlet(np.ones(units), draws)
