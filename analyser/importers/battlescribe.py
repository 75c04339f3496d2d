"""BattleScribe data files (`.cat`, `.gst`, zipped `.catz`, `.gstz`) made into factions.

The files are other people's: read without trust (:mod:`analyser.importers.archive`), and what they say is
doubted aloud rather than refused (:mod:`analyser.importers.unit_reader`).
"""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from analyser.common.errors import InputError, printable
from analyser.common.files import write_content
from analyser.common.text import counted
from analyser.common.validation import checked
from analyser.game.keywords import LONGEST_NAME, tidy
from analyser.game.profiles import RULESET_FILE
from analyser.game.units import Faction, Unit
from analyser.importers import cells
from analyser.importers.archive import Document, read_document
from analyser.importers.armaments import unused_id
from analyser.importers.doubts import Doubts, ImportWarning
from analyser.importers.profile_file import to_toml
from analyser.importers.tree import Library, ids, is_hidden, name_of, target_of
from analyser.importers.unit_reader import read_unit

_RESERVED = ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
"""What no file may be called on some systems, whatever its ending."""

MOST_UNITS = 2000  # in a file; the largest armies have about thirty


@dataclass(frozen=True, repr=False)
class ImportReport:
    """What an import made of its files.

    Attributes
    ----------
    factions : tuple of Faction
        One for each catalogue with units in it, in the order of the files.
    warnings : tuple of ImportWarning
        Everything that was doubted, file by file and unit by unit.
    written : tuple of Path
        The profile files written; empty when no folder was given.
    """

    factions: tuple[Faction, ...]
    warnings: tuple[ImportWarning, ...]
    written: tuple[Path, ...] = ()

    def __str__(self) -> str:
        """What the command line prints."""
        return import_text(self)

    __repr__ = __str__  # a shell shows what is printed

    @property
    def n_units(self) -> int:
        """Units in all factions."""
        return sum(len(faction.units) for faction in self.factions)

    @property
    def n_levels(self) -> int:
        """Reinforcement levels of all units: the loadouts."""
        return sum(len(unit.levels) for faction in self.factions for unit in faction.units)

    @property
    def n_rows(self) -> int:
        """Armaments rows of all units."""
        return sum(len(unit.rows) for faction in self.factions for unit in faction.units)


def import_files(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str] | None = None,
    replace: bool = False,
) -> ImportReport:
    """The factions in BattleScribe data files.

    Parameters
    ----------
    paths : path or sequence of path
        ``.cat`` and ``.gst``, or zipped ``.catz`` and ``.gstz``. Links are followed across all of them; a
        catalogue without its game system is enough.
    out : path, optional
        A folder that gets one profile file a faction, named after it. Nothing is written before all files are read.
    replace : bool
        Whether files of those names that hold something else are replaced.

    Returns
    -------
    ImportReport

    Raises
    ------
    InputError
        A file that cannot be read, is not what its name says or is an attack; two files with the same
        faction; not one unit in all of them; a folder that cannot be written to; a file
        there that is not to be replaced.
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    documents = [read_document(Path(path)) for path in paths]
    indexes = [ids(document.root) for document in documents]
    factions: dict[str, tuple[Faction, Path]] = {}
    warnings: list[ImportWarning] = []
    for document, own in zip(documents, indexes):
        doubts = Doubts(str(document.path))
        faction = _faction(document, ChainMap(own, *indexes), doubts)
        warnings += doubts.found
        if faction is not None:
            if faction.id in factions:
                problem = f"the same faction {faction.id!r} as in {factions[faction.id][1]}"
                raise InputError(problem, where=str(document.path), allowed="each faction once")
            factions[faction.id] = (faction, document.path)
    if not factions:
        where = ", ".join(str(document.path) for document in documents)
        why = f"; the first doubt: {warnings[0]}" if warnings else ""
        raise InputError(f"no unit can be made out{why}", where=where, allowed="at least one unit in the files")
    found = tuple(faction for faction, _ in factions.values())
    return ImportReport(found, tuple(warnings), _written(found, out, replace))


def _written(factions: Sequence[Faction], out: str | os.PathLike[str] | None, replace: bool) -> tuple[Path, ...]:
    if out is None:
        return ()
    texts = {Path(out) / f"{faction.id}.toml": to_toml(faction) for faction in factions}
    for path, text in texts.items():
        # Profiles are made to be corrected by hand: what somebody corrected is not lost without a word.
        if not replace and path.exists() and path.read_bytes() != text.encode():
            allowed = "another folder, or to replace it (--replace)"
            raise InputError("this file exists and holds something else", where=str(path), allowed=allowed)
    for path, text in texts.items():
        write_content(path, text)
    return tuple(texts)


def _faction(document: Document, library: Library, doubts: Doubts) -> Faction | None:
    """The faction in a catalogue; None for a file that only serves others, or whose units are all left out."""
    root = document.root
    units: list[Unit] = []
    for entry in _unit_entries(root, library, doubts):
        unit = read_unit(entry, library, doubts)
        if unit is not None:
            units.append(_distinct(unit, units, doubts))
        if len(units) > MOST_UNITS:
            raise InputError("too many units", where=str(document.path), allowed=f"up to {MOST_UNITS}")
    doubts.unit = ""
    name = name_of(root, library) or tidy(document.path.stem)[:LONGEST_NAME].strip() or "faction"
    if not units:
        if root.tag == "catalogue" and not _is_library(root):
            doubts.add(name, "no unit in this catalogue")
        return None
    found = cells.slug(name) or "faction"
    if f"{found}.toml" == RULESET_FILE or found in _RESERVED:
        found += "-faction"
    revision = root.get("revision", "")
    file_name = printable(document.path.name, LONGEST_NAME // 2)  # a file's name need not be text
    source = f"BattleScribe data, {file_name}" + (f", revision {revision[:20]}" if revision else "")
    return checked(Faction, {"format": 1, "id": found, "name": name, "source": source, "unit": tuple(units)})


def _unit_entries(root: Element, library: Library, doubts: Doubts) -> Iterator[Element]:
    """The entries of a file that are units of its faction: its own, and those it links to elsewhere.

    A library's units belong to the catalogues that link to them.
    """
    seen: set[int] = set()
    tags = (
        ("selectionEntries", "entryLinks")
        if _is_library(root)
        else ("selectionEntries", "sharedSelectionEntries", "entryLinks")
    )
    for element in (each for tag in tags for each in root.iterfind(f"{tag}/*")):
        entry = target_of(element, library) if element.tag == "entryLink" else element
        if entry is None:
            doubts.add(name_of(element, library), "a link to something that none of the files holds; left out")
        elif entry.get("type") in ("unit", "model") and id(entry) not in seen:
            seen.add(id(entry))
            if not (is_hidden(entry) or is_hidden(element)):
                yield entry
            elif root.tag == "catalogue":
                doubts.add(name_of(entry, library), "a unit hidden in the source; left out")


def _is_library(root: Element) -> bool:
    return root.get("library", "").strip().lower() == "true"


def _distinct(unit: Unit, before: Sequence[Unit], doubts: Doubts) -> Unit:
    """`unit` under an id that no unit before it has."""
    if any(unit.name.casefold() == each.name.casefold() for each in before):
        doubts.add(unit.name, "a second unit of that name")
    return unit.model_copy(update={"id": unused_id(unit.id, [each.id for each in before])})


def import_text(report: ImportReport) -> str:
    """The warnings of an import, file by file and unit by unit, then what was made of it."""
    lines: list[str] = []
    file = None
    for warning in report.warnings:
        if warning.file != file:
            file = warning.file
            lines.append(f"{file}:")
        unit = f"{warning.unit}: " if warning.unit else ""
        lines.append(f"  {unit}{warning.value!r}: {warning.doubt}")
    lines += ([""] if lines else []) + [_import_summary(report)]
    return "\n".join(lines) + "\n"


def _import_summary(report: ImportReport) -> str:
    counts = ", ".join(
        (
            counted(len(report.factions), "faction"),
            counted(report.n_units, "unit"),
            counted(report.n_levels, "reinforcement level"),
            counted(report.n_rows, "row"),
            counted(len(report.warnings), "warning"),
        )
    )
    return f"{counts}; written: {', '.join(map(str, report.written)) or 'nothing'}"
