"""The figures by which loadouts are compared, read from the result of one attack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, check_flag, check_text
from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE, NORMAL_95, Estimate, mean_of
from analyser.plots.metrics import AT_LEAST, BY_POINTS, COMPARED, PER_100_POINTS, RESULTS, metric_chosen
from analyser.results.attack import AttackResult
from analyser.rules.attack import losses_of
from analyser.rules.structs import plain
from analyser.scenarios.attack import Scenario


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
        There is none, with the nearest names; it is a figure of duels; or one that is not divided by points.

    Examples
    --------
    >>> metric_compared("mean_damage", per_points=True)
    'mean_damage_per_100_points'
    """
    check_text(name, "metric", ", ".join(COMPARED))
    check_flag(per_points, "per_points")
    if name in RESULTS:
        raise InputError(
            f"{name} is a figure of duels, and here ranged attacks are set side by side",
            where="metric",
            allowed="matchups with the situation duel, or another figure",
        )
    return metric_chosen(name, per_points=per_points, known=COMPARED)


def title_of(name: str, at_least: int | None) -> str:
    """What a figure is called, as a heading."""
    return COMPARED[name].title.format(at_least="k" if at_least is None else at_least)


def subject_of(scenario: Scenario) -> str:
    """Who attacks whom, and from how far, for a title."""
    attacker, defender, distance = scenario.attacker, scenario.defender, scenario.attack.distance
    one = "an attack without a profile" if attacker is None else attacker.selector
    other = "a target without a profile" if defender is None else defender.selector
    return f"{one} on {other}" + ("" if distance is None else f' at {distance:g}"')


def figures_of(result: AttackResult, at_least: int, points: int | None) -> dict[str, Figure]:
    """Every figure of :data:`COMPARED` by name.

    Parameters
    ----------
    result : AttackResult
    at_least : int
        The k of P(at least k models destroyed).
    points : int or None
        What the attacker costs; None, or 0, leaves the figures per 100 points NaN.
    """
    target, defender = result.scenario.target, result.scenario.defender
    annihilated, destroyed = _chance(result.probability("annihilated")), _mean(result)
    a_model = np.nan if defender is None or not defender.level.points else defender.level.points / defender.level.models
    figures = {
        AT_LEAST: _chance(result.at_least(at_least)),
        "mean_models_destroyed": destroyed,
        "p_any_destroyed": _chance(result.at_least(1)),
        "p_half_destroyed": _chance(result.at_least(((target.models or 0) + 1) // 2)),
        **{f"p_{name}": _chance(result.probability(name)) for name in ("suppressed", "broken", "fled")},
        "p_annihilated": annihilated,
        "models_destroyed_10th_percentile": Figure(float(result.quantile("models_destroyed", LOW_PERCENTILE))),
        "models_destroyed_90th_percentile": Figure(float(result.quantile("models_destroyed", HIGH_PERCENTILE))),
        "mean_damage": _with_interval(*_damage(result)),
        "expected_victory_points": annihilated.scaled(
            np.nan if target.victory_points is None else target.victory_points
        ),
        "expected_points_destroyed": destroyed.scaled(a_model),
    }
    hundred = 100 / points if points else np.nan
    figures |= {name + PER_100_POINTS: figures[name].scaled(hundred) for name in BY_POINTS}
    return {name: figures[name] for name in COMPARED}


def _chance(estimate: Estimate) -> Figure:
    if estimate.low is None or estimate.high is None:
        return Figure(estimate.probability)
    return Figure(estimate.probability, estimate.low, estimate.high)


def _mean(result: AttackResult) -> Figure:
    return _with_interval(*result.mean_with_error("models_destroyed"))


def _damage(result: AttackResult) -> tuple[float, float | None]:
    """Mean points of damage suffered, a destroyed model being worth its whole DAMAGE LIMIT (AC-3.8)."""
    fight = plain(result.scenario.fight)
    losses = [losses_of(fight, result.scores, score) for score in range(len(result.score_weights))]
    worth = [destroyed * fight.damage_limit + damage - fight.damage for destroyed, damage, _, _ in losses]
    return mean_of(np.array(worth), result.score_weights, result.trials)


def _with_interval(mean: float, error: float | None) -> Figure:
    return Figure(mean) if error is None else Figure(mean, mean - NORMAL_95 * error, mean + NORMAL_95 * error)


def values_of(figures: Mapping[str, Figure]) -> NDArray[np.float64]:
    """The values alone, in the order of :data:`COMPARED`."""
    return np.array([figures[name].value for name in COMPARED])
