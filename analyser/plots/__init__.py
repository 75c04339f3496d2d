"""Plots of tidy tables and results: functions that take data and return Axes, without pyplot and its global state.

Every plot takes

- a tidy frame or a result;
- `ax`, the Axes to draw on, whose style it keeps. Default: a new figure (``.figure.savefig(...)`` writes it);
- `label` and `color`: a single value for a single series; for several series a list, or a mapping by name;
- `title`: a text, or None for no title. Default: the plot's own title, or none on Axes that the user made;
- keyword arguments for the artists, such as `alpha` or `linewidth`.

It returns the Axes. It raises InputError if the frame has no rows or lacks a column, or if there are too many series to
distinguish. No module here may have the name of a plot, because it would hide the plot.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from analyser.common.lazy_names import modules_of_names

if TYPE_CHECKING:
    from analyser.plots.bars import fates as fates
    from analyser.plots.bars import ranked as ranked
    from analyser.plots.bars import tornado as tornado
    from analyser.plots.battles import contributions as contributions
    from analyser.plots.battles import margins as margins
    from analyser.plots.battles import points_left as points_left
    from analyser.plots.decisions import choices as choices
    from analyser.plots.decisions import tactic_costs as tactic_costs
    from analyser.plots.distributions import distribution as distribution
    from analyser.plots.distributions import panels as panels
    from analyser.plots.frontier import cost_against_effect as cost_against_effect
    from analyser.plots.frontier import fair_points as fair_points
    from analyser.plots.heatmaps import distributions_by_round as distributions_by_round
    from analyser.plots.heatmaps import heatmap as heatmap
    from analyser.plots.lines import curves as curves
    from analyser.plots.lines import survival as survival
    from analyser.plots.lines import trade_off as trade_off
    from analyser.plots.observed_outcomes import luck_strips as luck_strips
    from analyser.plots.observed_outcomes import outcome_distribution as outcome_distribution
    from analyser.plots.varied_numbers import best_lines as best_lines
    from analyser.plots.varied_numbers import front as front
    from analyser.plots.varied_numbers import trade_map as trade_map

_MODULES = modules_of_names(__file__)
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    """Import a plot on first access, so that the modules that need no pandas load without pandas."""
    if name not in _MODULES:
        raise AttributeError(f"module 'analyser.plots' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
