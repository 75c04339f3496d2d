"""Plots of battles: margin of victory, survivors by round, and contributions of units."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from analyser.common import look
from analyser.common.frames import readable
from analyser.common.look import AUTO, Color, Label, Title
from analyser.common.text import NEGLIGIBLE

WIDTH, HEIGHT = 6.2, 2.9  # inches
UNIT_HEIGHT = 0.34  # inches per unit


def margins(
    data: Any, *, ax: Axes | None = None, label: Label = None, color: Color = None, title: Title = AUTO, **artist: Any
) -> Axes:
    """Draw the distribution of the margin of victory points as bars, coloured as won, drawn or lost.

    Parameters
    ----------
    data : BattleResult, or DataFrame
        `margin` (an integer) and `probability`; the 95% intervals are drawn if there are `low` and `high`.

    Examples
    --------
    >>> import pandas as pd
    >>> ax = margins(pd.DataFrame({"margin": [-1, 0, 2], "probability": [0.2, 0.3, 0.5]}))
    >>> [round(bar.get_height()) for bar in ax.patches]
    [50, 30, 20]
    """
    frame = look.table_of(data, ("margin", "probability"), "margins")
    shown = frame[frame["probability"] >= NEGLIGIBLE]
    first, second = _armies(data).values()
    names, texts = ("mine wins", "draw", "yours wins"), (f"{first} wins", "draw", f"{second} wins")
    styles = look.bar_styles(names, texts, (look.DARK, look.LIGHT, look.MEDIUM), label, color)
    options: dict[str, Any] = {"xlabel": f"victory points, {first} minus {second}", "ylabel": look.PERCENT, "legend": 3}
    with look.drawing(ax, WIDTH, HEIGHT, title=title, own_title=look.subject_of(data), **options) as axes:
        for sign, style in zip((1, 0, -1), styles):
            rows = shown[np.sign(shown["margin"]) == sign]
            share = float(frame["probability"][np.sign(frame["margin"]) == sign].sum())
            style |= {"label": f"{style['label']}: {look.short_text(share, is_probability=True)}%", "width": 0.8}
            style |= {"edgecolor": "black", "linewidth": 0.6, "hatch": look.LOSS_HATCH if sign < 0 else None}
            axes.bar(rows["margin"], 100 * rows["probability"], **{**style, **artist})
        if "low" in shown:
            ends = 100 * shown["low"], 100 * shown["high"]
            look.draw_intervals(axes, shown["margin"], 100 * shown["probability"], ends, "black")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0)
    return axes


def _armies(data: Any) -> dict[str, str]:
    """Return the names of the armies by side or, for a table, the sides themselves."""
    names = getattr(data, "names", None)
    return names if isinstance(names, dict) else {"mine": "mine", "yours": "yours"}


def points_left(
    data: Any, *, ax: Axes | None = None, label: Label = None, color: Color = None, title: Title = AUTO, **artist: Any
) -> Axes:
    """Draw the percentage of points left by round: a line per side for the mean, with a band for the middle 80%.

    Parameters
    ----------
    data : BattleResult, or DataFrame
        `round`, `side`, `mean_percent`, `percent_10th_percentile`, `percent_90th_percentile`, as ``survivors()`` of a
        battle returns them.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"round": [1], "side": ["mine"], "mean_percent": [80.0]}
    >>> frame = pd.DataFrame(rows | {"percent_10th_percentile": [60], "percent_90th_percentile": [100]})
    >>> points_left(frame).lines[0].get_ydata().tolist()
    [100.0, 80.0]
    """
    frame = look.table_of(
        data, ("round", "side", "mean_percent", "percent_10th_percentile", "percent_90th_percentile"), "survivors"
    )
    options: dict[str, Any] = {"xlabel": "round", "legend": 2}
    options["ylabel"] = "points left, percent:\nmean and middle 80% of battles"
    with look.drawing(ax, WIDTH, HEIGHT, title=title, own_title=look.subject_of(data), **options) as axes:
        sides = [rows for _, rows in frame.groupby("side", sort=False, observed=True)]
        names = [str(rows["side"].iloc[0]) for rows in sides]
        labels = look.per_series(label, names, list(map(_armies(data).get, names)), "label")
        for rows, line in zip(sides, look.line_styles(axes, names, labels, color)):
            rounds = [0, *rows["round"]]
            low, high = ([100, *rows[f"percent_{end}_percentile"]] for end in ("10th", "90th"))
            axes.fill_between(rounds, low, high, color=line["color"], alpha=0.12, linewidth=0)
            axes.plot(rounds, [100.0, *rows["mean_percent"]], **{"linewidth": 1.6, "markersize": 5.5, **line, **artist})
        axes.set(ylim=(-2, 104), yticks=range(0, 101, 20))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return axes


def contributions(
    data: Any, *, ax: Axes | None = None, label: Label = None, color: Color = None, title: Title = AUTO, **artist: Any
) -> Axes:
    """Draw the points that each unit destroyed and lost, two bars per unit.

    Parameters
    ----------
    data : BattleResult, or DataFrame
        `side`, `name`, `points_destroyed` and `points_absorbed` (own losses), from ``contributions()`` of a battle.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"side": ["mine"], "name": ["Rifles"], "points_destroyed": [31.0], "points_absorbed": [20.0]}
    >>> [round(bar.get_width()) for bar in contributions(pd.DataFrame(row)).patches]
    [31, 20]
    """
    frame = look.table_of(data, ("side", "name", "points_destroyed", "points_absorbed"), "contributions")
    positions, armies, height = np.arange(len(frame)), _armies(data), max(1.2, UNIT_HEIGHT * len(frame))
    names, texts = ("destroyed", "lost"), ("enemy points destroyed", "own points lost")
    styles = look.bar_styles(names, texts, (look.DARK, look.LIGHT), label, color)
    options: dict[str, Any] = {"xlabel": "points in a battle, mean", "legend": 2}
    with look.drawing(ax, WIDTH, height, title=title, own_title=look.subject_of(data), grid="x", **options) as axes:
        kinds = (("points_destroyed", -0.19, None), ("points_absorbed", 0.19, look.LOSS_HATCH))
        for style, (column, shift, hatch) in zip(styles, kinds):
            style |= {"height": 0.36, "edgecolor": "black", "linewidth": 0.6, "hatch": hatch}
            axes.barh(positions + shift, frame[column], **{**style, **artist})
        units = [f"{armies.get(side, side)}: {readable(name)}" for side, name in zip(frame["side"], frame["name"])]
        axes.set_yticks(positions, units)
        axes.set_xlim(left=0)
        axes.set_ylim(len(frame) - 0.4, -0.6)
    return axes
