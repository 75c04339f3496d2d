"""Duels with best play in the situations of a comparison, and the situations that it does not change."""

from __future__ import annotations

from collections.abc import Sequence

from analyser.analysis.situations import BEST_DUEL, BEST_TRADE, BEST_TRADES, DUEL, Situation
from analyser.common.errors import InputError, check_choice

POLICIES_OF_DUELS = ("tactic", "best")


def duel_situations(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """Return the situations with the duel by ``tactic`` or ``best`` play by both; InputError for another policy."""
    check_choice(policy, "policy", POLICIES_OF_DUELS)
    return tuple(BEST_DUEL if policy == "best" and situation == DUEL else situation for situation in situations)


def price_situations(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """Return the situations for prices: unchanged under ``tactic``; with :data:`BEST_TRADES` added under ``best``."""
    check_choice(policy, "policy", POLICIES_OF_DUELS)
    return tuple(dict.fromkeys((*situations, *(BEST_TRADES if policy == "best" else ()))))


def check_best_is_played(policy: str, situations: Sequence[Situation]) -> None:
    """Raise InputError for the policy ``best`` if it changes none of these situations (:func:`duel_situations`)."""
    if policy == "best" and len(names := _unchanged(situations)) == len(situations):
        problem = f"best play has nothing to choose in {', '.join(names)}"
        raise InputError(problem, where="policy", allowed=f"tactic; or the situation {DUEL.name} among others")


def unchanged_note(situations: Sequence[Situation]) -> str:
    """Return a sentence with the situations that best play does not change; empty if no duel has best play.

    >>> from analyser.analysis.situations import CHARGE
    >>> unchanged_note([CHARGE, BEST_DUEL])
    'Best play changes nothing in: charge (a single action without a choice).'
    """
    names = _unchanged(situations)
    if len(names) in (0, len(situations)):
        return ""
    return f"Best play changes nothing in: {', '.join(names)} (a single action without a choice)."


def _unchanged(situations: Sequence[Situation]) -> list[str]:
    return [situation.name for situation in situations if situation.kind not in (BEST_DUEL.kind, BEST_TRADE)]
