"""What is written differently in two sets of units: key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Edit(NamedTuple):
    """One thing that is written differently.

    Attributes
    ----------
    where : str
        A unit, ``faction/unit``; or ``"ruleset"``.
    key : str
        What of it, with dots; empty: all of it.
    old, new : str or None
        None: it is not there.
    """

    where: str
    key: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        """The edit as a line."""
        if not self.key:
            return f"{self.where}: {'new' if self.old is None else 'gone'}"
        return f"{self.where}: {self.key}: {_said(self.old)} -> {_said(self.new)}"


def _said(value: str | None) -> str:
    return "nothing" if value is None else value


def edits(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Edit]:
    """What is different between two tables of things by name, in the order of the names.

    Parameters
    ----------
    old, new : mapping of str to dict
        Each thing as plain data, such as ``Unit.model_dump(mode="json")``.

    Examples
    --------
    >>> old = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 35}}}}
    >>> new = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 40}}}, "crown/guns": {}}
    >>> [str(each) for each in edits(old, new)]
    ['crown/guns: new', 'crown/rifles: levels.basic.points: 35 -> 40']
    """
    found = []
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            there = "there"
            found.append(Edit(name, "", there if name in old else None, there if name in new else None))
            continue
        before, after = dict(_leaves(old[name])), dict(_leaves(new[name]))
        found += [
            Edit(name, key, before.get(key), after.get(key))
            for key in dict.fromkeys((*before, *after))
            if before.get(key) != after.get(key)
        ]
    return found


def _leaves(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every value in nested data with its way in; what has an id goes by it, a list of words is one value."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list) and any(isinstance(each, Mapping) for each in data):
        for place, each in enumerate(data):
            yield from _leaves(each, f"{path}.{each.get('id') or _band(each) or place}")
    elif data is not None:
        yield path, ", ".join(map(str, data)) or "none" if isinstance(data, list) else str(data)


def _band(data: Mapping[str, Any]) -> str:
    """A band of attack dice goes by the models that it is for."""
    return f"{data['first']}-{data['last']}" if {"first", "last"} <= data.keys() else ""
