"""Pictures of tidy tables: a frame in, Axes out. Drawn without pyplot, so that nothing is shared or left open.

A module a plot; `look` is what they share.
"""

from __future__ import annotations

from analyser.plots.bars import probability_bars
from analyser.plots.heatmaps import heatmap
from analyser.plots.overlaid import compared_laws

__all__ = ["compared_laws", "heatmap", "probability_bars"]
