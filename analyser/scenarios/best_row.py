"""Which row to fire: the best of those that fit, when nobody has named one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.engine.attack.sweep import sweep
from analyser.game.profiles import load_ruleset
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Row
from analyser.rules.structs import ATTACK, TARGET, AttackFacts
from analyser.scenarios.encode import attack_record, target_record
from analyser.scenarios.resolve import resolve_attack, resolve_target
from analyser.scenarios.rows import fitting_rows, no_row_fits
from analyser.scenarios.schema import Attack, Target

RANKED_BY = {
    "mean_models_destroyed": "expected models destroyed",
    "p_annihilated": "chance to annihilate",
    "mean_damage": "expected damage",
}
"""The figures that decide between rows, the first one first; of rows equal in all: the first on the card."""


class RowChoice(NamedTuple):
    """A row, and in a sentence why it was taken."""

    row: Row
    reason: str


def best_of(summaries: NDArray[np.void]) -> NDArray[np.int64]:
    """Which of several attacks is the best one on each target.

    Parameters
    ----------
    summaries : array of SUMMARY, shape (attacks, targets)
        NaN where an attack cannot be made.

    Returns
    -------
    int64 array, shape (targets,)
        The place of the attack with the most expected models destroyed; of equals the one with the highest
        probability to annihilate; then the one with the most expected damage; then the first. -1 where none can
        be made.
    """
    best = np.full(summaries.shape[1], -1, np.int64)
    best_figures = np.full((len(RANKED_BY), summaries.shape[1]), -1.0)
    for place, attack in enumerate(summaries):
        figures = np.array([np.nan_to_num(attack[name], nan=-1.0) for name in RANKED_BY])
        better = _exceeds(figures, best_figures)
        best[better] = place
        best_figures[:, better] = figures[:, better]
    return best


def _exceeds(figures: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where `figures` beat `others`: by the first figure in which they differ."""
    better = np.zeros(figures.shape[1], np.bool_)
    equal = np.ones(figures.shape[1], np.bool_)
    for figure, other in zip(figures, others):
        better |= equal & (figure > other + CERTAIN_WITHIN)
        equal &= np.abs(figure - other) <= CERTAIN_WITHIN
    return better


def best_row(
    attack: Attack, attacker: Loadout, target: Target, ruleset: Ruleset | None = None, rows: Sequence[Row] | None = None
) -> RowChoice:
    """The row of `attacker` that does best against `target`, exactly.

    Best is the most expected models destroyed; of equals the highest probability to annihilate; then the most
    expected damage (no one attack destroys a fresh behemoth); then the first on the card.

    Parameters
    ----------
    attack : Attack
        Its conditions; its `row` is not looked at.
    attacker : Loadout
    target : Target
        Resolved or not.
    ruleset : Ruleset, optional
        Default: the shipped one.
    rows : sequence of Row, optional
        Default: every row that can make this attack.

    Raises
    ------
    InputError
        No row can make this attack.

    Examples
    --------
    >>> from analyser import load_profiles
    >>> landship = load_profiles().loadout("crown/monarch-landship")
    >>> tanks = Target(models=4, defence=3, damage_limit=3, category="heavy")
    >>> best_row(Attack(), landship, tanks).row.id
    'ranged-light-heavy'
    """
    resolved = target if target.formation else resolve_target(target, None)
    fitting = fitting_rows(attack, attacker, resolved) if rows is None else rows
    if not fitting:
        raise no_row_fits(attack, attacker, resolved)
    candidates, records = _candidates(attack, attacker, fitting)
    rules = ruleset or load_ruleset()
    summaries = sweep(
        np.array(records, ATTACK),
        np.array([target_record(resolved)], TARGET),
        np.ones((len(candidates), 1), np.bool_),
        np.array(rules.die.faces, np.int64),
        rules.deck.counts(),
    )
    best = int(best_of(summaries)[0])
    return RowChoice(candidates[best], _reason(candidates, best, summaries[:, 0]))


def _candidates(attack: Attack, attacker: Loadout, rows: Sequence[Row]) -> tuple[list[Row], list[AttackFacts]]:
    """The rows that have the qualities which `attack` makes use of (Overcharge, Turret), and their records."""
    candidates, records, refusals = [], [], []
    for row in rows:
        try:
            resolved = resolve_attack(attack, attacker, row)
        except InputError as error:
            refusals.append(error)
            continue
        candidates.append(row)
        records.append(attack_record(resolved, attacker.unit))
    if not candidates:
        raise refusals[0]
    return candidates, records


def _reason(rows: Sequence[Row], best: int, summaries: NDArray[np.void]) -> str:
    """Why that one: the figure in which it is ahead of every other row, and theirs."""
    if len(rows) == 1:
        return f"row {rows[0].id!r} is the only one that can make this attack"
    others = [place for place in range(len(rows)) if place != best]
    for name, what in RANKED_BY.items():
        figures = summaries[name]
        if (figures[best] > figures[others] + CERTAIN_WITHIN).all():
            rivals = ", ".join(f"{rows[place].id} {figures[place]:.3g}" for place in others)
            return f"row {rows[best].id!r} has the highest {what}: {figures[best]:.3g} ({rivals})"
    rivals = ", ".join(repr(rows[place].id) for place in others)
    return f"row {rows[best].id!r} is the first of the best (compared with {rivals})"
