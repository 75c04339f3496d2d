"""Replacement of the duels in the situations of a comparison by duels with best play."""

from __future__ import annotations

from collections.abc import Sequence

from analyser.analysis.situations import BEST_DUEL, BEST_TRADE, BEST_TRADES, DUEL, Situation
from analyser.common.errors import InputError, check_choice

POLICIES_OF_DUELS = ("tactic", "best")


def duel_situations(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """Return the situations, with :data:`BEST_DUEL` in place of the duel if `policy` is ``best``, not ``tactic``."""
    check_choice(policy, "policy", POLICIES_OF_DUELS)
    return tuple(BEST_DUEL if policy == "best" and situation == DUEL else situation for situation in situations)


def price_situations(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """Return the situations for prices: with :data:`BEST_TRADES` added if `policy` is ``best``, not ``tactic``."""
    check_choice(policy, "policy", POLICIES_OF_DUELS)
    return tuple(dict.fromkeys((*situations, *(BEST_TRADES if policy == "best" else ()))))


def check_best_is_played(policy: str, situations: Sequence[Situation]) -> None:
    """Raise InputError for the policy ``best`` if none of these situations has best play."""
    if policy == "best" and len(names := _unchanged(situations)) == len(situations):
        problem = f"best play has nothing to choose in {', '.join(names)}"
        raise InputError(problem, where="policy", allowed=f"tactic; or the situation {DUEL.name} among others")


def unchanged_note(situations: Sequence[Situation]) -> str:
    """Return a sentence with the situations that best play does not change; empty if no situation has best play.

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
