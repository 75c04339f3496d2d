"""What becomes of units under the morale rules of other games.

A system is a question (checked records), the Markov chains of its rolls (the rules) and the tables that answer. Each
has a function here: :func:`legion`, :func:`grande_tactique`, :func:`warmaster`, :func:`mordheim`, :func:`compare`;
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
    from analyser.morale.api import (
        compare,
        exact,
        grande_tactique,
        legion,
        load_question,
        mordheim,
        simulate,
        warmaster,
    )
    from analyser.morale.result import MoraleResult
    from analyser.morale.systems import SYSTEMS

_MODULES = {"MoraleResult": "result", "SYSTEMS": "systems"}
__all__ = [
    "SYSTEMS",
    "MoraleResult",
    "compare",
    "exact",
    "grande_tactique",
    "legion",
    "load_question",
    "mordheim",
    "simulate",
    "warmaster",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: the command line lists systems without the engines."""
    if name not in __all__:
        raise AttributeError(f"module 'analyser.morale' has no attribute {name!r}")
    return getattr(importlib.import_module(f"analyser.morale.{_MODULES.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return __all__
