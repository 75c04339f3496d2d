"""Situations of comparisons and prices, including duels with best play if the policy is ``best``."""

from __future__ import annotations

from collections.abc import Sequence

from analyser.analysis.situations import BEST_DUEL, BEST_TRADE, BEST_TRADES, DUEL, Situation
from analyser.common.errors import InputError, check_choice

DUEL_POLICIES = ("tactic", "best")


def duel_situations(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """Return the situations; the policy ``best`` replaces the duel by :data:`BEST_DUEL`."""
    check_choice(policy, "policy", DUEL_POLICIES)
    return tuple(BEST_DUEL if policy == "best" and situation == DUEL else situation for situation in situations)


def price_situations(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """Return the situations for prices; the policy ``best`` adds :data:`BEST_TRADES`."""
    check_choice(policy, "policy", DUEL_POLICIES)
    return tuple(dict.fromkeys((*situations, *(BEST_TRADES if policy == "best" else ()))))


def check_best_is_played(policy: str, situations: Sequence[Situation]) -> None:
    """Raise InputError if the policy is ``best`` but none of these situations has best play."""
    if policy == "best" and len(names := _names_without_best_play(situations)) == len(situations):
        problem = f"best play has nothing to choose in {', '.join(names)}"
        raise InputError(problem, where="policy", allowed=f"tactic; or situations that include {DUEL.name}")


def unchanged_note(situations: Sequence[Situation]) -> str:
    """Return a sentence that names the situations without best play; empty if these are all or none.

    >>> from analyser.analysis.situations import CHARGE
    >>> unchanged_note([CHARGE, BEST_DUEL])
    'Best play changes nothing in: charge (a single action without a choice).'
    """
    names = _names_without_best_play(situations)
    if len(names) in (0, len(situations)):
        return ""
    return f"Best play changes nothing in: {', '.join(names)} (a single action without a choice)."


def _names_without_best_play(situations: Sequence[Situation]) -> list[str]:
    return [situation.name for situation in situations if situation.kind not in (BEST_DUEL.kind, BEST_TRADE)]
