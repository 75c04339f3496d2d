"""Differences between two sets of profiles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_OF_A_LEVEL = re.compile(r"levels\.([^.]+)\.(.+)")
_OF_A_ROW = re.compile(r"rows\.([^.]+)\.(.+)")
_OF_A_BAND = re.compile(r"bands\.(\d+)-(\d+)\.(.+)")
_CAPITALISED = ("defence", "damage_limit", "discipline", "break_limit", "speed", "size")


class Edit(NamedTuple):
    """Change of one value; `old` or `new` is None if there is no such value in the old or the new profiles."""

    where: str  # a unit as ``faction/unit``, or ``"ruleset"``
    key: str  # path of the value in the unit, joined by dots; empty: the whole unit
    old: str | None
    new: str | None

    def __str__(self) -> str:
        """Return the edit as one line."""
        if not self.key:
            return f"{self.where}: {'new' if self.old is None else 'gone'}"
        old, new = ("nothing" if value is None else value for value in (self.old, self.new))
        return f"{self.where}: {self.key}: {old} -> {new}"


def edit_in_words(edit: Edit, unit: Mapping[str, Any]) -> str:
    """Return an edit of a unit in words; `unit` is the unit as plain data.

    >>> rows = [{"id": "ranged-heavy", "name": "Ranged (Heavy)"}]
    >>> dice = Edit("crown/dragoons", "rows.ranged-heavy.bands.9-12.dice", "11", "13")
    >>> edit_in_words(dice, {"rows": rows, "traits": []})
    'Ranged (Heavy): dice of 9–12 models 11 → 13'
    >>> edit_in_words(Edit("crown/dragoons", "levels.basic.points", "80", "75"), {})
    'basic: points 80 → 75'
    """
    if not edit.key:
        return "new" if edit.old is None else "gone"
    prefix, key = "", edit.key
    if match := _OF_A_LEVEL.fullmatch(key):
        prefix, key = f"{match[1]}: ", match[2]
    elif match := _OF_A_ROW.fullmatch(key):
        names = {row["id"]: row["name"] for row in unit.get("rows", ())}
        prefix, key = f"{names.get(match[1], match[1])}: ", match[2]
    if match := _OF_A_BAND.fullmatch(key):
        first, last, key = match.groups()
        noun = "damage" if "behemoth" in unit.get("traits", ()) else "model" if last == "1" else "models"
        key = f"{key} of {first if first == last else f'{first}–{last}'} {noun}"
    key = key.replace("_", " ").replace(".", " ")
    old, new = ("none" if value is None else value for value in (edit.old, edit.new))
    return f"{prefix}{key.upper() if key.replace(' ', '_') in _CAPITALISED else key} {old} → {new}"


def affects(edit: Edit, level: str, models: int) -> bool:
    """Return False if an edit concerns another level than `level`, or dice for more than `models` models; else True."""
    if match := _OF_A_LEVEL.fullmatch(edit.key):
        return match[1] == level
    row = _OF_A_ROW.fullmatch(edit.key)
    band = _OF_A_BAND.fullmatch(row[2]) if row else None
    return band is None or int(band[1]) <= models


def edits(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Return the differences between the units of two mappings (plain data by name), sorted by name.

    >>> old = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 35}}}}
    >>> new = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 40}}}, "crown/guns": {}}
    >>> [str(each) for each in edits(old, new)]
    ['crown/guns: new', 'crown/rifles: levels.basic.points: 35 -> 40']
    """
    result = []
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            result.append(Edit(name, "", *("present" if name in side else None for side in (old, new))))
            continue
        before, after = dict(_leaves(old[name])), dict(_leaves(new[name]))
        keys = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
        result += [Edit(name, key, before.get(key), after.get(key)) for key in keys]
    return tuple(result)


def _leaves(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each value in nested data; the path names list items by id, band or index."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list) and any(isinstance(item, Mapping) for item in data):
        for index, item in enumerate(data):
            band = f"{item['first']}-{item['last']}" if {"first", "last"} <= item.keys() else index  # a band of dice
            yield from _leaves(item, f"{path}.{item.get('id') or band}")
    elif data is not None:
        yield path, ", ".join(map(str, data)) or "none" if isinstance(data, list) else str(data)
