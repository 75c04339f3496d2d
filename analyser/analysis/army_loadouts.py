"""Armies as distinct loadouts, each with the number of units that have it."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from analyser.analysis.selection import with_unique_name
from analyser.common.errors import InputError
from analyser.common.text import counted
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout
from analyser.scenarios.armies import ArmyLike, load_army

MOST_DISTINCT = 64  # distinct loadouts of an army, because a program of focus fire has at most 64 attacks
MOST_UNITS = 200  # units of an army


class ArmyLoadouts(NamedTuple):
    """An army as its distinct loadouts, and the number of units with each of them."""

    army: Army
    loadouts: tuple[Loadout, ...]
    counts: tuple[int, ...]

    @property
    def title(self) -> str:
        """Name, number of units and points of the army."""
        return f"{self.army.name} ({counted(len(self.army), 'unit')}, {self.army.points:,} points)"

    def _index(self, selector: str) -> int:
        return [loadout.selector for loadout in self.loadouts].index(selector)

    def count_of(self, selector: str) -> int:
        """Return the number of units with the loadout that has this selector."""
        return self.counts[self._index(selector)]

    def loadout_title(self, selector: str) -> str:
        """Return the unit and the level of a loadout."""
        return self.loadouts[self._index(selector)].title

    def short_loadout_title(self, selector: str) -> str:
        """Return the unit of a loadout, with its level if the army has this unit at several levels."""
        wanted = self.loadouts[self._index(selector)]
        levels = sum(loadout.unit.name == wanted.unit.name for loadout in self.loadouts)
        return wanted.unit.name if levels == 1 else wanted.title

    def as_dict(self) -> dict[str, Any]:
        units = [{"unit": unit.selector, "count": count} for unit, count in zip(self.loadouts, self.counts)]
        return {"name": self.army.name, "points": self.army.points, "units": units}


def army_loadouts(army: ArmyLike, library: Profiles, where: str) -> ArmyLoadouts:
    """Return an army as its distinct loadouts; InputError if it is unreadable, or too large for a comparison.

    >>> army_loadouts(["2 x crown/sharp-rifles@basic", "crown/rifle-platoon@basic"], Profiles(), "mine").counts
    (2, 1)
    """
    try:
        loaded = load_army(army, library)
    except InputError as error:
        raise error.inside(where) from None
    distinct: dict[str, Loadout] = {}
    counts = Counter[str]()
    for loadout in loaded.loadouts:
        unique = with_unique_name(loadout, distinct)
        distinct[unique.selector] = unique
        counts[unique.selector] += 1
    if len(distinct) > MOST_DISTINCT or len(loaded) > MOST_UNITS:
        problem = f"{len(loaded)} units, {len(distinct)} of them different"
        raise InputError(problem, where=where, allowed=f"up to {MOST_UNITS}, up to {MOST_DISTINCT} of them different")
    return ArmyLoadouts(loaded, tuple(distinct.values()), tuple(counts.values()))
