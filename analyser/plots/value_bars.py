"""The distribution of one number or state: a bar for each value, its percentage above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analyser.common.text import NEGLIGIBLE
from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 24  # that all have a name and their percentage
FEWEST_PLACES = 5  # that fewer bars take, or they would be walls
WIDTH_A_BAR, LEAST_WIDTH, MOST_WIDTH, HEIGHT = 0.46, 3.2, 8.5, 2.9  # inches


def probabilities(
    frame: pd.DataFrame,
    *,
    x: str,
    heading: str,
    column: str = "probability",
    lost: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Probability of each value in a column of a frame.

    Parameters
    ----------
    frame : DataFrame
        Of more than 24 values those less likely than 0.01% are left out at both ends.
    x : str
        The column of the values; they stand as they come.
    heading : str
    column : str
        That of the probabilities.
    lost : str, optional
        A column of bool: bars of units that are lost are hatched.

    Examples
    --------
    >>> from analyser import morale
    >>> flight = {"flight": {"arm": "infantry", "enemy": "cavalry"}}
    >>> ax = probabilities(morale.exact("grande-tactique", flight).to_frame(), x="distance", heading="Flight")
    >>> [round(bar.get_height()) for bar in ax.patches]
    [100]
    """
    look.check_columns(frame, (x, column, *([lost] if lost else [])))
    whole, frame = len(frame), _likely(frame, column)
    percent, places = 100 * frame[column].to_numpy(np.float64), np.arange(len(frame))
    every = -(-len(frame) // MOST_BARS)
    width = float(np.clip(WIDTH_A_BAR * len(frame), LEAST_WIDTH, MOST_WIDTH))
    across = x.replace("_", " ") + (f" (others: less than {NEGLIGIBLE:.2%} each)" if len(frame) < whole else "")
    with look.drawing(ax, width, HEIGHT, heading=f"{heading}, percent", across=across) as axes:
        bars = axes.bar(places, percent, width=0.8, color=look.MEDIUM, edgecolor=look.DARK, linewidth=0.8)
        for bar, gone in zip(bars, frame[lost] if lost else ()):
            bar.set_hatch(look.LOST if gone else "")
        if every == 1:
            look.write_above(axes, places, percent, zero="0")
        names = [f"{each:g}" if isinstance(each, float) else str(each) for each in frame[x]]
        axes.set_xticks(places[::every], names[::every])
        half, middle = max(len(frame), FEWEST_PLACES) / 2, (len(frame) - 1) / 2
        axes.set(xlim=(middle - half, middle + half), ylim=(0, max(percent.max() * 1.15, 1)))
    return axes


def _likely(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows from the first to the last that is not negligible, where they are many."""
    found = np.flatnonzero(frame[column].to_numpy(np.float64) >= NEGLIGIBLE)
    return frame if len(frame) <= MOST_BARS or not len(found) else frame.iloc[found[0] : found[-1] + 1]
