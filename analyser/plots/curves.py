"""Chances by round: a line with markers for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from analyser.plots.look import LABEL_POINTS, LINES, check_columns, check_number, finish, house_style, new_axes, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 5.2, 2.9  # inches


def curves(frame: pd.DataFrame, *, x: str, lines: Mapping[str, str], heading: str, ax: Axes | None = None) -> Axes:
    """The chances in several columns of a frame, by round.

    Parameters
    ----------
    frame : DataFrame
        One row a round; where it has ``c_low`` and ``c_high`` beside a column ``c``, the 95% intervals are drawn.
    x : str
        The column of the rounds.
    lines : mapping
        What each line is called in the legend, by column. Six at most.
    heading : str
    ax : Axes, optional
        Left out: of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        A column is missing, there are no rows, or more lines than can be told apart.

    Examples
    --------
    >>> from analyser import morale
    >>> frame = morale.exact("legion", {"courage": 1, "tokens": 3}).to_frame()
    >>> ax = curves(frame, x="round", lines={"p_panicked": "panicked"}, heading="Panic")
    >>> ax.lines[0].get_ydata().round().tolist()[:2]
    [74.0, 13.0]
    """
    check_columns(frame, (x, *lines))
    check_number("lines", len(lines), len(LINES))
    with house_style():
        axes = ax if ax is not None else new_axes(WIDTH, HEIGHT)
        for (column, name), line in zip(lines.items(), LINES):
            axes.plot(frame[x], 100 * frame[column], label=name, **line, linewidth=1.6, markersize=5.5)
            if f"{column}_low" in frame:
                sides = [frame[column] - frame[f"{column}_low"], frame[f"{column}_high"] - frame[column]]
                axes.errorbar(
                    frame[x], 100 * frame[column], yerr=100 * np.clip(sides, 0, None), fmt="none",
                    ecolor=line["color"], elinewidth=1, capsize=3,
                )  # fmt: skip
        axes.set(ylim=(-2, 104), yticks=range(0, 101, 20))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        title(axes, f"{heading}, percent")
        axes.set_xlabel(x, size=LABEL_POINTS)
        finish(axes, legend=min(len(lines), 3), fit=ax is None)
    return axes
