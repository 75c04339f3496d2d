"""Result of several attacks on one target (AC-9.1), with the state of the target after each attack."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.errors import InputError, did_you_mean, is_number, shown
from analyser.common.estimates import Estimate, estimate, probability_figures
from analyser.common.means import mean_between, mean_figures, sum_of, values_of_unit, victory_points_figures
from analyser.common.method_settings import Sampling
from analyser.common.text import counted, frequency_sentence, rating_text, spaced
from analyser.engine.fight.exact.propagate import start_states
from analyser.game.names import loadout_name
from analyser.game.units import MOST_MODELS
from analyser.results import rules_used, states
from analyser.results.attack import ALWAYS_SHOWN, UNIT_FIGURES, row_and_distance, rule_effects, unit_line
from analyser.results.rendering import distribution_block, figure_rows, figure_text
from analyser.results.states import FightResult, solve_fight
from analyser.scenarios.focus import FocusScenario, focus_program
from analyser.scenarios.schema import TARGET_FATES

FOCUS_EVENTS = ("suppressed", "disordered", "activated", "fell_back", "broken", "fled", "destroyed", "annihilated")


class AttacksNeeded(NamedTuple):
    """Least number of attacks after which a fate has a wanted probability."""

    attacks: int | None  # None: all attacks together are not enough
    probability: Estimate  # probability of the fate after that number of attacks, or after all of them


def check_until(wanted: object) -> None:
    """Raise InputError unless `wanted` is a pair of a probability above 0, up to 1, and a fate."""
    if not isinstance(wanted, tuple | list) or len(wanted) != 2:
        allowed = f'a probability and a fate ({", ".join(TARGET_FATES)}), such as (0.8, "broken")'
        raise InputError(f"{shown(wanted)} is not usable", where="until", allowed=allowed)
    share, fate = wanted
    if fate not in TARGET_FATES:
        problem = f"unknown fate {shown(fate)}{did_you_mean(str(fate), TARGET_FATES)}"
        raise InputError(problem, where="until", allowed=", ".join(TARGET_FATES))
    if not is_number(share) or not 0 < share <= 1:
        raise InputError(f"{shown(share)} is not usable", where="until", allowed="a probability above 0, up to 1")


@dataclass(frozen=True, repr=False, kw_only=True)
class FocusResult(FightResult):
    """Result of several attacks on one target.

    Attributes
    ----------
    moments : tuple of JointStates
        States of both sides after each attack; the target is the second side. :meth:`to_frame` has a row for each
        attack and outcome: `attack` (from 1), figures, statuses, fates and `probability`; if simulated, also `count`,
        `low`, `high`, `interval`.
    wanted : (float, str) or None
        A probability and a fate, for which the result states the number of attacks needed (:meth:`until`).
    """

    kind = "focus"
    moment_noun = "attack"
    sides = ("target",)
    events = FOCUS_EVENTS
    figures = UNIT_FIGURES

    scenario: FocusScenario
    wanted: tuple[float, str] | None = None

    def _split(self, name: str) -> tuple[str, str]:
        return "target", name

    def until(self, share: float, fate: str = "annihilated") -> AttacksNeeded:
        """Return the number of attacks after which the probability of a fate is at least `share`.

        Parameters
        ----------
        share : float
            A probability above 0, up to 1.
        fate : str
            ``suppressed`` (and not removed), ``broken``, ``destroyed`` (the last model is destroyed by damage), or
            ``annihilated`` (removed in any way, AC-5.9).

        Raises
        ------
        InputError
            An unknown fate, or a probability out of range.
        """
        check_until((share, fate))
        probability = Estimate(0.0)
        for number, moment in enumerate(self.moments, start=1):
            probability = estimate(moment.weights[self.event(fate, number)].sum(), self.trials)
            if probability >= share - 1e-12:
                return AttacksNeeded(number, probability)
        return AttacksNeeded(None, probability)

    @cached_property
    def conditions(self) -> list[dict[str, Any]]:
        """Effects of the rules in each attack, as if the target were in its starting state."""
        return [rule_effects(attack, attack.fight) for attack in self.scenario.attacks]

    def rounds(self) -> list[dict[str, Any]]:
        """Return a plain dict for each attack: figures after it, `p_made` (it has a target), the attacker's losses."""
        rows, gone_before = [], 0.0
        for number, attack in enumerate(self.scenario.attacks, start=1):
            row = {"attack": number, "attacker": attack.attack.attacker, "row": attack.attack.row}
            row |= {"p_made": 1 - gone_before} | self._figures(number) | self._attacker_losses(number)
            rows.append(row)
            gone_before = float(self.probability("annihilated", number))
        return rows

    rows = rounds  # printed by ``--format csv``

    def _figures(self, number: int) -> dict[str, Any]:
        means = {f"mean_{name}": name for name in UNIT_FIGURES}
        figures = self._named_figures({f"p_{name}": name for name in FOCUS_EVENTS}, means, number)
        return figures | self._percentiles("models_destroyed", "models_destroyed", number)

    def _attacker_losses(self, number: int) -> dict[str, Any]:
        """Return the losses of the attacker in an attack (Overcharge, Tail Gunner); empty if no attacker is at risk."""
        if not self.scenario.at_risk:
            return {}
        own, _, weights = self.joint_states(number)
        losses: dict[str, Any] = {}
        for name in ("suppressed", "annihilated"):
            weight = weights[states.flag(own, name)].sum()
            losses |= probability_figures(f"p_attacker_{name}", estimate(weight, self.trials))
        attack = self.scenario.attacks[number - 1].attack
        models, limit = attack.attacker_models or MOST_MODELS, attack.attacker_damage_limit
        destroyed = states.models_destroyed(own, MOST_MODELS) - MOST_MODELS + models  # `own` counts from MOST_MODELS
        for name, values in (("models_destroyed", destroyed), ("damage_left", states.damage(own))):
            possible = values_of_unit(name.removesuffix("_left"), models, limit)
            losses |= mean_figures(f"mean_attacker_{name}", mean_between(values, weights, self.trials, possible))
        return losses

    @cached_property
    def summary(self) -> dict[str, Any]:
        summary = self._figures(len(self.moments))
        removal = self.event("annihilated"), self.moments[-1].weights, self.trials
        summary |= victory_points_figures("expected_victory_points", self.scenario.target.victory_points, *removal)
        return summary | (self._victory_points_lost() if self.scenario.at_risk else {})

    def _victory_points_lost(self) -> dict[str, Any]:
        """Return the mean victory points lost to the enemy; None if an attacker that can be removed has no rating.

        Standard errors and ends of intervals are added, which is valid for any correlation of the fates.
        """
        name, means = "expected_victory_points_lost", []
        for attacker, (own, _, weights) in zip(self.scenario.attackers, self.moments):
            gone = states.is_removed(own)
            rating = None if attacker is None else attacker.victory_points
            if rating is None and gone.any():
                return {name: None}
            means.append(mean_between(gone, weights, self.trials, np.arange(2)).times(rating or 0))
        return mean_figures(name, sum_of(means))

    def table(self) -> dict[str, NDArray[Any]]:
        parts = []
        for number in range(1, len(self.moments) + 1):
            part = self.joint((*self.figures, *FOCUS_EVENTS), number)
            parts.append({"attack": np.full(len(part["probability"]), number), **part})
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _body(self) -> dict[str, Any]:
        attacks = [
            figures | {"conditions": conditions, "models_destroyed": self.distribution("models_destroyed", number)}
            for number, (figures, conditions) in enumerate(zip(self.rounds(), self.conditions), start=1)
        ]
        body = {"attacks": attacks, "summary": self.summary}
        if self.wanted is None:
            return body
        share, fate = self.wanted
        attacks_needed, probability = self.until(share, fate)
        until = {"share": share, "fate": fate, "attacks": attacks_needed}
        return body | {"until": until | probability_figures("probability", probability)}

    def heading(self) -> list[tuple[str, str]]:
        target = self.scenario.target
        lines = [("Focus fire", f"{counted(len(self.moments), 'attack')} on {target.unit or 'a unit'}")]
        lines.append(("Target", unit_line(target)))
        for number, (scenario, condition) in enumerate(zip(self.scenario.attacks, self.conditions), start=1):
            dice = counted(condition["dice"], "die", "dice")
            pool = f"{dice}, {rating_text(condition)}, against DEFENCE {condition['defence']}"
            line = ": ".join(filter(None, (f"{number}", row_and_distance(scenario.attack), pool)))
            lines.append(("Attacks" if number == 1 else "", line))
        return lines

    @property
    def headline(self) -> str:
        attacks, target = counted(len(self.moments), "attack"), self.scenario.target.unit or "the target"
        verb = "annihilates" if len(self.moments) == 1 else "annihilate"
        return frequency_sentence(attacks, f"{verb} {loadout_name(target)}", self.probability("annihilated"))

    def blocks(self) -> list[Block]:
        last = distribution_block(self.distribution("models_destroyed"), "After the last attack", "models destroyed")
        blocks = [_attacks_block(self), last._replace(shares_table=False)]
        if self.wanted is not None:
            share, fate = self.wanted
            blocks.append(Block(_until_line(self.until(share, fate), share, fate, len(self.moments))))
        return [*blocks, Block(rows=figure_rows(self.summary, _POINTS_LABELS))]


def solve_focus(scenario: FocusScenario, sampling: Sampling) -> FocusResult:
    """Return the result of several attacks on one target."""
    setup, programs = focus_program(scenario.attacks, scenario.attackers)
    rules = rules_used.rules_of_focus(scenario, with_replacement=sampling.with_replacement)
    make_result = partial(FocusResult, rules=rules)
    return solve_fight(scenario, setup, programs, start_states(setup), sampling, make_result)


_POINTS_LABELS = {
    "expected_victory_points": "Expected victory points",
    "expected_victory_points_lost": "Expected victory points lost",
}
_ATTACKER_LABELS = {
    "mean_attacker_models_destroyed": "own models lost",
    "mean_attacker_damage_left": "own damage left",
    "p_attacker_annihilated": "own unit removed",
}


def _attacks_block(result: FocusResult) -> Block:
    rounds = result.rounds()
    columns = {"mean_models_left": "models left"}
    columns |= {"mean_damage_left": "damage left"} if result.scenario.target.keeps_damage else {}
    for name in FOCUS_EVENTS:
        if name in ALWAYS_SHOWN or any(figures[f"p_{name}"] for figures in rounds):
            columns[f"p_{name}"] = spaced(name)
    columns |= _ATTACKER_LABELS if result.scenario.at_risk else {}
    rows = []
    for figures in rounds:
        by = ", ".join(filter(None, (figures["attacker"] or "no profile", figures["row"])))
        rows.append([str(figures["attack"]), by, *(figure_text(figures, name) for name in columns)])
    return Block("After each attack", ["attack", "by", *columns.values()], rows, "><>")


def _until_line(until: AttacksNeeded, share: float, fate: str, attacks: int) -> str:
    if until.attacks is None:
        return f"P({fate}) after {counted(attacks, 'attack')} is below {100 * share:g}%: {until.probability}"
    return f"{100 * share:g}% likely to be {fate} after {counted(until.attacks, 'attack')}: {until.probability}"
