"""A report read back from its folder: its matchups, the units that it was made from, and how."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from analyser.analysis.matchups import Matchups
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.plots.metrics import EFFICIENCY
from analyser.report.folder import MANIFEST, PARQUET, UNITS, manifest_of


class Stored(NamedTuple):
    """A report: units by ``faction/unit`` and the ruleset as plain data, and the table of its matchups."""

    folder: Path
    manifest: Mapping[str, Any]
    things: Mapping[str, Any]
    table: pd.DataFrame

    @property
    def used(self) -> ProfilesUsed:
        """The version of its profiles; of a report of an earlier program it is not known."""
        version = self.manifest.get("profiles_used", {}).get("version", "unknown")
        return ProfilesUsed(str(self.folder), version, checked(Ruleset, self.things["ruleset"], where=UNITS))


def stored(folder: Path) -> Stored | None:
    """The report in a folder; None where none of ours is there, InputError where it cannot be read."""
    manifest = manifest_of(folder)
    if not manifest:
        return None
    try:
        things = json.loads((folder / UNITS).read_text(encoding="utf-8"))
        return Stored(folder, manifest, things, pd.read_parquet(folder / PARQUET))
    except (OSError, ValueError) as error:
        raise InputError(f"this report cannot be read: {error}", where=str(folder), allowed="one made anew") from None


def matchups_of(reports: Sequence[Stored]) -> Matchups:
    """The matchups of some reports of one version of the data together, each once.

    InputError if the units that a report was made from are not such as this program has.
    """
    tables = pd.concat([each.table for each in reports], ignore_index=True)
    table = tables.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)
    things = {name: unit for each in reports for name, unit in each.things.items()}
    ruleset = checked(Ruleset, things.pop("ruleset"), where=UNITS)
    there = dict.fromkeys((*table["attacker"].unique(), *table["defender"].unique()))
    sides = tuple(_loadout(name, things) for name in there)
    situations = tuple(checked(Situation, each, where=MANIFEST) for each in reports[0].manifest["situations"])
    return Matchups(table, sides, sides, situations, None, EFFICIENCY, ruleset, (), reports[0].used)


def _loadout(selector: str, things: Mapping[str, Any]) -> Loadout:
    unit, _, level = selector.partition("@")
    facts = {"faction": unit.partition("/")[0], "unit": things[unit], "level_name": level}
    return checked(Loadout, facts, where=UNITS)
