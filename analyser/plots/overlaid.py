"""Several laws of models destroyed over one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.ticker import MaxNLocator

from analyser.plots.look import LABEL_POINTS, LINES, check_columns, check_number, finish, house_style, new_axes, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 6.2, 3.2  # inches
NEGLIGIBLE = 1e-4  # a number that nobody reaches more often is left out on the right


def compared_laws(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """The chance of at least so many models destroyed: one stepped line with markers for each loadout.

    Parameters
    ----------
    frame : DataFrame
        `loadout`, `models_destroyed`, `at_least`, as ``laws`` of :class:`analyser.Comparison`; where it has
        `at_least_low` and `at_least_high`, the 95% intervals are drawn too. Six loadouts at most.
    ax : Axes, optional
        Left out: of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        A column is missing, there are no rows, or more loadouts than can be told apart.

    Examples
    --------
    >>> import analyser
    >>> pair = ["crown/sharp-rifles@basic", "crown/rifle-platoon@basic"]
    >>> ax = compared_laws(analyser.compare(pair, "imperium/krupp@basic").laws)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['crown/sharp-rifles@basic', 'crown/rifle-platoon@basic']
    """
    check_columns(frame, ("loadout", "models_destroyed", "at_least"))
    loadouts = list(frame["loadout"].unique())
    check_number("loadouts", len(loadouts), len(LINES))
    reached = frame[(frame["models_destroyed"] > 0) & (frame["at_least"] >= NEGLIGIBLE)]
    last = max(1, int(reached["models_destroyed"].max())) if len(reached) else 1
    with house_style():
        axes = ax if ax is not None else new_axes(WIDTH, HEIGHT)
        for loadout, line in zip(loadouts, LINES):
            law = frame[(frame["loadout"] == loadout) & frame["models_destroyed"].between(1, last)]
            axes.step(
                law["models_destroyed"], 100 * law["at_least"], where="mid", label=loadout, **line, linewidth=1.6,
                markersize=5.5,
            )  # fmt: skip
            if "at_least_low" in law:
                sides = [law["at_least"] - law["at_least_low"], law["at_least_high"] - law["at_least"]]
                axes.errorbar(
                    law["models_destroyed"], 100 * law["at_least"], yerr=[100 * each.clip(lower=0) for each in sides],
                    fmt="none", ecolor=line["color"], elinewidth=1, capsize=3,
                )  # fmt: skip
        axes.set(ylim=(0, 104), yticks=range(0, 101, 20), xlim=(0.5, last + 0.5))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        title(axes, "Chance of at least so many models destroyed, percent")
        axes.set_xlabel("models destroyed, at least", size=LABEL_POINTS)
        finish(axes, legend=1, fit=ax is None)
    return axes
