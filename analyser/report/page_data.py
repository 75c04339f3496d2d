"""The figures as the page carries them: columns of short numbers, for its tables and heatmaps to draw from."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex

from analyser.analysis.balance import EFFICIENCY
from analyser.analysis.matchups import Matchups
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.game.units import Category, Loadout
from analyser.plots.heatmaps import LEAST_SHARE
from analyser.plots.look import SCALE, inks
from analyser.plots.metrics import METRICS, RESULTS

CARRIED = (
    EFFICIENCY,
    "mean_models_destroyed",
    "p_any_destroyed",
    "p_half_destroyed",
    "p_suppressed",
    "p_broken",
    "p_annihilated",
    "mean_damage",
)
PROBABILITY_STEPS = 10_000  # a probability is carried as so many hundredths of a percent
DECIMALS = 3  # of all other figures
COLOURS = 64


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
    return {
        "attackers": [_side(each) for each in found.attackers],
        "defenders": [_side(each) for each in found.defenders],
        "situations": [{"name": each.name, "heading": each.heading} for each in found.situations],
        "metrics": [_metric(name) for name in carried],
        "steps": PROBABILITY_STEPS,
        "columns": {name: _short(frame[name], probability=METRICS[name].is_probability) for name in carried},
        "rows": [str(each) for each in rows],
        "row": row.tolist(),
        "why": [str(each) for each in why],
        "why_not": why_not.tolist(),
        "scale": _scale(),
        "least_share": LEAST_SHARE,
        "categories": get_args(Category),
    }


def _metric(name: str) -> dict[str, Any]:
    what = METRICS[name]
    return {"name": name, "title": what.title, "is_probability": what.is_probability, "unit": what.unit}


def _side(loadout: Loadout) -> dict[str, Any]:
    return {
        "selector": loadout.selector,
        "unit": loadout.unit.name,
        "level": loadout.level_name,
        "points": loadout.level.points,
        "faction": loadout.faction,
        "category": loadout.unit.category,
    }


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


def _scale() -> list[list[str]]:
    colours = colormaps[SCALE](np.linspace(0, 1, COLOURS))
    return [[to_hex(colour), str(ink)] for colour, ink in zip(colours, inks(colours))]
