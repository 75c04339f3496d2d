"""What all pictures share: sizes, type, colours, and figures as large as what is drawn on them."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import BboxBase
from numpy.typing import NDArray
from PIL import Image

from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN

CELL_POINTS, LABEL_POINTS, TITLE_POINTS = 8.5, 9.5, 11.0
DOTS_AN_INCH = 96  # of a picture in a notebook
MARGIN = 0.12  # inches around what is drawn
SCALE = "cividis"  # from low to high: uniform to the eye, in grey, and to colour-blind readers
DARK, MEDIUM, LIGHT = "#1b2a49", "#9db4c8", "#dfe6ec"  # three greys when printed, told apart by lightness
LOST = "////"  # the hatch of what is lost
LINES: Sequence[Mapping[str, Any]] = (
    {"color": "#000000", "linestyle": "-", "marker": "o"},
    {"color": "#d55e00", "linestyle": "--", "marker": "s"},
    {"color": "#0072b2", "linestyle": "-.", "marker": "^"},
    {"color": "#b07a00", "linestyle": ":", "marker": "D"},
    {"color": "#007a5a", "linestyle": (0, (6, 2)), "marker": "v"},
    {"color": "#a8588a", "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "P"},
)
"""Colours that colour-blind readers tell apart, each with a dash and a marker of its own for those in grey."""
LIGHTEST_WITH_WHITE = 0.179  # relative luminance at which black and white text are equally legible (WCAG 2)
TALLEST = 1.25  # of a figure of several axes: its height over its width
_BELOW, _A_LINE = 0.4, 0.2  # inches from the axes down to a legend: room for the ticks, and for each line between
_BETWEEN, _BESIDE = 1.25, 1.0  # inches between axes one below the other (labels and a legend), and side by side
_ROOM = 2.0  # inches for labels on each side, until the figure is fitted


class Picture(Axes):
    """Axes that a notebook shows as a picture, without pyplot."""

    def _repr_png_(self) -> bytes:
        drawn, small = io.BytesIO(), io.BytesIO()
        with house_style():
            cast("Figure", self.figure).savefig(drawn, format="png", dpi=DOTS_AN_INCH)
        few_colours = Image.open(drawn).convert("RGB").quantize(dither=Image.Dither.NONE)
        few_colours.save(small, format="png", optimize=True)  # a third of the size: notebooks keep their pictures
        return small.getvalue()


def house_style() -> AbstractContextManager[None]:
    """Draw inside this: a picture does not depend on the user's own settings, and no text in it is a formula."""
    return style.context(["default", {"text.parse_math": False}])


def no_formulas(ax: Axes) -> None:
    """Let no text of some axes be read as a formula, wherever the axes were made and the figure is drawn."""
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_ticklabels()  # now, rather than when the figure is drawn
    for text in ax.findobj(Text):
        text.set_parse_math(False)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size in inches."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def new_axes(width: float, height: float) -> Axes:
    """Axes of that size in inches, in a figure that :func:`fit_figure` is to fit to them afterwards."""
    across, up = width + 2 * _ROOM, height + 2 * _ROOM
    place = _ROOM / across, _ROOM / up, width / across, height / up
    axes: Axes = new_figure(across, up).add_axes(place, axes_class=Picture)
    return axes


def tiled_axes(sizes: Sequence[tuple[float, float]]) -> list[Axes]:
    """Axes of those (width, height) in inches, row by row in one figure, with room for their labels.

    There are as few columns as keep the figure from being a tall strip.
    """
    across = max(width for width, _ in sizes) + _BESIDE
    for columns in range(1, len(sizes) + 1):
        rows = [sizes[first : first + columns] for first in range(0, len(sizes), columns)]
        width, height = columns * across + _BESIDE, sum(max(up for _, up in row) + _BETWEEN for row in rows)
        if height <= TALLEST * columns * across:
            break
    figure = new_figure(width, height)
    found, top = [], height - _BETWEEN / 3
    for row in rows:
        for column, (right, up) in enumerate(row):
            place = (column * across + _BESIDE) / width, (top - up) / height, right / width, up / height
            found.append(figure.add_axes(place, axes_class=Picture))
        top -= max(up for _, up in row) + _BETWEEN
    return found


def fit_figure(ax: Axes) -> None:
    """Make the figure as large as what is drawn on it, the axes keeping their size."""
    figure = cast("Figure", ax.figure)
    renderer = cast("Any", figure.canvas).get_renderer()
    drawn, inside = cast("BboxBase", ax.get_tightbbox(renderer)), ax.get_window_extent()
    margin = MARGIN * figure.dpi
    width, height = drawn.width + 2 * margin, drawn.height + 2 * margin
    left, bottom = inside.x0 - drawn.x0 + margin, inside.y0 - drawn.y0 + margin
    ax.set_position((left / width, bottom / height, inside.width / width, inside.height / height))
    figure.set_size_inches(width / figure.dpi, height / figure.dpi)


def title(ax: Axes, text: str, **more: Any) -> Text:
    """The title: left, no formula whatever is in it, and without an empty first line."""
    look: dict[str, Any] = {"size": TITLE_POINTS, "parse_math": False, "pad": 8, "linespacing": 1.4}
    return ax.set_title(text.lstrip("\n"), loc="left", **look, **more)


def figure_title(metric: str, label: str | None) -> tuple[str, int]:
    """What a figure is called in a title, and what its values are multiplied by there: percent of a probability."""
    name = label or metric.replace("_", " ")
    return (f"{name}, percent", 100) if metric.startswith("p_") else (name, 1)


@contextmanager
def drawing(
    ax: Axes | None,
    width: float,
    height: float,
    *,
    heading: str,
    across: str = "",
    legend: int = 0,
    grid: Literal["x", "y", "both"] = "y",
) -> Iterator[Axes]:
    """Axes to draw on inside this; afterwards they get what every picture with two axes has.

    Without `ax` they are new ones of `width` by `height` inches, and the figure is fitted to what is drawn. `heading`
    names what it is of, what is drawn, and its unit; `across` stands along the horizontal axis; `legend` is how many
    columns the legend below the picture has, 0 for none; `grid` the axis whose lines are drawn.
    """
    with house_style():
        axes = ax if ax is not None else new_axes(width, height)
        yield axes
        title(axes, heading)
        if across:
            axes.set_xlabel(across, size=LABEL_POINTS)
        axes.set_axisbelow(True)
        axes.grid(axis=grid, color="0.88", linewidth=0.8)
        axes.tick_params(labelsize=LABEL_POINTS, length=3)
        if grid == "x":  # bars with a name each
            axes.tick_params(axis="y", length=0)
        axes.spines[["top", "right"]].set_visible(False)
        if legend:
            _add_legend(axes, legend)
        no_formulas(axes)
        if ax is None:
            fit_figure(axes)


def _add_legend(ax: Axes, columns: int) -> None:
    lines = ax.get_xlabel().count("\n") + 1 if ax.get_xlabel() else 0
    below = (0, -(_BELOW + _A_LINE * lines) / (ax.get_window_extent().height / ax.figure.dpi))
    look: dict[str, Any] = {"borderaxespad": 0, "frameon": False, "fontsize": LABEL_POINTS, "handlelength": 3.2}
    ax.legend(loc="upper left", bbox_to_anchor=below, ncols=columns, **look)


def draw_lines(ax: Axes, x: str, lines: Sequence[tuple[str, str, pd.DataFrame]], what: str, **look: Any) -> None:
    """Probabilities in percent as lines with markers, of a sample with their 95% intervals, over the integers `x`.

    `lines` are the name of each, the column of its probabilities, and its rows; `_low` and `_high` end the names of the
    columns of the intervals. InputError if there are more of `what` they are than can be told apart.
    """
    if len(lines) > len(LINES):
        raise InputError(f"{len(lines)} {what} in one picture", allowed=f"up to {len(LINES)}: choose some of them")
    for (name, column, rows), line in zip(lines, LINES):
        percent = 100 * rows[column]
        ax.plot(rows[x], percent, label=name, linewidth=1.6, markersize=5.5, **line, **look)
        if f"{column}_low" in rows:
            ends = [percent - 100 * rows[f"{column}_low"], 100 * rows[f"{column}_high"] - percent]
            draw_intervals(ax, rows[x], percent, ends, color=line["color"])
    ax.set(ylim=(-2, 104), yticks=range(0, 101, 20))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_intervals(ax: Axes, x: Any, y: Any, ends: Any, color: str) -> None:
    """Intervals, from so far below each point to so far above it."""
    ax.errorbar(x, y, yerr=np.clip(ends, 0, None), fmt="none", ecolor=color, elinewidth=1, capsize=3)


def write_above(ax: Axes, x: Any, percent: Any) -> list[Annotation]:
    """The percentage of each bar above it."""
    look: dict[str, Any] = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center", "size": LABEL_POINTS}
    texts = [short_text(each / 100, is_probability=True) for each in percent]
    return [ax.annotate(text, place, **look) for text, place in zip(texts, zip(x, percent))]


def name_rows(ax: Axes, places: Sequence[float] | NDArray[Any], names: Sequence[str]) -> None:
    """Name rows at those heights.

    A long name may come out wider than it was measured for the size of the figure: blanks before it leave room.
    """
    ax.set_yticks(places, [f"{' ' * (2 + len(name) // 12)}{name}" for name in names])


def luminance(colours: NDArray[Any]) -> NDArray[np.float64]:
    """Relative luminance (WCAG 2) of sRGB colours, shape (..., 3 or 4); shape (...)."""
    channels = np.asarray(colours, np.float64)[..., :3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def inks(colours: NDArray[Any]) -> NDArray[np.str_]:
    """Black or white, whichever is the better legible on each of `colours`."""
    return np.where(luminance(colours) > LIGHTEST_WITH_WHITE, "black", "white")


def check_columns(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Raise InputError unless `frame` has rows and all of these columns."""
    for name in columns:
        if name not in frame:
            raise InputError(f"the table has no column {name!r}", allowed=f"{', '.join(columns)} among its columns")
    if frame.empty:
        raise InputError("a table without rows cannot be drawn")


def short_text(value: float, *, is_probability: bool = False) -> str:
    """A figure in four characters at most, never rounded to nothing, a probability in percent; nothing for NaN.

    >>> [short_text(value) for value in (0.0, 0.004, 0.04, 0.44, 4.44, 44.4, float("nan"))]
    ['0', '<.01', '.04', '.44', '4.4', '44', '']
    >>> [short_text(value, is_probability=True) for value in (0.0, 0.005, 0.44, 0.995, 1.0)]
    ['0', '<1', '44', '>99', '100']
    """
    if math.isnan(value):
        return ""
    if value < CERTAIN_WITHIN:
        return "0"
    if is_probability:
        return "<1" if value <= 0.005 else ">99" if 0.995 <= value < 1 - CERTAIN_WITHIN else f"{100 * value:.0f}"
    if value < 0.005:
        return "<.01"
    if value < 0.995:
        return f"{value:.2f}"[1:]
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"
