"""Figures of a comparison, the best loadout in each, and the differences of the others from it.

Simulations are paired by batch: batch b of every loadout uses the same random numbers, and gives one difference.
Batches are independent of each other, so the mean difference has Student's t interval, with one degree of freedom
fewer than there are batches. If the number of trials depended on the results, a confidence sequence is used, which
holds at any stopping time (:mod:`analyser.common.intervals`). Common random numbers make the interval narrower, without
any assumption about the correlation. The interval assumes normal batch means. A batch has hundreds of thousands of
fights, so this fails only for events so rare that a batch has a handful of them. Each interval holds at 95% by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.common import estimates
from analyser.common.estimates import CERTAIN_WITHIN, Estimate
from analyser.common.intervals import CONFIDENCE, mean_bounds
from analyser.common.means import Mean, mean_between
from analyser.common.method_settings import Sampling
from analyser.common.metrics import AT_LEAST, BY_POINTS, COMPARED, PER_100_POINTS, PERCENTILE, metric_by_name
from analyser.common.precision import Precision, Stopping
from analyser.common.records import plain
from analyser.engine.attack.summaries import STATUSES
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.results.attack import AttackResult, simulate_in_batches, solve_attack
from analyser.results.custom import value_of
from analyser.rules.attack import losses_of
from analyser.scenarios.attack import Scenario

BATCHES = 32  # batches of a simulation: enough for the interval of their mean, few enough to be large
TRIALS_COMPARED = 2 * BATCHES * CHUNK_TRIALS
KeyT = TypeVar("KeyT")


def is_percentile() -> NDArray[np.bool_]:
    """Return a mask of the figures of comparisons that are percentiles."""
    return np.array([name.endswith(PERCENTILE) for name in COMPARED])


Played = tuple[AttackResult, Sequence[AttackResult]]
"""The result of an attack and, if simulated, the results of its batches."""


class _Sample(dict[KeyT, Played]):
    """Attacks simulated together."""

    @property
    def trials(self) -> int | None:
        """Trials of each attack."""
        return next(iter(self.values()))[0].trials

    def precision_counts(self, precision: Precision) -> NDArray[Any]:
        """Return the count in each attack of every outcome that a precision refers to."""
        return np.concatenate([whole.precision_counts(precision) for whole, _ in self.values()])

    def with_stopping(self, stopping: Stopping) -> Self:
        """Return these attacks with the reason for their number of trials."""
        return type(self)({key: (whole.with_stopping(stopping), parts) for key, (whole, parts) in self.items()})


def play(attacks: Mapping[KeyT, Scenario], sampling: Sampling) -> Mapping[KeyT, Played]:
    """Return the results of some attacks; simulations have equal numbers of trials and batches, so that they pair."""
    if sampling.trials is None and sampling.precision is None:
        sampling = replace(sampling, trials=TRIALS_COMPARED)

    def answer(how: Sampling) -> _Sample[KeyT]:
        result = _Sample[KeyT]()
        for number, (key, scenario) in enumerate(attacks.items()):

            def report(done: int, aim: int, number: int = number) -> None:
                how.report(number * aim + done, len(attacks) * aim)

            if how.is_exact:
                result[key] = solve_attack(scenario), ()
            else:
                result[key] = simulate_in_batches(scenario, BATCHES, replace(how, progress=report))
        return result

    return sampling.solve(answer, BATCHES * CHUNK_TRIALS)


class Side(NamedTuple):
    """A loadout of a comparison: its figures in the order of COMPARED; also by batch if simulated."""

    name: str
    points: int | None
    figures: NDArray[np.float64]  # shape (figures, 3): the value and the ends of its 95% interval, NaN without one
    batches: NDArray[np.float64] | None = None  # shape (batches, figures); None if exact
    stopped_at: int | None = None  # trials, if their number was not fixed in advance

    def columns(self) -> dict[str, float]:
        """Return the figures by name; simulated ones with the ends of their intervals, `_low` and `_high`."""
        if self.batches is None:
            return dict(zip(COMPARED, self.figures[:, 0]))
        names = [f"{name}{end}" for name in COMPARED for end in ("", "_low", "_high")]
        return dict(zip(names, self.figures.ravel()))


class Gap(NamedTuple):
    """Difference in one figure between two loadouts; `low` and `high` are NaN without an interval."""

    difference: float
    low: float = np.nan
    high: float = np.nan
    differs: bool | None = None  # None if unknown


def title_of(name: str, at_least: int | None) -> str:
    """Return the heading of a figure."""
    return metric_by_name(name).title.format(at_least="k" if at_least is None else at_least)


def subject_of(scenario: Scenario) -> str:
    """Return the attacker, the target and the distance, for a title."""
    attacker, defender, distance = scenario.attacker, scenario.defender, scenario.attack.distance
    one = "an attack without a profile" if attacker is None else attacker.selector
    other = "a target without a profile" if defender is None else defender.selector
    return f"{one} on {other}" + ("" if distance is None else f' at {distance:g}"')


def figures_of(result: AttackResult, at_least: int, points: int | None) -> dict[str, NDArray[np.float64]]:
    """Return every figure of :data:`COMPARED` by name: its value and the ends of its 95% interval, or NaN.

    `at_least` is the k of P(at least k models destroyed). Figures that need missing points of the attacker, or missing
    points or victory points of the target, are NaN.
    """
    target, defender = result.scenario.target, result.scenario.defender
    a_model = np.nan if defender is None or not defender.level.points else defender.level.points / defender.level.models
    figures = {
        **{name: _figure(p) for name, p in probabilities_of(result, at_least).items()},
        "mean_models_destroyed": _of_mean(result.mean_with_interval("models_destroyed")),
        "models_destroyed_10th_percentile": _figure(result.quantile("models_destroyed", estimates.LOW_PERCENTILE)),
        "models_destroyed_90th_percentile": _figure(result.quantile("models_destroyed", estimates.HIGH_PERCENTILE)),
        "mean_damage": _of_mean(_damage(result)),
    }
    victory_points = np.nan if target.victory_points is None else target.victory_points
    figures["expected_victory_points"] = figures["p_annihilated"] * victory_points
    figures["expected_points_destroyed"] = figures["mean_models_destroyed"] * a_model
    hundred = 100 / points if points else np.nan
    figures |= {name + PER_100_POINTS: figures[name] * hundred for name in BY_POINTS}
    own = {name: what.function for name, what in COMPARED.items() if what.function}
    figures |= {name: _own(value_of(result, function)) for name, function in own.items()}
    return {name: figures[name] for name in COMPARED}


def probabilities_of(result: AttackResult, at_least: int) -> dict[str, Estimate]:
    """Return the probabilities among the figures of :data:`COMPARED`."""
    models = result.scenario.target.models or 0
    return {
        AT_LEAST: Estimate(0.0) if at_least > models else result.at_least(at_least),
        "p_any_destroyed": result.at_least(1),
        "p_half_destroyed": result.at_least((models + 1) // 2),
        **{f"p_{name}": result.probability(name) for name in STATUSES},
    }


def _figure(value: float) -> NDArray[np.float64]:
    """Return a figure with the ends of its interval; these are NaN unless it is an estimate."""
    low, high = (value.low, value.high) if isinstance(value, Estimate) else (None, None)
    return np.array([value, low, high], np.float64)  # None becomes NaN


def _own(value: Estimate | Mean | float) -> NDArray[np.float64]:
    """Return a user metric with the ends of its interval; NaN without one."""
    return _of_mean(value) if isinstance(value, Mean) else _figure(value)


def _of_mean(mean: Mean) -> NDArray[np.float64]:
    """Return a mean with the ends of its interval; NaN without one."""
    return np.array([mean.value, mean.low, mean.high], np.float64)


def _damage(result: AttackResult) -> Mean:
    """Return the mean damage suffered; a destroyed model counts as its whole DAMAGE LIMIT (AC-3.8)."""
    fight = plain(result.scenario.fight)
    losses = [losses_of(fight, result.scores, score) for score in range(len(result.score_weights))]
    worth = [destroyed * fight.damage_limit + damage - fight.damage for destroyed, damage, _, _ in losses]
    return mean_between(np.array(worth), result.score_weights, result.trials, np.array([0, *worth]))


def compared_side(name: str, points: int | None, played: Played, at_least: int) -> Side:
    """Return a loadout with the figures of its attack; also by batch if simulated."""
    results = (played[0], *played[1])
    whole, *batches = (list(figures_of(result, at_least, points).values()) for result in results)
    values = np.array(batches)[:, :, 0] if batches else None
    was_fixed = played[0].stopping is None or played[0].stopping.precision is None
    return Side(name, points, np.array(whole), values, None if was_fixed else played[0].trials)


def differences(sides: Sequence[Side]) -> pd.DataFrame:
    """Return each figure of each loadout minus that of the best loadout in it.

    The highest figure wins. Loadouts with an equal figure are tied with it; in a simulation, those that do not differ
    significantly from it or from each other. Of tied loadouts the cheapest is the best, then the first.

    Returns
    -------
    DataFrame
        `loadout`, `metric`, `best`, `difference`, `low`, `high`, `significant`, `tied`. Exact differences have no
        interval, and any difference is significant. Simulated differences are significant if the interval excludes 0;
        percentiles have no interval, and unknown significance unless the difference is 0. `best` is empty if no loadout
        has the figure.
    """
    rows = []
    for place, metric in enumerate(COMPARED):
        best, tied = _best(sides, place)
        name = "" if best is None else sides[best].name
        for number, side in enumerate(sides):
            result = Gap(np.nan) if best is None else gap(side, sides[best], place)
            significant = None if number == best else result.differs
            rows.append((side.name, metric, name, *result[:3], significant, number in tied))
    columns = ["loadout", "metric", "best", "difference", "low", "high", "significant", "tied"]
    return pd.DataFrame(rows, columns=columns).astype({"significant": "boolean"})


def _best(sides: Sequence[Side], place: int) -> tuple[int | None, list[int]]:
    """Return the best loadout in the figure at index `place`, and all loadouts tied for best, if any."""
    values = np.array([side.figures[place, 0] for side in sides])
    if np.isnan(values).all():
        return None, []
    highest = sides[int(np.nanargmax(values))]
    near = [number for number, side in enumerate(sides) if gap(side, highest, place).differs is False]

    def is_beaten(one: int) -> bool:
        """Return True if another loadout level with the highest is significantly better than this one."""
        gaps = (gap(sides[other], sides[one], place) for other in near)
        return any(gap.differs is True and gap.difference > 0 for gap in gaps)

    equal = [one for one in near if not is_beaten(one)]
    best = min(equal, key=lambda number: np.inf if (points := sides[number].points) is None else points)
    return best, equal if len(equal) > 1 else []


def gap(side: Side | None, other: Side, place: int) -> Gap:
    """Return the figure at index `place` of one loadout minus that of another, paired by batch; NaN if missing."""
    difference = np.nan if side is None else float(side.figures[place, 0] - other.figures[place, 0])
    if side is None or np.isnan(difference):
        return Gap(difference)
    nothing = CERTAIN_WITHIN * max(1.0, abs(float(other.figures[place, 0])))
    if side.batches is None or other.batches is None:
        return Gap(difference, differs=abs(difference) > nothing)
    if is_percentile()[place]:
        return Gap(difference, differs=None if difference else False)
    low, high = interval(side.batches[:, place] - other.batches[:, place], side.stopped_at)
    return Gap(difference, low, high, not (low <= nothing and high >= -nothing))


def interval(samples: NDArray[np.float64], stopped_at: int | None = None) -> tuple[float, float]:
    """Return the 95% interval of the mean of independent `samples`, by Student's t (Student, Biometrika 6, 1908).

    `stopped_at` is the total number of trials if it was not fixed in advance; then a confidence sequence is used.
    """
    from scipy.special import stdtrit

    mean, error, degrees = float(samples.mean()), float(samples.std(ddof=1) / np.sqrt(len(samples))), len(samples) - 1
    if stopped_at is not None:
        return mean_bounds(mean, error, degrees, stopped_at, tuned_for=BATCHES * CHUNK_TRIALS)
    half = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * error
    return mean - half, mean + half
