"""Check an army file, and make the army that it describes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.validation import Record, Several
from analyser.game import units
from analyser.game.army import UNLISTED, Army, ArmyBoon, ArmyUnit, no_such_unit_error, plain_changes
from analyser.game.forces import ForceRules, ScaleName
from analyser.game.keywords import Rules
from analyser.game.names import Name, slug, unused_name
from analyser.game.profiles import Profiles
from analyser.game.ruleset import HouseRules

MOST_UNITS = 500
MOST_POINTS = 100_000
_NUMBER_SUFFIX = re.compile(r"( #\d+)+$")  # such as " #2", which makes a repeated name unique
_COUNT_AND_SELECTOR = re.compile(r"\s*(-?\d[\d.]{0,17})(?:\s*[xX×]\s+|\s+(?=[\w-]+/))(\S.*)")
_ALWAYS_BY_LEVEL = ("models", "points", "victory_points")


def _not_blank(name: str) -> str:
    if not name.strip():
        raise ValueError("a blank name (allowed: at least one letter)")
    return name


NotBlank = Annotated[Name, AfterValidator(_not_blank)]


class UnitEntry(Record):
    """A ``[[unit]]`` section: a selector with keys that override its profile, or a name with a whole profile."""

    unit: units.Selector | None = None
    name: NotBlank | None = None
    count: Annotated[int, Field(ge=1, le=MOST_UNITS)] = 1
    battlegroup: NotBlank | None = None
    embarked_in: NotBlank | None = None
    reserve: bool = False
    policy: Name | None = None
    x: units.Inches | None = None  # distance from the left end of the front
    behind: units.Inches = 0.0  # distance behind the front

    level: units.LevelName | None = None
    models: units.Models | None = None
    points: Annotated[int, Field(ge=0, le=MOST_POINTS)] | None = None
    victory_points: Annotated[int, Field(ge=0, le=1000)] | None = None
    type: units.UnitType | None = None
    traits: Several[units.Trait] | None = None
    category: units.Category | None = None
    size: units.Size | units.NoValue | None = None
    speed: units.Inches | units.NoValue | None = None
    defence: units.Defence | None = None
    damage_limit: units.DamageLimit | None = None
    discipline: units.Discipline | units.NoValue | None = None
    break_limit: units.BreakLimit | units.NoValue | None = None
    rules: Rules | None = None
    rows: Several[units.Row] | None = None

    _check_distinct_rows = field_validator("rows")(units.check_distinct_rows)

    @property
    def changes(self) -> dict[str, Any]:
        """The profile keys that the section states, with their values."""
        stated = ((key, getattr(self, key)) for key in PROFILE_KEYS)
        return {key: value for key, value in stated if value is not None}


PROFILE_KEYS = tuple(
    key
    for key in UnitEntry.model_fields
    if key != "name" and (key in units.Level.model_fields or key in units.Unit.model_fields)
)


def _entry_tables(value: object) -> object:
    """Convert each entry of a list of units to a table; it may be a selector, ``3 x SELECTOR`` or a loadout."""

    def table_of(entry: object) -> object:
        if isinstance(entry, str) and (times := _COUNT_AND_SELECTOR.fullmatch(entry)):
            return {"unit": times[2], "count": times[1] if "." in times[1] else int(times[1])}
        return {"unit": entry} if isinstance(entry, str | units.Loadout) else entry

    return tuple(map(table_of, value)) if isinstance(value, list | tuple) else value


class BoonEntry(Record):
    """A ``[[boon]]`` section of an army file: the id of a boon, and its battlegroup."""

    boon: NotBlank
    battlegroup: NotBlank | None = None


class ArmyFile(Record):
    """An army file as written; `docs/keys.md` lists its keys."""

    page = "docs/keys.md"

    format: Literal[1] = 1
    name: Name = "Army"
    faction: str | None = None
    scale: ScaleName | None = None
    points_limit: Annotated[int, Field(ge=1, le=MOST_POINTS)] | None = None
    battlegroups: dict[NotBlank, NotBlank] = Field(default_factory=dict)
    units: Annotated[Several[UnitEntry], Field(min_length=1, max_length=MOST_UNITS)] = Field(alias="unit")
    boons: Annotated[Several[BoonEntry], Field(max_length=MOST_UNITS)] = Field(alias="boon", default=())

    _convert_entries = field_validator("units", mode="before")(_entry_tables)


def army_of_file(file: ArmyFile, library: Profiles) -> Army:
    """Return the army that a file describes; InputError for too many units, or for an unknown or impossible entry."""
    faction, rules = _faction_of(file, library), library.force_rules
    if (number := sum(entry.count for entry in file.units)) > MOST_UNITS:
        raise InputError(f"{number} units", where="unit", allowed=f"up to {MOST_UNITS}")
    stated = {entry.name for entry in file.units if entry.name is not None}
    army_units: dict[str, ArmyUnit] = {}
    for number, entry in enumerate(file.units, 1):
        try:
            unit = _unit(entry, faction, library)
        except InputError as error:
            raise error.inside(f"unit {number}") from None
        for _ in range(entry.count):
            name = _unused_name(entry, unit.loadout, army_units, stated)
            army_units[name] = replace(unit, name=name)
    _check_embarked(army_units, rules)
    known_faction = library.factions.get(faction)
    army = Army(
        name=file.name,
        faction=faction,
        scale="skirmish",
        units=tuple(army_units.values()),
        points_limit=file.points_limit,
        boons=tuple(_boon(entry, known_faction, library) for entry in file.boons),
        battlegroups=_battlegroups(file, known_faction),
        profiles=library.used,
    )
    return replace(army, scale=file.scale or scale_for(file.points_limit or army.points, rules))


def scale_for(points: int, rules: ForceRules) -> ScaleName:
    """Return the smallest force scale that allows a number of points, or the largest scale if none does."""
    by_size = sorted(rules.scales, key=lambda name: rules.scales[name].most_points)
    return next((name for name in by_size if points <= rules.scales[name].most_points), by_size[-1])


def _faction_of(file: ArmyFile, library: Profiles) -> str:
    """Return the id of the stated faction, else of the faction of the first unit with a selector, or else UNLISTED."""
    selectors = ((number, entry.unit) for number, entry in enumerate(file.units, 1) if entry.unit is not None)
    number, selector = next(selectors, (0, None))
    try:
        if file.faction is not None:
            return library.faction(file.faction).id
        return UNLISTED if selector is None else library.loadout(selector).faction
    except InputError as error:
        raise error.inside("faction" if file.faction is not None else f"unit {number}") from None


def _battlegroups(file: ArmyFile, faction: units.Faction | None) -> dict[str, str]:
    """Return the kind of each battlegroup by its name: the id, or the text if unknown. The name is the default kind."""
    named = [*(entry.battlegroup for entry in file.units), *(entry.battlegroup for entry in file.boons)]
    kinds = {name: name for name in named if name is not None} | file.battlegroups
    id_of = {slug(name): kind.id for kind in (faction.battlegroups if faction else ()) for name in (kind.id, kind.name)}
    return {name: id_of.get(slug(kind), kind) for name, kind in kinds.items()}


def _boon(entry: BoonEntry, faction: units.Faction | None, library: Profiles) -> ArmyBoon:
    boons = {boon.id: boon for boon in (faction.boons if faction else ())}
    if boon := boons.get(entry.boon) or boons.get(slug(entry.boon)):
        return ArmyBoon(boon, entry.battlegroup)
    allowed = "boons only in an army of a known faction"
    if faction:
        with_cost = ", ".join(boon.id for boon in boons.values() if boon.points)
        allowed = f"{with_cost}; see {library.command('army kinds', [faction])}"
    problem = f"no boon is called {shown(entry.boon)}{did_you_mean(entry.boon, boons)}"
    raise InputError(problem, where="boon", allowed=allowed)


def _unit(entry: UnitEntry, faction: str, library: Profiles) -> ArmyUnit:
    selector, loadout, changes = _loadout(entry, faction, library)
    stated = {key: getattr(entry, key) for key in ("battlegroup", "embarked_in", "policy", "x", "behind")}
    reserve = entry.reserve or slug(loadout.unit.type) in library.force_rules.always_in_reserve
    return ArmyUnit("", loadout, reserve=reserve, changes=changes, selector=selector, **stated)


def _loadout(entry: UnitEntry, faction: str, library: Profiles) -> tuple[str | None, units.Loadout, dict[str, Any]]:
    """Return selector, loadout and changed keys; for a unit outside the library: None, loadout and all keys."""
    changes = entry.changes
    if entry.unit is None:
        return None, _stated_loadout(entry, faction, changes, library.ruleset.rules), changes
    loadout = _find_loadout(entry.unit, faction, library)
    original = library.by_selector.get(loadout.selector)
    if original is None:
        return None, with_changes(loadout, changes), profile_of(loadout) | changes
    if original != loadout:
        before = profile_of(original)
        changes = {key: value for key, value in profile_of(loadout).items() if value != before.get(key)} | changes
        removed = (key for key in units.KEYS_BY_LEVEL if key in before and getattr(loadout.unit, key) is None)
        changes = dict.fromkeys(removed, "none") | changes
    changed = with_changes(loadout, changes)
    if "models" in changes:
        units.check_has_dice(changed, "models")
    return loadout.selector, changed, changes


def profile_of(loadout: units.Loadout) -> dict[str, Any]:
    """Return the profile of a loadout as keys and values of an army file."""
    parts = (loadout.unit, loadout.level)
    keys = {key: getattr(part, key) for part in parts[::-1] for key in PROFILE_KEYS if key in type(part).model_fields}
    keys |= {key: getattr(loadout.unit, key) for key in units.KEYS_BY_LEVEL}
    return {key: value for key, value in keys.items() if value is not None}


def _find_loadout(selector: str | units.Loadout, faction: str, library: Profiles) -> units.Loadout:
    """Return the loadout of a selector; if the selector has no faction, units of the army's faction take precedence."""
    if not isinstance(selector, str) or "/" in selector or faction not in library.factions:
        return library.loadout(selector)
    in_faction = f"{faction}/{selector}"
    candidates = (candidate for candidate in (in_faction, selector) if _has_unit(candidate, library))
    return library.loadout(next(candidates, in_faction))


def _has_unit(selector: str, library: Profiles) -> bool:
    try:
        library.unit(selector)
    except InputError:
        return False
    return True


def with_changes(loadout: units.Loadout, changes: Mapping[str, Any]) -> units.Loadout:
    """Return a loadout with changed keys of its unit or level."""
    if not changes:
        return loadout
    unit = loadout.unit.model_dump()
    plain = {key: units.stored_value(key, value, loadout.unit) for key, value in plain_changes(changes).items()}
    level_keys = {*_ALWAYS_BY_LEVEL, *loadout.unit.level_keys}
    unit["levels"][loadout.level_name] |= {key: value for key, value in plain.items() if key in level_keys}
    unit |= {key: value for key, value in plain.items() if key not in level_keys}
    return units.checked_loadout(loadout.faction, unit, loadout.level_name, loadout.house_rules)


def _stated_loadout(
    entry: UnitEntry, faction: str, changes: Mapping[str, Any], house_rules: HouseRules
) -> units.Loadout:
    if entry.name is None:
        raise InputError("this key is missing", where="unit", allowed="a selector; or a name and a whole profile")
    missing = {key for key in units.KEYS_BY_LEVEL if changes.get(key) == "none"}
    plain = {key: value for key, value in plain_changes(changes).items() if key not in missing}
    level = entry.level or "basic"
    unit = {key: value for key, value in plain.items() if key not in _ALWAYS_BY_LEVEL}
    levels = {level: {key: plain[key] for key in _ALWAYS_BY_LEVEL if key in plain}}
    name = _NUMBER_SUFFIX.sub("", entry.name)
    head = {"id": slug(name) or "unit", "name": name, "levels": levels}
    return units.checked_loadout(faction, head | unit, level, house_rules)


def _unused_name(entry: UnitEntry, loadout: units.Loadout, used: Collection[str], stated: Collection[str]) -> str:
    """Return the stated name or ``id@level``, numbered if taken (InputError if stated for a single unit)."""
    base = entry.name or f"{loadout.unit.id}@{loadout.level_name}"
    if base not in used and (entry.name is not None or base not in stated):
        return base
    if entry.name is not None and entry.count == 1:
        raise InputError(f"two units are called {shown(base)}", where="unit", allowed="a different name for each")
    plain = _NUMBER_SUFFIX.sub("", base)
    return unused_name(plain, {plain, *used, *stated})


def _check_embarked(army_units: Mapping[str, ArmyUnit], rules: ForceRules) -> None:
    """Raise InputError if an embarked unit may not embark, does not fit, or shares its transport (AC-8.8)."""
    aboard: dict[str, str] = {}
    for unit in army_units.values():
        if unit.embarked_in is None:
            continue
        where, transport = f"{unit.name}: embarked_in", army_units.get(unit.embarked_in)
        if transport is None:
            raise no_such_unit_error(unit.embarked_in, list(army_units), where)
        if transport is unit:
            raise InputError(f"{unit.name} is its own transport", where=where, allowed="another unit, with Capacity")
        if transport.embarked_in is not None:
            problem = f"{transport.name} is itself aboard {transport.embarked_in}"
            raise InputError(problem, where=where, allowed="a unit with Capacity that is not embarked")
        if (other := aboard.setdefault(transport.name, unit.name)) != unit.name:
            raise InputError(f"{other} is already aboard {transport.name}", where=where, allowed="one unit in each")
        capacity, models, kind = transport.loadout.capacity, unit.loadout.level.models, unit.loadout.unit.type
        if capacity == 0:
            raise InputError(f"{transport.name} cannot carry passengers", where=where, allowed="a unit with Capacity")
        if slug(kind) not in rules.passengers:
            raise InputError(f"a unit of type {kind} cannot embark", where=where, allowed=", ".join(rules.passengers))
        if models > capacity:
            raise InputError(f"{models} models in {transport.name}", where=where, allowed=f"up to {capacity}")
