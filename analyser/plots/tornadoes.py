"""What one more and one less of each number does to a figure."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.common.estimates import SAME_WITHIN
from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT_A_NUMBER = 5.0, 0.4  # inches
LETTERS_A_LINE = 78


def tornado(frame: pd.DataFrame, *, label: str | None = None, heading: str = "", ax: Axes | None = None) -> Axes:
    """Two bars from the figure as it is, for each number of a unit that changes it; the longest on top.

    Parameters
    ----------
    frame : DataFrame
        `side`, `number`, `value`, `metric`, `base`, `minus_1` and `plus_1`, as of :func:`analyser.sensitivity`: the
        figure with one less and with one more of the number, NaN where that cannot be. Figures ``p_...`` are drawn in
        percent.
    label : str, optional
        What the figure is called in the title. Default: the name of its column in words.
    heading : str
        What it is of, a line above the title: attacker, target and conditions.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = tornado(analyser.sensitivity(fight).frame)
    >>> ax.get_yticklabels()[0].get_text()
    'target: DAMAGE LIMIT 1'
    """
    look.check_columns(frame, ("side", "number", "value", "metric", "base", "minus_1", "plus_1"))
    metric = str(frame["metric"].iloc[0])
    scale, unit = (100, ", percent") if metric.startswith("p_") else (1, "")
    base = scale * float(frame["base"].iloc[0])
    changes = np.nan_to_num(scale * frame[["minus_1", "plus_1"]].to_numpy(np.float64) - base)
    reach = np.abs(changes).max(axis=1)
    order = np.argsort(-reach, kind="stable")
    order = order[reach[order] > SAME_WITHIN]
    figure = f"{label or metric.replace('_', ' ')}{unit}: {base:.3g} as it is"
    what = look.below(heading, f"{figure},\nand with one less or one more of each number")
    with look.drawing(ax, WIDTH, HEIGHT_A_NUMBER * max(len(order), 1), heading=what, legend=2, grid="x") as axes:
        for column, name, hatch, colour in ((0, "one less", look.LOST, look.LIGHT), (1, "one more", "", look.DARK)):
            bars: dict[str, Any] = {"facecolor": colour, "edgecolor": look.DARK, "hatch": hatch, "label": name}
            places = np.arange(len(order)) + 0.18 * (2 * column - 1)
            axes.barh(places, changes[order, column], left=base, height=0.36, linewidth=0.8, **bars)
        axes.axvline(base, color="black", linewidth=1)
        axes.set_yticks(np.arange(len(order)), [_name(frame.iloc[place]) for place in order])
        axes.set_ylim(max(len(order), 1) - 0.5, -0.5)
        axes.margins(x=0.08)
        if idle := [_name(frame.iloc[place]) for place in np.flatnonzero(reach <= SAME_WITHIN)]:
            text = "\n".join(textwrap.wrap(f"No effect: {', '.join(idle)}.", LETTERS_A_LINE))
            axes.set_xlabel(text, size=look.CELL_POINTS, loc="left", parse_math=False)
    return axes


def _name(row: pd.Series[Any]) -> str:
    return f"{row['side']}: {row['number']} {row['value']:g}"
