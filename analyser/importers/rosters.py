"""Reader of rosters of BattleScribe and New Recruit (`.ros`, `.rosz`, `.json`): their units and other selections.

A roster contains the profiles of its selections, so the reader of data files reads each unit from its own selection.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from analyser.common.errors import InputError
from analyser.game.army_file import MOST_UNITS
from analyser.game.keywords import LONGEST_NAME, tidy
from analyser.game.units import LevelName, Unit
from analyser.importers import cells
from analyser.importers.archive import ROSTERS, read_document
from analyser.importers.import_warnings import Doubts
from analyser.importers.tree import Tree
from analyser.importers.unit_reader import POINTS, UnitReader

LINK = "::"  # separates the ids of the links to an entry, and the id of the entry
MOST_FORCES = 1000
MOST_NUMBER = 100_000
MOST_COST = 1e9
_KNOWN = {
    *("costs", "costLimits", "forces", "selections", "profiles", "rules", "categories"),
    *("publications", "customNotes", "tags"),  # no effect on the army
}


@dataclass(frozen=True)
class Pick:
    """A selection other than a unit."""

    name: str
    entries: tuple[str, ...]
    points: float
    battlegroup: str


@dataclass(frozen=True)
class RosterUnit:
    """A unit of a roster, as stated there."""

    name: str
    custom_name: str
    number: int  # copies of the unit
    entries: tuple[str, ...]  # the id of its entry, then those of the links to it, innermost first
    faction: str
    battlegroup: str
    level: LevelName | None  # level named by the selections
    points: float | None  # points of one unit, with its selections
    own: Unit | None  # its profile at that level, if readable
    has_profiles: bool  # True if the roster has any part of it
    doubts: tuple[str, ...]
    unread: tuple[str, ...]  # selections that were not understood


@dataclass
class Roster:
    """Contents of a roster."""

    name: str
    game: str
    game_id: str
    points: float | None = None  # total stated by the roster
    limit: float | None = None
    units: list[RosterUnit] = field(default_factory=list)
    picks: list[Pick] = field(default_factory=list)
    battlegroups: dict[str, str] = field(default_factory=dict)  # kinds by name
    doubts: Doubts = field(default_factory=lambda: Doubts(""))


def read_roster(path: Path) -> Roster:
    """Return the roster in a file; raises InputError as :func:`~analyser.importers.archive.read_document`."""
    root = read_document(path, ROSTERS)
    roster = Roster(
        _plain(root.get("name")) or "Army", _plain(root.get("gameSystemName")), root.get("gameSystemId", "")
    )
    roster.points = _points(root, "costs/cost", roster.doubts)
    limit = _points(root, "costLimits/costLimit", roster.doubts)
    roster.limit = limit if limit and limit > 0 else None
    holders = (element for element in root.iter() if element.tag in ("roster", "force", "selection"))
    for tag in sorted({child.tag for holder in holders for child in holder} - _KNOWN):
        roster.doubts.add(tag, "an unknown part of the roster; left out")
    selected = [selection for force, faction in _forces(root) for selection in _selected(force, faction, roster)]
    number = sum(_number(selection, roster.doubts) for selection, _, _ in selected)
    if number > MOST_UNITS:  # refused before reading each of them
        raise InputError(f"{number} units in this roster", where=str(path), allowed=f"up to {MOST_UNITS}")
    roster.units += [_unit(*selection) for selection in selected]
    return roster


def _forces(root: Element) -> Iterator[tuple[Element, str]]:
    """Yield every force with selections and its faction's name; nested forces follow their parent."""
    waiting = [(root, "")]
    while waiting:
        holder, outer = waiting.pop()
        faction = _plain(holder.get("catalogueName")) or outer
        if holder.find("selections/selection") is not None:
            yield holder, faction
        waiting += [(force, faction) for force in reversed(holder.findall("forces/force"))]


def _selected(force: Element, faction: str, roster: Roster) -> Iterator[tuple[Element, str, str]]:
    """Yield the unit selections of a force, with faction and battlegroup; store the others in the roster."""
    if len(roster.battlegroups) >= MOST_FORCES:
        raise InputError("too many forces", allowed=f"up to {MOST_FORCES}")
    kind = _plain(force.get("name")) or "Force"
    battlegroup = _unused(_plain(force.get("customName")) or kind, roster.battlegroups)
    roster.battlegroups[battlegroup] = kind
    for selection in force.iterfind("selections/selection"):
        for part in _parts(selection):
            if _is_unit(part):
                yield part, faction, battlegroup
            elif (points := _points(part, "costs/cost", roster.doubts) or 0.0) or part.find("selections/*") is None:
                roster.picks.append(Pick(_plain(part.get("name")), _entries(part), points, battlegroup))


def _parts(selection: Element) -> Iterator[Element]:
    """Yield a selection of a force and, inside a unit, only its nested units, else everything."""
    yield selection
    is_unit = _is_unit(selection)
    for holder in [*_belonging(selection)] if is_unit else [selection]:
        for inside in holder.iterfind("selections/selection"):
            if not is_unit or _is_unit(inside, within=True):
                yield from _parts(inside)


def _belonging(unit: Element) -> Iterator[Element]:
    """Yield a unit's selection and everything inside it, except other units."""
    yield unit
    for selection in unit.iterfind("selections/selection"):
        if not _is_unit(selection, within=True):
            yield from _belonging(selection)


def _is_unit(selection: Element, *, within: bool = False) -> bool:
    """Return True if a selection is a unit of its own; a model is one unless it is `within` a unit."""
    kind = selection.get("type", "").strip().lower()
    return kind == "unit" or (kind == "model" and not within)


def _unit(selection: Element, faction: str, battlegroup: str) -> RosterUnit:
    doubts = Doubts("")
    number, tree = _number(selection, doubts), Tree({}, doubts)
    own = UnitReader(_entry(selection, number), tree).read(reviewed=False)
    belonging = [*_belonging(selection)]
    costs = [cost for selection in belonging if (cost := _points(selection, "costs/cost", doubts)) is not None]
    levels = [level for selection in belonging[1:] if (level := cells.level(_plain(selection.get("name"))))]
    return RosterUnit(
        name=_plain(selection.get("name")),
        custom_name=_plain(selection.get("customName")),
        number=number,
        entries=_entries(selection),
        faction=faction,
        battlegroup=battlegroup,
        level=levels[0][0] if levels else None,
        points=sum(costs) / number if costs else None,
        own=own,
        has_profiles=any(selection.find("profiles/*") is not None for selection in belonging),
        doubts=tuple(f"{warning.value!r}: {warning.doubt}" for warning in doubts.warnings),
        unread=tuple(_plain(selection.get("name")) for selection in belonging[1:] if _says_nothing(selection)),
    )


def _says_nothing(selection: Element) -> bool:
    """Return True if a selection has no readable content: no profile, rule, level or nested selection."""
    holds = any(selection.find(f"{tag}/*") is not None for tag in ("profiles", "rules", "selections"))
    return not holds and cells.level(_plain(selection.get("name"))) is None


def _entry(selection: Element, number: int) -> Element:
    """Return a selection as an entry of a data file; for `number` equal units, one of them."""
    kept = {key: value for key in ("name", "type") if (value := selection.get(key))}
    entry = Element("selectionEntry", kept | {"id": _entries(selection)[0]})
    entry.extend(child for tag in ("profiles", "rules") for child in selection.iterfind(tag))
    costs, links = SubElement(entry, "costs"), SubElement(entry, "categoryLinks")
    for cost in selection.iterfind("costs/cost"):
        SubElement(costs, "cost", cost.attrib | {"value": f"{(_value(cost) or 0.0) / number:g}"})
    for category in selection.iterfind("categories/category"):
        SubElement(links, "categoryLink", category.attrib)
    inside = [child for child in selection.iterfind("selections/selection") if not _is_unit(child, within=True)]
    SubElement(entry, "selectionEntries").extend(_entry(child, number) for child in inside)
    return entry


def _entries(selection: Element) -> tuple[str, ...]:
    """Return the ids in the chain of a selection's entry, its own first."""
    return tuple(reversed([_plain(step) for step in selection.get("entryId", "").split(LINK)]))


def _number(selection: Element, doubts: Doubts) -> int:
    written = selection.get("number", "1")
    number = cells.number(written)
    if number is None or not 1 <= number <= MOST_NUMBER:
        doubts.add(written, "not a number of units; taken for 1")
        return 1
    return number


def _points(holder: Element, path: str, doubts: Doubts) -> float | None:
    """Return the total points among the costs of an element; None if it has none."""
    total = None
    for cost in holder.iterfind(path):
        if tidy(cost.get("name", "")[:LONGEST_NAME]).casefold() in POINTS:
            value = _value(cost)
            if value is None:
                doubts.add(cost.get("value", ""), "not a number of points; left out")
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


def _unused(name: str, taken: dict[str, str]) -> str:
    """Return `name`, with the first number from 2 that makes it unused if needed."""
    tried, number = name, 1
    while tried in taken:
        number += 1
        tried = f"{name[: LONGEST_NAME - 10]} #{number}"
    return tried
