"""What several attacks on one target come to (AC-9.1): the target after each of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE, Estimate, Method, mean_figures, points_figures
from analyser.common.sampling import check_whole
from analyser.common.text import aligned, counted, points_said, shown_range, with_error
from analyser.game.profiles import profiles_record
from analyser.game.units import MOST_MODELS
from analyser.results import rules_used, states
from analyser.results.attack import ALWAYS_SHOWN
from analyser.results.rules_used import Account
from analyser.results.states import Endings, chance_figures
from analyser.scenarios.combatant import keeps_damage
from analyser.scenarios.encode import fight_of
from analyser.scenarios.load import FocusScenario
from analyser.scenarios.schema import Scenario

if TYPE_CHECKING:
    import pandas as pd

FATES = ("suppressed", "broken", "destroyed", "annihilated")
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


@dataclass(frozen=True, repr=False)
class FocusResult:
    """What several attacks on one target come to.

    Attributes
    ----------
    scenario : FocusScenario
    method : "exact" or "monte-carlo"
    endings : tuple of Endings
        After each attack; the target is the second side.
    account : Account
    seed : int or None
    """

    scenario: FocusScenario
    method: Method
    endings: tuple[Endings, ...]
    account: Account
    seed: int | None = None

    def __str__(self) -> str:
        """What the command line prints."""
        from analyser.results.rendering import fight_text

        return fight_text([self])

    __repr__ = __str__  # a shell shows what is printed

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact."""
        return self.method == "exact"

    @property
    def trials(self) -> int | None:
        """Sequences that were played; None of an exact answer."""
        return self.endings[0].trials

    @property
    def models(self) -> int:
        """Models of the target before the first attack."""
        return self.scenario.target.models or 0

    def after(self, attack: int | None = None) -> Endings:
        """How the target stands after that attack, 1 or more; left out: after the last.

        Raises
        ------
        InputError
            No such attack.
        """
        return states.moment(self.endings, attack, "attack")

    def probability(self, name: str, attack: int | None = None) -> Estimate:
        """The probability of an event such as ``broken`` after that attack, 1 or more; left out: after the last.

        Examples
        --------
        >>> import analyser
        >>> result = analyser.focus(["crown/rifle-p@reinf"] * 2, "imperium/scion-grenadier-p@basic")
        >>> print(result.probability("annihilated", 1), result.probability("annihilated"), sep=", ")
        67.86%, 99.26%
        """
        ending = self.after(attack)
        if name not in EVENTS:
            raise InputError(
                f"no event {shown(name)}{did_you_mean(name, EVENTS)}", where="probability", allowed=", ".join(EVENTS)
            )
        return ending.chance(_event(ending.second, name))

    def at_least(self, models: int, attack: int | None = None) -> Estimate:
        """The probability that so many models or more are destroyed after that attack; left out: after the last.

        Raises
        ------
        InputError
            No whole number of models, or no such attack.
        """
        check_whole(models, "models", 0)
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
        if fate not in FATES:
            raise InputError(
                f"no fate {shown(fate)}{did_you_mean(str(fate), FATES)}", where="until", allowed=", ".join(FATES)
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
        return [rules_used.conditions(each, fight_of(each)) for each in self.scenario.attacks]

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

    def models_destroyed(self, attack: int | None = None) -> list[dict[str, Any]]:
        """The law of models destroyed after that attack: value, probability, and that of at least so many."""
        ending = self.after(attack)
        destroyed = states.models_destroyed(ending.second, self.models)
        rows = []
        for value in range(self.models + 1):
            one, more = ending.chance(destroyed == value), ending.chance(destroyed >= value)
            row: dict[str, Any] = {"value": value, "probability": one.probability, "at_least": more.probability}
            if not self.exact:
                row |= {"low": one.low, "high": one.high, "at_least_low": more.low, "at_least_high": more.high}
            rows.append(row)
        return rows

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

    def to_frame(self) -> pd.DataFrame:
        """The law of the target after each attack, one row an attack and outcome.

        Returns
        -------
        DataFrame
            `attack` (1 is the first), `models_left`, `models_destroyed`, `damage`, the statuses and fates, and
            `probability`; of a sample also `count`, `low`, `high`.
        """
        import pandas as pd

        return pd.DataFrame(self.table())

    def as_dict(self) -> dict[str, Any]:
        """The result as plain data: what ``--format json`` prints (`docs/fights.md`)."""
        found: dict[str, Any] = {"kind": "focus", "method": self.method, "scenario": self.scenario.as_dict()}
        found |= profiles_record(self.scenario.profiles)
        if self.trials is not None:
            found |= {"trials": self.trials, "seed": self.seed}
        return found | {
            "attacks": [
                figures | {"conditions": self.conditions[number - 1], "models_destroyed": self.models_destroyed(number)}
                for number, figures in enumerate(self.rounds(), start=1)
            ],
            "summary": self.summary,
            **self.account.as_dict(),
        }


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


def focus_blocks(result: FocusResult, title: str, until: tuple[float, str] | None) -> list[list[str]]:
    """The blocks of lines of one answer; `title` tells methods apart."""
    blocks = [[f"After each attack{title}", *_after_each(result)], [f"After the last{title}", *_destroyed(result)]]
    if until is not None:
        share, fate = until
        blocks.append([_until_line(result.until(share, fate), share, fate, len(result.endings)) + title])
    points = [["Expected victory points", points_said(result.summary, "expected_victory_points")]]
    if result.scenario.at_risk:
        points.append(["Expected victory points lost", points_said(result.summary, "expected_victory_points_lost")])
    blocks.append(aligned(points, "<"))
    return blocks


def _chance(figures: dict[str, Any], name: str) -> Estimate:
    return Estimate(figures[name], figures.get(f"{name}_low"), figures.get(f"{name}_high"))


def _after_each(result: FocusResult) -> list[str]:
    numbers = range(1, len(result.endings) + 1)
    chances = {name: [result.probability(name, number) for number in numbers] for name in EVENTS}
    shown = [name for name in EVENTS if name in ALWAYS_SHOWN or any(each.probability > 0 for each in chances[name])]
    own = _OWN if result.scenario.at_risk else {}
    damage = ["damage left"] if keeps_damage(result.scenario.target) else []
    rows = [["attack", "by", "models left", *damage, *(name.replace("_", " ") for name in shown), *own.values()]]
    for number, figures, scenario in zip(numbers, result.rounds(), result.scenario.attacks):
        attack = scenario.attack
        by = f"{attack.attacker or 'no profile'}{f', {attack.row}' if attack.row else ''}"
        cells = [str(chances[name][number - 1]) for name in shown]
        cells += [with_error(figures, name) if name.startswith("mean") else str(_chance(figures, name)) for name in own]
        left = [with_error(figures, f"mean_{what.replace(' ', '_')}") for what in ("models left", *damage)]
        rows.append([str(number), by, *left, *cells])
    return aligned(rows, "><>")


def _destroyed(result: FocusResult) -> list[str]:
    law = result.models_destroyed()
    first, last = shown_range([row["probability"] for row in law], [row["at_least"] for row in law])
    rows = [["models destroyed", "probability", "at least"]]
    for row in law[first : last + 1]:
        one = Estimate(row["probability"], row.get("low"), row.get("high"))
        more = Estimate(row["at_least"], row.get("at_least_low"), row.get("at_least_high"))
        rows.append([str(row["value"]), str(one), "100%" if row["value"] == 0 else str(more)])
    return aligned(rows, ">", gap=" | ")


def _until_line(found: Until, share: float, fate: str, attacks: int) -> str:
    wanted = f"{100 * share:g}% likely to be {fate}{' or removed' if fate == 'suppressed' else ''}"
    if found.attacks is None:
        return f"Not {wanted} with {'this attack' if attacks == 1 else f'these {attacks} attacks'}: {found.probability}"
    return f"{wanted[0].upper()}{wanted[1:]} after {counted(found.attacks, 'attack')}: {found.probability}"
