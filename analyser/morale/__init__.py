"""More ways to lose heart: what becomes of units under the morale rules of other games.

A system is a question (checked records), the chains of its rolls (the rules, tabulated) and the tables that answer.
:func:`load_question` reads a question, :func:`exact` and :func:`simulate` answer it.

Examples
--------
>>> from analyser import morale
>>> result = morale.exact("legion", {"courage": 1, "tokens": 2, "rounds": 1})
>>> round(float(result.to_frame()["p_panicked"][0]), 4)
0.4444
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyser.morale.api import exact, load_question, simulate
    from analyser.morale.result import MoraleResult
    from analyser.morale.systems import SYSTEMS

_MODULES = {"exact": "api", "load_question": "api", "simulate": "api", "MoraleResult": "result", "SYSTEMS": "systems"}
__all__ = ["SYSTEMS", "MoraleResult", "exact", "load_question", "simulate"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: the command line lists systems without the engines."""
    if name not in _MODULES:
        raise AttributeError(f"module 'analyser.morale' has no attribute {name!r}")
    return getattr(importlib.import_module(f"analyser.morale.{_MODULES[name]}"), name)
