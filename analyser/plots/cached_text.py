"""Fast text for crowded plots, drawn from outlines cached per string."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from matplotlib import rc_context
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D, Bbox
from numpy.typing import NDArray

_POINTS_AN_INCH = 72
_MIDDLE, _BOTTOM = "0", "lp"  # reference glyphs for vertical alignment


class Outline(NamedTuple):
    """Outline of a string in points relative to its anchor: path, corners of its box, and start of the line."""

    path: Path
    corners: NDArray[np.float64]  # shape (4, 2)
    start: NDArray[np.float64]  # shape (2,)


class OutlinedText(Text):
    """A text on one line, without formulas, drawn from its outline at its own position or at `places`.

    One of several equal texts draws all of them (`places`); the others have an empty list. A plot has hundreds of texts
    but few different strings, so laying out each string once saves most of the time.
    """

    places: list[tuple[float, float]] | None = None

    def __init__(self, x: float = 0, y: float = 0, text: str = "", **properties: Any) -> None:
        super().__init__(x, y, text, parse_math=False, **properties)

    def draw(self, renderer: Any) -> None:
        """Draw the text; called by the figure."""
        places = [self.get_unitless_position()] if self.places is None else self.places
        if not (self.get_visible() and self.get_text() and places):
            return
        pen, outline = renderer.new_gc(), self._outline()
        scaled = _scaled(renderer.points_to_pixels(1.0), self.get_rotation())
        if self.places is not None or isinstance(renderer, RendererAgg):
            pen.set_linewidth(0)
            colour = to_rgba(self.get_color())
            renderer.draw_markers(pen, outline.path, scaled, Path(places), self.get_transform(), colour)
        else:  # SVG stores each letter once, for a third of the file size
            pen.set_foreground(self.get_color())
            x, y = scaled.transform(outline.start) + self.get_transform().transform(places[0])
            y = renderer.get_canvas_width_height()[1] - y if renderer.flipy() else y
            renderer.draw_text(pen, x, y, self.get_text(), self.get_fontproperties(), self.get_rotation())
        pen.restore()

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Bbox:  # noqa: ARG002
        """Return the area that the text covers, in pixels."""
        if not self.get_text():
            return Bbox.null()
        pixels = (dpi or cast("Figure", self.get_figure(root=True)).dpi) / _POINTS_AN_INCH
        place = self.get_transform().transform(self.get_unitless_position())
        corners = _scaled(pixels, self.get_rotation()).transform(self._outline().corners) + place
        return Bbox([corners.min(axis=0), corners.max(axis=0)])

    def _outline(self) -> Outline:
        alignment = self.get_horizontalalignment(), self.get_verticalalignment()
        return _outline(self.get_text(), self.get_fontproperties(), *alignment)


def outline_labels(axis: Axis) -> None:
    """Draw the labels of an axis from outlines; its ticks must be fixed."""
    for tick in axis.get_major_ticks():
        for name in ("label1", "label2"):
            plain = getattr(tick, name)
            if plain.get_visible():
                label = OutlinedText(*plain.get_position())
                label.update_from(plain)
                label.set(figure=plain.get_figure(), parse_math=False)
                setattr(tick, name, label)


@lru_cache
def _scaled(pixels: float, rotation: float) -> Affine2D:
    """Return the transform from points to pixels relative to the anchor of a text."""
    return Affine2D().scale(pixels).rotate_deg(rotation)


@lru_cache(maxsize=4096)
def _outline(text: str, font: FontProperties, across: str, up: str) -> Outline:
    """Return the outline of `text` relative to the anchor of its alignment, for any height of its letters."""

    def path_of(string: str) -> Path:
        with rc_context({"text.parse_math": False}):  # TextPath has no parse_math argument
            return TextPath((0, 0), string, size=font.get_size_in_points(), prop=font)

    path, line = path_of(text), path_of(_BOTTOM if up == "bottom" else _MIDDLE).get_extents()
    whole = path.get_extents() if len(path) else Bbox.unit()  # spaces have no path
    left = {"left": whole.x0, "center": (whole.x0 + whole.x1) / 2, "right": whole.x1}[across]
    move = Affine2D().translate(-left, -line.y0 if up == "bottom" else -(line.y0 + line.y1) / 2)
    return Outline(move.transform_path(path), move.transform(whole.corners()), move.transform(np.zeros(2)))
