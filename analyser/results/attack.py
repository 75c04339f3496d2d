"""What an attack does: the joint law of its outcome, or a sample of it, as plain numbers and tidy tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import (
    HIGH_PERCENTILE,
    LOW_PERCENTILE,
    Estimate,
    Method,
    estimate,
    mean_figures,
    mean_of,
    points_figures,
    wilson_interval,
)
from analyser.common.sampling import check_whole
from analyser.common.text import (
    NEGLIGIBLE,
    aligned,
    counted,
    csv_text,
    points_said,
    rating_said,
    records,
    said,
    shown_range,
    with_error,
)
from analyser.game.profiles import profiles_record
from analyser.rules.outcome import (
    ACTIVATED,
    ANNIHILATED,
    ATTACKER_DAMAGE,
    ATTACKER_DESTROYED,
    BITS,
    BROKEN,
    DAMAGE,
    DISORDERED,
    FELL_BACK,
    FLED,
    MODELS_DESTROYED,
    SUPPRESSED,
)
from analyser.scenarios.schema import Scenario

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = ("models_left", "models_destroyed", "damage")
FLAGS = ("suppressed", "disordered", "fell_back", "broken", "fled", "annihilated")
MORE_NUMBERS = ("attacker_models_destroyed", "attacker_damage")
MORE_FLAGS = ("activated",)

_MASK = (1 << BITS) - 1
_PLACES = {
    "models_left": 0,
    "models_destroyed": MODELS_DESTROYED,
    "damage": DAMAGE,
    "attacker_models_destroyed": ATTACKER_DESTROYED,
    "attacker_damage": ATTACKER_DAMAGE,
}
BIT_OF_FLAG = {
    "suppressed": SUPPRESSED,
    "disordered": DISORDERED,
    "activated": ACTIVATED,
    "fell_back": FELL_BACK,
    "broken": BROKEN,
    "fled": FLED,
    "annihilated": ANNIHILATED,
}
_TARGET_BITS = (1 << ATTACKER_DAMAGE) - 1


def column(outcomes: NDArray[np.int64], name: str) -> NDArray[Any]:
    """One column of packed outcomes: whole numbers, or truth values for a flag; shape as `outcomes`."""
    if name in _PLACES:
        return np.asarray(outcomes >> _PLACES[name] & _MASK)
    return np.asarray((outcomes & BIT_OF_FLAG[name]) != 0)


@dataclass(frozen=True, repr=False)
class Result:
    """What an attack does.

    Attributes
    ----------
    scenario : Scenario
    method : "exact" or "monte-carlo"
    outcomes : int64 array, shape (n,)
        The distinct outcomes, packed, in rising order. Read them with :meth:`column` or :meth:`to_frame`.
    weights : array, shape (n,)
        Their probabilities (float64), or how often each was seen (int64, Monte Carlo).
    hits_weights : array, shape (most hits + 1,)
        The same for the number of hits scored.
    conditions : mapping
        What the rules made of the scenario: dice, rating, effective DEFENCE and so on.
    applied, not_used, not_modelled, warnings : tuple of str
    trials, seed : int or None
        Monte Carlo only.
    """

    scenario: Scenario
    method: Method
    outcomes: NDArray[np.int64]
    weights: NDArray[Any]
    hits_weights: NDArray[Any]
    conditions: dict[str, Any]
    applied: tuple[str, ...] = ()
    not_used: tuple[str, ...] = ()
    not_modelled: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    trials: int | None = None
    seed: int | None = None
    building_wrecked_weight: float | None = field(default=None)

    def __str__(self) -> str:
        """What the command line prints."""
        return attack_text([self])

    __repr__ = __str__  # a shell shows what is printed

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact."""
        return self.method == "exact"

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each of :attr:`outcomes`."""
        return self._shares(self.weights)

    def _shares(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(weights, np.float64) if self.trials is None else weights / self.trials

    def column(self, name: str) -> NDArray[Any]:
        """One column of the outcomes, such as ``models_destroyed`` or ``broken``; shape (n,)."""
        return column(self.outcomes, name)

    def probability(self, name: str) -> Estimate:
        """The probability of a flag, such as ``suppressed``, with its interval if it was sampled.

        Examples
        --------
        >>> import analyser
        >>> fight = {"attack": {"dice": 10}, "target": {"models": 5, "defence": 2, "damage_limit": 1}}
        >>> print(analyser.exact(fight).probability("annihilated"))
        42.19%
        """
        return self._estimate(self.weights[self.column(name)].sum())

    def at_least(self, models: int) -> Estimate:
        """The probability that so many models or more are destroyed.

        Raises
        ------
        InputError
            No whole number, 0 or more.
        """
        check_whole(models, "models", 0)
        return self._estimate(self._at_least_weights[models] if models < len(self._at_least_weights) else 0)

    @cached_property
    def _at_least_weights(self) -> NDArray[Any]:
        return np.cumsum(self.destroyed_weights[::-1])[::-1]

    def _estimate(self, weight: float) -> Estimate:
        return estimate(weight, self.trials)

    def widest_interval(self) -> float:
        """The width of the widest interval of any probability of a sample: the one nearest to a half."""
        assert self.trials is not None
        destroyed = self.destroyed_weights
        flags = [self.weights[self.column(name)].sum() for name in FLAGS + MORE_FLAGS]
        counts = np.concatenate(
            [
                self.weights,
                self.hits_weights,
                destroyed,
                np.cumsum(destroyed),
                flags,
                [self.building_wrecked_weight or 0],
            ]
        )
        nearest = counts[np.argmin(np.abs(counts - self.trials / 2))]
        low, high = wilson_interval(np.array([nearest]), self.trials)
        return float(high[0] - low[0])

    @cached_property
    def destroyed_weights(self) -> NDArray[Any]:
        """The weight of each number of models destroyed: shape (models + 1,)."""
        models = self.scenario.target.models or 0
        law = np.zeros(models + 1, self.weights.dtype)
        np.add.at(law, self.column("models_destroyed"), self.weights)
        return law

    def models_destroyed(self) -> list[dict[str, Any]]:
        """The law of models destroyed: value, probability, and the probability of at least that many."""
        weights, at_least = self.destroyed_weights, self._at_least_weights
        rows = []
        for value in range(len(weights)):
            one, more = self._estimate(weights[value]), self._estimate(at_least[value])
            row: dict[str, Any] = {"value": value, "probability": one.probability, "at_least": more.probability}
            if not self.exact:
                row |= {"low": one.low, "high": one.high, "at_least_low": more.low, "at_least_high": more.high}
            rows.append(row)
        return rows

    def mean(self, name: str) -> float:
        """The mean of a column of the outcomes."""
        return self.mean_with_error(name)[0]

    def mean_with_error(self, name: str) -> tuple[float, float | None]:
        """The mean of a column of the outcomes, and of a sample its standard error."""
        return mean_of(self.column(name), self.weights, self.trials)

    def percentile(self, share: float) -> int:
        """The least number of models destroyed that is reached or stayed below with probability `share`."""
        law = np.cumsum(self._shares(self.destroyed_weights))
        return int(np.searchsorted(law, share - 1e-12))

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The main figures by name; each probability of a sample has its interval beside it."""
        figures: dict[str, Any] = {}
        for name in self._flags_of_interest():
            self._add_probability(figures, f"p_{name}", self.probability(name))
        hits = np.arange(len(self.hits_weights)), self.hits_weights
        figures |= mean_figures("mean_hits", *mean_of(*hits, self.trials))
        for name, outcome in self._means_of_interest().items():
            figures |= mean_figures(name, *self.mean_with_error(outcome))
        figures["models_destroyed_10th_percentile"] = self.percentile(LOW_PERCENTILE)
        figures["models_destroyed_90th_percentile"] = self.percentile(HIGH_PERCENTILE)
        points, gone = self.scenario.target.victory_points, self.mean_with_error("annihilated")
        figures |= points_figures("expected_victory_points", points, gone)
        if self.building_wrecked_weight is not None:
            self._add_probability(figures, "p_building_wrecked", self._estimate(self.building_wrecked_weight))
        return figures

    def _flags_of_interest(self) -> tuple[str, ...]:
        return FLAGS + MORE_FLAGS if self._has_cryo else FLAGS

    def _add_probability(self, figures: dict[str, Any], name: str, estimate: Estimate) -> None:
        figures[name] = estimate.probability
        if not self.exact:
            figures |= {f"{name}_low": estimate.low, f"{name}_high": estimate.high}

    def _means_of_interest(self) -> dict[str, str]:
        """The means that are shown, and the columns that they are the means of."""
        means = {"mean_models_destroyed": "models_destroyed", "mean_damage_left": "damage"}
        if self.scenario.attack.overcharge:
            means["mean_attacker_models_destroyed"] = "attacker_models_destroyed"
        return means

    @property
    def expected_victory_points(self) -> float | None:
        """Mean victory points for the attacker (AC-5.9); None if the target's rating is not known."""
        points = self.scenario.target.victory_points
        return None if points is None else points * self.mean("annihilated")

    @property
    def _has_cryo(self) -> bool:
        return any(quality.startswith("Cryo") for quality in self.scenario.attack.qualities or ())

    def _columns(self, joint: bool) -> tuple[str, ...]:
        if not joint:
            return NUMBERS + FLAGS
        more = MORE_FLAGS if self._has_cryo else ()
        return NUMBERS + FLAGS + more + (MORE_NUMBERS if self.scenario.attack.overcharge else ())

    @property
    def has_more(self) -> bool:
        """Whether the joint law knows more than the target's fate: Cryo's activated, Overcharge's losses."""
        return len(self._columns(joint=True)) > len(self._columns(joint=False))

    def table(self, *, joint: bool = False) -> dict[str, NDArray[Any]]:
        """The outcomes as columns by name; see :meth:`to_frame`."""
        names = self._columns(joint)
        outcomes, weights = self.outcomes, self.weights
        if not joint and self.has_more:
            plain = outcomes & _TARGET_BITS & ~ACTIVATED
            outcomes, place = np.unique(plain, return_inverse=True)
            weights = np.zeros(len(outcomes), self.weights.dtype)
            np.add.at(weights, place, self.weights)
        columns: dict[str, NDArray[Any]] = {name: column(outcomes, name) for name in names}
        order = np.lexsort([columns[name] for name in reversed(("models_destroyed", *names))])
        columns = {name: values[order] for name, values in columns.items()}
        columns["probability"] = self._shares(weights)[order]
        if self.trials is not None:
            low, high = wilson_interval(weights[order], self.trials)
            columns |= {"count": weights[order], "low": low, "high": high}
        return columns

    def to_frame(self, *, joint: bool = False) -> pd.DataFrame:
        """The joint law of the outcome, one row an outcome.

        Parameters
        ----------
        joint : bool
            Also tell apart what happens beside the target's fate: `activated` (Cryo), the attacker's own losses
            (Overcharge).

        Returns
        -------
        DataFrame
            `models_left`, `models_destroyed`, `damage`, the flags `suppressed`, `disordered`, `fell_back`,
            `broken`, `fled`, `annihilated`, and `probability`; of a sample also `count`, `low`, `high`.

        Examples
        --------
        >>> import analyser
        >>> fight = {"attack": {"dice": 1}, "target": {"models": 1, "defence": 2, "damage_limit": 1}}
        >>> analyser.exact(fight).to_frame()[["models_destroyed", "annihilated", "probability"]].round(4)
           models_destroyed  annihilated  probability
        0                 0        False       0.8056
        1                 1         True       0.1944
        """
        import pandas as pd

        return pd.DataFrame(self.table(joint=joint))

    def as_dict(self) -> dict[str, Any]:
        """The result as plain data: what ``--format json`` prints (`docs/scenario.md`)."""
        result: dict[str, Any] = {"method": self.method, "scenario": self.scenario.as_dict()}
        result |= profiles_record(self.scenario.profiles)
        if self.trials is not None:
            result |= {"trials": self.trials, "seed": self.seed}
        result |= {
            "conditions": self.conditions,
            "outcomes": records(self.table()),
            "hits": self._hits_records(),
            "models_destroyed": self.models_destroyed(),
            "summary": self.summary,
            "applied": list(self.applied),
            "not_used": list(self.not_used),
            "not_modelled": list(self.not_modelled),
            "warnings": list(self.warnings),
        }
        if self.has_more:
            result["joint_outcomes"] = records(self.table(joint=True))
        return result

    def _hits_records(self) -> list[dict[str, Any]]:
        shown = np.flatnonzero(self.hits_weights)
        columns: dict[str, NDArray[Any]] = {"hits": shown, "probability": self._shares(self.hits_weights)[shown]}
        if self.trials is not None:
            low, high = wilson_interval(self.hits_weights[shown], self.trials)
            columns |= {"count": self.hits_weights[shown], "low": low, "high": high}
        return records(columns)


ALWAYS_SHOWN = ("suppressed", "broken", "annihilated")


SHOWN_IF_POSSIBLE = ("disordered", "activated", "fell_back", "fled")


def attack_text(results: Sequence[Result]) -> str:
    """One attack's answer by one method or by both, for a terminal."""
    blocks = [
        _heading(results),
        _models_destroyed(results),
        _figures(results),
        *_lists(results[0]),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def method_name(result: Result) -> str:
    """The method as a heading says it."""
    return "exact" if result.exact else "Monte Carlo"


def _heading(results: Sequence[Result]) -> list[str]:
    result = results[0]
    attack, target, conditions = result.scenario.attack, result.scenario.target, result.conditions
    attacker, unit = attack.attacker or "attack without a profile", target.unit or "target without a profile"
    where = "" if attack.distance is None else f' at {attack.distance:g}"'
    lines = [("Attack", f"{attacker} -> {unit}")]
    if attack.row is not None:
        lines.append(("Row", f"{attack.row}{where}"))
    elif where:
        lines.append(("Distance", where.removeprefix(" at ")))
    lines += [
        ("Pool", _pool_line(conditions, overcharge=attack.overcharge)),
        ("Target", _target_line(result)),
        ("Test", _test_line(conditions, target.break_limit)),
        ("Method", "; ".join(map(_method_line, results))),
    ]
    return aligned(lines, "<")


def _pool_line(conditions: dict[str, Any], *, overcharge: bool) -> str:
    card = " and as many as a card says" if overcharge else ""
    return f"{counted(conditions['dice'], 'die', 'dice')}{card}, {rating_said(conditions, ' rating')}"


def _target_line(result: Result) -> str:
    target = result.scenario.target
    parts = [
        counted(target.models or 0, "model"),
        f"effective DEFENCE {result.conditions['defence']}",
        f"DAMAGE LIMIT {target.damage_limit}",
    ]
    if target.damage:
        parts.append(f"{target.damage} damage carried")
    if target.exposed is not None and target.exposed < (target.models or 0):
        parts.append(f"{target.exposed} exposed")
    parts += [flag.replace("_", " ") for flag in _STATES if getattr(target, flag)]
    return ", ".join(parts)


_STATES = ("suppressed", "disordered", "activated", "garrisoned", "taking_cover")


def _test_line(conditions: dict[str, Any], break_limit: int | None) -> str:
    line = str(conditions["suppression_test"])
    if conditions["discipline"] is not None:
        line += f", DISCIPLINE {conditions['discipline']} before losses and disorder"
    return line if break_limit is None else f"{line}; BREAK LIMIT {break_limit}"


def _method_line(result: Result) -> str:
    if result.trials is None:
        return "exact"
    return f"Monte Carlo, {result.trials:,} trials, seed {result.seed}, intervals at 95%"


def _models_destroyed(results: Sequence[Result]) -> list[str]:
    laws = [result.models_destroyed() for result in results]
    first, last = shown_range([row["probability"] for row in laws[0]], [row["at_least"] for row in laws[0]])
    methods = [f" {method_name(result)}" if len(results) > 1 else "" for result in results]
    rows = [["value", *(f"{what}{method}" for method in methods for what in ("probability", "at least"))]]
    for value in range(first, last + 1):
        row = [str(value)]
        for law in laws:
            one = law[value]
            row.append(str(Estimate(one["probability"], one.get("low"), one.get("high"))))
            at_least = Estimate(one["at_least"], one.get("at_least_low"), one.get("at_least_high"))
            row.append("100%" if value == 0 else str(at_least))  # at least 0: certain without a sample
        rows.append(row)
    methods_said = " and ".join(map(method_name, results))
    lines = [f"Models destroyed ({methods_said}; at least: that many or more)", *aligned(rows, ">", gap=" | ")]
    return lines + _cut(first, last, len(laws[0]) - 1)


def _cut(first: int, last: int, highest: int) -> list[str]:
    below = [f"below {first}"] if first > 0 else []
    above = [f"above {last}"] if last < highest else []
    if not below and not above:
        return []
    return [f"Not shown: values {' and '.join(below + above)}, each end less likely than {100 * NEGLIGIBLE:.2f}%."]


def _figures(results: Sequence[Result]) -> list[str]:
    rows = []
    for name in (*ALWAYS_SHOWN, *SHOWN_IF_POSSIBLE):
        chances = [result.probability(name) for result in results]
        if name in ALWAYS_SHOWN or any(chance.probability > 0 for chance in chances):
            rows.append([f"P({name.replace('_', ' ')})", *map(said, chances)])
    rows += _building(results)
    rows += [_mean(results, name, label) for name, label in _MEANS if name in results[0].summary]
    for name, label in _PERCENTILES:
        rows.append([label, *(str(result.summary[name]) for result in results)])
    rows.append(["Expected victory points", *(points_said(result.summary, _POINTS) for result in results)])
    if len(results) > 1:
        rows.insert(0, ["", *map(method_name, results)])
    return aligned(rows, "<")


_MEANS = (
    ("mean_hits", "Mean hits"),
    ("mean_models_destroyed", "Mean models destroyed"),
    ("mean_damage_left", "Mean damage left on the target"),
    ("mean_attacker_models_destroyed", "Mean models of the attacker destroyed"),
)


_POINTS = "expected_victory_points"


_PERCENTILES = (
    ("models_destroyed_10th_percentile", "Models destroyed, 10th percentile"),
    ("models_destroyed_90th_percentile", "Models destroyed, 90th percentile"),
)


def _building(results: Sequence[Result]) -> list[list[str]]:
    name = "p_building_wrecked"
    if name not in results[0].summary:
        return []
    figures = [result.summary for result in results]
    chances = [Estimate(each[name], each.get(f"{name}_low"), each.get(f"{name}_high")) for each in figures]
    return [["P(building wrecked)", *map(said, chances)]]


def _mean(results: Sequence[Result], name: str, label: str) -> list[str]:
    return [label, *(with_error(result.summary, name) for result in results)]


def _lists(result: Result) -> list[list[str]]:
    blocks = [[f"Special rules applied: {', '.join(result.applied) or 'none'}"]]
    blocks += [[f"Not used: {'; '.join(result.not_used)}"]] if result.not_used else []
    blocks.append([f"Not modelled: {', '.join(result.not_modelled) or 'none'}"])
    if result.scenario.profiles is not None:
        blocks.append([f"Profiles: {result.scenario.profiles}"])
    if result.warnings:
        blocks.append([f"Warning: {warning}" for warning in result.warnings])
    return blocks


def attack_csv(results: Sequence[Result]) -> str:
    """The outcome tables as CSV, and which profiles they come from.

    Of two methods one below the other, told apart by a column `method`.
    """
    tables = [(result.method, result.table()) for result in results]
    names = list(dict.fromkeys(name for _, table in tables for name in table))
    head = ["method", *names] if len(results) > 1 else names
    rows: list[list[Any]] = []
    for method, table in tables:
        length = len(table["probability"])
        columns = [table[name].tolist() if name in table else [""] * length for name in names]
        rows += [[method, *row] if len(results) > 1 else list(row) for row in zip(*columns)]
    used = results[0].scenario.profiles
    return csv_text([*head, "profiles"], ([*row, "" if used is None else str(used)] for row in rows))
