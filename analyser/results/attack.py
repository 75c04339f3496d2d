"""What an attack does: the joint distribution of its outcome, or a sample of it, as plain numbers and tidy tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, check_integer, shown
from analyser.common.estimates import (
    HIGH_PERCENTILE,
    LOW_PERCENTILE,
    Estimate,
    estimate,
    mean_figures,
    mean_of,
    points_figures,
)
from analyser.common.text import counted, p_text, points_text, rating_text, records, with_error
from analyser.results.base import Result, Weighed, chance_figures, distribution_block, share_columns
from analyser.results.rendering import Block
from analyser.rules.damage import Scores, by_hits
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
from analyser.scenarios.attack import Scenario

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
    """One column of packed outcomes: integers, or bools for a flag; shape as `outcomes`."""
    if name in _PLACES:
        return np.asarray(outcomes >> _PLACES[name] & _MASK)
    return np.asarray((outcomes & BIT_OF_FLAG[name]) != 0)


@dataclass(frozen=True, repr=False, kw_only=True)
class AttackResult(Result):
    """What an attack does.

    Attributes
    ----------
    outcomes : int64 array, shape (n,)
        The distinct outcomes, packed, in rising order. Read them with :meth:`column` or :meth:`to_frame`.
    weights : array, shape (n,)
        Their probabilities (float64), or how often each was seen (int64, Monte Carlo).
    scores : Scores
    score_weights : array
        The same for the score of the pool (:mod:`analyser.rules.damage`).
    conditions : mapping
        What the rules made of the scenario: dice, rating, effective DEFENCE and so on.
    building_wrecked_weight : float or None
        The same for a building that is wrecked (AC-6); None where no die is rolled for one.
    """

    kind = "attack"
    events = (*FLAGS, *MORE_FLAGS, "building_wrecked")
    figures = ("hits", *NUMBERS, *MORE_NUMBERS)

    scenario: Scenario
    outcomes: NDArray[np.int64]
    weights: NDArray[Any]
    scores: Scores
    score_weights: NDArray[Any]
    conditions: dict[str, Any]
    building_wrecked_weight: float | None = None

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each of :attr:`outcomes`."""
        return np.asarray(self.weights / (self.trials or 1), np.float64)

    def column(self, name: str) -> NDArray[Any]:
        """One column of the outcomes, such as ``models_destroyed`` or ``broken``; shape (n,)."""
        return column(self.outcomes, name)

    def _event_weight(self, name: str, moment: int | None) -> float:
        _check_moment(moment)
        if name == "building_wrecked":
            return self.building_wrecked_weight or 0
        return float(self.weights[self.column(name)].sum())

    def _weighed(self, figure: str, moment: int | None) -> Weighed:
        _check_moment(moment)
        if figure == "hits":
            return np.arange(len(self.hits_weights)), self.hits_weights
        return self.column(figure), self.weights

    def _support(self, figure: str) -> NDArray[np.int64]:
        return np.arange((self.scenario.target.models or 0) + 1 if figure == "models_destroyed" else 0)

    def at_least(self, models: int) -> Estimate:
        """The probability that so many models or more, 0 or more, are destroyed."""
        check_integer(models, "models", 0)
        values, weights = self._marginal("models_destroyed", None)
        above = np.cumsum(weights[::-1])[::-1]  # as in a distribution, to the last bit
        place = np.searchsorted(values, models)
        return estimate(above[place] if place < len(above) else 0, self.trials)

    def _all_weights(self) -> list[NDArray[Any]]:
        destroyed = self.destroyed_weights
        flags = [self.weights[self.column(name)].sum() for name in FLAGS + MORE_FLAGS]
        last = [self.building_wrecked_weight or 0]
        return [self.weights, self.hits_weights, destroyed, np.cumsum(destroyed), np.array(flags), np.array(last)]

    _drawn = "models_destroyed"

    def caption(self) -> list[str]:
        """What a picture says of the question: units, row, pool."""
        return [text for label, text in self.heading() if label in ("Attack", "Row", "Distance", "Pool")]

    @cached_property
    def hits_weights(self) -> NDArray[Any]:
        """The weight of each number of hits: shape (most hits + 1,)."""
        return by_hits(self.scores, self.score_weights)

    @cached_property
    def destroyed_weights(self) -> NDArray[Any]:
        """The weight of each number of models destroyed: shape (models + 1,)."""
        models = self.scenario.target.models or 0
        pmf = np.zeros(models + 1, self.weights.dtype)
        np.add.at(pmf, self.column("models_destroyed"), self.weights)
        return pmf

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The main figures by name; each probability of a sample has its interval beside it."""
        figures: dict[str, Any] = {}
        for name in FLAGS + MORE_FLAGS if self._has_cryo else FLAGS:
            figures |= chance_figures(f"p_{name}", self.probability(name))
        means = {"mean_hits": "hits", "mean_models_destroyed": "models_destroyed", "mean_damage_left": "damage"}
        if self.scenario.attack.overcharge:
            means["mean_attacker_models_destroyed"] = "attacker_models_destroyed"
        for name, figure in means.items():
            figures |= mean_figures(name, *self.mean_with_error(figure))
        figures["models_destroyed_10th_percentile"] = self.quantile("models_destroyed", LOW_PERCENTILE)
        figures["models_destroyed_90th_percentile"] = self.quantile("models_destroyed", HIGH_PERCENTILE)
        gone = mean_of(self.column("annihilated"), self.weights, self.trials)
        figures |= points_figures("expected_victory_points", self.scenario.target.victory_points, gone)
        if self.building_wrecked_weight is not None:
            figures |= chance_figures("p_building_wrecked", self.probability("building_wrecked"))
        return figures

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
        """Whether the joint distribution knows more than the target's fate: Cryo's activated, Overcharge's losses."""
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
        return columns | share_columns(weights[order], self.trials)

    def to_frame(self, *, joint: bool = False) -> pd.DataFrame:
        """The joint distribution of the outcome, one row an outcome.

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
        found = super().as_dict()
        del found["assumptions"]  # an attack alone has none
        return found

    def _body(self) -> dict[str, Any]:
        possible = np.flatnonzero(self.hits_weights)
        hits = {"hits": possible, **share_columns(self.hits_weights[possible], self.trials)}
        body = {
            "conditions": self.conditions,
            "outcomes": records(self.table()),
            "hits": records(hits),
            "models_destroyed": self.distribution("models_destroyed"),
            "summary": self.summary,
        }
        return body | ({"joint_outcomes": records(self.table(joint=True))} if self.has_more else {})

    def heading(self) -> list[tuple[str, str]]:
        """What was asked, as labels and texts."""
        attack, target, conditions = self.scenario.attack, self.scenario.target, self.conditions
        attacker, unit = attack.attacker or "attack without a profile", target.unit or "target without a profile"
        where = "" if attack.distance is None else f' at {attack.distance:g}"'
        lines = [("Attack", f"{attacker} -> {unit}")]
        if attack.row is not None:
            lines.append(("Row", f"{attack.row}{where}"))
        elif where:
            lines.append(("Distance", where.removeprefix(" at ")))
        return [
            *lines,
            ("Pool", _pool_line(conditions, overcharge=attack.overcharge)),
            ("Target", self._target_line()),
            ("Test", _test_line(conditions, target.break_limit)),
        ]

    def _target_line(self) -> str:
        target = self.scenario.target
        parts = [
            counted(target.models or 0, "model"),
            f"effective DEFENCE {self.conditions['defence']}",
            f"DAMAGE LIMIT {target.damage_limit}",
        ]
        if target.damage:
            parts.append(f"{target.damage} damage carried")
        if target.exposed is not None and target.exposed < (target.models or 0):
            parts.append(f"{target.exposed} exposed")
        parts += [flag.replace("_", " ") for flag in _STATES if getattr(target, flag)]
        return ", ".join(parts)

    def blocks(self) -> list[Block]:
        """The answer as text, block by block."""
        return [distribution_block(self.distribution("models_destroyed"), "Models destroyed"), self._figures_block()]

    def _figures_block(self) -> Block:
        probabilities = {name: self.probability(name) for name in (*ALWAYS_SHOWN, *SHOWN_IF_POSSIBLE)}
        label = {name: f"P({name.replace('_', ' ')})" for name in probabilities}
        minor = {label[name] for name in SHOWN_IF_POSSIBLE if not probabilities[name].probability}
        rows = [[label[name], p_text(p)] for name, p in probabilities.items()]
        if self.building_wrecked_weight is not None:
            rows.append(["P(building wrecked)", p_text(self.probability("building_wrecked"))])
        rows += [[label, with_error(self.summary, name)] for name, label in _MEANS if name in self.summary]
        rows += [[label, str(self.summary[name])] for name, label in _PERCENTILES]
        rows.append(["Expected victory points", points_text(self.summary, "expected_victory_points")])
        return Block(rows=rows, minor=frozenset(minor), beside=True)


ALWAYS_SHOWN = ("suppressed", "broken", "annihilated")


SHOWN_IF_POSSIBLE = ("disordered", "activated", "fell_back", "fled")


def _pool_line(conditions: dict[str, Any], *, overcharge: bool) -> str:
    card = " and as many as a card says" if overcharge else ""
    return f"{counted(conditions['dice'], 'die', 'dice')}{card}, {rating_text(conditions, ' rating')}"


def _check_moment(moment: int | None) -> None:
    if moment not in (None, 1):
        raise InputError(f"{shown(moment)} is not usable", where="moment", allowed="1: there is one attack")


_STATES = ("suppressed", "disordered", "activated", "garrisoned", "taking_cover")


def _test_line(conditions: dict[str, Any], break_limit: int | None) -> str:
    line = str(conditions["suppression_test"])
    if conditions["discipline"] is not None:
        line += f", DISCIPLINE {conditions['discipline']} before losses and disorder"
    return line if break_limit is None else f"{line}; BREAK LIMIT {break_limit}"


_MEANS = (
    ("mean_hits", "Mean hits"),
    ("mean_models_destroyed", "Mean models destroyed"),
    ("mean_damage_left", "Mean damage left on the target"),
    ("mean_attacker_models_destroyed", "Mean models of the attacker destroyed"),
)


_PERCENTILES = (
    ("models_destroyed_10th_percentile", "Models destroyed, 10th percentile"),
    ("models_destroyed_90th_percentile", "Models destroyed, 90th percentile"),
)
