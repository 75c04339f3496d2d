"""The distribution of a number by round: a column of cells for each round, percentages written in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize

from analyser.common.text import NEGLIGIBLE
from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL_WIDTH, CELL_HEIGHT = 0.52, 0.3  # inches
MOST_CELLS = 40  # numbers, one above the other
_POINTS_AN_INCH, _OF_CELL = 72, 0.75  # how much of a cell's height its text may take


def distributions_by_round(frame: pd.DataFrame, *, x: str, number: str, heading: str, ax: Axes | None = None) -> Axes:
    """Probability of each value of a number, round by round.

    Parameters
    ----------
    frame : DataFrame
        One row for each round and value that is possible, with its `probability`. Values that are less likely than
        0.01% in every round are left out at both ends.
    x, number : str
        The columns of the rounds and of the values, which are integers.
    heading : str

    Examples
    --------
    >>> from analyser import morale
    >>> tokens = morale.exact("legion", {"courage": 1, "tokens": 2, "rounds": 2}).to_frame("tokens")
    >>> rallied = tokens[tokens["when"] == "after rally"]
    >>> ax = distributions_by_round(rallied, x="round", number="tokens", heading="Tokens")
    >>> [text.get_text() for text in ax.texts]
    ['11', '70', '44', '30', '44']
    """
    look.check_columns(frame, (x, number, "probability"))
    likely = frame[frame["probability"] >= NEGLIGIBLE]
    rounds = sorted(frame[x].unique())
    values = np.arange(likely[number].min(), min(likely[number].max(), likely[number].min() + MOST_CELLS) + 1)
    cells = frame.pivot_table(index=number, columns=x, values="probability", aggfunc="sum")
    shown = 100 * cells.reindex(index=values, columns=rounds).fillna(0.0).to_numpy()
    with look.house_style():
        axes = ax if ax is not None else look.new_axes(CELL_WIDTH * len(rounds), CELL_HEIGHT * len(values))
        norm = Normalize(0.0, shown.max())
        image = axes.imshow(shown, cmap=look.SCALE, norm=norm, aspect="auto", origin="lower", interpolation="nearest")
        ink = look.inks(image.cmap(norm(shown)))
        inches = axes.get_window_extent().height / axes.figure.dpi
        points = min(look.CELL_POINTS, _OF_CELL * _POINTS_AN_INCH * inches / len(values))
        for (row, column), percent in np.ndenumerate(shown):
            if text := look.percent_text(percent, 100 * NEGLIGIBLE):
                colour = str(ink[row, column])
                axes.text(column, row, text, ha="center", va="center", color=colour, size=points)
        axes.set_xticks(range(len(rounds)), [str(each) for each in rounds], size=look.LABEL_POINTS)
        axes.set_yticks(range(len(values)), [str(each) for each in values], size=min(look.LABEL_POINTS, points + 1))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        look.title(axes, f"{heading}, percent")
        axes.set_xlabel(x, size=look.LABEL_POINTS)
        axes.set_ylabel(number.replace("_", " "), size=look.LABEL_POINTS)
        if ax is None:
            look.fit_figure(axes)
    return axes
