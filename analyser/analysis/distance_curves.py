"""Points that each row of a unit destroys at each distance: exact, because they change at a few distances only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, get_args

import numpy as np

from analyser.analysis.grid import DefendingSide
from analyser.analysis.matchups import Matchups
from analyser.analysis.situations import ONE_OF_EACH_CATEGORY
from analyser.engine.attack.summaries import fill_summary_row, summary_table
from analyser.game.units import Category, Loadout, Row, unit_of
from analyser.rules.structs import CATEGORIES, TARGET
from analyser.scenarios.attack import attack_record, attack_records, target_record
from analyser.scenarios.resolve import resolve_attack, why_not
from analyser.scenarios.schema import Attack

CHARGE = "a charge"  # name of the line of charges
_ORDER: tuple[str, ...] = get_args(Category)
_INTERPRETED = 1e-3  # seconds per attack without compilation
_SAME = 1e-9


class Step(NamedTuple):
    """An interval of distances in inches, above `first` up to `last`, and the points destroyed at these distances."""

    first: float
    last: float
    destroys: float


class Line(NamedTuple):
    """Points destroyed by a row, or by a charge, at the distances at which it can be used."""

    name: str
    steps: tuple[Step, ...]


class Best(NamedTuple):
    """The best line in an interval of distances, or all lines tied for the best."""

    first: float
    last: float
    names: tuple[str, ...]
    destroys: float


class Curve(NamedTuple):
    """Points that 100 points of a unit destroy of the opponents of a category, by distance, without aiming.

    Points destroyed are the share of the target that is lost (all if it is annihilated) times its points. They are
    means over the opponents and over the unit's levels.
    """

    category: str
    targets: int
    lines: tuple[Line, ...]

    @property
    def best(self) -> tuple[Best, ...]:
        """The best lines in each interval of distances, from near to far.

        >>> guns = Line("guns", (Step(6, 18, 9.0),))
        >>> rifles = Line("rifles", (Step(0, 8, 12.0), Step(8, 12, 7.0)))
        >>> [(each.first, each.last, each.names) for each in Curve("light", 5, (guns, rifles)).best]
        [(0, 8, ('rifles',)), (8, 18, ('guns',))]
        """
        ends = sorted({end for line in self.lines for step in line.steps for end in (step.first, step.last)})
        bests: list[Best] = []
        for first, last in pairwise(ends):
            by_line = {
                line.name: step.destroys
                for line in self.lines
                for step in line.steps
                if step.first <= first and last <= step.last
            }
            most = max(by_line.values(), default=0.0)
            names = tuple(name for name, destroys in by_line.items() if destroys >= most - _SAME)
            if bests and (bests[-1].last, bests[-1].names) == (first, names) and abs(bests[-1].destroys - most) < _SAME:
                bests[-1] = bests[-1]._replace(last=last)
            elif names:
                bests.append(Best(first, last, names, most))
        return tuple(bests)


class _Shot(NamedTuple):
    """An attacker's row in an interval of distances, its record, and for each category whether it can fire at it."""

    attacker: Loadout
    row: Row
    first: float
    last: float
    facts: Any
    can: tuple[bool, ...]


def curves(answer: Matchups, threads: int = 1) -> dict[str, tuple[Curve, ...]]:
    """Return the curves of each unit with points, one for each category, by its selector without a level.

    Each ranged row of an attacker is evaluated against its defenders in the table, at the distances where its attack
    changes. The points that a charge destroys, up to twice SPEED, come from the table if it has charges.
    """
    figures: dict[tuple[str, str, str], dict[tuple[float, float], list[float]]] = defaultdict(lambda: defaultdict(list))
    targets: dict[tuple[str, str], int] = {}
    for attackers, defenders in _with_same_defenders(answer):
        for category, number in _number_by_category(defenders).items():
            targets |= {(unit_of(attacker.selector), category): number for attacker in attackers}
        for shot, category, destroys in _destroyed_by_shots(answer, attackers, defenders, threads):
            unit = unit_of(shot.attacker.selector)
            figures[unit, category, shot.row.name][shot.first, shot.last].append(destroys)
    for unit, category, reach, destroys in _destroyed_by_charges(answer):
        figures[unit, category, CHARGE][0.0, reach].append(destroys)
    lines: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for (unit, category, name), steps in figures.items():
        line = Line(name, tuple(Step(*ends, float(np.mean(values))) for ends, values in sorted(steps.items())))
        lines[unit, category].append(line)
    return {
        unit: tuple(
            Curve(category, targets[unit, category], tuple(lines[unit, category]))
            for category in _ORDER
            if any(step.destroys > 0 for line in lines.get((unit, category), ()) for step in line.steps)
        )
        for unit in dict.fromkeys(unit for unit, _ in lines)
    }


def _number_by_category(defenders: Iterable[Loadout]) -> dict[str, int]:
    """Return the number of loadouts with points in each category."""
    categories = [defender.unit.category for defender in defenders if defender.level.points]
    return {category: categories.count(category) for category in categories}


def _with_same_defenders(answer: Matchups) -> Iterator[tuple[list[Loadout], list[Loadout]]]:
    """Yield groups of attackers with points that fight the same defenders, and these defenders."""
    sides = {loadout.selector: loadout for loadout in (*answer.attackers, *answer.defenders)}
    part = answer.frame[answer.frame["situation"] == answer.situations[0].name]
    targets = {str(name): tuple(names) for name, names in part.groupby("attacker", sort=False)["defender"]}
    for defenders in dict.fromkeys(targets.values()):
        attackers = [sides[name] for name, names in targets.items() if names == defenders and sides[name].level.points]
        yield attackers, [sides[defender] for defender in defenders]


def _shots_of(attacker: Loadout) -> Iterator[_Shot]:
    """Yield every ranged row of an attacker, over each interval of distances in which its attack is constant."""
    fumes = attacker.unit.keyword("Corrosive Fumes")
    for row in attacker.unit.rows:
        if row.kind != "ranged":
            continue
        distances = {row.short_range, row.long_range, None if fumes is None else float(fumes.x)}
        ends = sorted(end for end in distances if end is not None and 0 < end <= (row.long_range or 0))
        for first, last in zip([0.0, *ends], ends):
            attack = Attack(distance=last)
            can = tuple(why_not(row, attack, attacker, target) is None for target in ONE_OF_EACH_CATEGORY)
            if any(can):
                facts = attack_record(resolve_attack(attack, attacker, row), attacker.unit)
                yield _Shot(attacker, row, first, last, facts, can)


def _destroyed_by_shots(
    answer: Matchups, attackers: Sequence[Loadout], defenders: Sequence[Loadout], threads: int
) -> Iterator[tuple[_Shot, str, float]]:
    """Yield each shot and category with the points destroyed per 100 points: a mean over the defenders with points."""
    shots = [shot for attacker in attackers for shot in _shots_of(attacker)]
    defending = DefendingSide(
        tuple(loadout for loadout in defenders if loadout.level.points), answer.ruleset, None, threads
    )
    if not shots or not defending.defenders:
        return
    categories = np.array([CATEGORIES.index(target.category or "light") for target in defending.targets])
    possible = np.array([shot.can for shot in shots], np.bool_)[:, categories]
    fill_summary_row.expect(int(possible.sum()) * _INTERPRETED)
    summaries = summary_table(
        attack_records(answer.ruleset, [shot.facts for shot in shots]),
        np.array([target_record(target) for target in defending.targets], TARGET),
        possible,
        np.array(answer.ruleset.die.sides_by_face, np.int64),
        answer.ruleset.deck.counts(),
        threads=threads,
    )
    worth = np.array([defender.level.points for defender in defending.defenders], np.float64)
    for shot, line in zip(shots, summaries["mean_share_lost"] * worth):
        for place, can in enumerate(shot.can):
            values = line[categories == place]
            if can and len(values):
                yield shot, CATEGORIES[place], float(values.mean()) * 100 / (shot.attacker.level.points or 1)


def _destroyed_by_charges(answer: Matchups) -> Iterator[tuple[str, str, float, float]]:
    """Yield, for each level and category, the range of its charge and the points destroyed per 100 points."""
    charges = [situation.name for situation in answer.situations if situation.kind == "charge"]
    part = answer.frame[answer.frame["situation"].isin(charges) & answer.frame["defender_points"].gt(0)]
    part = part.assign(worth=(part["mean_share_lost"] * part["defender_points"].astype(np.float64)).fillna(0.0))
    means = part.groupby(["attacker", "defender_category"], sort=False)["worth"].mean()
    for attacker in answer.attackers:
        unit, level = attacker.unit, attacker.level
        if not unit.speed or not level.points:
            continue
        for category in _ORDER:
            if means.get((attacker.selector, category), 0.0) > 0:
                destroys = float(means[attacker.selector, category]) * 100 / level.points
                yield unit_of(attacker.selector), category, 2.0 * unit.speed, destroys
