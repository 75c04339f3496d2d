"""The figures of a comparison: what each is called, and how it is written in a cell or a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from analyser.common.errors import InputError, check_text, did_you_mean
from analyser.engine.attack.sweep import SUMMARY

PER_100_POINTS = "_per_100_points"
PERCENTILE = "_percentile"  # ends the name of an integer, for which no interval is worked out
ALL_LEVELS = "all levels"  # what stands for the level where figures are means over levels
AT_LEAST = "p_at_least"


class Metric(NamedTuple):
    """A figure of a comparison.

    Attributes
    ----------
    title : str
        What it is called, as a heading; `{at_least}` stands for a number of models.
    head, short : str
        The same as the head of a column in a notebook, and in a terminal, where room is short.
    is_probability : bool
        Whether it is shown as a percentage.
    unit : str
        What it counts, in a heading; of a probability percent.
    """

    title: str
    head: str = ""
    short: str = ""
    is_probability: bool = False
    unit: str = "%"


_TABLE: Mapping[str, Metric] = {
    AT_LEAST: Metric("P(at least {at_least} destroyed)", "at least {at_least} destroyed", "≥{at_least}", True),
    "mean_models_destroyed": Metric("Mean models destroyed", "mean destroyed", "mean", unit="models"),
    "p_any_destroyed": Metric("P(at least one model destroyed)", "at least 1 destroyed", "≥1", True),
    "p_half_destroyed": Metric("P(at least half of the models destroyed)", "at least half destroyed", "≥half", True),
    "p_suppressed": Metric("P(suppressed)", "P(suppressed)", "suppr.", True),
    "p_broken": Metric("P(broken)", "P(broken)", "broken", True),
    "p_fled": Metric("P(fled)", "P(fled)", "fled", True),
    "p_annihilated": Metric("P(annihilated)", "P(annihilated)", "annih.", True),
    "models_destroyed_10th_percentile": Metric(
        "10th percentile of models destroyed", "10th percentile", "10th", unit="models"
    ),
    "models_destroyed_90th_percentile": Metric(
        "90th percentile of models destroyed", "90th percentile", "90th", unit="models"
    ),
    "mean_damage": Metric("Mean damage", "mean damage", "damage", unit="damage"),
    "expected_victory_points": Metric("Expected victory points", "expected VP", "VP", unit="VP"),
    "expected_points_destroyed": Metric(
        "Expected points destroyed", "expected points destroyed", "pts destroyed", unit="points"
    ),
    "p_attacker_wins": Metric("P(the attacker wins the duel)", is_probability=True),
    "p_draw": Metric("P(the duel is drawn)", is_probability=True),
}
FIGURES = (*(SUMMARY.names or ()), "expected_victory_points", "expected_points_destroyed")
"""The names of all figures of every situation, in the order of the columns."""
RESULTS = ("p_attacker_wins", "p_draw")
"""The figures of duels alone, NaN in other situations."""
BY_POINTS = tuple(name for name in FIGURES if name.startswith(("mean_", "expected_")))
"""The figures that can be divided by points: means, which add up. Probabilities and percentiles do not."""

_OF_ONE_ATTACK: Mapping[str, Metric] = {
    **{name: _TABLE[name] for name in FIGURES},
    **{
        name + PER_100_POINTS: _TABLE[name]._replace(
            title=f"{_TABLE[name].title} per 100 points of the attacker", unit=f"{_TABLE[name].unit} per 100 points"
        )
        for name in BY_POINTS
    },
}
METRICS: Mapping[str, Metric] = {**_OF_ONE_ATTACK, **{name: _TABLE[name] for name in RESULTS}}
"""The figures of matchups, by column: all, and those of BY_POINTS also per 100 points of the attacker."""
COMPARED: Mapping[str, Metric] = {AT_LEAST: _TABLE[AT_LEAST], **_OF_ONE_ATTACK}
"""The figures of a comparison of loadouts: those of METRICS but of duels, and P(at least k); more is better in each."""


def metric(name: str, known: Mapping[str, Metric] = METRICS) -> Metric:
    """The metric in the column `name`.

    Raises
    ------
    InputError
        There is none among the `known` ones, with the nearest names; or it is a probability divided by points.

    Examples
    --------
    >>> metric("mean_damage_per_100_points").title
    'Mean damage per 100 points of the attacker'
    """
    check_text(name, "metric", ", ".join(known))
    found = known.get(name)
    if found is None:
        if name.removesuffix(PER_100_POINTS) in known:
            raise _not_by_points(name.removesuffix(PER_100_POINTS))
        plain = ", ".join(each for each in known if not each.endswith(PER_100_POINTS))
        raise InputError(
            f"no metric {name!r}{did_you_mean(name, known)}",
            where="metric",
            allowed=f"{plain}; {', '.join(BY_POINTS)} also with {PER_100_POINTS}",
        )
    return found


def metric_chosen(name: str, *, per_points: bool, known: Mapping[str, Metric] = METRICS) -> str:
    """The name of a metric, or of the same per 100 points of the attacker.

    Raises
    ------
    InputError
        There is no such metric among the `known` ones; or `per_points` is asked of one that does not add up: no
        number of units has a probability above 100%.

    Examples
    --------
    >>> metric_chosen("mean_damage", per_points=True)
    'mean_damage_per_100_points'
    """
    metric(name, known)
    if not per_points or name.endswith(PER_100_POINTS):
        return name
    if name not in BY_POINTS:
        raise _not_by_points(name)
    return name + PER_100_POINTS


def _not_by_points(name: str) -> InputError:
    what = "a percentile" if name.endswith("_percentile") else "a chance"
    return InputError(
        f"{name} is {what}, and that is not divided by points",
        where="metric",
        allowed=f"{name} itself, or per 100 points one of {', '.join(BY_POINTS)}",
    )


def short_text(value: float, *, is_probability: bool = False) -> str:
    """A figure in four characters at most, never rounded to nothing; nothing for NaN.

    Percentages come without the sign. Examples tell the rest:

    Examples
    --------
    >>> [short_text(value) for value in (0.0, 0.004, 0.04, 0.44, 4.44, 44.4, float("nan"))]
    ['0', '<.01', '.04', '.44', '4.4', '44', '']
    >>> [short_text(value, is_probability=True) for value in (0.0, 0.004, 0.44, 0.996, 1.0)]
    ['0', '<1', '44', '>99', '100']
    """
    if math.isnan(value):
        return ""
    if is_probability:
        return _short_percentage(100 * value)
    if value < 1e-12:
        return "0"
    if value < 0.005:
        return "<.01"
    if value < 0.995:
        return f"{value:.2f}"[1:]
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def _short_percentage(percentage: float) -> str:
    if percentage < 1e-10:
        return "0"
    if percentage < 0.5:
        return "<1"
    return ">99" if 99.5 <= percentage < 100 - 1e-10 else f"{percentage:.0f}"
