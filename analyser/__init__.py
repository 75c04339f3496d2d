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
    from analyser.api import exact, load_scenario, simulate
    from analyser.comparisons.compare import compare
    from analyser.comparisons.comparison import Comparison
    from analyser.comparisons.matchups import Matchups, matchups
    from analyser.comparisons.targets import Comparisons
    from analyser.errors import AnalyserError, InputError
    from analyser.explorer import explore
    from analyser.fights.api import charge, duel, focus
    from analyser.fights.charge_result import ChargeResult
    from analyser.fights.duel_result import DuelResult
    from analyser.fights.focus_result import FocusResult
    from analyser.profiles import Profiles, load_profiles
    from analyser.results.result import Result
    from analyser.scenario import Scenario
    from analyser.studies.funnel import dice_funnel
    from analyser.studies.sensitivity import Sensitivity, sensitivity

__version__ = "0.1.0"

_ROOMS = {
    "exact": "api",
    "load_scenario": "api",
    "simulate": "api",
    "compare": "comparisons.compare",
    "matchups": "comparisons.matchups",
    "sensitivity": "studies.sensitivity",
    "dice_funnel": "studies.funnel",
    "explore": "explorer",
    "charge": "fights.api",
    "focus": "fights.api",
    "duel": "fights.api",
    "ChargeResult": "fights.charge_result",
    "FocusResult": "fights.focus_result",
    "DuelResult": "fights.duel_result",
    "AnalyserError": "errors",
    "InputError": "errors",
    "Profiles": "profiles",
    "load_profiles": "profiles",
    "Result": "results.result",
    "Comparison": "comparisons.comparison",
    "Comparisons": "comparisons.targets",
    "Matchups": "comparisons.matchups",
    "Sensitivity": "studies.sensitivity",
    "Scenario": "scenario",
}
__all__ = [  # noqa: RUF022 - in the order in which a reader meets them
    "load_profiles", "load_scenario", "exact", "simulate",
    "charge", "focus", "duel",
    "compare", "matchups", "sensitivity", "dice_funnel", "explore",
    "Result", "ChargeResult", "FocusResult", "DuelResult", "Comparison", "Comparisons", "Matchups", "Sensitivity",
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
