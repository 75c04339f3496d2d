"""What is written differently in two sets of profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Edit(NamedTuple):
    """One thing that is written differently; `old` or `new` is None where it is not there."""

    where: str  # a unit, ``faction/unit``; or ``"ruleset"``
    key: str  # what of it, with dots; empty: all of it
    old: str | None
    new: str | None

    def __str__(self) -> str:
        """The edit as a line."""
        if not self.key:
            return f"{self.where}: {'new' if self.old is None else 'gone'}"
        old, new = ("nothing" if each is None else each for each in (self.old, self.new))
        return f"{self.where}: {self.key}: {old} -> {new}"


def edits(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Edit, ...]:
    """What is different between two tables of things as plain data by name, in the order of the names.

    >>> old = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 35}}}}
    >>> new = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 40}}}, "crown/guns": {}}
    >>> [str(each) for each in edits(old, new)]
    ['crown/guns: new', 'crown/rifles: levels.basic.points: 35 -> 40']
    """
    found = []
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            found.append(Edit(name, "", *("there" if name in side else None for side in (old, new))))
            continue
        before, after = dict(_leaves(old[name])), dict(_leaves(new[name]))
        keys = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
        found += [Edit(name, key, before.get(key), after.get(key)) for key in keys]
    return tuple(found)


def _leaves(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every value in nested data with its way in; what has an id goes by it, a list of words is one value."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list) and any(isinstance(each, Mapping) for each in data):
        for place, each in enumerate(data):
            band = f"{each['first']}-{each['last']}" if {"first", "last"} <= each.keys() else place  # of attack dice
            yield from _leaves(each, f"{path}.{each.get('id') or band}")
    elif data is not None:
        yield path, ", ".join(map(str, data)) or "none" if isinstance(data, list) else str(data)
