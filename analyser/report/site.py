"""Index page of all balance reports, with the changes from each version of the profiles to the next."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from itertools import combinations_with_replacement
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

from analyser.analysis.prices import ALL_LOADOUTS, CAVEATS, FairPoints, fair_points
from analyser.analysis.situations import ALL_SITUATIONS, Situation
from analyser.analysis.standing import Standings
from analyser.analysis.verdict import OVER, RULE, UNDER
from analyser.common.errors import InputError, check_text
from analyser.common.files import check_writable, is_there, path_of, write_content
from analyser.common.method_settings import Progress
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout, unit_of
from analyser.report.balance_report import INDEX_PAGE, write_report
from analyser.report.diff_changes import (
    Edit,
    StandingChanges,
    affects,
    edit_in_words,
    edited_loadouts,
    edits,
    standing_changes,
)
from analyser.report.folder import FILES_READ, StoredReport, manifest_of, matchups_of, read_report
from analyser.report.page import counts_of, headline_of, title_of
from analyser.report.page_frame import anchor_of, page_of

PAGE_MARK = '<meta name="generator" content="analyser site">'  # marks pages of this program, which may be replaced
CHECK_PAGE = "check.html"  # page of `analyser balance check`
_SIDES = ("attackers", "defenders")
_NUMBERS = re.compile(r"(\d+)")


class Report(NamedTuple):
    """A report of the site; `title` names the factions."""

    path: str
    version: str
    title: str
    stored: StoredReport

    def address(self, anchor: str) -> str:
        """Return the address of an anchor in the report."""
        return f"{quote(self.path)}/{INDEX_PAGE}#{anchor}"


class Version(NamedTuple):
    """Reports of one version of the profiles, verdicts on their loadouts, and the changes since the version before."""

    name: str
    reports: list[Report]
    profiles: str  # versions of profiles that the reports name, usually one
    cards: Mapping[str, str]  # by unit: address of its card in one of the reports
    names: Mapping[str, str]  # names of units and loadouts, by selector
    standings: Standings | None
    before: str = ""  # name of the version before
    changes: StandingChanges = StandingChanges()
    edits: Mapping[str, list[str]] = MappingProxyType({})  # edits in words, by unit or "ruleset"
    loadout_edits: Mapping[str, list[str]] = MappingProxyType({})  # edits in words by loadout, without edits of points
    assumptions: tuple[str, ...] = ()

    @property
    def has_one_verdict(self) -> bool:
        """True if every report judges against the same opponents as this page, so that a loadout has one verdict."""
        fields = {report.stored.manifest.get("field", {}).get("loadouts") for report in self.reports}
        return self.standings is not None and fields == {self.standings.prices.opponents.loadouts}


def write_site(
    folder: str | os.PathLike[str],
    *,
    add: str | None = None,
    situations: Sequence[Situation | str] = ALL_SITUATIONS,
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    executor: Executor | None = None,
) -> Path:
    """Write the index page of all reports in `folder` and its subfolders, and return the path of the page.

    Reports are in ``folder/VERSION/NAME``. Versions are sorted by name, and numbers in names by value. For each
    version the page has verdicts on the loadouts of all reports together (:func:`analyser.fair_points`). It also has
    the changes since the version before: edits of the profiles, and loadouts with changed points or verdict.

    Parameters
    ----------
    folder : path
    add : str, optional
        Name of a version; a report for each pair of factions is first written in ``folder/ADD``.
    situations, profiles, threads, progress, executor
        As in :func:`analyser.report.write_report`, for the added reports; `progress` starts again for each report.

    Raises
    ------
    InputError
        There is no report, a report cannot be read, the page would replace a page of another program, or an added
        report would replace a report of other profiles.
    """
    root = path_of(folder, "site")
    page = root / INDEX_PAGE
    if is_there(page) and PAGE_MARK not in page.read_text(encoding="utf-8", errors="replace"):
        raise InputError("this page was not written by this program, so it is not replaced", where=str(page))
    if add is not None:
        check_writable(page)
        how = {"situations": situations, "threads": threads, "progress": progress}
        _write_reports(root, add, library_of(profiles), executor, **how)
    reports = list(_reports(root)) if is_there(root) else []
    if not reports:
        allowed = "a folder with reports in it (analyser report), or --add VERSION to write some"
        raise InputError("no report is there", where=str(root), allowed=allowed)
    versions = [*_versions(reports)][::-1]
    check = CHECK_PAGE if is_there(root / CHECK_PAGE) else ""
    texts = {"title": "Balance reports", "caveats": CAVEATS, "rule": RULE, "mark": PAGE_MARK, "verdicts": (OVER, UNDER)}
    functions = {"headline_of": headline_of, "counts_of": counts_of}
    write_content(page, page_of("site", versions=versions, check=check, **texts, **functions))
    return page


def _write_reports(root: Path, version: str, library: Profiles, executor: Executor | None, **how: Any) -> None:
    """Write a report for each pair of factions, with common opponents, so that each loadout has a single verdict."""
    check_text(version, "add", "the name of a folder")
    if not version or Path(version).name != version or version.startswith("."):
        raise InputError(f"{version!r} is not the name of a folder", where="add", allowed="such as 2026-11")
    pairs = combinations_with_replacement(library.factions, 2)
    folders = {pair: root / version / "-".join(pair) for pair in pairs}
    for folder in folders.values():
        if manifest_of(folder).get("profiles_used", {}).get("version", library.used.version) != library.used.version:
            problem, allowed = "this report is of other profiles, so it is not replaced", "another VERSION"
            raise InputError(problem, where=str(folder), allowed=allowed)
    prices: FairPoints | None = None
    with suppress(InputError):  # no prices without shots and charges; write_report raises any other error again
        prices = fair_points(ALL_LOADOUTS, profiles=library, **how)
    how |= {"field": prices, "profiles": library, "executor": executor, "home": f"../../{INDEX_PAGE}"}
    for (ours, theirs), folder in folders.items():
        write_report(f"{ours}/*", f"{theirs}/*", out=folder, **how)


def _reports(root: Path) -> Iterator[Report]:
    """Yield the reports in a folder and its subfolders, except hidden folders."""
    for folder in sorted({path.parent for name in FILES_READ for path in root.glob(f"**/{name}")}):
        path = folder.relative_to(root)
        if any(part.startswith(".") for part in path.parts) or (result := read_report(folder)) is None:
            continue
        version = path.parent.as_posix() if path.parent != Path() else result.profiles_used.version
        title = title_of(*([selector.partition("/")[0] for selector in result.manifest[side]] for side in _SIDES))
        yield Report(path.as_posix(), version, title, result)


def _versions(reports: Sequence[Report]) -> Iterator[Version]:
    """Yield the versions, oldest first, each with the changes since the version before."""
    before: Version | None = None
    for name in sorted({report.version for report in reports}, key=_natural_key):
        group = [report for report in reports if report.version == name]
        used = [report.stored.profiles_used for report in group]
        versions = ", ".join(dict.fromkeys(profiles.version for profiles in used))
        assumptions = tuple(dict.fromkeys(line for profiles in used for line in profiles.assumptions))
        units = _units(group)
        standings: Standings | None = None
        with suppress(InputError):  # without shots and charges there are no standings
            standings = Standings(matchups_of([report.stored for report in group]))
        cards = {unit: report.address(anchor_of(unit)) for report in group[::-1] for unit in report.stored.content}
        result = Version(name, group, versions, cards, _names(units), standings, assumptions=assumptions)
        yield result if before is None else _with_changes(before, result)
        before = result


def _with_changes(before: Version, after: Version) -> Version:
    """Return a version with the changes since the version before."""
    old, new = (_units(side.reports) for side in (before, after))
    changes, loadouts = StandingChanges(), {}
    if before.standings is not None and after.standings is not None:
        sides = (side.table.attackers for side in (before.standings, after.standings))
        old_loadouts, loadouts = ({loadout.selector: loadout for loadout in side} for side in sides)
        changes = standing_changes(before.standings, after.standings, edited_loadouts(old_loadouts, loadouts))
    units, by_unit = {**old, **new}, dict[str, list[Edit]]()
    for edit in edits(old, new):
        by_unit.setdefault(edit.where, []).append(edit)
    edited = [change.loadout for change in changes.edited]
    loadout_edits = {name: _loadout_edits(loadouts[name], by_unit, units) for name in edited}
    words = {unit: [edit_in_words(edit, units.get(unit, {})) for edit in group] for unit, group in by_unit.items()}
    names = {**before.names, **after.names}
    return after._replace(before=before.name, changes=changes, edits=words, loadout_edits=loadout_edits, names=names)


def _loadout_edits(loadout: Loadout, by_unit: Mapping[str, Sequence[Edit]], units: Mapping[str, Any]) -> list[str]:
    """Return in words the edits that affect a loadout, except edits of points, which have their own column."""
    unit = unit_of(loadout.selector)
    affecting = [edit for edit in by_unit.get(unit, ()) if affects(edit, loadout.level_name, loadout.level.models)]
    words = [edit_in_words(edit, units[unit]) for edit in affecting if not edit.key.endswith(".points")]
    return [*words, "ruleset"] if "ruleset" in by_unit else words


def _names(units: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of units and of their loadouts, by selector."""
    names = {name: unit["name"] for name, unit in units.items() if "name" in unit}
    levels = {f"{name}@{level}": f"{names[name]}, {level}" for name in names for level in units[name].get("levels", ())}
    return {**names, **levels}


def _natural_key(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts version 10 after version 9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(name)]


def _units(reports: Sequence[Report]) -> dict[str, Any]:
    """Return the units, by ``faction/unit``, and the ruleset as plain data."""
    return {name: unit for report in reports for name, unit in report.stored.content.items()}
