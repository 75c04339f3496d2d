"""The law of one number or word: a bar for each, its percentage above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analyser.plots.look import DARK, LABEL_POINTS, LOST, MEDIUM, check_columns, finish, house_style, new_axes, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEGLIGIBLE = 1e-4  # of many bars, those less likely are left out at both ends
MOST_NAMED = 24  # bars that all have a name and their percentage
FEWEST_PLACES = 5  # that fewer bars take, or they would be walls
WIDTH_A_BAR, LEAST_WIDTH, MOST_WIDTH, HEIGHT = 0.46, 3.2, 8.5, 2.9  # inches


def chances(
    frame: pd.DataFrame, *, x: str, heading: str, column: str = "probability", lost: str | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """The chance of each value in a column of a frame.

    Parameters
    ----------
    frame : DataFrame
    x : str
        The column of the values; they stand as they come.
    heading : str
    column : str
        That of the chances.
    lost : str, optional
        A column of truth values: bars of units that are lost are hatched.
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
    >>> from analyser import morale
    >>> flight = {"flight": {"arm": "infantry", "enemy": "cavalry"}}
    >>> ax = chances(morale.exact("grande-tactique", flight).to_frame(), x="distance", heading="Flight")
    >>> [round(bar.get_height()) for bar in ax.patches]
    [100]
    """
    check_columns(frame, (x, column, *([lost] if lost else [])))
    whole, frame = len(frame), _likely(frame, column)
    percent = 100 * frame[column].to_numpy(np.float64)
    places = np.arange(len(frame))
    every = -(-len(frame) // MOST_NAMED)
    with house_style():
        axes = ax if ax is not None else new_axes(np.clip(WIDTH_A_BAR * len(frame), LEAST_WIDTH, MOST_WIDTH), HEIGHT)
        bars = axes.bar(places, percent, width=0.8, color=MEDIUM, edgecolor=DARK, linewidth=0.8)
        if lost:
            for bar, gone in zip(bars, frame[lost]):
                bar.set_hatch(LOST if gone else "")
        for place, each in zip(places, percent if every == 1 else ()):
            text = f"{each:.0f}" if each >= 0.5 or each == 0 else "<1"
            axes.annotate(
                text, (place, each), xytext=(0, 2), textcoords="offset points", ha="center", size=LABEL_POINTS
            )
        names = [f"{each:g}" if isinstance(each, float) else str(each) for each in frame[x]]
        axes.set_xticks(places[::every], names[::every])
        half = max(len(frame), FEWEST_PLACES) / 2
        middle = (len(frame) - 1) / 2
        axes.set(xlim=(middle - half, middle + half), ylim=(0, max(percent.max() * 1.15, 1)))
        title(axes, f"{heading}, percent")
        beyond = f" (others: less than {NEGLIGIBLE:.2%} each)" if len(frame) < whole else ""
        axes.set_xlabel(x.replace("_", " ") + beyond, size=LABEL_POINTS)
        finish(axes, fit=ax is None)
    return axes


def _likely(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows from the first to the last that is not negligible, where they are many."""
    found = np.flatnonzero(frame[column].to_numpy(np.float64) >= NEGLIGIBLE)
    return frame if len(frame) <= MOST_NAMED or not len(found) else frame.iloc[found[0] : found[-1] + 1]
