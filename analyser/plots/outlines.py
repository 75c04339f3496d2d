"""Short texts drawn from outlines that are worked out once for each string.

A picture has hundreds of texts, of few different strings. To lay each of them out anew, several times for each file,
would be most of its cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import cos, radians, sin
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D, Bbox
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_POINTS_AN_INCH = 72
_MIDDLE, _BOTTOM = "0", "lp"  # where a line has its middle: that of its digits; and its lowest point


class Outline(NamedTuple):
    """A string as it is drawn, in points about the place where it stands.

    Attributes
    ----------
    path : Path
    corners : float64 array, shape (4, 2)
        Of the smallest upright box around it.
    start : float64 array, shape (2,)
        Where its first letter begins, on the line.
    """

    path: Path
    corners: NDArray[np.float64]
    start: NDArray[np.float64]


class OutlinedText(Text):
    """A text on one line, no formula, drawn from its outline."""

    def __init__(self, x: float = 0, y: float = 0, text: str = "", **properties: Any) -> None:
        super().__init__(x, y, text, parse_math=False, **properties)

    @property
    def outline(self) -> Outline:
        """That of the text as it is aligned."""
        return _outline(
            self.get_text(), self.get_fontproperties(), self.get_horizontalalignment(), self.get_verticalalignment()
        )

    def draw(self, renderer: Any) -> None:
        """Draw it; called by the figure."""
        if not self.get_visible() or not self.get_text():
            return
        pen, place = renderer.new_gc(), self._place(renderer.points_to_pixels(1.0))
        if isinstance(renderer, RendererAgg):
            pen.set_linewidth(0)
            cast("Any", renderer).draw_path(pen, self.outline.path, place, to_rgba(self.get_color()))
        else:  # SVG writes each letter once and refers to it, which makes a third of the file
            pen.set_foreground(self.get_color())
            x, y = place.transform(self.outline.start)
            y = renderer.get_canvas_width_height()[1] - y if renderer.flipy() else y
            renderer.draw_text(pen, x, y, self.get_text(), self.get_fontproperties(), self.get_rotation())
        pen.restore()

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Bbox:  # noqa: ARG002
        """What it covers, in pixels."""
        if not self.get_text():
            return Bbox.null()
        dots = dpi or cast("Figure", self.get_figure(root=True)).dpi
        return _around(self._place(dots / _POINTS_AN_INCH).transform(self.outline.corners))

    def _place(self, pixels: float) -> Affine2D:
        """From points about its place to pixels, where a point has so many."""
        across, up = pixels * cos(radians(self.get_rotation())), pixels * sin(radians(self.get_rotation()))
        x, y = self.get_transform().transform(self.get_unitless_position())
        return Affine2D.from_values(across, up, -up, across, x, y)


class CellText(OutlinedText):
    """A text in the middle of its cell; :class:`CellTexts` draws it with all others."""

    def __init__(self, x: float, y: float, text: str, *, size: float, color: str) -> None:
        super().__init__(x, y, text, size=size, color=color, ha="center", va="center")
        self.set_in_layout(False)  # it stands inside its cell

    def draw(self, renderer: Any) -> None:
        """Draw nothing."""


class CellTexts(Artist):
    """What is written in the cells of a picture: equal texts are one outline at many places."""

    def __init__(self, texts: Sequence[CellText]) -> None:
        super().__init__()
        self._texts = texts
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        """Draw them; called by the figure."""
        alike: dict[tuple[str, str], list[CellText]] = {}
        for text in self._texts:
            if text.get_visible():
                alike.setdefault((text.get_text(), str(text.get_color())), []).append(text)
        to_pixels, pen = Affine2D().scale(renderer.points_to_pixels(1.0)), renderer.new_gc()
        pen.set_linewidth(0)
        for (_, colour), texts in alike.items():
            places = Path([each.get_position() for each in texts])
            # As markers, for then SVG writes each outline once and refers to it.
            renderer.draw_markers(
                pen, texts[0].outline.path, to_pixels, places, texts[0].get_transform(), to_rgba(colour)
            )
        pen.restore()


def outline_labels(axis: Axis) -> None:
    """Have the labels of an axis drawn from outlines; its ticks must be fixed."""
    for tick in axis.get_major_ticks():
        for name in ("label1", "label2"):
            plain = getattr(tick, name)
            if plain.get_visible():
                label = OutlinedText(*plain.get_position())
                label.update_from(plain)
                label.set(figure=plain.get_figure(), parse_math=False)
                setattr(tick, name, label)


@lru_cache(maxsize=4096)
def _outline(text: str, font: FontProperties, across: str, up: str) -> Outline:
    """The outline of `text` about the point that its alignment says; the text need not have letters of full height."""
    size = font.get_size_in_points()
    path = TextPath((0, 0), text, size=size, prop=font)
    line = _box(TextPath((0, 0), _BOTTOM if up == "bottom" else _MIDDLE, size=size, prop=font))
    whole = _box(path)
    left = {"left": whole.x0, "center": (whole.x0 + whole.x1) / 2, "right": whole.x1}[across]
    move = Affine2D().translate(-left, -line.y0 if up == "bottom" else -(line.y0 + line.y1) / 2)
    return Outline(move.transform_path(path), move.transform(whole.corners()), move.transform(np.zeros(2)))


def _box(path: Path) -> Bbox:
    polygons = path.to_polygons()
    return _around(np.concatenate(polygons)) if polygons else Bbox.unit()


def _around(points: NDArray[np.float64]) -> Bbox:
    return Bbox([points.min(axis=0), points.max(axis=0)])
