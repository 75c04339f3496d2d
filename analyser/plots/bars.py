"""Pictures made of bars: distributions, what became of a unit by round, where dice went, what each number does."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from analyser.common.estimates import SAME_WITHIN
from analyser.common.intervals import intervals
from analyser.common.text import NEGLIGIBLE, shown_range
from analyser.plots import look

WIDTH_A_BAR, LEAST_WIDTH, MOST_WIDTH, HEIGHT = 0.44, 3.4, 8.5, 2.9  # inches
MOST_WITH_TEXT = 16  # bars of models destroyed that have their percentage written above them
MOST_BARS = 24  # that all have a name and their percentage
FEWEST_PLACES = 5  # that fewer bars take, or they would be walls
PANEL_WIDTH, PANEL_HEIGHT, GAP = 2.35, 2.5, 0.3  # inches
MARGIN_LEFT, MARGIN_TOP, LINE = 0.65, 0.6, 0.17  # inches; a line of the text below
ACROSS, HEIGHT_A_STAGE, HEIGHT_A_NUMBER = 5.0, 0.36, 0.4  # inches, of bars below one another
LETTERS_A_LINE = 78
STATES = (
    ("p_steady", "steady", look.LIGHT, ""),
    ("p_shaken", "shaken", look.MEDIUM, ""),
    ("p_routed", "routed or panicked", look.DARK, ""),
    ("p_gone", "gone", "white", look.LOST),
)
_BAR: dict[str, Any] = {"width": 0.8, "color": look.MEDIUM, "edgecolor": look.DARK, "linewidth": 0.8}
_LOOK: Mapping[str, Mapping[str, Any]] = {
    "total": {"color": look.DARK},
    "part": {"facecolor": look.MEDIUM, "edgecolor": look.DARK},
    "lost": {"facecolor": look.LIGHT, "edgecolor": look.DARK, "hatch": look.LOST},
    "one less": {"facecolor": look.LIGHT, "edgecolor": look.DARK, "hatch": look.LOST},
    "one more": {"facecolor": look.DARK, "edgecolor": look.DARK},
}


def probability_bars(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """Probability of each number of models destroyed, as bars, and of at least as many, as a stepped line.

    Parameters
    ----------
    frame : DataFrame
        `models_destroyed` and `probability`, several rows of one number being added up, as of
        :meth:`analyser.Result.to_frame`; of a sample also `count`, from which 95% intervals are drawn.
        Ends of a long distribution that are less likely than 0.01% are left out.

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
        axes.bar(values, 100 * pmf[values], label="exactly so many", **_BAR)
        axes.step(values, 100 * at_least[values], where="mid", color=look.DARK, linewidth=1.6, label="at least so many")
        if "count" in frame:
            counts = _added_up(frame, "count")
            shares, (low, high, _) = counts / counts.sum(), intervals(counts, int(counts.sum()))
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
    text: dict[str, Any] = {"size": look.LABEL_POINTS, "linespacing": 1.3, "va": "top"}
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


def funnel(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """Expected numbers from the dice rolled down to the models destroyed, one bar a stage.

    Parameters
    ----------
    frame : DataFrame
        `stage`, `unit` (what is counted), `kind` (``"total"``, ``"part"`` of the total above it, or ``"lost"``) and
        `mean`, in the order from top to bottom: as of :func:`analyser.dice_funnel`.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = funnel(analyser.dice_funnel(fight))
    >>> ax.get_yticklabels()[0].get_text()
    'Dice rolled'
    """
    look.check_columns(frame, ("stage", "unit", "kind", "mean"))
    means = frame["mean"].to_numpy(np.float64)
    what = f"{heading}\nWhere the dice went: expected numbers, each in its own unit\nHatched: lost"
    beside: dict[str, Any] = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
    with look.drawing(ax, ACROSS, HEIGHT_A_STAGE * len(frame), heading=what, grid="x") as axes:
        for place, (mean, kind, unit) in enumerate(zip(means, frame["kind"], frame["unit"])):
            axes.barh(place, mean, height=0.72, linewidth=0.8, **_LOOK[kind])
            text = f"{'<0.01' if 0 < mean < 0.005 else f'{mean:.2f}'} {unit}"
            axes.annotate(text, (mean, place), size=look.LABEL_POINTS, **beside)
        axes.set_yticks(np.arange(len(frame)), list(frame["stage"]))
        axes.set(ylim=(len(frame) - 0.5, -0.5), xlim=(0, 1.28 * max(means.max(), 1e-9)))
    return axes


def tornado(frame: pd.DataFrame, *, label: str | None = None, heading: str = "", ax: Axes | None = None) -> Axes:
    """Two bars from the figure as it is, for each number of a unit that changes it; the longest on top.

    Parameters
    ----------
    frame : DataFrame
        `side`, `number`, `value`, `metric`, `base`, `minus_1` and `plus_1`, as of :func:`analyser.sensitivity`: the
        figure with one less and with one more of the number, NaN where that cannot be. Figures ``p_...`` are drawn in
        percent.
    label : str, optional
        What the figure is called in the title. Default: the name of its column in words.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = tornado(analyser.sensitivity(fight).frame)
    >>> ax.get_yticklabels()[0].get_text()
    'target: DAMAGE LIMIT 1'
    """
    look.check_columns(frame, ("side", "number", "value", "metric", "base", "minus_1", "plus_1"))
    name, scale = look.figure_title(str(frame["metric"].iloc[0]), label)
    base = scale * float(frame["base"].iloc[0])
    changes = np.nan_to_num(scale * frame[["minus_1", "plus_1"]].to_numpy(np.float64) - base)
    longest = np.abs(changes).max(axis=1)
    order = np.argsort(-longest, kind="stable")
    order = order[longest[order] > SAME_WITHIN]
    names = [f"{row.side}: {row.number} {row.value:g}" for row in frame.itertuples()]
    what, rows = f"{heading}\n{name}: {base:.3g} as it is,\nand with one less or one more of each number", len(order)
    with look.drawing(ax, ACROSS, HEIGHT_A_NUMBER * max(rows, 1), heading=what, legend=2, grid="x") as axes:
        for column, step in enumerate(("one less", "one more")):
            bars: dict[str, Any] = {"left": base, "height": 0.36, "linewidth": 0.8, "label": step, **_LOOK[step]}
            axes.barh(np.arange(rows) + 0.18 * (2 * column - 1), changes[order, column], **bars)
        axes.axvline(base, color="black", linewidth=1)
        axes.set_yticks(np.arange(rows), [names[place] for place in order])
        axes.set_ylim(max(rows, 1) - 0.5, -0.5)
        axes.margins(x=0.08)
        if idle := [names[place] for place in np.flatnonzero(longest <= SAME_WITHIN)]:
            text = "\n".join(textwrap.wrap(f"No effect: {', '.join(idle)}.", LETTERS_A_LINE))
            axes.set_xlabel(text, size=look.CELL_POINTS, loc="left")
    return axes
