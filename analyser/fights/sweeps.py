"""Many fights at once, each in a few figures: charges and duels of every unit of one list with every one of another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analyser.errors import InputError
from analyser.fights import endings as read
from analyser.fights.charge import charge_program, charge_start
from analyser.fights.combatant import Combatant
from analyser.fights.duel import DuelTerms, duel_program, duel_start
from analyser.fights.endings import Endings
from analyser.fights.running import How, run
from analyser.ruleset import Ruleset, load_ruleset

CHARGE_SUMMARY = np.dtype(
    [
        (name, np.float64)
        for name in (
            "p_won", "p_lost", "p_stalemate", "p_no_combat", "mean_target_models_destroyed",
            "mean_attacker_models_destroyed", "p_target_annihilated", "p_attacker_annihilated",
        )
    ]
)  # fmt: skip
"""One charge in a few figures; all NaN where it cannot be made."""

DUEL_SUMMARY = np.dtype(
    [
        (name, np.float64)
        for name in (
            "p_a_wins", "p_draw", "p_b_wins", "expected_margin", "p_a_alive", "p_b_alive", "mean_a_models_left",
            "mean_b_models_left",
        )
    ]
)  # fmt: skip
"""One duel in a few figures; all NaN where it cannot be fought."""

_EXACTLY = How()


def charge_summaries(
    attackers: Sequence[Combatant], targets: Sequence[Combatant], ruleset: Ruleset | None = None
) -> NDArray[np.void]:
    """Exact figures of the charge of every attacker at every target (AC-8).

    Parameters
    ----------
    attackers, targets : sequences of Combatant
        Resolved (:func:`~analyser.fights.combatant.resolve_combatant`).
    ruleset : Ruleset, optional
        Left out: the shipped one.

    Returns
    -------
    array of CHARGE_SUMMARY, shape (attackers, targets)
        NaN in every figure where the charge cannot be made.
    """
    rules = ruleset or load_ruleset()
    found = np.full((len(attackers), len(targets)), np.nan).astype(CHARGE_SUMMARY)
    for row, attacker in enumerate(attackers):
        for column, target in enumerate(targets):
            try:
                setup, operations = charge_program(attacker, target)
            except InputError:
                continue
            setup.sides["hunter"] = 1  # combats won are counted for everybody: they tell how the first one went
            (endings,) = run(setup, [operations], charge_start(setup), rules, _EXACTLY)
            found[row, column] = _charged(endings, attacker, target)
    return found


def _charged(endings: Endings, attacker: Combatant, target: Combatant) -> tuple[float, ...]:
    result = read.results_of_charge(endings.first)
    chances = [endings.chance(result == name).probability for name in read.CHARGE_RESULTS]
    lost = (
        endings.mean(read.models_destroyed(words, unit.models or 0))[0]
        for words, unit in ((endings.second, target), (endings.first, attacker))
    )
    gone = (endings.chance(read.is_removed(words)).probability for words in (endings.second, endings.first))
    return (*chances, *lost, *gone)


def duel_summaries(
    a: Sequence[Combatant], b: Sequence[Combatant], terms: DuelTerms | None = None, ruleset: Ruleset | None = None
) -> NDArray[np.void]:
    """Exact figures of the duel of every unit of `a` with every one of `b` (AC-9.2).

    Parameters
    ----------
    a, b : sequences of Combatant
        Resolved (:func:`~analyser.fights.combatant.resolve_combatant`).
    terms : DuelTerms, optional
        Left out: six rounds, a toss in each, both aim and shoot.
    ruleset : Ruleset, optional
        Left out: the shipped one.

    Returns
    -------
    array of DUEL_SUMMARY, shape (units of a, units of b)
        NaN in every figure where the duel cannot be fought; a rating that is not known counts as 1 VP.
    """
    rules, terms = ruleset or load_ruleset(), terms or DuelTerms()
    found = np.full((len(a), len(b)), np.nan).astype(DUEL_SUMMARY)
    for row, one in enumerate(a):
        for column, other in enumerate(b):
            try:
                setup, rounds = duel_program(one, other, terms, rules)
            except InputError:
                continue
            *_, last = run(setup, rounds, duel_start(setup, (one, other)), rules, _EXACTLY)
            found[row, column] = _fought(last, one, other)
    return found


def _fought(endings: Endings, a: Combatant, b: Combatant) -> tuple[float, ...]:
    words = endings.first, endings.second
    margin = read.points_won(words[0], words[1], a, b) - read.points_won(words[1], words[0], b, a)
    results = (endings.chance(event).probability for event in (margin > 0, margin == 0, margin < 0))
    alive = (endings.chance(~read.is_removed(each)).probability for each in words)
    left = (endings.mean(read.models_left(each))[0] for each in words)
    return (*results, endings.mean(margin)[0], *alive, *left)
