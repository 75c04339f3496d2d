"""Figures of one's own: a function of an outcome table, worked out of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from analyser.common.errors import InputError
from analyser.common.estimates import Estimate, estimate, mean_and_variance
from analyser.common.intervals import NORMAL_95
from analyser.common.means import Mean
from analyser.results.base import Result


def value_of(result: Result, function: Callable[[pd.DataFrame], Any]) -> Estimate | Mean | float:
    """Return what a function of the outcome table of an answer gives.

    Parameters
    ----------
    result : Result
    function : callable
        Takes :meth:`analyser.Result.to_frame`, one row an outcome with its `probability`. It returns a value for each
        row, of which the mean is taken, and of truth values the probability; or one number, which is the figure.

    Returns
    -------
    Estimate, Mean, or float
        Of a sample the first two have a 95% interval; one number has none.

    Raises
    ------
    InputError
        The function fails, or gives something else.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> print(value_of(analyser.exact(fight), lambda outcomes: outcomes.models_destroyed >= 3))
    45.53%
    """
    table = result.to_frame()
    try:
        found = np.asarray(function(table))
    except Exception as error:
        problem = f"the function fails on the outcome table: {type(error).__name__}: {error}"
        raise InputError(problem, where="metric", allowed=f"its columns: {', '.join(table.columns)}") from error
    if found.shape not in ((), (len(table),)) or found.dtype.kind not in "bifu":
        allowed = "one number, or a value for each outcome"
        raise InputError(
            f"the function gives an array of shape {found.shape}, {found.dtype}", where="metric", allowed=allowed
        )
    if found.ndim == 0:
        return float(found)
    weights = table["probability" if result.trials is None else "count"].to_numpy(float)
    if found.dtype.kind == "b":
        return estimate(float(weights[found].sum()), result.trials)
    mean, variance = mean_and_variance(found.astype(float), weights, result.trials)
    if result.trials is None:
        return Mean(mean)
    half = NORMAL_95 * float(np.sqrt(variance / result.trials))
    return Mean(mean, half / NORMAL_95, mean - half, mean + half, "normal")
