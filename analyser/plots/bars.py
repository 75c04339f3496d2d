"""Bars and dots: states of a unit by round, the effect of each characteristic, best variants."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from analyser.common import look
from analyser.common.estimates import SAME_WITHIN
from analyser.common.frames import readable
from analyser.common.look import AUTO, Color, Label, Title
from analyser.common.metrics import figure_title

WIDTH, FATES_HEIGHT, NUMBER_HEIGHT = 5.0, 2.5, 0.4  # inches
RANKED_WIDTH, ROW_HEIGHT = 5.2, 0.27  # inches
MOST_RANKED = 25
STATES: Mapping[str, tuple[str, str, str]] = {  # name, colour and hatch of each state, by column
    "p_steady": ("steady", look.LIGHT, ""),
    "p_shaken": ("shaken", look.MEDIUM, ""),
    "p_routed": ("routed or panicked", look.DARK, ""),
    "p_gone": ("gone", "white", look.LOSS_HATCH),
}


def fates(
    data: Any, *, ax: Axes | None = None, label: Label = None, color: Color = None, title: Title = AUTO, **artist: Any
) -> Axes:
    """Draw the states of a unit by round as stacked bars: steady, shaken, routed, and gone (hatched).

    Parameters
    ----------
    data : DataFrame
        `round`, `p_steady`, `p_shaken`, `p_routed`, `p_gone`.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"round": [1], "p_steady": 0.5, "p_shaken": 0.25, "p_routed": 0.25, "p_gone": 0.0}
    >>> [round(bar.get_height()) for bar in fates(pd.DataFrame(rows)).patches]
    [50, 25, 25, 0]
    """
    frame = look.table_of(data, ("round", *STATES))
    names, colours, hatches = zip(*STATES.values())
    styles = look.bar_styles(list(STATES), names, colours, label, color)
    options: dict[str, Any] = {"xlabel": "round", "ylabel": "percent", "legend": len(STATES), "grid": ""}
    with look.drawing(ax, WIDTH, FATES_HEIGHT, title=title, own_title=look.subject_of(data), **options) as axes:
        bottom = np.zeros(len(frame))
        for column, hatch, style in zip(STATES, hatches, styles):
            percent = 100 * frame[column].to_numpy(np.float64)
            style |= {"width": 0.86, "linewidth": 0.6, "edgecolor": look.DARK, "hatch": hatch}
            axes.bar(frame["round"], percent, bottom=bottom, **{**style, **artist})
            bottom += percent
        axes.set(ylim=(0, 100.6), yticks=range(0, 101, 20), xticks=list(frame["round"]))
    return axes


def tornado(
    data: Any,
    *,
    quantity: str | None = None,
    ax: Axes | None = None,
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the change of a metric if one characteristic of either unit is one lower or higher, largest change on top.

    Parameters
    ----------
    data : Sensitivity, or DataFrame
        `side`, `number` (the characteristic), its `value`, `metric` (its name), `base` (the metric at present), and
        `minus_1` and `plus_1`: the metric for a value one lower and one higher, NaN if impossible.
    quantity : str, optional
        Title of the metric. Default: its name in words. Metrics ``p_...`` are in percent.
    label, color : optional
        For the bars ``"one less"`` and ``"one more"``: a list of two, or a mapping.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = tornado(analyser.sensitivity(fight))
    >>> ax.get_yticklabels()[0].get_text()
    'target: DAMAGE LIMIT 1'
    """
    frame = look.table_of(data, ("side", "number", "value", "metric", "base", "minus_1", "plus_1"), "frame")
    name, scale = figure_title(str(frame["metric"].iloc[0]), quantity)
    base = scale * float(frame["base"].iloc[0])
    changes = np.nan_to_num(scale * frame[["minus_1", "plus_1"]].to_numpy(np.float64) - base)
    longest = np.abs(changes).max(axis=1)
    order = np.argsort(-longest, kind="stable")
    order = order[longest[order] > SAME_WITHIN]
    names = [f"{row.side}: {row.number} {row.value:g}" for row in frame.itertuples()]
    subject, rows, height = readable(getattr(data, "subject", "")), np.arange(len(order)), max(len(order), 1)
    own = f"{subject}\n{name}: {base:.3g} at present,\nand with each number lowered or raised by one"
    kinds = ("one less", "one more")
    styles = look.bar_styles(kinds, kinds, (look.LIGHT, look.DARK), label, color)
    unchanged = [names[row] for row in np.flatnonzero(longest <= SAME_WITHIN)]
    no_effect = "\n".join(textwrap.wrap(f"No effect: {', '.join(unchanged)}.", 78)) if unchanged else ""
    options: dict[str, Any] = {"own_title": own, "xlabel": no_effect, "legend": 2}
    with look.drawing(ax, WIDTH, NUMBER_HEIGHT * height, title=title, grid="x", **options) as axes:
        for column, (style, hatch) in enumerate(zip(styles, (look.LOSS_HATCH, None))):
            style |= {"left": base, "height": 0.36, "linewidth": 0.8, "edgecolor": look.DARK, "hatch": hatch}
            axes.barh(rows + 0.18 * (2 * column - 1), changes[order, column], **{**style, **artist})
        axes.axvline(base, color="black", linewidth=1)
        axes.set_yticks(rows, [names[row] for row in order])
        axes.set_ylim(height - 0.5, -0.5)
        axes.margins(x=0.08)
    return axes


def ranked(
    data: Any,
    *,
    quantity: str = "value",
    ax: Axes | None = None,
    label: str | None = None,
    color: Any = look.DARK,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the best variants as dots, filled if best or tied; results of ``method="race"`` have confidence intervals.

    Parameters
    ----------
    data : Search, or DataFrame
        `variant`, `value` and `status`, the best first; `low` and `high` if simulated. The first 25 are drawn.
    quantity : str
        Name of the values; they are in percent if it starts with ``P(``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"variant": ["a", "b"], "value": [2.0, 1.0], "status": ["best", "beaten"]})
    >>> [text.get_text().strip() for text in ranked(table, quantity="Hits").get_yticklabels()]
    ['b', 'a']
    """
    frame = look.table_of(data, ("variant", "value", "status"), "frame")
    possible = frame[frame["value"].notna()]
    shown = possible.head(MOST_RANKED).iloc[::-1]
    scale = 100 if quantity.startswith("P(") else 1
    left_out = len(possible) - len(shown)
    x_label = quantity + ", percent" * (scale == 100) + f"   (the first {MOST_RANKED})" * bool(left_out)
    positions = np.arange(len(shown))
    options: dict[str, Any] = {"own_title": look.subject_of(data), "xlabel": x_label, "legend": int(label is not None)}
    with look.drawing(ax, RANKED_WIDTH, 0.5 + ROW_HEIGHT * len(shown), title=title, grid="x", **options) as axes:
        values = scale * shown["value"].to_numpy(float)
        best = shown["status"].isin(("best", "tied")).to_numpy()
        if "low" in shown and shown["low"].notna().all():
            ends = [values - scale * shown["low"].to_numpy(float), scale * shown["high"].to_numpy(float) - values]
            style: dict[str, Any] = {"fmt": "none", "ecolor": "0.45", "elinewidth": 1.2, "capsize": 3}
            axes.errorbar(values, positions, xerr=np.clip(ends, 0, None), **style)
        dots: dict[str, Any] = {"marker": "o", "linestyle": "", "color": color}
        axes.plot(values[best], positions[best], **{**dots, "markersize": 7, "label": label, **artist})
        axes.plot(values[~best], positions[~best], **{**dots, "markerfacecolor": "white", "markersize": 6, **artist})
        axes.set(ylim=(-0.7, len(shown) - 0.3))
        look.name_rows(axes, positions, [readable(name) for name in shown["variant"]])
    return axes
