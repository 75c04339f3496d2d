"""The page of a report: one HTML file that opens offline, with its tables, its pictures and what draws them."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from analyser import __version__
from analyser.analysis.balance import LEAST, LEAST_RATIO
from analyser.analysis.frame import METHOD, records
from analyser.analysis.matchups import Matchups
from analyser.analysis.price_flags import CANNOT_SAY, FACTOR, FEWEST_PEERS, OVER_PRICED, UNDER_PRICED
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.game.units import Loadout, unit_of
from analyser.plots.metrics import METRICS
from analyser.report.balance import Balance
from analyser.report.page_data import page_data
from analyser.report.pictures import Plan, size_on_page
from analyser.report.rankings import answers, idle, rankings
from analyser.report.unit_cards import anchors, sheets

MOST_OUTLIERS = 20


class Picture(NamedTuple):
    """A heatmap that has been drawn.

    Attributes
    ----------
    plan : Plan
    width, height : int
        In pixels of a page.
    source : str
        The picture itself as an address, if the page shows it; else empty.
    """

    plan: Plan
    width: int
    height: int
    source: str


def write_page(parts: Mapping[str, Any], plans: Sequence[Plan], path: Path) -> None:
    """Write the page of a comparison to `path`, of its parts and of its pictures, which are in the same folder."""
    pictures = [_picture(plan, plans[0].metric, path.parent) for plan in plans]
    text = _template().render(galleries=_galleries(pictures), **parts)
    path.write_text(text, encoding="utf-8", newline="\n")


def parts_of_page(found: Matchups, balance: Balance) -> dict[str, Any]:
    """All that the page of a comparison shows but for the pictures."""
    units = sheets(found, balance)
    ours, theirs = _side(found.attackers), _side(found.defenders)
    both = *found.attackers, *found.defenders
    flags = [OVER_PRICED, UNDER_PRICED, CANNOT_SAY]  # those that are wrongly priced first
    flagged = balance.flags[balance.flags["flag"] != ""].sort_values(
        "flag", key=lambda each: each.map(flags.index), kind="stable"
    )
    return {
        "version": __version__,
        "profiles": found.profiles,
        "method": METHOD,
        "title": f"{ours} against {'each other' if ours == theirs else theirs}",
        "n_attackers": len(found.attackers),
        "n_defenders": len(found.defenders),
        "situations": found.situations,
        "row": found.row,
        "ruleset": _ruleset(found),
        "assumptions": found.assumptions,
        "not_modelled": found.not_modelled,
        "metrics": METRICS,
        "rankings": rankings(found.frame, found.situations),
        "answers": answers(found.frame, found.situations),
        "idle": idle(found.frame, found.situations),
        "efficiency": records(balance.efficiency),
        "flags": records(flagged),
        "n_flags": {flag: int((flagged["flag"] == flag).sum()) for flag in flags},
        "n_judged": len(balance.flags),
        "outliers": records(balance.outliers.head(MOST_OUTLIERS)),
        "n_outliers": len(balance.outliers),
        "dominated": records(balance.dominated),
        "ratings": None if balance.ratings is None else records(balance.ratings),
        "least": LEAST,
        "factor": FACTOR,
        "fewest_peers": FEWEST_PEERS,
        "least_ratio": LEAST_RATIO,
        "names": {each.selector: f"{each.unit.name}, {each.level_name}" for each in both},
        "sheets": units,
        "anchors": anchors(units),
        "data": page_data(found),
        "n_possible": int(found.frame["why_not"].isna().sum()),
        "n_rows": len(found.frame),
    }


def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("analyser.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "tenths": "{:.1f}".format,
        "hundredths": "{:.2f}".format,
        "whole": "{:.0f}".format,
        "percent": _percent,
        "faction": _faction,
        "unit_of": unit_of,
        "anchor": _anchor,
    }
    return environment.get_template("index.html.jinja")


def _faction(name: str) -> str:
    return name.replace("-", " ").title()


def _anchor(selector: str) -> str:
    """The id of a unit's part of the page."""
    return "unit-" + unit_of(selector).replace("/", "-")


def _side(sides: Sequence[Loadout]) -> str:
    *others, last = dict.fromkeys(_faction(each.faction) for each in sides)
    return f"{', '.join(others)} and {last}" if others else last


def _ruleset(found: Matchups) -> dict[str, str]:
    """The die and the deck in words."""
    die, deck = found.ruleset.model_dump(mode="json")["die"], found.ruleset.deck.copies
    sides = ", ".join(f"{count} {face}" for face, count in die.items() if count)
    cards = ", ".join(f"{copies} × {value}" for value, copies in sorted(deck.items()))
    return {"die": sides, "deck": cards}


def _picture(plan: Plan, shown_metric: str, folder: Path) -> Picture:
    """The page carries the pictures of one metric; those of others are files beside it, and can be drawn on it."""
    source = ""
    if plan.metric == shown_metric:
        source = "data:image/png;base64," + base64.b64encode((folder / plan.png).read_bytes()).decode("ascii")
    return Picture(plan, *size_on_page(plan, folder), source)


def _galleries(pictures: Sequence[Picture]) -> list[tuple[str, list[Picture]]]:
    """The pictures in parts, one for each pair of factions."""
    return [
        (f"{_faction(attackers)} on {_faction(defenders)}", list(part))
        for (attackers, defenders), part in groupby(pictures, lambda each: (each.plan.attackers, each.plan.defenders))
    ]


def _percent(probability: float) -> str:
    """A probability that is not rounded to impossible or to certain."""
    if probability < CERTAIN_WITHIN or probability > 1 - CERTAIN_WITHIN:
        return f"{100 * probability:.0f}%"
    if probability < 0.0005:
        return "<0.1%"
    return ">99.9%" if probability > 0.9995 else f"{100 * probability:.1f}%"
