"""Base class of the results of fights and morale: the question, the figures, the rules used, and the display."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from analyser import plots
from analyser.common import estimates
from analyser.common.answer import Answer, notebook_html
from analyser.common.distributions import Distribution
from analyser.common.errors import InputError, check_integer, is_number, shown
from analyser.common.estimates import Estimate, Method, estimate, mean_and_variance, mean_of, probability_figures
from analyser.common.frames import tidy
from analyser.common.intervals import intervals
from analyser.common.means import Mean, mean_between, mean_figures
from analyser.common.metrics import function_of
from analyser.common.precision import Precision, Stopping
from analyser.common.text import frequency_sentence, rows_of_columns
from analyser.game.names import loadout_name
from analyser.game.profiles import ProfilesUsed, profiles_record
from analyser.game.ruleset import ruleset_record
from analyser.results import rendering
from analyser.results.user_metrics import check_name, value_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


WeightedValues = tuple[NDArray[Any], NDArray[Any]]  # values, and the weight of each
_ROUNDING = 1e-12


@dataclass(frozen=True)
class RulesUsed:
    """Rules behind a result; the properties of :class:`Result` describe the fields."""

    applied: tuple[str, ...] = ()
    not_used: tuple[str, ...] = ()
    not_modelled: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, list[str]]:
        """Return plain data."""
        return {field.name: list(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True, repr=False, kw_only=True)
class Result(Answer):
    """Answer to one question about a fight or about morale, exact or simulated.

    Attributes
    ----------
    scenario : Any
        The question, with all defaults filled in.
    rules : RulesUsed
    trials, seed : int or None
        Number of simulated trials and seed of the random numbers; None if exact.
    profiles : ProfilesUsed or None
        Source of the profiles.
    stopping : Stopping or None
        Number of trials planned for a simulation, and the reason for stopping.
    """

    kind: ClassVar[str]
    plotted_figure: ClassVar[str] = "models_destroyed"  # figure that :meth:`plot` draws

    scenario: Any
    rules: RulesUsed = RulesUsed()
    trials: int | None = None
    seed: int | None = None
    profiles: ProfilesUsed | None = None
    stopping: Stopping | None = None

    @property
    def schema(self) -> str:  # type: ignore[override]
        """Name and version of the JSON schema."""
        return f"analyser/{self.kind}/1"

    @property
    def method(self) -> Method:
        """``exact`` or ``monte-carlo``."""
        return "exact" if self.trials is None else "monte-carlo"

    @property
    def exact(self) -> bool:
        """True if the numbers are exact."""
        return self.trials is None

    @property
    def rules_applied(self) -> tuple[str, ...]:
        """Rules that can apply in this fight."""
        return self.rules.applied

    @property
    def not_used(self) -> tuple[str, ...]:
        """Rules that a unit has but does not use, each with the option that would use it."""
        return self.rules.not_used

    @property
    def not_modelled(self) -> tuple[str, ...]:
        """Rules that could change this result but are not modelled."""
        return self.rules.not_modelled

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions behind the result."""
        return self.rules.assumptions

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the interpretation of the question."""
        return self.rules.warnings

    @property
    @abstractmethod
    def events(self) -> tuple[str, ...]:
        """Names that :meth:`probability` takes."""

    @property
    @abstractmethod
    def figures(self) -> tuple[str, ...]:
        """Names that :meth:`pmf`, :meth:`mean`, :meth:`std` and :meth:`quantile` take."""

    @abstractmethod
    def _event_weight(self, name: str, moment: int | None) -> float:
        """Return the weight of an event: its probability or, if simulated, its count."""

    @abstractmethod
    def _weighted_values(self, figure: str, moment: int | None) -> WeightedValues:
        """Return the values of a figure and their weights, two arrays of equal length; values may repeat."""

    @abstractmethod
    def _possible_values(self, figure: str) -> NDArray[Any]:
        """Return all values that a figure can have, for the intervals of means; impossible values may be among them."""

    @abstractmethod
    def heading(self) -> list[tuple[str, str]]:
        """Return the question as labels and texts."""

    @abstractmethod
    def table(self) -> dict[str, NDArray[Any]]:
        """Return the outcomes as columns by name; see :meth:`to_frame`."""

    def rows(self) -> list[dict[str, Any]]:
        return rows_of_columns(self.table())

    def to_frame(self) -> pd.DataFrame:
        """Return the joint distribution of the outcome, one row per outcome.

        >>> import analyser
        >>> fight = {"attack": {"dice": 1}, "target": {"models": 1, "defence": 2, "damage_limit": 1}}
        >>> analyser.exact(fight).to_frame()[["models_destroyed", "annihilated", "probability"]].round(4)
           models_destroyed  annihilated  probability
        0                 0        False       0.8056
        1                 1         True       0.1944
        """
        return tidy(self.table())

    @cached_property
    def summary(self) -> dict[str, Any]:
        return self._named_figures({f"p_{name}": name for name in self.events}, {})

    def notes(self) -> list[str]:
        return [line for group in rendering.notes([self]) for line in group]

    def probability(self, name: str, moment: int | None = None) -> Estimate:
        """Return the probability of an event, with a 95% interval if simulated.

        Parameters
        ----------
        name : str
            One of :attr:`events`.
        moment : int, optional
            Attack (focus fire), round or turn after which the probability holds, from 1. Default: the last.

        Raises
        ------
        InputError
            Unknown event (the message suggests the nearest name), attack or round.

        Examples
        --------
        >>> import analyser
        >>> fight = {"attack": {"dice": 10}, "target": {"models": 5, "defence": 2, "damage_limit": 1}}
        >>> print(analyser.exact(fight).probability("annihilated"))
        42.19%
        """
        check_name(name, "event", self.events)
        return estimate(self._event_weight(name, moment), self.trials)

    def distribution(self, figure: str, moment: int | None = None) -> list[dict[str, Any]]:
        """Return the distribution of a figure as plain dicts; see :meth:`pmf`."""
        values, weights = self._marginal(figure, moment)
        above = np.cumsum(weights[::-1])[::-1]
        if self.trials is None:
            columns = {"value": values, "probability": np.clip(weights, 0, 1), "at_least": np.clip(above, 0, 1)}
            return rows_of_columns(columns)
        columns = {"value": values, "probability": weights / self.trials, "at_least": above / self.trials}
        for prefix, counts in (("", weights), ("at_least_", above)):
            columns |= dict(zip((f"{prefix}low", f"{prefix}high", f"{prefix}interval"), intervals(counts, self.trials)))
        return rows_of_columns(columns)

    def margins(self) -> list[dict[str, Any]]:
        """Return the distribution of the margin of a duel or a battle: VP of the first side minus VP of the second."""
        names = ("probability",) if self.exact else ("probability", "low", "high")
        return [{"margin": row["value"], **{name: row[name] for name in names}} for row in self.distribution("margin")]

    def pmf(self, figure: str, moment: int | None = None) -> pd.DataFrame:
        """Return the distribution of a figure.

        Parameters
        ----------
        figure : str
            One of :attr:`figures`.
        moment : int, optional
            The attack or round, as for :meth:`probability`.

        Returns
        -------
        DataFrame
            `value`, `probability`, and `at_least`, the probability of this value or a higher one. If simulated, also
            the 95% intervals `low`, `high`, `at_least_low` and `at_least_high`, and the names of their methods,
            `interval` and `at_least_interval`.

        Raises
        ------
        InputError
            Unknown figure (the message suggests the nearest name), attack or round.

        Examples
        --------
        >>> import analyser
        >>> fight = {"attack": {"dice": 1}, "target": {"models": 1, "defence": 2, "damage_limit": 1}}
        >>> analyser.exact(fight).pmf("models_destroyed").round(4)
           value  probability  at_least
        0      0       0.8056    1.0000
        1      1       0.1944    0.1944
        """
        return tidy(self.distribution(figure, moment))

    def mean(self, figure: str, moment: int | None = None) -> float:
        """Return the mean of a figure; see :meth:`pmf` for the parameters."""
        return mean_of(*self._values_and_weights(figure, moment), self.trials)[0]

    def mean_with_interval(self, figure: str, moment: int | None = None) -> Mean:
        """Return the mean of a figure, with its 95% interval if simulated (:mod:`analyser.common.means`)."""
        return mean_between(*self._values_and_weights(figure, moment), self.trials, self._possible_values(figure))

    def std(self, figure: str, moment: int | None = None) -> float:
        """Return the standard deviation of a figure; see :meth:`pmf` for the parameters."""
        return float(np.sqrt(mean_and_variance(*self._values_and_weights(figure, moment), self.trials)[1]))

    def quantile(self, figure: str, q: float, moment: int | None = None) -> float:
        """Return the smallest v with P(figure <= v) >= `q`, a probability; see :meth:`pmf`."""
        if not is_number(q) or not 0 <= q <= 1:
            raise InputError(f"{shown(q)} is not usable", where="q", allowed="a probability, 0 to 1")
        values, weights = self._marginal(figure, moment)
        reached = np.cumsum(weights) / (self.trials or 1)
        value = values[min(int(np.searchsorted(reached, q - _ROUNDING)), len(values) - 1)]
        return value.item()  # type: ignore[no-any-return]

    def _values_and_weights(self, figure: str, moment: int | None) -> WeightedValues:
        check_name(figure, "figure", self.figures)
        return self._weighted_values(figure, moment)

    def _marginal(self, figure: str, moment: int | None) -> WeightedValues:
        """Return the distinct values of a figure and their weights; for ``models_destroyed`` also those of weight 0."""
        values, weights = self._values_and_weights(figure, moment)
        always = np.arange((self.scenario.target.models or 0) + 1 if figure == "models_destroyed" else 0)
        distinct, indices = np.unique(np.concatenate([always, values]), return_inverse=True)
        return distinct, _sum_by_index(weights, indices.reshape(-1)[len(always) :], len(distinct))

    def _distribution_of(self, columns: dict[str, NDArray[Any]], weights: NDArray[Any]) -> dict[str, NDArray[Any]]:
        stacked = np.stack([np.asarray(column, np.int64) for column in columns.values()])
        rows, indices = np.unique(stacked, axis=1, return_inverse=True)
        values = {name: row.astype(columns[name].dtype) for name, row in zip(columns, rows)}
        return values | share_columns(_sum_by_index(weights, indices.reshape(-1), rows.shape[1]), self.trials)

    def at_least(self, models: int, moment: int | None = None, *, figure: str = "models_destroyed") -> Estimate:
        """Return the probability that a figure, by default the models destroyed, is at least `models`."""
        check_integer(models, "models", 0)
        values, weights = self._marginal(figure, moment)
        above = np.append(np.cumsum(weights[::-1])[::-1], 0)  # summed in the order of `distribution`: same rounding
        return estimate(above[np.searchsorted(values, models)], self.trials)

    def __getitem__(self, figure: str | tuple[str, int]) -> Distribution:
        """Return the distribution of a figure, at the end or, as ``result["models_destroyed", 2]``, after attack 2.

        >>> import analyser
        >>> fight = {"attack": {"dice": 2}, "target": {"models": 4, "defence": 1, "damage_limit": 1}}
        >>> analyser.exact(fight)["models_destroyed"].quantile(0.5)
        2.0
        """
        name, moment = figure if isinstance(figure, tuple) else (figure, None)
        values, weights = self._marginal(name, moment)
        return Distribution(name, values, np.asarray(weights / (self.trials or 1), np.float64), self.trials)

    def metric(self, metric: str | Callable[[pd.DataFrame], Any]) -> Estimate | Mean | float:
        """Return a main figure by name, or a user metric.

        Parameters
        ----------
        metric : str or callable
            A name of `summary` or of :func:`analyser.metric`, or a function. The function gets the table of
            :meth:`to_frame` and returns a value for each outcome. The result is the mean of these values, or the
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
        function = metric if callable(metric) else function_of(metric)
        if function is not None:
            return value_of(self, function, "" if callable(metric) else metric)
        check_name(metric, "figure", [name for name, value in self.summary.items() if isinstance(value, float | int)])
        return self.summary[str(metric)]  # type: ignore[no-any-return]

    def _named_figures(
        self, events: Mapping[str, str], figures: Mapping[str, str], moment: int | None = None
    ) -> dict[str, Any]:
        """Return probabilities of events and means of figures, under the keys of the mappings."""
        result: dict[str, Any] = {}
        weights = [self._event_weight(event, moment) for event in events.values()]
        for name, estimated in zip(events, estimates.estimates(weights, self.trials)):
            result |= probability_figures(name, estimated)
        for name, figure in figures.items():
            result |= mean_figures(name, self.mean_with_interval(figure, moment))
        return result

    def _percentiles(self, name: str, figure: str, moment: int | None = None) -> dict[str, float]:
        percentiles = {"10th": estimates.LOW_PERCENTILE, "90th": estimates.HIGH_PERCENTILE}
        return {f"{name}_{rank}_percentile": self.quantile(figure, q, moment) for rank, q in percentiles.items()}

    def caption(self) -> list[str]:
        """Return the caption of a picture; by default the first text of the heading."""
        return [self.heading()[0][1]]

    @property
    def thin_means(self) -> tuple[str, ...]:
        """Means of the summary that have too few trials for the normal interval."""
        summary = self.summary if self.trials is not None else {}
        means = (name for name in summary if name.startswith(("mean_", "expected_")))
        return tuple(name for name in means if summary.get(f"{name}_interval") in ("gaffke", "blaker"))

    def precision_counts(self, precision: Precision) -> NDArray[Any]:
        """Return the counts whose intervals a precision limits: of events for a relative precision, otherwise all."""
        if precision.relative:
            return np.array([self._event_weight(name, None) for name in self.events])
        return np.concatenate([np.ravel(weight) for weight in self._all_weights()])

    def with_stopping(self, stopping: Stopping) -> Self:
        return replace(self, stopping=stopping)

    @abstractmethod
    def _all_weights(self) -> list[NDArray[Any]]:
        """Return the weights of all probabilities of this result."""

    def plot(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the result, by default on new Axes; `label`, `color`, `title` and others as in :mod:`analyser.plots`."""
        return self.plot_pmf(self.plotted_figure, ax=ax, **more)

    def plot_pmf(self, figure: str, moment: int | None = None, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the distribution of a figure (:func:`analyser.plots.distribution`); see :meth:`pmf`."""
        return plots.distribution(self, x=(figure, moment), ax=ax, **more)

    def as_dict(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "schema": self.schema,
            "headline": self.headline,
            "kind": self.kind,
            "method": self.method,
            "scenario": self.scenario.as_dict(),
        }
        record |= ruleset_record(getattr(self.scenario, "ruleset", None)) | profiles_record(self.profiles)
        if self.trials is not None:
            record |= {"trials": self.trials, "seed": self.seed}
        record |= {} if self.stopping is None else self.stopping.as_dict()
        if thin := self.thin_means:
            record |= {"thin_means": list(thin)}
        return record | self._body() | self.rules.as_dict() | {"warnings": list(self.warnings)}

    def __str__(self) -> str:
        return rendering.text([self])

    def _repr_html_(self) -> str:
        return notebook_html(rendering.blocks_of([self]), self.notes())


def _sum_by_index(weights: NDArray[Any], indices: NDArray[np.intp], length: int) -> NDArray[Any]:
    return np.bincount(indices, weights, length).astype(weights.dtype)


def share_columns(weights: NDArray[Any], trials: int | None) -> dict[str, NDArray[Any]]:
    """Return weights as columns: `probability`; if simulated, also `count`, `low`, `high` and `interval` (method)."""
    if trials is None:
        return {"probability": weights}
    low, high, methods = intervals(weights, trials)
    return {"probability": weights / trials, "count": weights, "low": low, "high": high, "interval": methods}


def result_sentence(first: str, second: str, wins: Estimate, loses: Estimate, draws: float) -> str:
    """Return a headline with the likeliest result of a fight between two sides: a win of either, or a draw.

    If the intervals of both wins overlap, it names no winner.

    >>> result_sentence("Reds", "Blues", Estimate(0.75), Estimate(0.2), 0.05)
    'Reds beats Blues 3 times in 4.'
    >>> result_sentence("Reds", "Blues", Estimate(0.46, 0.44, 0.48), Estimate(0.45, 0.43, 0.47), 0.09)
    'Reds and Blues are about equally likely to win.'
    """
    first, second = (
        (loadout_name(first), loadout_name(second)) if first != second else (f"{first} (first)", f"{second} (second)")
    )
    if draws > max(wins, loses):
        return frequency_sentence(f"{first} and {second}", "draw", draws)
    (least, most), (least_lost, most_lost) = map(_ends, (wins, loses))
    if max(least, least_lost) <= min(most, most_lost):
        about = "" if wins.low is None else "about "
        return f"{first} and {second} are {about}equally likely to win."
    winner, loser, share = (first, second, wins) if wins >= loses else (second, first, loses)
    return frequency_sentence(winner, f"beats {loser}", share)


def _ends(probability: Estimate) -> tuple[float, float]:
    if probability.low is None or probability.high is None:  # exact except for rounding errors
        return probability - 1e-9, probability + 1e-9
    return probability.low, probability.high
