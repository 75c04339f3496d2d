"""What best play of both sides makes of the situations of a comparison, and what it does not touch."""

from __future__ import annotations

from collections.abc import Sequence

from analyser.analysis.situations import BEST_DUEL, BEST_TRADE, BEST_TRADES, DUEL, Situation
from analyser.common.errors import InputError, check_choice

POLICIES_OF_DUELS = ("habit", "best")


def played_by(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """The same situations with the duel by ``habit``, or played ``best`` by both sides; InputError for another word."""
    check_choice(policy, "policy", POLICIES_OF_DUELS)
    return tuple(BEST_DUEL if policy == "best" and each == DUEL else each for each in situations)


def priced_by(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """The situations that prices are made of: by ``habit`` as they are, by ``best`` play with :data:`BEST_TRADES`."""
    check_choice(policy, "policy", POLICIES_OF_DUELS)
    return tuple(dict.fromkeys((*situations, *(BEST_TRADES if policy == "best" else ()))))


def check_best_is_played(policy: str, situations: Sequence[Situation]) -> None:
    """InputError where ``best`` is asked for, and nobody plays best in any of these situations (:func:`played_by`)."""
    if policy == "best" and len(names := _untouched(situations)) == len(situations):
        problem = f"best play has nothing to choose in {', '.join(names)}"
        raise InputError(problem, where="policy", allowed=f"habit; or the situation {DUEL.name} among others")


def told_of_best(situations: Sequence[Situation]) -> str:
    """What best play does not touch in these situations, as a sentence; nothing where nobody plays best.

    >>> from analyser.analysis.situations import CHARGE
    >>> told_of_best([CHARGE, BEST_DUEL])
    'A single act leaves nothing to choose, and is the same by habit and by best play: charge.'
    """
    names = _untouched(situations)
    if len(names) in (0, len(situations)):
        return ""
    return f"A single act leaves nothing to choose, and is the same by habit and by best play: {', '.join(names)}."


def _untouched(situations: Sequence[Situation]) -> list[str]:
    return [each.name for each in situations if each.kind not in (BEST_DUEL.kind, BEST_TRADE)]
