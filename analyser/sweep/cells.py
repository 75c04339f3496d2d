"""Computation of cells of a sweep: the fights of a block, whose rows are attackers and whose columns are defenders.

Attackers and targets are records that can be compared, so equal ranged attacks are computed only once. A varied value
of a defender, such as DEFENCE, is a field of its record, so a million varied defenders need only a few arrays.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.grid import TARGET_STATE, DefendingSide, prepare_kernels
from analyser.analysis.situations import shots_of
from analyser.common.errors import InputError
from analyser.common.kernel_records import Integers
from analyser.engine.attack.summaries import SUMMARY, DistinctSummaries, distinct_summaries
from analyser.game.units import Loadout
from analyser.rules.structs import ATTACK, CATEGORIES, TARGET
from analyser.scenarios.attack import RANKED_BY, attack_records, best_by_figures, target_record
from analyser.scenarios.resolve import resolve_target
from analyser.sweep.plan import TARGET_NUMBERS, CellBlock, Plan

_MOST_VARIED = 2_000  # largest number of changed loadouts kept in memory; some 20 kB each
Texts = NDArray[np.object_]  # texts or None


class Cells(NamedTuple):
    """Cells of a block, attacker by attacker."""

    figures: dict[str, NDArray[np.float64]]
    rows: Texts  # the row of armaments that each cell uses, or None
    reasons: Texts  # why each cell lacks figures, or None


class _AttackerShots(NamedTuple):
    """Shots of the attackers of a block; attacker i has the shots ``firsts[i]`` to ``firsts[i + 1] - 1``."""

    attacks: NDArray[np.void]  # the attack of each shot
    possible: NDArray[np.bool_]  # (shots, categories): True if the shot may target the category
    row_ids: list[str]  # the row of armaments of each shot
    firsts: Integers
    why_not: Texts  # (attackers, categories): the reason if no shot is possible, else None


class _DistinctTargets(NamedTuple):
    """Distinct defenders of a block, and for each of its columns the defender, or why it cannot exist."""

    targets: NDArray[np.void]
    target_of: Integers  # index in `targets`, by column
    why_not: Texts  # the reason if the defender cannot exist, else None, by column


def shot_cells(plan: Plan, block: CellBlock) -> Cells:
    """Return the cells of a block of ranged attacks: each attacker shoots once, with its best row."""
    ruleset = plan.rulesets[block.ruleset]
    attackers = _attacker_shots(plan, block)
    defenders = _distinct_targets(plan, block.columns)
    faces, deck = np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()
    records = attack_records(ruleset, attackers.attacks)
    target_of, exists = defenders.target_of, pd.isna(defenders.why_not)
    can_exist = np.isin(np.arange(len(defenders.targets)), target_of[exists])
    possible = attackers.possible[:, defenders.targets["category"]] & can_exist
    distinct = distinct_summaries(records, defenders.targets, possible, faces, deck)
    summaries, shots = _best_shots(distinct, attackers.firsts)
    row_ids = np.array([*attackers.row_ids, None], object)  # None is last, so that shot -1 (no shot) has no row
    rows = row_ids[np.where(exists, shots[:, target_of], -1)]
    no_shot = attackers.why_not[:, defenders.targets["category"]]
    no_shot[shots >= 0] = None
    reasons = np.where(exists, no_shot[:, target_of], defenders.why_not)
    indices = np.where(exists, summaries[:, target_of], -1).ravel()
    unknown = np.full(len(indices), np.nan)  # a figure that only charges and duels have
    figures = {
        name: distinct.summaries[name][indices] if name in (SUMMARY.names or ()) else unknown
        for name in plan.file.computed_figures
    }
    return Cells(figures, rows.ravel(), reasons.ravel())


def _best_shots(distinct: DistinctSummaries, firsts: Integers) -> tuple[Integers, Integers]:
    """Return by attacker and target the indices of the best shot's summary (figures) and of this shot; -1 if none.

    Shots are compared by the figures of :data:`RANKED_BY` in turn; the first of equal shots is the best.
    """
    shape = len(firsts) - 1, distinct.which.shape[1]
    summaries, shots = np.full(shape, -1), np.full(shape, -1)
    for attacker, (first, last) in enumerate(pairwise(firsts)):
        which = distinct.which[first:last]
        best = best_by_figures(np.array([distinct.summaries[name][which] for name in RANKED_BY]))
        (targets,) = np.nonzero(best >= 0)
        summaries[attacker, targets] = which[best[targets], targets]
        shots[attacker, targets] = first + best[targets]
    return summaries, shots


def _attacker_shots(plan: Plan, block: CellBlock) -> _AttackerShots:
    attacks, possible, names, firsts, reasons = [], [], [], [0], list[list[str | None]]()
    for position in block.rows:
        attacker = varied_loadout(plan, block.faction, position)
        if isinstance(attacker, str):
            reasons.append([attacker] * len(CATEGORIES))
        else:
            shots, why_not = shots_of(position, attacker, block.situation, None)
            can_shoot = [any(shot.reasons[index] is None for shot in shots) for index in range(len(CATEGORIES))]
            reasons.append([None if can else why for can, why in zip(can_shoot, why_not)])
            attacks += [shot.facts for shot in shots]
            possible += [[reason is None for reason in shot.reasons] for shot in shots]
            names += [shot.row.id for shot in shots]
        firsts.append(len(names))
    masks, starts = np.array(possible, np.bool_).reshape(-1, len(CATEGORIES)), np.array(firsts, np.int64)
    return _AttackerShots(np.array(attacks, ATTACK), masks, names, starts, np.array(reasons, object))


@lru_cache(maxsize=2)  # successive parts often have the same columns
def _distinct_targets(plan: Plan, columns: range) -> _DistinctTargets:
    numbers = plan.file.defenders.numbers
    defenders, values = plan.axis_indices(None, columns)
    first = defenders[0]
    bases = np.array([_target(plan, first + index) for index in range(defenders[-1] - first + 1)], TARGET)
    for number in numbers:
        if number.key in TARGET_NUMBERS and not number.is_added:
            bases[number.key] = 0  # overwritten below, so defenders that differ only in this number become equal
    _, examples, classes = np.unique(
        bases.view(np.int64).reshape(len(bases), -1), axis=0, return_index=True, return_inverse=True
    )
    shape = len(examples), *(len(number.values) for number in numbers)
    combined = np.ravel_multi_index((classes.ravel()[defenders - first], *values), shape)
    distinct, target_of = np.unique(combined, return_inverse=True)
    class_indices, *value_indices = np.unravel_index(distinct, shape)
    targets, why_not = bases[examples][class_indices], np.full(len(columns), None, object)
    for number, value, indices in zip(numbers, values, value_indices):
        if number.key in TARGET_NUMBERS:
            changed = np.array(number.values, np.int64)[indices]
            targets[number.key] = targets[number.key] * number.is_added + changed
        problems = np.array([_problems(plan, first + index, number.key) for index in range(len(bases))], object)
        why_not = np.where(pd.isna(why_not), problems[defenders - first, value], why_not)
    return _DistinctTargets(targets, target_of, why_not)


@lru_cache(maxsize=4096)
def _target(plan: Plan, defender: int) -> Any:
    return target_record(resolve_target(TARGET_STATE, plan.defenders[defender]))


@lru_cache(maxsize=8192)
def _problems(plan: Plan, defender: int, key: str) -> tuple[str | None, ...]:
    """Return for each value of a varied number the reason why a defender cannot have it; None if it can."""
    number = next(number for number in plan.file.defenders.numbers if number.key == key)
    problems: list[str | None] = []
    for index in range(len(number.values)):
        changes: Any = {key: number.change(index)}
        try:
            plan.defenders[defender].with_(**changes)
            problems.append(None)
        except InputError as error:
            problems.append(str(error))
    return tuple(problems)


@lru_cache(maxsize=_MOST_VARIED)
def varied_loadout(plan: Plan, faction: str | None, position: int) -> Loadout | str:
    """Return a faction's attacker in a row (None: the defender in a column), or the reason why it cannot exist."""
    section, loadouts = plan.section_and_loadouts(faction)
    (index,), values = plan.axis_indices(faction, range(position, position + 1))
    loadout: Loadout = loadouts[index]
    changes: dict[str, Any] = {number.key: number.change(value) for number, (value,) in zip(section.numbers, values)}
    try:
        return loadout.with_(**changes) if changes else loadout
    except InputError as error:
        return str(error)


def fight_cells(plan: Plan, block: CellBlock) -> Cells:
    """Return the cells of a block of charges or duels."""
    sides = [_varied_loadouts(plan, block.faction, block.rows), _varied_loadouts(plan, None, block.columns)]
    shape = len(sides[0]), len(sides[1])
    figures = {name: np.full(shape, np.nan) for name in plan.file.computed_figures}
    problems = [np.array([unit if isinstance(unit, str) else None for unit in side], object) for side in sides]
    rows, reasons = np.full(shape, None, object), np.where(pd.isna(problems[1]), problems[0][:, None], problems[1])
    existing = [[index for index, unit in enumerate(side) if isinstance(unit, Loadout)] for side in sides]
    if all(existing):
        attackers = [unit for unit in sides[0] if isinstance(unit, Loadout)]
        fight, defending = block.situation.fight, _defending_side(plan, block.ruleset, block.columns)
        prepare_kernels([(fight, len(attackers) * len(defending.defenders))])
        cells = fight.cells(attackers, defending, block.situation)
        possible = np.ix_(*existing)
        for name, values in figures.items():
            values[possible] = cells[name]
        rows[possible], reasons[possible] = cells["row"], cells["why_not"]
    return Cells({name: values.ravel() for name, values in figures.items()}, rows.ravel(), reasons.ravel())


def _varied_loadouts(plan: Plan, faction: str | None, positions: range) -> list[Loadout | str]:
    return [varied_loadout(plan, faction, position) for position in positions]


@lru_cache(maxsize=2)  # successive parts often have the same defenders
def _defending_side(plan: Plan, ruleset: str, columns: range) -> DefendingSide:
    defenders = (unit for unit in _varied_loadouts(plan, None, columns) if isinstance(unit, Loadout))
    return DefendingSide(tuple(defenders), plan.rulesets[ruleset], None, 1)
