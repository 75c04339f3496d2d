"""What several attacks on one target come to (AC-9.1): the target after each of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, check_integer, did_you_mean, shown
from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE, Estimate, mean_figures, points_figures
from analyser.common.text import counted, points_text, rating_text, with_error
from analyser.game.units import MOST_MODELS
from analyser.results import rules_used, states
from analyser.results.attack import ALWAYS_SHOWN
from analyser.results.base import chance_figures, distribution_block, estimate_in
from analyser.results.rendering import Block
from analyser.results.states import Endings, FightResult, unit_line
from analyser.scenarios.attack import Scenario
from analyser.scenarios.combatant import keeps_damage
from analyser.scenarios.focus import FocusScenario

if TYPE_CHECKING:
    import pandas as pd

UNTIL = ("suppressed", "broken", "destroyed", "annihilated")
EVENTS = ("suppressed", "disordered", "activated", "fell_back", "broken", "fled", "destroyed", "annihilated")


class Until(NamedTuple):
    """How many attacks a fate takes.

    Attributes
    ----------
    attacks : int or None
        After so many it is as likely as was asked; None: not with these attacks.
    probability : Estimate
        Its probability after so many; after all of them, where that is not enough.
    """

    attacks: int | None
    probability: Estimate


@dataclass(frozen=True, repr=False, kw_only=True)
class FocusResult(FightResult):
    """What several attacks on one target come to.

    Attributes
    ----------
    endings : tuple of Endings
        After each attack; the target is the second side.
    wanted : (float, str) or None
        How likely which fate is to become: then the answer says after how many attacks it is (:meth:`until`).
    """

    kind = "focus"
    moment_noun = "attack"
    events = EVENTS
    figures = ("models_left", "models_destroyed", "damage")

    scenario: FocusScenario
    endings: tuple[Endings, ...]
    wanted: tuple[float, str] | None = None

    @property
    def _moments(self) -> tuple[Endings, ...]:
        return self.endings

    @property
    def models(self) -> int:
        """Models of the target before the first attack."""
        return self.scenario.target.models or 0

    def event(self, name: str, moment: int | None = None) -> NDArray[np.bool_]:
        """Whether `name`, one of :attr:`events`, holds of the target after that attack, an entry an ending."""
        return _event(self.after(moment).second, name)

    def values(self, figure: str, moment: int | None = None) -> NDArray[np.int64]:
        """A figure of the target after that attack, an entry an ending."""
        return self._value(figure, self.after(moment).second, self.scenario.target)

    def _support(self, figure: str) -> NDArray[np.int64]:
        return np.arange(self.models + 1 if figure == "models_destroyed" else 0)

    def at_least(self, models: int, attack: int | None = None) -> Estimate:
        """The probability that so many models or more are destroyed after that attack. Default: the last.

        Raises
        ------
        InputError
            Not an integer, or no such attack.
        """
        check_integer(models, "models", 0)
        ending = self.after(attack)
        return ending.chance(states.models_destroyed(ending.second, self.models) >= models)

    def until(self, share: float, fate: str = "annihilated") -> Until:
        """How many of the attacks it takes until a fate is at least that likely.

        Parameters
        ----------
        share : float
            Above 0, up to 1.
        fate : str
            ``suppressed`` (or removed in any way), ``broken``, ``destroyed`` (its last model by damage), or
            ``annihilated`` (removed in any way, AC-5.9).

        Raises
        ------
        InputError
            Another fate, or a share out of range.
        """
        if fate not in UNTIL:
            raise InputError(
                f"no fate {shown(fate)}{did_you_mean(str(fate), UNTIL)}", where="until", allowed=", ".join(UNTIL)
            )
        if not isinstance(share, int | float) or not 0 < share <= 1:
            raise InputError(f"{shown(share)} is not usable", where="until", allowed="a probability above 0, up to 1")
        chance = Estimate(0.0)
        for number, ending in enumerate(self.endings, start=1):
            happened = _event(ending.second, fate)
            chance = ending.chance(happened | states.is_removed(ending.second) if fate == "suppressed" else happened)
            if chance.probability >= share - 1e-12:
                return Until(number, chance)
        return Until(None, chance)

    @cached_property
    def conditions(self) -> list[dict[str, Any]]:
        """What the rules make of each attack on the target as it stands at the start, as of a single attack."""
        return [rules_used.conditions(each, each.fight) for each in self.scenario.attacks]

    def rounds(self) -> list[dict[str, Any]]:
        """The figures after each attack, a plain dict an attack; with what it cost its own unit, where one can."""
        return [self._figures(number) | self.own_losses(number) for number in range(1, len(self.endings) + 1)]

    def own_losses(self, attack: int) -> dict[str, Any]:
        """What that attack has cost the unit that made it (Overcharge, Tail Gunner); empty if none costs anything."""
        if not self.scenario.at_risk:
            return {}
        return figures(self.scenario.attacks[attack - 1], self.after(attack))

    def _figures(self, number: int) -> dict[str, Any]:
        ending, scenario = self.after(number), self.scenario.attacks[number - 1]
        destroyed = states.models_destroyed(ending.second, self.models)
        figures: dict[str, Any] = {
            "attack": number,
            "attacker": scenario.attack.attacker,
            "row": scenario.attack.row,
            "p_made": 1.0 if number == 1 else 1 - self.probability("annihilated", number - 1).probability,
        }
        for name in EVENTS:
            figures |= chance_figures(f"p_{name}", self.probability(name, number))
        figures |= ending.mean_figures("mean_models_left", states.models_left(ending.second))
        figures |= ending.mean_figures("mean_models_destroyed", destroyed)
        figures |= ending.mean_figures("mean_damage_left", states.damage(ending.second))
        figures["models_destroyed_10th_percentile"] = ending.percentile(destroyed, LOW_PERCENTILE)
        figures["models_destroyed_90th_percentile"] = ending.percentile(destroyed, HIGH_PERCENTILE)
        return figures

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The figures after the last attack, and the victory points to be expected (AC-5.9)."""
        figures = {
            name: value
            for name, value in self._figures(len(self.endings)).items()
            if name not in ("attack", "attacker", "row", "p_made")
        }
        last, rating = self.after(), self.scenario.target.victory_points
        figures |= points_figures("expected_victory_points", rating, last.mean(states.is_removed(last.second)))
        if self.scenario.at_risk:
            figures |= self._points_lost()
        return figures

    def _points_lost(self) -> dict[str, float | None]:
        """Mean victory points for the other side; None if the rating of an attacker that can be gone is not known.

        Of a sample the standard error is the sum of those of the attackers, which is not exceeded, however their fates
        hang together in a trial.
        """
        name, lost, error = "expected_victory_points_lost", 0.0, 0.0
        for attacker, ending in zip(self.scenario.attackers, self.endings):
            gone = states.is_removed(ending.first)
            rating = None if attacker is None else attacker.victory_points
            if rating is None and gone.any():
                return {name: None}
            mean, its_error = ending.mean((rating or 0) * gone)
            lost, error = lost + mean, error + (its_error or 0.0)
        return {**mean_figures(name, lost, None if self.exact else error)}

    def table(self) -> dict[str, NDArray[Any]]:
        """The target after each attack as columns by name; see :meth:`to_frame`."""
        parts = []
        for number, ending in enumerate(self.endings, start=1):
            words = ending.second
            columns = {
                "models_left": states.models_left(words),
                "models_destroyed": states.models_destroyed(words, self.models),
                "damage": states.damage(words),
                **{name: _event(words, name) for name in EVENTS},
            }
            found = ending.table(columns)
            parts.append({"attack": np.full(len(found["probability"]), number), **found})
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def rows(self) -> list[dict[str, Any]]:
        """The figures after each attack: what ``--format csv`` prints."""
        return self.rounds()

    def to_frame(self) -> pd.DataFrame:
        """The distribution of the target after each attack, one row an attack and outcome.

        Returns
        -------
        DataFrame
            `attack` (1 is the first), `models_left`, `models_destroyed`, `damage`, the statuses and fates, and
            `probability`; of a sample also `count`, `low`, `high`.
        """
        return super().to_frame()

    def _body(self) -> dict[str, Any]:
        attacks = []
        for number, figures in enumerate(self.rounds(), start=1):
            destroyed = self.distribution("models_destroyed", number)
            attacks.append(figures | {"conditions": self.conditions[number - 1], "models_destroyed": destroyed})
        body = {"attacks": attacks, "summary": self.summary}
        if self.wanted is None:
            return body
        share, fate = self.wanted
        found = self.until(share, fate)
        chance = chance_figures("probability", found.probability)
        chance = {name.removeprefix("probability_"): value for name, value in chance.items()}
        return body | {"until": {"share": share, "fate": fate, "attacks": found.attacks, **chance}}

    _drawn = "models_destroyed"

    def heading(self) -> list[tuple[str, str]]:
        """What was asked, as labels and texts."""
        struck = self.scenario.target
        lines = [("Focus fire", f"{counted(len(self.endings), 'attack')} on {struck.unit or 'a unit'}")]
        lines += [("Target", unit_line(struck))]
        for number, each in enumerate(self.conditions, start=1):
            dice = counted(each["dice"], "die", "dice")
            line = f"{number}: {dice}, {rating_text(each)}, against DEFENCE {each['defence']}"
            lines.append(("Attacks" if number == 1 else "", line))
        return lines

    def blocks(self) -> list[Block]:
        """The answer as text, block by block."""
        last = distribution_block(self.distribution("models_destroyed"), "After the last", "models destroyed")
        blocks = [_after_each(self), last._replace(beside=False)]
        if self.wanted is not None:
            share, fate = self.wanted
            blocks.append(Block(_until_line(self.until(share, fate), share, fate, len(self.endings))))
        points = [["Expected victory points", points_text(self.summary, "expected_victory_points")]]
        if self.scenario.at_risk:
            points.append(["Expected victory points lost", points_text(self.summary, "expected_victory_points_lost")])
        return [*blocks, Block(rows=points)]


def _event(words: NDArray[np.int64], name: str) -> NDArray[np.bool_]:
    return states.has_fate(words, name) if name == "destroyed" else states.flag(words, name)


ATTACKER_EVENTS = ("suppressed", "annihilated")


def figures(scenario: Scenario, ending: Endings) -> dict[str, Any]:
    """What an attack has cost its own unit, by name; `ending`: how both stand after it."""
    words = ending.first
    found: dict[str, Any] = {}
    for name in ATTACKER_EVENTS:
        found |= chance_figures(f"p_attacker_{name}", ending.chance(states.flag(words, name)))
    missing = MOST_MODELS - (scenario.attack.attacker_models or MOST_MODELS)  # of a side with as many as there can be
    destroyed = states.models_destroyed(words, MOST_MODELS) - missing
    found |= ending.mean_figures("mean_attacker_models_destroyed", destroyed)
    return found | ending.mean_figures("mean_attacker_damage_left", states.damage(words))


_OWN = {
    "mean_attacker_models_destroyed": "own models lost",
    "mean_attacker_damage_left": "own damage left",
    "p_attacker_annihilated": "own unit gone",
}


def _after_each(result: FocusResult) -> Block:
    numbers = range(1, len(result.endings) + 1)
    probabilities = {name: [result.probability(name, number) for number in numbers] for name in EVENTS}
    shown = [
        name for name in EVENTS if name in ALWAYS_SHOWN or any(each.probability > 0 for each in probabilities[name])
    ]
    own = _OWN if result.scenario.at_risk else {}
    damage = ["damage left"] if keeps_damage(result.scenario.target) else []
    head = ["attack", "by", "models left", *damage, *(name.replace("_", " ") for name in shown), *own.values()]
    rows = []
    for number, figures, scenario in zip(numbers, result.rounds(), result.scenario.attacks):
        attack = scenario.attack
        by = f"{attack.attacker or 'no profile'}{f', {attack.row}' if attack.row else ''}"
        cells = [str(probabilities[name][number - 1]) for name in shown]
        cells += [
            with_error(figures, name) if name.startswith("mean") else str(estimate_in(figures, name)) for name in own
        ]
        left = [with_error(figures, f"mean_{what.replace(' ', '_')}") for what in ("models left", *damage)]
        rows.append([str(number), by, *left, *cells])
    return Block("After each attack", head, rows, "><>")


def _until_line(found: Until, share: float, fate: str, attacks: int) -> str:
    wanted = f"{100 * share:g}% likely to be {fate}{' or removed' if fate == 'suppressed' else ''}"
    if found.attacks is None:
        return f"Not {wanted} with {'this attack' if attacks == 1 else f'these {attacks} attacks'}: {found.probability}"
    return f"{wanted[0].upper()}{wanted[1:]} after {counted(found.attacks, 'attack')}: {found.probability}"
