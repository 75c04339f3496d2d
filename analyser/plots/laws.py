"""The law of a number by round: a column of cells for each round, the chance in percent written in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize

from analyser.plots.look import (
    CELL_POINTS,
    LABEL_POINTS,
    SCALE,
    check_columns,
    fit_figure,
    house_style,
    inks,
    new_axes,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL_WIDTH, CELL_HEIGHT = 0.52, 0.3  # inches
NEGLIGIBLE = 1e-4  # what is less likely in every round is left out at the top
MOST_CELLS = 40  # numbers, one above the other
_POINTS_AN_INCH, _OF_CELL = 72, 0.75  # how much of a cell's height its text may take


def laws_by_round(frame: pd.DataFrame, *, x: str, number: str, heading: str, ax: Axes | None = None) -> Axes:
    """The chance of each value of a number, round by round.

    Parameters
    ----------
    frame : DataFrame
        One row for each round and value that is possible; `probability` is their chance.
    x, number : str
        The columns of the rounds and of the values, which are whole numbers.
    heading : str
    ax : Axes, optional
        Left out: of a new figure as large as its cells need.

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
    >>> tokens = morale.exact("legion", {"courage": 1, "tokens": 2, "rounds": 2}).to_frame("tokens")
    >>> ax = laws_by_round(tokens[tokens["when"] == "after rally"], x="round", number="tokens", heading="Tokens")
    >>> [text.get_text() for text in ax.texts]
    ['11', '70', '44', '30', '44']
    """
    check_columns(frame, (x, number, "probability"))
    likely = frame[frame["probability"] >= NEGLIGIBLE]
    rounds = sorted(frame[x].unique())
    values = np.arange(likely[number].min(), min(likely[number].max(), likely[number].min() + MOST_CELLS) + 1)
    cells = frame.pivot_table(index=number, columns=x, values="probability", aggfunc="sum")
    shown = 100 * cells.reindex(index=values, columns=rounds).fillna(0.0).to_numpy()
    with house_style():
        axes = ax if ax is not None else new_axes(CELL_WIDTH * len(rounds), CELL_HEIGHT * len(values))
        norm = Normalize(0.0, shown.max())
        image = axes.imshow(shown, cmap=SCALE, norm=norm, aspect="auto", origin="lower", interpolation="nearest")
        ink = inks(image.cmap(norm(shown)))
        inches = axes.get_window_extent().height / axes.figure.dpi
        points = min(CELL_POINTS, _OF_CELL * _POINTS_AN_INCH * inches / len(values))
        for (row, column), percent in np.ndenumerate(shown):
            text = f"{percent:.0f}" if percent >= 0.5 else "<1" if percent > 100 * NEGLIGIBLE else ""
            if text:
                colour = str(ink[row, column])
                axes.text(column, row, text, ha="center", va="center", color=colour, size=points)
        axes.set_xticks(range(len(rounds)), [str(each) for each in rounds], size=LABEL_POINTS)
        axes.set_yticks(range(len(values)), [str(each) for each in values], size=min(LABEL_POINTS, points + 1))
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        title(axes, f"{heading}, percent")
        axes.set_xlabel(x, size=LABEL_POINTS)
        axes.set_ylabel(number.replace("_", " "), size=LABEL_POINTS)
        if ax is None:
            fit_figure(axes)
    return axes
