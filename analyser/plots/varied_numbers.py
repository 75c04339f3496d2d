"""Plots against one or two varied numbers: lines (of loadouts), the best line by range or pair, Pareto fronts."""

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
from analyser.common.look import AUTO, Color, Label, Title
from analyser.common.metrics import figure_title
from analyser.common.text import text_of, values_text
from analyser.plots.label_positions import label_offsets

WIDTH, HEIGHT = 6.4, 3.4  # inches
SQUARE = 4.2  # inches
_STRIP_HEIGHT = 0.05  # height of the strip of best lines, as a share of the axes
_TIED = "equal, or no significant difference"
_ZORDER = 0.8
_MOST_NAMED = 8  # most named points of a front
_GREY = "0.8"  # other lines in line plots; ties in maps
_OTHER = "0.35"  # other lines in maps
_COLOURS = tuple(str(style["color"]) for style in look.STYLES[1:])  # colours in maps; black would look grey


def best_lines(
    data: pd.DataFrame,
    *,
    x: str,
    metric: str,
    best: Sequence[tuple[Any, Any, str]] = (),
    between: bool = False,
    quantity: str | None = None,
    ax: Axes | None = None,
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw a metric against a varied number as several lines, with a strip that marks the best line of each range.

    Parameters
    ----------
    data : DataFrame
        `line` (its name), the columns `x` and `metric`, and if simulated ``metric_low`` and ``metric_high``. Of more
        than six lines, those that are best in most ranges are coloured, and the others grey.
    x, metric : str
    best : sequence of (from, to, name)
        Ranges of the strip and the best line in each; the range is grey if that line has no colour.
    between : bool
        True if a value of `x` stands for the interval from the previous value; lines are then steps.
    quantity : str, optional
        Title of the metric. Default: the name of its column in words.

    Examples
    --------
    >>> table = pd.DataFrame({"line": ["a", "a", "b", "b"], "dice": [1, 2, 1, 2], "mean_hits": [1.0, 2.0, 0.5, 3.0]})
    >>> best_lines(table, x="dice", metric="mean_hits").lines[0].get_ydata().tolist()
    [1.0, 2.0]
    """
    frame = look.table_of(data, ("line", x, metric))
    possible = frame[frame[metric].notna()]
    best_names = [best_line for _, _, best_line in best]
    names, others = _split_lines(possible["line"], {name: best_names.count(name) for name in best_names})
    name, scale = figure_title(metric, quantity)
    values = list(dict.fromkeys(frame[x]))
    are_numbers = pd.api.types.is_numeric_dtype(frame[x]) and not pd.api.types.is_bool_dtype(frame[x])
    position_of = {value: value if are_numbers else index for index, value in enumerate(values)}
    across = x.replace("_", " ") + (", inches" if x.endswith("distance") else "")
    options: dict[str, Any] = {"own_title": look.subject_of(data), "xlabel": across, "ylabel": name, "legend": 1}
    with look.drawing(ax, WIDTH, HEIGHT, title=title, **options) as axes:
        steps: dict[str, Any] = {"drawstyle": "steps-pre"} if between else {}
        for number, line in enumerate(others):
            part = frame[frame["line"] == line]
            text = _others_label(others) if number == 0 else None
            axes.plot(part[x].map(position_of).astype(float), scale * part[metric], color=_GREY, label=text, **steps)
        styles = look.line_styles(axes, names, label, color)
        for line, style in zip(names, styles):
            part = frame[frame["line"] == line]
            positions, shown = part[x].map(position_of).astype(float), scale * part[metric]
            marker = {**style, **({"marker": ""} if len(values) > 16 or between else {})}
            axes.plot(positions, shown, **{"linewidth": 1.8, "markersize": 5.5, **steps, **marker, **artist})
            if f"{metric}_low" in part:
                ends = scale * part[f"{metric}_low"], scale * part[f"{metric}_high"]
                look.draw_intervals(axes, positions, shown, ends, style["color"])
        top = float(np.nanmax(scale * frame[metric].to_numpy(float), initial=0.0)) or 1.0
        headroom = 1.16 if best else 1.06  # height of the axes divided by the highest value; leaves room for the strip
        axes.set_ylim((-2, 100 * headroom) if scale == 100 and top > 50 else (0, headroom * top))
        if are_numbers:
            axes.xaxis.set_major_locator(MaxNLocator(integer=pd.api.types.is_integer_dtype(frame[x])))
        else:
            axes.set_xticks(range(len(values)), [text_of(value) for value in values])
        strip = [(position_of[first], position_of[last], best_line) for first, last, best_line in best]
        _draw_strip(axes, strip, dict(zip(names, styles)), discrete=not between)
    return axes


def _split_lines(lines: Iterable[str], weight: Any, most: int = len(look.STYLES)) -> tuple[list[str], list[str]]:
    """Return the `most` lines with the highest `weight`, which get colours, and the others, both in the given order."""
    names = list(dict.fromkeys(lines))
    chosen = set(sorted(names, key=lambda name: -weight.get(name, 0))[:most])
    return [name for name in names if name in chosen], [name for name in names if name not in chosen]


def _others_label(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} others"


def _draw_strip(
    axes: Axes, best: Sequence[tuple[float, float, str]], styles: Mapping[str, Any], *, discrete: bool
) -> None:
    """Mark the best line of each range along the upper edge of the axes, with a thin line between ranges."""
    colours = {name: style["color"] for name, style in styles.items()}
    half, inside = 0.5 if discrete else 0.0, axes.get_xaxis_transform()
    for number, (first, last, best_line) in enumerate(best):
        left, right = first - half, last + half
        strip: dict[str, Any] = {"color": colours.get(best_line, "0.6"), "linewidth": 0, "transform": inside}
        axes.fill_between([left, right], 1.0 - _STRIP_HEIGHT, 1.0, **strip)
        if number:
            axes.axvline(left, color="0.55", linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
            where: Any = (left, 1.0 - _STRIP_HEIGHT)
            text = "" if discrete else f"{left:g}"
            offset: dict[str, Any] = {"xytext": (3, -9), "textcoords": "offset points", "size": look.CELL_POINTS}
            axes.annotate(text, where, xycoords=inside, **offset)
    if any(best_line not in colours for _, _, best_line in best):
        axes.fill_between([], [], color="0.6", label="strip: best line; grey: tied or impossible")


def trade_map(
    data: pd.DataFrame,
    *,
    x: str,
    y: str,
    lines: Sequence[str] = (),
    quantity: str | None = None,
    ax: Axes | None = None,
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the best line (such as a loadout) for each pair of two numbers as a colour, with contours of its value.

    Parameters
    ----------
    data : DataFrame
        `best` (the name of the best line; empty for none, another text for a tie), `value` (of the best line; NaN for
        none), and the columns `x` and `y`, with distinct pairs.
    x, y : str
    lines : sequence of str
        All lines, in the order of their colours. With at most one line, colours show its value. Of more than five
        lines, those that are best in most cells have their own colours, and the others share one.
    quantity : str, optional
        Name of the values; they are in percent if it starts with ``P(``.
    label, color : optional
        Mappings by line.

    Examples
    --------
    >>> cells = {"dice": [1, 1, 2, 2], "defence": [1, 2, 1, 2], "value": [2.0, 1.0, 4.0, 2.0]}
    >>> trade_map(pd.DataFrame(cells).assign(best="a"), x="dice", y="defence").get_xlabel()
    'dice'
    """
    frame = look.table_of(data, (x, y, "value", "best"))
    across, up = (list(dict.fromkeys(frame[name])) for name in (x, y))
    if len(across) < 2 or len(up) < 2:
        raise InputError(f"{len(across)} by {len(up)} values", where="trade_map", allowed="two or more of both keys")
    grid = frame.pivot(index=y, columns=x, values="value").reindex(index=up, columns=across).to_numpy(float)
    scale = 100 if str(quantity or "").startswith("P(") else 1
    name = f"{quantity or 'figure'}{', percent' if scale == 100 else ''}: contours"
    options: dict[str, Any] = {"xlabel": x.replace("_", " "), "ylabel": y.replace("_", " ")}
    options["own_title"] = f"{look.subject_of(data)}\n{name}"
    with look.drawing(ax, SQUARE * 1.2, SQUARE, title=title, grid="", **options) as axes:
        image_style: dict[str, Any] = {"origin": "lower", "aspect": "auto", "zorder": _ZORDER, **artist}
        if len(lines) > 1:
            _draw_best_lines(axes, frame, (x, y), (across, up), lines, (label, color), image_style)
        else:
            axes.imshow(scale * grid, **{"cmap": look.scale_of(color), **image_style})
        if np.isfinite(grid).sum() > 3:
            ink = "black" if len(lines) > 1 else "white"
            drawn = axes.contour(scale * grid, levels=7, colors=ink, linewidths=1.1)
            axes.clabel(drawn, fontsize=look.CELL_POINTS)
        axes.set_xticks(*_ticks(across))
        axes.set_yticks(*_ticks(up))
    return axes


def _ticks(values: Sequence[Any]) -> tuple[list[int], list[str]]:
    step = -(-len(values) // 12)
    return list(range(0, len(values), step)), list(map(text_of, values[::step]))


def _draw_best_lines(
    axes: Axes,
    frame: pd.DataFrame,
    keys: tuple[str, str],
    values: tuple[list[Any], list[Any]],
    lines: Sequence[str],
    label_and_color: tuple[Any, Any],
    image_style: Mapping[str, Any],
) -> None:
    """Draw the best line of each cell as a light colour, or grey if several are tied."""
    named, others = _split_lines(lines, frame["best"].value_counts(), len(_COLOURS))
    labels, colours = label_and_color
    texts = dict(zip(named, look.per_series(labels, named, names_of(named), "label")))
    shades: dict[str, Any] = dict(zip(named, look.per_series(colours, named, _COLOURS, "color")))
    shades |= ({_others_label(others): _OTHER} if others else {}) | {_TIED: _GREY}
    codes = {name: code for code, name in enumerate(shades)} | {name: len(named) for name in others}
    best = frame["best"].map(codes).astype(float)
    best = best.mask(frame["best"].ne("") & best.isna(), codes[_TIED])
    grid = frame.assign(code=best).pivot(index=keys[1], columns=keys[0], values="code")
    grid = grid.reindex(index=values[1], columns=values[0])
    norm = BoundaryNorm(np.arange(len(shades) + 1) - 0.5, len(shades))
    shown: dict[str, Any] = {"cmap": ListedColormap([*shades.values()]), "norm": norm, "alpha": 0.45}
    axes.imshow(grid.to_numpy(float), **{**shown, **image_style})
    drawn = [name for name in shades if name != _TIED or (best == codes[name]).any()]
    patches = [Patch(facecolor=shades[name], alpha=0.45, label=texts.get(name, name)) for name in drawn]
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
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw two metrics against each other; the points of the Pareto front are connected and named.

    Parameters
    ----------
    data : DataFrame
        `line`, `on_front`, the `keys`, and the columns `x` and `y`. Of more than six lines, those with most points on
        the front are coloured, and the others grey.
    keys : sequence of str
        Varied numbers, whose values name the points of the front.
    quantities : sequence of str
        Titles of both metrics.

    Examples
    --------
    >>> table = pd.DataFrame({"line": "a", "dice": [1, 2], "u": [1.0, 2.0], "v": [2.0, 1.0], "on_front": [True, True]})
    >>> front(table, x="u", y="v", keys=["dice"], quantities=["U", "V"]).get_ylabel()
    'V'
    """
    frame = look.table_of(data, ("line", "on_front", x, y, *keys))
    possible = frame[frame[x].notna() & frame[y].notna()]
    on_front = possible[possible["on_front"]]["line"].value_counts()
    has_room = possible["line"].nunique() <= len(look.STYLES)
    names, others = _split_lines(possible["line"], on_front, len(look.STYLES) if has_room else len(on_front))
    scales = [100 if metric.startswith("p_") else 1 for metric in (x, y)]
    texts = [f"{text}, percent" if scale == 100 else text for text, scale in zip(quantities, scales)]
    options: dict[str, Any] = {"own_title": look.subject_of(data), "xlabel": texts[0], "ylabel": texts[1], "legend": 1}
    with look.drawing(ax, WIDTH, SQUARE, title=title, grid="both", **options) as axes:
        styles = look.line_styles(axes, names, label, color)
        best = possible[possible["on_front"]].sort_values([x, y])
        axes.plot(scales[0] * best[x], scales[1] * best[y], color="0.5", linewidth=1.2, label="Pareto front")
        if others:
            rest, text = possible[possible["line"].isin(others)], _others_label(others)
            axes.plot(scales[0] * rest[x], scales[1] * rest[y], "o", color=_GREY, markersize=4, label=text)
        for line, style in zip(names, styles):
            part = possible[possible["line"] == line]
            dots: dict[str, Any] = {**style, "linestyle": "", "markersize": 5.5, **artist}
            axes.plot(scales[0] * part[x], scales[1] * part[y], **dots)
        _name_points(axes, best, (x, y), scales, {key: list(dict.fromkeys(frame[key])) for key in keys})
    return axes


def _name_points(
    axes: Axes,
    best: pd.DataFrame,
    figures: tuple[str, str],
    scales: Sequence[int],
    values: Mapping[str, Sequence[Any]],
) -> None:
    """Write values beside up to `_MOST_NAMED` points of a front, without overlaps; equal points share a label."""
    groups = list(best.groupby([best[name].round(9) for name in figures], sort=False))
    groups = groups[:: -(-len(groups) // _MOST_NAMED) or 1]
    points = np.array([figures_of_group for figures_of_group, _ in groups], np.float64).reshape(-1, 2) * scales
    _ = axes.get_xlim(), axes.get_ylim()  # computes the limits of the axes
    pixels, inside = axes.transData.transform(points), axes.get_window_extent()
    corner = np.array([inside.x0, inside.y0])
    offsets = label_offsets(pixels - corner, range(len(groups)), [35.0] * len(groups), (inside.width, inside.height))
    for (_, part), point, (right, up) in zip(groups, points, offsets * 72 / axes.figure.dpi):
        text = ", ".join(values_text(part[key].tolist(), axis) for key, axis in values.items())
        style: dict[str, Any] = {"ha": "left" if right >= 0 else "right", "va": "center", "size": look.CELL_POINTS}
        where: Any = tuple(point)
        axes.annotate(text, where, xytext=(right, up), textcoords="offset points", **style)
