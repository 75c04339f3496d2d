"""Ranged attacks of some attackers on every defender: which rows can, and the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import Cells, Field, Fight, no_results
from analyser.analysis.selection import rows_called
from analyser.engine.attack.sweep import SUMMARY, sweep
from analyser.game import keywords
from analyser.game.units import Loadout, Row
from analyser.rules.attack import attack_dice
from analyser.rules.structs import ATTACK, CATEGORIES, TARGET, AttackFacts
from analyser.scenarios.attack import attack_record, target_record
from analyser.scenarios.best_row import best_of
from analyser.scenarios.resolve import resolve_attack, why_not
from analyser.scenarios.schema import Target

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation

_ONE_OF_EACH_CATEGORY = tuple(Target.model_validate({"category": each}) for each in CATEGORIES)


class _Shot(NamedTuple):
    """One row of one attacker."""

    row: Row
    facts: AttackFacts
    reasons: tuple[str | None, ...]  # by target category: why it cannot be made


class _Choice(NamedTuple):
    """The shots of one attacker: places `start` to `stop` of all shots."""

    start: int
    stop: int
    reasons: tuple[str, ...]  # by target category: why none of them can be made


def shoot(attackers: Sequence[Loadout], field: Field, situation: Situation) -> Cells:
    """What each attacker does to each defender by one ranged attack with its best row, or the one asked for."""
    shots: list[_Shot] = []
    choices = []
    for attacker in attackers:
        found, reasons = _shots_of(attacker, situation, field.row)
        choices.append(_Choice(len(shots), len(shots) + len(found), reasons))
        shots += found
    summaries = _swept(shots, field)
    chosen = _chosen(choices, summaries)
    figures = np.full(chosen.shape, np.nan).astype(SUMMARY)
    attacker_places, defender_places = np.nonzero(chosen >= 0)
    figures[attacker_places, defender_places] = summaries[chosen[attacker_places, defender_places], defender_places]
    rows, dice = _rows_and_dice(chosen, shots, field)
    why = np.array([choice.reasons for choice in choices], object)[:, field.categories]
    return Cells(figures, rows, dice, np.where(chosen < 0, why, np.array(None)), no_results(chosen.shape))


def _shots_of(attacker: Loadout, situation: Situation, asked: str | None) -> tuple[list[_Shot], tuple[str, ...]]:
    """The shots of one attacker; by category why none of them can be made."""
    rows = [each for each in attacker.unit.rows if each.kind == "ranged"]
    rows = rows if asked is None else rows_called(asked, attacker)
    shots = []
    why: list[list[str]] = [[] for _ in CATEGORIES]
    for row in rows:
        attack = situation.attack(row)
        reasons = [why_not(row, attack, attacker, target) for target in _ONE_OF_EACH_CATEGORY]
        for category, reason in enumerate(reasons):
            why[category].append(f"{row.id}: {reason}")
        if None in reasons:
            resolved = resolve_attack(attack, attacker, row)
            facts = attack_record(resolved, attacker.unit)
            shots.append(_Shot(row, facts, tuple(reasons)))
    nothing = f"it has no row {asked!r}" if asked else "it has no ranged row"
    return shots, tuple("; ".join(reasons) or nothing for reasons in why)


def _swept(shots: Sequence[_Shot], field: Field) -> NDArray[np.void]:
    """The summaries of every shot on every target: shape (shots, targets)."""
    attacks = np.array([shot.facts for shot in shots], ATTACK)
    facts = np.array([target_record(target) for target in field.targets], TARGET)
    possible = np.array([[reason is None for reason in shot.reasons] for shot in shots], np.bool_)
    possible = possible.reshape(-1, len(CATEGORIES))[:, field.categories]
    die, deck = np.array(field.ruleset.die.faces, np.int64), field.ruleset.deck.counts()
    return sweep(attacks, facts, possible, die, deck, threads=field.threads)


def _chosen(choices: Sequence[_Choice], summaries: NDArray[np.void]) -> NDArray[np.int64]:
    """The place of the best shot, -1 where there is none: shape (attackers, defenders)."""
    best = np.full((len(choices), summaries.shape[1]), -1, np.int64)
    for place, choice in enumerate(choices):
        of_these = best_of(summaries[choice.start : choice.stop])
        best[place] = np.where(of_these < 0, -1, of_these + choice.start)
    return best


def _rows_and_dice(
    chosen: NDArray[np.int64], shots: Sequence[_Shot], field: Field
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The row that fires and the dice it rolls, which a target's category can decide (Shock, Wreckers)."""
    one_of = {int(category): target_record(target) for category, target in zip(field.categories, field.targets)}
    dice = np.zeros((len(shots) + 1, len(CATEGORIES)), object)
    for place, shot in enumerate(shots):
        for category, target in one_of.items():
            dice[place, category] = attack_dice(shot.facts, target)
    dice[-1] = None  # where -1 points
    rows = np.array([*(shot.row.id for shot in shots), None], object)
    return rows[chosen], dice[chosen, field.categories]


FIGHT = Fight(shoot, keywords.RANGED_ATTACK, cost=10)
