"""Metrics that users define: functions of the outcome table of a result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analyser.common.errors import InputError, did_you_mean, shown, within
from analyser.common.estimates import Estimate, estimate, mean_and_variance
from analyser.common.means import Mean, mean_of_moments

if TYPE_CHECKING:
    import pandas as pd


def check_name(name: object, what: str, names: Sequence[str]) -> None:
    """Raise InputError if `name` is not one of `names`; the message suggests the nearest."""
    if name not in names:
        raise InputError(f"unknown {what} {shown(name)}{did_you_mean(str(name), names)}", allowed=", ".join(names))


def value_of(result: Any, function: Callable[[pd.DataFrame], Any], name: str = "") -> Estimate | Mean | float:
    """Return the value of a function of the outcome table of a result; see :meth:`~analyser.Result.metric`.

    `name` is shown in messages. The value is an Estimate for flags, a Mean for numbers, or a float if the function
    returns a single number. InputError if the function fails or returns anything else than these.
    """
    table, where = result.to_frame(), within("metric", name)
    try:
        returned = np.asarray(function(table))
    except Exception as error:
        problem = f"the function failed on the outcome table: {type(error).__name__}: {error}"
        raise InputError(problem, where=where, allowed=f"the columns {', '.join(table.columns)}") from error
    if returned.shape not in ((), (len(table),)) or returned.dtype.kind not in "bifu":
        problem = f"the function returned an array of shape {returned.shape} and type {returned.dtype}"
        raise InputError(problem, where=where, allowed="one number, or a value for each outcome")
    if returned.ndim == 0:
        return float(returned)
    weights = table["probability" if result.trials is None else "count"].to_numpy(float)
    if returned.dtype.kind == "b":
        return estimate(float(weights[returned].sum()), result.trials)
    mean, variance = mean_and_variance(returned.astype(float), weights, result.trials)
    if result.trials is None:
        return Mean(mean)
    return mean_of_moments(mean, variance, result.trials, -math.inf, math.inf)
