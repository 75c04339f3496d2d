"""A report read back from its folder: its matchups, its units, and its settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from pydantic import ConfigDict, Field

from analyser.analysis.matchups import Matchups
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError, reason_of
from analyser.common.files import is_there, name_of
from analyser.common.validation import Record, Several, checked
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, unit_of
from analyser.plots.metrics import EFFICIENCY, METRICS
from analyser.report.folder import MANIFEST, PARQUET, UNITS, manifest_of

FILES_READ = (MANIFEST, UNITS, PARQUET)
_POINTS = ("attacker_points", "defender_points")
COLUMNS = ("attacker", "defender", "situation", "why_not", *_POINTS, EFFICIENCY)


class Stored(NamedTuple):
    """A report: units by ``faction/unit`` and the ruleset as plain data, and the table of its matchups."""

    folder: Path
    manifest: Mapping[str, Any]
    things: Mapping[str, Any]
    table: pd.DataFrame

    @property
    def used(self) -> ProfilesUsed:
        """The version of its profiles; unknown for a report of an earlier program."""
        version = self.manifest.get("profiles_used", {}).get("version", "unknown")
        ruleset = checked(Ruleset, self.things["ruleset"], where=str(self.folder / UNITS))
        return ProfilesUsed(name_of(self.folder), version, ruleset)


class _Manifest(Record):
    """The keys read from the manifest of a report."""

    model_config = ConfigDict(extra="ignore")  # manifests have further keys

    attackers: Annotated[Several[str], Field(min_length=1)]
    defenders: Annotated[Several[str], Field(min_length=1)]
    situations: Annotated[Several[Situation], Field(min_length=1)]
    row: str
    profiles_used: dict[str, Any] = Field(default_factory=dict)
    field: dict[str, Any] = Field(default_factory=dict)


def stored(folder: Path) -> Stored | None:
    """Return the report in a folder; None if there is none.

    A folder with a manifest, or with two of the files of a report, counts as a report. Raises InputError, with the file
    at fault, for a damaged report, or one of a program with other tables.
    """
    manifest = manifest_of(folder)
    if not manifest:
        if sum(is_there(folder / name) for name in FILES_READ) < 2:
            return None
        raise _damaged(folder / MANIFEST, "the manifest of this report is missing or damaged")
    checked(_Manifest, manifest, where=str(folder / MANIFEST))
    _check_files(folder, manifest["files"])
    try:
        things = json.loads((folder / UNITS).read_text(encoding="utf-8"))
        table = pd.read_parquet(BytesIO((folder / PARQUET).read_bytes()))
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(folder, f"this report cannot be read: {error}") from None
    if not isinstance(things, dict) or not all(isinstance(thing, dict) for thing in ({}, *things.values())):
        raise _damaged(folder / UNITS, "no table of units")
    if missing := [name for name in COLUMNS if name not in table]:
        raise _damaged(folder / PARQUET, f"no column {missing[0]!r}")
    try:
        table[[name for name in (*METRICS, *_POINTS) if name in table]].astype(np.float64)
    except (ValueError, TypeError) as error:
        raise _damaged(folder / PARQUET, f"a figure that is no number: {error}") from None
    units = {unit_of(str(name)) for side in ("attacker", "defender") for name in table[side].unique()}
    if absent := sorted({"ruleset", *units} - things.keys()):
        raise _damaged(folder / UNITS, f"{absent[0]} is missing")
    return Stored(folder, manifest, things, table)


def _check_files(folder: Path, files: Mapping[str, str]) -> None:
    """Raise InputError for the first file of a report that is missing or changed."""
    for name in dict.fromkeys((UNITS, PARQUET, *files)):
        try:
            digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        except (OSError, ValueError) as error:  # ValueError: an impossible file name in the manifest
            said = reason_of(error) if isinstance(error, OSError) else error
            raise _damaged(folder / name, f"this file of a report cannot be read: {said}") from None
        if digest != files.get(name):
            raise _damaged(folder / name, "this file of a report was changed or damaged since it was written")


def _damaged(place: Path, problem: str) -> InputError:
    return InputError(problem, where=str(place), allowed="a whole report: delete the folder and write it anew")


def matchups_of(reports: Sequence[Stored]) -> Matchups:
    """Return the distinct matchups of several reports of one version of the data.

    InputError if this program cannot read the units of a report.
    """
    tables = pd.concat([report.table for report in reports], ignore_index=True)
    table = tables.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)
    things = {name: unit for report in reports for name, unit in report.things.items()}
    ruleset = checked(Ruleset, things.pop("ruleset"), where=str(reports[-1].folder / UNITS))
    there = dict.fromkeys((*table["attacker"].unique(), *table["defender"].unique()))
    sides = tuple(_loadout(name, things) for name in there)
    situations = tuple(checked(Situation, situation, where=MANIFEST) for situation in reports[0].manifest["situations"])
    return Matchups(table, sides, sides, situations, None, EFFICIENCY, ruleset, (), reports[0].used)


def _loadout(selector: str, things: Mapping[str, Any]) -> Loadout:
    unit, _, level = selector.partition("@")
    facts = {"faction": unit.partition("/")[0], "unit": things[unit], "level_name": level}
    return checked(Loadout, facts, where=UNITS)
