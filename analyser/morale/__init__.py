"""Probabilities that units rout, panic, flee or are confused under the morale rules of several games.

A system consists of a question (a validated record), Markov chains of its rules, and the tables of its answer. Each
system has a function: :func:`legion`, :func:`grande_tactique`, :func:`warmaster`, :func:`mordheim`, :func:`compare`.
:func:`exact` and :func:`simulate` take the name of a system.

Examples
--------
>>> from analyser import morale
>>> print(morale.legion(courage=1, tokens=2, rounds=1).probability("panicked"))
44.44%
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyser.morale.api import compare as compare
    from analyser.morale.api import exact as exact
    from analyser.morale.api import grande_tactique as grande_tactique
    from analyser.morale.api import legion as legion
    from analyser.morale.api import load_question as load_question
    from analyser.morale.api import mordheim as mordheim
    from analyser.morale.api import simulate as simulate
    from analyser.morale.api import warmaster as warmaster
    from analyser.morale.result import MoraleResult as MoraleResult
    from analyser.morale.systems import SYSTEMS as SYSTEMS

_API = ("compare", "exact", "grande_tactique", "legion", "load_question", "mordheim", "simulate", "warmaster")
_MODULES = {"SYSTEMS": "systems", "MoraleResult": "result", **dict.fromkeys(_API, "api")}
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that the command line can list systems without loading the engines."""
    if name not in _MODULES:
        raise AttributeError(f"module 'analyser.morale' has no attribute {name!r}")
    return getattr(importlib.import_module(f"analyser.morale.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
