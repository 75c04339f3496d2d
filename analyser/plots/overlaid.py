"""Several distributions of models destroyed over one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from analyser.common.text import NEGLIGIBLE
from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 6.2, 3.2  # inches


def compared_distributions(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """Probability of at least so many models destroyed: one stepped line with markers for each loadout.

    Parameters
    ----------
    frame : DataFrame
        `loadout`, `models_destroyed`, `at_least`, as ``distributions`` of :class:`analyser.Comparison`; where it has
        `at_least_low` and `at_least_high`, the 95% intervals are drawn too. Six loadouts at most. Numbers that nobody
        reaches in 0.01% of attacks are left out on the right.
    heading : str
        What it is of, a line above the title: target and conditions.

    Examples
    --------
    >>> import analyser
    >>> pair = ["crown/sharp-rifles@basic", "crown/rifle-platoon@basic"]
    >>> ax = compared_distributions(analyser.compare(pair, "imperium/krupp@basic").distributions)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['crown/sharp-rifles@basic', 'crown/rifle-platoon@basic']
    """
    look.check_columns(frame, ("loadout", "models_destroyed", "at_least"))
    look.check_lines("loadouts", frame["loadout"].nunique())
    reached = frame[(frame["models_destroyed"] > 0) & (frame["at_least"] >= NEGLIGIBLE)]
    last = max(1, int(reached["models_destroyed"].max())) if len(reached) else 1
    shown = frame[frame["models_destroyed"].between(1, last)]
    lines = [(str(name), "at_least", shown[shown["loadout"] == name]) for name in frame["loadout"].unique()]
    what = look.below(heading, "Probability of at least so many models destroyed, percent")
    with look.drawing(ax, WIDTH, HEIGHT, heading=what, across="models destroyed, at least", legend=1) as axes:
        look.draw_lines(axes, "models_destroyed", lines, drawstyle="steps-mid")
        axes.set_xlim(0.5, last + 0.5)
    return axes
