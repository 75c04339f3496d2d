"""What a tabletop fight will do: exact odds and Monte Carlo odds, from unit profiles.

Examples
--------
>>> import analyser
>>> fight = {"attack": {"dice": 12, "rating": "improved"}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}
>>> print(analyser.exact(fight).probability("annihilated"))
58.27%
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyser.analysis.compare import compare
    from analyser.analysis.compare_result import Comparison
    from analyser.analysis.explorer import explore
    from analyser.analysis.funnel import dice_funnel
    from analyser.analysis.matchups import Matchups, matchups
    from analyser.analysis.sensitivity import Sensitivity, sensitivity
    from analyser.analysis.targets import Comparisons
    from analyser.api import charge, duel, exact, focus, simulate
    from analyser.common.errors import AnalyserError, InputError
    from analyser.game.profiles import Profiles, load_profiles
    from analyser.results.attack import AttackResult
    from analyser.results.base import Result
    from analyser.results.charge import ChargeResult
    from analyser.results.duel import DuelResult
    from analyser.results.focus import FocusResult
    from analyser.scenarios.attack import Scenario
    from analyser.scenarios.load import load_scenario

__version__ = "0.1.0"

_ROOMS = {
    "exact": "api",
    "load_scenario": "scenarios.load",
    "simulate": "api",
    "compare": "analysis.compare",
    "matchups": "analysis.matchups",
    "sensitivity": "analysis.sensitivity",
    "dice_funnel": "analysis.funnel",
    "explore": "analysis.explorer",
    "charge": "api",
    "focus": "api",
    "duel": "api",
    "ChargeResult": "results.charge",
    "FocusResult": "results.focus",
    "DuelResult": "results.duel",
    "AnalyserError": "common.errors",
    "InputError": "common.errors",
    "Profiles": "game.profiles",
    "load_profiles": "game.profiles",
    "AttackResult": "results.attack",
    "Result": "results.base",
    "Comparison": "analysis.compare_result",
    "Comparisons": "analysis.targets",
    "Matchups": "analysis.matchups",
    "Sensitivity": "analysis.sensitivity",
    "Scenario": "scenarios.attack",
}
__all__ = [  # noqa: RUF022 - in the order in which a reader meets them
    "load_profiles", "load_scenario", "exact", "simulate",
    "charge", "focus", "duel",
    "compare", "matchups", "sensitivity", "dice_funnel", "explore",
    "Result", "AttackResult", "ChargeResult", "FocusResult", "DuelResult",
    "Comparison", "Comparisons", "Matchups", "Sensitivity",
    "Scenario", "Profiles", "AnalyserError", "InputError",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: `import analyser` itself stays quick."""
    if name == "plots":
        return importlib.import_module("analyser.plots")
    if name not in _ROOMS:
        raise AttributeError(f"module 'analyser' has no attribute {name!r}")
    return getattr(importlib.import_module(f"analyser.{_ROOMS[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOMS, "plots"])
