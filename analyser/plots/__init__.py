"""Pictures of tidy tables: a frame in, Axes out. Drawn without pyplot, so that nothing is shared or left open.

A module a plot; `look` is what they share.
"""

from __future__ import annotations

from analyser.plots.bars import probability_bars
from analyser.plots.chances import chances
from analyser.plots.curves import curves
from analyser.plots.fates import fates_by_system
from analyser.plots.frontier import cost_against_effect
from analyser.plots.funnels import funnel
from analyser.plots.heatmaps import heatmap
from analyser.plots.laws import laws_by_round
from analyser.plots.overlaid import compared_laws
from analyser.plots.survival import survival
from analyser.plots.tornadoes import tornado

__all__ = [
    "chances",
    "compared_laws",
    "cost_against_effect",
    "curves",
    "fates_by_system",
    "funnel",
    "heatmap",
    "laws_by_round",
    "probability_bars",
    "survival",
    "tornado",
]
