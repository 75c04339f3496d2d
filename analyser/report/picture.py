"""The picture of the first screen: what every loadout should cost and what it costs, as places on the page."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.prices import FairPoints
from analyser.analysis.verdict import OVER, UNDER

_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
_ROOM = 1.25  # times the highest figure, and the lowest over it


class Dot(NamedTuple):
    """A loadout; `row` is its row of the prices, `faction` the number of its faction, `number` its place in a list."""

    row: dict[str, Any]
    faction: int
    across: float
    up: float
    number: int

    @property
    def has_verdict(self) -> bool:
        """Whether it is over- or under-priced."""
        return self.row["verdict"] in (OVER, UNDER)


class PricePicture(NamedTuple):
    """Dots by their fair points, across, and their points, up: percent of the picture, logarithmic.

    `below` and `above` are how far the two lines of the band of fair, its corners (0, 0) and (100, 100) moved up, are
    from the diagonal; `ticks` are points and their places; `left_out` counts those without fair points.
    """

    dots: list[Dot]
    factions: list[str]
    ticks: list[tuple[int, float]]
    below: float
    above: float
    left_out: int


def price_picture(prices: FairPoints, listed: Collection[str]) -> PricePicture | None:
    """The picture of some prices; None where nobody has fair points.

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
    # The usual interval: the lines are parallel to the diagonal, for both axes are logarithmic.
    below, above = (100 * float(np.log((shown[end] / shown["fair_points"]).median())) / span for end in ("low", "high"))
    ticks = [(each, place(each)) for each in _TICKS if least <= each <= most]
    return PricePicture(dots, factions, ticks, round(below, 2), round(above, 2), len(prices.frame) - len(shown))
