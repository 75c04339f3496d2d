"""The figures by which loadouts are compared, read from the result of one attack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.errors import InputError, check_flag, check_text, did_you_mean
from analyser.estimates import NORMAL_95, Estimate
from analyser.metrics import PER_100_POINTS, Metric
from analyser.results.result import Result

AT_LEAST = "p_at_least"
COMPARED: Mapping[str, Metric] = {
    AT_LEAST: Metric("P(at least {at_least} destroyed)", True),
    "mean_models_destroyed": Metric("Mean models destroyed"),
    "models_destroyed_10th_percentile": Metric("10th percentile"),
    "p_suppressed": Metric("P(suppressed)", True),
    "p_broken": Metric("P(broken)", True),
    "p_annihilated": Metric("P(annihilated)", True),
    "expected_victory_points": Metric("Expected VP"),
}
"""The figures in the order of the columns; more is better for the attacker in each of them."""
PERCENTILE = "models_destroyed_10th_percentile"  # a whole number: no interval is worked out for it
ALL_COMPARED = (*COMPARED, *(name + PER_100_POINTS for name in COMPARED))


class Figure(NamedTuple):
    """A figure and, of a sample, its 95% interval.

    Attributes
    ----------
    value : float
        NaN where the profiles do not say enough (no victory points, no points).
    low, high : float
        NaN for an exact figure, and for a percentile.
    """

    value: float
    low: float = np.nan
    high: float = np.nan

    def scaled(self, factor: float) -> Figure:
        """The figure and its interval times `factor`."""
        return Figure(self.value * factor, self.low * factor, self.high * factor)


def metric_compared(name: str, *, per_points: bool) -> str:
    """The name of a figure of :data:`COMPARED`, or of the same per 100 points of the attacker.

    Raises
    ------
    InputError
        There is none, with the nearest names.

    Examples
    --------
    >>> metric_compared("p_broken", per_points=True)
    'p_broken_per_100_points'
    """
    check_text(name, "metric", ", ".join(COMPARED))
    check_flag(per_points, "per_points")
    if name not in ALL_COMPARED:
        hint = did_you_mean(name, ALL_COMPARED)
        raise InputError(
            f"no metric {name!r}{hint}",
            where="metric",
            allowed=f"{', '.join(COMPARED)}; each also with {PER_100_POINTS}",
        )
    return name if not per_points or name.endswith(PER_100_POINTS) else name + PER_100_POINTS


def title_of(name: str, at_least: int) -> str:
    """What a figure is called, as a heading."""
    plain = name.removesuffix(PER_100_POINTS)
    title = COMPARED[plain].title.format(at_least=at_least)
    return title if plain == name else f"{title} per 100 points"


def figures_of(result: Result, at_least: int, points: int | None) -> dict[str, Figure]:
    """Every figure of :data:`ALL_COMPARED` by name.

    Parameters
    ----------
    result : Result
    at_least : int
        The k of P(at least k models destroyed).
    points : int or None
        What the attacker costs; None, or 0, leaves the figures per 100 points NaN.
    """
    ratings = result.scenario.target.victory_points
    annihilated = _chance(result.probability("annihilated"))
    figures = {
        AT_LEAST: _chance(result.at_least(at_least)),
        "mean_models_destroyed": _mean(result),
        PERCENTILE: Figure(float(result.percentile(0.10))),
        "p_suppressed": _chance(result.probability("suppressed")),
        "p_broken": _chance(result.probability("broken")),
        "p_annihilated": annihilated,
        "expected_victory_points": annihilated.scaled(np.nan if ratings is None else ratings),
    }
    hundred = 100 / points if points else np.nan
    return figures | {name + PER_100_POINTS: figure.scaled(hundred) for name, figure in figures.items()}


def _chance(estimate: Estimate) -> Figure:
    if estimate.low is None or estimate.high is None:
        return Figure(estimate.probability)
    return Figure(estimate.probability, estimate.low, estimate.high)


def _mean(result: Result) -> Figure:
    mean, error = result.mean_with_error("models_destroyed")
    return Figure(mean) if error is None else Figure(mean, mean - NORMAL_95 * error, mean + NORMAL_95 * error)


def values_of(figures: Mapping[str, Figure]) -> NDArray[np.float64]:
    """The values alone, in the order of :data:`ALL_COMPARED`."""
    return np.array([figures[name].value for name in ALL_COMPARED])
