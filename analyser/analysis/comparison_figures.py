"""Figures of the loadouts of a comparison, and the difference of each figure from the best loadout.

Simulations are paired by batch: batch b of every loadout uses the same random numbers, so each batch gives one
difference. Each interval by itself has a confidence of 95%; that all of them hold at once is less likely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.common import estimates
from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN, Estimate
from analyser.common.intervals import CONFIDENCE, mean_bounds
from analyser.common.kernel_records import python_copy
from analyser.common.means import Mean, mean_between
from analyser.common.method_settings import Sampling
from analyser.common.metrics import AT_LEAST, COMPARE_METRICS, DIVISIBLE, PER_100_POINTS, PERCENTILE, metric_by_name
from analyser.common.precision import Precision, Stopping
from analyser.engine.attack.summaries import STATUSES
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.results.attack import AttackResult, simulate_in_batches, solve_attack
from analyser.results.user_metrics import value_of
from analyser.rules.attack import losses_of
from analyser.scenarios.attack import Scenario

BATCHES = 32  # batches of a simulation: enough for the interval of a mean, and few enough that each is large
STEP_OF_TRIALS = BATCHES * CHUNK_TRIALS  # trials of an attack are a multiple of this
DEFAULT_TRIALS = 2 * STEP_OF_TRIALS


def percentile_mask() -> NDArray[np.bool_]:
    """Return a mask of the metrics that are percentiles."""
    return np.array([name.endswith(PERCENTILE) for name in COMPARE_METRICS])


AttackWithBatches = tuple[AttackResult, Sequence[AttackResult]]
"""The result of an attack and, if simulated, the results of its batches."""
Key = tuple[int, int]  # indices of a target and of an attacker


class _Sample(dict[Key, AttackWithBatches]):
    """Attacks that are simulated together, as :meth:`Sampling.solve` needs them."""

    @property
    def trials(self) -> int | None:
        return next(iter(self.values()))[0].trials

    def precision_counts(self, precision: Precision) -> NDArray[Any]:
        return np.concatenate([whole.precision_counts(precision) for whole, _ in self.values()])

    def with_stopping(self, stopping: Stopping) -> Self:
        return type(self)({key: (whole.with_stopping(stopping), parts) for key, (whole, parts) in self.items()})


def run_attacks(attacks: Mapping[Key, Scenario], sampling: Sampling) -> Mapping[Key, AttackWithBatches]:
    """Return the results of attacks; simulated attacks are paired by batch."""
    if sampling.trials is None and sampling.precision is None:
        sampling = replace(sampling, trials=DEFAULT_TRIALS)

    def sample(settings: Sampling) -> _Sample:
        result = _Sample()
        for number, (key, scenario) in enumerate(attacks.items()):

            def report(done: int, total: int, number: int = number) -> None:
                settings.report(number * total + done, len(attacks) * total)

            if settings.is_exact:
                result[key] = solve_attack(scenario), ()
            else:
                result[key] = simulate_in_batches(scenario, BATCHES, replace(settings, progress=report))
        return result

    return sampling.solve(sample, STEP_OF_TRIALS)


class LoadoutFigures(NamedTuple):
    """Figures of a loadout in a comparison, in the order of COMPARE_METRICS; if simulated, also those of each batch."""

    name: str
    points: int | None
    figures: NDArray[np.float64]  # shape (figures, 3): the value and the ends of its 95% interval, NaN without one
    batches: NDArray[np.float64] | None = None  # shape (batches, figures); None if exact
    stopped_at: int | None = None  # number of trials, if it was not fixed in advance

    def columns(self) -> dict[str, float]:
        """Return the figures by name; if simulated, also the ends of their intervals, `_low` and `_high`."""
        if self.batches is None:
            return dict(zip(COMPARE_METRICS, self.figures[:, 0]))
        names = [f"{name}{end}" for name in COMPARE_METRICS for end in ("", "_low", "_high")]
        return dict(zip(names, self.figures.ravel()))


class Difference(NamedTuple):
    """Difference in one figure between two loadouts; `low` and `high` are NaN without an interval."""

    difference: float
    low: float = np.nan
    high: float = np.nan
    differs: bool | None = None  # True if the difference is significant, None if that is unknown


def title_of(name: str, at_least: int | None) -> str:
    """Return the title of a metric."""
    return metric_by_name(name).title.format(at_least="k" if at_least is None else at_least)


def figures_of(
    result: AttackResult, at_least: int, points: int | None, metric: str = ""
) -> dict[str, NDArray[np.float64]]:
    """Return every figure of :data:`COMPARE_METRICS` by name: its value, and the ends (or NaN) of its 95% interval.

    A figure is NaN if it needs points or victory points that a profile lacks, or if the function of a user metric
    fails (InputError if this user metric is the one named `metric`).
    """
    target, defender = result.scenario.target, result.scenario.defender
    level = None if defender is None else defender.level
    model_points = level.points / level.models if level is not None and level.points else np.nan
    victory_points = np.nan if target.victory_points is None else target.victory_points
    figures = {
        **{name: _figure(p) for name, p in probabilities_of(result, at_least).items()},
        "mean_models_destroyed": _figure(result.mean_with_interval("models_destroyed")),
        "models_destroyed_10th_percentile": _figure(result.quantile("models_destroyed", estimates.LOW_PERCENTILE)),
        "models_destroyed_90th_percentile": _figure(result.quantile("models_destroyed", estimates.HIGH_PERCENTILE)),
        "mean_damage": _figure(_damage(result)),
    }
    figures["expected_victory_points"] = figures["p_annihilated"] * victory_points
    figures["expected_points_destroyed"] = figures["mean_models_destroyed"] * model_points
    factor = 100 / points if points else np.nan
    figures |= {name + PER_100_POINTS: figures[name] * factor for name in DIVISIBLE}
    for name, user_metric in COMPARE_METRICS.items():
        if user_metric.function:
            try:
                figures[name] = _figure(value_of(result, user_metric.function, name))
            except InputError:
                if name == metric:
                    raise
                figures[name] = _figure(np.nan)
    return {name: figures[name] for name in COMPARE_METRICS}


def probabilities_of(result: AttackResult, at_least: int) -> dict[str, Estimate]:
    """Return the probabilities among the figures of :data:`COMPARE_METRICS`."""
    models = result.scenario.target.models or 0
    return {
        AT_LEAST: Estimate(0.0) if at_least > models else result.at_least(at_least),
        "p_any_destroyed": result.at_least(1),
        "p_half_destroyed": result.at_least((models + 1) // 2),
        **{f"p_{name}": result.probability(name) for name in STATUSES},
    }


def _figure(value: Estimate | Mean | float) -> NDArray[np.float64]:
    """Return a figure and the ends of its interval, which are NaN without an interval."""
    low, high = (value.low, value.high) if isinstance(value, Estimate | Mean) else (None, None)
    return np.array([value.value if isinstance(value, Mean) else value, low, high], np.float64)  # None becomes NaN


def _damage(result: AttackResult) -> Mean:
    """Return the mean damage suffered; a destroyed model counts as its whole DAMAGE LIMIT (AC-3.8)."""
    fight = python_copy(result.scenario.fight)
    losses = [losses_of(fight, result.scores, score) for score in range(len(result.score_weights))]
    suffered = [destroyed * fight.damage_limit + damage - fight.damage for destroyed, damage, _, _ in losses]
    return mean_between(np.array(suffered), result.score_weights, result.trials, np.array([0, *suffered]))


def loadout_figures(
    name: str, points: int | None, attack: AttackWithBatches, at_least: int, metric: str
) -> LoadoutFigures:
    """Return the figures of a loadout; for `metric`, raise errors as :func:`figures_of` does."""
    result = attack[0]
    whole, *batches = (list(figures_of(part, at_least, points, metric).values()) for part in (result, *attack[1]))
    values = np.array(batches)[:, :, 0] if batches else None
    was_fixed = result.stopping is None or result.stopping.precision is None
    return LoadoutFigures(name, points, np.array(whole), values, None if was_fixed else result.trials)


def differences(loadouts: Sequence[LoadoutFigures]) -> pd.DataFrame:
    """Return each figure of each loadout minus that of the loadout that is best in this figure.

    Loadouts whose figure equals the highest are tied. In a simulation, so are loadouts that do not differ
    significantly from the highest, unless another of them is significantly higher. The cheapest tied loadout is best
    (the first if several cost the same). The significance of differences of simulated percentiles is unknown unless
    they are 0.
    """
    rows = []
    for index, metric in enumerate(COMPARE_METRICS):
        best, tied = _best(loadouts, index)
        best_name = "" if best is None else loadouts[best].name
        for number, loadout in enumerate(loadouts):
            result = Difference(np.nan) if best is None else difference(loadout, loadouts[best], index)
            significant = None if number == best else result.differs
            rows.append((loadout.name, metric, best_name, *result[:3], significant, number in tied))
    columns = ["loadout", "metric", "best", "difference", "low", "high", "significant", "tied"]
    return pd.DataFrame(rows, columns=columns).astype({"significant": "boolean"})


def _best(loadouts: Sequence[LoadoutFigures], index: int) -> tuple[int | None, list[int]]:
    values = np.array([loadout.figures[index, 0] for loadout in loadouts])
    if np.isnan(values).all():
        return None, []
    highest = loadouts[int(np.nanargmax(values))]
    pairs = enumerate(loadouts)
    candidates = [number for number, loadout in pairs if difference(loadout, highest, index).differs is False]

    def is_beaten(number: int) -> bool:
        all_differences = (difference(loadouts[other], loadouts[number], index) for other in candidates)
        return any(result.differs is True and result.difference > 0 for result in all_differences)

    tied = [number for number in candidates if not is_beaten(number)]
    best = min(tied, key=lambda number: np.inf if (points := loadouts[number].points) is None else points)
    return best, tied if len(tied) > 1 else []


def difference(loadout: LoadoutFigures, other: LoadoutFigures, index: int) -> Difference:
    """Return the figure at `index` of one loadout minus that of another, paired by batch; NaN if missing."""
    value = float(loadout.figures[index, 0] - other.figures[index, 0])
    if np.isnan(value):
        return Difference(value)
    rounding = CERTAIN_WITHIN * max(1.0, abs(float(other.figures[index, 0])))
    if loadout.batches is None or other.batches is None:
        return Difference(value, differs=abs(value) > rounding)
    if percentile_mask()[index]:
        return Difference(value, differs=None if value else False)
    low, high = mean_interval(loadout.batches[:, index] - other.batches[:, index], loadout.stopped_at)
    return Difference(value, low, high, not (low <= rounding and high >= -rounding))


def mean_interval(samples: NDArray[np.float64], stopped_at: int | None = None) -> tuple[float, float]:
    """Return the 95% interval of the mean of `samples` by Student's t; with `stopped_at`, by a confidence sequence."""
    from scipy.special import stdtrit

    mean, error, degrees = float(samples.mean()), float(samples.std(ddof=1) / np.sqrt(len(samples))), len(samples) - 1
    if stopped_at is not None:
        return mean_bounds(mean, error, degrees, stopped_at, tuned_for=STEP_OF_TRIALS)
    half_width = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * error
    return mean - half_width, mean + half_width
