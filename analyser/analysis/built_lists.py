"""Lists found by integer programming, as armies; and a typical list for a faction whose army is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.equilibrium_prices import Array
from analyser.analysis.field import Worth, equal_unit_weights, worth_against
from analyser.analysis.force_programme import Force, SolvedList
from analyser.common.text import aligned
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.game.units import Faction, Loadout
from analyser.scenarios.armies import load_army


class BuiltList(NamedTuple):
    """A list and its value by integer programming.

    `value` is `destroyed` plus `kept`, over the opponents. No other legal list exceeds it by more than the share `gap`,
    except lists that are too similar to the lists before this one. `differs` is the share of the first list's points
    that is not in this list.
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
    """Value of the user's own list; the fields are those of :class:`BuiltList`, without a gap.

    `without_value` has units that the search cannot choose; if there are any, all figures are None.
    """

    value: float | None = None
    destroyed: float | None = None
    kept: float | None = None
    differs: float | None = None
    without_value: tuple[str, ...] = ()


def units_of(army: Army) -> list[dict[str, Any]]:
    """Return the units of an army and their battlegroups as plain data."""
    return [{"unit": unit.loadout.selector, "battlegroup": unit.battlegroup} for unit in army.units]


def by_battlegroup(army: Army) -> Iterator[tuple[str, list[tuple[int, str, int]]]]:
    """Yield each battlegroup's name with the count, title and total points of each kind of unit."""
    for name in dict.fromkeys(unit.battlegroup for unit in army.units):
        kinds: dict[tuple[str, str], list[int]] = {}
        for unit in army.units:
            if unit.battlegroup == name:
                title = unit.title.partition(" #")[0]
                kinds.setdefault((unit.loadout.selector, title), []).append(unit.points or 0)
        yield name or "", [(len(points), title, sum(points)) for (_, title), points in kinds.items()]


def army_lines(army: Army) -> list[str]:
    """Return the units of an army by battlegroup, as text."""
    lines = []
    for name, rows in by_battlegroup(army):
        lines += [f"{name}:"] if name else []
        lines += aligned([(f"  {number} ×", title, f"{points}") for number, title, points in rows], "<<>")
    return lines


def unused_options(faction: Faction, armies: Sequence[Army]) -> list[str]:
    """Return in words the boons and passengers that the faction allows and these lists lack."""
    boons = [f"{boon.name} ({boon.points})" for boon in faction.boons if boon.points]
    carriers = sorted({loadout.unit.name for army in armies for loadout in army.loadouts if loadout.capacity})
    texts = [f"boons (the list has none): {', '.join(boons)}"] if boons else []
    return [*texts, *([f"passengers of {', '.join(carriers)}, which stay empty"] if carriers else [])]


def built_lists(
    solved: Sequence[SolvedList],
    force: Force,
    worth: Worth,
    weights: Array | None,
    head: tuple[str, str, int],
    library: Profiles,
) -> tuple[BuiltList, ...]:
    """Return the lists as armies; `weights` are those of the opponents, None for the worst case.

    `head` has the faction, the scale, and the most points.
    """
    lists = []
    for rank, choice in enumerate(solved, 1):
        destroyed, kept = _sums(np.array(choice.counts), worth, weights)
        differs = _share_not_shared(np.array(choice.counts), solved[0], force)
        army = army_of(f"{library.factions[head[0]].name} list {rank}", choice, force, head, library)
        lists.append(BuiltList(army, choice.value, destroyed, kept, choice.gap, differs))
    return tuple(lists)


def own_worth(own: Army, first: SolvedList, force: Force, worth: Worth, weights: Array | None) -> OwnWorth:
    """Return the value of the user's own list, compared with the `first` built list."""
    unknown = [unit.title for unit in own.units if unit.loadout not in force.loadouts]
    if unknown:
        return OwnWorth(without_value=tuple(dict.fromkeys(unknown)))
    counts = np.array([own.loadouts.count(loadout) for loadout in force.loadouts])
    destroyed, kept = _sums(counts, worth, weights)
    return OwnWorth(destroyed + kept, destroyed, kept, _share_not_shared(counts, first, force))


def _sums(counts: Array, worth: Worth, weights: Array | None) -> tuple[float, float]:
    """Return the points that a list destroys and keeps; `counts` has its number of each loadout."""
    by_opponent = worth.destroyed @ counts, worth.kept @ counts
    if weights is None:
        worst = int((by_opponent[0] + by_opponent[1]).argmin())
        return float(by_opponent[0][worst]), float(by_opponent[1][worst])
    return float(weights @ by_opponent[0]), float(weights @ by_opponent[1])


def _share_not_shared(counts: Array, first: SolvedList, force: Force) -> float:
    """Return the share of the first list's points that is not in the list with these counts."""
    points = force.points
    return 1 - float(points @ np.minimum(counts, first.counts) / (points @ first.counts))


def army_of(name: str, solved: SolvedList, force: Force, head: tuple[str, str, int], library: Profiles) -> Army:
    """Return a list as an army, with its units in their battlegroups."""
    faction, scale, points = head
    groups: dict[str, str] = {}
    units: list[dict[str, Any]] = []
    for part in solved.parts:
        group = None
        if part.kind is not None:
            number = sum(kind == part.kind.id for kind in groups.values()) + 1
            group = part.kind.name if number == 1 else f"{part.kind.name} {number}"
            groups[group] = part.kind.id
        for loadout, count in zip(force.loadouts, part.counts):
            unit = {"unit": loadout.selector} | ({} if group is None else {"battlegroup": group})
            units += [unit] * count
    table = {"name": name, "faction": faction, "scale": scale, "points_limit": points, "unit": units}
    return load_army(table | ({"battlegroups": groups} if groups else {}), library)


def typical_lists(
    opposing: Sequence[Loadout],
    force: Force,
    all_loadouts: Sequence[Loadout],
    losses: Array,
    scale: str,
    library: Profiles,
) -> tuple[Army, ...]:
    """Return the best list of each faction among the opposing loadouts.

    A list has the points and battlegroups of `force`, and is best against the units of `force`, each equally frequent.
    A faction without a legal list is left out.
    """
    points, lists = force.most_points, []
    opponents = equal_unit_weights(force.loadouts, points)
    weights = np.array([opponent.weight for opponent in opponents])
    for name in dict.fromkeys(loadout.faction for loadout in opposing):
        faction, units = library.factions[name], tuple(loadout for loadout in opposing if loadout.faction == name)
        enemy = replace(force, loadouts=units, battlegroups=faction.battlegroups, must=(), at_most=None, _programme=[])
        best = enemy.best(weights @ worth_against(opponents, units, all_loadouts, losses, points).total)
        if best is not None:
            lists.append(army_of(f"Best list of {faction.name}", best, enemy, (name, scale, points), library))
    return tuple(lists)
