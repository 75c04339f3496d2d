"""Several systems side by side: by round, bars of what has become of the unit, one panel a system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_WIDTH, PANEL_HEIGHT, GAP = 2.35, 2.5, 0.3  # inches
MARGIN_LEFT, MARGIN_TOP, LINE = 0.65, 0.6, 0.17  # inches; a line of the text below
STATES = (
    ("p_steady", "steady", look.LIGHT, ""),
    ("p_shaken", "shaken", look.MEDIUM, ""),
    ("p_routed", "routed or panicked", look.DARK, ""),
    ("p_gone", "gone", "white", look.LOST),
)


def fates_by_system(frame: pd.DataFrame, *, titles: Mapping[str, str], notes: Mapping[str, str]) -> Figure:
    """What has become of a unit by round, a panel a system, and what stands for its nerve below each.

    Parameters
    ----------
    frame : DataFrame
        `system`, `round`, `p_steady`, `p_shaken`, `p_routed`, `p_gone`.
    titles, notes : mapping
        The name of each system, and the lines below its panel.
    """
    look.check_columns(frame, ("system", "round", *(column for column, *_ in STATES)))
    lines = max(text.count("\n") + 1 for text in notes.values())
    below = 0.55 + LINE * lines + 0.45
    width = MARGIN_LEFT + len(titles) * (PANEL_WIDTH + GAP)
    height = MARGIN_TOP + PANEL_HEIGHT + below
    with look.house_style():
        figure = look.new_figure(width, height)
        for place, (system, name) in enumerate(titles.items()):
            left = MARGIN_LEFT + place * (PANEL_WIDTH + GAP)
            where = left / width, below / height, PANEL_WIDTH / width, PANEL_HEIGHT / height
            axes = figure.add_axes(where)
            _draw(axes, frame[frame["system"] == system], first=place == 0)
            axes.set_title(name, loc="left", size=look.TITLE_POINTS)
            axes.text(
                0,
                -0.5 / PANEL_HEIGHT,
                notes[system],
                transform=axes.transAxes,
                va="top",
                size=look.LABEL_POINTS,
                linespacing=1.3,
                parse_math=False,
            )
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(
            handles,
            labels,
            loc="lower left",
            bbox_to_anchor=(MARGIN_LEFT / width, 0.05 / height),
            ncols=len(STATES),
            frameon=False,
            fontsize=look.LABEL_POINTS,
            borderaxespad=0,
        )
    return figure


def _draw(axes: Axes, frame: pd.DataFrame, *, first: bool) -> None:
    bottom = np.zeros(len(frame))
    for column, name, colour, hatch in STATES:
        percent = 100 * frame[column].to_numpy(np.float64)
        axes.bar(
            frame["round"],
            percent,
            bottom=bottom,
            width=0.86,
            label=name,
            color=colour,
            hatch=hatch,
            edgecolor=look.DARK,
            linewidth=0.6,
        )
        bottom += percent
    axes.set(ylim=(0, 100.6), yticks=range(0, 101, 20), xticks=list(frame["round"]))
    axes.tick_params(labelsize=look.LABEL_POINTS, length=3, labelleft=first)
    axes.set_xlabel("round", size=look.LABEL_POINTS)
    if first:
        axes.set_ylabel("percent", size=look.LABEL_POINTS)
    axes.spines[["top", "right"]].set_visible(False)
