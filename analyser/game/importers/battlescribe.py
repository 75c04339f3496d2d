"""Import BattleScribe data files (`.cat`, `.gst`, zipped `.catz`, `.gstz`) as factions and profile files.

The files are untrusted (:mod:`.archive`). Doubtful content causes a warning, not an error. The reader knows the
elements of BattleScribe 2.03 and of New Recruit.
"""

from __future__ import annotations

import os
from collections import ChainMap, Counter
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
from analyser.game.importers.archive import read_document
from analyser.game.importers.force_building import ForceReader
from analyser.game.importers.import_warnings import ImportWarning, ImportWarnings
from analyser.game.importers.tree import Tree, elements_by_id, is_true
from analyser.game.importers.unit_reader import UnitReader
from analyser.game.keywords import LONGEST_NAME, tidy
from analyser.game.names import slug, unused_name
from analyser.game.profiles import FILES_FOR_ALL, FORCES_FILE, shipped_profiles
from analyser.game.units import Faction, Unit

FileName = str | os.PathLike[str]
MOST_UNITS = 2000  # units in a file; the largest real files have about thirty


@dataclass(frozen=True, repr=False)
class ImportReport:
    """Result of an import: factions, warnings, and the files written."""

    factions: tuple[Faction, ...]  # a faction for each catalogue with units, in the order of the files
    warnings: tuple[ImportWarning, ...]  # by file, in the order of reading
    written: tuple[Path, ...]  # the profile files; empty if no output folder was stated

    def __str__(self) -> str:
        lines: list[str] = []
        for file, warnings in groupby(self.warnings, lambda warning: warning.file):
            lines.append(f"{file}:")
            lines += (f"  {str(warning).removeprefix(f'{file}: ')}" for warning in warnings)
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

    __repr__ = __str__  # an interactive shell shows the report as `print` does


def import_files(
    paths: FileName | Sequence[FileName], *, out: FileName | None = None, replace: bool = False
) -> ImportReport:
    """Import the factions in BattleScribe data files, which may link to each other.

    With `out`, write a profile file for each faction to this folder; InputError if a different file exists there and
    `replace` is False.
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    documents = [(path, read_document(path)) for path in map(Path, paths)]
    indexes = [elements_by_id(root) for _, root in documents]
    factions: dict[str, tuple[Faction, Path]] = {}
    warnings: list[ImportWarning] = []
    for (path, root), index in zip(documents, indexes):
        tree = Tree(ChainMap(index, *indexes), ImportWarnings(str(path)))
        faction = _faction(path, root, tree)
        warnings += tree.warnings.entries
        if faction is None:
            continue
        if faction.id in factions:
            problem = f"the same faction {faction.id!r} as in {factions[faction.id][1]}"
            raise InputError(problem, where=str(path), allowed="each faction once")
        factions[faction.id] = (faction, path)
    if not factions:
        where = ", ".join(str(path) for path, _ in documents)
        if (game := _other_game([root for _, root in documents])) is not None:
            raise InputError(f"no readable unit: data of {game}", where=where, allowed="data of Armoured Clash")
        first = f"; the first warning: {warnings[0]}" if warnings else ""
        raise InputError(f"no readable unit{first}", where=where, allowed="at least one unit in the files")
    imported = tuple(faction for faction, _ in factions.values())
    return ImportReport(imported, tuple(warnings), () if out is None else _write(imported, Path(out), replace))


def _other_game(roots: Sequence[Element]) -> str | None:
    """Return the name of the game if the files are of another game; None for Armoured Clash, or if it has no name."""
    own_game_id = read_toml(shipped_profiles() / FORCES_FILE).get("game_system")
    names = {game: f"the game of {root.get('name') or game!r}" for root in roots if (game := root.get("gameSystemId"))}
    games = names | {root.get("id", ""): root.get("name", "") for root in roots if root.tag == "gameSystem"}
    titles = [printable(tidy(name)[:LONGEST_NAME]) for name in games.values() if name]
    return None if own_game_id in games or not titles else " and ".join(titles)


def _write(factions: Sequence[Faction], out: Path, replace: bool) -> tuple[Path, ...]:
    texts = {out / f"{faction.id}.toml": to_toml(faction) for faction in factions}
    for path, text in texts.items():
        # Profiles may have been corrected by hand, so they are never overwritten silently.
        if not replace and is_there(path) and path.read_bytes() != text.encode():
            allowed = "another folder, or --replace"
            raise InputError("this file exists and differs", where=str(path), allowed=allowed)
    write_contents(texts)
    return tuple(texts)


def _faction(path: Path, root: Element, tree: Tree) -> Faction | None:
    """Return the faction in a catalogue; None if it has no readable unit of its own."""
    warnings = tree.warnings
    units: list[Unit] = []
    forces = ForceReader(root, tree)
    for elements in _unit_entries(root, tree):
        unit = UnitReader(elements[0], tree).read()
        if unit is not None:
            unit = unit.model_copy(update=forces.unit_keys(elements, unit.name))
            if any(unit.name.casefold() == other.name.casefold() for other in units):
                warnings.add(unit.name, "a second unit with this name")
            units.append(unit.model_copy(update={"id": unused_name(unit.id, [other.id for other in units], "-")}))
        if len(units) > MOST_UNITS:
            raise InputError("too many units", where=str(path), allowed=f"up to {MOST_UNITS}")
    warnings.unit = ""
    _warn_of_unknown_parts(root, warnings)
    name = tree.name_of(root) or tidy(path.stem)[:LONGEST_NAME].strip() or "faction"
    if not units:
        if root.tag == "catalogue" and not is_true(root, "library"):
            warnings.add(name, "no unit in this catalogue")
        return None
    faction_id = slug(name) or "faction"
    if f"{faction_id}.toml" in FILES_FOR_ALL:
        faction_id += "-faction"
    revision = root.get("revision", "")
    file_name = printable(path.name, LONGEST_NAME // 2)  # a file name may contain unprintable bytes
    source = f"BattleScribe data, {file_name}" + (f", revision {revision[:20]}" if revision else "")
    head = {"format": 1, "id": faction_id, "name": name, "source": source, **forces.faction_keys()}
    return checked(Faction, {**head, "unit": tuple(units)})


def _unit_entries(root: Element, tree: Tree) -> Iterator[tuple[Element, ...]]:
    """Yield the entry of each unit of a faction, followed by the link to it if the catalogue only links to it."""
    seen: set[int] = set()
    shared = [] if is_true(root, "library") else ["sharedSelectionEntries"]
    for element in (item for tag in ("selectionEntries", *shared, "entryLinks") for item in root.iterfind(f"{tag}/*")):
        entry = tree.target_of(element) if element.tag == "entryLink" else element
        if entry is None:
            tree.warnings.add(tree.name_of(element), "a link to an entry that no file has; left out")
        elif entry.get("type") in ("unit", "model") and id(entry) not in seen:
            seen.add(id(entry))
            if True not in (tree.is_hidden(entry), tree.is_hidden(element)):
                yield (entry,) if entry is element else (entry, element)
            elif root.tag == "catalogue":
                tree.warnings.add(tree.name_of(entry), "a unit hidden in the source; left out")


def to_toml(faction: Faction) -> str:
    """Return a faction as a readable profile file in TOML; loading it gives an equal faction."""
    head = faction.model_dump(include={"format", "id", "name", "source", "entry"})
    tables = [toml_lines({key: value or None for key, value in head.items()})]
    for battlegroup in faction.battlegroups:
        tables.append("[[battlegroup]]\n" + toml_lines(_without_defaults(battlegroup, {"slots"})))
        tables += _table("battlegroup.slots", battlegroup.slots)
    tables += ["[[boon]]\n" + toml_lines(_without_defaults(boon)) for boon in faction.boons]
    for unit in faction.units:
        keys = unit.model_dump(exclude={"in_force", "battlegroups", "levels", "rows"})
        tables.append("[[unit]]\n" + toml_lines(keys))
        if unit.in_force != Limits():
            tables.append("[unit.in_force]\n" + toml_lines(_without_defaults(unit.in_force)))
        tables += _table("unit.battlegroups", unit.battlegroups) + _table("unit.levels", unit.levels)
        tables += ["[[unit.rows]]\n" + toml_lines(row.model_dump()) for row in unit.rows]
    return "\n".join(tables)


def _without_defaults(record: Record, exclude: set[str] | None = None) -> dict[str, Any]:
    """Return the values of a record that differ from their defaults, with limits last."""
    values = record.model_dump(exclude=exclude, exclude_defaults=True)
    return dict(sorted(values.items(), key=lambda item: item[0] in Limits.model_fields))


def _table(name: str, records: Mapping[Any, Record]) -> list[str]:
    entries = {key: _without_defaults(record) for key, record in records.items()}
    return [f"[{name}]\n" + toml_lines(entries)] if records else []


MOST_LISTED = 50  # most kinds of unknown elements and attributes that get a warning
_LIST_ITEMS = (
    *("catalogueLink", "categoryEntry", "categoryLink", "characteristic", "characteristicType", "condition"),
    *("conditionGroup", "constraint", "cost", "costType", "entryLink", "forceEntry", "infoGroup", "infoLink"),
    *("modifier", "modifierGroup", "profile", "profileType", "publication", "repeat", "rule", "selectionEntry"),
    "selectionEntryGroup",
)
_LISTS = {tag: tag[:-1] + "ies" if tag.endswith("Entry") else tag + "s" for tag in _LIST_ITEMS}
_SHARED = ("sharedSelectionEntries", "sharedSelectionEntryGroups", "sharedRules", "sharedProfiles", "sharedInfoGroups")
TAGS = {*_LISTS, *_LISTS.values(), *_SHARED, "catalogue", "gameSystem", "comment", "description", "readme", "alias"}

_ATTRIBUTES_OF_MODIFIER = {"type", "field", "value", "id"}


def _warn_of_unknown_parts(root: Element, warnings: ImportWarnings) -> None:
    unknown = Counter(element.tag for element in root.iter() if element.tag not in TAGS)
    for modifier in root.iter("modifier"):
        unknown.update(f"modifier {name}" for name in modifier.attrib.keys() - _ATTRIBUTES_OF_MODIFIER)
    for name, number in unknown.most_common(MOST_LISTED):
        warnings.add(name, f"an unknown part of the file, in {counted(number, 'place')}; left out")
    if len(unknown) > MOST_LISTED:
        warnings.add(f"{len(unknown) - MOST_LISTED} more", "unknown kinds of parts of the file; left out")
