"""What an attack does: the joint law of its outcome, or a sample of it, as plain numbers and tidy tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.estimates import (
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
from analyser.profiles import profiles_record
from analyser.rules.armoured_clash import morale
from analyser.sampling import check_whole
from analyser.scenario import Scenario
from analyser.tables import records

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = ("models_left", "models_destroyed", "damage")
FLAGS = ("suppressed", "disordered", "fell_back", "broken", "fled", "annihilated")
MORE_NUMBERS = ("attacker_models_destroyed", "attacker_damage")
MORE_FLAGS = ("activated",)

_MASK = (1 << morale.BITS) - 1
_PLACES = {
    "models_left": 0,
    "models_destroyed": morale.MODELS_DESTROYED,
    "damage": morale.DAMAGE,
    "attacker_models_destroyed": morale.ATTACKER_DESTROYED,
    "attacker_damage": morale.ATTACKER_DAMAGE,
}
BIT_OF_FLAG = {
    "suppressed": morale.SUPPRESSED,
    "disordered": morale.DISORDERED,
    "activated": morale.ACTIVATED,
    "fell_back": morale.FELL_BACK,
    "broken": morale.BROKEN,
    "fled": morale.FLED,
    "annihilated": morale.ANNIHILATED,
}
_TARGET_BITS = (1 << morale.ATTACKER_DAMAGE) - 1


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
        from analyser.results.text import attack_text

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
            plain = outcomes & _TARGET_BITS & ~morale.ACTIVATED
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
