"""Pictures made of upright bars: distributions, and what has become of a unit by round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from analyser.common.estimates import wilson_interval
from analyser.common.text import NEGLIGIBLE, shown_range
from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_A_BAR, LEAST_WIDTH, MOST_WIDTH, HEIGHT = 0.44, 3.4, 8.5, 2.9  # inches
MOST_WITH_TEXT = 16  # bars of models destroyed that have their percentage written above them
MOST_BARS = 24  # that all have a name and their percentage
FEWEST_PLACES = 5  # that fewer bars take, or they would be walls
PANEL_WIDTH, PANEL_HEIGHT, GAP = 2.35, 2.5, 0.3  # inches
MARGIN_LEFT, MARGIN_TOP, LINE = 0.65, 0.6, 0.17  # inches; a line of the text below
STATES = (
    ("p_steady", "steady", look.LIGHT, ""),
    ("p_shaken", "shaken", look.MEDIUM, ""),
    ("p_routed", "routed or panicked", look.DARK, ""),
    ("p_gone", "gone", "white", look.LOST),
)
_BAR: dict[str, Any] = {"width": 0.8, "color": look.MEDIUM, "edgecolor": look.DARK, "linewidth": 0.8}


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
    what = f"{heading}\nModels destroyed: probability in percent"
    with look.drawing(ax, _width(len(values)), HEIGHT, heading=what, across="models destroyed", legend=2) as axes:
        bars = axes.bar(values, 100 * pmf[values], **_BAR)
        axes.step(values, 100 * at_least[values], where="mid", color=look.DARK, linewidth=1.6, label="at least so many")
        bars.set_label("exactly so many")
        if "count" in frame:
            counts = _added_up(frame, "count")
            shares, (low, high) = counts / counts.sum(), wilson_interval(counts, int(counts.sum()))
            ends = 100 * np.array([shares - low, high - shares])
            look.draw_intervals(axes, values, 100 * shares[values], ends[:, values], color="black")
        elif len(values) <= MOST_WITH_TEXT:
            possible = values[pmf[values] > 0]
            for text in look.write_above(axes, possible, 100 * pmf[possible]):
                text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])  # the line runs behind it
        axes.set(ylim=(0, 108), yticks=range(0, 101, 20), xlim=(first - 0.6, last + 0.6))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return axes


def _added_up(frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """A column summed by the number of models destroyed: shape (highest number + 1,)."""
    summed = np.bincount(frame["models_destroyed"].to_numpy(np.int64), frame[column].to_numpy(np.float64))
    return np.asarray(summed, np.float64)


def _width(bars: int) -> float:
    return float(np.clip(WIDTH_A_BAR * bars, LEAST_WIDTH, MOST_WIDTH))


def probabilities(
    frame: pd.DataFrame,
    *,
    x: str,
    heading: str,
    column: str = "probability",
    lost: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Probability of each value of a number or state: a bar for each, its percentage above it.

    Parameters
    ----------
    frame : DataFrame
        Of more than 24 values those less likely than 0.01% are left out at both ends.
    x : str
        The column of the values; they stand as they come.
    heading : str
    column : str
        That of the probabilities.
    lost : str, optional
        A column of bool: bars of units that are lost are hatched.

    Examples
    --------
    >>> from analyser import morale
    >>> flight = {"flight": {"arm": "infantry", "enemy": "cavalry"}}
    >>> ax = probabilities(morale.exact("grande-tactique", flight).to_frame(), x="distance", heading="Flight")
    >>> [round(bar.get_height()) for bar in ax.patches]
    [100]
    """
    look.check_columns(frame, (x, column, *([lost] if lost else [])))
    likely, across = np.flatnonzero(frame[column].to_numpy(np.float64) >= NEGLIGIBLE), x.replace("_", " ")
    if len(frame) > MOST_BARS and len(likely) > 0 and likely[-1] - likely[0] + 1 < len(frame):
        frame = frame.iloc[likely[0] : likely[-1] + 1]
        across += f" (others: less than {NEGLIGIBLE:.2%} each)"
    percent, places = 100 * frame[column].to_numpy(np.float64), np.arange(len(frame))
    every = -(-len(frame) // MOST_BARS)
    with look.drawing(ax, _width(len(frame)), HEIGHT, heading=f"{heading}, percent", across=across) as axes:
        for bar, gone in zip(axes.bar(places, percent, **_BAR), frame[lost] if lost else ()):
            bar.set_hatch(look.LOST if gone else "")
        if every == 1:
            look.write_above(axes, places, percent)
        names = [f"{each:g}" if isinstance(each, float) else str(each) for each in frame[x]]
        axes.set_xticks(places[::every], names[::every])
        half, middle = max(len(frame), FEWEST_PLACES) / 2, (len(frame) - 1) / 2
        axes.set(xlim=(middle - half, middle + half), ylim=(0, max(percent.max() * 1.15, 1)))
    return axes


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
    below = 0.55 + LINE * max(text.count("\n") + 1 for text in notes.values()) + 0.45
    width, height = MARGIN_LEFT + len(titles) * (PANEL_WIDTH + GAP), MARGIN_TOP + PANEL_HEIGHT + below
    text: dict[str, Any] = {"size": look.LABEL_POINTS, "linespacing": 1.3, "parse_math": False, "va": "top"}
    with look.house_style():
        figure = look.new_figure(width, height)
        for place, (system, name) in enumerate(titles.items()):
            left = MARGIN_LEFT + place * (PANEL_WIDTH + GAP)
            axes = figure.add_axes((left / width, below / height, PANEL_WIDTH / width, PANEL_HEIGHT / height))
            _stack(axes, frame[frame["system"] == system], first=place == 0)
            axes.set_title(name, loc="left", size=look.TITLE_POINTS)
            axes.text(0, -0.5 / PANEL_HEIGHT, notes[system], transform=axes.transAxes, **text)
        corner: dict[str, Any] = {"bbox_to_anchor": (MARGIN_LEFT / width, 0.05 / height), "borderaxespad": 0}
        style: dict[str, Any] = {"ncols": len(STATES), "frameon": False, "fontsize": look.LABEL_POINTS}
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower left", **corner, **style)
    return figure


def _stack(axes: Axes, frame: pd.DataFrame, *, first: bool) -> None:
    bottom = np.zeros(len(frame))
    for column, name, colour, hatch in STATES:
        percent = 100 * frame[column].to_numpy(np.float64)
        style: dict[str, Any] = {**_BAR, "width": 0.86, "linewidth": 0.6, "color": colour, "hatch": hatch}
        axes.bar(frame["round"], percent, bottom=bottom, label=name, **style)
        bottom += percent
    axes.set(ylim=(0, 100.6), yticks=range(0, 101, 20), xticks=list(frame["round"]))
    axes.tick_params(labelsize=look.LABEL_POINTS, length=3, labelleft=first)
    axes.set_xlabel("round", size=look.LABEL_POINTS)
    if first:
        axes.set_ylabel("percent", size=look.LABEL_POINTS)
    axes.spines[["top", "right"]].set_visible(False)
