"""Pictures of tidy tables: a frame in, Axes out. Drawn without pyplot, so that nothing is shared or left open.

A module a plot, none named as a plot, which it would hide; `look` is what they share. Every plot takes `ax`, the
Axes to draw on (default: those of a new figure, as large as what is drawn), returns them (``.figure.savefig(...)``
writes a file), and raises InputError if the frame has no rows or lacks a column, or if there are more lines than can
be told apart.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyser.plots.bars import probability_bars
    from analyser.plots.distributions import distributions_by_round
    from analyser.plots.fates import fates_by_system
    from analyser.plots.frontier import cost_against_effect
    from analyser.plots.funnels import funnel
    from analyser.plots.heatmaps import heatmap
    from analyser.plots.lines import curves
    from analyser.plots.overlaid import compared_distributions
    from analyser.plots.survivors import survival
    from analyser.plots.tornadoes import tornado
    from analyser.plots.value_bars import probabilities

_MODULES = {
    "compared_distributions": "overlaid",
    "cost_against_effect": "frontier",
    "curves": "lines",
    "distributions_by_round": "distributions",
    "fates_by_system": "fates",
    "funnel": "funnels",
    "heatmap": "heatmaps",
    "probabilities": "value_bars",
    "probability_bars": "bars",
    "survival": "survivors",
    "tornado": "tornadoes",
}
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


def __getattr__(name: str) -> Any:
    """Import a plot when it is first asked for: what is beside the plots needs no pandas."""
    if name not in _MODULES:
        raise AttributeError(f"module 'analyser.plots' has no attribute {name!r}")
    return getattr(importlib.import_module(f"analyser.plots.{_MODULES[name]}"), name)
