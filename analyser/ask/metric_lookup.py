"""Look up the value of a metric by name in any answer: a probability, a mean or a percentile, with its interval."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.comparison_figures import figures_of
from analyser.common.errors import InputError, allowed_names, did_you_mean, shown
from analyser.common.estimates import Estimate
from analyser.common.intervals import NORMAL_95, mean_bounds, mixture_bounds
from analyser.common.means import Mean
from analyser.common.metrics import COMPARE_METRICS, PER_100_POINTS, function_of, metric_by_name
from analyser.common.text import spaced
from analyser.morale.result import MoraleResult
from analyser.results.attack import AttackResult
from analyser.results.base import Result

DEFAULT_METRICS = {  # by kind of fight
    "attack": "mean_models_destroyed",
    "focus": "mean_models_destroyed",
    "charge": "p_attacker_wins",
    "duel": "p_a_wins",
    "battle": "p_victory",
}
DESTROYED: Mapping[str, str] = {  # the figure of the enemy's destroyed models, by kind of fight
    "attack": "models_destroyed",
    "focus": "models_destroyed",
    "charge": "target_models_destroyed",
    "duel": "b_models_destroyed",
}
_TUNED_FOR = 100_000  # trials at which confidence sequences are narrowest
LEAST_SUFFIX = ":least"  # suffix of a metric if less is better
_AT_LEAST = re.compile(r"p_(.+)_at_least_(\d+)")
_PERCENTILE = re.compile(r"(.+)_(\d+)(?:st|nd|rd|th)_percentile")
_OTHER_FORMS = "also p_FIGURE_at_least_2, FIGURE_10th_percentile, mean_..._per_100_points, NAME@2, NAME@key=value"


class MetricValue(NamedTuple):
    """The value of a metric in one answer; `low` and `high` are NaN if it has no interval."""

    value: float
    low: float = np.nan
    high: float = np.nan


def is_probability(metric: str) -> bool:
    """Return True if a metric is shown in percent."""
    return metric.startswith("p_") if function_of(metric) is None else metric_by_name(metric).is_probability


def title_of(metric: str) -> str:
    """Return the heading of a metric.

    >>> title_of("p_models_destroyed_at_least_2"), title_of("mean_a_victory_points_per_100_points")
    ('P(models destroyed at least 2)', 'Mean a victory points per 100 points')
    """
    plain = metric.removesuffix(PER_100_POINTS)
    if function_of(plain) is not None:
        text = metric_by_name(plain).title
    elif plain in COMPARE_METRICS and "{" not in COMPARE_METRICS[plain].title:
        text = COMPARE_METRICS[plain].title
    elif is_probability(plain):
        text = f"P({spaced(plain[2:])})"
    else:
        text = spaced(plain)
    return f"{text[0].upper()}{text[1:]}{' per 100 points' if metric != plain else ''}"


def metric_value(result: Result, metric: str, points: float | None = None) -> MetricValue:
    """Return the value of a metric in an answer of any kind.

    Parameters
    ----------
    result : Result
    metric : str
        ``p_`` and an event, ``mean_`` or ``expected_`` and a figure, ``p_FIGURE_at_least_K``,
        ``FIGURE_10th_percentile``; for an attack also every metric of :func:`analyser.compare`. Means may end in
        ``_per_100_points``. ``NAME@2`` is the value after round 2, or after the second attack; for morale,
        ``NAME@commander=with`` is the value in the rows with this key.
    points : float, optional
        Points of the attacker.

    Raises
    ------
    InputError
        An unknown metric (with the nearest name), or a metric per 100 points of an attacker without points.

    Examples
    --------
    >>> import analyser
    >>> attack = analyser.attack("crown/rifle-p@basic", "imperium/krupp@basic", distance=6)
    >>> [round(metric_value(attack, name).value, 4) for name in ("p_models_destroyed_at_least_1", "p_any_destroyed")]
    [0.9288, 0.9288]
    """
    plain = metric.removesuffix(PER_100_POINTS)
    if plain != metric:
        if not plain.startswith(("mean_", "expected_")):
            problem = f"{plain} cannot be given per 100 points; only means and expected values can"
            raise InputError(problem, where="metric", allowed=plain)
        if not points:
            raise InputError("the attacker has no points", where="metric", allowed=plain)
        return MetricValue(*(number * (100 / points) for number in metric_value(result, plain)))
    name, *parts = metric.split("@")
    keys = dict(part.split("=", 1) for part in parts if "=" in part)
    if keys and isinstance(result, MoraleResult):
        result = result.only(**keys)
        parts = [part for part in parts if "=" not in part]
    if len(parts) > 1 or not all(part.isdecimal() for part in parts):
        raise InputError(f"{shown(metric)} is not usable", where="metric", allowed=f"such as {name}@2, after round 2")
    if function_of(name) is not None:
        return _with_ends(result.metric(name))
    common = _common_metric(result, name, int(parts[0]) if parts else None)
    if common is not None:
        return common
    if isinstance(result, AttackResult) and metric in COMPARE_METRICS:
        models = result.scenario.target.models or 1
        value, low, high = figures_of(result, (models + 1) // 2, None)[metric]
        if np.isnan(value):
            raise InputError(f"the profiles give no points or victory points for {metric}", where="metric")
        return MetricValue(float(value), float(low), float(high))
    names = [*(f"p_{event}" for event in result.events), *(f"mean_{figure}" for figure in result.figures)]
    if isinstance(result, AttackResult):
        names += [name for name in COMPARE_METRICS if PER_100_POINTS not in name]
    names = list(dict.fromkeys(names))
    raise InputError(
        f"unknown metric {shown(metric)}{did_you_mean(metric, names)}",
        where="metric",
        allowed=f"{allowed_names(names, metric)}; {_OTHER_FORMS}",
    )


def _common_metric(result: Result, metric: str, step: int | None) -> MetricValue | None:
    """Return the value of an event or a figure of an answer, after `step` (round or attack); None for other metrics."""
    if metric.startswith("p_") and metric[2:] in result.events:
        return _with_ends(result.probability(metric[2:], step))
    if (match := _AT_LEAST.fullmatch(metric)) and match[1] in result.figures:
        return _with_ends(result.at_least(int(match[2]), step, figure=match[1]))
    if (match := _PERCENTILE.fullmatch(metric)) and match[1] in result.figures and int(match[2]) <= 100:
        return MetricValue(float(result.quantile(match[1], int(match[2]) / 100, step)))
    statistic, _, figure = metric.partition("_")
    if statistic in ("mean", "expected") and figure in result.figures:
        return _with_ends(result.mean_with_interval(figure, step))
    return None


def with_anytime_interval(sampled: MetricValue, metric: str, trials: int | None) -> MetricValue:
    """Return a simulated value with a 95% interval that is valid whenever the simulation stops."""
    if trials is None or np.isnan(sampled.low):
        return sampled
    if is_probability(metric):
        counts = np.array([round(sampled.value * trials)])
        low, high = mixture_bounds(counts, trials)
        return MetricValue(sampled.value, float(low[0]), float(high[0]))
    standard_error = max(sampled.value - sampled.low, sampled.high - sampled.value) / NORMAL_95
    degrees = max(trials - 1, 1)
    return MetricValue(sampled.value, *mean_bounds(sampled.value, standard_error, degrees, trials, _TUNED_FOR))


def _with_ends(figure: Mean | Estimate | float) -> MetricValue:
    value = float(figure.value if isinstance(figure, Mean) else figure)
    low, high = (getattr(figure, end, None) for end in ("low", "high"))
    return MetricValue(value) if low is None or high is None else MetricValue(value, low, high)


def value_text(metric: str, value: Any, low: Any = np.nan, high: Any = np.nan) -> str:
    """Return a value as text, with its interval if there is one; empty for NaN."""
    if value is None or np.isnan(value):
        return ""
    if is_probability(metric):
        return str(Estimate(value) if np.isnan(low) else Estimate(value, low, high))
    half = "" if np.isnan(low) or high <= low else f" ±{(high - low) / 2:.2g}"
    return f"{value:.3f}{half}"
