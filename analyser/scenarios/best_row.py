"""Which row to fire: the best of those that fit, when nobody has named one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.engine.attack.sweep import sweep
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Row
from analyser.rules.structs import ATTACK, TARGET, AttackFacts, TargetFacts
from analyser.scenarios.attack import attack_record, shared_target_record
from analyser.scenarios.resolve import resolve_attack
from analyser.scenarios.schema import Attack, Target

RANKED_BY = {
    "mean_models_destroyed": "expected models destroyed",
    "p_annihilated": "probability of annihilation",
    "mean_damage": "expected damage",
}
"""The figures that decide between rows, the first one first; of rows equal in all: the first on the card."""


def best_of(summaries: NDArray[np.void]) -> NDArray[np.int64]:
    """The place of the best of several attacks on each target by :data:`RANKED_BY`, of equals the first: (targets,).

    `summaries`: shape (attacks, targets), NaN where an attack cannot be made; -1 where none can.
    """
    best = np.full(summaries.shape[1], -1, np.int64)
    highest = np.full((len(RANKED_BY), summaries.shape[1]), -1.0)
    for place, attack in enumerate(summaries):
        figures = np.array([np.nan_to_num(attack[name], nan=-1.0) for name in RANKED_BY])
        better, equal = np.zeros(len(best), np.bool_), np.ones(len(best), np.bool_)
        for figure, other in zip(figures, highest):
            better |= equal & (figure > other + CERTAIN_WITHIN)
            equal &= np.abs(figure - other) <= CERTAIN_WITHIN
        best[better] = place
        highest[:, better] = figures[:, better]
    return best


def summaries_of(attacks: Sequence[AttackFacts], target: TargetFacts, ruleset: Ruleset) -> NDArray[np.void]:
    """Exact summaries of several attacks on one target; NaN for those without dice."""
    return sweep(
        np.array(attacks, ATTACK),
        np.array([target], TARGET),
        np.array([[attack.dice > 0] for attack in attacks]),
        np.array(ruleset.die.faces, np.int64),
        ruleset.deck.counts(),
    )


def best_row(
    attack: Attack, attacker: Loadout, target: Target, ruleset: Ruleset, rows: Sequence[Row]
) -> tuple[Row, str]:
    """Which of some rows that fit does best against a resolved target, exactly; and in a sentence why."""
    candidates, records = _candidates(attack, attacker, rows)
    summaries = summaries_of(records, shared_target_record(target), ruleset)
    best = int(best_of(summaries)[0])
    return candidates[best], _reason(candidates, best, summaries[:, 0])


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
