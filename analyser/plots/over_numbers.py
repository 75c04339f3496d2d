"""Plots over one or two numbers: lines with the best of each range, a map with contours, and a Pareto front."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from analyser.common import look
from analyser.common.errors import InputError
from analyser.common.frames import names_of
from analyser.common.metrics import figure_title
from analyser.common.text import values_text
from analyser.plots.crowded_text import label_offsets

WIDE, HIGH = 6.4, 3.4  # inches
SQUARE = 4.2
_STRIP = 0.05  # share of the height for the strip of best lines
_SEVERAL = "equal, or no significant difference"
_ABOVE_GRID = 0.8
_MOST_NAMED = 8  # most named points of a front
_GREY, _OTHER = "0.8", "0.35"  # lines without a colour; others in a map
_COLOURS = tuple(str(style["color"]) for style in look.LINES[1:])  # colours of a map; black would look grey there


def best_lines(
    data: pd.DataFrame,
    *,
    x: str,
    metric: str,
    best: Sequence[tuple[Any, Any, str]] = (),
    between: bool = False,
    quantity: str | None = None,
    ax: Axes | None = None,
    label: look.PerSeries[str] = None,
    color: look.PerSeries[Any] = None,
    title: str | None = look.AUTO,
    **artist: Any,
) -> Axes:
    """Draw a figure over a number as several lines, with a strip that names the best line of each range.

    Parameters
    ----------
    data : DataFrame
        `line`, the columns `x` and `metric`, and if simulated ``metric_low`` and ``metric_high``. Of more than six
        lines, those that are best over the longest ranges are coloured, the others grey.
    x, metric : str
    best : sequence of (from, to, name)
        Ranges of the strip; a name that is not a line is drawn in grey.
    between : bool
        A value of `x` stands for the interval since the one before it; lines are drawn as steps.
    quantity : str, optional
        Name of the figure. Default: the name of the column.

    Examples
    --------
    >>> table = pd.DataFrame({"line": ["a", "a", "b", "b"], "dice": [1, 2, 1, 2], "mean_hits": [1.0, 2.0, 0.5, 3.0]})
    >>> best_lines(table, x="dice", metric="mean_hits").lines[0].get_ydata().tolist()
    [1.0, 2.0]
    """
    frame = look.rows_of(data)
    look.check_columns(frame, ("line", x, metric))
    answered = frame[frame[metric].notna()]
    stretches = [who for _, _, who in best]
    names, others = _coloured(answered["line"], {stretch: stretches.count(stretch) for stretch in stretches})
    name, scale = figure_title(metric, quantity)
    values = list(dict.fromkeys(frame[x]))
    are_numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    places = {value: value if are_numbers else place for place, value in enumerate(values)}
    across = x.replace("_", " ") + (", inches" if x.endswith("distance") else "")
    more: dict[str, Any] = {"own": look.subject_of(data), "xlabel": across, "ylabel": name, "legend": 1}
    with look.drawing(ax, WIDE, HIGH, title=title, **more) as axes:
        how: dict[str, Any] = {"drawstyle": "steps-pre"} if between else {}
        for number, line in enumerate(others):
            part = frame[frame["line"] == line]
            called = _others(others) if number == 0 else None
            axes.plot(part[x].map(places).astype(float), scale * part[metric], color=_GREY, label=called, **how)
        styles = look.line_styles(axes, names, label, color)
        for line, style in zip(names, styles):
            part = frame[frame["line"] == line]
            at, shown = part[x].map(places).astype(float), scale * part[metric]
            marker = {**style, **({"marker": ""} if len(values) > 16 or between else {})}
            axes.plot(at, shown, **{"linewidth": 1.8, "markersize": 5.5, **how, **marker, **artist})
            if f"{metric}_low" in part:
                ends = [shown - scale * part[f"{metric}_low"], scale * part[f"{metric}_high"] - shown]
                look.draw_intervals(axes, at, shown, ends, color=str(style["color"]))
        top = float(np.nanmax(scale * frame[metric].to_numpy(float), initial=0.0)) or 1.0
        room = 1.16 if best else 1.06
        axes.set_ylim((-2, 100 * room) if scale == 100 and top > 50 else (0, room * top))
        if are_numbers:
            axes.xaxis.set_major_locator(MaxNLocator(integer=all(isinstance(value, int) for value in values)))
        else:
            axes.set_xticks(range(len(values)), [_word(value) for value in values])
        _strip(
            axes,
            [(places[first], places[last], who) for first, last, who in best],
            dict(zip(names, styles)),
            discrete=not between,
        )
    return axes


def _coloured(lines: Iterable[str], worth: Any) -> tuple[list[str], list[str]]:
    """Return the lines to colour, those with most `worth` (by name), and the other lines, both in given order."""
    names = list(dict.fromkeys(lines))
    chosen = set(sorted(names, key=lambda name: -worth.get(name, 0))[: len(look.LINES)])
    return [name for name in names if name in chosen], [name for name in names if name not in chosen]


def _others(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} others"


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _strip(axes: Axes, best: Sequence[tuple[float, float, str]], styles: Mapping[str, Any], *, discrete: bool) -> None:
    """Mark the best line of each range along the upper edge of the axes, with a thin line at each crossing."""
    colours = {name: style["color"] for name, style in styles.items()}
    half, inside = 0.5 if discrete else 0.0, axes.get_xaxis_transform()
    for number, (first, last, who) in enumerate(best):
        left, right = first - half, last + half
        strip: dict[str, Any] = {"color": colours.get(who, "0.6"), "linewidth": 0, "transform": inside}
        axes.fill_between([left, right], 1.0 - _STRIP, 1.0, **strip)
        if number:
            axes.axvline(left, color="0.55", linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
            where: Any = (left, 1.0 - _STRIP)
            text = "" if discrete else f"{left:g}"
            beside: dict[str, Any] = {"xytext": (3, -9), "textcoords": "offset points", "size": look.CELL_POINTS}
            axes.annotate(text, where, xycoords=inside, **beside)
    if any(who not in colours for _, _, who in best):
        axes.fill_between([], [], color="0.6", label="above: best of all; grey: equal or not possible")


def trade_map(
    data: pd.DataFrame,
    *,
    x: str,
    y: str,
    lines: Sequence[str] = (),
    quantity: str | None = None,
    ax: Axes | None = None,
    label: look.PerSeries[str] = None,
    color: look.PerSeries[Any] = None,
    title: str | None = look.AUTO,
    **artist: Any,
) -> Axes:
    """Draw the best line of each cell over two numbers by colour, with contours of its figure.

    Parameters
    ----------
    data : DataFrame
        `best` (the name of a line; any other text if several are equal), `value` (its figure; NaN for none), and the
        columns `x` and `y`, with distinct pairs.
    x, y : str
    lines : sequence of str
        All lines, in the order of their colours; with at most one, the figure itself is coloured. Of more than five,
        those that are best in most cells have their own colour; the others share one.
    quantity : str, optional
        Name of the figure; it is in percent if the name starts with ``P(``.
    label, color : optional
        Mappings by line.

    Examples
    --------
    >>> cells = {"dice": [1, 1, 2, 2], "defence": [1, 2, 1, 2], "value": [2.0, 1.0, 4.0, 2.0]}
    >>> trade_map(pd.DataFrame(cells).assign(best="a"), x="dice", y="defence").get_xlabel()
    'dice'
    """
    frame = look.rows_of(data)
    look.check_columns(frame, (x, y, "value", "best"))
    across, up = (list(dict.fromkeys(frame[name])) for name in (x, y))
    if len(across) < 2 or len(up) < 2:
        raise InputError(f"{len(across)} by {len(up)} values", where="trade_map", allowed="two or more of both keys")
    grid = frame.pivot(index=y, columns=x, values="value").reindex(index=up, columns=across).to_numpy(float)
    scale = 100 if str(quantity or "").startswith("P(") else 1
    name = f"{quantity or 'figure'}{', percent' if scale == 100 else ''}: contours"
    wide, high = (range(len(values)) for values in (across, up))
    called = (key.replace("_", " ") for key in (x, y))
    more: dict[str, Any] = {"own": f"{look.subject_of(data)}\n{name}", **dict(zip(("xlabel", "ylabel"), called))}
    with look.drawing(ax, SQUARE * 1.2, SQUARE, title=title, grid="", **more) as axes:
        how: dict[str, Any] = {"origin": "lower", "aspect": "auto", "zorder": _ABOVE_GRID, **artist}
        if len(lines) > 1:
            _coloured_by_line(axes, frame, (x, y), (across, up), lines, (label, color), how)
        else:
            axes.imshow(scale * grid, **{"cmap": look.scale_of(color), **how})
        if np.isfinite(grid).sum() > 3:
            ink = "black" if len(lines) > 1 else "white"
            drawn = axes.contour(wide, high, scale * grid, levels=7, colors=ink, linewidths=1.1)
            axes.clabel(drawn, fontsize=look.CELL_POINTS)
        axes.set_xticks(*_ticks(across))
        axes.set_yticks(*_ticks(up))
    return axes


def _ticks(values: Sequence[Any]) -> tuple[list[int], list[str]]:
    step = -(-len(values) // 12)
    places = list(range(0, len(values), step))
    return places, [_word(values[place]) for place in places]


def _coloured_by_line(
    axes: Axes,
    frame: pd.DataFrame,
    keys: tuple[str, str],
    values: tuple[list[Any], list[Any]],
    lines: Sequence[str],
    chosen: tuple[Any, Any],
    how: Mapping[str, Any],
) -> None:
    """Draw the best line of each cell by a light colour; grey if several are equal."""
    cells = frame["best"].value_counts()
    own = set(sorted(lines, key=lambda name: -cells.get(name, 0))[: len(_COLOURS)])
    named = [name for name in lines if name in own]
    others = [name for name in lines if name not in own]
    labels, colours = chosen
    texts = dict(zip(named, look.per_series(labels, named, names_of(named), "label")))
    shades: dict[str, Any] = dict(zip(named, look.per_series(colours, named, _COLOURS, "color")))
    shades |= ({_others(others): _OTHER} if others else {}) | {_SEVERAL: _GREY}
    number = {name: place for place, name in enumerate(shades)} | {name: len(named) for name in others}
    places = frame["best"].map(number).astype(float)
    places = places.mask(frame["best"].ne("") & places.isna(), number[_SEVERAL])
    grid = frame.assign(place=places).pivot(index=keys[1], columns=keys[0], values="place")
    grid = grid.reindex(index=values[1], columns=values[0])
    norm = BoundaryNorm(np.arange(len(shades) + 1) - 0.5, len(shades))
    shown: dict[str, Any] = {"cmap": ListedColormap([*shades.values()]), "norm": norm, "alpha": 0.45}
    axes.imshow(grid.to_numpy(float), **{**shown, **how})
    seen = [name for name in shades if name != _SEVERAL or (places == number[name]).any()]
    patches = [Patch(facecolor=shades[name], alpha=0.45, label=texts.get(name, name)) for name in seen]
    below: Any = {"loc": "upper left", "bbox_to_anchor": (0, -0.16), "frameon": False, "borderaxespad": 0}
    axes.legend(handles=patches, fontsize=look.LABEL_POINTS, **(below if isinstance(axes, look.Picture) else {}))


def front(
    data: pd.DataFrame,
    *,
    x: str,
    y: str,
    keys: Sequence[str],
    quantities: Sequence[str],
    ax: Axes | None = None,
    label: look.PerSeries[str] = None,
    color: look.PerSeries[Any] = None,
    title: str | None = look.AUTO,
    **artist: Any,
) -> Axes:
    """Draw two figures against each other; the points of the Pareto front are joined and named.

    Parameters
    ----------
    data : DataFrame
        `line`, `on_front`, the `keys`, and the columns `x` and `y`. Of more than six lines, those with most points on
        the front are coloured, the others grey. Equal points are drawn as one, named by all their values.
    quantities : sequence of str
        Names of both figures.

    Examples
    --------
    >>> table = pd.DataFrame({"line": "a", "dice": [1, 2], "u": [1.0, 2.0], "v": [2.0, 1.0], "on_front": [True, True]})
    >>> front(table, x="u", y="v", keys=["dice"], quantities=["U", "V"]).get_ylabel()
    'V'
    """
    frame = look.rows_of(data)
    look.check_columns(frame, ("line", "on_front", x, y, *keys))
    answered = frame[frame[x].notna() & frame[y].notna()]
    names, others = _coloured(answered["line"], answered[answered["on_front"]]["line"].value_counts())
    scales = [100 if metric.startswith("p_") else 1 for metric in (x, y)]
    texts = [f"{text}, percent" if scale == 100 else text for text, scale in zip(quantities, scales)]
    more: dict[str, Any] = {"own": look.subject_of(data), "xlabel": texts[0], "ylabel": texts[1], "legend": 1}
    with look.drawing(ax, WIDE, SQUARE, title=title, grid="both", **more) as axes:
        styles = look.line_styles(axes, names, label, color)
        best = answered[answered["on_front"]].sort_values([x, y])
        axes.plot(scales[0] * best[x], scales[1] * best[y], color="0.5", linewidth=1.2, label="Pareto front")
        rest = answered[answered["line"].isin(others)]
        if len(rest):
            axes.plot(scales[0] * rest[x], scales[1] * rest[y], "o", color=_GREY, markersize=4, label=_others(others))
        for line, style in zip(names, styles):
            part = answered[answered["line"] == line]
            how: dict[str, Any] = {**style, "linestyle": "", "markersize": 5.5, **artist}
            axes.plot(scales[0] * part[x], scales[1] * part[y], **how)
        _name_points(axes, best, (x, y), scales, {key: list(dict.fromkeys(frame[key])) for key in keys})
    return axes


def _name_points(
    axes: Axes,
    best: pd.DataFrame,
    figures: tuple[str, str],
    scales: Sequence[int],
    values: Mapping[str, Sequence[Any]],
) -> None:
    """Write the values of the points of a front beside them without overlaps; equal points share a label."""
    groups = list(best.groupby([best[name].round(9) for name in figures], sort=False))
    groups = groups[:: -(-len(groups) // _MOST_NAMED) or 1]
    spots = np.array([at for at, _ in groups], np.float64).reshape(-1, 2) * scales
    _ = axes.get_xlim(), axes.get_ylim()  # settles the limits of the axes
    pixels, inside = axes.transData.transform(spots), axes.get_window_extent()
    corner = np.array([inside.x0, inside.y0])
    away = label_offsets(pixels - corner, range(len(groups)), [35.0] * len(groups), (inside.width, inside.height))
    for (_, part), spot, (right, up) in zip(groups, spots, away * 72 / axes.figure.dpi):
        text = ", ".join(values_text(part[key].tolist(), axis) for key, axis in values.items())
        how: dict[str, Any] = {"ha": "left" if right >= 0 else "right", "va": "center", "size": look.CELL_POINTS}
        where: Any = tuple(spot)
        axes.annotate(text, where, xytext=(right, up), textcoords="offset points", **how)
