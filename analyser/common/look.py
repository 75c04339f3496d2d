"""House style of all pictures: sizes, fonts, colours, and figures fitted to their contents."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np
import pandas as pd
from matplotlib import rc_context, style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, is_color_like
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import BboxBase
from numpy.typing import NDArray
from PIL import Image

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.frames import names_of, readable

CELL_POINTS, LABEL_POINTS, TITLE_POINTS = 8.5, 9.5, 11.0
DOTS_PER_INCH = 96  # resolution of a picture in a notebook
MARGIN = 0.12  # inches around the drawing
_TEXT_TOLERANCE = 0.03  # a text may be wider by this share at another resolution
PALETTE = "viridis"  # perceptually uniform, also in grey and for colour-blind readers
AUTO = "auto"
"""Default of the parameter `title`: the plot's own title; another text replaces it, None omits it."""
DARK, MEDIUM, LIGHT = "#1b2a49", "#9db4c8", "#dfe6ec"  # distinct greys when printed
LOSS_HATCH = "////"  # hatch of bars that show losses
STYLES: Sequence[Mapping[str, Any]] = (
    {"color": "#000000", "linestyle": "-", "marker": "o"},
    {"color": "#d55e00", "linestyle": "--", "marker": "s"},
    {"color": "#0072b2", "linestyle": "-.", "marker": "^"},
    {"color": "#007a5a", "linestyle": ":", "marker": "D"},
    {"color": "#b2182b", "linestyle": (0, (6, 2)), "marker": "v"},
    {"color": "#a8588a", "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "P"},
)
"""Line styles whose colours colour-blind readers can distinguish; dashes and markers distinguish them in grey."""
LIGHTEST_WITH_WHITE = 0.179  # relative luminance at which black and white text are equally legible (WCAG 2)
_TICKS_HEIGHT, _LINE_HEIGHT = 0.4, 0.2  # inches between axes and legend: for the ticks, and for each line of text
_LABEL_SPACE = 2.0  # inches on each side of the axes, until the figure is fitted

T = TypeVar("T")
PerSeries: TypeAlias = T | Sequence[T] | Mapping[str, T] | None
"""A label or colour: one for a single series, a list in the order of the series, or a mapping by name."""
Label: TypeAlias = PerSeries[str]
Color: TypeAlias = PerSeries[Any]
Title: TypeAlias = str | None


class _PictureFigure(Figure):
    """Figure saved without hinting, as it was fitted (:func:`house_style`)."""

    def savefig(self, *args: Any, **more: Any) -> None:
        with rc_context({"text.hinting": "none"}):
            super().savefig(*args, **more)


class Picture(Axes):
    """Axes that a notebook shows as a picture, without pyplot; the title is on the left by default."""

    is_fitted = False  # True: the figure has been fitted to the drawing

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.titles: set[str] = set()  # titles of the answers drawn on these axes

    def set_title(self, label: str, *args: Any, **more: Any) -> Text:
        """Set the title, by default on the left."""
        return super().set_title(label, *args, **{"loc": "left", **more})

    def get_title(self, loc: Literal["left", "center", "right"] = "left") -> str:
        """Return the title."""
        return super().get_title(loc)

    def _repr_png_(self) -> bytes:
        return png_of(self.figure)


def png_of(figure: Any) -> bytes:
    """Return a figure as a small PNG for a notebook."""
    drawn, small = io.BytesIO(), io.BytesIO()
    with house_style():
        figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH)
    few_colours = Image.open(drawn).convert("RGB").quantize(dither=Image.Dither.NONE)
    few_colours.save(small, format="png", optimize=True)  # two thirds smaller, because notebooks store their pictures
    return small.getvalue()


def house_style() -> AbstractContextManager[None]:
    """Return a context for drawing in which the user's settings have no effect and no text is parsed as a formula.

    Without hinting, text keeps its proportions at every resolution, so a fitted picture cuts off no text.
    """
    return style.context(["default", {"text.parse_math": False, "text.hinting": "none"}])


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches."""
    figure = _PictureFigure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def _new_axes(width: float, height: float) -> Axes:
    """Return axes of this size in inches, in a larger figure that :func:`fit_figure` shrinks later."""
    total_width, total_height = width + 2 * _LABEL_SPACE, height + 2 * _LABEL_SPACE
    left_bottom = _LABEL_SPACE / total_width, _LABEL_SPACE / total_height
    rectangle = (*left_bottom, width / total_width, height / total_height)
    axes: Axes = new_figure(total_width, total_height).add_axes(rectangle, axes_class=Picture)
    return axes


def fit_figure(ax: Axes) -> None:
    """Resize the figure to its contents; the axes keep their size."""
    figure = cast("Figure", ax.figure)
    if isinstance(ax, Picture):
        ax.is_fitted = True
    renderer = cast("Any", figure.canvas).get_renderer()
    outer, inner = cast("BboxBase", ax.get_tightbbox(renderer)), ax.get_window_extent()
    margin = MARGIN * figure.dpi
    # Text may be wider at other resolutions, so the space outside the axes is enlarged.
    overhangs = inner.x0 - outer.x0, inner.y0 - outer.y0, outer.x1 - inner.x1, outer.y1 - inner.y1
    left, bottom, right, top = ((1 + _TEXT_TOLERANCE) * overhang + margin for overhang in overhangs)
    width, height = left + inner.width + right, bottom + inner.height + top
    ax.set_position((left / width, bottom / height, inner.width / width, inner.height / height))
    figure.set_size_inches(width / figure.dpi, height / figure.dpi)


def set_title(ax: Axes, title: str | None, own_title: str = "") -> None:
    """Set a title; AUTO stands for `own_title` on a :class:`Picture`, and for no title on the user's axes.

    A picture of several answers has no automatic title.
    """
    text = title
    if title == AUTO and isinstance(ax, Picture):
        ax.titles.add(own_title.strip("\n"))
        text = "" if len(ax.titles) > 1 else own_title.strip("\n")
        ax.set_title("")
    if text and text != AUTO:
        more: dict[str, Any] = {"size": TITLE_POINTS, "pad": 8, "linespacing": 1.4} if isinstance(ax, Picture) else {}
        ax.set_title(text, parse_math=False, **more)


def rows_of(data: Any, method: str = "to_frame", **options: Any) -> pd.DataFrame:
    """Return tidy rows: `data` if it is a frame, else the result of `method` of the answer `data`.

    Raises
    ------
    InputError
        `data` is neither a frame nor an answer with this method.
    """
    if isinstance(data, pd.DataFrame):
        return data
    result = getattr(data, method, None)
    if result is None:
        allowed = f"a DataFrame, or an answer with {method}"
        raise InputError(f"this plot cannot show a {type(data).__name__}", where="data", allowed=allowed)
    return pd.DataFrame(result(**options) if callable(result) else result)


def with_subject(frame: pd.DataFrame, subject: str) -> pd.DataFrame:
    """Return a copy of the frame with a subject, which the titles of its pictures name."""
    copy = frame.copy(deep=False)
    copy.attrs["subject"] = subject
    return copy


def subject_of(data: Any) -> str:
    """Return the caption of an answer, or the subject of a frame (:func:`with_subject`); empty without one."""
    if isinstance(data, pd.DataFrame):
        return readable(str(data.attrs.get("subject", "")))
    return readable("\n".join(data.caption())) if hasattr(data, "caption") else ""


def per_series(values: Any, names: Sequence[str], defaults: Sequence[T], what: str) -> list[T]:
    """Return a value for each series in `names`, from :data:`PerSeries` `values` or else from `defaults`.

    >>> per_series({"b": "Rifles"}, ["a", "b"], ["a", "b"], "label")
    ['a', 'Rifles']
    """
    if values is None:
        return list(defaults)
    if isinstance(values, Mapping):
        return [values.get(name, default) for name, default in zip(names, defaults)]
    if isinstance(values, str) or (what == "color" and is_color_like(values)):
        if len(names) > 1 and what == "label":
            raise InputError(f"one label for {len(names)} series", where=what, allowed="a list, or a mapping by name")
        return [cast("T", values)] * len(names)
    if len(values) != len(names):
        raise InputError(f"{len(values)} for {len(names)} series", where=what, allowed="one per series")
    return list(values)


def bar_styles(
    names: Sequence[str], labels: Sequence[str], colors: Sequence[Any], label: Any, color: Any
) -> list[dict[str, Any]]:
    """Return the label and the colour of each series of bars; `label` and `color` replace the defaults."""
    texts = per_series(label, names, labels, "label")
    return [{"label": text, "color": colour} for text, colour in zip(texts, per_series(color, names, colors, "color"))]


def scale_of(color: Any, default: str = PALETTE) -> Any:
    """Return `color` if it is a colour scale, a scale from white to `color` if it is a colour, else the default."""
    if color is None or not is_color_like(color):
        return color or default
    return LinearSegmentedColormap.from_list(str(color), ["white", color])


def line_styles(ax: Axes, names: Sequence[str], label: Any, color: Any) -> list[dict[str, Any]]:
    """Return label, colour, dash and marker of each series, continuing after those already on the axes.

    InputError if there are more series than distinct styles.
    """
    first = len(ax.get_legend_handles_labels()[1])
    if len(names) > len(STYLES):
        allowed = f"up to {len(STYLES)}: choose some of them, or draw panels"
        raise InputError(f"{len(names)} series in one picture", allowed=allowed)
    styles = [dict(STYLES[(first + number) % len(STYLES)]) for number in range(len(names))]
    colours = per_series(color, names, [str(style["color"]) for style in styles], "color")
    labels = per_series(label, names, names_of(names), "label")
    return [{**style, "label": text, "color": colour} for style, text, colour in zip(styles, labels, colours)]


@contextmanager
def drawing(
    ax: Axes | None,
    width: float,
    height: float,
    *,
    title: str | None,
    own_title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    legend: int = 0,
    grid: Literal["x", "y", "both", ""] = "y",
) -> Iterator[Axes]:
    """Yield axes to draw on; afterwards add title, labels, grid and legend.

    Without `ax` these are new axes of `width` by `height` inches in the house style, in a figure fitted to them. The
    user's axes keep their style, and their figure is not changed. `own_title` is the title if `title` is AUTO.
    `legend` is the number of columns of the legend, 0 for none. `grid` is the axis with grid lines. InputError if `ax`
    is something else.
    """
    if not isinstance(ax, Axes | None):
        raise InputError(f"{shown(ax)} is not usable", where="ax", allowed="matplotlib Axes")
    is_own = ax is None or isinstance(ax, Picture)
    with house_style() if is_own else rc_context({"text.parse_math": False}):
        axes = _new_axes(width, height) if ax is None else ax
        yield axes
        set_title(axes, title, own_title)
        size: dict[str, Any] = {"size": LABEL_POINTS} if is_own else {}
        if xlabel:
            axes.set_xlabel(xlabel, **size)
        if ylabel:
            axes.set_ylabel(ylabel, **size)
        if is_own:
            _style_axes(axes, grid)
        if legend:
            _add_legend(axes, legend if is_own else 0)
        for axis in (axes.xaxis, axes.yaxis):
            axis.get_ticklabels()  # creates the labels, which `findobj` then finds
        for text in axes.findobj(Text):
            text.set_parse_math(False)  # also for every later drawing of the figure
        if ax is None or getattr(ax, "is_fitted", False):
            fit_figure(axes)


def _style_axes(axes: Axes, grid: str) -> None:
    """Give the axes of a picture the grid, ticks and edges of the house style."""
    axes.tick_params(labelsize=LABEL_POINTS, length=3 if grid else 0)
    if grid == "x":  # the rows have names, so they need no ticks
        axes.tick_params(axis="y", length=0)
    if grid:
        axes.set_axisbelow(True)
        axes.grid(axis=cast("Any", grid), color="0.88", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)


def _add_legend(ax: Axes, columns: int) -> None:
    """Add the legend below a picture, in `columns` columns; with 0 columns, inside the user's axes."""
    if not columns:
        ax.legend()
        return
    lines = ax.get_xlabel().count("\n") + 1 if ax.get_xlabel() else 0
    below = (0, -(_TICKS_HEIGHT + _LINE_HEIGHT * lines) / (ax.get_window_extent().height / ax.figure.dpi))
    style: dict[str, Any] = {"borderaxespad": 0, "frameon": False, "fontsize": LABEL_POINTS, "handlelength": 3.2}
    ax.legend(loc="upper left", bbox_to_anchor=below, ncols=columns, **style)


PERCENT = "probability, percent"


def draw_lines(
    ax: Axes, x: str, lines: Sequence[tuple[str, str, pd.DataFrame]], *, label: Any, color: Any, **artist: Any
) -> None:
    """Draw percentages as lines with markers over a column `x` of integers; if simulated, with 95% intervals.

    Each line has a name, the column of its probabilities, and its rows, which may also have the columns ``..._low`` and
    ``..._high``. InputError if there are more lines than distinct styles.
    """
    for (_, column, rows), line in zip(lines, line_styles(ax, [name for name, *_ in lines], label, color)):
        percent = 100 * rows[column]
        ax.plot(rows[x], percent, **{"linewidth": 1.6, "markersize": 5.5, **line, **artist})
        if f"{column}_low" in rows:
            ends = 100 * rows[f"{column}_low"], 100 * rows[f"{column}_high"]
            draw_intervals(ax, rows[x], percent, ends, line["color"])
    ax.set(ylim=(-2, 104), yticks=range(0, 101, 20))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_intervals(ax: Axes, x: Any, y: Any, ends: tuple[Any, Any], color: Any) -> None:
    """Draw intervals around points; `ends` are their lower and upper ends."""
    lengths = np.clip([y - ends[0], ends[1] - y], 0, None)
    ax.errorbar(x, y, yerr=lengths, fmt="none", ecolor=color, elinewidth=1, capsize=3)


def write_above(ax: Axes, x: Any, percent: Any) -> list[Annotation]:
    """Write the percentage of each bar above it."""
    style: dict[str, Any] = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center", "size": LABEL_POINTS}
    texts = [short_text(value / 100, is_probability=True) for value in percent]
    return [ax.annotate(text, point, **style) for text, point in zip(texts, zip(x, percent))]


def name_rows(ax: Axes, heights: Sequence[float] | NDArray[Any], names: Sequence[str]) -> None:
    """Name the rows at these heights.

    Blanks in front of a long name make room: at another resolution it may be wider than when the figure was fitted.
    """
    ax.set_yticks(heights, [f"{' ' * (2 + len(name) // 12)}{name}" for name in names])


def luminance(colours: NDArray[Any]) -> NDArray[np.float64]:
    """Return the relative luminance (WCAG 2) of sRGB colours, whose 3 or 4 channels are the last axis."""
    channels = np.asarray(colours, np.float64)[..., :3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def inks(colours: NDArray[Any]) -> NDArray[np.str_]:
    """Return the more legible text colour, black or white, on each of `colours`."""
    return np.where(luminance(colours) > LIGHTEST_WITH_WHITE, "black", "white")


def table_of(data: Any, columns: Sequence[str], method: str = "to_frame") -> pd.DataFrame:
    """Return the rows of the data (:func:`rows_of`); InputError unless the table has rows and all these columns."""
    frame = rows_of(data, method)
    check_columns(frame, columns)
    return frame


def check_columns(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Raise InputError unless `frame` has rows and all these columns."""
    for name in columns:
        if name not in frame:
            hint = did_you_mean(name, map(str, frame))
            raise InputError(f"the table has no column {name!r}{hint}", allowed=", ".join(map(str, frame)))
    if frame.empty:
        raise InputError("the table has no rows to draw")


def short_text(value: float, *, is_probability: bool = False) -> str:
    """Return a number in at most four characters, a probability in percent; only 0 is ``0``, and NaN is empty.

    >>> [short_text(value) for value in (0.0, 0.004, 0.04, 0.44, 4.44, 44.4, -4.44, float("nan"))]
    ['0', '<.01', '.04', '.44', '4.4', '44', '-4.4', '']
    >>> [short_text(value, is_probability=True) for value in (0.0, 0.005, 0.44, 0.995, 1.0)]
    ['0', '<1', '44', '>99', '100']
    """
    if math.isnan(value):
        return ""
    if value < -CERTAIN_WITHIN:
        return f"-{short_text(-value, is_probability=is_probability)}".replace("-<", ">-")
    if value < CERTAIN_WITHIN:
        return "0"
    if is_probability:
        return "<1" if value <= 0.005 else ">99" if 0.995 <= value < 1 - CERTAIN_WITHIN else f"{100 * value:.0f}"
    if value < 0.005:
        return "<.01"
    if value < 0.995:
        return f"{value:.2f}"[1:]
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"
