"""Public function for best play in a duel (`docs/best-play.md`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.profiles import ProfilesLike
from analyser.results.best import BestResult, solve_best_play
from analyser.rules.policies import BEST
from analyser.scenarios import load as scenarios
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import Question, Unit
from analyser.scenarios.schema import DuelTerms, WantName


def best_play(
    a: DuelScenario | Question | Unit,
    b: Unit | None = None,
    *,
    want: WantName = "win",
    against: str | Sequence[str] = BEST,
    profiles: ProfilesLike | None = None,
    **terms: Any,
) -> BestResult:
    """Return the best action of A in each state of a duel with B, and the cost of each tactic (`docs/best-play.md`).

    Parameters
    ----------
    a, b
        As in :func:`duel`. If `a` is a whole scenario, each side whose policy is ``best`` uses best play.
    want : str
        Objective that A maximises and B minimises: ``win``, ``margin``, ``points`` or ``survival``.
    against : str or sequence of str
        Policy of B: ``best``, a tactic, or a policy in words, such as ``charge if the enemy is suppressed``.
    **terms
        The other keys of ``[duel]``: rounds, first, distance, step.

    Returns
    -------
    BestResult
        The exact value, the plan, the cost of each tactic, and the result of :func:`duel` if A follows the plan.

    Raises
    ------
    InputError
        An unusable input, or a duel with too many states; the message names a remedy.

    Examples
    --------
    >>> found = best_play("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic", rounds=1, first="a")
    >>> [row["tactic"] for row in found.regrets() if row["cost"] < 1e-12]
    ['shoot']
    """
    parts = None
    if b is not None:
        for name in ("policy_a", "policy_b"):
            if name in terms:
                allowed = "against= for the policy of B; A always uses best play"
                raise InputError("best_play does not take this key", where=name, allowed=allowed)
        terms = {"policy_a": BEST, "policy_b": against, "want": want} | terms
        checked(DuelTerms, terms, where="duel")
        parts = {"duel": terms, "a": scenarios.section_of(a, "a"), "b": scenarios.section_of(b, "b")}
    return solve_best_play(scenarios.scenario_from(DuelScenario, a, parts, "b", terms, profiles))
