"""Pictures of tidy tables: a frame in, Axes out. Drawn without pyplot, so that nothing is shared or left open.

A module a plot; `look` is what they share.
"""

from __future__ import annotations

from analyser.plots.heatmaps import heatmap

__all__ = ["heatmap"]
