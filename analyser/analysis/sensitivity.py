"""Changes of a figure when a characteristic of either unit rises or falls by 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.comparison_figures import figures_of, title_of
from analyser.common.answer import Block, FramedAnswer, plain_rows, source_notes
from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN, Method
from analyser.common.metrics import (
    COMPARE_METRICS,
    PER_100_POINTS,
    MetricLike,
    checked_metric,
    figure_text,
    temporary_metric,
)
from analyser.common.validation import checked
from analyser.game.profiles import ProfilesLike, ProfilesUsed
from analyser.results.attack import solve_attack
from analyser.scenarios.attack import Scenario, scenario_between
from analyser.scenarios.load import Conditions, Question, Unit, attack_scenario
from analyser.scenarios.schema import Attack, ScenarioFile, Target

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHANGES = {"minus_1": -1, "plus_1": 1}


class Characteristic(NamedTuple):
    """A number on a unit's profile."""

    side: str  #: attacker or target
    name: str  #: in the rules
    key: str  #: in a scenario or a row


RANGES = ("short_range", "long_range")
_TARGET_NUMBERS = ("models", "DEFENCE", "DAMAGE LIMIT", "DISCIPLINE", "BREAK LIMIT", "victory points")
_ATTACKER_NUMBERS = ("Veteran", "short range", "long range")
CHARACTERISTICS = (
    Characteristic("attacker", "attack dice", "dice"),
    Characteristic("attacker", "models", "attacker_models"),
    *(Characteristic("attacker", name, name.lower().replace(" ", "_")) for name in _ATTACKER_NUMBERS),
    *(Characteristic("target", name, name.lower().replace(" ", "_")) for name in _TARGET_NUMBERS),
)
"""Every number of either unit that affects a ranged attack. Ranges do so only if the scenario has a distance."""


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(FramedAnswer):
    """Effect of each characteristic, lowered and raised by 1.

    Attributes
    ----------
    frame : DataFrame
        One row for each characteristic: `side`, `number` (its name), `value`, `metric`, `base` (the present figure),
        `minus_1` and `plus_1` (the figure with the change; NaN if the rules forbid it), `change_minus_1` and
        `change_plus_1` (these figures minus `base`); `why_not` has the reasons for impossible changes.
    at_least : int
        The k of P(at least k models destroyed).
    """

    frame: pd.DataFrame
    metric: str
    base: float
    at_least: int
    subject: str
    not_modelled: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None
    method: Method = "exact"

    schema = "analyser/sensitivity/1"

    @property
    def headline(self) -> str:
        title, changes = title_of(self.metric, self.at_least), self._largest_changes()
        if not changes.max() > 0:
            return f"A change of any single characteristic by 1 does not change {title}."
        row = self.frame.loc[changes.index[0]]
        return f"{title} depends most on the {row['side']}'s {row['number']}."

    def _body(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "metric": self.metric,
            "base": self.base,
            "at_least": self.at_least,
            "profiles": None,
            **(self.profiles.fight_entries() if self.profiles else {}),
            "not_modelled": list(self.not_modelled),
            "warnings": list(self.warnings),
            "numbers": plain_rows(self.frame),
        }

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw a tornado chart of the frame (:func:`analyser.plots.tornado`)."""
        return plots.tornado(self, quantity=title_of(self.metric, self.at_least), ax=ax, **more)

    def blocks(self) -> list[Block]:
        title, figure = title_of(self.metric, self.at_least), figure_text(self.metric, self.base)
        head = ["side", "number", "now", "one less", "one more"]
        rows = [
            [line["side"], line["number"], f"{line['value']:g}"]
            + [figure_text(self.metric, line[f"change_{name}"], change=True) for name in CHANGES]
            for line in self.frame.loc[self._largest_changes().index].to_dict("records")
        ]
        return [Block(f"{title}: {figure} at present ({self.method})"), Block(head=head, rows=rows, align="<<>")]

    def _largest_changes(self) -> pd.Series[float]:
        """Return the larger of the two changes (without sign) of each row, the largest first."""
        changes = self.frame[["change_minus_1", "change_plus_1"]].abs().max(axis=1).fillna(0)
        return changes.sort_values(ascending=False, kind="stable")

    def notes(self) -> list[str]:
        missing = self.frame.dropna(subset=["why_not"])
        notes = [f"Not possible for the {row.side}'s {row.number}: {row.why_not}." for row in missing.itertuples()]
        notes += [*source_notes(self.not_modelled, ()), *(self.profiles.sentences if self.profiles else ())]
        return notes + [f"Warning: {text}" for text in self.warnings]


def sensitivity(
    attacker: Unit | Scenario | Question,
    target: Unit | None = None,
    *,
    metric: MetricLike = "mean_models_destroyed",
    profiles: ProfilesLike | None = None,
    **conditions: Unpack[Conditions],
) -> Sensitivity:
    """Return the exact change of an attack's figure if each characteristic in turn rises or falls by 1.

    Parameters
    ----------
    attacker, target, profiles, conditions
        As in :func:`analyser.attack`: two units, or a whole scenario. With each change the attacker keeps its row;
        rating, short range and the dice of the armaments table are computed again. No unit gets more models than its
        level has.
    metric : str or callable
        A figure of :func:`analyser.compare`, not per 100 points.

    Examples
    --------
    >>> found = sensitivity("crown/rifle-platoon@basic", "imperium/krupp@basic")
    >>> defence = found.frame[found.frame["number"] == "DEFENCE"].iloc[0]
    >>> print(defence["change_plus_1"].round(3), defence["change_minus_1"].round(3))
    -0.717 1.377
    """
    metrics = {name: metric for name, metric in COMPARE_METRICS.items() if not name.endswith(PER_100_POINTS)}
    figure = checked_metric(metric, metrics=metrics)
    scenario = attack_scenario(attacker, target, conditions, profiles)
    at_least = ((scenario.target.models or 1) + 1) // 2
    values = {item: value for item in CHARACTERISTICS if (value := _value_of(scenario, item)) is not None}
    attacks: dict[tuple[Characteristic | None, str], Scenario] = {(None, ""): scenario}
    refusals: dict[Characteristic, list[str]] = {item: [] for item in values}
    for item in values:
        for name, by in CHANGES.items():
            try:
                attacks[item, name] = _with_change(scenario, item, by)
            except InputError as error:
                refusals[item].append(f"{'one more' if by > 0 else 'one less'}: {error}")
    with temporary_metric(figure):
        results = {key: solve_attack(attack) for key, attack in attacks.items()}
        by_attack = {
            key: float(figures_of(result, at_least, None, figure)[figure][0]) for key, result in results.items()
        }
    attacker_name = scenario.attack.attacker or "an attack without a profile"
    subject = f"{attacker_name} on {scenario.target.unit or 'a target without a profile'}"
    base, rows = by_attack[None, ""], []
    for item, value in values.items():
        row: dict[str, Any] = {"side": item.side, "number": item.name, "value": value, "metric": figure}
        figures = {name: by_attack.get((item, name), np.nan) for name in CHANGES}
        changes = {f"change_{name}": after - base for name, after in figures.items()}
        changes = {name: 0.0 if abs(change) < CERTAIN_WITHIN else change for name, change in changes.items()}
        row |= {"base": base, **figures, **changes}
        rows.append(row | {"why_not": "; ".join(refusals[item]) or None})
    return Sensitivity(
        frame=pd.DataFrame(rows),
        metric=figure,
        base=base,
        at_least=at_least,
        subject=subject + ("" if scenario.attack.distance is None else f' at {scenario.attack.distance:g}"'),
        not_modelled=results[None, ""].not_modelled,
        warnings=scenario.warnings,
        profiles=scenario.profiles and scenario.profiles._replace(ruleset=scenario.ruleset),
    )


def _value_of(scenario: Scenario, item: Characteristic) -> float | None:
    """Return the present value of a characteristic; None if it is missing or unused."""
    attacker, attack, key = scenario.attacker, scenario.attack, item.key
    if item.side == "target":
        return getattr(scenario.target, key)  # type: ignore[no-any-return]
    if key in RANGES:
        row = None if attacker is None or attack.row is None else attacker.unit.row(attack.row)
        return None if row is None or attack.distance is None else getattr(row, key)
    if key == "attacker_models" and (attacker is None or "behemoth" in attacker.unit.traits):
        return None  # a behemoth's dice depend on its damage; an attack without a profile has fixed dice
    return getattr(attack, key)  # type: ignore[no-any-return]


def _with_change(scenario: Scenario, item: Characteristic, by: int) -> Scenario:
    """Return the scenario with a characteristic changed by `by`; InputError if the rules forbid it."""
    attack, target, loadout = scenario.attack.model_dump(), scenario.target.model_dump(), scenario.attacker
    if scenario.rating_from_conditions() == scenario.attack.rating:
        attack["rating"] = None  # a rating from conditions is computed again (AC-3.1)
    value = (_value_of(scenario, item) or 0) + by
    unit = scenario.defender if item.side == "target" else loadout
    if by > 0 and item.name == "models" and unit is not None and value > unit.level.models:
        raise InputError(f"{unit.selector} has {unit.level.models} models")
    if item.side == "target":
        target[item.key] = value
    elif item.key in RANGES and loadout is not None:
        # Whether the target is in range, or in short range, depends on the new range (AC-4.1).
        attack["bonuses"] = tuple(bonus for bonus in scenario.attack.bonuses if bonus != "short_range")
        rows = tuple(
            row.model_copy(update={item.key: value}) if row.id == scenario.attack.row else row
            for row in loadout.unit.rows
        )
        loadout = loadout.model_copy(update={"unit": loadout.unit.model_copy(update={"rows": rows})})
    else:
        attack[item.key] = value
        if item.key == "attacker_models":  # the dice depend on the band of the armaments table (AC-2.3)
            attack |= {"dice": None, "dice_in_parentheses": None}
        elif item.key == "dice" and attack["dice_in_parentheses"] is not None:
            attack["dice_in_parentheses"] += by
    file = ScenarioFile(
        attack=checked(Attack, attack, where="attack"),
        target=checked(Target, target, where="target"),
        ruleset=scenario.ruleset,
    )
    return scenario_between(file, loadout, scenario.defender)
