"""Pictures of one attack looked into, bar below bar: where its dice went, and what each number of a unit does."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.common.estimates import SAME_WITHIN
from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT_A_STAGE, HEIGHT_A_NUMBER = 5.0, 0.36, 0.4  # inches
LETTERS_A_LINE = 78
_LOOK: Mapping[str, Mapping[str, Any]] = {
    "total": {"color": look.DARK},
    "part": {"facecolor": look.MEDIUM, "edgecolor": look.DARK},
    "lost": {"facecolor": look.LIGHT, "edgecolor": look.DARK, "hatch": look.LOST},
    "one less": {"facecolor": look.LIGHT, "edgecolor": look.DARK, "hatch": look.LOST},
    "one more": {"facecolor": look.DARK, "edgecolor": look.DARK},
}


def funnel(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """Expected numbers from the dice rolled down to the models destroyed, one bar a stage.

    Parameters
    ----------
    frame : DataFrame
        `stage`, `unit` (what is counted), `kind` (``"total"``, ``"part"`` of the total above it, or ``"lost"``) and
        `mean`, in the order from top to bottom: as of :func:`analyser.dice_funnel`.
    heading : str
        What it is of, a line above the title: attacker, target and conditions.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = funnel(analyser.dice_funnel(fight))
    >>> ax.get_yticklabels()[0].get_text()
    'Dice rolled'
    """
    look.check_columns(frame, ("stage", "unit", "kind", "mean"))
    means = frame["mean"].to_numpy(np.float64)
    what = f"{heading}\nWhere the dice went: expected numbers, each in its own unit\nHatched: lost"
    beside: dict[str, Any] = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
    with look.drawing(ax, WIDTH, HEIGHT_A_STAGE * len(frame), heading=what, grid="x") as axes:
        for place, (mean, kind, unit) in enumerate(zip(means, frame["kind"], frame["unit"])):
            axes.barh(place, mean, height=0.72, linewidth=0.8, **_LOOK[kind])
            text = f"{'<0.01' if 0 < mean < 0.005 else f'{mean:.2f}'} {unit}"
            axes.annotate(text, (mean, place), size=look.LABEL_POINTS, **beside)
        axes.set_yticks(np.arange(len(frame)), list(frame["stage"]))
        axes.set(ylim=(len(frame) - 0.5, -0.5), xlim=(0, 1.28 * max(means.max(), 1e-9)))
    return axes


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
    name, scale = look.figure_title(str(frame["metric"].iloc[0]), label)
    base = scale * float(frame["base"].iloc[0])
    changes = np.nan_to_num(scale * frame[["minus_1", "plus_1"]].to_numpy(np.float64) - base)
    longest = np.abs(changes).max(axis=1)
    order = np.argsort(-longest, kind="stable")
    order = order[longest[order] > SAME_WITHIN]
    names = [f"{row.side}: {row.number} {row.value:g}" for row in frame.itertuples()]
    what, rows = f"{heading}\n{name}: {base:.3g} as it is,\nand with one less or one more of each number", len(order)
    with look.drawing(ax, WIDTH, HEIGHT_A_NUMBER * max(rows, 1), heading=what, legend=2, grid="x") as axes:
        for column, step in enumerate(("one less", "one more")):
            bars: dict[str, Any] = {"left": base, "height": 0.36, "linewidth": 0.8, "label": step, **_LOOK[step]}
            axes.barh(np.arange(rows) + 0.18 * (2 * column - 1), changes[order, column], **bars)
        axes.axvline(base, color="black", linewidth=1)
        axes.set_yticks(np.arange(rows), [names[place] for place in order])
        axes.set_ylim(max(rows, 1) - 0.5, -0.5)
        axes.margins(x=0.08)
        if idle := [names[place] for place in np.flatnonzero(longest <= SAME_WITHIN)]:
            text = "\n".join(textwrap.wrap(f"No effect: {', '.join(idle)}.", LETTERS_A_LINE))
            axes.set_xlabel(text, size=look.CELL_POINTS, loc="left", parse_math=False)
    return axes
