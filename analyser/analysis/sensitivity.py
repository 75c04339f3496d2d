"""Change of a figure with one more and one less of each number of either unit, and its value in points."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.comparison_figures import compared_side, gap, play, subject_of, title_of
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.errors import InputError
from analyser.common.estimates import Method
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import COMPARED, PER_100_POINTS, MetricLike, checked_metric, figure_text, temporary_metric
from analyser.common.precision import Stopping
from analyser.common.validation import checked
from analyser.game.profiles import ProfilesLike, ProfilesUsed
from analyser.game.units import Loadout
from analyser.results.rendering import method_line
from analyser.scenarios.attack import Scenario, scenario_between
from analyser.scenarios.load import Conditions, Question, Unit, asked_attack
from analyser.scenarios.schema import Attack, ScenarioFile, Target

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = {"minus_1": -1, "plus_1": 1}
POINTS_ARE = (
    "Points: the change in the figure, times the points per unit of the figure between the attacker's levels.",
    "For a change of the target: the points that the attacker would need (or save) for the same figure.",
    "An upper estimate, because levels also add endurance. Points per unit of the figure:",
)
# smallest change of a figure with a price; below it the price would be a ratio of rounding errors
_SMALLEST_GAIN = 1e-6


class Number(NamedTuple):
    """A number of the attacker or the target: its name in the rules, and its key in a scenario or a row."""

    side: str
    name: str
    key: str


RANGES = ("short_range", "long_range")
_OF_TARGETS = ("models", "DEFENCE", "DAMAGE LIMIT", "DISCIPLINE", "BREAK LIMIT", "victory points")
NUMBERS = (
    Number("attacker", "attack dice", "dice"),
    Number("attacker", "models", "attacker_models"),
    *(Number("attacker", name, name.lower().replace(" ", "_")) for name in ("Veteran", "short range", "long range")),
    *(Number("target", name, name.lower().replace(" ", "_")) for name in _OF_TARGETS),
)
"""Every number of either unit that affects a ranged attack. Ranges count if the scenario has a distance."""


class Step(NamedTuple):
    """A step between two levels of a card: its points, and its gain in the figure."""

    before: str
    after: str
    points: int
    gain: float

    def __str__(self) -> str:
        return f"{self.before} to {self.after}: {self.points} points for {self.gain:.3g}"


class Price(NamedTuple):
    """Points that the attacker's card charges for one unit of a figure: the range over its steps of level.

    Attributes
    ----------
    low, high : float
        Points; NaN if no step increases the figure.
    steps : tuple of Step
    why_not : str
        Reason why there is no price.
    """

    low: float
    high: float
    steps: tuple[Step, ...] = ()
    why_not: str = ""

    @property
    def known(self) -> bool:
        """True if there is a price."""
        return not np.isnan(self.low)


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(FramedAnswer):
    """Every number of either unit, one less and one more.

    Attributes
    ----------
    frame : DataFrame
        One row for each number: `side`, `number`, `value`, `metric`, `base` (the current figure), `minus_1` and
        `plus_1` (the figure after the step; NaN if the rules do not allow it), `change_minus_1`, `change_plus_1`, and
        for each change `points_..._low` and `points_..._high`; `why_not` has the reasons for impossible steps. If
        simulated, `base` and the changes also have 95% intervals, ``..._low`` and ``..._high``.
    metric : str
    base : float
    at_least : int
        The k of P(at least k models destroyed).
    subject : str
        The attacker, the target and the distance.
    method : str
        Method of the figures, for a heading.
    price : Price
        Points for one unit of the figure.
    profiles : ProfilesUsed or None
    stopping : Stopping or None
        For a simulation: the number of planned trials and the reason to stop.
    """

    frame: pd.DataFrame
    metric: str
    base: float
    at_least: int
    subject: str
    method: str
    price: Price
    profiles: ProfilesUsed | None = None
    stopping: Stopping | None = None

    schema = "analyser/sensitivity/1"

    @property
    def headline(self) -> str:
        """The most influential number, in one sentence."""
        what, most = title_of(self.metric, self.at_least), self._by_change()
        if not most.max() > 0:
            return f"No single step of any number changes {what}."
        number = self.frame.loc[most.index[0]]
        return f"{what} depends most on the {number['side']}'s {number['number']}."

    def _body(self) -> dict[str, Any]:
        how = {} if self.stopping is None else {"how": self.method, **self.stopping.as_dict()}
        return {
            "method": "exact" if self.stopping is None else "monte-carlo",
            **how,
            "metric": self.metric,
            "base": self.base,
            "at_least": self.at_least,
            "price": self.price._asdict() | {"steps": [step._asdict() for step in self.price.steps]},
            "profiles": None,
            **(self.profiles.fight_entries() if self.profiles else {}),
            "numbers": plain_rows(self.frame),
        }

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw a tornado chart of the frame (:func:`analyser.plots.tornado`)."""
        return plots.tornado(self, quantity=title_of(self.metric, self.at_least), ax=ax, **more)

    def blocks(self) -> list[Block]:
        """Return the figures, the most influential number first."""
        points = ["in points"] if self.price.known else []
        head = ["side", "number", "now", "one less", *points, "one more", *points]
        return [Block(self._heading()), Block(head=head, rows=self._table(), align="<<>")]

    def _heading(self) -> str:
        ends = (self.frame[name].iloc[0] if name in self.frame else np.nan for name in ("base_low", "base_high"))
        figure = figure_text(self.metric, self.base, *ends)
        return f"{title_of(self.metric, self.at_least)}: {figure} as it is ({self.method})"

    def _by_change(self) -> pd.Series[float]:
        """Return the larger change of either step by row of the frame, the largest first."""
        most = self.frame[["change_minus_1", "change_plus_1"]].abs().max(axis=1).fillna(0)
        return most.sort_values(ascending=False, kind="stable")

    def _table(self) -> list[list[str]]:
        """Return a row for each number, all cells as text."""
        rows = []
        for _, line in self.frame.loc[self._by_change().index].iterrows():
            row = [line["side"], line["number"], f"{line['value']:g}"]
            for step in STEPS:
                ends = (line.get(f"change_{step}_{end}", np.nan) for end in ("low", "high"))
                row.append(figure_text(self.metric, line[f"change_{step}"], *ends, change=True))
                row += [_points(line[f"points_{step}_low"], line[f"points_{step}_high"])] if self.price.known else []
            rows.append(row)
        return rows

    def notes(self) -> list[str]:
        """Return the meaning of points, die, deck and profiles."""
        used = [] if self.profiles is None else self.profiles.sentences
        if not self.price.known:
            return [f"In points: not computed, because {self.price.why_not}.", *used]
        return [*POINTS_ARE, *(f"  {step}" for step in self.price.steps), *used]


def _points(low: float, high: float) -> str:
    if np.isnan(low):
        return ""
    if round(low) == round(high):
        return f"{low:+.0f}" if round(low) else "0"
    return f"{low:+.0f} to {high:+.0f}"


def sensitivity(
    attacker: Unit | Scenario | Question,
    target: Unit | None = None,
    *,
    metric: MetricLike = "mean_models_destroyed",
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    **conditions: Unpack[Conditions],
) -> Sensitivity:
    """Return the change of a figure of an attack with one more and one less of each number of either unit.

    Parameters
    ----------
    attacker, target, conditions
        As in :func:`analyser.attack`: two units, or a whole scenario. The attacker keeps its row; the rating, short
        range and the dice of the grid are computed again.
    metric : str or callable
        A figure of :func:`analyser.compare`, not per 100 points.
    method, trials, seed, precision, threads, profiles, progress
        As in :func:`analyser.compare`: Monte Carlo pairs each change with the attack as it is, batch by batch.

    Raises
    ------
    InputError
        As :func:`analyser.attack`, and for an unknown metric.

    Examples
    --------
    >>> found = sensitivity("crown/rifle-platoon@basic", "imperium/krupp@basic")
    >>> defence = found.frame[found.frame["number"] == "DEFENCE"].iloc[0]
    >>> print(defence["change_plus_1"].round(3), defence["change_minus_1"].round(3))
    -0.717 1.377
    """
    figures = {name: what for name, what in COMPARED.items() if not name.endswith(PER_100_POINTS)}
    figure = checked_metric(metric, metrics=figures)
    sampling = Sampling(method, trials, seed, precision, threads, progress=progress)
    asked = asked_attack(attacker, target, conditions, profiles)
    at_least = ((asked.target.models or 1) + 1) // 2
    numbers = {number: value for number in NUMBERS if (value := _value(asked, number)) is not None}
    attacks: dict[tuple[object, str], Scenario] = {(None, ""): asked, **_at_other_levels(asked)}
    refusals: dict[Number, list[str]] = {number: [] for number in numbers}
    for number in numbers:
        for step, by in STEPS.items():
            try:
                attacks[number, step] = _changed(asked, number, by)
            except InputError as error:
                refusals[number].append(f"{'one more' if by > 0 else 'one less'}: {error}")
    played = play(attacks, sampling)
    with temporary_metric(figure):
        place = list(COMPARED).index(figure)
        sides = {key: compared_side("", None, result, at_least) for key, result in played.items()}
    values = {key: float(side.figures[place, 0]) for key, side in sides.items()}
    base, price, rows = sides[None, ""], _price(asked.attacker, values), []
    base_ends = {} if base.batches is None else dict(zip(("base_low", "base_high"), base.figures[place, 1:]))
    for number, value in numbers.items():
        row: dict[str, Any] = {"side": number.side, "number": number.name, "value": value, "metric": figure}
        row |= {"base": values[None, ""], **base_ends, **{step: values.get((number, step), np.nan) for step in STEPS}}
        for step in STEPS:
            change, *ends, _ = gap(sides.get((number, step)), base, place)
            row[f"change_{step}"] = change
            if base.batches is not None:
                row |= {f"change_{step}_low": ends[0], f"change_{step}_high": ends[1]}
            low, high = sorted((change * price.low, change * price.high))
            row |= {f"points_{step}_low": low, f"points_{step}_high": high}
        rows.append(row | {"why_not": "; ".join(refusals[number]) or None})
    return Sensitivity(
        frame=pd.DataFrame(rows),
        metric=figure,
        base=values[None, ""],
        at_least=at_least,
        subject=subject_of(asked),
        method=method_line([played[None, ""][0]]),
        price=price,
        profiles=asked.profiles and asked.profiles._replace(ruleset=asked.ruleset),
        stopping=played[None, ""][0].stopping,
    )


def _at_other_levels(scenario: Scenario) -> dict[tuple[object, str], Scenario]:
    """Return the attack by the attacker at each level that has points."""
    result: dict[tuple[object, str], Scenario] = {}
    if scenario.attacker is None:
        return result
    keys = dict.fromkeys(("attacker_models", "dice", "dice_in_parentheses"))
    attack = scenario.attack.model_copy(update=keys)
    file = ScenarioFile(attack=attack, target=scenario.target, ruleset=scenario.ruleset)
    for name, level in scenario.attacker.unit.levels.items():
        loadout = scenario.attacker.at(name)
        with suppress(InputError):  # skips levels without a band in the grid
            if level.points is not None:
                result["level", name] = scenario_between(file, loadout, scenario.defender)
    return result


def _price(attacker: Loadout | None, values: Mapping[tuple[object, str], float]) -> Price:
    """Return the points that the attacker's card charges for one unit of the figure in `values`."""
    if attacker is None:
        return Price(np.nan, np.nan, why_not="the attacker has no profile, so no points")
    levels = [
        (level.points or 0, values["level", name], name)
        for name, level in attacker.unit.levels.items()
        if ("level", name) in values
    ]
    steps = tuple(
        Step(one, other, dear - cheap, more - less)
        for (cheap, less, one), (dear, more, other) in pairwise(sorted(levels))
        if more - less > _SMALLEST_GAIN and dear > cheap
    )
    if not steps:
        return Price(np.nan, np.nan, why_not="no higher level of the attacker increases the figure")
    prices = [step.points / step.gain for step in steps]
    return Price(min(prices), max(prices), steps)


def _value(scenario: Scenario, number: Number) -> float | None:
    """Return the current value of a number; None if the unit has none, or the attack does not use it."""
    attacker, attack, key = scenario.attacker, scenario.attack, number.key
    if number.side == "target":
        return getattr(scenario.target, key)  # type: ignore[no-any-return]
    if key in RANGES:
        row = None if attacker is None or attack.row is None else attacker.unit.row(attack.row)
        return None if row is None or attack.distance is None else getattr(row, key)
    if key == "attacker_models" and (attacker is None or "behemoth" in attacker.unit.traits):
        return None  # a behemoth's dice depend on its damage; an attack without a profile has fixed dice
    return getattr(attack, key)  # type: ignore[no-any-return]


def _changed(scenario: Scenario, number: Number, by: int) -> Scenario:
    """Return the scenario with a number changed, validated and resolved again; InputError if the rules forbid it."""
    attack, target, loadout = scenario.attack.model_dump(), scenario.target.model_dump(), scenario.attacker
    if scenario.counted_rating() == scenario.attack.rating:  # derived from bonuses and penalties (AC-3.1)
        attack["rating"] = None
    value = (_value(scenario, number) or 0) + by
    if number.side == "target":
        target[number.key] = value
    elif number.key in RANGES and loadout is not None:
        # Short range and range limits are decided again (AC-4.1).
        attack["bonuses"] = tuple(bonus for bonus in scenario.attack.bonuses if bonus != "short_range")
        rows = tuple(
            row.model_copy(update={number.key: value}) if row.id == scenario.attack.row else row
            for row in loadout.unit.rows
        )
        loadout = loadout.model_copy(update={"unit": loadout.unit.model_copy(update={"rows": rows})})
    else:
        attack[number.key] = value
        if number.key == "attacker_models":  # the band of the grid decides the dice again (AC-2.3)
            attack |= {"dice": None, "dice_in_parentheses": None}
        elif number.key == "dice" and attack["dice_in_parentheses"] is not None:
            attack["dice_in_parentheses"] += by
    file = ScenarioFile(
        attack=checked(Attack, attack, where="attack"),
        target=checked(Target, target, where="target"),
        ruleset=scenario.ruleset,
    )
    return scenario_between(file, loadout, scenario.defender)
