"""Pictures made of bars: what became of a unit by round, where dice went, what each number does."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analyser.common.estimates import SAME_WITHIN
from analyser.plots import look

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
_LOOK: Mapping[str, Mapping[str, Any]] = {
    "total": {"facecolor": look.DARK},
    "part": {"facecolor": look.MEDIUM, "edgecolor": look.DARK},
    "lost": {"facecolor": look.LIGHT, "edgecolor": look.DARK, "hatch": look.LOST},
    "one less": {"facecolor": look.LIGHT, "edgecolor": look.DARK, "hatch": look.LOST},
    "one more": {"facecolor": look.DARK, "edgecolor": look.DARK},
}


def fates_by_system(frame: pd.DataFrame, *, titles: Mapping[str, str], notes: Mapping[str, str]) -> Figure:
    """States of a unit by round, a panel a system, with a note below each.

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
        style: dict[str, Any] = {
            "width": 0.86,
            "linewidth": 0.6,
            "edgecolor": look.DARK,
            "color": colour,
            "hatch": hatch,
        }
        axes.bar(frame["round"], percent, bottom=bottom, label=name, **style)
        bottom += percent
    axes.set(ylim=(0, 100.6), yticks=range(0, 101, 20), xticks=list(frame["round"]))
    axes.tick_params(labelsize=look.LABEL_POINTS, length=3, labelleft=first)
    axes.set_xlabel("round", size=look.LABEL_POINTS)
    if first:
        axes.set_ylabel("percent", size=look.LABEL_POINTS)
    axes.spines[["top", "right"]].set_visible(False)


def funnel(
    data: pd.DataFrame,
    *,
    ax: Axes | None = None,
    label: str | None = None,
    color: Mapping[str, Any] | None = None,
    title: str | None = look.AUTO,
    **artist: Any,
) -> Axes:
    """Expected numbers from the dice rolled down to the models destroyed, one bar a stage; what is lost is hatched.

    Parameters
    ----------
    data : DataFrame
        `stage`, `unit` (what is counted), `kind` (``"total"``, ``"part"`` of the total above it, or ``"lost"``) and
        `mean`, in the order from top to bottom: as of :func:`analyser.dice_funnel`.
    color : mapping, optional
        The colours of the kinds.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = funnel(analyser.dice_funnel(fight))
    >>> ax.get_yticklabels()[0].get_text()
    'Dice rolled'
    """
    frame = look.rows_of(data)
    look.check_columns(frame, ("stage", "unit", "kind", "mean"))
    means = frame["mean"].to_numpy(np.float64)
    beside: dict[str, Any] = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
    own, across = "Where the dice went", "expected number, each in its own unit; hatched: lost"
    with look.drawing(
        ax,
        ACROSS,
        HEIGHT_A_STAGE * len(frame),
        title=title,
        own=own,
        xlabel=across,
        legend=int(label is not None),
        grid="x",
    ) as axes:
        for place, (mean, kind, unit) in enumerate(zip(means, frame["kind"], frame["unit"])):
            style = {**_LOOK[kind], **({"facecolor": color[kind]} if color and kind in color else {})}
            axes.barh(
                place, mean, **{"height": 0.72, "linewidth": 0.8, "label": None if place else label, **style, **artist}
            )
            text = f"{'<0.01' if 0 < mean < 0.005 else f'{mean:.2f}'} {unit}"
            axes.annotate(text, (mean, place), size=look.LABEL_POINTS, **beside)
        axes.set_yticks(np.arange(len(frame)), list(frame["stage"]))
        axes.set(ylim=(len(frame) - 0.5, -0.5), xlim=(0, 1.28 * max(means.max(), 1e-9)))
    return axes


def tornado(
    data: Any,
    *,
    quantity: str | None = None,
    ax: Axes | None = None,
    label: look.PerSeries[str] = None,
    color: look.PerSeries[Any] = None,
    title: str | None = look.AUTO,
    **artist: Any,
) -> Axes:
    """Two bars from the figure as it is, for each number of a unit that changes it; the longest on top.

    Parameters
    ----------
    data : Sensitivity, or DataFrame
        `side`, `number`, `value`, `metric`, `base`, `minus_1` and `plus_1`: the figure with one less and with one more
        of the number, NaN where that cannot be. Figures ``p_...`` are drawn in percent.
    quantity : str, optional
        What the figure is called. Default: the name of its column in words.
    label, color : optional
        Of the bars ``"one less"`` and ``"one more"``: two, or a mapping.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = tornado(analyser.sensitivity(fight))
    >>> ax.get_yticklabels()[0].get_text()
    'target: DAMAGE LIMIT 1'
    """
    frame = look.rows_of(data, "frame")
    look.check_columns(frame, ("side", "number", "value", "metric", "base", "minus_1", "plus_1"))
    name, scale = look.figure_title(str(frame["metric"].iloc[0]), quantity)
    base = scale * float(frame["base"].iloc[0])
    changes = np.nan_to_num(scale * frame[["minus_1", "plus_1"]].to_numpy(np.float64) - base)
    longest = np.abs(changes).max(axis=1)
    order = np.argsort(-longest, kind="stable")
    order = order[longest[order] > SAME_WITHIN]
    names = [f"{row.side}: {row.number} {row.value:g}" for row in frame.itertuples()]
    rows, subject = len(order), look.readable(getattr(data, "subject", ""))
    own = f"{subject}\n{name}: {base:.3g} as it is,\nand with one less or one more of each number"
    steps = ("one less", "one more")
    labels = look.per_series(label, steps, steps, "label")
    colours = look.per_series(color, steps, [_LOOK[step]["facecolor"] for step in steps], "color")
    idle = [names[place] for place in np.flatnonzero(longest <= SAME_WITHIN)]
    no_effect = "\n".join(textwrap.wrap(f"No effect: {', '.join(idle)}.", LETTERS_A_LINE)) if idle else ""
    with look.drawing(
        ax, ACROSS, HEIGHT_A_NUMBER * max(rows, 1), title=title, own=own, xlabel=no_effect, legend=2, grid="x"
    ) as axes:
        for column, step in enumerate(steps):
            bars: dict[str, Any] = {"left": base, "height": 0.36, "linewidth": 0.8, "label": labels[column]}
            bars |= {**_LOOK[step], "facecolor": colours[column], **artist}
            axes.barh(np.arange(rows) + 0.18 * (2 * column - 1), changes[order, column], **bars)
        axes.axvline(base, color="black", linewidth=1)
        axes.set_yticks(np.arange(rows), [names[place] for place in order])
        axes.set_ylim(max(rows, 1) - 0.5, -0.5)
        axes.margins(x=0.08)
    return axes
