"""Read the units and other selections of rosters of BattleScribe and New Recruit (`.ros`, `.rosz`, `.json`).

A selection (a chosen unit, level or upgrade) contains its profiles, so the reader of data files can read its units.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from analyser.common.errors import InputError
from analyser.game.army_file import MOST_UNITS
from analyser.game.importers import cells
from analyser.game.importers.archive import ROSTERS, read_document
from analyser.game.importers.import_warnings import ImportWarnings
from analyser.game.importers.tree import Tree
from analyser.game.importers.unit_reader import POINTS_NAMES, UnitReader
from analyser.game.keywords import LONGEST_NAME, tidy
from analyser.game.names import unused_name
from analyser.game.units import LevelName, Unit

ID_SEPARATOR = "::"  # between the ids of links and the id of the entry to which they lead
MOST_FORCES = 1000
MOST_COPIES = 100_000
MOST_COST = 1e9
_KNOWN_TAGS = {
    *("costs", "costLimits", "forces", "selections", "profiles", "rules", "categories"),
    *("publications", "customNotes", "tags"),  # no effect on the army
}


@dataclass(frozen=True)
class OtherSelection:
    """A selection other than a unit, in a battlegroup."""

    name: str
    entry_ids: tuple[str, ...]  # as in RosterUnit
    points: float
    battlegroup: str


@dataclass(frozen=True)
class RosterUnit:
    """A unit of a roster, as stated there."""

    name: str
    custom_name: str
    number: int  # copies of the unit
    entry_ids: tuple[str, ...]  # the id of its entry in the data files, then of the links to it, innermost first
    faction: str
    battlegroup: str
    level: LevelName | None  # level named by a selection inside the unit
    points: float | None  # cost of one copy, with the selections inside it
    profile: Unit | None  # profile at this level, if readable
    has_profiles: bool  # True if the roster has any part of its profile
    warnings: tuple[str, ...]
    unknown: tuple[str, ...]  # names of unknown selections


@dataclass
class Roster:
    """Contents of a roster."""

    name: str
    game: str
    game_id: str
    points: float | None = None  # total stated by the roster
    limit: float | None = None
    units: list[RosterUnit] = field(default_factory=list)
    others: list[OtherSelection] = field(default_factory=list)
    battlegroups: dict[str, str] = field(default_factory=dict)  # kind of each battlegroup, by its name
    warnings: ImportWarnings = field(default_factory=lambda: ImportWarnings(""))


def read_roster(path: Path) -> Roster:
    """Return the roster in a file; errors are those of :func:`~analyser.game.importers.archive.read_document`."""
    root = read_document(path, ROSTERS)
    game = _plain(root.get("gameSystemName")) or "an unnamed game"
    roster = Roster(_plain(root.get("name")) or "Army", game, root.get("gameSystemId", ""))
    roster.points = _points(root, "costs/cost", roster.warnings)
    limit = _points(root, "costLimits/costLimit", roster.warnings)
    roster.limit = limit if limit and limit > 0 else None
    holders = (element for element in root.iter() if element.tag in ("roster", "force", "selection"))
    for tag in sorted({child.tag for holder in holders for child in holder} - _KNOWN_TAGS):
        roster.warnings.add(tag, "an unknown part of the roster; left out")
    units = [unit for force, faction in _forces(root) for unit in _unit_selections(force, faction, roster)]
    number = sum(_number(selection, roster.warnings) for selection, _, _ in units)
    if number > MOST_UNITS:  # checked before the units are read, which is slow
        raise InputError(f"{number} units in this roster", where=str(path), allowed=f"up to {MOST_UNITS}")
    roster.units += [_unit(*unit) for unit in units]
    return roster


def _forces(root: Element) -> Iterator[tuple[Element, str]]:
    """Yield every force with selections, and the name of its faction; outer forces come before inner forces."""
    waiting = [(root, "")]
    while waiting:
        holder, outer_faction = waiting.pop()
        faction = _plain(holder.get("catalogueName")) or outer_faction
        if holder.find("selections/selection") is not None:
            yield holder, faction
        waiting += [(force, faction) for force in reversed(holder.findall("forces/force"))]


def _unit_selections(force: Element, faction: str, roster: Roster) -> Iterator[tuple[Element, str, str]]:
    """Yield selections of units with faction and battlegroup; store other selections in the roster."""
    if len(roster.battlegroups) >= MOST_FORCES:
        raise InputError("too many forces", allowed=f"up to {MOST_FORCES}")
    kind = _plain(force.get("name")) or "Force"
    battlegroup = unused_name(_plain(force.get("customName")) or kind, roster.battlegroups)
    roster.battlegroups[battlegroup], others = kind, roster.others
    for selection in force.iterfind("selections/selection"):
        for nested in _with_nested(selection):
            points = 0.0 if _is_unit(nested) else _points(nested, "costs/cost", roster.warnings) or 0.0
            if _is_unit(nested):
                yield nested, faction, battlegroup
            elif points or nested.find("selections/*") is None:
                others.append(OtherSelection(_plain(nested.get("name")), _entry_ids(nested), points, battlegroup))


def _with_nested(selection: Element) -> Iterator[Element]:
    """Yield a selection and all selections inside it; inside a unit, yield only other units."""
    yield selection
    is_unit = _is_unit(selection)
    for holder in [*_selections_of_unit(selection)] if is_unit else [selection]:
        for child in holder.iterfind("selections/selection"):
            if not is_unit or _is_unit(child, inside_unit=True):
                yield from _with_nested(child)


def _selections_of_unit(unit: Element) -> Iterator[Element]:
    """Yield the selection of a unit and all selections inside it, except other units."""
    yield unit
    for selection in unit.iterfind("selections/selection"):
        if not _is_unit(selection, inside_unit=True):
            yield from _selections_of_unit(selection)


def _is_unit(selection: Element, *, inside_unit: bool = False) -> bool:
    """Return True if a selection is a unit; a model is a unit unless it is inside another unit."""
    kind = selection.get("type", "").strip().lower()
    return kind == "unit" or (kind == "model" and not inside_unit)


def _unit(selection: Element, faction: str, battlegroup: str) -> RosterUnit:
    warnings = ImportWarnings("")
    number, tree = _number(selection, warnings), Tree({}, warnings)
    profile = UnitReader(_entry(selection, number), tree).read(with_review=False)
    parts = [*_selections_of_unit(selection)]
    costs = [cost for part in parts if (cost := _points(part, "costs/cost", warnings)) is not None]
    levels = [level for part in parts[1:] if (level := cells.parse_level(_plain(part.get("name"))))]
    return RosterUnit(
        name=_plain(selection.get("name")),
        custom_name=_plain(selection.get("customName")),
        number=number,
        entry_ids=_entry_ids(selection),
        faction=faction,
        battlegroup=battlegroup,
        level=levels[0][0] if levels else None,
        points=sum(costs) / number if costs else None,
        profile=profile,
        has_profiles=any(part.find("profiles/*") is not None for part in parts),
        warnings=tuple(f"{warning.value!r}: {warning.problem}" for warning in warnings.entries),
        unknown=tuple(_plain(part.get("name")) for part in parts[1:] if _is_unknown(part)),
    )


def _is_unknown(selection: Element) -> bool:
    """Return True if a selection is not a level and contains no profile, rule or selection."""
    has_content = any(selection.find(f"{tag}/*") is not None for tag in ("profiles", "rules", "selections"))
    return not has_content and cells.parse_level(_plain(selection.get("name"))) is None


def _entry(selection: Element, number: int) -> Element:
    """Return a selection of `number` equal units as an entry of one unit, as in data files."""
    attributes = {key: value for key in ("name", "type") if (value := selection.get(key))}
    entry = Element("selectionEntry", attributes | {"id": _entry_ids(selection)[0]})
    entry.extend(child for tag in ("profiles", "rules") for child in selection.iterfind(tag))
    costs, links = SubElement(entry, "costs"), SubElement(entry, "categoryLinks")
    for cost in selection.iterfind("costs/cost"):
        SubElement(costs, "cost", cost.attrib | {"value": f"{(_value(cost) or 0.0) / number:g}"})
    for category in selection.iterfind("categories/category"):
        SubElement(links, "categoryLink", category.attrib)
    children = [child for child in selection.iterfind("selections/selection") if not _is_unit(child, inside_unit=True)]
    SubElement(entry, "selectionEntries").extend(_entry(child, number) for child in children)
    return entry


def _entry_ids(selection: Element) -> tuple[str, ...]:
    """Return the id of a selection's entry, then the ids of links to the entry, innermost first."""
    return tuple(reversed([_plain(step) for step in selection.get("entryId", "").split(ID_SEPARATOR)]))


def _number(selection: Element, warnings: ImportWarnings) -> int:
    text = selection.get("number", "1")
    number = cells.parse_number(text)
    if number is None or not 1 <= number <= MOST_COPIES:
        warnings.add(text, "not a number of units; taken for 1")
        return 1
    return number


def _points(holder: Element, path: str, warnings: ImportWarnings) -> float | None:
    """Return the total points among the costs of an element; None if it has no points."""
    total = None
    for cost in holder.iterfind(path):
        if tidy(cost.get("name", "")[:LONGEST_NAME]).casefold() in POINTS_NAMES:
            value = _value(cost)
            if value is None:
                warnings.add(cost.get("value", ""), "not a number of points; left out")
            else:
                total = (total or 0.0) + value
    return total


def _value(cost: Element) -> float | None:
    try:
        value = float(cost.get("value", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= MOST_COST else None


def _plain(text: str | None) -> str:
    return tidy((text or "")[: cells.LONGEST_CELL])[:LONGEST_NAME].strip()
