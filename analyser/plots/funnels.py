"""Where the dice of an attack went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.plots.look import (
    DARK,
    LABEL_POINTS,
    LIGHT,
    LOST,
    MEDIUM,
    check_columns,
    finish,
    house_style,
    new_axes,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT_A_STAGE = 5.0, 0.36  # inches
_LOOK: Mapping[str, Mapping[str, Any]] = {
    "total": {"color": DARK},
    "part": {"facecolor": MEDIUM, "edgecolor": DARK},
    "lost": {"facecolor": LIGHT, "edgecolor": DARK, "hatch": LOST},
}


def funnel(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Expected numbers from the dice rolled down to the models destroyed, one bar a stage.

    Parameters
    ----------
    frame : DataFrame
        `stage`, `unit` (what is counted), `kind` (``"total"``, ``"part"`` of the total above it, or ``"lost"``) and
        `mean`, in the order from top to bottom: as of :func:`analyser.dice_funnel`.
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
    >>> ax = funnel(analyser.dice_funnel(fight))
    >>> ax.get_yticklabels()[0].get_text()
    'Dice rolled'
    """
    check_columns(frame, ("stage", "unit", "kind", "mean"))
    places = np.arange(len(frame))
    means = frame["mean"].to_numpy(np.float64)
    with house_style():
        axes = ax if ax is not None else new_axes(WIDTH, HEIGHT_A_STAGE * len(frame))
        for place, mean, kind, unit in zip(places, means, frame["kind"], frame["unit"]):
            axes.barh(place, mean, height=0.72, linewidth=0.8, **_LOOK[kind])
            axes.annotate(
                f"{_text(mean)} {unit}", (mean, place), xytext=(4, 0), textcoords="offset points", va="center",
                size=LABEL_POINTS,
            )  # fmt: skip
        axes.set_yticks(places, list(frame["stage"]), size=LABEL_POINTS)
        axes.set(ylim=(len(frame) - 0.5, -0.5), xlim=(0, 1.28 * max(means.max(), 1e-9)))
        title(axes, "Where the dice went: expected numbers, each in its own unit\nHatched: lost")
        finish(axes, fit=ax is None, grid="x")
    return axes


def _text(mean: float) -> str:
    return "<0.01" if 0 < mean < 0.005 else f"{mean:.2f}"
