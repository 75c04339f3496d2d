"""Import of BattleScribe data files (`.cat`, `.gst`, zipped `.catz`, `.gstz`) as factions and profile files.

The files are read without trust (`archive`); doubtful content gives a warning, not an error. The
vocabulary is that of BattleScribe 2.03 with the additions of New Recruit.
"""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from analyser.common.errors import InputError, printable
from analyser.common.files import is_there, read_toml, toml_lines, write_contents
from analyser.common.text import counted
from analyser.common.validation import Record, checked
from analyser.game.forces import Limits
from analyser.game.keywords import LONGEST_NAME, tidy
from analyser.game.profiles import FILES_FOR_ALL, FORCES_FILE, shipped_profiles
from analyser.game.units import Faction, Unit
from analyser.importers import cells
from analyser.importers.archive import read_document
from analyser.importers.force_building import ForceReader
from analyser.importers.import_warnings import Doubts, ImportWarning
from analyser.importers.tree import ENTRY_TYPES, FACTORS, SIGNS, Tree, ids, is_true, unused_id
from analyser.importers.unit_reader import UnitReader

# file names that some systems reserve, with any extension
_RESERVED = ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
FileName = str | os.PathLike[str]
MOST_UNITS = 2000  # largest number of units in a file; the largest armies have about thirty


@dataclass(frozen=True, repr=False)
class ImportReport:
    """Result of an import: factions, warnings, and the files written."""

    factions: tuple[Faction, ...]  # one for each catalogue with units, in the order of the files
    warnings: tuple[ImportWarning, ...]  # sorted by file and unit
    written: tuple[Path, ...]  # the profile files; empty without a folder

    def __str__(self) -> str:
        lines: list[str] = []
        for file, doubted in groupby(self.warnings, lambda warning: warning.file):
            lines.append(f"{file}:")
            lines += (f"  {str(warning).removeprefix(f'{file}: ')}" for warning in doubted)
        units = [unit for faction in self.factions for unit in faction.units]
        counts = (
            counted(len(self.factions), "faction"),
            counted(len(units), "unit"),
            counted(sum(len(unit.levels) for unit in units), "reinforcement level"),
            counted(sum(len(unit.rows) for unit in units), "row"),
            counted(len(self.warnings), "warning"),
        )
        written = ", ".join(map(str, self.written)) or "nothing"
        return "\n".join([*lines, *([""] if lines else []), f"{', '.join(counts)}; written: {written}"]) + "\n"

    __repr__ = __str__  # a shell shows the printed form


def import_files(
    paths: FileName | Sequence[FileName], *, out: FileName | None = None, replace: bool = False
) -> ImportReport:
    """Return the factions in BattleScribe data files; links are followed across all of them.

    A folder `out` gets one profile file for each faction, named after it, once all files are read. Existing files with
    other contents are replaced only with `replace`. Raises InputError for an unreadable, mislabelled or hostile file,
    for a faction in two files, and if the files contain no unit.
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    documents = [(path, read_document(path)) for path in map(Path, paths)]
    indexes = [ids(root) for _, root in documents]
    factions: dict[str, tuple[Faction, Path]] = {}
    warnings: list[ImportWarning] = []
    for (path, root), own in zip(documents, indexes):
        tree = Tree(ChainMap(own, *indexes), Doubts(str(path)))
        faction = _faction(path, root, tree)
        warnings += tree.doubts.warnings
        if faction is None:
            continue
        if faction.id in factions:
            problem = f"the same faction {faction.id!r} as in {factions[faction.id][1]}"
            raise InputError(problem, where=str(path), allowed="each faction once")
        factions[faction.id] = (faction, path)
    if not factions:
        where = ", ".join(str(path) for path, _ in documents)
        if (game := _other_game([root for _, root in documents])) is not None:
            raise InputError(f"no unit can be made out: data of {game}", where=where, allowed="data of Armoured Clash")
        why = f"; the first doubt: {warnings[0]}" if warnings else ""
        raise InputError(f"no unit can be made out{why}", where=where, allowed="at least one unit in the files")
    imported = tuple(faction for faction, _ in factions.values())
    return ImportReport(imported, tuple(warnings), () if out is None else _written(imported, Path(out), replace))


def _other_game(roots: Sequence[Element]) -> str | None:
    """Return the title or id of the other game that data files name; None if it is ours or unnamed."""
    ours = read_toml(shipped_profiles() / FORCES_FILE).get("game_system")
    names = {game: f"the game of {root.get('name') or game!r}" for root in roots if (game := root.get("gameSystemId"))}
    games = names | {root.get("id", ""): root.get("name", "") for root in roots if root.tag == "gameSystem"}
    shown = [printable(tidy(name)[:LONGEST_NAME]) for name in games.values() if name]
    return None if ours in games or not shown else " and ".join(shown)


def _written(factions: Sequence[Faction], out: Path, replace: bool) -> tuple[Path, ...]:
    texts = {out / f"{faction.id}.toml": to_toml(faction) for faction in factions}
    for path, text in texts.items():
        # Profiles may have been corrected by hand: never overwrite them silently.
        if not replace and is_there(path) and path.read_bytes() != text.encode():
            allowed = "another folder, or to replace it (--replace)"
            raise InputError("this file exists and holds something else", where=str(path), allowed=allowed)
    write_contents(texts)
    return tuple(texts)


def _faction(path: Path, root: Element, tree: Tree) -> Faction | None:
    """Return the faction in a catalogue; None for a file without units of its own, or if all are left out."""
    doubts = tree.doubts
    units: list[Unit] = []
    forces = ForceReader(root, tree)
    for elements in _unit_entries(root, tree):
        unit = UnitReader(elements[0], tree).read()
        if unit is not None:
            unit = unit.model_copy(update=forces.places(elements, unit.name))
            if any(unit.name.casefold() == other.name.casefold() for other in units):
                doubts.add(unit.name, "a second unit of that name")
            units.append(unit.model_copy(update={"id": unused_id(unit.id, [other.id for other in units])}))
        if len(units) > MOST_UNITS:
            raise InputError("too many units", where=str(path), allowed=f"up to {MOST_UNITS}")
    doubts.unit = ""
    review_vocabulary(root, tree)
    name = tree.name_of(root) or tidy(path.stem)[:LONGEST_NAME].strip() or "faction"
    if not units:
        if root.tag == "catalogue" and not is_true(root, "library"):
            doubts.add(name, "no unit in this catalogue")
        return None
    slug = cells.slug(name) or "faction"
    if f"{slug}.toml" in FILES_FOR_ALL or slug in _RESERVED:
        slug += "-faction"
    revision = root.get("revision", "")
    file_name = printable(path.name, LONGEST_NAME // 2)  # the name of a file may contain unprintable bytes
    source = f"BattleScribe data, {file_name}" + (f", revision {revision[:20]}" if revision else "")
    head = {"format": 1, "id": slug, "name": name, "source": source, **forces.keys()}
    return checked(Faction, {**head, "unit": tuple(units)})


def _unit_entries(root: Element, tree: Tree) -> Iterator[tuple[Element, ...]]:
    """Yield the entries that are units of the faction: its own, and those it links to, each with its link.

    A library's units belong to the catalogues that link to them.
    """
    seen: set[int] = set()
    shared = [] if is_true(root, "library") else ["sharedSelectionEntries"]
    for element in (item for tag in ("selectionEntries", *shared, "entryLinks") for item in root.iterfind(f"{tag}/*")):
        entry = tree.target_of(element) if element.tag == "entryLink" else element
        if entry is None:
            tree.doubts.add(tree.name_of(element), "a link to an entry that is in none of the files; left out")
        elif entry.get("type") in ("unit", "model") and id(entry) not in seen:
            seen.add(id(entry))
            if True not in (tree.hidden(entry), tree.hidden(element)):
                yield (entry,) if entry is element else (entry, element)
            elif root.tag == "catalogue":
                tree.doubts.add(tree.name_of(entry), "a unit hidden in the source; left out")


def to_toml(faction: Faction) -> str:
    """Return a faction as a readable profile file in TOML; loading it gives an equal faction."""
    head = faction.model_dump(include={"format", "id", "name", "source", "entry"})
    tables = [toml_lines({key: value or None for key, value in head.items()})]
    for battlegroup in faction.battlegroups:
        tables.append("[[battlegroup]]\n" + toml_lines(_short(battlegroup, {"slots"})))
        tables += _table("battlegroup.slots", battlegroup.slots)
    tables += ["[[boon]]\n" + toml_lines(_short(boon)) for boon in faction.boons]
    for unit in faction.units:
        own = unit.model_dump(exclude={"in_force", "battlegroups", "levels", "rows"})
        tables.append("[[unit]]\n" + toml_lines(own))
        if unit.in_force != Limits():
            tables.append("[unit.in_force]\n" + toml_lines(_short(unit.in_force)))
        tables += _table("unit.battlegroups", unit.battlegroups) + _table("unit.levels", unit.levels)
        tables += ["[[unit.rows]]\n" + toml_lines(row.model_dump()) for row in unit.rows]
    return "\n".join(tables)


def _short(record: Record, exclude: set[str] | None = None) -> dict[str, Any]:
    """Return the values of a record that differ from their defaults, its limits last."""
    values = record.model_dump(exclude=exclude, exclude_defaults=True)
    return dict(sorted(values.items(), key=lambda item: item[0] in Limits.model_fields))


def _table(name: str, records: Mapping[Any, Record]) -> list[str]:
    return [f"[{name}]\n" + toml_lines({key: _short(record) for key, record in records.items()})] if records else []


MOST_TOLD = 300  # warnings of this kind for a file; one from another tool can have far more
_ONE_OF_MANY = (
    *("catalogueLink", "categoryEntry", "categoryLink", "characteristic", "characteristicType", "condition"),
    *("conditionGroup", "constraint", "cost", "costType", "entryLink", "forceEntry", "infoGroup", "infoLink"),
    *("modifier", "modifierGroup", "profile", "profileType", "publication", "repeat", "rule", "selectionEntry"),
    "selectionEntryGroup",
)
_MANY = {tag: tag[:-1] + "ies" if tag.endswith("Entry") else tag + "s" for tag in _ONE_OF_MANY}
_SHARED = ("sharedSelectionEntries", "sharedSelectionEntryGroups", "sharedRules", "sharedProfiles", "sharedInfoGroups")
KNOWN = {*_MANY, *_MANY.values(), *_SHARED, "catalogue", "gameSystem", "comment", "description", "readme", "alias"}

_TYPES = {  # supported types of elements that affect a result
    "selectionEntry": ENTRY_TYPES,
    "condition": (
        *("lessThan", "greaterThan", "equalTo", "notEqualTo", "atLeast", "atMost", "instanceOf", "notInstanceOf"),
        *("always", "never"),
    ),
    "conditionGroup": ("and", "or", "not"),
    "constraint": ("min", "max", "exactly"),
    "modifier": ("set", "append", "prepend", "remove", "set-primary", "unset-primary", *SIGNS, *FACTORS),
}
_QUERY = {
    *("childId", "field", "id", "scope", "shared", "type", "value"),
    *("includeChildSelections", "includeChildForces", "percentValue"),
}
_ATTRIBUTES = {  # attributes of these elements that are supported or have no effect
    "condition": _QUERY,
    "conditionGroup": {"type", "id"},
    "constraint": {*_QUERY, "automatic", "message"},
    "modifier": {"type", "field", "value", "id"},
    "modifierGroup": {"type", "id"},
    "repeat": {*_QUERY, "repeats", "roundUp"},
}
_NAMED = ("selectionEntry", "entryLink", "selectionEntryGroup", "forceEntry", "profileType")  # surroundings in messages
_MESSAGES = ("error", "warning", "info", "annotation")  # modifier fields without a number, name or list


def review_vocabulary(root: Element, tree: Tree) -> None:
    """Warn about every unsupported element or attribute of a file by name, once for each unit."""
    doubts, count = tree.doubts, 0
    for unit, value, doubt in _unread(root, tree):
        doubts.unit = unit
        count += _add(doubts, value, doubt)
        if count == MOST_TOLD:
            doubts.unit = ""
            doubts.add(f"{count} elements and attributes", "are not read (further ones are not listed)")
            break
    doubts.unit = ""


def _add(doubts: Doubts, value: str, doubt: str) -> bool:
    before = len(doubts.warnings)
    doubts.add(value, doubt)
    return len(doubts.warnings) > before


def _unread(root: Element, tree: Tree) -> Iterator[tuple[str, str, str]]:
    """Yield unit, value and doubt for each unsupported part, in the order of the file."""
    waiting: list[tuple[Element, str, str]] = [(root, "", "")]
    while waiting:
        element, unit, around = waiting.pop()
        if element.tag not in KNOWN:
            yield unit, _shown(element, around), "an element that is not read; left out"
            continue
        if is_true(element, "hidden") and element.tag in ("selectionEntry", "entryLink"):
            continue  # left out as a whole, with a warning elsewhere
        inside = tree.name_of(element) if element.tag in _NAMED else around
        unit = unit or (inside if element.tag != "profileType" else "")
        for value, doubt in _odd(element, around):
            yield unit, value, doubt
        around = inside
        waiting += [(child, unit, around) for child in reversed(element)]


def _odd(element: Element, around: str) -> Iterator[tuple[str, str]]:
    kind, tag = element.get("type", ""), element.tag
    if tag in _TYPES and "type" in element.attrib and kind not in _TYPES[tag]:
        what = "its content is left out" if tag == "selectionEntry" else "left out"
        yield _shown(element, around), f"a {tag} of a type that is not read; {what}"
    for attribute in sorted(element.attrib.keys() - _ATTRIBUTES.get(tag, element.attrib.keys())):
        yield f"{_shown(element, around)}: {attribute} {element.get(attribute)}", "an attribute that is not read"
    if tag == "modifier" and element.get("field") in _MESSAGES:
        yield f"{_shown(element, around)}: {element.get('field')}", "a message of the data tool; left out"
    if tag in ("profileType", "characteristicType") and element.get("kind"):
        yield f"{_shown(element, around)}: kind {element.get('kind')}", "read like any other column or profile"


def _shown(element: Element, around: str) -> str:
    """Return an element as text: its tag, type, name and surroundings."""
    name = element.get("name") or next((child.get("name") for child in element if child.get("name")), None) or ""
    words = [element.tag, element.get("type", ""), name, f"in {around}" if around and around != name else ""]
    return " ".join(filter(None, words))[: cells.LONGEST_WORD]
