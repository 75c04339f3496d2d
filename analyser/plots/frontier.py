"""What a loadout costs against what it does, and which loadouts no other one beats on both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 6.4, 4.2  # inches
MOST_NUMBERED = 14  # of more loadouts only those on the frontier are numbered
_DOT = 13  # points: room for two figures


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
    found: NDArray[np.bool_] = known.copy()
    for place in np.flatnonzero(known):
        no_worse = known & (points <= points[place]) & (effects >= effects[place] - CERTAIN_WITHIN)
        better = (points < points[place]) | (effects > effects[place] + CERTAIN_WITHIN)
        found[place] = not (no_worse & better).any()
    return found


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
    heading : str
        What it is of, a line above the title: target and conditions.

    Examples
    --------
    >>> table = pd.DataFrame({"loadout": ["a", "b"], "points": [50, 60], "mean_models_destroyed": [2.0, 1.5]})
    >>> cost_against_effect(table).get_xlabel()
    'points'
    """
    look.check_columns(frame, ("loadout", "points", metric))
    known = frame[frame["points"].notna() & frame[metric].notna()]
    if known.empty:
        raise InputError(f"no loadout has both points and {metric}")
    scale, unit = (100, ", percent") if metric.startswith("p_") else (1, "")
    on_frontier = efficient(known, metric)
    points, effects = known["points"].to_numpy(np.float64), scale * known[metric].to_numpy(np.float64)
    missing = len(frame) - len(known)
    what = look.below(heading, f"{label or metric.replace('_', ' ')}{unit}, against points")
    across = "points" + (f"   ({missing} without figures left out)" if missing else "")
    with look.drawing(ax, WIDTH, HEIGHT, heading=what, across=across, legend=2, grid="both") as axes:
        _draw(axes, points, effects, on_frontier)
        room = 0.06 * max(float(np.ptp(points)), 10.0)
        axes.set(xlim=(points.min() - room, points.max() + room), ylim=(0, 1.12 * max(effects.max(), 1e-9)))
        _name(axes, known["loadout"].tolist(), points, effects, on_frontier)
    return axes


def _draw(
    axes: Axes, points: NDArray[np.float64], effects: NDArray[np.float64], on_frontier: NDArray[np.bool_]
) -> None:
    order = np.lexsort((effects[on_frontier], points[on_frontier]))
    across, up = points[on_frontier][order], effects[on_frontier][order]
    axes.step(across, up, where="post", color=look.DARK, linewidth=1.4, label="efficient frontier")
    axes.plot(across, up, linestyle="none", marker="o", markersize=_DOT, color=look.DARK)
    rest = ~on_frontier
    if rest.any():
        axes.plot(
            points[rest],
            effects[rest],
            linestyle="none",
            marker="D",
            markersize=5.5,
            markerfacecolor=look.MEDIUM,
            markeredgecolor=look.DARK,
            markeredgewidth=0.8,
            label="beaten by another",
        )


def _name(
    axes: Axes,
    loadouts: list[str],
    points: NDArray[np.float64],
    effects: NDArray[np.float64],
    on_frontier: NDArray[np.bool_],
) -> None:
    """Numbers at the markers, and beside the picture who they are: names at the markers would cover one another."""
    order = np.lexsort((-effects, points, ~on_frontier))
    lines = []
    for number, place in enumerate(order, start=1):
        if len(loadouts) > MOST_NUMBERED and not on_frontier[place]:
            break
        inside = bool(on_frontier[place])
        axes.annotate(
            str(number),
            (points[place], effects[place]),
            xytext=(0, 0) if inside else (6, 0),
            va="center_baseline",
            textcoords="offset points",
            ha="center" if inside else "left",
            size=look.CELL_POINTS,
            color="white" if inside else "black",
        )
        lines.append(f"{number}  {loadouts[place]}")
    axes.annotate(
        "\n".join(lines),
        (1, 1),
        xycoords="axes fraction",
        xytext=(14, 0),
        textcoords="offset points",
        va="top",
        size=look.LABEL_POINTS,
        parse_math=False,
        linespacing=1.5,
    )
