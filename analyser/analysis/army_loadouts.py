"""Armies in the form that comparisons use: distinct loadouts with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from analyser.common.errors import InputError
from analyser.common.text import counted
from analyser.game.army import Army, names_apart
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout
from analyser.scenarios.armies import ArmyLike, load_army

MOST_KINDS = 64  # distinct loadouts on a side: the most attacks that one program holds
MOST_UNITS = 200


class Listed(NamedTuple):
    """An army as its distinct loadouts, and the number of each."""

    army: Army
    kinds: tuple[Loadout, ...]
    counts: tuple[int, ...]

    @property
    def units(self) -> int:
        """Number of units."""
        return sum(self.counts)

    @property
    def title(self) -> str:
        """Its name, units and points."""
        return f"{self.army.name} ({counted(self.units, 'unit')}, {self.army.points:,} points)"

    def named(self, selector: str) -> str:
        """Return the title of a loadout: unit and level."""
        return next(kind for kind in self.kinds if kind.selector == selector).title

    def in_short(self, selector: str) -> str:
        """Return the title of a loadout, without the level if the army has only one level of the unit."""
        wanted = next(kind for kind in self.kinds if kind.selector == selector)
        levels = sum(kind.unit.name == wanted.unit.name for kind in self.kinds)
        return wanted.unit.name if levels == 1 else wanted.title

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        units = [{"unit": kind.selector, "count": count} for kind, count in zip(self.kinds, self.counts)]
        return {"name": self.army.name, "points": self.army.points, "units": units}


def listed(given: ArmyLike, library: Profiles, where: str) -> Listed:
    """Return an army by loadout; InputError if it is unreadable, empty, or too large for a comparison.

    >>> listed(["2 x crown/sharp-rifles@basic", "crown/rifle-platoon@basic"], Profiles(), "mine").counts
    (2, 1)
    """
    try:
        army = load_army(given, library)
    except InputError as error:
        raise error.inside(where) from None
    return by_loadout(army, where)


def unique_names(mine: Listed, yours: Listed) -> tuple[Listed, Listed]:
    """Return both armies under different names."""
    names = names_apart(mine.army, yours.army)
    mine, yours = (side._replace(army=replace(side.army, name=name)) for side, name in zip((mine, yours), names))
    return mine, yours


def by_loadout(army: Army, where: str) -> Listed:
    """Return an army by loadout; a changed profile whose selector is taken gets a selector of its own."""
    kinds: list[tuple[Loadout, Loadout]] = []  # the loadout in the army, and the loadout with its selector here
    counts: dict[str, int] = {}
    for loadout in army.loadouts:
        called = next((called for own, called in kinds if own == loadout), None)
        if called is None:
            called = _called(loadout, counts)
            kinds.append((loadout, called))
        counts[called.selector] = counts.get(called.selector, 0) + 1
    if not kinds:
        raise InputError("no unit is in this army", where=where, allowed="an army with units")
    if len(kinds) > MOST_KINDS or len(army) > MOST_UNITS:
        problem = f"{len(army)} units, {len(kinds)} of them different"
        raise InputError(problem, where=where, allowed=f"up to {MOST_UNITS}, up to {MOST_KINDS} of them different")
    return Listed(army, tuple(called for _, called in kinds), tuple(counts.values()))


def _called(loadout: Loadout, taken: Sequence[str] | dict[str, int]) -> Loadout:
    """Return the loadout with a selector that is not `taken`."""
    called, number = loadout, 2
    while called.selector in taken:
        unit = loadout.unit.model_copy(update={"id": f"{loadout.unit.id}-{number}"})
        called, number = loadout.model_copy(update={"unit": unit}), number + 1
    return called
