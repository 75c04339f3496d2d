"""What a loadout costs against what it does, and which loadouts no other one beats on both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.plots import look
from analyser.plots.labels import label_offsets

WIDTH, HEIGHT = 6.4, 4.2  # inches
MOST_NUMBERED = 14  # of more loadouts only those on the frontier are numbered


def efficient(frame: pd.DataFrame, metric: str) -> NDArray[np.bool_]:
    """Which rows no other row beats: none costs as little or less and does more, or does as much for less.

    Parameters
    ----------
    frame : DataFrame
        `points` and the column `metric`.
    metric : str

    Returns
    -------
    bool array, shape (rows,)
        False where either is not known. Equal rows are efficient together.

    Examples
    --------
    >>> table = pd.DataFrame({"points": [50, 60, 60, 90], "effect": [2.0, 1.5, 4.0, 4.0]})
    >>> efficient(table, "effect").tolist()
    [True, False, True, False]
    """
    points, effects = frame["points"].to_numpy(np.float64, na_value=np.nan), frame[metric].to_numpy(np.float64)
    known = ~(np.isnan(points) | np.isnan(effects))
    beats = known & (points <= points[:, None]) & (effects >= effects[:, None] - CERTAIN_WITHIN)
    beats &= (points < points[:, None]) | (effects > effects[:, None] + CERTAIN_WITHIN)
    return np.asarray(known & ~beats.any(axis=1))


def cost_against_effect(
    frame: pd.DataFrame,
    *,
    metric: str = "mean_models_destroyed",
    label: str | None = None,
    heading: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Points across, effect upwards: a numbered marker for each loadout, the efficient frontier as a stepped line.

    A loadout is on the frontier if no other one does as much for fewer points, or more for as many (Pareto).

    Parameters
    ----------
    frame : DataFrame
        `loadout`, `points`, and the column `metric`, as of :class:`analyser.Comparison`. Rows without either figure
        are not drawn, and the picture says how many; InputError if all are such rows.
    metric : str
        The column that is the effect; more is better.
    label : str, optional
        What the effect is called. Default: the name of the column. Columns ``p_...`` are in percent.

    Examples
    --------
    >>> table = pd.DataFrame({"loadout": ["a", "b"], "points": [50, 60], "mean_models_destroyed": [2.0, 1.5]})
    >>> cost_against_effect(table).get_xlabel()
    'points'
    """
    look.check_columns(frame, ("loadout", "points", metric))
    shown = frame[frame["points"].notna() & frame[metric].notna()]
    if shown.empty:
        raise InputError(f"no loadout has both points and {metric}")
    name, scale = look.figure_title(metric, label)
    on_frontier = efficient(shown, metric)
    points, effects = shown["points"].to_numpy(np.float64), scale * shown[metric].to_numpy(np.float64)
    missing, what = len(frame) - len(shown), f"{heading}\n{name}, against points"
    across = "points" + (f"   ({missing} without figures left out)" if missing else "")
    with look.drawing(ax, WIDTH, HEIGHT, heading=what, across=across, legend=2, grid="both") as axes:
        order = np.lexsort((effects, points))
        best, rest = order[on_frontier[order]], ~on_frontier
        axes.step(points[best], effects[best], where="post", color=look.DARK, linewidth=1.4, label="efficient frontier")
        axes.plot(points[best], effects[best], "o", markersize=13, color=look.DARK)  # room for two figures
        if rest.any():
            edge: dict[str, Any] = {"markeredgecolor": look.DARK, "markeredgewidth": 0.8, "label": "beaten by another"}
            axes.plot(points[rest], effects[rest], "D", markersize=5.5, markerfacecolor=look.MEDIUM, **edge)
        room = 0.06 * max(float(np.ptp(points)), 10.0)
        axes.set(xlim=(points.min() - room, points.max() + room), ylim=(0, 1.12 * max(effects.max(), 1e-9)))
        _name(axes, shown["loadout"].tolist(), np.column_stack([points, effects]), on_frontier)
    return axes


def _name(axes: Axes, loadouts: list[str], places: NDArray[np.float64], on_frontier: NDArray[np.bool_]) -> None:
    """Numbers at the markers, and beside the picture who they are: names at the markers would cover one another."""
    order = np.lexsort((-places[:, 1], places[:, 0], ~on_frontier))
    named = order[: on_frontier.sum()] if len(loadouts) > MOST_NUMBERED else order
    inside: dict[str, Any] = {"xytext": (0, 0), "ha": "center", "color": "white"}
    beside: dict[str, Any] = {"xytext": (6, 0), "ha": "left", "color": "black"}
    small: dict[str, Any] = {"textcoords": "offset points", "va": "center_baseline", "size": look.CELL_POINTS}
    for number, place in enumerate(named, start=1):
        where = inside if on_frontier[place] else beside
        axes.annotate(str(number), tuple(places[place]), **where, **small)
    _list(axes, [loadouts[place] for place in named])


def _list(axes: Axes, loadouts: list[str]) -> None:
    """Who the numbers are, beside the picture."""
    lines = "\n".join(f"{number}  {name}" for number, name in enumerate(loadouts, start=1))
    corner: dict[str, Any] = {"xycoords": "axes fraction", "xytext": (14, 0), "textcoords": "offset points"}
    text: dict[str, Any] = {"va": "top", "size": look.LABEL_POINTS, "linespacing": 1.5}
    axes.annotate(lines, (1, 1), **corner, **text)


def fair_points(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Fair points across, today's points upwards: a marker for each loadout, its faction by shape and colour.

    Above the upper line a loadout costs more than the usual interval of fair points allows, below the lower one less;
    those with a verdict are filled, the farthest numbered.

    Parameters
    ----------
    frame : DataFrame
        As of :class:`analyser.FairPoints`. Loadouts without fair points are not drawn, and the picture says how many;
        InputError if all are such.

    Examples
    --------
    >>> figures = {"points": [50, 60], "fair_points": [40.0, 75.0], "low": [35.0, 66.0], "high": [46.0, 84.0]}
    >>> names = {"loadout": ["red/a@basic", "blue/b@basic"], "faction": ["red", "blue"]}
    >>> table = pd.DataFrame({**names, **figures, "verdict": ["over-priced", "under-priced"]})
    >>> fair_points(table).get_xlabel()
    'fair points'
    """
    look.check_columns(frame, ("loadout", "faction", "points", "fair_points", "low", "high", "verdict"))
    shown = frame[frame["fair_points"].notna() & frame["points"].notna()].reset_index(drop=True)
    if shown.empty:
        raise InputError("no loadout has both points and fair points")
    fair, points = (shown[name].to_numpy(np.float64) for name in ("fair_points", "points"))
    below, above = (float((shown[end] / shown["fair_points"]).median()) for end in ("low", "high"))
    missing = len(frame) - len(shown)
    across = "fair points" + (f"   ({missing} without left out)" if missing else "")
    heading = "What loadouts cost against what they should"
    with look.drawing(ax, WIDTH, WIDTH, heading=heading, across=across, legend=2, grid="both") as axes:
        ends = np.array([0.8 * min(fair.min(), points.min()), 1.25 * max(fair.max(), points.max())])
        axes.fill_between(ends, below * ends, above * ends, color=look.LIGHT, linewidth=0, label="fair, usually")
        for number, faction in enumerate(dict.fromkeys(shown["faction"])):
            here = (shown["faction"] == faction).to_numpy()
            wrong = here & shown["verdict"].isin(("over-priced", "under-priced")).to_numpy()
            colour, shape = (look.LINES[number % len(look.LINES)][key] for key in ("color", "marker"))
            axes.plot(
                fair[here], points[here], shape, markersize=4, markerfacecolor="none", color=colour, label=faction
            )
            axes.plot(fair[wrong], points[wrong], shape, markersize=4, color=colour)
        axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, ylabel="points")
        ticks = [each for each in (10, 20, 50, 100, 200, 500, 1000, 2000) if ends[0] <= each <= ends[1]]
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(FixedLocator(ticks))
            axis.set_major_formatter("{x:.0f}")
            axis.set_minor_locator(NullLocator())
        wrong = np.flatnonzero(shown["verdict"].isin(("over-priced", "under-priced")))
        farthest = wrong[np.argsort(-np.abs(np.log(points / fair))[wrong], kind="stable")][:MOST_NUMBERED]
        order = farthest[np.argsort(fair[farthest], kind="stable")]
        size, span = 72 * WIDTH, float(np.log(ends[1] / ends[0]))
        places = size * np.log(np.column_stack([fair, points]) / ends[0]) / span
        over = (shown["verdict"] == "over-priced").to_numpy()
        outwards = np.where(over, 135.0, -45.0)[farthest]  # away from the diagonal
        offsets = dict(
            zip(farthest.tolist(), label_offsets(places, farthest.tolist(), outwards.tolist(), (size, size)))
        )
        for number, place in enumerate(order.tolist(), start=1):
            at = (fair[place], points[place])
            leader: dict[str, Any] = {"arrowprops": {"arrowstyle": "-", "color": look.MEDIUM, "linewidth": 0.6}}
            centred: dict[str, Any] = {"ha": "center", "va": "center_baseline", "size": look.CELL_POINTS}
            axes.annotate(str(number), at, xytext=offsets[place], textcoords="offset points", **centred, **leader)
        _list(axes, shown["loadout"].iloc[order].tolist())
    return axes
