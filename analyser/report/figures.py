"""What the scripts of the page read: every figure of a comparison, in short."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex

from analyser.analysis.grid import OF_BOTH
from analyser.analysis.matchups import Matchups
from analyser.analysis.roles import role_of
from analyser.analysis.situations import Situation
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.game.units import Category, Loadout
from analyser.plots.heatmaps import LEAST_SHARE as LEAST_ODDS
from analyser.plots.look import SCALE, inks
from analyser.plots.metrics import EFFICIENCY, METRICS

CARRIED = (
    *(EFFICIENCY, "mean_models_destroyed", "p_any_destroyed", "p_half_destroyed"),
    *("p_suppressed", "p_broken", "p_annihilated", "mean_damage"),
)
"""The figures of every situation that the page carries."""
PROBABILITY_STEPS = 10_000  # a probability is carried as so many hundredths of a percent
DECIMALS = 3  # of all other figures
COLOURS = 64
LEAST_SHARE = 0.002  # of the highest figure: of one of 200 what is 0.4 still has a colour of its own


def page_data(found: Matchups) -> dict[str, Any]:
    """What the scripts of the page of a report read: :func:`figures_data` of everybody in it."""
    # What only charges and duels have is left out where there are none.
    names = [*CARRIED, *(name for name in OF_BOTH if found.frame[name].notna().any())]
    return figures_data(found.frame, found.situations, list(map(side_data, found.attackers)), names)


def figures_data(
    frame: pd.DataFrame, situations: Sequence[Situation], sides: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> dict[str, Any]:
    """What the scripts of a page read; rows are those of the table: by pair, then by situation.

    `names` are the figures that are carried, `sides` everybody in the table, as of :func:`side_data`.

    Returns
    -------
    dict
        `sides`; `pairs`, the places of the attacker and of the defender of every pair among them; `situations` and
        `metrics`, names and titles; `columns`, the figures by metric, None where there is none; `rows` and `why`,
        texts, and `row` and `why_not`, their places in them, -1 for none; `scale`, colours and inks from low to high;
        `least_share`, what of the highest figure the scale begins at, and `least_odds`, the same of a probability;
        `categories` of targets, in their order.
    """
    carried = {name: METRICS[name] for name in names}
    row, rows = pd.factorize(frame["row"])
    why_not, why = pd.factorize(frame["why_not"])
    colours = colormaps[SCALE](np.linspace(0, 1, COLOURS))
    places = {each["selector"]: place for place, each in enumerate(sides)}
    pairs = frame.iloc[:: len(situations)]
    return {
        "sides": list(sides),
        "pairs": [pairs[side].map(places).tolist() for side in ("attacker", "defender")],
        "situations": [{"name": each.name, "heading": each.heading} for each in situations],
        "metrics": [
            {"name": name, "title": what.title, "is_probability": what.is_probability, "unit": what.unit}
            for name, what in carried.items()
        ],
        "steps": PROBABILITY_STEPS,
        "columns": {name: _short(frame[name], probability=what.is_probability) for name, what in carried.items()},
        "rows": [str(each) for each in rows],
        "row": row.tolist(),
        "why": [str(each) for each in why],
        "why_not": why_not.tolist(),
        "scale": [[to_hex(colour), str(ink)] for colour, ink in zip(colours, inks(colours))],
        "least_share": LEAST_SHARE,
        "least_odds": LEAST_ODDS,
        "categories": get_args(Category),
    }


def packed(data: Mapping[str, Any]) -> str:
    """The same as text that a browser unpacks: JSON, compressed by zlib to a fifth, in base64."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode())).decode("ascii")


def side_data(loadout: Loadout) -> dict[str, Any]:
    """A loadout as the scripts of a page know it."""
    level, unit = loadout.level, loadout.unit
    names = {"selector": loadout.selector, "unit": unit.name, "level": loadout.level_name}
    facts = {"points": level.points, "faction": loadout.faction, "category": unit.category, "role": role_of(unit)}
    return {**names, **facts}


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
