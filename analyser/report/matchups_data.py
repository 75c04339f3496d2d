"""Pack the figures of a table of matchups, for the scripts of a web page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex

from analyser.analysis.grid import TWO_SIDED_FIGURES
from analyser.analysis.matchups import Matchups
from analyser.analysis.roles import role_of
from analyser.analysis.situations import Situation
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.kernel_records import Floats
from analyser.common.look import PALETTE, inks
from analyser.common.metrics import EFFICIENCY, function_of, metric_by_name
from analyser.game.units import Category, Loadout
from analyser.plots.heatmaps import LEAST_SHARE as LEAST_PROBABILITY
from analyser.web.html import pack_data

PAGE_FIGURES = (
    *(EFFICIENCY, "mean_models_destroyed", "p_any_destroyed", "p_half_destroyed"),
    *("p_suppressed", "p_broken", "p_annihilated", "mean_damage"),
)
"""Figures of every page that is small enough."""
TITLES_ON_PAGE = {"p_attacker_wins": "Attacker wins", "p_draw": "Draw"}
PROBABILITY_STEPS = 2000  # probabilities are stored in steps of 0.05%
DECIMALS = 3  # decimals of other figures, if below 10
COARSE_FROM, COARSE_STEP = 10_000, 20  # thousandths; figures from 10 on are stored in steps of 0.02
ALMOST_ZERO, ALMOST_CERTAIN = 2**32 - 1, 2**32 - 2  # codes of figures near 0, and of probabilities near 1
_INDEX_COLUMNS = ("row", "why_not")  # columns of indices into lists of texts
COLOURS = 64  # number of colours on the scale
LEAST_SHARE_OF_HIGHEST = 0.002  # the colour scale begins at this share of the highest figure


def page_data(answer: Matchups, figures: Sequence[str] = PAGE_FIGURES) -> dict[str, Any]:
    """Return :func:`figures_data` of a report, with `figures`, optional figures of its table, and user metrics."""
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
    """Return the data for the scripts of a page, in the order of the table: by pair, then by situation.

    `names` are the figures to include; `sides` are all loadouts in the table (:func:`side_data`). In the result,
    `pairs` has indices of attackers and defenders in `sides`. `row` and `why_not` are indices in `rows` and `why`, or
    -1.
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
        "steps": PROBABILITY_STEPS,
        "coarse": [COARSE_FROM, COARSE_STEP],
        "columns": {name: frame[name].to_numpy(np.float64) for name in metrics},
        "rows": list(map(str, row_texts)),
        "row": row_indices,
        "why": list(map(str, reason_texts)),
        "why_not": reason_indices,
        "scale": [[to_hex(colour), str(ink)] for colour, ink in zip(colours, inks(colours))],
        "least_share": LEAST_SHARE_OF_HIGHEST,
        "least_probability": LEAST_PROBABILITY,
        "categories": get_args(Category),
    }


def packed_figures(data: Mapping[str, Any]) -> str:
    """Return the data packed as text for ``figures.js``, by :func:`analyser.web.html.pack_data`.

    `codes` names the columns of codes after the JSON, ordered by situation, then by pair. A column has the first bytes
    of all codes, then all second bytes, and so on. A code is the value in steps plus 1, or 0 for a missing value. The
    two highest codes mean almost 0 and almost certain. Codes above COARSE_FROM count COARSE_STEP steps, except for
    probabilities.
    """
    columns = {**data["columns"], **{name: data[name] for name in _INDEX_COLUMNS}}
    head = {name: entry for name, entry in data.items() if name not in ("columns", *_INDEX_COLUMNS)}
    steps = {name: 10.0**-DECIMALS for name in data["columns"] if not metric_by_name(name).is_probability}
    head["codes"] = [[name, steps.get(name, 1.0)] for name in columns]
    coded = [_coded(name, np.asarray(column, np.float64), len(data["situations"])) for name, column in columns.items()]
    return pack_data(head, b"".join(coded))


def _coded(name: str, values: Floats, situations: int) -> bytes:
    """Return a column as bytes (:func:`packed_figures`); no value is rounded to exactly 0 or certainty."""
    is_index, is_probability = name in _INDEX_COLUMNS, metric_by_name(name).is_probability
    steps = values * (1 if is_index else PROBABILITY_STEPS if is_probability else 10**DECIMALS)
    if not is_index and not is_probability:
        steps = np.where(steps > COARSE_FROM, COARSE_FROM + (steps - COARSE_FROM) / COARSE_STEP, steps)
    codes = np.where(np.isnan(steps), -1.0, steps).round() + 1
    if not is_index:
        codes[(codes == 1) & (steps > CERTAIN_WITHIN)] = ALMOST_ZERO
    if is_probability:
        is_uncertain = steps < PROBABILITY_STEPS * (1 - CERTAIN_WITHIN)
        codes[(codes == PROBABILITY_STEPS + 1) & is_uncertain] = ALMOST_CERTAIN
    by_situation = codes.reshape(-1, situations).T.astype("<u4").ravel()
    return by_situation.view(np.uint8).reshape(-1, 4).T.tobytes()


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
