"""The law of models destroyed: a bar for each number, and a stepped line for at least as many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from analyser.common.estimates import wilson_interval
from analyser.common.text import shown_range
from analyser.plots.look import DARK, LABEL_POINTS, MEDIUM, check_columns, finish, house_style, new_axes, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH_A_BAR, LEAST_WIDTH, MOST_WIDTH, HEIGHT = 0.42, 3.6, 8.5, 2.9  # inches
MOST_WITH_TEXT = 16  # bars that have their percentage written above them


def probability_bars(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """The chance of each number of models destroyed, as bars, and of at least as many, as a stepped line.

    Parameters
    ----------
    frame : DataFrame
        `models_destroyed` and `probability`, several rows of one number being added up, as of
        :meth:`analyser.Result.to_frame`; of a sample also `count`, from which the 95% intervals are drawn. Ends that
        are less likely than 0.01% are left out of a long law.
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
    >>> ax = probability_bars(analyser.exact(fight).to_frame())
    >>> [round(bar.get_height()) for bar in ax.patches]
    [3, 20, 31, 26, 20]
    """
    check_columns(frame, ("models_destroyed", "probability"))
    law = _added_up(frame, "probability")
    at_least = np.cumsum(law[::-1])[::-1]
    first, last = shown_range(law.tolist(), at_least.tolist())
    values = np.arange(first, last + 1)
    with house_style():
        axes = ax if ax is not None else new_axes(np.clip(WIDTH_A_BAR * len(values), LEAST_WIDTH, MOST_WIDTH), HEIGHT)
        bars = axes.bar(values, 100 * law[values], width=0.8, color=MEDIUM, edgecolor=DARK, linewidth=0.8)
        axes.step(values, 100 * at_least[values], where="mid", color=DARK, linewidth=1.6, label="at least so many")
        bars.set_label("exactly so many")
        if "count" in frame:
            _draw_intervals(axes, values, _added_up(frame, "count"))
        elif len(values) <= MOST_WITH_TEXT:
            _write_chances(axes, values, law)
        axes.set(ylim=(0, 108), yticks=range(0, 101, 20), xlim=(first - 0.6, last + 0.6))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        title(axes, "Models destroyed: chance in percent")
        axes.set_xlabel("models destroyed", size=LABEL_POINTS)
        finish(axes, legend=2, fit=ax is None)
    return axes


def _added_up(frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """A column summed by the number of models destroyed: shape (highest number + 1,)."""
    law = np.zeros(int(frame["models_destroyed"].max()) + 1)
    np.add.at(law, frame["models_destroyed"].to_numpy(np.int64), frame[column].to_numpy(np.float64))
    return law


def _draw_intervals(axes: Axes, values: NDArray[np.int64], counts: NDArray[np.float64]) -> None:
    trials = int(counts.sum())
    low, high = wilson_interval(counts[values], trials)
    shares = counts[values] / trials
    sides = 100 * np.clip([shares - low, high - shares], 0, None)
    axes.errorbar(values, 100 * shares, yerr=sides, fmt="none", ecolor="black", elinewidth=1, capsize=3)


def _write_chances(axes: Axes, values: NDArray[np.int64], law: NDArray[np.float64]) -> None:
    for value in values:
        chance = 100 * law[value]
        text = f"{chance:.0f}" if chance >= 0.5 else "<1" if chance > 1e-10 else ""
        written = axes.annotate(
            text, (value, chance), xytext=(0, 2), textcoords="offset points", ha="center", size=LABEL_POINTS
        )
        written.set_path_effects([withStroke(linewidth=2.5, foreground="white")])  # where the line runs behind it
