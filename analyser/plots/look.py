"""What all pictures share: sizes, type, colours, and figures as large as what is drawn on them."""

from __future__ import annotations

import io
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.transforms import BboxBase

CELL_POINTS, LABEL_POINTS, TITLE_POINTS = 8.5, 9.5, 11.0
DOTS_AN_INCH = 96  # of a picture in a notebook
MARGIN = 0.12  # inches around what is drawn
SCALE = "cividis"  # from low to high: uniform to the eye, in grey, and to colour-blind readers
LIGHTEST_WITH_WHITE = 0.179  # relative luminance at which black and white text are equally legible (WCAG 2)
_ROOM = 2.0  # inches for labels on each side, until the figure is fitted


class Picture(Axes):
    """Axes that a notebook shows as a picture, without pyplot."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        with house_style():
            cast("Figure", self.figure).savefig(file, format="png", dpi=DOTS_AN_INCH, metadata={"Software": None})
        return file.getvalue()


def house_style() -> AbstractContextManager[None]:
    """Draw inside this: a picture does not depend on the user's own settings."""
    return style.context("default")


def new_axes(width: float, height: float) -> Axes:
    """Axes of that size in inches, in a figure that :func:`fit_figure` is to fit to them afterwards."""
    figure = Figure(figsize=(width + 2 * _ROOM, height + 2 * _ROOM))
    FigureCanvasAgg(figure)
    across, up = figure.get_size_inches()
    place = _ROOM / across, _ROOM / up, width / across, height / up
    axes: Axes = figure.add_axes(place, axes_class=Picture)
    return axes


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


def luminance(colours: NDArray[Any]) -> NDArray[np.float64]:
    """Relative luminance (WCAG 2) of sRGB colours, shape (..., 3 or 4); shape (...)."""
    channels = np.asarray(colours, np.float64)[..., :3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def inks(colours: NDArray[Any]) -> NDArray[np.str_]:
    """Black or white, whichever is the better legible on each of `colours`."""
    return np.where(luminance(colours) > LIGHTEST_WITH_WHITE, "black", "white")
