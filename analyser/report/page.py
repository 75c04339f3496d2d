"""The page of a report: one HTML file that opens offline, with its tables, its pictures and what draws them."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from matplotlib import colormaps
from matplotlib.colors import to_hex
from PIL import Image

from analyser import __version__
from analyser.analysis.balance import LEAST, LEAST_RATIO
from analyser.analysis.grid import METHOD
from analyser.analysis.matchups import Matchups
from analyser.analysis.price_flags import CANNOT_SAY, FACTOR, FEWEST_PEERS, OVER_PRICED, UNDER_PRICED
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.game.units import Category, Loadout, Unit, unit_of
from analyser.plots.heatmaps import LEAST_SHARE
from analyser.plots.look import SCALE, inks
from analyser.plots.metrics import EFFICIENCY, METRICS, RESULTS
from analyser.report.conclusions import answers, idle, rankings, sheets
from analyser.report.parts import DOTS_AN_INCH, Balance, Plan

MOST_OUTLIERS = 20
CARRIED = (
    *(EFFICIENCY, "mean_models_destroyed", "p_any_destroyed", "p_half_destroyed"),
    *("p_suppressed", "p_broken", "p_annihilated", "mean_damage"),
)
"""The figures that the page carries, beside those of duels."""
PROBABILITY_STEPS = 10_000  # a probability is carried as so many hundredths of a percent
DECIMALS = 3  # of all other figures
COLOURS = 64
PIXELS_AN_INCH = 96  # the natural size of a picture


def write_page(parts: Mapping[str, Any], plans: Sequence[Plan], path: Path) -> None:
    """Write the page of a comparison to `path`, of its parts and of its pictures, which are in the same folder."""
    galleries = [
        (f"{_faction(ours)} on {_faction(theirs)}", [_picture(each, plans[0].metric, path.parent) for each in part])
        for (ours, theirs), part in groupby(plans, lambda plan: (plan.attackers, plan.defenders))
    ]
    path.write_text(_template().render(galleries=galleries, **parts), encoding="utf-8", newline="\n")


def _picture(plan: Plan, shown_metric: str, folder: Path) -> dict[str, Any]:
    """A heatmap, its size on the page, and itself as an address if it is of the one metric whose pictures are shown."""
    path, source = folder / f"{plan.name}.png", ""
    if plan.metric == shown_metric:
        source = "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")
    with Image.open(path) as picture:
        width, height = (round(each * PIXELS_AN_INCH / DOTS_AN_INCH) for each in picture.size)
    return {"plan": plan, "width": width, "height": height, "source": source}


def parts_of_page(found: Matchups, balance: Balance) -> dict[str, Any]:
    """All that the page of a comparison shows but for the pictures."""
    ours, theirs = _side(found.attackers), _side(found.defenders)
    kinds = [OVER_PRICED, UNDER_PRICED, CANNOT_SAY]  # those that are wrongly priced first
    flagged = balance.flags[balance.flags["flag"] != ""]
    flagged = flagged.sort_values("flag", key=lambda each: each.map(kinds.index), kind="stable")
    die, deck = found.ruleset.model_dump(mode="json")["die"], found.ruleset.deck.copies
    return {
        "version": __version__,
        "found": found,
        "balance": balance,
        "method": METHOD,
        "title": f"{ours} against {'each other' if ours == theirs else theirs}",
        "die": ", ".join(f"{count} {face}" for face, count in die.items() if count),
        "deck": ", ".join(f"{copies} × {value}" for value, copies in sorted(deck.items())),
        "rankings": rankings(found.frame, found.situations),
        "answers": answers(found.frame, found.situations),
        "idle": idle(found.frame, found.situations),
        "efficiency": balance.balance.to_dict("records"),
        "flags": flagged.to_dict("records"),
        "n_flags": {flag: int((flagged["flag"] == flag).sum()) for flag in kinds},
        "outliers": balance.outliers.head(MOST_OUTLIERS).to_dict("records"),
        "dominated": balance.dominated.to_dict("records"),
        "ratings": None if balance.ratings is None else balance.ratings.to_dict("records"),
        "least": LEAST,
        "factor": FACTOR,
        "fewest_peers": FEWEST_PEERS,
        "least_ratio": LEAST_RATIO,
        "names": {
            each.selector: f"{each.unit.name}, {each.level_name}" for each in (*found.attackers, *found.defenders)
        },
        "sheets": sheets(found, balance),
        "data": page_data(found),
        "n_possible": int(found.frame["why_not"].isna().sum()),
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
        "facts": _facts,
        "faction": _faction,
        "unit_of": unit_of,
        "anchor": lambda selector: "unit-" + unit_of(selector).replace("/", "-"),  # the id of a unit's part of the page
        "attacker": lambda row: f"{row['attacker_unit']}, {row['attacker_level']}",
    }
    return environment.get_template("index.html.jinja")


def _faction(name: str) -> str:
    return name.replace("-", " ").title()


def _side(sides: Sequence[Loadout]) -> str:
    *others, last = dict.fromkeys(_faction(each.faction) for each in sides)
    return f"{', '.join(others)} and {last}" if others else last


def _facts(unit: Unit) -> str:
    """Its type and numbers, in a line."""
    numbers = {name: getattr(unit, name) for name in ("defence", "damage_limit", "discipline", "break_limit")}
    told = [f"{name.replace('_', ' ').upper()} {each}" for name, each in numbers.items() if each is not None]
    return " · ".join([unit.type, f"{unit.category} target", *told])


def _percent(probability: float) -> str:
    """A probability that is not rounded to impossible or to certain."""
    if probability < CERTAIN_WITHIN or probability > 1 - CERTAIN_WITHIN:
        return f"{100 * probability:.0f}%"
    if probability < 0.0005:
        return "<0.1%"
    return ">99.9%" if probability > 0.9995 else f"{100 * probability:.1f}%"


def page_data(found: Matchups) -> dict[str, Any]:
    """What the scripts of the page read; rows are by attacker, then defender, then situation.

    Returns
    -------
    dict
        `attackers` and `defenders`, a list of selector, unit, level, points, faction and category each; `situations`
        and `metrics`, names and titles; `columns`, the figures by metric, None where there is none; `rows` and `why`,
        texts, and `row` and `why_not`, their places in them, -1 for none; `scale`, colours and inks from low to high;
        `least_share`, what of the highest figure the scale begins at; `categories` of targets, in their order.
    """
    frame = found.frame
    carried = (*CARRIED, *RESULTS) if any(each.fight.has_winner for each in found.situations) else CARRIED
    row, rows = pd.factorize(frame["row"])
    why_not, why = pd.factorize(frame["why_not"])
    colours = colormaps[SCALE](np.linspace(0, 1, COLOURS))
    return {
        "attackers": [_side_data(each) for each in found.attackers],
        "defenders": [_side_data(each) for each in found.defenders],
        "situations": [{"name": each.name, "heading": each.heading} for each in found.situations],
        "metrics": [_metric_data(name) for name in carried],
        "steps": PROBABILITY_STEPS,
        "columns": {name: _short(frame[name], probability=METRICS[name].is_probability) for name in carried},
        "rows": [str(each) for each in rows],
        "row": row.tolist(),
        "why": [str(each) for each in why],
        "why_not": why_not.tolist(),
        "scale": [[to_hex(colour), str(ink)] for colour, ink in zip(colours, inks(colours))],
        "least_share": LEAST_SHARE,
        "categories": get_args(Category),
    }


def _metric_data(name: str) -> dict[str, Any]:
    what = METRICS[name]
    return {"name": name, "title": what.title, "is_probability": what.is_probability, "unit": what.unit}


def _side_data(loadout: Loadout) -> dict[str, Any]:
    level, unit = loadout.level, loadout.unit
    names = {"selector": loadout.selector, "unit": unit.name, "level": loadout.level_name}
    return {**names, "points": level.points, "faction": loadout.faction, "category": unit.category}


def _short(column: pd.Series[Any], *, probability: bool) -> list[float | int | None]:
    """The figures rounded, but nothing possible to nothing and nothing uncertain to certain."""
    values = column.to_numpy(np.float64) * (PROBABILITY_STEPS if probability else 1)
    step = 1.0 if probability else 10.0**-DECIMALS
    rounded = values.round(0 if probability else DECIMALS)
    rounded[(rounded == 0) & (values > step * CERTAIN_WITHIN)] = step / 10
    if probability:
        rounded[(rounded == PROBABILITY_STEPS) & (values < PROBABILITY_STEPS * (1 - CERTAIN_WITHIN))] -= step / 10
    blank = np.isnan(rounded)
    return [
        None if none else int(each) if each == int(each) else each
        for each, none in zip(np.where(blank, 0, rounded).tolist(), blank)
    ]
