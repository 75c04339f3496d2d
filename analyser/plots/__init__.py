"""Pictures of tidy tables and answers: data in, Axes out. Drawn without pyplot, so that nothing is shared or left open.

No module is named as a plot, which it would hide; `common.look` is what they share. Every plot takes

- a tidy frame or an answer;
- `ax`, the Axes to draw on: default those of a new figure, as large as what is drawn
  (``.figure.savefig(...)`` writes it). On axes of yours it draws inside them, in your style, with the legend where
  ``Axes.legend`` puts it;
- `label` and `color`: one for a single series; for several a list, or a mapping by name;
- `title`: None for none. On axes of yours there is none unless you give it;
- keyword arguments for its artists, such as `alpha` or `linewidth`.

It returns the Axes, and raises InputError if the frame has no rows or lacks a column, or if there are more series than
can be told apart.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyser.plots.bars import fates as fates
    from analyser.plots.bars import funnel as funnel
    from analyser.plots.bars import tornado as tornado
    from analyser.plots.battles import contributions as contributions
    from analyser.plots.battles import margins as margins
    from analyser.plots.battles import points_left as points_left
    from analyser.plots.chances import luck_strips as luck_strips
    from analyser.plots.chances import outcome_law as outcome_law
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
    from analyser.plots.over_numbers import best_lines as best_lines
    from analyser.plots.over_numbers import front as front
    from analyser.plots.over_numbers import trade_map as trade_map
    from analyser.plots.ranking import ranked as ranked

_PLACES = {
    **dict.fromkeys(("fates", "funnel", "tornado"), "bars"),
    **dict.fromkeys(("contributions", "margins", "points_left"), "battles"),
    **dict.fromkeys(("choices", "tactic_costs"), "decisions"),
    **dict.fromkeys(("distribution", "panels"), "distributions"),
    **dict.fromkeys(("cost_against_effect", "fair_points"), "frontier"),
    **dict.fromkeys(("heatmap", "distributions_by_round"), "heatmaps"),
    **dict.fromkeys(("curves", "survival", "trade_off"), "lines"),
    **dict.fromkeys(("luck_strips", "outcome_law"), "chances"),
    "ranked": "ranking",
    **dict.fromkeys(("best_lines", "front", "trade_map"), "over_numbers"),
}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    """Import a plot when it is first asked for: what is beside the plots needs no pandas."""
    if name not in _PLACES:
        raise AttributeError(f"module 'analyser.plots' has no attribute {name!r}")
    return getattr(importlib.import_module(f"analyser.plots.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
