"""What one more and one less of each number of either unit does to a figure, and what that is worth in points."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.figures import figures_of, subject_of, title_of
from analyser.analysis.variations import NUMBERS, Number
from analyser.common.errors import InputError, check_text, did_you_mean
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.text import aligned
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.plots import tornado
from analyser.plots.metrics import COMPARED, PER_100_POINTS
from analyser.results.attack import solve
from analyser.scenarios.attack import Scenario
from analyser.scenarios.load import ScenarioLike, load_scenario, scenario_between
from analyser.scenarios.schema import ScenarioFile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SMALLEST_GAIN = 1e-6  # of a figure: below it a price would be the quotient of two roundings
STEPS = (("minus_1", -1), ("plus_1", 1))
POINTS_ARE = (
    "In points: what a change is worth to the attacker, at what its own card charges between its levels for as much of "
    "the figure.",
    "A change of the target's: what the attacker would have to spend (or could save) to stay where it was.",
    "Levels buy staying power with the same points, so this is a guide from above. What they charge:",
)


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """Every number of either unit, one less and one more. Printed it is plain text; in a notebook a table.

    Attributes
    ----------
    frame : DataFrame
        One row a number: `side`, `number`, `value`, `metric`, `base` (the figure as it is), `minus_1` and `plus_1`
        (the figure then; NaN where the rules do not allow it), `change_minus_1`, `change_plus_1`, and for each change
        `points_..._low` and `points_..._high`; `why_not` says what is not allowed. All figures are exact.
    metric : str
    base : float
    at_least : int
        The k of P(at least k models destroyed).
    subject : str
        Who attacks whom, and from how far.
    price : Price
        Points for one unit of the figure.
    profiles : ProfilesUsed or None
    """

    frame: pd.DataFrame
    metric: str
    base: float
    at_least: int
    subject: str
    price: Price
    profiles: ProfilesUsed | None = None

    def to_frame(self) -> pd.DataFrame:
        """The frame, as a copy."""
        return self.frame.copy()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """A tornado of the frame (:func:`analyser.plots.tornado`)."""
        return tornado(self.frame, label=title_of(self.metric, self.at_least), heading=self.subject, ax=ax)

    def __str__(self) -> str:
        """Plain text, the number that matters most first."""
        table = self._texts()
        lines = aligned([list(table.columns), *table.to_numpy().tolist()], "<<>")
        return "\n".join([self._heading(), "", *lines, "", *self._notes()]) + "\n"

    __repr__ = __str__  # a shell shows what is printed

    def _repr_html_(self) -> str:
        """A table of a notebook."""
        notes = "<br>".join(map(html.escape, self._notes()))
        return f"<p>{html.escape(self._heading())}</p>{self._texts().to_html(index=False, border=0)}<p>{notes}</p>"

    def _heading(self) -> str:
        return f"{title_of(self.metric, self.at_least)}: {self._figure(self.base)} as it is (exact)"

    def _figure(self, value: float, *, signed: bool = False) -> str:
        sign = "+" if signed else ""
        if np.isnan(value):
            return ""
        if signed and abs(value) < CERTAIN_WITHIN:
            return "0"
        unit = " pp" if signed else "%"
        return f"{100 * value:{sign}.2f}{unit}" if COMPARED[self.metric].is_probability else f"{value:{sign}.3f}"

    def _texts(self) -> pd.DataFrame:
        most = self.frame[["change_minus_1", "change_plus_1"]].abs().max(axis=1).fillna(0)
        rows = []
        for _, line in self.frame.loc[most.sort_values(ascending=False, kind="stable").index].iterrows():
            row = {"side": line["side"], "number": line["number"], "now": f"{line['value']:g}"}
            for step, head in (("minus_1", "one less"), ("plus_1", "one more")):
                row[head] = self._figure(line[f"change_{step}"], signed=True)
                if self.price.known:
                    row[f"in points{' ' * (step == 'plus_1')}"] = _points(line, step)
            rows.append(row)
        return pd.DataFrame(rows)

    def _notes(self) -> Sequence[str]:
        used = [] if self.profiles is None else [f"Profiles: {self.profiles}."]
        if not self.price.known:
            return [f"In points: not said, because {self.price.steps[0]}.", *used]
        return [*POINTS_ARE, *(f"  {step}" for step in self.price.steps), *used]


def _points(line: pd.Series[Any], step: str) -> str:
    low, high = line[f"points_{step}_low"], line[f"points_{step}_high"]
    if np.isnan(low):
        return ""
    if round(low) == round(high):
        return f"{low:+.0f}" if round(low) else "0"
    return f"{low:+.0f} to {high:+.0f}"


def sensitivity(
    scenario: ScenarioLike, *, metric: str = "mean_models_destroyed", profiles: Profiles | None = None
) -> Sensitivity:
    """What one more and one less of each number of either unit does to a figure of an attack, exactly.

    Parameters
    ----------
    scenario : Scenario, path or mapping
        As of :func:`analyser.exact`. The row that fires stays the same, and what the scenario counts (the rating, what
        is short range, the dice of the grid) is counted anew.
    metric : str
        A figure of :func:`analyser.compare`, not per 100 points.
    profiles : Profiles, optional

    Returns
    -------
    Sensitivity
        What the changes are worth in points is worked out by :func:`price_of`.

    Raises
    ------
    InputError
        As :func:`analyser.load_scenario`, and for an unknown metric.

    Examples
    --------
    >>> fight = {"attack": {"attacker": "crown/rifle-platoon@basic"}, "target": {"unit": "imperium/krupp@basic"}}
    >>> found = sensitivity(fight)
    >>> defence = found.frame[found.frame["number"] == "DEFENCE"].iloc[0]
    >>> print(defence["change_plus_1"].round(3), defence["change_minus_1"].round(3))
    -0.717 1.377
    """
    known = [name for name in COMPARED if not name.endswith(PER_100_POINTS)]
    check_text(metric, "metric", ", ".join(known))
    if metric not in known:
        hint = did_you_mean(metric, known)
        raise InputError(f"no metric {metric!r}{hint}", where="metric", allowed=", ".join(known))
    ready = load_scenario(scenario, profiles)
    at_least = ((ready.target.models or 1) + 1) // 2
    base, price = _figure(ready, metric, at_least), price_of(ready, metric, at_least)
    rows = [_row(number, ready, metric, at_least, base, price) for number in NUMBERS if number.read(ready) is not None]
    return Sensitivity(pd.DataFrame(rows), metric, base, at_least, subject_of(ready), price, ready.profiles)


def _row(number: Number, scenario: Scenario, metric: str, at_least: int, base: float, price: Price) -> dict[str, Any]:
    row: dict[str, Any] = {
        "side": number.side,
        "number": number.name,
        "value": number.read(scenario),
        "metric": metric,
        "base": base,
    }
    refusals = []
    for name, by in STEPS:
        try:
            row[name] = _figure(number.change(scenario, by), metric, at_least)
        except InputError as error:
            row[name] = np.nan
            refusals.append(f"{'one more' if by > 0 else 'one less'}: {error}")
    for name, _ in STEPS:
        change = row[name] - base
        row[f"change_{name}"] = change
        row[f"points_{name}_low"], row[f"points_{name}_high"] = sorted((change * price.low, change * price.high))
    return row | {"why_not": "; ".join(refusals) or None}


def _figure(scenario: Scenario, metric: str, at_least: int) -> float:
    if metric == "p_at_least" and at_least > (scenario.target.models or 0):
        return 0.0
    return figures_of(solve(scenario), min(at_least, scenario.target.models or 1), None)[metric].value


class Price(NamedTuple):
    """Points for one unit of a figure, from the cheapest to the dearest step between two levels.

    Attributes
    ----------
    low, high : float
        NaN where no step buys any of the figure.
    steps : tuple of str
        The steps, as ``basic to reinforced: 30 points for 1.84``; or in one sentence why there is none.
    """

    low: float
    high: float
    steps: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Whether there is one."""
        return self.low == self.low


def price_of(scenario: Scenario, metric: str, at_least: int) -> Price:
    """What the attacker's card charges for one unit of `metric` in this scenario.

    Parameters
    ----------
    scenario : Scenario
    metric : str
        A name of :data:`~analyser.plots.metrics.COMPARED`.
    at_least : int
        The k of P(at least k models destroyed).
    """
    nowhere = float("nan")
    if scenario.attacker is None:
        return Price(nowhere, nowhere, ("the attacker has no profile, so no points",))
    points_and_figures = []
    for name, level in scenario.attacker.unit.levels.items():
        if level.points is not None:
            points_and_figures.append((level.points, _figure_at(scenario, name, metric, at_least), name))
    points_and_figures.sort()
    steps, prices = [], []
    for (cheap, less, one), (dear, more, other) in pairwise(points_and_figures):
        if more is not None and less is not None and more - less > _SMALLEST_GAIN and dear > cheap:
            prices.append((dear - cheap) / (more - less))
            steps.append(f"{one} to {other}: {dear - cheap} points for {more - less:.3g}")
    if not prices:
        return Price(nowhere, nowhere, ("no step between two levels of the attacker buys any of it",))
    return Price(min(prices), max(prices), tuple(steps))


def _figure_at(scenario: Scenario, level: str, metric: str, at_least: int) -> float | None:
    """The figure of the attacker at another level, the conditions being the same."""
    assert scenario.attacker is not None
    loadout = scenario.attacker.model_copy(update={"level_name": level})
    keys = {"attacker_models": None, "dice": None, "dice_in_parentheses": None}
    attack = scenario.attack.model_copy(update=keys)
    file = ScenarioFile(attack=attack, target=scenario.target, ruleset=scenario.ruleset)
    try:
        other = scenario_between(file, loadout, scenario.defender)
    except InputError:  # the grid has no band for that level
        return None
    return figures_of(solve(other), at_least, None)[metric].value
