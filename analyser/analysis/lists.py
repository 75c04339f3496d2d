"""Lists of units as comparisons take them: each loadout once, and how many of it there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from analyser.analysis.selection import Selectors, one_or_several
from analyser.common.errors import InputError
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout

MOST_KINDS = 64  # different loadouts on a side: as many attacks as one program holds
MOST_UNITS = 200


class List(NamedTuple):
    """A list: its name, its loadouts, each once, and how many of each there are."""

    name: str
    kinds: tuple[Loadout, ...]
    counts: tuple[int, ...]

    @property
    def points(self) -> int:
        """What all of it costs; what has no points counts for nothing."""
        return sum((each.level.points or 0) * count for each, count in zip(self.kinds, self.counts))

    @property
    def units(self) -> int:
        """How many units there are."""
        return sum(self.counts)

    def count_of(self, selector: str) -> int:
        """How many there are of a loadout."""
        return next(count for each, count in zip(self.kinds, self.counts) if each.selector == selector)

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        units = [{"unit": each.selector, "count": count} for each, count in zip(self.kinds, self.counts)]
        return {"name": self.name, "points": self.points, "units": units}


def as_list(given: Selectors | List, library: Profiles, where: str) -> List:
    """A list of units, who may be there several times: selectors, loadouts, or an army.

    InputError for a selector that fits nothing, for an empty list, or for one that is too large.

    >>> as_list(["crown/sharp-rifles@basic", "crown/rifle-platoon@basic", "crown/sharp-rifles@basic"], Profiles(), "a").counts
    (2, 1)
    """
    if isinstance(given, List):
        return given
    try:
        loadouts = list(_loadouts(one_or_several(given, where), library))
    except InputError as error:
        raise error if error.where == where else error.inside(where) from None
    return counted_list(where, loadouts, where)


def counted_list(name: str, loadouts: Iterable[Loadout], where: str) -> List:
    """Loadouts as a list; one whose profile differs from another of the same selector gets a selector of its own."""
    counts: dict[str, int] = {}
    selectors: set[str] = set()
    told: list[tuple[Loadout, Loadout]] = []
    for each in loadouts:
        kind = next((new for old, new in told if old == each), None)
        if kind is None:
            kind, number = each, 2
            while kind.selector in selectors:
                unit = each.unit.model_copy(update={"id": f"{each.unit.id}-{number}"})
                kind, number = each.model_copy(update={"unit": unit}), number + 1
            told.append((each, kind))
            selectors.add(kind.selector)
        counts[kind.selector] = counts.get(kind.selector, 0) + 1
    if not told:
        raise InputError("no unit is in this list", where=where, allowed="an army with units, or selectors")
    if len(told) > MOST_KINDS or sum(counts.values()) > MOST_UNITS:
        problem = f"{sum(counts.values())} units, {len(told)} of them different"
        raise InputError(problem, where=where, allowed=f"up to {MOST_UNITS}, up to {MOST_KINDS} of them different")
    return List(name, tuple(kind for _, kind in told), tuple(counts.values()))


def _loadouts(given: Iterable[Any], library: Profiles) -> Iterator[Loadout]:
    for each in given:
        yield from [each] if isinstance(each, Loadout) else library.matching(each)
