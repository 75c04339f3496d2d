"""Metrics of comparisons: titles, units of measurement, and the metrics that can be divided by points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from analyser.common import estimates
from analyser.common.errors import InputError, check_flag, check_text, did_you_mean, shown
from analyser.common.estimates import CERTAIN_WITHIN, Estimate

PER_100_POINTS = "_per_100_points"
PERCENTILE = "_percentile"  # suffix of metrics that are percentiles: integers without an interval
ALL_LEVELS = "all levels"  # stands for the name of a level if figures are means over levels
AT_LEAST = "p_at_least"

Function = Callable[[Any], Any]
"""Function of a user metric: takes an outcome table, returns a value for each row, or one number."""

MetricLike = str | Function
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")  # of a user metric


class Metric(NamedTuple):
    """Metric of a comparison: its titles, in which `{at_least}` is a number of models, and its unit of measurement."""

    title: str
    head: str  # heading of its column in a notebook
    short: str  # heading of its column in a terminal
    unit: str = "%"
    function: Function | None = None  # user metric: function of an outcome table

    @property
    def is_probability(self) -> bool:
        """True if the metric is shown as a percentage."""
        return self.unit == "%"

    @property
    def per_100_points(self) -> Metric:
        """Metric per 100 points of the attacker."""
        return self._replace(title=f"{self.title} per 100 points of the attacker", unit=f"{self.unit} per 100 points")


_BUILT_IN: Mapping[str, Metric] = {
    AT_LEAST: Metric("P(at least {at_least} destroyed)", "at least {at_least} destroyed", "≥{at_least}"),
    "mean_models_destroyed": Metric("Mean models destroyed", "mean destroyed", "mean", "models"),
    "p_any_destroyed": Metric("P(at least one model destroyed)", "at least 1 destroyed", "≥1"),
    "p_half_destroyed": Metric("P(at least half of the models destroyed)", "at least half destroyed", "≥half"),
    "p_suppressed": Metric("P(suppressed)", "P(suppressed)", "suppr."),
    "p_activated": Metric("P(activated by Cryo)", "P(activated)", "activ."),
    "p_broken": Metric("P(broken)", "P(broken)", "broken"),
    "p_fled": Metric("P(fled)", "P(fled)", "fled"),
    "p_annihilated": Metric("P(annihilated)", "P(annihilated)", "annih."),
    "models_destroyed_10th_percentile": Metric(
        "10th percentile of models destroyed", "10th percentile", "10th", "models"
    ),
    "models_destroyed_90th_percentile": Metric(
        "90th percentile of models destroyed", "90th percentile", "90th", "models"
    ),
    "mean_damage": Metric("Mean damage", "mean damage", "damage", "damage"),
    "expected_victory_points": Metric("Expected victory points", "expected VP", "VP", "VP"),
    "expected_points_destroyed": Metric(
        "Expected points destroyed", "expected points destroyed", "pts destroyed", "points"
    ),
    "mean_share_lost": Metric("Mean share of the defender lost", "mean share lost", "lost"),
    "attacker_share_lost": Metric("Mean share of the attacker lost", "share of the attacker lost", "own loss"),
    "p_attacker_wins": Metric("P(the attacker wins the duel)", "P(wins)", "wins"),
    "p_draw": Metric("P(the duel is drawn)", "P(draws)", "draws"),
}
RESULT_METRICS = ("p_attacker_wins", "p_draw")
"""Metrics of duel results; NaN in other situations."""
LOSS_METRICS = ("mean_share_lost", "attacker_share_lost")
"""Metrics of the share of a unit lost, in matchups only; `attacker_share_lost` is NaN for ranged attacks."""
COMMON_METRICS = tuple(name for name in _BUILT_IN if name not in (AT_LEAST, *LOSS_METRICS, *RESULT_METRICS))
"""Names of the metrics that every situation has, in the order of the columns."""
DIVISIBLE = tuple(name for name in COMMON_METRICS if name.startswith(("mean_", "expected_")))
"""Metrics that can be divided by points: means. They are additive; probabilities and percentiles are not."""
EFFICIENCY = f"expected_points_destroyed{PER_100_POINTS}"
"""Default metric of balance, rankings and reports."""
MATCHUP_METRICS: dict[str, Metric] = {
    **{name: _BUILT_IN[name] for name in COMMON_METRICS},
    **{name + PER_100_POINTS: _BUILT_IN[name].per_100_points for name in DIVISIBLE},
    **{name: _BUILT_IN[name] for name in (*LOSS_METRICS, *RESULT_METRICS)},
}
"""Metrics of matchups by column: all but AT_LEAST, and those in DIVISIBLE also per 100 points."""
COMPARE_METRICS: dict[str, Metric] = {
    AT_LEAST: _BUILT_IN[AT_LEAST],
    **{name: metric for name, metric in MATCHUP_METRICS.items() if name not in (*LOSS_METRICS, *RESULT_METRICS)},
}
"""Metrics of a comparison of loadouts: AT_LEAST, and the metrics of matchups except losses and results."""

_UNREGISTERED: dict[str, Metric] = {}
"""User metrics that were passed as functions, by the names of their columns."""


def metric(name: str, function: Function, *, unit: str = "", title: str | None = None) -> str:
    """Register a user metric for this session; comparisons, searches and tables then accept its name.

    Parameters
    ----------
    name : str
        Letters, digits and underscores; not the name of a built-in metric.
    function : callable
        Takes the outcome table of a result (:meth:`analyser.Result.to_frame`). It returns a number for each outcome
        (the metric is its mean), a bool for each (the metric is the probability of True), or the metric as one number.
    unit : str
        Unit of the metric; ``"%"`` for a probability, which is shown in percent.
    title : str, optional
        Title of the metric. Default: the name in words.

    Returns
    -------
    str
        The name.

    Raises
    ------
    InputError
        The name is not usable, or the function is not callable.

    Examples
    --------
    >>> import analyser
    >>> name = analyser.metric("crippled", lambda outcomes: outcomes.models_left <= 4, unit="%")
    >>> comparison = analyser.compare("crown/*rifles@basic", "imperium/krupp@basic", metric=name)
    >>> comparison.frame["crippled"].round(3).tolist()
    [1.0]
    >>> forget(name)
    """
    check_text(name, "name", "a name")
    if not _NAME.fullmatch(name):
        raise InputError(f"{shown(name)} is not usable", where="name", allowed="letters, digits and underscores")
    if name in (*COMPARE_METRICS, *MATCHUP_METRICS) and function_of(name) is None:
        raise InputError(f"{name} is a built-in metric", where="name", allowed="another name")
    if not callable(function):
        problem = f"{shown(function)} is not a function"
        raise InputError(problem, where="function", allowed="a function of an outcome table")
    shown_title = title or name.replace("_", " ")
    MATCHUP_METRICS[name] = COMPARE_METRICS[name] = Metric(shown_title, shown_title, shown_title, unit, function)
    return name


def forget(name: str) -> None:
    """Remove a user metric from all future tables."""
    if function_of(name) is None:
        raise InputError(f"unknown user metric {shown(name)}", where="name", allowed="a name that metric() returned")
    for table in (MATCHUP_METRICS, COMPARE_METRICS, _UNREGISTERED):
        table.pop(name, None)


def function_of(name: str) -> Function | None:
    """Return the function of a user metric; None for a built-in metric."""
    return metric_by_name(name).function


def metric_by_name(name: str) -> Metric:
    """Return a metric by name, also one that was passed as a function; for an unknown name, a metric without a unit."""
    tables = (COMPARE_METRICS, MATCHUP_METRICS, _UNREGISTERED)
    return next((table[name] for table in tables if name in table), Metric(name, name, name, ""))


def figure_title(metric: str, label: str | None) -> tuple[str, int]:
    """Return the title of a metric's axis, and the factor of its values: 100 for a probability, else 1."""
    name = label or metric.replace("_", " ")
    is_probability = metric.startswith("p_") or metric_by_name(metric).is_probability
    return (f"{name}, percent", 100) if is_probability else (name, 1)


def remember_metric(metric: str | Function, taken: Iterable[str] = ()) -> str:
    """Return the name of a metric; a function is stored under its own name, with `_` added until the name is free."""
    if not callable(metric):
        return metric
    name = getattr(metric, "__name__", "custom")
    name = name if _NAME.fullmatch(name) else "custom"
    known = COMPARE_METRICS | MATCHUP_METRICS
    while name in taken or (name in known and known[name].function is not metric):
        name += "_"
    _UNREGISTERED[name] = Metric(name.replace("_", " "), name, name, "", metric)
    return name


@contextmanager
def temporary_metric(name: str) -> Iterator[None]:
    """Register, inside the block only, a metric that was passed as a function."""
    is_new = name in _UNREGISTERED and name not in COMPARE_METRICS
    if is_new:
        MATCHUP_METRICS[name] = COMPARE_METRICS[name] = _UNREGISTERED[name]
    try:
        yield
    finally:
        if is_new:
            del MATCHUP_METRICS[name], COMPARE_METRICS[name]


def checked_metric(
    metric: str | Function, *, per_points: bool = False, metrics: Mapping[str, Metric] | None = None
) -> str:
    """Return the name of a metric stated by name or as a function; with `per_points`, of that metric per 100 points.

    InputError if the metric is not one of `metrics` (default: :data:`MATCHUP_METRICS`), or if `per_points` is True
    and the metric is not additive, such as a probability.

    >>> checked_metric("mean_damage", per_points=True)
    'mean_damage_per_100_points'
    """
    metrics = MATCHUP_METRICS if metrics is None else metrics
    name = remember_metric(metric)
    check_text(name, "metric", ", ".join(metrics))
    check_flag(per_points, "per_points")
    if function_of(name) is not None:
        if per_points:
            allowed = "a function that divides by points"
            raise InputError(f"{name} is a user metric", where="per_points", allowed=allowed)
        return name
    plain = name.removesuffix(PER_100_POINTS)
    if name in (*LOSS_METRICS, *RESULT_METRICS) and name not in metrics:
        problem = f"{name} is a metric of matchups; this compares ranged attacks"
        situations = " with the situation duel" if name in RESULT_METRICS else " with the situation charge or duel"
        matchups = "matchups" if name == LOSS_METRICS[0] else f"matchups{situations}"
        raise InputError(problem, where="metric", allowed=f"{matchups}, or another metric")
    if plain not in metrics:
        divided = f"; means also with the suffix {PER_100_POINTS}" if EFFICIENCY in metrics else ""
        allowed = ", ".join(known for known in metrics if not known.endswith(PER_100_POINTS)) + divided
        raise InputError(f"unknown metric {name!r}{did_you_mean(name, metrics)}", where="metric", allowed=allowed)
    if plain not in DIVISIBLE and (per_points or name != plain):
        what = next((word for word in ("percentile", "share") if word in plain), "probability")
        allowed = f"{plain} itself, or {', '.join(DIVISIBLE)} per 100 points"
        raise InputError(f"{plain} is a {what}, which cannot be divided by points", where="metric", allowed=allowed)
    if name not in metrics:
        raise InputError(f"{name} is not available per 100 points here", where="metric", allowed=plain)
    return plain + PER_100_POINTS if per_points else name


def figure_text(name: str, value: float, low: float = np.nan, high: float = np.nan, *, change: bool = False) -> str:
    """Return a metric's value, or a change in it, as text with half its interval; empty for NaN.

    >>> figure_text("p_broken", 0.2), figure_text("p_broken", 0.2, change=True), figure_text("mean_damage", 2, 1.9, 2.1)
    ('20.00%', '+20.00 pp', '2.0 ±0.1')
    """
    is_probability = metric_by_name(name).is_probability
    if np.isnan(value):
        return ""
    if is_probability and not change:
        return str(Estimate(value) if np.isnan(low) else Estimate(value, low, high))
    scale, unit = (100, " pp") if is_probability else (1, "")
    if high > low:
        return estimates.plus_minus(scale * value, scale * (high - low) / 2, unit)
    if abs(value) < CERTAIN_WITHIN and change:
        return "0"
    sign = "+" if change else ""
    return f"{value:{sign}z.0f}" if name.endswith(PERCENTILE) else f"{number_text(scale * value, sign)}{unit}"


def number_text(number: float, sign: str = "") -> str:
    """Return a number with two decimals, or one significant digit if it would round to 0; never minus zero."""
    return f"{number:{sign}z{'.1g' if 0 < abs(number) < 0.005 else '.2f'}}"
