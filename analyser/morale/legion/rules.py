"""Star Wars: Legion: suppression, panic and leaving the table (LG-1 to LG-7).

A unit's state is its suppression tokens, whether it has a panic token, and how many panicked moves it has made. The
panic token (LG-6) needs no rule of its own: tokens change between two panic checks, and each of these asks anew.
"""

from __future__ import annotations

from analyser.common.jit import step

NO_COURAGE = 0  # LG-1: such a unit is never suppressed and never panics
ACTIONS = 2
PANICKED_ACTIONS = 0  # of its own choice: its one action is the move toward the edge (LG-5)


@step
def better_courage(courage: int, commander_courage: int) -> int:
    """The COURAGE that the panic check goes by: the commander's, if there is one and it is better (LG-3)."""
    return courage if courage == NO_COURAGE else max(courage, commander_courage)


@step
def receive(tokens: int, received: int, most_tokens: int) -> int:
    """Tokens after attacks that gave `received` more (LG-7)."""
    return min(tokens + received, most_tokens)


@step
def rally(tokens: int, successes: int) -> int:
    """Tokens after the rally step: one die a token, one token less a success (LG-2)."""
    return max(tokens - successes, 0)


@step
def is_panicked(tokens: int, panic_courage: int) -> bool:
    """Whether so many tokens panic a unit (LG-1, LG-3); where they do no longer, its panic token goes (LG-6)."""
    return panic_courage != NO_COURAGE and tokens >= 2 * panic_courage


@step
def is_suppressed(tokens: int, courage: int) -> bool:
    """Whether so many tokens suppress a unit (LG-1, LG-4)."""
    return courage != NO_COURAGE and tokens >= courage


@step
def actions_left(tokens: int, courage: int, panicked: int) -> int:
    """The actions that the unit may choose in its activation (LG-4, LG-5)."""
    if panicked:
        return PANICKED_ACTIONS
    return ACTIONS - 1 if is_suppressed(tokens, courage) else ACTIONS


@step
def flee(moves: int, panicked: int, moves_to_edge: int) -> int:
    """Moves toward the edge after the activation: a panicked unit makes one, of its full speed (LG-5)."""
    return min(moves + 1, moves_to_edge) if panicked else moves


@step
def tidy(tokens: int, removed: int) -> int:
    """Tokens after the end phase (LG-7)."""
    return max(tokens - removed, 0)
