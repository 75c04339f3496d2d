"""Who is still there, round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.ticker import MaxNLocator

from analyser.plots.frames import check_columns, check_number
from analyser.plots.look import LABEL_POINTS, LINES, finish, house_style, new_axes, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 5.2, 3.0  # inches


def survival(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """The chance that each side is still in the fight after each round: a line with markers for each side.

    Parameters
    ----------
    frame : DataFrame
        `round` (0, 1, 2 and so on; 0: before the first), `side` (a name), `p_alive` (neither destroyed, broken nor
        fled by the end of the round); of a sample also `p_alive_low` and `p_alive_high`, drawn as intervals. Six
        sides at most.
    ax : Axes, optional
        Left out: of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        A column is missing, there are no rows, or more sides than can be told apart.

    Examples
    --------
    >>> rounds = pd.DataFrame({"round": [0, 1, 2], "side": "Rifles", "p_alive": [1.0, 0.9, 0.7]})
    >>> survival(rounds).lines[0].get_ydata().tolist()
    [100.0, 90.0, 70.0]
    """
    check_columns(frame, ("round", "side", "p_alive"))
    sides = list(frame["side"].unique())
    check_number("sides", len(sides), len(LINES))
    with house_style():
        axes = ax if ax is not None else new_axes(WIDTH, HEIGHT)
        for side, line in zip(sides, LINES):
            of_side = frame[frame["side"] == side].sort_values("round")
            chances = 100 * of_side["p_alive"]
            axes.plot(of_side["round"], chances, label=str(side), linewidth=1.6, markersize=5.5, **line)
            if "p_alive_low" in of_side:
                ends = [chances - 100 * of_side["p_alive_low"], 100 * of_side["p_alive_high"] - chances]
                axes.errorbar(
                    of_side["round"], chances, yerr=[end.clip(lower=0) for end in ends], fmt="none",
                    ecolor=line["color"], elinewidth=1, capsize=3,
                )  # fmt: skip
        axes.set(ylim=(0, 104), yticks=range(0, 101, 20))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        title(axes, "Chance to be in the fight after each round, percent")
        axes.set_xlabel("round", size=LABEL_POINTS)
        finish(axes, legend=1, fit=ax is None)
    return axes
