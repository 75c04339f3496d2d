"""Pack the figures of a table of matchups, for the scripts of a web page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex
from numpy.typing import NDArray

from analyser.analysis.grid import TWO_SIDED_FIGURES
from analyser.analysis.matchups import Matchups
from analyser.analysis.roles import role_of
from analyser.analysis.situations import Situation
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.kernel_records import Floats
from analyser.common.look import PALETTE, inks
from analyser.common.metrics import EFFICIENCY, Metric, function_of, metric_by_name
from analyser.game.units import Category, Loadout
from analyser.plots.heatmaps import LEAST_SHARE as LEAST_PROBABILITY
from analyser.web.html import pack_data

PAGE_FIGURES = (
    *(EFFICIENCY, "mean_models_destroyed", "p_any_destroyed", "p_half_destroyed"),
    *("p_suppressed", "p_broken", "p_annihilated", "mean_damage"),
)
"""Figures on a page, unless it would be too large."""
TITLES_ON_PAGE = {"p_attacker_wins": "Attacker wins", "p_draw": "Draw"}
DROPPED_BITS = 12  # bits of a 32-bit float that are rounded away, so that figures compress well
COLOURS = 64  # number of colours on the scale
LEAST_SHARE_OF_HIGHEST = 0.002  # the colour scale begins at this share of the highest figure


def page_data(answer: Matchups, figures: Sequence[str] = PAGE_FIGURES) -> dict[str, Any]:
    """Return :func:`figures_data` of a report: `figures`, further figures of its table, and the user's metrics."""
    further_names = [name for name in TWO_SIDED_FIGURES if answer.frame[name].notna().any()]
    further_names += [name for name in map(str, answer.frame) if function_of(name) is not None]
    names = [*figures, *(["p_activated"] if answer.frame["p_activated"].gt(0).any() else []), *further_names]
    sides = list(map(side_data, answer.attackers))
    data = figures_data(answer.frame, answer.situations, sides, names)
    names_of_rows = row_names(answer.attackers)
    return data | {"rows": [names_of_rows.get(row_id, row_id) for row_id in data["rows"]]}


def row_names(loadouts: Iterable[Loadout]) -> dict[str, str]:
    """Return the names of rows by id, except ids with several names."""
    names: dict[str, set[str]] = {}
    for row in (row for loadout in loadouts for row in loadout.unit.rows):
        names.setdefault(row.id, set()).add(row.name)
    return {row: options.pop() for row, options in names.items() if len(options) == 1}


def figures_data(
    frame: pd.DataFrame, situations: Sequence[Situation], sides: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> dict[str, Any]:
    """Return the data for the scripts of a page, in the order of the table: by pair of loadouts, then by situation.

    `names` are the figures to include; `sides` are all loadouts in the table (:func:`side_data`). In the result,
    `pairs` has indices of attackers and defenders in `sides`. The columns `row` and `why_not` have indices in `rows`
    and `why`; -1 for none.
    """
    metrics = {name: metric_by_name(name) for name in names}
    metrics |= {name: metrics[name]._replace(title=title) for name, title in TITLES_ON_PAGE.items() if name in metrics}
    row_indices, row_texts = pd.factorize(frame["row"])
    reason_indices, reason_texts = pd.factorize(frame["why_not"])
    colours = colormaps[PALETTE](np.linspace(0, 1, COLOURS))
    indices = {side["selector"]: index for index, side in enumerate(sides)}
    pairs = frame.iloc[:: len(situations)]
    return {
        "sides": list(sides),
        "pairs": [pairs[side].map(indices).tolist() for side in ("attacker", "defender")],
        "situations": [{"name": s.name, "heading": s.heading, "is_duel": s.fight.has_winner} for s in situations],
        "metrics": [
            {
                "name": name,
                "title": metric.title,
                "short": _short_title(metric.title),
                "is_probability": metric.is_probability,
            }
            for name, metric in metrics.items()
        ],
        "columns": {name: _rounded(metric, frame[name].to_numpy(np.float64)) for name, metric in metrics.items()}
        | {"row": row_indices, "why_not": reason_indices},
        "rows": list(map(str, row_texts)),
        "why": list(map(str, reason_texts)),
        "scale": [[to_hex(colour), str(ink)] for colour, ink in zip(colours, inks(colours))],
        "least_share": LEAST_SHARE_OF_HIGHEST,
        "least_probability": LEAST_PROBABILITY,
        "categories": get_args(Category),
    }


def packed_figures(data: Mapping[str, Any]) -> str:
    """Return the data packed as text for ``figures.js``, by :func:`analyser.web.html.pack_data`.

    `columns` names the arrays that follow the JSON: 32-bit floats, ordered by situation, then by pair of loadouts.
    Figures have 12 significant bits, and a missing figure is NaN.
    """
    columns, situations = data["columns"], len(data["situations"])
    parts = [column.reshape(-1, situations).T.astype("<f4").tobytes() for column in columns.values()]
    return pack_data({**data, "columns": list(columns)}, b"".join(parts))


def _rounded(metric: Metric, figures: Floats) -> NDArray[np.float32]:
    """Return figures as floats of 12 significant bits; only impossible and certain events get exactly 0 and 1."""
    exact = np.where(np.abs(figures) <= CERTAIN_WITHIN, 0.0, figures).astype(np.float32)
    bits = exact.view(np.uint32) + np.uint32(1 << (DROPPED_BITS - 1))
    result = (bits >> DROPPED_BITS << DROPPED_BITS).view(np.float32)
    if metric.is_probability:
        almost = np.float32(1 - 2.0 ** (DROPPED_BITS - 24))
        result = np.where(figures < 1 - CERTAIN_WITHIN, np.minimum(result, almost), result)
    return np.asarray(result)


def _short_title(title: str) -> str:
    """Return a title that is short enough for a menu on a phone."""
    short = title.removesuffix(" of the attacker").removeprefix("Expected ")
    return short[:1].upper() + short[1:]


def side_data(loadout: Loadout) -> dict[str, Any]:
    """Return the data of a loadout for the scripts of a page."""
    level, unit = loadout.level, loadout.unit
    names = {"selector": loadout.selector, "unit": unit.name, "level": loadout.level_name}
    facts = {"points": level.points, "faction": loadout.faction, "category": unit.category, "role": role_of(unit)}
    return {**names, **facts}
