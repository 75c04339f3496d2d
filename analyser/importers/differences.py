"""Differences between a unit of a roster and its profile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from analyser.game.keywords import each_once
from analyser.game.units import OF_LEVELS, Loadout, Row, Unit
from analyser.importers.rosters import RosterUnit

_NUMBERS = ("size", "speed", "defence", "damage_limit", "discipline", "break_limit")
_OF_A_ROW = ("kind", "against", "short_range", "long_range", "bands", "qualities")


class Difference(NamedTuple):
    """A difference in a key of a profile; `value` is the roster's, None if a profile cannot have it."""

    key: str
    told: str
    value: Any

    def __str__(self) -> str:
        return self.told


def differences(stated: RosterUnit, loadout: Loadout) -> Iterator[Difference]:
    """Yield the differences between a unit of a roster and its profile at that level, key by key.

    If the roster has no profiles, only the points are compared.
    """
    own, level = stated.own, loadout.level
    if own is not None:
        unit, own_level = loadout.unit, next(iter(own.levels.values()))
        for key in ("models", "victory_points"):
            yield from _one(key, getattr(own_level, key), getattr(level, key))
        for key in ("type", "category", *_NUMBERS):
            yield from _one(key, getattr(own, key), getattr(unit, key))
        for key in ("traits", "rules"):
            yield from _listed(key, own, unit)
        yield from _rows(own, unit)
    if stated.points is not None and stated.points != level.points:
        whole = int(stated.points) if stated.points >= 0 and stated.points.is_integer() else None
        yield Difference("points", _told("points", stated.points, level.points), whole)


def _one(key: str, own: Any, profile: Any) -> Iterator[Difference]:
    if own != profile:
        without = "none" if key in OF_LEVELS else None
        yield Difference(key, _told(key.replace("_", " "), own, profile), without if own is None else own)


def _listed(key: str, own: Unit, unit: Unit) -> Iterator[Difference]:
    """Yield a difference in rules or traits, ignoring order."""
    mine, theirs = (each_once(side.keywords) if key == "rules" else side.traits for side in (own, unit))
    if set(mine) != set(theirs):
        yield Difference(key, _told(key, ", ".join(mine), ", ".join(theirs)), getattr(own, key))


def _rows(own: Unit, unit: Unit) -> Iterator[Difference]:
    """Yield one difference for all rows, because a profile replaces them together."""
    texts = []
    for row in own.rows:
        other = unit.row(row.id)
        if other is None:
            texts.append(f"row {row.name} is not in the profile")
            continue
        keys = (key for key in _OF_A_ROW if _plain(row, key) != _plain(other, key))
        texts += [_told(f"{key.replace('_', ' ')} of {row.name}", _shown(row, key), _shown(other, key)) for key in keys]
    texts += [f"row {row.name} is not in the roster" for row in unit.rows if own.row(row.id) is None]
    if texts:
        yield Difference("rows", "; ".join(texts), own.rows or None)


def _plain(row: Row, key: str) -> Any:
    return set(each_once(row.keywords)) if key == "qualities" else getattr(row, key)


def _shown(row: Row, key: str) -> Any:
    if key == "bands":
        return ", ".join(f"{band.first}-{band.last}: {band.cell}" for band in row.bands)
    value = getattr(row, key)
    return ", ".join(value) if isinstance(value, tuple) else value


def _told(what: str, own: Any, profile: Any) -> str:
    return f"{what} {_text(own)} in the roster, {_text(profile)} in the profile"


def _text(value: Any) -> str:
    if value is None or value == "":
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
