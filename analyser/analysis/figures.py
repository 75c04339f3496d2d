"""Figures of a comparison, the best loadout in each, and the differences of the others from it.

Samples are paired by batch: batch b of every loadout is played from the same random words (common random numbers),
and each batch gives one difference. The batches share nothing with one another, so the mean of their differences has
the interval of Student's t, with one degree of freedom fewer than there are batches; where the number of trials hung
on what was seen, a confidence sequence, which holds whenever one stops (:mod:`analyser.common.sequences`). What the
batches of two loadouts have in common makes it narrower, and nothing has to be assumed about how much that is. The
interval is as exact as a batch is large: a mean over a batch of hundreds of thousands of fights is normal for every
purpose, unless the event is so rare that a batch holds a handful of them. Each interval is one at 95% by itself.
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
from analyser.common.intervals import CONFIDENCE
from analyser.common.means import Mean, mean_between
from analyser.common.precision import Precision, Stopping
from analyser.common.records import plain
from analyser.common.sampling import Sampling
from analyser.common.sequences import mean_bounds
from analyser.engine.attack.sweep import STATUSES
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.plots.metrics import AT_LEAST, BY_POINTS, COMPARED, PER_100_POINTS, PERCENTILE, metric_called
from analyser.results.attack import AttackResult, simulate_in_batches, solve_attack
from analyser.results.custom import value_of
from analyser.rules.attack import losses_of
from analyser.scenarios.attack import Scenario

BATCHES = 32  # of a sample: enough for the interval of their mean, few enough to be large
TRIALS_COMPARED = 2 * BATCHES * CHUNK_TRIALS
KeyT = TypeVar("KeyT")


def is_percentile() -> NDArray[np.bool_]:
    """Return True for the figures of comparisons that are percentiles."""
    return np.array([name.endswith(PERCENTILE) for name in COMPARED])


Played = tuple[AttackResult, Sequence[AttackResult]]
"""The result of an attack and, of a sample, the results of its batches."""


class _Sample(dict[KeyT, Played]):
    """Attacks that are sampled together."""

    @property
    def trials(self) -> int | None:
        """Trials of each."""
        return next(iter(self.values()))[0].trials

    def asked_of(self, precision: Precision) -> NDArray[Any]:
        """Return how often each outcome that a precision refers to was seen in any of the attacks."""
        return np.concatenate([whole.asked_of(precision) for whole, _ in self.values()])

    def stopped(self, stopping: Stopping) -> Self:
        """Return these attacks with the reason for their number of trials."""
        return type(self)({key: (whole.stopped(stopping), parts) for key, (whole, parts) in self.items()})


def play(attacks: Mapping[KeyT, Scenario], sampling: Sampling) -> Mapping[KeyT, Played]:
    """The answers to some attacks: of a sample all in as many trials, and in batches, so that they pair."""
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

    return sampling.settled(answer, BATCHES * CHUNK_TRIALS)


class Side(NamedTuple):
    """A loadout of a comparison: its figures in the order of COMPARED, of a sample also batch by batch."""

    name: str
    points: int | None
    figures: NDArray[np.float64]  # shape (figures, 3): the value and the ends of its 95% interval, NaN for none
    batches: NDArray[np.float64] | None = None  # shape (batches, figures); None: exact
    stopped_at: int | None = None  # trials, where their number was not fixed beforehand

    def columns(self) -> dict[str, float]:
        """The figures by name; of a sample each with its ends, `_low` and `_high`, beside it."""
        if self.batches is None:
            return dict(zip(COMPARED, self.figures[:, 0]))
        names = [f"{name}{end}" for name in COMPARED for end in ("", "_low", "_high")]
        return dict(zip(names, self.figures.ravel()))


class Gap(NamedTuple):
    """Difference in one figure between two loadouts; `low` and `high` are NaN without an interval."""

    difference: float
    low: float = np.nan
    high: float = np.nan
    differs: bool | None = None  # None: not known


def title_of(name: str, at_least: int | None) -> str:
    """Return the heading of a figure."""
    return metric_called(name).title.format(at_least="k" if at_least is None else at_least)


def subject_of(scenario: Scenario) -> str:
    """Return the attacker, the target and the distance, for a title."""
    attacker, defender, distance = scenario.attacker, scenario.defender, scenario.attack.distance
    one = "an attack without a profile" if attacker is None else attacker.selector
    other = "a target without a profile" if defender is None else defender.selector
    return f"{one} on {other}" + ("" if distance is None else f' at {distance:g}"')


def figures_of(result: AttackResult, at_least: int, points: int | None) -> dict[str, NDArray[np.float64]]:
    """Every figure of :data:`COMPARED` by name: its value and the ends of its 95% interval, NaN where there is none.

    `at_least` is the k of P(at least k models destroyed). What needs the attacker's `points`, or points or victory
    points of the target, is NaN where there are none.
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
    """The figures of :data:`COMPARED` that are probabilities."""
    models = result.scenario.target.models or 0
    return {
        AT_LEAST: Estimate(0.0) if at_least > models else result.at_least(at_least),
        "p_any_destroyed": result.at_least(1),
        "p_half_destroyed": result.at_least((models + 1) // 2),
        **{f"p_{name}": result.probability(name) for name in STATUSES},
    }


def _figure(value: float) -> NDArray[np.float64]:
    """A figure with the ends of its interval, of an estimate; NaN for none."""
    low, high = (value.low, value.high) if isinstance(value, Estimate) else (None, None)
    return np.array([value, low, high], np.float64)  # None becomes NaN


def _own(value: Estimate | Mean | float) -> NDArray[np.float64]:
    """A figure of one's own with the ends of its interval; NaN for none."""
    return _of_mean(value) if isinstance(value, Mean) else _figure(value)


def _of_mean(mean: Mean) -> NDArray[np.float64]:
    """A mean with the ends of its interval; NaN for none."""
    return np.array([mean.value, mean.low, mean.high], np.float64)


def _damage(result: AttackResult) -> Mean:
    """Mean points of damage suffered, a destroyed model being worth its whole DAMAGE LIMIT (AC-3.8)."""
    fight = plain(result.scenario.fight)
    losses = [losses_of(fight, result.scores, score) for score in range(len(result.score_weights))]
    worth = [destroyed * fight.damage_limit + damage - fight.damage for destroyed, damage, _, _ in losses]
    return mean_between(np.array(worth), result.score_weights, result.trials, np.array([0, *worth]))


def compared_side(name: str, points: int | None, played: Played, at_least: int) -> Side:
    """A loadout with the figures of its attack, of a sample batch by batch."""
    results = (played[0], *played[1])
    whole, *batches = (list(figures_of(result, at_least, points).values()) for result in results)
    values = np.array(batches)[:, :, 0] if batches else None
    was_fixed = played[0].stopping is None or played[0].stopping.precision is None
    return Side(name, points, np.array(whole), values, None if was_fixed else played[0].trials)


def differences(sides: Sequence[Side]) -> pd.DataFrame:
    """Each figure of each loadout less that of the loadout that is best in it.

    The best one has the most of the figure. Of those that are equal to the highest, or of a sample those that cannot
    be told apart from it or from one another, the cheapest is the best one, of equally cheap ones the first: all of
    them are tied.

    Returns
    -------
    DataFrame
        `loadout`, `metric`, `best`, `difference`, `low`, `high`, `significant`, `tied`: exact differences have no
        interval, and are significant if there is any; sampled ones are if their interval leaves out 0. A percentile of
        a sample has none, and its significance is unknown unless it is 0. Where nobody has the figure `best` is empty.
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
    """The best loadout in the figure at `place`, and all that share the place with it if any do."""
    values = np.array([side.figures[place, 0] for side in sides])
    if np.isnan(values).all():
        return None, []
    highest = sides[int(np.nanargmax(values))]
    near = [number for number, side in enumerate(sides) if gap(side, highest, place).differs is False]

    def is_beaten(one: int) -> bool:
        """One of two that do not differ from the highest may still be significantly better than the other."""
        gaps = (gap(sides[other], sides[one], place) for other in near)
        return any(gap.differs is True and gap.difference > 0 for gap in gaps)

    equal = [one for one in near if not is_beaten(one)]
    best = min(equal, key=lambda number: np.inf if (points := sides[number].points) is None else points)
    return best, equal if len(equal) > 1 else []


def gap(side: Side | None, other: Side, place: int) -> Gap:
    """The figure at `place` of one loadout less that of another, paired by batch; NaN where one is missing."""
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
    """The 95% interval of the mean of independent `samples`, by Student's t (Student, Biometrika 6, 1908).

    `stopped_at`: after so many trials in all, whose number was not fixed beforehand; then a confidence sequence.
    """
    from scipy.special import stdtrit

    mean, error, degrees = float(samples.mean()), float(samples.std(ddof=1) / np.sqrt(len(samples))), len(samples) - 1
    if stopped_at is not None:
        return mean_bounds(mean, error, degrees, stopped_at, tuned_for=BATCHES * CHUNK_TRIALS)
    half = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * error
    return mean - half, mean + half
