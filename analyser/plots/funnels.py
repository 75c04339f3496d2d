"""Where the dice of an attack went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT_A_STAGE = 5.0, 0.36  # inches
_LOOK: Mapping[str, Mapping[str, Any]] = {
    "total": {"color": look.DARK},
    "part": {"facecolor": look.MEDIUM, "edgecolor": look.DARK},
    "lost": {"facecolor": look.LIGHT, "edgecolor": look.DARK, "hatch": look.LOST},
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
    places = np.arange(len(frame))
    means = frame["mean"].to_numpy(np.float64)
    what = look.below(heading, "Where the dice went: expected numbers, each in its own unit\nHatched: lost")
    with look.drawing(ax, WIDTH, HEIGHT_A_STAGE * len(frame), heading=what, grid="x") as axes:
        for place, mean, kind, unit in zip(places, means, frame["kind"], frame["unit"]):
            axes.barh(place, mean, height=0.72, linewidth=0.8, **_LOOK[kind])
            text = f"{'<0.01' if 0 < mean < 0.005 else f'{mean:.2f}'} {unit}"
            where = (mean, place)
            axes.annotate(text, where, xytext=(4, 0), textcoords="offset points", va="center", size=look.LABEL_POINTS)
        axes.set_yticks(places, list(frame["stage"]))
        axes.set(ylim=(len(frame) - 0.5, -0.5), xlim=(0, 1.28 * max(means.max(), 1e-9)))
    return axes
