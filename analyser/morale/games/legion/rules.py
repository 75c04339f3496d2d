"""Star Wars: Legion: what suppresses and panics a unit, and what it may do then (LG-1, LG-3 to LG-5).

How tokens and moves change is in :mod:`analyser.morale.games.legion.chain`. The panic token (LG-6) needs no rule of its
own: tokens change between two panic checks, and each of these asks anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NO_COURAGE = 0  # LG-1: such a unit is never suppressed and never panics
ACTIONS = 2
Number = Any  # an integer, or one of each of some states
PANICKED_ACTIONS = 0  # of its own choice: its one action is the move toward the edge (LG-5)


def better_courage(courage: int, commander_courage: int) -> int:
    """The COURAGE that the panic check goes by: the commander's, if there is one and it is better (LG-3)."""
    return courage if courage == NO_COURAGE else max(courage, commander_courage)


def is_panicked(tokens: Number, panic_courage: Number) -> Any:
    """Whether so many tokens panic a unit (LG-1, LG-3); where they do no longer, its panic token goes (LG-6)."""
    return (panic_courage != NO_COURAGE) & (tokens >= 2 * panic_courage)


def is_suppressed(tokens: Number, courage: int) -> Any:
    """Whether so many tokens suppress a unit (LG-1, LG-4)."""
    return (courage != NO_COURAGE) & (tokens >= courage)


def actions_left(tokens: Number, courage: int, panicked: Number) -> Number:
    """The actions that the unit may choose in its activation (LG-4, LG-5)."""
    return np.where(panicked, PANICKED_ACTIONS, ACTIONS - 1 * is_suppressed(tokens, courage))
