"""Probabilities by round: a line with markers for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 5.2, 2.9  # inches


def curves(frame: pd.DataFrame, *, x: str, lines: Mapping[str, str], heading: str, ax: Axes | None = None) -> Axes:
    """Probabilities in several columns of a frame, by round.

    Parameters
    ----------
    frame : DataFrame
        One row a round; where it has ``c_low`` and ``c_high`` beside a column ``c``, the 95% intervals are drawn.
    x : str
        The column of the rounds.
    lines : mapping
        What each line is called in the legend, by column. Six at most.
    heading : str

    Examples
    --------
    >>> from analyser import morale
    >>> frame = morale.exact("legion", {"courage": 1, "tokens": 3}).to_frame()
    >>> ax = curves(frame, x="round", lines={"p_panicked": "panicked"}, heading="Panic")
    >>> ax.lines[0].get_ydata().round().tolist()[:2]
    [74.0, 13.0]
    """
    look.check_columns(frame, (x, *lines))
    look.check_lines("lines", len(lines))
    with look.drawing(ax, WIDTH, HEIGHT, heading=f"{heading}, percent", across=x, legend=min(len(lines), 3)) as axes:
        look.draw_lines(axes, x, [(name, column, frame) for column, name in lines.items()])
    return axes
