"""What all pictures share: sizes, type, colours, and figures as large as what is drawn on them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import pandas as pd
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from analyser.common.errors import InputError

if TYPE_CHECKING:
    from matplotlib.transforms import BboxBase

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
_BELOW, _A_LINE = 0.4, 0.2  # inches from the axes down to a legend: room for the ticks, and for each line between
_BETWEEN = 1.25  # inches between axes one below the other: labels and a legend
_BESIDE = 1.0  # and between those side by side
TALLEST = 1.25  # of a figure of several axes: its height over its width
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
    """Draw inside this: a picture does not depend on the user's own settings."""
    return style.context("default")


def new_axes(width: float, height: float) -> Axes:
    """Axes of that size in inches, in a figure that :func:`fit_figure` is to fit to them afterwards."""
    figure = new_figure(width + 2 * _ROOM, height + 2 * _ROOM)
    across, up = figure.get_size_inches()
    place = _ROOM / across, _ROOM / up, width / across, height / up
    axes: Axes = figure.add_axes(place, axes_class=Picture)
    return axes


def tiled_axes(sizes: Sequence[tuple[float, float]]) -> list[Axes]:
    """Axes of those widths and heights in inches, in rows of one figure, with room for their labels.

    Parameters
    ----------
    sizes : sequence of (float, float)
        Column by column in each row; there are as few columns as keep the figure from being a tall strip.
    """
    across = max(width for width, _ in sizes) + _BESIDE
    columns = 1
    while _height(_rows_of(sizes, columns)) > TALLEST * columns * across and columns < len(sizes):
        columns += 1
    rows = _rows_of(sizes, columns)
    width, height = columns * across + _BESIDE, _height(rows)
    figure = new_figure(width, height)
    found, top = [], height - _BETWEEN / 3
    for row in rows:
        for column, (right, up) in enumerate(row):
            place = (column * across + _BESIDE) / width, (top - up) / height, right / width, up / height
            found.append(figure.add_axes(place, axes_class=Picture))
        top -= max(up for _, up in row) + _BETWEEN
    return found


def _rows_of(sizes: Sequence[tuple[float, float]], columns: int) -> list[Sequence[tuple[float, float]]]:
    return [sizes[first : first + columns] for first in range(0, len(sizes), columns)]


def _height(rows: list[Sequence[tuple[float, float]]]) -> float:
    return sum(max(up for _, up in row) + _BETWEEN for row in rows)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size in inches."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


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


def title(ax: Axes, text: str) -> None:
    """The title: left, and no formula whatever is in it."""
    ax.set_title(text, loc="left", size=TITLE_POINTS, parse_math=False, pad=8, linespacing=1.4)


def finish(ax: Axes, *, legend: int = 0, fit: bool, grid: Literal["x", "y", "both"] = "y") -> None:
    """What every picture with two axes gets: a grid behind it, two spines, plain labels.

    Parameters
    ----------
    legend : int
        The columns of the legend below the picture; 0: none.
    fit : bool
        Fit the figure to what is drawn.
    grid : str
        The axis whose lines are drawn.
    """
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="0.88", linewidth=0.8)
    ax.tick_params(labelsize=LABEL_POINTS, length=3)
    if grid == "x":  # bars with a name each
        ax.tick_params(axis="y", length=0)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if legend:
        lines = ax.get_xlabel().count("\n") + 1 if ax.get_xlabel() else 0
        below = (0, -(_BELOW + _A_LINE * lines) / (ax.get_window_extent().height / ax.figure.dpi))
        names = ax.legend(
            loc="upper left", bbox_to_anchor=below, borderaxespad=0, ncols=legend, frameon=False,
            fontsize=LABEL_POINTS, handlelength=3.2,
        )  # fmt: skip
        for text in names.get_texts():
            text.set_parse_math(False)  # a name is not a formula
    if fit:
        fit_figure(ax)


def luminance(colours: NDArray[Any]) -> NDArray[np.float64]:
    """Relative luminance (WCAG 2) of sRGB colours, shape (..., 3 or 4); shape (...)."""
    channels = np.asarray(colours, np.float64)[..., :3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def inks(colours: NDArray[Any]) -> NDArray[np.str_]:
    """Black or white, whichever is the better legible on each of `colours`."""
    return np.where(luminance(colours) > LIGHTEST_WITH_WHITE, "black", "white")


def check_columns(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse a frame without rows, or without one of these columns.

    Raises
    ------
    InputError
        With the columns that it has.
    """
    for name in columns:
        if name not in frame:
            raise InputError(f"the table has no column {name!r}", allowed=f"{', '.join(columns)} among its columns")
    if frame.empty:
        raise InputError("a table without rows cannot be drawn")


def check_number(what: str, found: int, most: int) -> None:
    """Refuse more lines in one picture than can be told apart.

    Raises
    ------
    InputError
        More than `most`.
    """
    if found > most:
        raise InputError(f"{found} {what} in one picture", allowed=f"up to {most}: choose some of them")
