"""Duels with best play by both sides, for comparisons (the attacker moves first) and for prices."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.contest_cells import Cells, Over, Ways, cells_of
from analyser.analysis.grid import DefendingSide, blank_cells, combatant_of
from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.engine.fight.exact.distribution import Joint
from analyser.game.profiles import ProfilesLike
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.results.best import BestResult, solve_best_play
from analyser.results.states import JointStates, points_won
from analyser.rules.policies import BEST
from analyser.scenarios import load as scenarios
from analyser.scenarios.duel import DuelScenario, bits_of_wins
from analyser.scenarios.load import Question, Unit
from analyser.scenarios.schema import Combatant, DuelTerms, WantName

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation


_REMEMBERED = 1 << 16  # cached pairs, two short records each


def best_duel(scenario: DuelScenario, row: str | None) -> Ways:
    """Return a duel with best play by both sides; `row` is the row given for the attacker, if any."""
    try:
        end = _end_of(scenario)
    except InputError as error:
        return error.problem
    return [_over(end, scenario, row)]


def trades(attackers: Sequence[Loadout], defending: DefendingSide, situation: Situation) -> Cells:
    """Return the losses of each pair that starts a duel at the situation's distance, with best play for points.

    A toss decides in each round which side is first, so a pair and its reverse are one duel, solved once.
    """
    cells = blank_cells(len(attackers), len(defending.combatants))
    if defending.row is not None:
        cells["why_not"] = "both choose among all their rows: leave out the row"
        return cells
    sides = [combatant_of(attacker) for attacker in attackers]
    pairs = list(product(sides, defending.combatants))
    ways = list(dict.fromkeys(_in_order(*pair) for pair in pairs))
    with ThreadPoolExecutor(defending.threads) as pool:
        fought = dict(zip(ways, pool.map(partial(_traded, situation.distance, defending.ruleset), ways)))
    for at, pair in enumerate(pairs):
        way = _in_order(*pair)
        result = fought[way]
        if result.why_not:
            cells["why_not"].flat[at] = result.why_not
        else:
            cells.flat[at] = result.cells[0 if way == pair else 1]
    return cells


class _Traded(NamedTuple):
    """Result of a pair as a cell for each side, or the reason why it cannot fight."""

    cells: NDArray[np.void]
    why_not: str = ""


def _in_order(mine: Combatant, theirs: Combatant) -> tuple[Combatant, Combatant]:
    """Return the two sides in a fixed order."""
    first, second = sorted((mine, theirs), key=lambda unit: unit.unit or "")
    return first, second


def _traded(distance: float | None, ruleset: Ruleset, pair: tuple[Combatant, Combatant]) -> _Traded:
    return _traded_once(*pair, distance, ruleset.model_dump_json())


@lru_cache(maxsize=_REMEMBERED)
def _traded_once(a: Combatant, b: Combatant, distance: float | None, ruleset: str) -> _Traded:
    terms = DuelTerms(policy_a=BEST, policy_b=BEST, want="points", distance=distance)
    scenario = DuelScenario(terms, a, b, Ruleset.model_validate_json(ruleset))
    try:
        over = _over(_end_of(scenario), scenario)
    except InputError as error:
        return _Traded(blank_cells(1, 2)[0], error.problem)
    joint = over.distribution
    reverse = Joint(joint.second, joint.first, joint.probabilities.T)
    lost = 1.0 - over.p_attacker_wins - over.p_draw
    return _Traded(cells_of([over, Over(None, reverse, b, a, lost, over.p_draw)]))


def _end_of(scenario: DuelScenario) -> JointStates:
    from analyser.results.duel_solution import play_of  # a late import, because most comparisons do not need it

    return play_of(scenario).moments()[-1]


def _over(end: JointStates, scenario: DuelScenario, row: str | None = None) -> Over:
    """Return the results of a duel with this end."""
    a, b, terms = scenario.a, scenario.b, scenario.terms
    won = points_won(end.first, end.second, a, b, bits_of_wins(a, b, terms, 0))
    lost = points_won(end.second, end.first, b, a, bits_of_wins(b, a, terms, 1))
    p_wins, p_draw = (float(end.weights[where].sum()) for where in (won > lost, won == lost))
    (first, at), (second, to) = (np.unique(side, return_inverse=True) for side in (end.first, end.second))
    joint = Joint(first, second, np.zeros((len(first), len(second))))
    joint.probabilities[at, to] = end.weights
    return Over(row, joint, a, b, p_wins, p_draw)


def best_play(
    a: DuelScenario | Question | Unit,
    b: Unit | None = None,
    *,
    want: WantName = "win",
    against: str | Sequence[str] = BEST,
    profiles: ProfilesLike | None = None,
    **terms: Any,
) -> BestResult:
    """Return A's best action in each state of a duel with B, and the cost of each tactic (`docs/best-play.md`).

    Parameters
    ----------
    a, b
        As in :func:`duel`; a whole scenario names the sides that play best.
    want : str
        Objective of A, which B opposes: ``win``, ``margin``, ``points`` or ``survival``.
    against : str or sequence of str
        Play of B: ``best``, a tactic, or a policy in words.
    profiles
        As in :func:`attack`.
    **terms
        The other keys of ``[duel]``: rounds, first, distance, step.

    Returns
    -------
    BestResult
        The value, the plan, the cost of tactics, and the result of :func:`duel` under the plan. Exact.

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
                allowed = "against= sets the policy of B; A uses best play"
                raise InputError("stated in another way here", where=name, allowed=allowed)
        terms = {"policy_a": BEST, "policy_b": against, "want": want} | terms
        checked(DuelTerms, terms, where="duel")
        parts = {"duel": terms, "a": scenarios.section_of(a, "a"), "b": scenarios.section_of(b, "b")}
    return solve_best_play(scenarios.asked(DuelScenario, a, parts, "b", terms, profiles))
