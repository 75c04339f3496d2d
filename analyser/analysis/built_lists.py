"""Lists from the programme as armies, and a typical list for a faction whose armies are unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.field import Worth, each_unit_alike, worth_against
from analyser.analysis.force_programme import Force, Solved
from analyser.analysis.pricing import Array
from analyser.common.text import aligned
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.game.units import Faction, Loadout
from analyser.scenarios.armies import load_army


class BuiltList(NamedTuple):
    """A list, and what it is worth by the programme.

    `value` is `destroyed` and `kept`, against the field as it counts; of no legal list that differs as much from those
    before it is it more than `value` by more than the share `gap`. `differs`: the share of its points that the first
    list does not have.
    """

    army: Army
    value: float
    destroyed: float
    kept: float
    gap: float
    differs: float

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        figures = {name: value for name, value in self._asdict().items() if name != "army"}
        return {"name": self.army.name, "points": self.army.points, **figures, "units": units_of(self.army)}


class OwnWorth(NamedTuple):
    """Value of the user's own list by the same values of units, as a :class:`BuiltList` has it; without a gap.

    `without_value`: the units that the programme does not choose from; with any of them no figure is known.
    """

    value: float | None = None
    destroyed: float | None = None
    kept: float | None = None
    differs: float | None = None
    without_value: tuple[str, ...] = ()


def units_of(army: Army) -> list[dict[str, Any]]:
    """The units of an army and their battlegroups as plain data."""
    return [{"unit": unit.loadout.selector, "battlegroup": unit.battlegroup} for unit in army.units]


def by_battlegroup(army: Army) -> Iterator[tuple[str, list[tuple[int, str, int]]]]:
    """Return each battlegroup by name: count, title and total points of each kind of unit."""
    for name in dict.fromkeys(unit.battlegroup for unit in army.units):
        kinds: dict[tuple[str, str], list[int]] = {}
        for unit in army.units:
            if unit.battlegroup == name:
                called = unit.title.partition(" #")[0]
                kinds.setdefault((unit.loadout.selector, called), []).append(unit.points or 0)
        yield name or "", [(len(points), called, sum(points)) for (_, called), points in kinds.items()]


def army_lines(army: Army) -> list[str]:
    """The units of an army by battlegroup, as text."""
    lines = []
    for name, rows in by_battlegroup(army):
        lines += [f"{name}:"] if name else []
        lines += aligned([(f"  {number} ×", called, f"{points}") for number, called, points in rows], "<<>")
    return lines


def unbought(faction: Faction, armies: Sequence[Army]) -> list[str]:
    """Return what lists of a faction could have besides units and these lack: boons, passengers."""
    boons = [f"{boon.name} ({boon.points})" for boon in faction.boons if boon.points]
    carriers = sorted({loadout.unit.name for army in armies for loadout in army.loadouts if loadout.capacity})
    texts = [f"boons, of which none is bought: {', '.join(boons)}"] if boons else []
    return [*texts, *([f"passengers of {', '.join(carriers)}, which stay empty"] if carriers else [])]


def built_lists(
    answer: Sequence[Solved],
    force: Force,
    worth: Worth,
    weights: Array | None,
    head: tuple[str, str, int],
    library: Profiles,
) -> tuple[BuiltList, ...]:
    """The lists as armies; `weights` of the opponents, None where the worst of them counts."""
    lists = []
    for rank, choice in enumerate(answer, 1):
        destroyed, kept = _added_up(np.array(choice.counts), worth, weights)
        differs = _differs(np.array(choice.counts), answer[0], force)
        army = army_of(f"{library.factions[head[0]].name} list {rank}", choice, force, head, library)
        lists.append(BuiltList(army, choice.value, destroyed, kept, choice.gap, differs))
    return tuple(lists)


def own_worth(own: Army, first: Solved, force: Force, worth: Worth, weights: Array | None) -> OwnWorth:
    """Return the value of the user's own list beside the `first` list that was built, as :func:`built_lists` does."""
    strange = [unit.title for unit in own.units if unit.loadout not in force.loadouts]
    if strange:
        return OwnWorth(without_value=tuple(dict.fromkeys(strange)))
    counts = np.array([own.loadouts.count(loadout) for loadout in force.loadouts])
    destroyed, kept = _added_up(counts, worth, weights)
    return OwnWorth(destroyed + kept, destroyed, kept, _differs(counts, first, force))


def _added_up(counts: Array, worth: Worth, weights: Array | None) -> tuple[float, float]:
    """The points that so many of each loadout destroy and keep."""
    by_opponent = worth.destroyed @ counts, worth.kept @ counts
    if weights is None:
        worst = int((by_opponent[0] + by_opponent[1]).argmin())
        return float(by_opponent[0][worst]), float(by_opponent[1][worst])
    return float(weights @ by_opponent[0]), float(weights @ by_opponent[1])


def _differs(counts: Array, first: Solved, force: Force) -> float:
    """The share of its points that the first list does not have in common with another."""
    points = force.points
    return 1 - float(points @ np.minimum(counts, first.counts) / (points @ first.counts))


def army_of(name: str, solved: Solved, force: Force, head: tuple[str, str, int], library: Profiles) -> Army:
    """A list as an army, its units in their battlegroups."""
    faction, scale, points = head
    groups: dict[str, str] = {}
    units: list[dict[str, Any]] = []
    for part in solved.parts:
        called = None
        if part.kind is not None:
            number = sum(kind == part.kind.id for kind in groups.values()) + 1
            called = part.kind.name if number == 1 else f"{part.kind.name} {number}"
            groups[called] = part.kind.id
        for loadout, count in zip(force.loadouts, part.counts):
            unit = {"unit": loadout.selector} | ({} if called is None else {"battlegroup": called})
            units += [unit] * count
    table = {"name": name, "faction": faction, "scale": scale, "points_limit": points, "unit": units}
    return load_army(table | ({"battlegroups": groups} if groups else {}), library)


def typical_lists(
    theirs: Sequence[Loadout],
    force: Force,
    everybody: Sequence[Loadout],
    losses: Array,
    scale: str,
    library: Profiles,
) -> tuple[Army, ...]:
    """Return the best list of each faction among the opponents, where their armies are unknown.

    A list has as many points and battlegroups as `force`, consists of opponents, and is best against `force`, whose
    units it meets equally often. A faction whose units make no legal list has none.
    """
    points, lists = force.most_points, []
    opponents = each_unit_alike(force.loadouts, points)
    weights = np.array([opponent.weight for opponent in opponents])
    for name in dict.fromkeys(loadout.faction for loadout in theirs):
        faction, units = library.factions[name], tuple(loadout for loadout in theirs if loadout.faction == name)
        enemy = replace(force, loadouts=units, battlegroups=faction.battlegroups, must=(), at_most=None, _programme=[])
        best = enemy.best(weights @ worth_against(opponents, units, everybody, losses, points).total)
        if best is not None:
            lists.append(army_of(f"Best list of {faction.name}", best, enemy, (name, scale, points), library))
    return tuple(lists)
