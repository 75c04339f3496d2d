"""Pictures of tidy tables: a frame in, Axes out. Drawn without pyplot, so that nothing is shared or left open.

No module is named as a plot, which it would hide; `look` is what they share. Every plot takes `ax`, the Axes to draw
on (default: those of a new figure, as large as what is drawn), returns them (``.figure.savefig(...)`` writes a file),
and raises InputError if the frame has no rows or lacks a column, or if there are more lines than can be told apart.
A `heading` says what a picture is of, a line above the title: who fights, and under which conditions.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyser.plots.bars import fates_by_system as fates_by_system
    from analyser.plots.bars import funnel as funnel
    from analyser.plots.bars import probabilities as probabilities
    from analyser.plots.bars import probability_bars as probability_bars
    from analyser.plots.bars import tornado as tornado
    from analyser.plots.battles import contributions as contributions
    from analyser.plots.battles import margins as margins
    from analyser.plots.battles import points_left as points_left
    from analyser.plots.chances import luck_strips as luck_strips
    from analyser.plots.chances import outcome_law as outcome_law
    from analyser.plots.decisions import choices as choices
    from analyser.plots.decisions import given_away as given_away
    from analyser.plots.frontier import cost_against_effect as cost_against_effect
    from analyser.plots.frontier import fair_points as fair_points
    from analyser.plots.heatmaps import distributions_by_round as distributions_by_round
    from analyser.plots.heatmaps import heatmap as heatmap
    from analyser.plots.lines import compared_distributions as compared_distributions
    from analyser.plots.lines import curves as curves
    from analyser.plots.lines import survival as survival
    from analyser.plots.lines import trade_off as trade_off
    from analyser.plots.over_numbers import best_lines as best_lines
    from analyser.plots.over_numbers import front as front
    from analyser.plots.over_numbers import trade_map as trade_map
    from analyser.plots.ranking import ranked as ranked

_PLACES = {
    **dict.fromkeys(("probability_bars", "probabilities", "fates_by_system", "funnel", "tornado"), "bars"),
    **dict.fromkeys(("contributions", "margins", "points_left"), "battles"),
    **dict.fromkeys(("choices", "given_away"), "decisions"),
    **dict.fromkeys(("cost_against_effect", "fair_points"), "frontier"),
    **dict.fromkeys(("heatmap", "distributions_by_round"), "heatmaps"),
    **dict.fromkeys(("compared_distributions", "curves", "survival", "trade_off"), "lines"),
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
