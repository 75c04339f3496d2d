"""Exact points that each row of a unit's armaments destroys, by distance; attacks change only at a few distances."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np

from analyser.analysis.grid import DefendingSide
from analyser.analysis.matchups import Matchups
from analyser.analysis.situations import ONE_OF_EACH_CATEGORY
from analyser.game.units import Category, Loadout, Row, unit_of
from analyser.rules.structs import CATEGORIES
from analyser.scenarios.attack import attack_record
from analyser.scenarios.resolve import resolve_attack, why_not
from analyser.scenarios.schema import Attack

CHARGE_LINE = "a charge"  # name of the line for a charge
_CATEGORIES: tuple[str, ...] = get_args(Category)


class Step(NamedTuple):
    """Distances in inches, above `first` and up to `last`, and the points destroyed at these distances."""

    first: float
    last: float
    destroys: float


class Line(NamedTuple):
    """Points destroyed by a row of armaments, or by a charge, as one step for each interval of distances."""

    name: str
    steps: tuple[Step, ...]


class Curve(NamedTuple):
    """Points that 100 points of a unit destroy in an unaimed attack on a target category, by distance.

    The points are means over the enemies of this category (their number is `targets`) and over the unit's levels.
    """

    category: str
    targets: int
    lines: tuple[Line, ...]


class _RowAtDistances(NamedTuple):
    """A row at distances above `first` and up to `last`; `can_attack` has a flag for each target category."""

    attacker: Loadout
    row: Row
    first: float
    last: float
    facts: Any
    can_attack: tuple[bool, ...]


def curves(answer: Matchups, threads: int = 1) -> dict[str, tuple[Curve, ...]]:
    """Return the curves of each unit (selector without a level), one for each category in which it destroys points."""
    figures: dict[tuple[str, str, str], dict[tuple[float, float], list[float]]] = defaultdict(lambda: defaultdict(list))
    targets: dict[tuple[str, str], int] = {}
    for attackers, defenders in _with_same_defenders(answer):
        numbers = Counter(loadout.unit.category for loadout in defenders)
        targets |= {(unit_of(one.selector), category): numbers[category] for one in attackers for category in numbers}
        for shot, category, destroys in _destroyed_by_shots(answer, attackers, defenders, threads):
            unit = unit_of(shot.attacker.selector)
            figures[unit, category, _line_name(shot)][shot.first, shot.last].append(destroys)
    for unit, category, reach, destroys in _destroyed_by_charges(answer):
        figures[unit, category, CHARGE_LINE][0.0, reach].append(destroys)
    lines: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for (unit, category, name), steps in figures.items():
        line = Line(name, tuple(Step(*ends, float(np.mean(values))) for ends, values in sorted(steps.items())))
        lines[unit, category].append(line)
    return {
        unit: tuple(
            Curve(category, targets[unit, category], tuple(lines[unit, category]))
            for category in _CATEGORIES
            if any(step.destroys > 0 for line in lines.get((unit, category), ()) for step in line.steps)
        )
        for unit in dict.fromkeys(unit for unit, _ in lines)
    }


def _line_name(shot: _RowAtDistances) -> str:
    names = [row.name for row in shot.attacker.unit.rows]
    return shot.row.name if names.count(shot.row.name) == 1 else f"{shot.row.name} {shot.row.ranges}"


def _with_same_defenders(answer: Matchups) -> Iterator[tuple[list[Loadout], list[Loadout]]]:
    """Yield the attackers that have the same defenders, and these defenders, without loadouts that have no points."""
    sides = {loadout.selector: loadout for loadout in (*answer.attackers, *answer.defenders) if loadout.level.points}
    part = answer.frame[answer.frame["situation"] == answer.situations[0].name]
    targets = {str(name): tuple(names) for name, names in part.groupby("attacker", sort=False)["defender"]}
    for defenders in dict.fromkeys(targets.values()):
        attackers = [sides[name] for name, names in targets.items() if names == defenders and name in sides]
        yield attackers, [sides[defender] for defender in defenders if defender in sides]


def _shots_of(attacker: Loadout) -> Iterator[_RowAtDistances]:
    """Yield each ranged row with each interval of distances in which its attack is constant."""
    fumes = attacker.unit.keyword("Corrosive Fumes")
    for row in attacker.unit.rows:
        if row.kind != "ranged":
            continue
        distances = {row.short_range, row.long_range, None if fumes is None else float(fumes.x)}
        ends = sorted(end for end in distances if end is not None and 0 < end <= (row.long_range or 0))
        for first, last in zip([0.0, *ends], ends):
            attack = Attack(distance=last)
            can_attack = tuple(why_not(row, attack, attacker, target) is None for target in ONE_OF_EACH_CATEGORY)
            if any(can_attack):
                facts = attack_record(resolve_attack(attack, attacker, row), attacker.unit)
                yield _RowAtDistances(attacker, row, first, last, facts, can_attack)


def _destroyed_by_shots(
    answer: Matchups, attackers: Sequence[Loadout], defenders: Sequence[Loadout], threads: int
) -> Iterator[tuple[_RowAtDistances, str, float]]:
    """Yield each shot, each category that it can attack, and the mean points that 100 points of the unit destroy."""
    shots = [shot for attacker in attackers for shot in _shots_of(attacker)]
    defending = DefendingSide(tuple(defenders), answer.ruleset, None, threads)
    if not shots or not defenders:
        return
    categories = np.array([CATEGORIES.index(target.category or "light") for target in defending.targets])
    possible = np.array([shot.can_attack for shot in shots], np.bool_)[:, categories]
    summaries = defending.summaries([shot.facts for shot in shots], possible)
    target_points = np.array([defender.level.points for defender in defenders], np.float64)
    for shot, line in zip(shots, summaries["mean_share_lost"] * target_points):
        for number, can_attack in enumerate(shot.can_attack):
            values = line[categories == number]
            if can_attack and len(values):
                yield shot, CATEGORIES[number], float(values.mean()) * 100 / (shot.attacker.level.points or 1)


def _destroyed_by_charges(answer: Matchups) -> Iterator[tuple[str, str, float, float]]:
    """Yield each attacker's unit, each target category, the charge range, and points destroyed per 100 points."""
    charges = [situation.name for situation in answer.situations if situation.kind == "charge"]
    part = answer.frame[answer.frame["situation"].isin(charges) & answer.frame["defender_points"].gt(0)]
    part = part.assign(points_lost=(part["mean_share_lost"] * part["defender_points"].astype(np.float64)).fillna(0.0))
    means = part.groupby(["attacker", "defender_category"], sort=False)["points_lost"].mean()
    for attacker in answer.attackers:
        unit, level = attacker.unit, attacker.level
        if not unit.speed or not level.points:
            continue
        for category in _CATEGORIES:
            if means.get((attacker.selector, category), 0.0) > 0:
                destroys = float(means[attacker.selector, category]) * 100 / level.points
                yield unit_of(attacker.selector), category, 2.0 * unit.speed, destroys
