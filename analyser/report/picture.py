"""The pictures that the page draws itself, as places in them: fair points and points of all, and curves of a unit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.curves import Curve, Line
from analyser.analysis.prices import FairPoints
from analyser.analysis.verdict import OVER, UNDER
from analyser.plots.labels import label_offsets

_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
_NEAREST_TICKS = 7.0  # percent of the picture of a curve
_SIZE = (400.0, 480.0)  # pixels of the picture on a laptop
_ROOM = 1.25  # times the highest figure, and the lowest over it


class Dot(NamedTuple):
    """A loadout; `row` is its row of the prices, `faction` the number of its faction, `number` its place in a list.

    `label` is where its number stands, in pixels from it, down being positive; None without a number.
    """

    row: dict[str, Any]
    faction: int
    across: float
    up: float
    number: int
    label: list[float] | None = None

    @property
    def has_verdict(self) -> bool:
        """Return True if it is over- or under-priced."""
        return self.row["verdict"] in (OVER, UNDER)


class PricePicture(NamedTuple):
    """Dots by their fair points, across, and their points, up: percent of the picture, logarithmic.

    `below` and `above` are how far the two lines of the band of fair, its corners (0, 0) and (100, 100) moved up, are
    from the diagonal; `least` and `most` are their points over fair points, the medians of the ends of all intervals;
    `ticks` are points and their places; `left_out` counts those without fair points.
    """

    dots: list[Dot]
    factions: list[str]
    ticks: list[tuple[int, float]]
    below: float
    above: float
    least: float
    most: float
    left_out: int


def price_picture(prices: FairPoints, listed: Collection[str]) -> PricePicture | None:
    """Return the picture of some prices; None if no loadout has fair points.

    `listed` are selectors: each gets the number of its place, those of a verdict counted apart.
    """
    shown = prices.frame[prices.frame["fair_points"].notna()]
    if shown.empty:
        return None
    fair, points = (shown[name].to_numpy(np.float64) for name in ("fair_points", "points"))
    least, most = min(fair.min(), points.min()) / _ROOM, max(fair.max(), points.max()) * _ROOM
    span = float(np.log(most / least))

    def place(value: float) -> float:
        return round(100 * float(np.log(value / least)) / span, 2)

    factions = list(dict.fromkeys(shown["faction"]))
    numbers: dict[str, int] = {}
    verdicts = dict(zip(shown["loadout"], shown["verdict"]))
    for name in listed:
        numbers[name] = 1 + sum(verdicts[each] == verdicts[name] for each in numbers)
    rows: list[dict[str, Any]] = shown.sort_values("fair_points", kind="stable").to_dict("records")  # type: ignore[assignment]
    dots = [
        Dot(
            row,
            factions.index(row["faction"]),
            place(row["fair_points"]),
            place(row["points"]),
            numbers.get(row["loadout"], 0),
        )
        for row in rows
    ]
    dots = _labelled(dots)
    # The usual interval: the lines are parallel to the diagonal, for both axes are logarithmic.
    lowest, highest = (float((shown[end] / shown["fair_points"]).median()) for end in ("fair_low", "fair_high"))
    below, above = (100 * float(np.log(each)) / span for each in (lowest, highest))
    ticks = [(each, place(each)) for each in _TICKS if least <= each <= most]
    left_out = len(prices.frame) - len(shown)
    return PricePicture(dots, factions, ticks, round(below, 2), round(above, 2), lowest, highest, left_out)


def _labelled(dots: Sequence[Dot]) -> list[Dot]:
    """With places for the numbers: away from the diagonal, and off all dots and other numbers."""
    places = np.array([[dot.across, 100 - dot.up] for dot in dots]) / 100 * _SIZE
    numbered = [at for at, dot in enumerate(dots) if dot.number]
    outwards = [225.0 if dots[at].row["verdict"] == OVER else 45.0 for at in numbered]  # left and up, or right and down
    labels = dict(zip(numbered, label_offsets(places, numbered, outwards, _SIZE).round(1).tolist()))
    return [dot._replace(label=labels.get(at)) for at, dot in enumerate(dots)]


class DrawnLine(NamedTuple):
    """A line of a curve, and its path in percent of the picture."""

    line: Line
    path: str


class DrawnCurve(NamedTuple):
    """A curve; `area` is what lies below the best line of each stretch."""

    category: str
    targets: int
    area: str
    lines: list[DrawnLine]
    best: list[tuple[str, float, float]]  # names, and from where to where


class CurvePictures(NamedTuple):
    """The curves of a unit, all on one scale; `ticks` are distances and their places, `most` is the highest figure."""

    curves: list[DrawnCurve]
    ticks: list[tuple[float, float]]
    most: float


def curve_pictures(curves: Sequence[Curve]) -> CurvePictures | None:
    """The pictures of a unit's curves; None where there are none."""
    if not curves:
        return None
    steps = [step for curve in curves for line in curve.lines for step in line.steps]
    reach, most = max(step.last for step in steps), max(step.destroys for step in steps)
    ends = sorted({end for step in steps for end in (step.first, step.last)} | {0.0})
    ticks: list[tuple[float, float]] = []
    for end in reversed(ends):  # of two that are too near each other the farther
        place = round(100 * end / reach, 2)
        if not ticks or ticks[-1][1] - place >= _NEAREST_TICKS:
            ticks.append((end, place))

    def across(inches: float) -> str:
        return f"{100 * inches / reach:.4g}"

    def up(destroys: float) -> str:
        return f"{100 - 100 * destroys / most:.4g}"

    def path(line: Line) -> str:
        parts = []
        for at, step in enumerate(line.steps):
            goes_on = at > 0 and line.steps[at - 1].last == step.first
            parts.append(f"{'V' if goes_on else f'M{across(step.first)},'}{up(step.destroys)}H{across(step.last)}")
        return "".join(parts)

    def drawn(curve: Curve) -> DrawnCurve:
        best = curve.best
        area = [f"M{across(each.first)},100V{up(each.destroys)}H{across(each.last)}V100z" for each in best]
        told: list[tuple[str, float, float]] = []
        for each in best:
            name = " or ".join(each.names)
            if told and told[-1][0] == name and told[-1][2] == each.first:
                told[-1] = (name, told[-1][1], each.last)
            else:
                told.append((name, each.first, each.last))
        lines = [DrawnLine(line, path(line)) for line in curve.lines]
        return DrawnCurve(curve.category, curve.targets, "".join(area), lines, told)

    return CurvePictures([drawn(each) for each in curves], ticks[::-1], most)
