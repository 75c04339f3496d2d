"""Text for crowded plots: outlines cached by string, which draw fast, and positions of labels without overlaps."""

from __future__ import annotations

from collections.abc import Sequence
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

_POINTS_PER_INCH = 72
_MIDDLE, _BOTTOM = "0", "lp"  # reference glyphs for vertical alignment


class Outline(NamedTuple):
    """Outline of a string in typographic points relative to its anchor: path, corners of its box, start of the line."""

    path: Path
    corners: NDArray[np.float64]  # shape (4, 2)
    start: NDArray[np.float64]  # shape (2,)


class OutlinedText(Text):
    """A text on one line, without formulas, drawn from its outline at its own position or at `positions`.

    Of several equal texts, one has the `positions` of all and draws them; the others have an empty list. A plot has
    hundreds of texts but few different strings, so laying out each string once saves most of the time.
    """

    positions: list[tuple[float, float]] | None = None

    def __init__(self, x: float = 0, y: float = 0, text: str = "", **properties: Any) -> None:
        super().__init__(x, y, text, parse_math=False, **properties)

    def draw(self, renderer: Any) -> None:
        """Draw the text; called by the figure."""
        positions = [self.get_unitless_position()] if self.positions is None else self.positions
        if not (self.get_visible() and self.get_text() and positions):
            return
        pen, outline = renderer.new_gc(), self._outline()
        scaled = _scaled(renderer.points_to_pixels(1.0), self.get_rotation())
        if self.positions is not None or isinstance(renderer, RendererAgg):
            pen.set_linewidth(0)
            colour = to_rgba(self.get_color())
            renderer.draw_markers(pen, outline.path, scaled, Path(positions), self.get_transform(), colour)
        else:  # SVG stores each letter once, which reduces the file to a third
            pen.set_foreground(self.get_color())
            x, y = scaled.transform(outline.start) + self.get_transform().transform(positions[0])
            y = renderer.get_canvas_width_height()[1] - y if renderer.flipy() else y
            renderer.draw_text(pen, x, y, self.get_text(), self.get_fontproperties(), self.get_rotation())
        pen.restore()

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Bbox:  # noqa: ARG002
        """Return the area that the text covers, in pixels."""
        if not self.get_text():
            return Bbox.null()
        pixels = (dpi or cast("Figure", self.get_figure(root=True)).dpi) / _POINTS_PER_INCH
        anchor = self.get_transform().transform(self.get_unitless_position())
        corners = _scaled(pixels, self.get_rotation()).transform(self._outline().corners) + anchor
        return Bbox([corners.min(axis=0), corners.max(axis=0)])

    def _outline(self) -> Outline:
        alignment = self.get_horizontalalignment(), self.get_verticalalignment()
        return _outline(self.get_text(), self.get_fontproperties(), *alignment)


def outline_labels(axis: Axis) -> None:
    """Draw the labels of an axis from outlines; its ticks must be fixed."""
    for tick in axis.get_major_ticks():
        for name in ("label1", "label2"):
            original = getattr(tick, name)
            if original.get_visible():
                label = OutlinedText(*original.get_position())
                label.update_from(original)
                label.set(figure=original.get_figure(), parse_math=False)
                setattr(tick, name, label)


@lru_cache
def _scaled(pixels: float, rotation: float) -> Affine2D:
    """Return the transform from points to pixels relative to the anchor of a text."""
    return Affine2D().scale(pixels).rotate_deg(rotation)


@lru_cache(maxsize=4096)
def _outline(text: str, font: FontProperties, horizontal: str, vertical: str) -> Outline:
    """Return the outline of `text` relative to its anchor, with the vertical alignment of a reference glyph."""

    def path_of(string: str) -> Path:
        with rc_context({"text.parse_math": False}):  # TextPath has no parse_math argument
            return TextPath((0, 0), string, size=font.get_size_in_points(), prop=font)

    path, line = path_of(text), path_of(_BOTTOM if vertical == "bottom" else _MIDDLE).get_extents()
    whole = path.get_extents() if len(path) else Bbox.unit()  # spaces have no path
    left = {"left": whole.x0, "center": (whole.x0 + whole.x1) / 2, "right": whole.x1}[horizontal]
    move = Affine2D().translate(-left, -line.y0 if vertical == "bottom" else -(line.y0 + line.y1) / 2)
    return Outline(move.transform_path(path), move.transform(whole.corners()), move.transform(np.zeros(2)))


Floats = NDArray[np.float64]

MARKER_CLEARANCE, LABEL_CLEARANCE = 11.0, 14.0  # least pixels from the centre of a label to a marker, or another label
_DISTANCES = (14.0, 20.0, 27.0, 35.0, 44.0)  # pixels from a marker to its label, in the order tried
_ANGLES = np.radians((0, 25, -25, 50, -50, 75, -75))  # angles to the preferred direction, in the order tried


def label_offsets(markers: Floats, labelled: Sequence[int], outwards: Sequence[float], size: Sequence[float]) -> Floats:
    """Return the offset of each label from its marker: the nearest free position, or else the position with most space.

    Parameters
    ----------
    markers : float array, shape (markers, 2)
        Positions of the markers in pixels.
    labelled : sequence of int
        Indices of the markers with a label, the most important first.
    outwards : sequence of float
        Preferred direction of each label, in degrees.
    size : sequence of float
        Size of the picture in pixels; labels stay inside.

    Returns
    -------
    float array, shape (labelled, 2)

    Examples
    --------
    >>> two = np.array([[50.0, 50.0], [64.0, 50.0]])
    >>> label_offsets(two, [0], [180.0], (100, 100)).round(1).tolist()
    [[-14.0, 0.0]]
    """
    corner, labels, result = np.array(size, np.float64), np.zeros((0, 2)), []
    for marker, degrees in zip(labelled, outwards):
        angles = np.radians(degrees) + _ANGLES
        directions = np.column_stack([np.cos(angles), np.sin(angles)])
        offsets = np.concatenate([distance * directions for distance in _DISTANCES])
        positions = markers[marker] + offsets
        to_edge = np.minimum(positions, corner - positions).min(axis=1) / MARKER_CLEARANCE
        space = np.minimum(to_edge, _nearest(positions, markers) / MARKER_CLEARANCE)
        space = np.minimum(space, _nearest(positions, labels) / LABEL_CLEARANCE)
        best = int(np.argmax(np.minimum(space, 1.0)))  # the first of equals; 1 or more is enough space
        labels = np.vstack([labels, positions[best]])
        result.append(offsets[best])
    return np.array(result).reshape(-1, 2)


def _nearest(positions: Floats, others: Floats) -> Floats:
    """Return the distance of each position to the nearest of `others`."""
    distances = np.hypot(*(positions[:, None, :] - others[None, :, :]).transpose(2, 0, 1))
    return np.asarray(distances.min(axis=1, initial=np.inf), np.float64)
