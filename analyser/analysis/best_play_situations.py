"""Situations of comparisons, with duels with best play if the policy is ``best``."""

from __future__ import annotations

from collections.abc import Sequence

from analyser.analysis.situations import BEST_DUEL, DUEL, Situation
from analyser.common.errors import InputError, check_choice

DUEL_POLICIES = ("tactic", "best")


def duel_situations(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """Return the situations; the policy ``best`` replaces the duel, if any (else InputError), by :data:`BEST_DUEL`."""
    check_choice(policy, "policy", DUEL_POLICIES)
    if policy != "best":
        return tuple(situations)
    if DUEL not in situations:
        problem = f"best play has nothing to choose in {', '.join(situation.name for situation in situations)}"
        raise InputError(problem, where="policy", allowed=f"tactic; or situations that include {DUEL.name}")
    return tuple(BEST_DUEL if situation == DUEL else situation for situation in situations)


def unchanged_note(situations: Sequence[Situation]) -> str:
    """Return a sentence that names the situations without best play; empty if these are all or none.

    >>> from analyser.analysis.situations import CHARGE
    >>> unchanged_note([CHARGE, BEST_DUEL])
    'Best play changes nothing in: charge (a single action without a choice).'
    """
    names = [situation.name for situation in situations if situation.kind != BEST_DUEL.kind]
    if len(names) in (0, len(situations)):
        return ""
    return f"Best play changes nothing in: {', '.join(names)} (a single action without a choice)."
