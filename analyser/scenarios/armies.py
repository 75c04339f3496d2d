"""Public functions: load an army list, check it, and list the values allowed in it (scales, battlegroups, boons)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analyser.common.errors import InputError, check_choice, shown
from analyser.common.files import check_plain, path_of, read_toml
from analyser.common.validation import checked
from analyser.game.army import Army
from analyser.game.army_file import ArmyFile, army_of_file
from analyser.game.force_check import ForceCheck, check_force
from analyser.game.force_kinds import ForceKinds
from analyser.game.importers.archive import DATA_FILES, ROSTERS
from analyser.game.importers.roster_matching import NUMBER_SOURCES, Numbers, match_roster
from analyser.game.importers.rosters import read_roster
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout
from analyser.rules.policies import POLICIES
from analyser.scenarios.policies import AUTO

LIST_SUFFIX = ".toml"
_FILES_TEXT = f"a list ({LIST_SUFFIX}), or a roster of BattleScribe or New Recruit ({', '.join(ROSTERS)})"
_UNITS_FORM = '[[unit]] with unit = "crown/rifle-platoon@basic", or unit = [...] with several'
_UNIT_TABLE = re.compile(r"\s*\[\[\s*unit\s*\]\]")
_UNIT_NUMBER = re.compile(r": unit (\d+)\b")
_INDEXED_ENTRY = re.compile(r"\b(unit|boon|rows|bands)\.(\d+)\b\.?")

ArmyLike = Army | str | os.PathLike[str] | Mapping[str, Any] | Sequence[str | Loadout | Mapping[str, Any]]


def load_army(source: ArmyLike, profiles: ProfilesLike | None = None, *, numbers: Numbers = "profile") -> Army:
    """Return a checked army, in which every unit has its profile.

    Parameters
    ----------
    source : path, list or mapping
        The path of an army file (`docs/armies.md`), or of a roster of BattleScribe or New Recruit (``.ros``, ``.rosz``,
        ``.json``). Or a list of units: selectors (also ``3 x SELECTOR``), loadouts, or mappings with the keys of
        ``[[unit]]``. Or a mapping in the form of the file. An Army is returned unchanged.
    profiles : Profiles or path, optional
        Source of the units. Default: the shipped profiles.
    numbers : "profile" or "roster"
        Source of the numbers to use where a roster and the profiles differ. The warnings list every difference.

    Raises
    ------
    InputError
        An unreadable file, an unknown unit, or other unusable input.

    Examples
    --------
    >>> load_army({"name": "Patrol", "faction": "crown", "unit": ["3 x rifle-platoon@basic"]})
    <Army Patrol: crown, skirmish, 3 units, 105 points>
    >>> load_army(["crown/rifle-platoon@basic", {"unit": "crown/rifle-platoon@basic", "models": 4}]).loadouts[1]
    <Loadout crown/rifle-platoon@basic: infantry, 4 models, 35 points; rows: ranged-light, ranged-aerial, melee>
    """
    if isinstance(source, Army):
        return source
    check_choice(numbers, "numbers", NUMBER_SOURCES)
    library = library_of(profiles)
    if isinstance(source, Mapping):
        return _from_table(source, "army", library)
    if isinstance(source, Sequence) and not isinstance(source, str):
        return _from_table({"unit": source}, "army", library)
    path = path_of(source, "army")
    if path.suffix.lower() not in (*ROSTERS, *DATA_FILES):  # for data files read_roster raises an error with a hint
        return _from_file(path, library)
    roster = read_roster(path)
    try:
        return match_roster(roster, library, numbers)
    except InputError as error:
        raise error.inside(str(path)) from None


def _from_file(path: Path, library: Profiles) -> Army:
    """Return the army of a TOML file; an error in a unit states the line at which the table of the unit begins."""
    try:
        table = read_toml(path)
        if not table:
            raise InputError("this file is empty", where=str(path), allowed=_UNITS_FORM)
        return _from_table(table, str(path), library)
    except InputError as error:
        if not error.where.partition(str(path))[2] and not error.allowed and path.suffix.lower() != LIST_SUFFIX:
            raise InputError(error.problem, where=error.where, allowed=_FILES_TEXT) from None
        if (number := _UNIT_NUMBER.search(error.where)) and (line := _line_of(int(number[1]), path)):
            error.where = error.where.replace(str(path), f"{path}, line {line}", 1)
        raise


def _line_of(unit_number: int, path: Path) -> int:
    lines = enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1)
    first_lines = [number for number, line in lines if _UNIT_TABLE.match(line)]
    return first_lines[unit_number - 1] if unit_number <= len(first_lines) else 0


def _from_table(table: Mapping[str, Any], where: str, library: Profiles) -> Army:
    check_plain(table, where)
    try:
        file = checked(ArmyFile, table, where=where)
    except InputError as error:
        if not {"unit", "units"} & table.keys() and not error.allowed:  # an error with `allowed` names a misspelt key
            raise InputError("no unit is listed", where=where, allowed=_UNITS_FORM) from None
        error.where = where + _one_based(error.where.removeprefix(where), table)
        raise
    try:
        for number, entry in enumerate(file.units, 1):
            if entry.policy is not None:
                check_choice(entry.policy, f"unit {number}: policy", (AUTO, *POLICIES))
        return army_of_file(file, library)
    except InputError as error:
        error.where = _one_based(error.where, table)
        raise error.inside(where) from None


def _one_based(location: str, table: Mapping[str, Any]) -> str:
    """Return a location in an army, counted from 1: ``unit 2: count`` for ``unit.1.count``.

    If the army is a list of selectors, the selector is added: ``unit 2 ('a/d@e')``.

    >>> _one_based(": unit.1.rows.0.dice", {}), _one_based("unit 2", {"unit": ["a/b@c", "a/d@e"]})
    (': unit 2: rows 1: dice', "unit 2 ('a/d@e')")
    """
    location = _INDEXED_ENTRY.sub(lambda match: f"{match[1]} {int(match[2]) + 1}: ", location).removesuffix(": ")
    entries, match = table.get("unit"), _UNIT_NUMBER.search(f": {location}")
    number = int(match[1]) if match else 0
    if isinstance(entries, list | tuple) and 0 < number <= len(entries) and isinstance(entries[number - 1], str):
        return location.replace(f"unit {number}", f"unit {number} ({shown(entries[number - 1])})", 1)
    return location


def check_army(source: ArmyLike, profiles: ProfilesLike | None = None) -> ForceCheck:
    """Check an army against the rules of force building, and return the rules it breaks (`docs/armies.md`).

    Parameters
    ----------
    source, profiles
        As in :func:`load_army`, with the same errors.

    Returns
    -------
    ForceCheck
        It counts as True if no rule is broken; `broken` lists the broken rules with their numbers.

    Examples
    --------
    >>> print(check_army({"scale": "battle", "unit": ["crown/rifle-platoon@basic"]}).broken[0])
    FB-1 (the points are within the force scale): 35 points at the scale battle (allowed: 1,500 to 2,500)
    """
    library = library_of(profiles)
    return check_force(load_army(source, library), library)


def army_kinds(faction: str | None = None, profiles: ProfilesLike | None = None) -> ForceKinds:
    """Return the values allowed in an army list: force scales, kinds of battlegroup (slots and units), boons.

    Parameters
    ----------
    faction : str, optional
        A faction; an unambiguous abbreviation suffices. Default: all factions.
    profiles : Profiles or path, optional
        Source of the order of battle. Default: the shipped profiles.

    Examples
    --------
    >>> [kind.id for kind in army_kinds("crown").factions[0].battlegroups]
    ['faction', 'line-breaker', 'support', 'super-heavy']
    """
    library = library_of(profiles)
    factions = library.factions.values() if faction is None else (library.faction(faction),)
    return ForceKinds(library, tuple(factions))
