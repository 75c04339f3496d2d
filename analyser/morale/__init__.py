"""Probabilities that units rout, panic, flee or are confused under the morale rules of several games.

Each game (system) has a function: :func:`legion`, :func:`grande_tactique`, :func:`warmaster` and
:func:`mordheim`; :func:`compare` applies the same losses to all of them. :func:`exact` and :func:`simulate`
take the name of a system.

Examples
--------
>>> from analyser import morale
>>> print(morale.legion(courage=1, tokens=2, rounds=1).probability("panicked"))
44.44%
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from analyser.common.lazy_names import modules_of_names

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

_MODULES = modules_of_names(__file__)
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that the command line can list systems without loading the engines."""
    if name not in _MODULES:
        raise AttributeError(f"module 'analyser.morale' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
