"""Match the units of a roster with the profiles, warn about each difference, and return the army."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, Literal, NamedTuple

from analyser.common.errors import InputError, printable
from analyser.common.text import counted
from analyser.common.validation import checked
from analyser.game.army import UNLISTED, Army
from analyser.game.army_file import MOST_POINTS, ArmyFile, army_of_file, profile_of
from analyser.game.forces import Boon
from analyser.game.importers.rosters import OtherSelection, Roster, RosterUnit
from analyser.game.keywords import distinct_keywords
from analyser.game.names import slug, unused_name
from analyser.game.profiles import Profiles
from analyser.game.units import KEYS_BY_LEVEL, Faction, Loadout, Row, Unit

Numbers = Literal["profile", "roster"]
NUMBER_SOURCES: tuple[Numbers, ...] = ("profile", "roster")
MOST_NAMED_UNITS = 8  # units named in a warning
MOST_WARNINGS = 200  # most lines of warnings about a roster


class Match(NamedTuple):
    """A unit of a roster, its loadout in the library (or None), and the differences between both."""

    unit: RosterUnit
    loadout: Loadout | None
    differences: tuple[Difference, ...] = ()


def match_roster(roster: Roster, library: Profiles, numbers: Numbers = "profile") -> Army:
    """Return the army in a roster; `numbers` says which numbers count if roster and profile differ.

    Units are matched with the library by the ids of their entries, or else by faction and name. Levels are matched by
    name, or else by the number of models. A unit outside the library gets the profile in the roster.
    """
    is_armoured_clash = roster.game_id == library.force_rules.game_system
    matches = [_match_of(unit, library, by_name=is_armoured_clash) for unit in roster.units]
    usable = [match for match in matches if match.loadout is not None or match.unit.profile is not None]
    _check_usable(roster, usable, is_armoured_clash=is_armoured_clash)
    faction = _faction(roster, matches, library)
    boons = [(selection, _boon_of(selection, faction)) for selection in roster.others]
    table = _army_table(roster, usable, faction, numbers)
    known = [(selection, boon) for selection, boon in boons if boon is not None]
    table["boon"] = [{"boon": boon.id, "battlegroup": selection.battlegroup} for selection, boon in known]
    army = army_of_file(checked(ArmyFile, table), library)
    unknown = [selection for selection, boon in boons if boon is None]
    other_game = f"the roster is of {roster.game}; its units were matched by the ids of their entries"
    lines = [] if is_armoured_clash else [other_game]
    lines += [str(warning) for warning in roster.warnings.entries]
    lines += _profile_warnings(matches)
    lines += _unknown_selection_warnings(matches)
    lines += chain.from_iterable(map(_unit_warnings, matches))
    lines += [f"{selection.name or 'something'} is selected but unknown; it is ignored" for selection in unknown]
    if any(match.differences for match in usable):
        lines.append(f"where roster and profile differ, the numbers of the {numbers} are used")
    lines = list(dict.fromkeys(map(printable, lines)))
    if len(lines) > MOST_WARNINGS:
        lines[MOST_WARNINGS:] = [f"and {counted(len(lines) - MOST_WARNINGS, 'more line')} like these"]
    return replace(army, warnings=(*lines, *_points_warnings(roster, army)))


def _check_usable(roster: Roster, usable: list[Match], *, is_armoured_clash: bool) -> None:
    if usable:
        return
    allowed = "at least one unit of Armoured Clash"
    if not roster.units:
        raise InputError("no unit in this roster", allowed=allowed)
    game = "" if is_armoured_clash else f" of {roster.game}"
    units = "its unit is" if len(roster.units) == 1 else f"all its {len(roster.units)} units are"
    raise InputError(f"a roster{game}: {units} unknown, such as {roster.units[0].name!r}", allowed=allowed)


def _match_of(roster_unit: RosterUnit, library: Profiles, *, by_name: bool) -> Match:
    unit = _unit_of(roster_unit, library, by_name=by_name)
    loadout = None if unit is None else _at_level(roster_unit, *unit)
    return Match(roster_unit, loadout, () if loadout is None else tuple(differences(roster_unit, loadout)))


def _unit_of(roster_unit: RosterUnit, library: Profiles, *, by_name: bool) -> tuple[Faction, Unit] | None:
    """Find a unit of a roster in the library, by the id of its entry, or else by faction and name."""
    units = [(faction, unit) for faction in library.factions.values() for unit in faction.units]
    for entry in roster_unit.entry_ids:
        for faction, unit in units:
            if entry and entry == unit.entry:
                return faction, unit
    same_name = [(faction, unit) for faction, unit in units if by_name and _same_name(roster_unit.name, unit.name)]
    same_faction = [(faction, unit) for faction, unit in same_name if _same_name(roster_unit.faction, faction.name)]
    matching = same_faction or same_name
    return matching[0] if len(matching) == 1 else None


def _same_name(first: str, second: str) -> bool:
    return slug(first) == slug(second)


def _at_level(roster_unit: RosterUnit, faction: Faction, unit: Unit) -> Loadout | None:
    """Return the unit at its selected level, else the only level with the roster's models, else its only level."""
    profile = roster_unit.profile
    models = [level.models for level in profile.levels.values()] if profile is not None else []
    levels_of_size = [name for name, level in unit.levels.items() if level.models in models]
    matching = [roster_unit.level] if roster_unit.level in unit.levels else levels_of_size or list(unit.levels)
    level = matching[0] if len(matching) == 1 else None
    return None if level is None else Loadout(faction=faction.id, unit=unit, level_name=level)


def _faction(roster: Roster, matches: list[Match], library: Profiles) -> Faction | None:
    """Return the faction of the first unit that the library has, or else the faction that the roster names."""
    ids = [match.loadout.faction for match in matches if match.loadout is not None]
    if ids:
        return library.factions[ids[0]]
    name = roster.units[0].faction
    return next((faction for faction in library.factions.values() if _same_name(name, faction.name)), None)


def _boon_of(selection: OtherSelection, faction: Faction | None) -> Boon | None:
    boons = faction.boons if faction is not None else ()
    by_entry = (boon for entry in selection.entry_ids for boon in boons if entry and entry == boon.entry)
    return next(chain(by_entry, (boon for boon in boons if _same_name(selection.name, boon.name))), None)


def _army_table(roster: Roster, matches: list[Match], faction: Faction | None, numbers: Numbers) -> dict[str, Any]:
    names: set[str] = set()
    limit = int(roster.limit) if roster.limit is not None and roster.limit.is_integer() else 0
    return {
        "name": roster.name,
        "faction": None if faction is None else faction.id,
        "points_limit": limit if 1 <= limit <= MOST_POINTS else None,
        "battlegroups": roster.battlegroups,
        "unit": [_entry(match, names, numbers) for match in matches],
    }


def _entry(match: Match, names: set[str], numbers: Numbers) -> dict[str, Any]:
    unit, loadout = match.unit, match.loadout
    entry: dict[str, Any] = {"count": unit.number, "battlegroup": unit.battlegroup}
    if loadout is not None:
        changes = {difference.key: difference.value for difference in match.differences if difference.value is not None}
        entry |= {"unit": loadout.selector} | (changes if numbers == "roster" else {})
    elif unit.profile is not None:
        level = next(iter(unit.profile.levels))
        entry |= {"level": level} | profile_of(Loadout(faction=UNLISTED, unit=unit.profile, level_name=level))
    if name := unit.custom_name or ("" if loadout is not None else unit.name):
        entry["name"] = unused_name(name, names)
        names.add(entry["name"])
    return entry


def _unit_warnings(match: Match) -> Iterator[str]:
    unit, loadout = match.unit, match.loadout
    name = unit.name or "a unit without a name"
    if loadout is None and unit.profile is not None:
        yield f"{name}: not among the profiles; the numbers of the roster are used"
    elif loadout is None:
        cost = "" if not unit.points else f", {unit.points * unit.number:,g} points"
        reason = "no profile has this name, and the profile in the roster is incomplete"
        yield f"{name}: unknown, left out{cost}; {reason}"
    elif not _same_name(unit.name, loadout.unit.name):
        yield f"{name}: matched by its entry with {loadout.unit.name}"
    yield from (f"{name}: {difference.text}" for difference in match.differences)
    if loadout is None:
        yield from (f"{name}: {warning}" for warning in unit.warnings)
    elif unit.profile is not None:  # the import of the profiles already reported the others
        yield from (f"{name}: {warning}" for warning in unit.warnings if "left out" in warning)
    elif unit.has_profiles:
        yield f"{name}: the profile in the roster is incomplete, so the library's profile is used"


def _profile_warnings(matches: list[Match]) -> Iterator[str]:
    """Warn about units without a profile in the roster, because they cannot be compared."""
    names_without = [match.unit.name for match in matches if match.loadout is not None and not match.unit.has_profiles]
    if names_without and len(names_without) == len(matches):
        yield "the roster has no numbers of its units: the profiles are used, and nothing could be compared"
    elif names_without:
        names = ", ".join(dict.fromkeys(names_without))
        yield f"the roster has no profile of {names}: the library's profiles are used without a comparison"


def _unknown_selection_warnings(matches: list[Match]) -> Iterator[str]:
    units_with: dict[str, dict[str, None]] = {}
    for unit in (match.unit for match in matches):
        for name in unit.unknown:
            units_with.setdefault(name or "something without a name", {})[unit.name or "a unit without a name"] = None
    for name, units in units_with.items():
        first, more = [*units][:MOST_NAMED_UNITS], len(units) - MOST_NAMED_UNITS
        names = ", ".join(first) + (f" and {more} more" if more > 0 else "")
        yield f"{names}: {name} is selected but unknown; it is ignored"


def _points_warnings(roster: Roster, army: Army) -> Iterator[str]:
    selected = sum((unit.points or 0) * unit.number for unit in roster.units)
    selected += sum(selection.points for selection in roster.others)
    if roster.points is not None and roster.points != selected:
        yield f"points: the roster states {roster.points:,g}, but its selections cost {selected:,g}"
    if army.points != selected:
        yield f"points: {army.points:,} in this army, {selected:,g} in the roster; the differences are listed above"


_ROW_KEYS = ("kind", "against", "short_range", "long_range", "bands", "qualities")


class Difference(NamedTuple):
    """A difference in a key of a profile; `value` is the roster's value, or None if no profile can have that value."""

    key: str
    text: str
    value: Any


def differences(roster_unit: RosterUnit, loadout: Loadout) -> Iterator[Difference]:
    """Yield the differences between a unit of a roster and its loadout in the library, key by key."""
    stated, level = roster_unit.profile, loadout.level
    if stated is not None:
        unit, stated_level = loadout.unit, next(iter(stated.levels.values()))
        for key in ("models", "victory_points"):
            yield from _value_difference(key, getattr(stated_level, key), getattr(level, key))
        for key in ("type", "category", *KEYS_BY_LEVEL):
            yield from _value_difference(key, getattr(stated, key), getattr(unit, key))
        for key in ("traits", "rules"):
            yield from _names_difference(key, stated, unit)
        yield from _rows_difference(stated, unit)
    if roster_unit.points is not None and roster_unit.points != level.points:
        points = roster_unit.points
        whole = int(points) if points >= 0 and points.is_integer() else None
        yield Difference("points", _text_of_both("points", points, level.points), whole)


def _value_difference(key: str, stated: Any, profile: Any) -> Iterator[Difference]:
    if stated != profile:
        without = "none" if key in KEYS_BY_LEVEL else None
        text = _text_of_both(key.replace("_", " "), stated, profile)
        yield Difference(key, text, without if stated is None else stated)


def _names_difference(key: str, stated: Unit, unit: Unit) -> Iterator[Difference]:
    first, second = (distinct_keywords(item.keywords) if key == "rules" else item.traits for item in (stated, unit))
    if set(first) != set(second):
        yield Difference(key, _text_of_both(key, ", ".join(first), ", ".join(second)), getattr(stated, key))


def _rows_difference(stated: Unit, unit: Unit) -> Iterator[Difference]:
    """Yield a single difference for all rows, because an army file replaces rows together."""
    texts = []
    for row in stated.rows:
        other = unit.row(row.id)
        if other is None:
            texts.append(f"row {row.name} is not in the profile")
            continue
        for key in (key for key in _ROW_KEYS if _comparable(row, key) != _comparable(other, key)):
            label = f"{key.replace('_', ' ')} of {row.name}"
            texts.append(_text_of_both(label, _cell_value(row, key), _cell_value(other, key)))
    texts += [f"row {row.name} is not in the roster" for row in unit.rows if stated.row(row.id) is None]
    if texts:
        yield Difference("rows", "; ".join(texts), stated.rows or None)


def _comparable(row: Row, key: str) -> Any:
    return set(distinct_keywords(row.keywords)) if key == "qualities" else getattr(row, key)


def _cell_value(row: Row, key: str) -> Any:
    if key == "bands":
        return ", ".join(f"{band.first}-{band.last}: {band.cell}" for band in row.bands)
    value = getattr(row, key)
    return ", ".join(value) if isinstance(value, tuple) else value


def _text_of_both(label: str, stated: Any, profile: Any) -> str:
    return f"{label} {_text(stated)} in the roster, {_text(profile)} in the profile"


def _text(value: Any) -> str:
    if value is None or value == "":
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
