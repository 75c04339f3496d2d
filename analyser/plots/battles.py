"""Pictures of battles: the margin of victory, what is left by round, what each unit did."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from analyser.common.text import NEGLIGIBLE
from analyser.plots import look

WIDTH, HEIGHT = 6.2, 2.9  # inches
BAR = 0.34  # inches a unit
_WON, _DRAWN, _LOST = look.DARK, look.LIGHT, look.MEDIUM


def margins(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """The distribution of a margin of victory points: a bar for each, those won, drawn and lost told apart.

    Parameters
    ----------
    frame : DataFrame
        `margin` (an integer), `probability`; where it has `low` and `high`, the 95% intervals are drawn.

    Examples
    --------
    >>> ax = margins(pd.DataFrame({"margin": [-1, 0, 2], "probability": [0.2, 0.3, 0.5]}))
    >>> [round(bar.get_height()) for bar in ax.patches]
    [50, 30, 20]
    """
    look.check_columns(frame, ("margin", "probability"))
    shown = frame[frame["probability"] >= NEGLIGIBLE]
    what = f"{heading}\nVictory points of mine less yours: probability in percent"
    with look.drawing(ax, WIDTH, HEIGHT, heading=what, across="victory points, mine less yours", legend=3) as axes:
        kinds = (("mine wins", shown["margin"] > 0, _WON), ("draw", shown["margin"] == 0, _DRAWN))
        for name, of_kind, colour in (*kinds, ("yours wins", shown["margin"] < 0, _LOST)):
            rows = shown[of_kind]
            share = 100 * float(frame["probability"][_same(frame, rows)].sum()) if len(rows) else 0.0
            label = f"{name}: {look.short_text(share / 100, is_probability=True)}%"
            hatch = look.LOST if name.startswith("yours") else None
            bars = axes.bar(rows["margin"], 100 * rows["probability"], width=0.8, color=colour, label=label)
            for bar in bars:
                bar.set(edgecolor="black", linewidth=0.6, hatch=hatch)
        if "low" in shown:
            percent = 100 * shown["probability"]
            ends = [percent - 100 * shown["low"], 100 * shown["high"] - percent]
            look.draw_intervals(axes, shown["margin"], percent, ends, color="black")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0)
    return axes


def _same(frame: pd.DataFrame, rows: pd.DataFrame) -> Any:
    """Of a whole distribution the part on the same side of 0."""
    return np.sign(frame["margin"]) == np.sign(rows["margin"].iloc[0])


def points_left(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """Percent of each side's points left at the end of each round: a line a side in the band of most battles.

    Parameters
    ----------
    frame : DataFrame
        `round`, `side`, `mean_percent`, `percent_10th_percentile`, `percent_90th_percentile`, as ``survivors()`` of a
        battle.

    Examples
    --------
    >>> rows = {"round": [1], "side": ["mine"], "mean_percent": [80.0]}
    >>> frame = pd.DataFrame(rows | {"percent_10th_percentile": [60], "percent_90th_percentile": [100]})
    >>> points_left(frame).lines[0].get_ydata().tolist()
    [100.0, 80.0]
    """
    look.check_columns(frame, ("round", "side", "mean_percent", "percent_10th_percentile", "percent_90th_percentile"))
    what = f"{heading}\nPoints left after each round in percent: mean, and the middle 80% of battles"
    with look.drawing(ax, WIDTH, HEIGHT, heading=what, across="round", legend=2) as axes:
        for (side, rows), line in zip(frame.groupby("side", sort=False), look.LINES):
            rounds = [0, *rows["round"]]
            low, high = ([100, *rows[f"percent_{end}_percentile"]] for end in ("10th", "90th"))
            axes.fill_between(rounds, low, high, color=line["color"], alpha=0.12, linewidth=0)
            axes.plot(rounds, [100.0, *rows["mean_percent"]], label=str(side), linewidth=1.6, markersize=5.5, **line)
        axes.set(ylim=(-2, 104), yticks=range(0, 101, 20))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return axes


def contributions(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """What each unit destroyed of the enemy, and what of its own was lost: two bars a unit.

    Parameters
    ----------
    frame : DataFrame
        `side`, `name`, `points_destroyed`, `points_absorbed`, as ``contributions()`` of a battle; with their standard
        errors where they have any.

    Examples
    --------
    >>> row = {"side": ["mine"], "name": ["Rifles"], "points_destroyed": [31.0], "points_absorbed": [20.0]}
    >>> [round(bar.get_width()) for bar in contributions(pd.DataFrame(row)).patches]
    [31, 20]
    """
    look.check_columns(frame, ("side", "name", "points_destroyed", "points_absorbed"))
    places = np.arange(len(frame))
    height = max(1.2, BAR * len(frame))
    what = f"{heading}\nPoints destroyed of the enemy, and lost of its own, in a battle on average"
    with look.drawing(ax, WIDTH, height, heading=what, across="points", legend=2, grid="x") as axes:
        kinds = (
            ("destroyed", "points_destroyed", -0.19, look.DARK, None),
            ("lost", "points_absorbed", 0.19, look.LIGHT, look.LOST),
        )
        for name, column, shift, colour, hatch in kinds:
            bars = axes.barh(places + shift, frame[column], height=0.36, color=colour, label=name)
            for bar in bars:
                bar.set(edgecolor="black", linewidth=0.6, hatch=hatch)
        axes.set_yticks(places, [f"{side}: {name}" for side, name in zip(frame["side"], frame["name"])])
        axes.invert_yaxis()
        axes.set_xlim(left=0)
        axes.set_ylim(len(frame) - 0.4, -0.6)
    return axes
