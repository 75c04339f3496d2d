"""Lists found by integer programming, as armies; and a typical list for a faction whose army is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.arrays import Array
from analyser.analysis.build_battles import BattleRecord
from analyser.analysis.force_programme import Force, SolvedList
from analyser.analysis.list_opponents import UnitValues, equal_unit_weights, values_against
from analyser.common.text import aligned
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.game.units import Faction, Loadout
from analyser.scenarios.armies import load_army


class BuiltList(NamedTuple):
    """A list, its value by integer programming, and its battles.

    `value` is the sum of the points `destroyed` and `kept`, as a mean or worst case over the opponents. No other legal
    list exceeds it by more than the share `gap` (NaN for the user's own list), except lists that are too similar to an
    earlier list. `differs` is the share of the first list's points that this list lacks. `without_value` has the units
    of the user's own list that the search does not include; if there are any, all these figures are NaN.
    """

    army: Army
    value: float = np.nan
    destroyed: float = np.nan
    kept: float = np.nan
    gap: float = np.nan
    differs: float = np.nan
    battles: BattleRecord | None = None
    without_value: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """Score in battles; 0 without battles."""
        return 0.0 if self.battles is None else self.battles.score

    @property
    def is_tied(self) -> bool:
        """True if the score in battles does not differ significantly from the best score."""
        return self.battles is not None and self.battles.is_tied

    def figures(self) -> dict[str, float | None]:
        """Return the figures by name; None for a missing figure."""
        figures = {name: getattr(self, name) for name in ("value", "destroyed", "kept", "gap", "differs")}
        return {name: None if np.isnan(figure) else figure for name, figure in figures.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        head = {"name": self.army.name, "points": self.army.points, **self.figures(), "units": units_of(self.army)}
        return head | ({} if self.battles is None else {"battles": self.battles.as_dict()})


def units_of(army: Army) -> list[dict[str, Any]]:
    """Return the units of an army and their battlegroups as plain data."""
    return [{"unit": unit.loadout.selector, "battlegroup": unit.battlegroup} for unit in army.units]


def units_by_battlegroup(army: Army) -> Iterator[tuple[str, list[tuple[int, str, int]]]]:
    """Yield the name of each battlegroup, and for each of its loadouts the number of units, title and total points."""
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
    for name, rows in units_by_battlegroup(army):
        lines += [f"{name}:"] if name else []
        lines += aligned([(f"  {number} ×", title, f"{points}") for number, title, points in rows], "<<>")
    return lines


def unused_options(faction: Faction, armies: Sequence[Army]) -> list[str]:
    """Return texts about the boons and passengers that the faction allows and these lists lack."""
    boons = [f"{boon.name} ({boon.points})" for boon in faction.boons if boon.points]
    carriers = sorted({loadout.unit.name for army in armies for loadout in army.loadouts if loadout.capacity})
    texts = [f"boons (the list has none): {', '.join(boons)}"] if boons else []
    return [*texts, *([f"passengers of {', '.join(carriers)}, which stay empty"] if carriers else [])]


def built_lists(
    solved: Sequence[SolvedList],
    force: Force,
    unit_values: UnitValues,
    weights: Array | None,
    list_terms: tuple[str, str, int],
    library: Profiles,
) -> tuple[BuiltList, ...]:
    """Return the lists as armies; `weights` are those of the opponents, None for the worst case.

    `list_terms` has the faction, the scale, and the largest number of points.
    """
    lists = []
    for rank, choice in enumerate(solved, 1):
        destroyed, kept = _destroyed_and_kept(np.array(choice.counts), unit_values, weights)
        differs = _difference_from(np.array(choice.counts), solved[0], force)
        army = army_of(f"{library.factions[list_terms[0]].name} list {rank}", choice, force, list_terms, library)
        lists.append(BuiltList(army, choice.value, destroyed, kept, choice.gap, differs))
    return tuple(lists)


def own_list(own: Army, first: SolvedList, force: Force, values: UnitValues, weights: Array | None) -> BuiltList:
    """Return the user's own list with its value, compared with the `first` built list."""
    unknown = [unit.title for unit in own.units if unit.loadout not in force.loadouts]
    if unknown:
        return BuiltList(own, without_value=tuple(dict.fromkeys(unknown)))
    counts = np.array([own.loadouts.count(loadout) for loadout in force.loadouts])
    destroyed, kept = _destroyed_and_kept(counts, values, weights)
    return BuiltList(own, destroyed + kept, destroyed, kept, differs=_difference_from(counts, first, force))


def _destroyed_and_kept(counts: Array, unit_values: UnitValues, weights: Array | None) -> tuple[float, float]:
    """Return the points that a list destroys and keeps; `counts` has its number of each loadout."""
    destroyed, kept = unit_values.destroyed @ counts, unit_values.kept @ counts
    if weights is None:
        worst = int((destroyed + kept).argmin())
        return float(destroyed[worst]), float(kept[worst])
    return float(weights @ destroyed), float(weights @ kept)


def _difference_from(counts: Array, first: SolvedList, force: Force) -> float:
    points = force.points
    return 1 - float(points @ np.minimum(counts, first.counts) / (points @ first.counts))


def army_of(name: str, solved: SolvedList, force: Force, list_terms: tuple[str, str, int], library: Profiles) -> Army:
    """Return a list as an army, with its units in their battlegroups."""
    faction, scale, points = list_terms
    groups: dict[str, str] = {}
    units: list[dict[str, Any]] = []
    for battlegroup in solved.battlegroups:
        group = None
        if battlegroup.kind is not None:
            number = sum(kind == battlegroup.kind.id for kind in groups.values()) + 1
            group = battlegroup.kind.name if number == 1 else f"{battlegroup.kind.name} {number}"
            groups[group] = battlegroup.kind.id
        for loadout, count in zip(force.loadouts, battlegroup.counts):
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
    """Return the best list of each faction among the opposing loadouts, within the limits of `force`.

    It is the best list against all loadouts of `force`, whose units count equally. A faction without a legal list is
    left out.
    """
    points, lists = force.most_points, []
    opponents = equal_unit_weights(force.loadouts, points)
    weights = np.array([opponent.weight for opponent in opponents])
    for name in dict.fromkeys(loadout.faction for loadout in opposing):
        faction, units = library.factions[name], tuple(loadout for loadout in opposing if loadout.faction == name)
        enemy = replace(force, loadouts=units, battlegroups=faction.battlegroups, must=(), at_most=None)
        best = enemy.best(weights @ values_against(opponents, units, all_loadouts, losses, points).total)
        if best is not None:
            lists.append(army_of(f"Best list of {faction.name}", best, enemy, (name, scale, points), library))
    return tuple(lists)
