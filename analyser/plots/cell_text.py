"""What is written in the cells of a picture: text drawn from outlines that are worked out once for each string."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D


class CellText(Text):
    """A short text in the middle of its place, neither rotated nor wrapped.

    A picture has hundreds of them, of few different strings, and laying out each anew would be most of its cost.
    """

    def __init__(self, x: float, y: float, text: str, *, size: float, color: str) -> None:
        super().__init__(x, y, text, size=size, color=color, ha="center", va="center", parse_math=False)
        self.set_in_layout(False)  # it stands inside its cell

    def draw(self, renderer: Any) -> None:
        """Draw the outline; called by the figure."""
        outline = _outline(self.get_text(), self.get_fontproperties())
        to_pixels, place = Affine2D().scale(renderer.points_to_pixels(1.0)), Path([self.get_position()])
        pen = renderer.new_gc()
        pen.set_linewidth(0)
        # As markers, for then SVG writes each outline once and refers to it.
        renderer.draw_markers(pen, outline, to_pixels, place, self.get_transform(), to_rgba(self.get_color()))
        pen.restore()


@lru_cache(maxsize=4096)
def _outline(text: str, font: FontProperties) -> Path:
    """The outline of `text` about its middle, in points; all digits stand on one line."""
    path = TextPath((0, 0), text, size=font.get_size_in_points(), prop=font)
    across, digits = path.get_extents(), TextPath((0, 0), "0", size=font.get_size_in_points(), prop=font).get_extents()
    return Affine2D().translate(-(across.x0 + across.x1) / 2, -(digits.y0 + digits.y1) / 2).transform_path(path)
