"""Result of a single attack: the joint distribution of the outcome, exact or simulated, and its display."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.errors import InputError, shown
from analyser.common.estimates import probability_figures
from analyser.common.kernel_records import python_copy
from analyser.common.means import values_of_unit, victory_points_figures
from analyser.common.method_settings import Sampling
from analyser.common.precision import LONGEST_PILOT
from analyser.common.text import counted, frequency_sentence, rating_text, rows_of_columns, spaced
from analyser.engine.attack.exact import exact_attack
from analyser.engine.attack.simulated import Sample, outcomes_of, plan_for
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.engine.pool.pmf import interpreted_seconds
from analyser.game.names import loadout_name
from analyser.game.ruleset import Face, Rating
from analyser.game.units import MOST_MODELS
from analyser.results import rules_used
from analyser.results.base import Result, RulesUsed, WeightedValues, share_columns
from analyser.results.rendering import distribution_block, figure_rows
from analyser.results.states import BIT_OF_FLAG, FLAGS, die_and_deck
from analyser.rules import discipline
from analyser.rules.attack import Scores, bonuses_of, combat_rating, is_concealed, penalties_of, sum_by_hits
from analyser.rules.draws import odds_of
from analyser.rules.structs import NONE, AttackFacts, Bonus, FightFacts, Penalty, Sight, TargetFacts, Test
from analyser.scenarios.attack import Scenario
from analyser.scenarios.schema import Attack, Combatant, Target

UNIT_FIGURES = ("models_left", "models_destroyed", "damage_left")
ATTACKER_LOSSES = ("attacker_models_destroyed", "attacker_damage_left")
ALWAYS_SHOWN = ("suppressed", "broken", "annihilated")
SHOWN_IF_POSSIBLE = ("disordered", "activated", "fell_back", "fled")

_SHIFTS = {  # lowest bit of each figure in a packed outcome
    "models_left": 0,
    "models_destroyed": discipline.MODELS_DESTROYED,
    "damage_left": discipline.DAMAGE,
    "attacker_models_destroyed": discipline.ATTACKER_DESTROYED,
    "attacker_damage_left": discipline.ATTACKER_DAMAGE,
}
_FATE_BITS = discipline.ANNIHILATED | discipline.BROKEN | discipline.FLED


def figure_of(outcomes: Any, name: str) -> Any:
    """Return a figure or a flag of one packed outcome, or of an array of them."""
    if name in _SHIFTS:
        return outcomes >> _SHIFTS[name] & (1 << discipline.BITS) - 1
    if name == "destroyed":  # annihilated, but not broken or fled
        return outcomes & _FATE_BITS == discipline.ANNIHILATED
    return outcomes & BIT_OF_FLAG[name] != 0


@dataclass(frozen=True, repr=False, kw_only=True)
class AttackResult(Result):
    """Result of an attack.

    Attributes
    ----------
    outcomes : int64 array, shape (n,)
        The distinct outcomes, each packed into an integer. Read them with :meth:`column` or :meth:`to_frame`, which has
        `models_left`, `models_destroyed`, `damage_left`, statuses, fates and `probability`; if simulated, also `count`,
        `low`, `high`, `interval`.
    weights : array, shape (n,)
        Their probabilities (float64) or simulated counts (int64).
    scores : Scores
        Possible results of the dice pool.
    score_weights : array
        Their probabilities or counts.
    conditions : mapping
        Effects of the rules: dice, rating, effective DEFENCE and so on.
    building_wrecked_weight : float or None
        Probability or count of a wrecked building (AC-6); None if no die is rolled for a building.
    """

    kind = "attack"
    events = (*FLAGS, "activated", "destroyed", "building_wrecked")
    figures = ("hits", *UNIT_FIGURES, *ATTACKER_LOSSES)

    scenario: Scenario
    outcomes: NDArray[np.int64]
    weights: NDArray[Any]
    scores: Scores
    score_weights: NDArray[Any]
    conditions: dict[str, Any]
    building_wrecked_weight: float | None = None

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of the outcomes, such as ``models_destroyed`` or ``broken``."""
        return np.asarray(figure_of(self.outcomes, name))

    def _event_weight(self, name: str, moment: int | None) -> float:
        _check_moment(moment)
        if name == "building_wrecked":
            return self.building_wrecked_weight or 0
        return float(self.weights[self.column(name)].sum())

    def _weighted_values(self, figure: str, moment: int | None) -> WeightedValues:
        _check_moment(moment)
        if figure == "hits":
            return np.arange(len(self.hits_weights)), self.hits_weights
        return self.column(figure), self.weights

    def _possible_values(self, figure: str) -> NDArray[Any]:
        if figure == "hits":
            return np.arange(len(self.hits_weights))
        attack, target = self.scenario.attack, self.scenario.target
        if figure.startswith("attacker_"):
            if not attack.overcharge:
                return np.arange(1)
            return values_of_unit(figure, attack.attacker_models or MOST_MODELS, attack.attacker_damage_limit)
        return values_of_unit(figure, target.models, target.damage_limit)

    def _all_weights(self) -> list[NDArray[Any]]:
        _, destroyed = self._marginal("models_destroyed", None)
        events = np.array([self._event_weight(name, None) for name in self.events])
        return [self.weights, self.hits_weights, destroyed, np.cumsum(destroyed), events]

    def caption(self) -> list[str]:
        return [text for label, text in self.heading() if label in ("Attack", "Row", "Distance", "Pool")]

    @cached_property
    def hits_weights(self) -> NDArray[Any]:
        """Probability or count of each number of hits."""
        return sum_by_hits(self.scores, self.score_weights)

    @cached_property
    def summary(self) -> dict[str, Any]:
        means = {f"mean_{name}": name for name in ("hits", *UNIT_FIGURES[1:])}
        if self.scenario.attack.overcharge:
            means["mean_attacker_models_destroyed"] = "attacker_models_destroyed"
        events = (*FLAGS, *(["activated"] if "activated" in self._extra_columns else []))
        summary = self._named_figures({f"p_{name}": name for name in events}, means)
        summary |= self._percentiles("models_destroyed", "models_destroyed")
        removal = self.column("annihilated"), self.weights, self.trials
        summary |= victory_points_figures("expected_victory_points", self.scenario.target.victory_points, *removal)
        if self.building_wrecked_weight is not None:
            summary |= probability_figures("p_building_wrecked", self.probability("building_wrecked"))
        return summary

    @property
    def _extra_columns(self) -> list[str]:
        """Columns of the JSON that only attacks with Cryo or Overcharge have."""
        attack = self.scenario.attack
        return [*(["activated"] if attack.has("Cryo") else []), *(ATTACKER_LOSSES if attack.overcharge else [])]

    def table(self, extra_columns: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
        names = [*UNIT_FIGURES, *FLAGS, *extra_columns]
        table = self.joint(("models_destroyed", *names))  # the first column sorts the rows
        return {name: table.pop(name) for name in names} | table

    def joint(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return the joint distribution of named events and figures, as columns."""
        return self._distribution_of({name: self.column(name) for name in names}, self.weights)

    def _body(self) -> dict[str, Any]:
        possible = np.flatnonzero(self.hits_weights)
        hits = {"hits": possible, **share_columns(self.hits_weights[possible], self.trials)}
        body = {
            "conditions": self.conditions,
            "outcomes": rows_of_columns(self.table()),
            "hits": rows_of_columns(hits),
            "models_destroyed": self.distribution("models_destroyed"),
            "summary": self.summary,
        }
        extra = self._extra_columns
        return body | ({"joint_outcomes": rows_of_columns(self.table(extra))} if extra else {})

    def heading(self) -> list[tuple[str, str]]:
        attack, target, conditions = self.scenario.attack, self.scenario.target, self.conditions
        attacker, unit = attack.attacker or "attack without a profile", target.unit or "target without a profile"
        lines = [("Attack", f"{attacker} -> {unit}")]
        if text := row_and_distance(attack):
            lines.append(("Distance" if attack.row is None else "Row", text))
        dice = counted(conditions["dice"], "die", "dice") + " and as many as the card shows" * attack.overcharge
        test = f"suppression, {conditions['suppression_test']}"
        if conditions["discipline"] is not None:
            modifiers = discipline_modifiers(*self.scenario.facts)
            test += f", {discipline_text(target.discipline or 0, conditions['discipline'], modifiers)}"
            test += " before losses and disorder"
        test += "" if target.break_limit is None else f"; BREAK LIMIT {target.break_limit}"
        pool = f"{dice}, {rating_text(conditions, ' rating')}"
        return [*lines, ("Pool", pool), ("Target", unit_line(target, conditions["defence"])), ("Test", test)]

    @property
    def headline(self) -> str:
        attacker, target = self.scenario.attack.attacker or "The attack", self.scenario.target.unit or "its target"
        return frequency_sentence(
            loadout_name(attacker), f"annihilates {loadout_name(target)}", self.probability("annihilated")
        )

    def blocks(self) -> list[Block]:
        minor = frozenset(_LABELS[f"p_{name}"] for name in SHOWN_IF_POSSIBLE if not self.summary.get(f"p_{name}"))
        destroyed = distribution_block(self.distribution("models_destroyed"), "Models destroyed")
        return [destroyed, Block(rows=figure_rows(self.summary, _LABELS), minor=minor, shares_table=True)]


_LABELS = {
    **{f"p_{name}": f"P({spaced(name)})" for name in (*ALWAYS_SHOWN, *SHOWN_IF_POSSIBLE, "building_wrecked")},
    "mean_hits": "Mean hits",
    "mean_models_destroyed": "Mean models destroyed",
    "mean_damage_left": "Mean damage left on the target",
    "mean_attacker_models_destroyed": "Mean models of the attacker destroyed",
    "models_destroyed_10th_percentile": "Models destroyed, 10th percentile",
    "models_destroyed_90th_percentile": "Models destroyed, 90th percentile",
    "expected_victory_points": "Expected victory points",
}


def row_and_distance(attack: Attack) -> str:
    """Return the row of an attack, the distance and its range band as text; empty without row and distance."""
    distance = "" if attack.distance is None else f'{attack.distance:g}"'
    if attack.row is None:
        return distance
    band = "short range" if "short_range" in attack.bonuses else "long range"
    return f"{attack.row} at {distance}, {band}" if distance else f"{attack.row}, distance not stated (within {band})"


def unit_line(unit: Target, defence: int | None = None) -> str:
    """Return a unit at the start of a fight as text; with the effective `defence`, as the target of one attack."""
    parts = [f"DEFENCE {unit.defence}" if defence is None else f"effective DEFENCE {defence}"]
    parts = [counted(unit.models or 0, "model"), *parts, f"DAMAGE LIMIT {unit.damage_limit}"]
    if defence is None:
        parts.append("no DISCIPLINE" if unit.discipline is None else f"DISCIPLINE {unit.discipline}")
        parts += [] if unit.break_limit is None else [f"BREAK LIMIT {unit.break_limit}"]
    parts += [f"{unit.damage} damage carried"] if unit.damage else []
    if defence is not None and unit.exposed is not None and unit.exposed < (unit.models or 0):
        parts.append(f"{unit.exposed} exposed")
    stated = ("suppressed", "disordered", "activated", "garrisoned", "taking_cover", "on_lookout", "reloading")
    parts += [spaced(name) for name in stated if getattr(unit, name, False)]
    if defence is None and unit.edge_distance is not None:
        parts.append(f'{unit.edge_distance:g}" from its edge')
    if isinstance(unit, Combatant) and unit.passengers is not None:
        parts.append(f"{counted(unit.passengers.models or 0, 'model')} embarked")
    return ", ".join(parts)


def _check_moment(moment: int | None) -> None:
    if moment not in (None, 1):
        raise InputError(f"{shown(moment)} is not usable", where="moment", allowed="1, because this is a single attack")


def solve_attack(scenario: Scenario, sampling: Sampling = Sampling()) -> AttackResult:  # noqa: B008 - it is frozen
    """Return the result of an attack.

    Raises InputError if an exact result would take too long, or a simulation has too many combinations of draws.
    """
    if sampling.is_exact:
        return _exact_result(scenario)
    sample = sample_of(scenario, sampling.seed)

    def result_with(settings: Sampling) -> AttackResult:
        assert settings.trials is not None
        sample.play_to(settings.trials, settings.n_threads, settings.report)
        return _simulated_result(scenario, sample, sample.counts, sample.trials, settings.seed)

    return sampling.solve(result_with, LONGEST_PILOT)


def result_without_rules(scenario: Scenario) -> AttackResult:
    """Return the exact result without conditions and rules, which take most of the time of a small attack."""
    bare = replace(scenario)
    bare.derived["head"] = {"scenario": scenario, "profiles": scenario.profiles, "conditions": {}, "rules": RulesUsed()}
    return _exact_result(bare)


def _exact_result(scenario: Scenario) -> AttackResult:
    fight = python_copy(scenario.fight)
    die, deck = die_and_deck(scenario.ruleset)
    exact_attack.compile_for(interpreted_seconds(fight, fight.dice + (len(deck) - 1 if fight.overcharge else 0)))
    faces, cards = die / die.sum(), deck / deck.sum()
    scores, pmf, outcomes, probabilities = exact_attack(scenario.fight, faces, cards, odds_of(die, deck))
    wrecked = float((die[Face.HEROIC] + die[Face.STRIKE]) / die.sum())
    return AttackResult(
        outcomes=outcomes,
        weights=probabilities,
        scores=scores,
        score_weights=pmf,
        building_wrecked_weight=wrecked if scenario.rolls_for_building else None,
        **_common_fields(scenario),
    )


def simulate_in_batches(
    scenario: Scenario, batches: int, sampling: Sampling
) -> tuple[AttackResult, tuple[AttackResult, ...]]:
    """Return a simulated result and the results of its batches, each of the same multiple of CHUNK_TRIALS trials.

    Two scenarios with the same seed use common random numbers in each batch, so their difference varies less.
    """
    trials = -(-sampling.first_trials() // (batches * CHUNK_TRIALS)) * CHUNK_TRIALS
    sample = sample_of(scenario, sampling.seed)
    results, before = [], sample.counts.copy()
    for batch in range(1, batches + 1):
        sample.play_to(batch * trials, sampling.n_threads)
        results.append(_simulated_result(scenario, sample, sample.counts - before, trials, sampling.seed))
        before = sample.counts.copy()
        sampling.report(batch * trials, batches * trials)
    return _simulated_result(scenario, sample, sample.counts, sample.trials, sampling.seed), tuple(results)


def sample_of(scenario: Scenario, seed: int) -> Sample:
    """Return a simulation of an attack that has not run any trials."""
    if "plan" not in scenario.derived:
        die, deck = die_and_deck(scenario.ruleset)
        scenario.derived["plan"] = plan_for(scenario.fight, die, deck, for_building=scenario.rolls_for_building)
    return Sample(scenario.derived["plan"], seed)


def _simulated_result(
    scenario: Scenario, sample: Sample, counts: NDArray[np.int64], trials: int, seed: int
) -> AttackResult:
    outcomes, weights = outcomes_of(sample.plan, counts)
    return AttackResult(
        outcomes=outcomes,
        weights=weights,
        scores=sample.plan.scores,
        score_weights=counts.sum(axis=(1, 2, 3)),
        building_wrecked_weight=int(counts[..., 0].sum()) if scenario.rolls_for_building else None,
        trials=int(trials),
        seed=int(seed),
        **_common_fields(scenario),
    )


def _common_fields(scenario: Scenario) -> dict[str, Any]:
    if "head" not in scenario.derived:
        fight = python_copy(scenario.fight)
        parts = {"conditions": rule_effects(scenario, fight), "rules": rules_used.rules_of_attack(scenario, fight)}
        scenario.derived["head"] = {"scenario": scenario, "profiles": scenario.profiles, **parts}
    return cast("dict[str, Any]", scenario.derived["head"])


_SIGHTS = {Sight.NONE: "no sight", Sight.SPOTTER: "spotter"}
_TESTS = {
    Test.NOT_TAKEN: "none",
    Test.BY_CARD: "by card",
    Test.PASSED: "passed without a card",
    Test.FAILED: "failed on purpose",
}


def rating_reasons(attack: AttackFacts, target: TargetFacts) -> dict[str, Any]:
    """Return the reasons for a combat rating (AC-3.1): the bonuses and penalties that apply.

    If something else determines the rating, `rating_by` names it: ``stated`` (by the scenario or, in a charge, by
    Sponsons or Throw), ``no sight`` (Indirect) or ``spotter`` (Indirect).
    """
    unrated: Any = copy(attack)
    unrated.stated_rating = NONE
    concealed, bonuses, penalties, rating_by = is_concealed(attack, target), 0, 0, None
    if attack.stated_rating not in (NONE, combat_rating(unrated, target, concealed)):
        rating_by = "stated"
    elif attack.sight != Sight.OWN:
        rating_by = _SIGHTS[Sight(attack.sight)]
    else:
        bonuses, penalties = bonuses_of(attack, target), penalties_of(attack, target, concealed)
    return {
        "bonuses": [flag.name.lower() for flag in Bonus if bonuses & flag],
        "penalties": [flag.name.lower() for flag in Penalty if penalties & flag],
        "rating_by": rating_by,
    }


def discipline_modifiers(attack: AttackFacts, target: TargetFacts) -> dict[str, int]:
    """Return the modifiers of a target's DISCIPLINE by rule, except house rules."""
    return {"Chain of Command (AC-7)": int(target.chain_of_command), "Suppressive (AC-6)": -int(attack.suppressive)}


def discipline_text(discipline: int, modified: int, modifiers: Mapping[str, int]) -> str:
    """Return a unit's DISCIPLINE and its modifiers as text; house rules cause the rest of the difference to `modified`.

    >>> discipline_text(8, 7, {"Suppressive": -1, "disorder": -1})
    'DISCIPLINE 8 with -1 for Suppressive, -1 for disorder, +1 for house rules'
    """
    modifiers = {**modifiers, "house rules": modified - discipline - sum(modifiers.values())}
    parts = ", ".join(f"{number:+d} for {name}" for name, number in modifiers.items() if number)
    return f"DISCIPLINE {discipline}" + f" with {parts}" * bool(parts)


def rule_effects(scenario: Scenario, fight: FightFacts) -> dict[str, Any]:
    """Return the effects of the rules in a scenario: pool, rating, effective DEFENCE and test.

    `discipline` leaves out the -1 for heavy losses and the -1 for a disordered unit, which are applied at the test.
    """
    by_card = fight.test == Test.BY_CARD
    return {
        "dice": int(fight.dice),
        "rating": Rating(fight.rating).name.lower(),
        **rating_reasons(*scenario.facts),
        "defence": int(fight.defence),
        "suppression_test": _TESTS[Test(fight.test)],
        "discipline": int(fight.discipline) if by_card else None,
    }
