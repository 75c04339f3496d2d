"""The two sides of a comparison: a folder of profiles, or a report made from one."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from analyser.analysis.matchups import matchups
from analyser.analysis.situations import ALL_SITUATIONS, Situation
from analyser.common.errors import InputError
from analyser.common.sampling import Progress
from analyser.common.validation import checked
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.report.folder import MANIFEST, is_report
from analyser.report.inputs import UNITS

EVERYBODY = "*/*"


class Asked(NamedTuple):
    """Which matchups are to be compared; None: what the reports have, or all."""

    attackers: str | None = None
    defenders: str | None = None
    situations: Sequence[Situation | str] | None = None


class Side(NamedTuple):
    """One of the two.

    Attributes
    ----------
    things : dict
        The units by ``faction/unit`` and the ruleset, as plain data.
    frame : DataFrame
        As of :func:`analyser.analysis.matchups.matchups`.
    used : ProfilesUsed
        The folder as given, of profiles or of a report, and the version of the profiles.
    """

    things: dict[str, Any]
    frame: pd.DataFrame
    used: ProfilesUsed


def sides(old: Path, new: Path, asked: Asked, progress: Progress | None) -> tuple[Side, Side]:
    """Both sides over the same matchups, as far as both have them.

    Raises
    ------
    InputError
        A path is neither a folder of profiles nor a report, or a selector fits nothing.
    """
    reports = [_manifest(path) for path in (old, new) if is_report(path)]
    wanted = _wanted(asked, reports)
    found = []
    for number, path in enumerate((old, new)):

        def tell(done: int, total: int, number: int = number) -> None:
            if progress is not None:
                progress(number * total + done, 2 * total)

        found.append(_report_side(path) if is_report(path) else _profiles_side(path, wanted, tell))
    of_reports = [side.things.keys() for side, path in zip(found, (old, new)) if is_report(path)]
    return _part_of(found[0], of_reports), _part_of(found[1], of_reports)


def _part_of(side: Side, reports: Sequence[Collection[str]]) -> Side:
    """A side with the units of every report alone: others are no part of it, and neither new nor gone."""
    things = {name: thing for name, thing in side.things.items() if all(name in each for each in reports)}
    return side._replace(things=things)


def _manifest(path: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    return manifest


class _Wanted(NamedTuple):
    attackers: Sequence[str]
    defenders: Sequence[str]
    situations: Sequence[Situation | str]
    row: str | None


def _wanted(asked: Asked, reports: Sequence[dict[str, Any]]) -> _Wanted:
    """What is asked for; what is not, as the first report has it; without one, everything."""
    if not reports:
        attackers, defenders = ([each or EVERYBODY] for each in (asked.attackers, asked.defenders))
        return _Wanted(attackers, defenders, asked.situations or [ALL_SITUATIONS], None)
    if any(each is not None for each in asked):
        raise InputError("a report has its own attackers, defenders and situations", where="diff")
    report = reports[0]
    situations = [checked(Situation, each, where=MANIFEST) for each in report["situations"]]
    row = None if report["row"] == "best" else str(report["row"])
    return _Wanted(report["attackers"], report["defenders"], situations, row)


def _report_side(path: Path) -> Side:
    try:
        things = json.loads((path / UNITS).read_text(encoding="utf-8"))
        version = _manifest(path).get("profiles_used", {}).get("version", "unknown")  # of an earlier program
        return Side(things, pd.read_parquet(path / "matchups.parquet"), ProfilesUsed(str(path), version))
    except (OSError, ValueError) as error:
        raise InputError(f"this report cannot be read: {error}", where=str(path), allowed="one made anew") from None


def _profiles_side(path: Path, wanted: _Wanted, progress: Progress) -> Side:
    profiles = Profiles(path)
    units = {f"{each.faction}/{each.unit.id}": each.unit.model_dump(mode="json") for each in profiles}
    ruleset = profiles.ruleset.model_dump(mode="json")
    found = matchups(
        _there(wanted.attackers, profiles),
        _there(wanted.defenders, profiles),
        situations=wanted.situations,
        row=wanted.row,
        profiles=profiles,
        progress=progress,
    )
    return Side({**units, "ruleset": ruleset}, found.frame, profiles.used)


def _there(selectors: Sequence[str], profiles: Profiles) -> Sequence[str]:
    """Of a report's loadouts those that these profiles have; a selector with wildcards as it is."""
    if any(mark in selectors[0] for mark in "*?[") or len(selectors) == 1:
        return selectors
    known = {each.selector for each in profiles}
    return [each for each in selectors if each in known] or selectors[:1]
