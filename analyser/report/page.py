"""The page of a report: one plain HTML file that opens offline, its pictures beside it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from analyser import __version__
from analyser.comparisons.frame import METHOD
from analyser.comparisons.matchups import Matchups
from analyser.report.pictures import Plan, size_on_page
from analyser.report.rankings import answers, idle, rankings
from analyser.results import CERTAIN_WITHIN
from analyser.units import Loadout


class Picture(NamedTuple):
    """A heatmap that has been drawn; its size is in pixels of a page."""

    plan: Plan
    width: int
    height: int


def write_page(found: Matchups, plans: Sequence[Plan], path: Path) -> None:
    """Write the page of a comparison to `path`; its pictures are in the same folder."""
    pictures = [Picture(plan, *size_on_page(plan, path.parent)) for plan in plans]
    text = _template().render(
        version=__version__,
        method=METHOD,
        attackers=_side(found.attackers),
        defenders=_side(found.defenders),
        n_attackers=len(found.attackers),
        n_defenders=len(found.defenders),
        situations=found.situations,
        row=found.row,
        ruleset=_ruleset(found),
        assumptions=found.assumptions,
        not_modelled=found.not_modelled,
        galleries=_galleries(pictures),
        rankings=rankings(found.frame, found.situations),
        answers=answers(found.frame, found.situations),
        idle=idle(found.frame, found.situations),
        n_possible=int(found.frame["why_not"].isna().sum()),
        n_rows=len(found.frame),
    )
    path.write_text(text, encoding="utf-8", newline="\n")


def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("analyser.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"tenths": "{:.1f}".format, "hundredths": "{:.2f}".format, "percent": _percent}
    return environment.get_template("index.html.jinja")


def _side(sides: Sequence[Loadout]) -> str:
    return " and ".join(dict.fromkeys(each.faction.replace("-", " ").title() for each in sides))


def _ruleset(found: Matchups) -> dict[str, str]:
    """The die and the deck in words."""
    die, deck = found.ruleset.model_dump(mode="json")["die"], found.ruleset.deck.copies
    sides = ", ".join(f"{count} {face}" for face, count in die.items() if count)
    cards = ", ".join(f"{copies} × {value}" for value, copies in sorted(deck.items()))
    return {"die": sides, "deck": cards}


def _galleries(pictures: Sequence[Picture]) -> list[tuple[str, list[Picture]]]:
    """The pictures in parts, one for each pair of factions and each situation."""
    return [
        (f"{attackers.replace('-', ' ').title()} on {defenders.replace('-', ' ').title()}, {heading}", list(part))
        for (attackers, defenders, heading), part in groupby(pictures, _part)
    ]


def _part(picture: Picture) -> tuple[str, str, str]:
    return picture.plan.attackers, picture.plan.defenders, picture.plan.situation.heading


def _percent(probability: float) -> str:
    """A probability that is not rounded to impossible or to certain."""
    if probability < CERTAIN_WITHIN or probability > 1 - CERTAIN_WITHIN:
        return f"{100 * probability:.0f}%"
    if probability < 0.0005:
        return "<0.1%"
    return ">99.9%" if probability > 0.9995 else f"{100 * probability:.1f}%"
