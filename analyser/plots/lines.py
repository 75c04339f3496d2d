"""Line plots with at most six lines: probabilities by round, survival, fair points by dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from analyser.common import look
from analyser.common.frames import names_of
from analyser.common.look import AUTO, Color, Label, Title

WIDTH, HEIGHT = 5.2, 2.9  # inches


def curves(
    data: Any,
    *,
    x: str,
    lines: Mapping[str, str],
    ax: Axes | None = None,
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the probabilities in several columns of a frame by round, each as a line with markers.

    Parameters
    ----------
    data : DataFrame, or result
        One row per round. The 95% intervals of a column ``c`` are drawn if there are columns ``c_low`` and ``c_high``.
    x : str
        The column of the rounds.
    lines : mapping
        The name of each line in the legend, by column; at most six.

    Examples
    --------
    >>> from analyser import morale
    >>> panic = morale.exact("legion", {"courage": 1, "tokens": 3})
    >>> ax = curves(panic, x="round", lines={"p_panicked": "panicked"})
    >>> ax.lines[0].get_ydata().round().tolist()[:2]
    [74.0, 13.0]
    """
    frame = look.table_of(data, (x, *lines))
    options: dict[str, Any] = {"xlabel": x, "ylabel": look.PERCENT, "legend": min(len(lines), 3)}
    with look.drawing(ax, WIDTH, HEIGHT, title=title, own_title=look.subject_of(data), **options) as axes:
        series = [(name, column, frame) for column, name in lines.items()]
        look.draw_lines(axes, x, series, label=label, color=color, **artist)
    return axes


def survival(
    data: Any, *, ax: Axes | None = None, label: Label = None, color: Color = None, title: Title = AUTO, **artist: Any
) -> Axes:
    """Draw the probability that each side is alive after each round, each side as a line with markers.

    Parameters
    ----------
    data : DuelResult, or DataFrame
        `round` (0 is the start), `side` (a name) and `p_alive`;
        `p_alive_low` and `p_alive_high`, if present, are drawn as intervals.
    label, color : optional
        A list, or a mapping by side, such as ``{"a": "Rifles", "b": "Grenadiers"}``.

    Examples
    --------
    >>> import pandas as pd
    >>> rounds = pd.DataFrame({"round": [0, 1, 2], "side": "Rifles", "p_alive": [1.0, 0.9, 0.7]})
    >>> survival(rounds).lines[0].get_ydata().tolist()
    [100.0, 90.0, 70.0]
    """
    frame = look.table_of(data, ("round", "side", "p_alive"), "rounds")
    by_side = frame.sort_values("round", kind="stable").groupby("side", sort=False, observed=True)
    sides = [(str(side), "p_alive", rows) for side, rows in by_side]
    names = label or _side_names(data)
    options: dict[str, Any] = {"xlabel": "round", "ylabel": "P(alive after the round), percent", "legend": 1}
    with look.drawing(ax, WIDTH, HEIGHT, title=title, own_title=look.subject_of(data), **options) as axes:
        look.draw_lines(axes, "round", sides, label=names, color=color, **artist)
    return axes


def _side_names(data: Any) -> dict[str, str] | None:
    """Return the names of the units of a duel by side; None if they are equal or unknown."""
    units = [getattr(unit, "unit", None) for unit in getattr(data, "units", ())]
    if len(units) != 2 or None in units or units[0] == units[1]:
        return None
    return dict(zip(("a", "b"), names_of([str(unit) for unit in units])))


def trade_off(
    data: Any,
    *,
    points: int | None = None,
    ax: Axes | None = None,
    label: str = "fair points",
    color: Any = look.DARK,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the fair points of a loadout for more or fewer dice, as a line with a band of intervals.

    Parameters
    ----------
    data : SolvedDice, or DataFrame
        `dice`, `fair_points`, `fair_low` and `fair_high`, as :func:`analyser.solve_dice` returns them.
    points : int, optional
        Today's points, drawn as a dashed line. Default: ``data.points``, if there are any.

    Examples
    --------
    >>> import pandas as pd
    >>> curve = {"dice": [-1, 0, 1], "fair_points": [50, 60, 70], "fair_low": [44, 53, 61], "fair_high": [57, 68, 80]}
    >>> trade_off(pd.DataFrame(curve), points=62).lines[0].get_ydata().tolist()
    [50, 60, 70]
    """
    frame = look.table_of(data, ("dice", "fair_points", "fair_low", "fair_high"), "frame")
    today = getattr(data, "points", None) if points is None else points
    options: dict[str, Any] = {"xlabel": "change of dice", "ylabel": "fair points, 95% intervals", "legend": 2}
    own = f"{look.subject_of(data)}\nFair points at each change of dice"
    with look.drawing(ax, WIDTH, HEIGHT, title=title, own_title=own, **options) as axes:
        band: dict[str, Any] = {"color": look.LIGHT, "linewidth": 0, "zorder": 0}
        axes.fill_between(frame["dice"], frame["fair_low"], frame["fair_high"], **band)
        axes.plot(frame["dice"], frame["fair_points"], **{"marker": "o", "color": color, "label": label, **artist})
        if today is not None:
            axes.axhline(today, color="black", linestyle="--", linewidth=1, label=f"today: {today}")
        axes.set_xticks(frame["dice"], [f"{dice:+d}" if dice else "0" for dice in frame["dice"]])
    return axes
