"""Pictures of tidy tables: a frame in, Axes out. Drawn without pyplot, so that nothing is shared or left open.

A module a plot; `look` is what they share. Every plot takes `ax`, the Axes to draw on (default: those of a new figure,
as large as what is drawn), returns them (``.figure.savefig(...)`` writes a file), and raises InputError if the frame
has no rows or lacks a column, or if there are more lines than can be told apart.
"""

from __future__ import annotations

from analyser.plots.bars import probability_bars
from analyser.plots.curves import curves
from analyser.plots.distributions import distributions_by_round
from analyser.plots.fates import fates_by_system
from analyser.plots.frontier import cost_against_effect
from analyser.plots.funnels import funnel
from analyser.plots.heatmaps import heatmap
from analyser.plots.overlaid import compared_distributions
from analyser.plots.probabilities import probabilities
from analyser.plots.survival import survival
from analyser.plots.tornadoes import tornado

__all__ = [
    "compared_distributions",
    "cost_against_effect",
    "curves",
    "distributions_by_round",
    "fates_by_system",
    "funnel",
    "heatmap",
    "probabilities",
    "probability_bars",
    "survival",
    "tornado",
]
