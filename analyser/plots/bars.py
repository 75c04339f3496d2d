"""The distribution of models destroyed: a bar for each number, and a stepped line for at least as many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from analyser.common.estimates import wilson_interval
from analyser.common.text import shown_range
from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH_A_BAR, LEAST_WIDTH, MOST_WIDTH, HEIGHT = 0.42, 3.6, 8.5, 2.9  # inches
MOST_WITH_TEXT = 16  # bars that have their percentage written above them


def probability_bars(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """Probability of each number of models destroyed, as bars, and of at least as many, as a stepped line.

    Parameters
    ----------
    frame : DataFrame
        `models_destroyed` and `probability`, several rows of one number being added up, as of
        :meth:`analyser.Result.to_frame`; of a sample also `count`, from which 95% intervals (Wilson 1927) are drawn.
        Ends of a long distribution that are less likely than 0.01% are left out.
    heading : str
        What it is of, a line above the title: target and conditions.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = probability_bars(analyser.exact(fight).to_frame())
    >>> [round(bar.get_height()) for bar in ax.patches]
    [3, 20, 31, 26, 20]
    """
    look.check_columns(frame, ("models_destroyed", "probability"))
    pmf = _added_up(frame, "probability")
    at_least = np.cumsum(pmf[::-1])[::-1]
    first, last = shown_range(pmf.tolist(), at_least.tolist())
    values = np.arange(first, last + 1)
    width = float(np.clip(WIDTH_A_BAR * len(values), LEAST_WIDTH, MOST_WIDTH))
    what = look.below(heading, "Models destroyed: probability in percent")
    with look.drawing(ax, width, HEIGHT, heading=what, across="models destroyed", legend=2) as axes:
        bars = axes.bar(values, 100 * pmf[values], width=0.8, color=look.MEDIUM, edgecolor=look.DARK, linewidth=0.8)
        axes.step(values, 100 * at_least[values], where="mid", color=look.DARK, linewidth=1.6, label="at least so many")
        bars.set_label("exactly so many")
        if "count" in frame:
            counts = _added_up(frame, "count")
            shares, (low, high) = counts / counts.sum(), wilson_interval(counts, int(counts.sum()))
            ends = 100 * np.array([shares - low, high - shares])
            look.draw_intervals(axes, values, 100 * shares[values], ends[:, values], color="black")
        elif len(values) <= MOST_WITH_TEXT:
            for text in look.write_above(axes, values, 100 * pmf[values]):
                text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])  # the line runs behind it
        axes.set(ylim=(0, 108), yticks=range(0, 101, 20), xlim=(first - 0.6, last + 0.6))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return axes


def _added_up(frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """A column summed by the number of models destroyed: shape (highest number + 1,)."""
    summed = np.bincount(frame["models_destroyed"].to_numpy(np.int64), frame[column].to_numpy(np.float64))
    return np.asarray(summed, np.float64)
