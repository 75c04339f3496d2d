"""Duels with best play by both sides; in comparisons the attacker acts first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analyser.analysis.two_sided_cells import FightEnd, RowResults
from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.engine.fight.exact.distribution import Joint
from analyser.game.profiles import ProfilesLike
from analyser.results.best import BestResult, solve_best_play
from analyser.results.states import points_won
from analyser.rules.policies import BEST
from analyser.scenarios import load as scenarios
from analyser.scenarios.duel import DuelScenario, bits_of_wins
from analyser.scenarios.load import Question, Unit
from analyser.scenarios.schema import DuelTerms, WantName


def duel_with_best_play(scenario: DuelScenario, row: str | None) -> RowResults:
    """Return the result of a duel with best play, or why there is none; `row` is the stated row of armaments."""
    try:
        return [end_of_duel(_final_distribution(scenario), scenario, row)]
    except InputError as error:
        return error.problem


def _final_distribution(scenario: DuelScenario) -> Joint:
    from analyser.results.duel_solution import solved_duel  # a late import, because most comparisons do not need it

    final = solved_duel(scenario).moments()[-1]
    (first, rows), (second, columns) = (np.unique(side, return_inverse=True) for side in (final.first, final.second))
    return Joint(first, second, rows, columns, final.weights)


def end_of_duel(pmf: Joint, duel: DuelScenario, row: str | None = None) -> FightEnd:
    """Return the end of a duel, with the probabilities of a win by A and of a draw (AC-9.4)."""
    a, b, first, second = duel.a, duel.b, pmf.first[pmf.rows], pmf.second[pmf.columns]
    won = points_won(first, second, a, b, bits_of_wins(a, b, duel.terms, 0))
    lost = points_won(second, first, b, a, bits_of_wins(b, a, duel.terms, 1))
    p_wins, p_draw = (float(pmf.probabilities[where].sum()) for where in (won > lost, won == lost))
    return FightEnd(row, pmf, a, b, p_wins, p_draw)


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
