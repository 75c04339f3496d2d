"""Duels with best play by both sides: for comparisons the attacker acts first, for prices the winner of a coin toss."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import DefendingSide, blank_cells, combatant_of
from analyser.analysis.two_sided_cells import Cells, FightEnd, RowResults, cells_of
from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.engine.fight.exact.distribution import Joint
from analyser.game.profiles import ProfilesLike
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.results.best import BestResult, solve_best_play
from analyser.results.states import points_won
from analyser.rules.policies import BEST
from analyser.scenarios import load as scenarios
from analyser.scenarios.duel import DuelScenario, bits_of_wins
from analyser.scenarios.load import Question, Unit
from analyser.scenarios.schema import Combatant, DuelTerms, WantName

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation


_CACHED_PAIRS = 1 << 16


def duel_with_best_play(scenario: DuelScenario, row: str | None) -> RowResults:
    """Return the result of a duel with best play, or the reason why it is impossible; `row` is the stated row."""
    try:
        return [end_of_duel(_final_distribution(scenario), scenario, row)]
    except InputError as error:
        return error.problem


def losses_with_best_play(attackers: Sequence[Loadout], defending: DefendingSide, situation: Situation) -> Cells:
    """Return the losses of each pair in a duel that starts at the distance of the situation.

    Both sides maximise victory points destroyed minus lost (objective ``points``). A coin toss decides in each round
    which side acts first. A pair and its reverse share one duel.
    """
    cells = blank_cells(len(attackers), len(defending.combatants))
    if defending.row is not None:
        cells["why_not"] = "with best play both sides choose among all their rows, so no row can be stated"
        return cells
    sides = [combatant_of(attacker) for attacker in attackers]
    pairs = list(product(sides, defending.combatants))
    ordered_pairs = list(dict.fromkeys(_ordered_pair(*pair) for pair in pairs))
    with ThreadPoolExecutor(defending.threads) as pool:
        solve = partial(_pair_result, situation.distance, defending.ruleset.model_dump_json())
        results = dict(zip(ordered_pairs, pool.map(solve, ordered_pairs)))
    for index, pair in enumerate(pairs):
        ordered = _ordered_pair(*pair)
        result = results[ordered]
        if result.why_not:
            cells["why_not"].flat[index] = result.why_not
        else:
            cells.flat[index] = result.cells[0 if ordered == pair else 1]
    return cells


class _PairResult(NamedTuple):
    """A cell for each side as the attacker, or the reason why the pair cannot fight."""

    cells: NDArray[np.void]
    why_not: str = ""


def _ordered_pair(unit: Combatant, other: Combatant) -> tuple[Combatant, Combatant]:
    """Return two units in an order that does not depend on the order of the arguments."""
    first, second = sorted((unit, other), key=lambda combatant: combatant.unit or "")
    return first, second


@lru_cache(maxsize=_CACHED_PAIRS)
def _pair_result(distance: float | None, ruleset: str, pair: tuple[Combatant, Combatant]) -> _PairResult:
    a, b = pair
    terms = DuelTerms(policy_a=BEST, policy_b=BEST, want="points", distance=distance)
    scenario = DuelScenario(terms, a, b, Ruleset.model_validate_json(ruleset))
    try:
        end = end_of_duel(_final_distribution(scenario), scenario)
    except InputError as error:
        return _PairResult(blank_cells(1, 2)[0], error.problem)
    joint = end.distribution
    reverse = Joint(joint.second, joint.first, joint.columns, joint.rows, joint.probabilities)
    p_loses = 1.0 - end.p_attacker_wins - end.p_draw
    return _PairResult(cells_of([end, FightEnd(None, reverse, b, a, p_loses, end.p_draw)]))


def _final_distribution(scenario: DuelScenario) -> Joint:
    from analyser.results.duel_solution import solved_duel  # a late import, because most comparisons do not need it

    final = solved_duel(scenario).moments()[-1]
    (first, rows), (second, columns) = (np.unique(side, return_inverse=True) for side in (final.first, final.second))
    return Joint(first, second, rows, columns, final.weights)


def end_of_duel(pmf: Joint, duel: DuelScenario, row: str | None = None) -> FightEnd:
    """Return the end of a duel, with the probabilities that A wins and of a draw (AC-9.4)."""
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
        As in :func:`duel`. If `a` is a whole scenario, best play is used by each side with the policy ``best``.
    want : str
        Objective that A maximises and B minimises: ``win``, ``margin``, ``points`` or ``survival``.
    against : str or sequence of str
        Policy of B: ``best``, a tactic, or a policy in words, such as ``charge if the enemy is suppressed``.
    **terms
        The other keys of ``[duel]``: rounds, first, distance, step.

    Returns
    -------
    BestResult
        The exact value, the plan, the cost of each tactic, and the result of :func:`duel` under the plan.

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
