"""What a unit's own card charges for a figure: points for each unit of it, between reinforcement levels.

The only prices that the army lists print are those of whole levels. From one level to the next a unit costs so many
points more and does so much more against this target: that is what its list charges there for one unit of the
figure. A level buys staying power and a place on the table with the same points, so what it charges for the figure
alone is less: a price from here is a guide from above, and it is given as the range over the levels, not as one
number. Where no level buys more of the figure, or there is one level, nothing is said.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from analyser.api import exact, scenario_between
from analyser.comparisons.figures import figures_of
from analyser.errors import InputError
from analyser.scenario import Scenario, ScenarioFile

_SMALLEST_GAIN = 1e-6  # of a figure: below it a price would be the quotient of two roundings


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
        A name of :data:`~analyser.comparisons.figures.COMPARED`.
    at_least : int
        The k of P(at least k models destroyed).
    """
    if scenario.attacker is None:
        return _unknown("the attacker has no profile, so no points")
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
        return _unknown("no step between two levels of the attacker buys any of it")
    return Price(min(prices), max(prices), tuple(steps))


def _unknown(why: str) -> Price:
    return Price(float("nan"), float("nan"), (why,))


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
    return figures_of(exact(other), at_least, None)[metric].value
