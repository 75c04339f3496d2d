"""What one more and one less of each number does to a figure."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.plots.look import (
    CELL_POINTS,
    DARK,
    LABEL_POINTS,
    LIGHT,
    LOST,
    check_columns,
    finish,
    house_style,
    new_axes,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT_A_NUMBER = 5.0, 0.4  # inches
LETTERS_A_LINE = 78
_NOTHING = 1e-9


def tornado(frame: pd.DataFrame, *, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Two bars from the figure as it is, for each number of a unit that changes it; the longest on top.

    Parameters
    ----------
    frame : DataFrame
        `side`, `number`, `value`, `metric`, `base`, `minus_1` and `plus_1`, as of :func:`analyser.sensitivity`: the
        figure with one less and with one more of the number, NaN where that cannot be. Figures ``p_...`` are drawn in
        percent.
    label : str, optional
        What the figure is called in the title; left out: the name of its column in words.
    ax : Axes, optional
        Left out: of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        A column is missing, or there are no rows.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = tornado(analyser.sensitivity(fight).frame)
    >>> ax.get_yticklabels()[0].get_text()
    'target: DAMAGE LIMIT 1'
    """
    check_columns(frame, ("side", "number", "value", "metric", "base", "minus_1", "plus_1"))
    scale, unit = (100, ", percent") if str(frame["metric"].iloc[0]).startswith("p_") else (1, "")
    base = scale * float(frame["base"].iloc[0])
    ends = scale * frame[["minus_1", "plus_1"]].to_numpy(np.float64)
    changes = np.nan_to_num(ends - base)
    reach = np.abs(changes).max(axis=1)
    order = np.argsort(-reach, kind="stable")
    order = order[reach[order] > _NOTHING]
    with house_style():
        axes = ax if ax is not None else new_axes(WIDTH, HEIGHT_A_NUMBER * max(len(order), 1))
        for column, name, hatch, colour in ((0, "one less", LOST, LIGHT), (1, "one more", "", DARK)):
            axes.barh(
                np.arange(len(order)) + 0.18 * (2 * column - 1), changes[order, column], left=base, height=0.36,
                facecolor=colour, edgecolor=DARK, hatch=hatch, linewidth=0.8, label=name,
            )  # fmt: skip
        axes.axvline(base, color="black", linewidth=1)
        names = [_name(frame.iloc[place]) for place in order]
        axes.set_yticks(np.arange(len(order)), names, size=LABEL_POINTS)
        axes.set_ylim(max(len(order), 1) - 0.5, -0.5)
        axes.margins(x=0.08)
        idle = [_name(frame.iloc[place]) for place in np.flatnonzero(reach <= _NOTHING)]
        if idle:
            axes.set_xlabel(_wrapped(f"No effect: {', '.join(idle)}."), size=CELL_POINTS, loc="left", parse_math=False)
        what = label or str(frame["metric"].iloc[0]).replace("_", " ")
        title(axes, f"{what}{unit}: {base:.3g} as it is,\nand with one less or one more of each number")
        finish(axes, legend=2, fit=ax is None, grid="x")
    return axes


def _name(row: pd.Series[Any]) -> str:
    return f"{row['side']}: {row['number']} {row['value']:g}"


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, LETTERS_A_LINE))
