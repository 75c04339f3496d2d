"""Plots of loadouts: effect against points, with the efficient frontier, and points against fair points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from analyser.common import look
from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.frames import names_of, readable
from analyser.common.look import AUTO, Color, Label, Title
from analyser.common.metrics import figure_title
from analyser.plots.label_positions import label_offsets

WIDTH, HEIGHT = 6.4, 4.2  # inches
MOST_NUMBERED = 14  # most numbered markers; with more loadouts only those on the frontier are numbered


def efficient_rows(frame: pd.DataFrame, metric: str) -> NDArray[np.bool_]:
    """Return True for each efficient row: no other has as much effect for fewer points, or more for as many points.

    `frame` has the columns `points` and `metric` (the effect); a row without either is not efficient.

    >>> table = pd.DataFrame({"points": [50, 60, 60, 90], "effect": [2.0, 1.5, 4.0, 4.0]})
    >>> efficient_rows(table, "effect").tolist()
    [True, False, True, False]
    """
    points, effects = frame["points"].to_numpy(np.float64, na_value=np.nan), frame[metric].to_numpy(np.float64)
    complete = ~(np.isnan(points) | np.isnan(effects))
    is_beaten_by = complete & (points <= points[:, None]) & (effects >= effects[:, None] - CERTAIN_WITHIN)
    is_beaten_by &= (points < points[:, None]) | (effects > effects[:, None] + CERTAIN_WITHIN)
    return np.asarray(complete & ~is_beaten_by.any(axis=1))


def cost_against_effect(
    data: Any,
    *,
    metric: str = "mean_models_destroyed",
    quantity: str | None = None,
    ax: Axes | None = None,
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the effect of loadouts against their points, with the efficient frontier as a stepped line.

    A loadout is on the (Pareto) frontier if no other has as much effect for fewer points, or more for as many points.

    Parameters
    ----------
    data : Comparison, or DataFrame
        `loadout`, `points`, and the column `metric`, as in :class:`analyser.Comparison`. Rows without points or effect
        are counted but not drawn; InputError if no other rows remain.
    metric : str
        The column of the effect; more is better.
    quantity : str, optional
        Name of the effect. Default: the name of the column. Columns ``p_...`` are in percent.
    label, color : optional
        For the markers ``"efficient frontier"`` and ``"beaten by another"``; `label` may also be a mapping that names
        the loadouts.

    Examples
    --------
    >>> table = pd.DataFrame({"loadout": ["a", "b"], "points": [50, 60], "mean_models_destroyed": [2.0, 1.5]})
    >>> cost_against_effect(table).get_xlabel()
    'points'
    """
    frame = look.table_of(data, ("loadout", "points", metric), "frame")
    shown = frame[frame["points"].notna() & frame[metric].notna()]
    if shown.empty:
        raise InputError(f"no loadout has both points and {metric}")
    name, scale = figure_title(metric, quantity)
    on_frontier = efficient_rows(shown, metric)
    points, effects = shown["points"].to_numpy(np.float64), scale * shown[metric].to_numpy(np.float64)
    missing, kinds = len(frame) - len(shown), ("efficient frontier", "beaten by another")
    loadout_labels = label if isinstance(label, Mapping) else {}
    labels = look.per_series(label, kinds, kinds, "label")
    colours = look.per_series(color, kinds, (look.DARK, look.MEDIUM), "color")
    x_label = "points" + (f"   ({missing} without figures left out)" if missing else "")
    options: dict[str, Any] = {"xlabel": x_label, "ylabel": name, "legend": 2}
    with look.drawing(ax, WIDTH, HEIGHT, title=title, own_title=look.subject_of(data), grid="both", **options) as axes:
        order = np.lexsort((effects, points))
        frontier, is_beaten = order[on_frontier[order]], ~on_frontier
        axes.step(points[frontier], effects[frontier], where="post", color=colours[0], linewidth=1.4, label=labels[0])
        dots: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 13, "color": colours[0]}  # fits 2 digits
        axes.plot(points[frontier], effects[frontier], **{**dots, **artist})
        if is_beaten.any():
            dots |= {"marker": "D", "markersize": 5.5, "markerfacecolor": colours[1], "markeredgewidth": 0.8}
            axes.plot(points[is_beaten], effects[is_beaten], **{**dots, "label": labels[1], **artist})
        margin = 0.06 * max(float(np.ptp(points)), 10.0)
        axes.set(xlim=(points.min() - margin, points.max() + margin), ylim=(0, 1.12 * max(effects.max(), 1e-9)))
        loadouts = shown["loadout"].tolist()
        names = look.per_series(loadout_labels, loadouts, names_of(loadouts), "label")
        _number_markers(axes, names, np.column_stack([points, effects]), on_frontier)
    return axes


def _number_markers(axes: Axes, names: list[str], spots: NDArray[np.float64], on_frontier: NDArray[np.bool_]) -> None:
    """Number the markers and list their names, because names at the markers would overlap."""
    order = np.lexsort((-spots[:, 1], spots[:, 0], ~on_frontier))
    named = order[: on_frontier.sum()] if len(names) > MOST_NUMBERED else order
    inside: dict[str, Any] = {"xytext": (0, 0), "ha": "center", "color": "white"}
    right: dict[str, Any] = {"xytext": (6, 0), "ha": "left", "color": "black"}
    small: dict[str, Any] = {"textcoords": "offset points", "va": "center_baseline", "size": look.CELL_POINTS}
    for number, marker in enumerate(named, start=1):
        alignment = inside if on_frontier[marker] else right
        axes.annotate(str(number), tuple(spots[marker]), **alignment, **small)
    _list_names(axes, [names[marker] for marker in named])


def _list_names(axes: Axes, loadouts: list[str]) -> None:
    """List the numbered names beside a new figure, or in the legend of the caller's Axes."""
    if not isinstance(axes, look.Picture):
        for number, name in enumerate(loadouts, start=1):
            axes.plot([], [], linestyle="", marker=f"${number}$", color="black", label=name)
        return
    lines = "\n".join(f"{number}  {name}" for number, name in enumerate(loadouts, start=1))
    corner: dict[str, Any] = {"xycoords": "axes fraction", "xytext": (14, 0), "textcoords": "offset points"}
    text: dict[str, Any] = {"va": "top", "size": look.LABEL_POINTS, "linespacing": 1.5}
    axes.annotate(lines, (1, 1), **corner, **text)


def fair_points(
    data: Any, *, ax: Axes | None = None, label: Label = None, color: Color = None, title: Title = AUTO, **artist: Any
) -> Axes:
    """Draw today's points of loadouts against fair points, with markers by faction.

    The grey band has the median width of the intervals of fair points. Over-priced and under-priced loadouts have
    filled markers; of these the 14 farthest from their fair points are numbered.

    Parameters
    ----------
    data : FairPoints, or DataFrame
        The columns of :class:`analyser.FairPoints`. Loadouts without points or fair points are counted but not
        drawn; InputError if there are no others.

    Examples
    --------
    >>> figures = {"points": [50, 60], "fair_points": [40.0, 75.0], "fair_low": [35.0, 66.0], "fair_high": [46.0, 84.0]}
    >>> names = {"loadout": ["red/a@basic", "blue/b@basic"], "faction": ["red", "blue"]}
    >>> table = pd.DataFrame({**names, **figures, "verdict": ["over-priced", "under-priced"]})
    >>> fair_points(table).get_xlabel()
    'fair points'
    """
    frame = look.table_of(
        data, ("loadout", "faction", "points", "fair_points", "fair_low", "fair_high", "verdict"), "frame"
    )
    shown = frame[frame["fair_points"].notna() & frame["points"].notna()].reset_index(drop=True)
    if shown.empty:
        raise InputError("no loadout has both points and fair points")
    fair, points = (shown[name].to_numpy(np.float64) for name in ("fair_points", "points"))
    low, high = (float((shown[end] / shown["fair_points"]).median()) for end in ("fair_low", "fair_high"))
    missing = len(frame) - len(shown)
    x_label = "fair points" + (f"   ({missing} without figures left out)" if missing else "")
    factions = list(dict.fromkeys(shown["faction"]))
    is_mispriced = shown["verdict"].isin(("over-priced", "under-priced")).to_numpy()
    options: dict[str, Any] = {"xlabel": x_label, "ylabel": "points", "legend": 2}
    options["own_title"] = "Points of loadouts, and their fair points"
    with look.drawing(ax, WIDTH, WIDTH, title=title, grid="both", **options) as axes:
        limits = np.array([0.8 * min(fair.min(), points.min()), 1.25 * max(fair.max(), points.max())])
        axes.fill_between(limits, low * limits, high * limits, color=look.LIGHT, linewidth=0, label="typical interval")
        for faction, line in zip(factions, _faction_styles(factions, label, color)):
            of_faction = (shown["faction"] == faction).to_numpy()
            filled = of_faction & is_mispriced
            axes.plot(fair[of_faction], points[of_faction], **{**line, "markerfacecolor": "none", **artist})
            axes.plot(fair[filled], points[filled], **{**line, "label": None, **artist})
        if not is_mispriced.all():
            open_style: dict[str, Any] = {"color": look.MEDIUM, "markerfacecolor": "none", "markersize": 4}
            axes.plot([], [], "o", label="open: fair or undecided", **open_style)
        axes.set(xscale="log", yscale="log", xlim=limits, ylim=limits)
        is_wide = limits[1] > 10 * limits[0]
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)) if is_wide else MaxNLocator(8, integer=True))
            axis.set_major_formatter("{x:.0f}")
            axis.set_minor_locator(NullLocator())
        mispriced = np.flatnonzero(is_mispriced)
        farthest = mispriced[np.argsort(-np.abs(np.log(points / fair))[mispriced], kind="stable")][:MOST_NUMBERED]
        order = farthest[np.argsort(fair[farthest], kind="stable")]
        size, span = 72 * WIDTH, float(np.log(limits[1] / limits[0]))
        positions = size * np.log(np.column_stack([fair, points]) / limits[0]) / span
        is_over = (shown["verdict"] == "over-priced").to_numpy()
        outwards = np.where(is_over, 135.0, -45.0)[farthest]  # degrees, away from the diagonal
        labelled = farthest.tolist()
        offsets = dict(zip(labelled, label_offsets(positions, labelled, outwards.tolist(), (size, size))))
        style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "size": look.CELL_POINTS}
        style |= {"arrowprops": {"arrowstyle": "-", "color": look.MEDIUM, "linewidth": 0.6}}
        for number, marker in enumerate(order.tolist(), start=1):
            position, offset = (fair[marker], points[marker]), offsets[marker]
            axes.annotate(str(number), position, xytext=offset, textcoords="offset points", **style)
        _list_names(axes, [readable(name) for name in shown["loadout"].iloc[order]])
    return axes


def _faction_styles(factions: list[str], label: Any, color: Any) -> list[dict[str, Any]]:
    styles = [look.STYLES[number % len(look.STYLES)] for number in range(len(factions))]
    labels = look.per_series(label, factions, factions, "label")
    colours = look.per_series(color, factions, [str(style["color"]) for style in styles], "color")
    return [
        {"marker": style["marker"], "color": colour, "label": text, "linestyle": "", "markersize": 4}
        for style, colour, text in zip(styles, colours, labels)
    ]
