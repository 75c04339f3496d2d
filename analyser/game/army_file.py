"""Army files: the keys that people write, checked, and the army that they make."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from analyser.common.errors import InputError, shown
from analyser.common.validation import Record, Several, checked
from analyser.game.army import Army, ArmyUnit, Scale, no_such_unit, plain_keys, scale_for
from analyser.game.keywords import Rule
from analyser.game.profiles import Profiles
from analyser.game.units import (
    MOST_MODELS,
    Category,
    Inches,
    Level,
    LevelName,
    Loadout,
    Models,
    Name,
    Row,
    Selector,
    Trait,
    Unit,
    UnitType,
    each_row_once,
)

MOST_UNITS = 500
MOST_POINTS = 100_000
OWN = "own"  # the faction of an army that no library knows
_TIMES = re.compile(r"\s*(\d{1,4})\s*[x×]\s+(\S.*)")
_LEVEL_KEYS = ("models", "points", "victory_points")


class UnitEntry(Record):
    """One ``[[unit]]`` of an army file.

    `unit` is a selector; every key of a profile beside it is said instead of the profile's. Without `unit` the keys
    are the whole profile.
    """

    unit: Selector | None = None
    name: Name | None = None
    count: Annotated[int, Field(ge=1, le=MOST_UNITS)] = 1
    battlegroup: Name | None = None
    embarked_in: Name | None = None
    reserve: bool = False
    policy: Name | None = None
    x: Inches | None = None
    behind: Inches = 0.0

    level: LevelName | None = None
    models: Models | None = None
    points: Annotated[int, Field(ge=0, le=MOST_POINTS)] | None = None
    victory_points: Annotated[int, Field(ge=0, le=1000)] | None = None
    type: UnitType | None = None
    traits: Several[Trait] | None = None
    category: Category | None = None
    size: Annotated[int, Field(ge=0, le=100)] | None = None
    speed: Inches | None = None
    defence: Annotated[int, Field(ge=1, le=100)] | None = None
    damage_limit: Annotated[int, Field(ge=1, le=1000)] | None = None
    discipline: Annotated[int, Field(ge=0, le=100)] | None = None
    break_limit: Annotated[int, Field(ge=0, le=MOST_MODELS)] | None = None
    rules: Several[Rule] | None = None
    rows: Several[Row] | None = None

    _each_row_once = field_validator("rows")(each_row_once)

    @property
    def changes(self) -> dict[str, Any]:
        """The keys of a profile that it states, with their values."""
        stated = ((key, getattr(self, key)) for key in PROFILE_KEYS)
        return {key: value for key, value in stated if value is not None}


PROFILE_KEYS = tuple(key for key in UnitEntry.model_fields if key in Level.model_fields or key in Unit.model_fields)
PROFILE_KEYS = tuple(key for key in PROFILE_KEYS if key != "name")


def _entries(value: object) -> object:
    """Units as people list them: a selector, ``3 x`` a selector, a loadout, or a table."""
    return tuple(map(_entry, value)) if isinstance(value, list | tuple) else value


def _entry(value: object) -> object:
    if isinstance(value, str) and (times := _TIMES.fullmatch(value)):
        return {"unit": times[2], "count": int(times[1])}
    return {"unit": value} if isinstance(value, str | Loadout) else value


class ArmyFile(Record):
    """An army file as it stands. `docs/armies.md` says each key."""

    format: Literal[1] = 1
    name: Name = "Army"
    faction: str | None = None
    scale: Scale | None = None
    points_limit: Annotated[int, Field(ge=1, le=MOST_POINTS)] | None = None
    battlegroups: dict[Name, Name] = Field(default_factory=dict)
    units: Annotated[Several[UnitEntry], Field(min_length=1, max_length=MOST_UNITS)] = Field(alias="unit")

    _listed = field_validator("units", mode="before")(_entries)


def resolved_army(file: ArmyFile, library: Profiles) -> Army:
    """An army file with every unit looked up in a library, named and checked.

    Raises
    ------
    InputError
        A unit that the library does not have, one that cannot embark where it is said to, or two of one name.
    """
    faction = _faction_of(file, library)
    if (number := sum(entry.count for entry in file.units)) > MOST_UNITS:
        raise InputError(f"{number} units", where="unit", allowed=f"up to {MOST_UNITS}")
    units: list[ArmyUnit] = []
    taken: set[str] = {entry.name for entry in file.units if entry.name is not None}
    for number, entry in enumerate(file.units):
        try:
            known, loadout = _loadout(entry, faction, library)
        except InputError as error:
            raise error.inside(f"unit.{number}") from None
        for _ in range(entry.count):
            name = _free_name(entry, loadout, {unit.name for unit in units}, taken)
            units.append(_unit(entry, name, loadout, known))
    _check_embarked(units)
    names = [unit.name for unit in units]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two units are called {shown(twice)}", where="unit", allowed="each name once")
    points = sum(unit.points or 0 for unit in units)
    return Army(
        name=file.name,
        faction=faction,
        scale=file.scale or scale_for(file.points_limit or points),
        units=tuple(units),
        points_limit=file.points_limit,
        battlegroups=file.battlegroups,
        profiles=library.used,
    )


def _faction_of(file: ArmyFile, library: Profiles) -> str:
    """The id of the faction that a file states, else that of its first unit with a selector."""
    try:
        if file.faction is not None:
            return library.faction(file.faction).id
        selector = next((entry.unit for entry in file.units if entry.unit is not None), None)
        return OWN if selector is None else library.loadout(selector).faction
    except InputError as error:
        raise error.inside("faction" if file.faction is not None else "unit") from None


def _loadout(entry: UnitEntry, faction: str, library: Profiles) -> tuple[str | None, Loadout]:
    """The selector of an entry in the library, if it has one, and its profile as the entry says it."""
    changes = entry.changes
    if entry.unit is None:
        return None, _own_profile(entry, faction, changes)
    loadout = _found(entry.unit, faction, library)
    return loadout.selector, with_changes(loadout, changes)


def _found(selector: str | Loadout, faction: str, library: Profiles) -> Loadout:
    """The loadout of a selector; one without a faction is looked for in the army's, and then in all."""
    if isinstance(selector, str) and "/" not in selector and faction in library.factions:
        with suppress(InputError):
            return library.loadout(f"{faction}/{selector}")
    return library.loadout(selector)


def with_changes(loadout: Loadout, changes: Mapping[str, Any]) -> Loadout:
    """A loadout with some keys of its profile or its level said anew."""
    if not changes:
        return loadout
    unit = loadout.unit.model_dump()
    level = {key: value for key, value in changes.items() if key in _LEVEL_KEYS}
    own = {key: value for key, value in plain_keys(changes).items() if key not in _LEVEL_KEYS}
    levels = unit["levels"] | {loadout.level_name: unit["levels"][loadout.level_name] | level}
    return checked(Loadout, loadout.model_dump() | {"unit": unit | own | {"levels": levels}})


def _own_profile(entry: UnitEntry, faction: str, changes: Mapping[str, Any]) -> Loadout:
    """The profile that an entry without a selector is."""
    if entry.name is None:
        raise InputError("this key is missing: it is required", where="unit", allowed="a selector; or a whole profile")
    plain, level = plain_keys(changes), entry.level or "basic"
    unit = {key: value for key, value in plain.items() if key not in _LEVEL_KEYS}
    levels = {level: {key: plain[key] for key in _LEVEL_KEYS if key in plain}}
    named = {"id": slug_of(entry.name), "name": entry.name, "levels": levels}
    return checked(Loadout, {"faction": faction, "unit": named | unit, "level_name": level})


def slug_of(name: str) -> str:
    """A name as an id.

    >>> slug_of("Uhlan Squadron #2")
    'uhlan-squadron-2'
    """
    words = "".join(each if each.isascii() and each.isalnum() else " " for each in name.casefold()).split()
    return "-".join(words)[:80].strip("-") or "unit"


def _free_name(entry: UnitEntry, loadout: Loadout, used: set[str], stated: set[str]) -> str:
    """Its own name, or that of its profile with the first number that no other unit has."""
    base = entry.name or f"{loadout.unit.id}@{loadout.level_name}"
    if base not in used and (entry.name is not None or base not in stated):
        return base
    if entry.name is not None and entry.count == 1:
        return base  # said twice, which is an error
    numbered = (f"{base} #{number}" for number in count(2))
    return next(name for name in numbered if name not in used and name not in stated)


def _unit(entry: UnitEntry, name: str, loadout: Loadout, selector: str | None) -> ArmyUnit:
    return ArmyUnit(
        name=name,
        loadout=loadout,
        battlegroup=entry.battlegroup,
        embarked_in=entry.embarked_in,
        reserve=entry.reserve or loadout.unit.type == "aircraft",
        policy=entry.policy,
        x=entry.x,
        behind=entry.behind,
        changes=entry.changes,
        selector=selector,
    )


def _check_embarked(units: list[ArmyUnit]) -> None:
    """Raise InputError unless every embarked unit is in a transport of its own that has room for it (AC-8.8)."""
    by_name = {unit.name: unit for unit in units}
    aboard: dict[str, str] = {}
    for unit in units:
        if unit.embarked_in is None:
            continue
        where, transport = f"{unit.name}: embarked_in", by_name.get(unit.embarked_in)
        if transport is None:
            raise no_such_unit(unit.embarked_in, list(by_name), where)
        if transport is unit or transport.embarked_in is not None:
            raise InputError(
                f"{transport.name} is no transport for it", where=where, allowed="a unit that is not aboard"
            )
        if (other := aboard.setdefault(transport.name, unit.name)) != unit.name:
            raise InputError(f"{other} is aboard {transport.name} already", where=where, allowed="one unit a transport")
        if not transport.loadout.unit.has("Capacity"):
            problem = f"{transport.name} is a unit without Capacity, which carries nobody"
            raise InputError(problem, where=where, allowed="a transport")
        room = max(transport.loadout.unit.value("Capacity"), 1) * transport.loadout.level.models
        if unit.loadout.level.models > room:
            problem = f"{unit.loadout.level.models} models in {transport.name}"
            raise InputError(problem, where=where, allowed=f"up to {room}")
