"""Metrics that users define: distributions to compute with, and functions of the outcome table of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analyser.common.distributions import Distribution
from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.estimates import Estimate, estimate, mean_and_variance
from analyser.common.intervals import NORMAL_95
from analyser.common.means import Mean

if TYPE_CHECKING:
    import pandas as pd

# Events by their former names.
_RENAMED_EVENTS = {"won": "attacker_wins", "lost": "target_wins", "stalemate": "draw", "overran": "attacker_overruns"}


def check_name(name: object, what: str, names: Sequence[str]) -> None:
    """Raise InputError, which suggests the nearest of `names`, unless `name` is one of them."""
    if name not in names:
        new = _RENAMED_EVENTS.get(str(name))
        hint = f"; did you mean {new!r}?" if new in names else did_you_mean(str(name), names)
        raise InputError(f"unknown {what} {shown(name)}{hint}", allowed=", ".join(names))


class UserMetrics:
    """Mixin of results with distributions and user metrics."""

    def __getitem__(self: Any, figure: str | tuple[str, int]) -> Distribution:
        """Return the distribution of a figure, at the end or, as ``result["models_destroyed", 2]``, after round 2.

        >>> import analyser
        >>> fight = {"attack": {"dice": 2}, "target": {"models": 4, "defence": 1, "damage_limit": 1}}
        >>> analyser.exact(fight)["models_destroyed"].quantile(0.5)
        2.0
        """
        name, moment = figure if isinstance(figure, tuple) else (figure, None)
        values, weights = self._marginal(name, moment)
        return Distribution(name, values, np.asarray(weights / (self.trials or 1), np.float64), self.trials)

    def metric(self: Any, metric: str | Callable[[pd.DataFrame], Any]) -> Estimate | Mean | float:
        """Return a main figure by name, or a user metric.

        Parameters
        ----------
        metric : str or callable
            A name of `summary` or of :func:`analyser.metric`, or a function. The function gets the table of
            :meth:`to_frame` and returns a value for each outcome. The mean of these values is returned, or the
            probability of True if they are bool.

        Raises
        ------
        InputError
            The figure is unknown (the message suggests the nearest name), or the function fails.

        Examples
        --------
        >>> import analyser
        >>> fight = {"attack": {"dice": 10}, "target": {"models": 5, "defence": 2, "damage_limit": 1}}
        >>> print(analyser.exact(fight).metric(lambda outcomes: outcomes.models_destroyed >= 3))
        86.84%
        """
        from analyser.common.metrics import function_of

        function = metric if callable(metric) else function_of(metric)
        if function is not None:
            return value_of(self, function)
        check_name(metric, "figure", [name for name, value in self.summary.items() if isinstance(value, float | int)])
        return self.summary[str(metric)]  # type: ignore[no-any-return]


def value_of(result: Any, function: Callable[[pd.DataFrame], Any]) -> Estimate | Mean | float:
    """Return the value of a function of the outcome table of a result; see :meth:`UserMetrics.metric`.

    An Estimate or a Mean has a 95% interval if simulated. A float is the one number that the function returned.
    InputError if the function fails or returns something else.
    """
    table = result.to_frame()
    try:
        returned = np.asarray(function(table))
    except Exception as error:
        problem = f"the function failed on the outcome table: {type(error).__name__}: {error}"
        raise InputError(problem, where="metric", allowed=f"the columns {', '.join(table.columns)}") from error
    if returned.shape not in ((), (len(table),)) or returned.dtype.kind not in "bifu":
        problem = f"the function returned an array of shape {returned.shape} and type {returned.dtype}"
        raise InputError(problem, where="metric", allowed="one number, or a value for each outcome")
    if returned.ndim == 0:
        return float(returned)
    weights = table["probability" if result.trials is None else "count"].to_numpy(float)
    if returned.dtype.kind == "b":
        return estimate(float(weights[returned].sum()), result.trials)
    mean, variance = mean_and_variance(returned.astype(float), weights, result.trials)
    if result.trials is None:
        return Mean(mean)
    half = NORMAL_95 * float(np.sqrt(variance / result.trials))
    return Mean(mean, half / NORMAL_95, mean - half, mean + half, "normal")
