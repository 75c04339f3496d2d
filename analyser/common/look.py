"""The look of all pictures: sizes, type, colours, and figures as large as what is drawn on them."""

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

from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.frames import names_of, readable

CELL_POINTS, LABEL_POINTS, TITLE_POINTS = 8.5, 9.5, 11.0
DOTS_AN_INCH = 96  # of a picture in a notebook
MARGIN = 0.12  # inches around what is drawn
_UNEVEN = 0.03  # how much wider a text may be at another resolution
SCALE = "viridis"  # from low to high: uniform to the eye, in grey, and to colour-blind readers
AUTO = "auto"
"""The title that a plot gives itself; any other text replaces it, None leaves it out."""
DARK, MEDIUM, LIGHT = "#1b2a49", "#9db4c8", "#dfe6ec"  # three greys when printed, told apart by lightness
LOST = "////"  # the hatch of what is lost
LINES: Sequence[Mapping[str, Any]] = (
    {"color": "#000000", "linestyle": "-", "marker": "o"},
    {"color": "#d55e00", "linestyle": "--", "marker": "s"},
    {"color": "#0072b2", "linestyle": "-.", "marker": "^"},
    {"color": "#007a5a", "linestyle": ":", "marker": "D"},
    {"color": "#b2182b", "linestyle": (0, (6, 2)), "marker": "v"},
    {"color": "#a8588a", "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "P"},
)
"""Colours that colour-blind readers tell apart, each with a dash and a marker of its own for those in grey."""
LIGHTEST_WITH_WHITE = 0.179  # relative luminance at which black and white text are equally legible (WCAG 2)
_BELOW, _A_LINE = 0.4, 0.2  # inches from the axes down to a legend: room for the ticks, and for each line between
_ROOM = 2.0  # inches for labels on each side, until the figure is fitted


T = TypeVar("T")
PerSeries: TypeAlias = T | Sequence[T] | Mapping[str, T] | None
"""A label or colour: one for a single series, several in the order of the series, or by the name of each."""


class Picture(Axes):
    """Axes that a notebook shows as a picture, without pyplot; their title is on the left unless told otherwise."""

    is_fitted = False  # whether its figure is as large as what is drawn

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.titles: set[str] = set()  # those of the answers that are drawn on it

    def set_title(self, label: str, *args: Any, **more: Any) -> Text:
        """Replace the title: of a picture there is one, and it stands on the left."""
        return super().set_title(label, *args, **{"loc": "left", **more})

    def get_title(self, loc: Literal["left", "center", "right"] = "left") -> str:
        """Return the title."""
        return super().get_title(loc)

    def _repr_png_(self) -> bytes:
        return png_of(self.figure)


def png_of(figure: Any) -> bytes:
    """Return a figure as a small PNG, for a notebook."""
    drawn, small = io.BytesIO(), io.BytesIO()
    with house_style():
        figure.savefig(drawn, format="png", dpi=DOTS_AN_INCH)
    few_colours = Image.open(drawn).convert("RGB").quantize(dither=Image.Dither.NONE)
    few_colours.save(small, format="png", optimize=True)  # a third of the size: notebooks keep their pictures
    return small.getvalue()


def house_style() -> AbstractContextManager[None]:
    """Draw inside this: a picture does not depend on the user's own settings, and no text in it is a formula.

    Without hinting, text is in proportion at every resolution, so that a fitted picture clips none.
    """
    return style.context(["default", {"text.parse_math": False, "text.hinting": "none"}])


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


def fit_figure(ax: Axes) -> None:
    """Make the figure as large as what is drawn on it, the axes keeping their size."""
    figure = cast("Figure", ax.figure)
    if isinstance(ax, Picture):
        ax.is_fitted = True
    renderer = cast("Any", figure.canvas).get_renderer()
    drawn, inside = cast("BboxBase", ax.get_tightbbox(renderer)), ax.get_window_extent()
    margin = MARGIN * figure.dpi
    # Text is not in proportion at other resolutions: what stands outside the axes has room for that.
    left, bottom = ((1 + _UNEVEN) * each + margin for each in (inside.x0 - drawn.x0, inside.y0 - drawn.y0))
    right, top = ((1 + _UNEVEN) * each + margin for each in (drawn.x1 - inside.x1, drawn.y1 - inside.y1))
    width, height = left + inside.width + right, bottom + inside.height + top
    ax.set_position((left / width, bottom / height, inside.width / width, inside.height / height))
    figure.set_size_inches(width / figure.dpi, height / figure.dpi)


def set_title(ax: Axes, given: str | None, own: str = "") -> None:
    """Set the title: `given`, or where that is AUTO the `own` one of a picture; user's axes get none of their own.

    A picture on which several answers are drawn, one after the other, has the title of none of them.
    """
    text = given
    if given == AUTO and isinstance(ax, Picture):
        ax.titles.add(own.strip("\n"))
        text = "" if len(ax.titles) > 1 else own.strip("\n")
        ax.set_title("")
    if text and text != AUTO:
        more: dict[str, Any] = {"size": TITLE_POINTS, "pad": 8, "linespacing": 1.4} if isinstance(ax, Picture) else {}
        ax.set_title(text, parse_math=False, **more)


def rows_of(data: Any, method: str = "to_frame", **how: Any) -> pd.DataFrame:
    """Return tidy rows: `data` if it is a frame, else what that method of an answer gives.

    Raises
    ------
    InputError
        Neither a frame nor such an answer.
    """
    if isinstance(data, pd.DataFrame):
        return data
    result = getattr(data, method, None)
    if result is None:
        allowed = f"a DataFrame, or an answer with {method}"
        raise InputError(f"{type(data).__name__} is nothing that this plot shows", where="data", allowed=allowed)
    return pd.DataFrame(result(**how) if callable(result) else result)


def about(frame: pd.DataFrame, subject: str) -> pd.DataFrame:
    """Return the frame, with what its picture is to be called."""
    named = frame.copy(deep=False)
    named.attrs["subject"] = subject
    return named


def subject_of(data: Any) -> str:
    """Return what an answer says of its question, for a title; of a frame nothing, unless it is :func:`about` it."""
    if isinstance(data, pd.DataFrame):
        return readable(str(data.attrs.get("subject", "")))
    caption = getattr(data, "caption", None)
    return readable("\n".join(caption())) if callable(caption) else ""


def per_series(given: Any, names: Sequence[str], defaults: Sequence[T], what: str) -> list[T]:
    """Return one value of a :data:`PerSeries` for each name, the default where there is none.

    >>> per_series({"b": "Rifles"}, ["a", "b"], ["a", "b"], "label")
    ['a', 'Rifles']
    """
    if given is None:
        return list(defaults)
    if isinstance(given, Mapping):
        return [given.get(name, default) for name, default in zip(names, defaults)]
    if isinstance(given, str) or (what == "color" and is_color_like(given)):
        if len(names) > 1 and what == "label":
            raise InputError(f"one label for {len(names)} series", where=what, allowed="a list, or a mapping by name")
        return [cast("T", given)] * len(names)
    if len(given) != len(names):
        raise InputError(f"{len(given)} for {len(names)} series", where=what, allowed="as many as there are series")
    return list(given)


def scale_of(color: Any, default: str = SCALE) -> Any:
    """Return a scale of colours: as given, from white to a colour, or the default."""
    if color is None or not is_color_like(color):
        return color or default
    return LinearSegmentedColormap.from_list(str(color), ["white", color])


def line_styles(ax: Axes, names: Sequence[str], label: Any, color: Any) -> list[dict[str, Any]]:
    """Return label, colour, dash and marker of each series, going on after the series that the axes have.

    InputError if there are more than can be told apart.
    """
    first = len(ax.get_legend_handles_labels()[1])
    if len(names) > len(LINES):
        allowed = f"up to {len(LINES)}: choose some of them, or draw panels"
        raise InputError(f"{len(names)} series in one picture", allowed=allowed)
    styles = [dict(LINES[(first + number) % len(LINES)]) for number in range(len(names))]
    colours = per_series(color, names, [str(each["color"]) for each in styles], "color")
    labels = per_series(label, names, names_of(names), "label")
    return [{**look, "label": text, "color": colour} for look, text, colour in zip(styles, labels, colours)]


@contextmanager
def drawing(
    ax: Axes | None,
    width: float,
    height: float,
    *,
    title: str | None,
    own: str = "",
    xlabel: str = "",
    ylabel: str = "",
    legend: int = 0,
    grid: Literal["x", "y", "both", ""] = "y",
) -> Iterator[Axes]:
    """Axes to draw on inside this; afterwards they get what every picture has.

    Without `ax` they are new ones of `width` by `height` inches in the style of the house, and the figure is fitted to
    what is drawn. Axes of the user keep their own style, and their figure is left alone. `own` is the title where
    `title` is AUTO; `legend` the columns of the legend, 0 for none; `grid` the axis whose lines are drawn.
    """
    is_own = ax is None or isinstance(ax, Picture)
    with house_style() if is_own else rc_context({"text.parse_math": False}):
        axes = new_axes(width, height) if ax is None else ax
        yield axes
        set_title(axes, title, own)
        size: dict[str, Any] = {"size": LABEL_POINTS} if is_own else {}
        if xlabel:
            axes.set_xlabel(xlabel, **size)
        if ylabel:
            axes.set_ylabel(ylabel, **size)
        if is_own:
            _furnish(axes, grid)
        if legend:
            _add_legend(axes, legend if is_own else 0)
        no_formulas(axes)
        if ax is None or getattr(ax, "is_fitted", False):
            fit_figure(axes)


def _furnish(axes: Axes, grid: str) -> None:
    """Give new axes the grid, ticks and edges of the house."""
    axes.tick_params(labelsize=LABEL_POINTS, length=3 if grid else 0)
    if grid == "x":  # bars with a name each
        axes.tick_params(axis="y", length=0)
    if grid:
        axes.set_axisbelow(True)
        axes.grid(axis=cast("Any", grid), color="0.88", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)


def _add_legend(ax: Axes, columns: int) -> None:
    """Add the legend: below a new picture in so many columns, with 0 columns inside the user's axes."""
    if not columns:
        ax.legend()
        return
    lines = ax.get_xlabel().count("\n") + 1 if ax.get_xlabel() else 0
    below = (0, -(_BELOW + _A_LINE * lines) / (ax.get_window_extent().height / ax.figure.dpi))
    look: dict[str, Any] = {"borderaxespad": 0, "frameon": False, "fontsize": LABEL_POINTS, "handlelength": 3.2}
    ax.legend(loc="upper left", bbox_to_anchor=below, ncols=columns, **look)


PERCENT = "probability, percent"


def draw_lines(
    ax: Axes, x: str, lines: Sequence[tuple[str, str, pd.DataFrame]], *, label: Any, color: Any, **artist: Any
) -> None:
    """Draw probabilities in percent as lines with markers over the integers `x`, of a sample with 95% intervals.

    `lines` are the name of each, the column of its probabilities, and its rows; `_low` and `_high` end the names of the
    columns of the intervals. InputError if there are more than can be told apart.
    """
    for (_, column, rows), line in zip(lines, line_styles(ax, [name for name, *_ in lines], label, color)):
        percent = 100 * rows[column]
        ax.plot(rows[x], percent, **{"linewidth": 1.6, "markersize": 5.5, **line, **artist})
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
