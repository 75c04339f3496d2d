"""An index page over reports: every version of the data, every pair of factions, and what changed since the last."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from analyser import __version__
from analyser.analysis.matchups import Matchups
from analyser.analysis.prices import LIMITS, FairPoints, fair_points
from analyser.analysis.situations import ALL_SITUATIONS, Situation
from analyser.analysis.verdict import OVER, UNDER
from analyser.common.errors import InputError, check_text
from analyser.common.sampling import Progress
from analyser.common.validation import checked
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, unit_of
from analyser.plots.metrics import EFFICIENCY
from analyser.report.batch import PAGE, PARQUET, write_report
from analyser.report.edits import Edit, edits
from analyser.report.folder import MANIFEST, UNITS, manifest_of
from analyser.report.page import templates

MARK = '<meta name="generator" content="analyser site">'  # what tells our page from another
_SIDES = ("attackers", "defenders")
_NUMBERS = re.compile(r"(\d+)")


class Report(NamedTuple):
    """A report of the site: where it is, of whom, and what it was made from."""

    path: str
    version: str
    title: str
    manifest: Mapping[str, Any]
    table: pd.DataFrame
    units: Mapping[str, Any]


class Move(NamedTuple):
    """A loadout whose points or verdict are not what they were in the version before."""

    loadout: str
    is_edited: bool
    points: tuple[str, str]
    fair_points: tuple[str, str]
    verdicts: tuple[str, str]


class Version(NamedTuple):
    """The reports of one version of the data, the verdict on everybody in them, and what changed since the last."""

    name: str
    reports: list[Report]
    profiles: str
    prices: FairPoints | None
    before: str = ""
    edits: tuple[Edit, ...] = ()
    moves: tuple[Move, ...] = ()


def write_site(
    folder: str | os.PathLike[str],
    *,
    add: str | None = None,
    situations: Sequence[Situation | str] = ALL_SITUATIONS,
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write the index page over all reports in `folder` and the folders in it, and return its path.

    Reports lie in ``folder/VERSION/NAME``. Versions come in the order of their names, numbers in them by their value.
    Of each there is the verdict on everybody in its reports together (:func:`analyser.fair_points`), beside that of the
    version before it: what the profiles say differently, and whose points or verdict moved.

    Parameters
    ----------
    folder : path
    add : str, optional
        First write a report for each pair of factions into ``folder/ADD``; those that are there already, of the same
        inputs, are written anew.
    situations, profiles, threads, progress
        As of :func:`analyser.report.write_report`, for the reports that are added; `progress` is called for each anew.

    Raises
    ------
    InputError
        No report is there; a report cannot be read; or the page would replace one that is not of this program.
    """
    place = Path(folder)
    page = place / PAGE
    if page.exists() and MARK not in page.read_text(encoding="utf-8", errors="replace"):
        raise InputError("this page is not of this program, and is not replaced", where=str(page))
    if add is not None:
        _add(place, add, situations, profiles, threads, progress)
    reports = [_report(path.parent, place) for path in sorted(place.glob(f"**/{MANIFEST}")) if _is_shown(path, place)]
    if not reports:
        allowed = "a folder with reports in it (analyser report), or --add VERSION to write some"
        raise InputError("no report is there", where=str(place), allowed=allowed)
    versions = list(_versions(reports))
    shown = {
        "versions": versions[::-1],
        "version": __version__,
        "limits": LIMITS,
        "mark": MARK,
        "verdicts": (OVER, UNDER),
    }
    page.write_text(_template().render(**shown), encoding="utf-8", newline="\n")
    return page


def _add(
    place: Path,
    version: str,
    situations: Sequence[Situation | str],
    profiles: ProfilesLike | None,
    threads: int | None,
    progress: Progress | None,
) -> None:
    """A report for each pair of factions."""
    check_text(version, "add", "the name of a folder")
    if not version or Path(version).name != version or version.startswith("."):
        raise InputError(f"{version!r} is not the name of a folder", where="add", allowed="such as 2026-11")
    library = library_of(profiles)
    for ours, theirs in combinations_with_replacement(library.factions, 2):
        write_report(
            f"{ours}/*",
            f"{theirs}/*",
            out=place / version / f"{ours}-{theirs}",
            situations=situations,
            profiles=library,
            threads=threads,
            progress=progress,
        )


def _is_shown(manifest: Path, place: Path) -> bool:
    """Whether a manifest is that of a finished report."""
    hidden = any(part.startswith(".") for part in manifest.relative_to(place).parts)
    return not hidden and bool(manifest_of(manifest.parent))


def _report(folder: Path, place: Path) -> Report:
    manifest = manifest_of(folder)
    try:
        units = json.loads((folder / UNITS).read_text(encoding="utf-8"))
        table = pd.read_parquet(folder / PARQUET)
    except (OSError, ValueError) as error:
        raise InputError(f"this report cannot be read: {error}", where=str(folder), allowed="one made anew") from None
    ours, theirs = (", ".join(dict.fromkeys(each.partition("/")[0] for each in manifest[side])) for side in _SIDES)
    path = folder.relative_to(place)
    version = path.parent.as_posix() if path.parent != Path() else manifest["profiles_used"]["version"]
    title = f"{ours} against {'each other' if ours == theirs else theirs}"
    return Report(path.as_posix(), version, title, manifest, table, units)


def _versions(reports: Sequence[Report]) -> Iterator[Version]:
    """By version, the oldest first, each beside the one before."""
    by_name: dict[str, list[Report]] = {}
    for each in reports:
        by_name.setdefault(each.version, []).append(each)
    before: Version | None = None
    for name in sorted(by_name, key=_natural):
        here = by_name[name]
        profiles = ", ".join(dict.fromkeys(each.manifest["profiles_used"]["version"] for each in here))
        found = Version(name, here, profiles, _prices(here))
        if before is not None:
            written = edits(*(_units(side) for side in (before.reports, here)))
            edited = {each.where for each in written}
            found = found._replace(before=before.name, edits=written, moves=tuple(_moves(before, found, edited)))
        yield found
        before = found


def _natural(name: str) -> list[tuple[int, str]]:
    """A key to sort by that has version 10 after version 9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(name)]


def _units(reports: Sequence[Report]) -> dict[str, Any]:
    """Units by ``faction/unit``, and the ruleset, as plain data."""
    return {name: unit for each in reports for name, unit in each.units.items()}


def _prices(reports: Sequence[Report]) -> FairPoints | None:
    """The verdict on everybody in some reports of one version, from the matchups that they have; None without any."""
    tables = pd.concat([each.table for each in reports], ignore_index=True)
    table = tables.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)
    things = _units(reports)
    ruleset = checked(Ruleset, things.pop("ruleset"), where=UNITS)
    sides = tuple(
        checked(Loadout, {"faction": name.partition("/")[0], "unit": unit, "level_name": level}, where=UNITS)
        for name, unit in things.items()
        for level in unit["levels"]
    )
    there = set(table["attacker"]) | set(table["defender"])
    sides = tuple(each for each in sides if each.selector in there)
    situations = tuple(checked(Situation, each, where=MANIFEST) for each in reports[0].manifest["situations"])
    used = ProfilesUsed(**reports[0].manifest["profiles_used"])
    try:
        return fair_points(Matchups(table, sides, sides, situations, None, EFFICIENCY, ruleset, (), used))
    except InputError:  # nobody exchanges anything
        return None


def _moves(old: Version, new: Version, edited: Container[str]) -> Iterator[Move]:
    """Whose points or verdict moved; those whose profile was edited first."""
    if old.prices is None or new.prices is None:
        return
    both = old.prices.frame.merge(new.prices.frame, on="loadout", suffixes=("_old", "_new"))
    both["edited"] = both["loadout"].map(lambda name: unit_of(name) in edited)
    for row in both.sort_values("edited", ascending=False, kind="stable").to_dict("records"):
        points, fair = (
            (_points(row[f"{name}_old"]), _points(row[f"{name}_new"])) for name in ("points", "fair_points")
        )
        verdicts = str(row["verdict_old"]), str(row["verdict_new"])
        if points[0] != points[1] or verdicts[0] != verdicts[1]:
            yield Move(str(row["loadout"]), bool(row["edited"]), points, fair, verdicts)


def _points(found: float) -> str:
    """Points as text; a dash where there are none."""
    return "–" if pd.isna(found) else f"{found:.0f}"


def _template() -> Any:
    environment = templates()
    environment.filters["points"] = _points
    return environment.get_template("site.html.jinja")
