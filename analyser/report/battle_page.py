"""Page of a battle: the answer with pictures, as one HTML file that opens offline.

Pictures are drawn by the page, from coordinates in percent of their width and height.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from analyser.common.estimates import Estimate, estimate
from analyser.common.text import NEGLIGIBLE
from analyser.report.shell import page_of
from analyser.results.battle import BattleResult
from analyser.results.battle_swings import PART, by_swing
from analyser.results.battle_tactics import by_tactic
from analyser.results.battle_text import by_margin, by_unit, left_of
from analyser.results.rendering import method_line, of_intervals
from analyser.scenarios.battle import SIDES


def battle_page(answer: BattleResult) -> str:
    """Return the page of a battle as HTML."""
    names, (first, second) = answer.names, answer.names.values()
    left, did = answer.survivors(), answer.contributions()
    return page_of(
        "battle",
        title=f"{first} against {second}, in battle",
        names=names,
        links=_links(answer),
        found=answer,
        asked=[*answer.heading(), ("Method", method_line([answer]))],
        ends=ends(answer),
        margin=margin_picture(answer.margins()),
        by_margin=by_margin(answer)._replace(head=(f"{first} less {second}", "of battles")),
        survival=survival_picture(left),
        left={side: left_of(left, side) for side in SIDES},
        deeds=deeds(did),
        by_unit=by_unit(did, names, in_full=True),
        by_swing=by_swing(answer.swings, names),
        part=PART,
        by_tactic=by_tactic(answer.game, names) if answer.game else None,
        rounds=answer.story.rounds(),
        intervals=of_intervals([answer]),
    )


def _links(answer: BattleResult) -> list[tuple[str, str, bool]]:
    """Return the links to the parts of the page."""
    parts = {"battle": "In short"} | ({"tactics": "Tactics"} if answer.game else {})
    parts |= {"margin": "Victory points", "left": "What is left", "did": "What units did"}
    parts |= {"swing": "Swing"} if answer.swings else {}
    parts |= {"told": "A battle told"} | ({"bands": "All at once"} if answer.with_bands else {})
    return [(anchor, name, False) for anchor, name in (parts | {"more": "More"}).items()]


WON, DRAWN, LOST = "won", "drawn", "lost"
_ENDS = (  # results for the first army, from the best to the worst: event, name, class
    ("devastating_victory", "{mine} wins devastatingly", "won much"),
    ("victory", "{mine} wins otherwise", WON),
    ("draw", "draw", DRAWN),
    ("defeat", "{yours} wins otherwise", LOST),
    ("devastating_defeat", "{yours} wins devastatingly", "lost much"),
)
_MOST_TICKS = 8
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_BAR = 0.8  # width of a bar, as a share of its column


class Tick(NamedTuple):
    """A tick of an axis: its text and its position."""

    text: str
    at: float


class Segment(NamedTuple):
    """A segment of the bar of results: its start and width, and the share of battles as text."""

    kind: str
    name: str
    start: float
    width: float
    share: str


class Bar(NamedTuple):
    """The bar of a margin: its left edge, its top, and the ends of its interval, measured from the top."""

    kind: str
    left: float
    top: float
    low: float
    high: float
    told: str


class MarginPicture(NamedTuple):
    """The distribution of the margin, as bars of equal width."""

    bars: list[Bar]
    width: float
    ticks: list[Tick]
    levels: list[Tick]


class Left(NamedTuple):
    """Paths of the points left of a side by round: the line of the mean, and the band of most battles."""

    side: str
    line: str
    band: str


class SurvivalPicture(NamedTuple):
    """Points left of both sides, by round from the start."""

    sides: list[Left]
    ticks: list[Tick]
    levels: list[Tick]


class Deed(NamedTuple):
    """Points that a unit destroyed and lost: the widths of two bars, and the points as text."""

    name: str
    destroyed: float
    lost: float
    points_destroyed: str
    points_lost: str


def ends(answer: BattleResult) -> list[Segment]:
    """Return the share of battles with each result; victories and defeats exclude devastating ones."""
    battles = {name: round(answer.probability(name) * answer.trials) for name in answer.events}
    for name in ("victory", "defeat"):
        battles[name] -= battles[f"devastating_{name}"]
    segments, start = [], 0.0
    for name, called, kind in _ENDS:
        share = estimate(battles[name], answer.trials)
        text = called.format(**answer.names)
        segments.append(Segment(kind, text, round(100 * start, 2), round(100 * share.probability, 2), str(share)))
        start += share
    return segments


def margin_picture(rows: Sequence[Mapping[str, Any]]) -> MarginPicture:
    """Return the picture of :meth:`BattleResult.margins`, without very rare margins at both ends."""
    seen = [place for place, row in enumerate(rows) if row["probability"] >= NEGLIGIBLE]
    shown = rows[seen[0] : seen[-1] + 1]
    first, last = shown[0]["margin"], shown[-1]["margin"]
    room, highest = 100 / (last - first + 1), max(float(row["high"]) for row in shown)

    def up(share: float) -> float:
        return round(100 - 100 * share / highest, 2)

    bars = []
    for row in shown:
        margin = row["margin"]
        kind = WON if margin > 0 else LOST if margin < 0 else DRAWN
        share = Estimate(row["probability"], row["low"], row["high"])
        left = round((margin - first + (1 - _BAR) / 2) * room, 2)
        words = f"{_signed(margin)} VP: {share}"
        bars.append(Bar(kind, left, up(row["probability"]), up(row["low"]), up(row["high"]), words))
    step = _step(last - first)
    marks = range(-(-first // step) * step, last + 1, step)
    ticks = [Tick(_signed(mark), round((mark - first + 0.5) * room, 2)) for mark in marks]
    percents = _step(100 * highest, 4)
    levels = [Tick(f"{percent}%", up(percent / 100)) for percent in range(percents, int(100 * highest) + 1, percents)]
    return MarginPicture(bars, round(_BAR * room, 2), ticks, levels)


def survival_picture(rows: Sequence[Mapping[str, Any]]) -> SurvivalPicture:
    """Return the picture of :meth:`BattleResult.survivors`."""
    rounds = max(row["round"] for row in rows)

    def path(percents: Iterable[float], first: int = 0, step: int = 1) -> str:
        places = (f"{100 * (first + step * at) / rounds:.4g},{100 - share:.4g}" for at, share in enumerate(percents))
        return "L".join(places)

    sides = []
    for side in SIDES:
        own = [row for row in rows if row["side"] == side]
        mean = [100.0, *(row["mean_percent"] for row in own)]
        low, high = ([100.0, *(row[f"percent_{end}_percentile"] for row in own)] for end in ("10th", "90th"))
        band = f"M{path(high)}L{path(low[::-1], rounds, -1)}z"
        sides.append(Left(side, f"M{path(mean)}", band))
    ticks = [Tick(str(round_), round(100 * round_ / rounds, 2)) for round_ in range(rounds + 1)]
    return SurvivalPicture(sides, ticks, [Tick(f"{percent}%", 100 - percent) for percent in (0, 25, 50, 75, 100)])


def deeds(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Deed]]:
    """Return the bars of :meth:`BattleResult.contributions` by side, on a common scale."""
    names = ("points_destroyed", "points_absorbed")
    most = max([row[name] for row in rows for name in names] + [1.0])
    result: dict[str, list[Deed]] = {side: [] for side in SIDES}
    for row in rows:
        widths = [round(100 * row[name] / most, 2) for name in names]
        result[row["side"]].append(Deed(row["name"], *widths, *(f"{row[name]:,.0f}" for name in names)))
    return result


def _step(span: float, ticks: int = _MOST_TICKS) -> int:
    """Return the smallest round step that divides `span` into at most `ticks` parts."""
    return next((step for step in _STEPS if span / step <= ticks), _STEPS[-1])


def _signed(margin: int) -> str:
    return f"{margin:+d}" if margin else "0"
