"""Write the folder of a report atomically, without overwriting other files, and read it again."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from filelock import FileLock, Timeout

from analyser import __version__
from analyser.analysis.grid import METHOD
from analyser.analysis.matchups import Matchups
from analyser.analysis.prices import FairPoints
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError, reason_of
from analyser.common.files import is_there, name_of, real_path
from analyser.common.metrics import EFFICIENCY
from analyser.common.text import json_text
from analyser.common.validation import checked
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout

MANIFEST, LOCK = "manifest.json", "lock"  # file names
PARQUET = "matchups.parquet"
UNITS = "units.json"  # units and ruleset of a report, for comparisons of reports
FORMAT = 3  # version of the file format
_SIGNATURE: Mapping[str, object] = {"program": "analyser", "kind": "report"}  # entries of every manifest
_FILE_MANAGER_FILES = {".DS_Store", "Thumbs.db", "desktop.ini"}
_ALLOWED = "a new or empty folder, or one that contains only a report of this program"


class ReportInputs(NamedTuple):
    """All inputs that determine the bytes of a report, except versions of programs."""

    attackers: tuple[Loadout, ...]
    defenders: tuple[Loadout, ...]
    situations: tuple[Situation, ...]
    row: str | None  # None stands for the best row
    ruleset: Ruleset
    profiles_used: ProfilesUsed  # names the folder without its path
    home: str = ""  # address of the index page of reports, relative to this report
    metrics: tuple[str, ...] = ()
    tactics: pd.DataFrame | None = None  # cost of simple tactics in duels; only with best play
    stated_prices: FairPoints | None = None  # fair points against opponents outside the report

    @property
    def directions(self) -> list[tuple[tuple[Loadout, ...], tuple[Loadout, ...]]]:
        """The directions of the fights (:func:`both_directions`)."""
        return both_directions(self.attackers, self.defenders)


def both_directions(
    attackers: tuple[Loadout, ...], defenders: tuple[Loadout, ...]
) -> list[tuple[tuple[Loadout, ...], tuple[Loadout, ...]]]:
    """Return the pair of sides and the reverse pair, so that both sides are rated; one pair if the sides are equal."""
    ours, theirs = ({loadout.selector for loadout in side} for side in (attackers, defenders))
    return [(attackers, defenders)] + ([] if ours == theirs else [(defenders, attackers)])


def manifest_facts(inputs: ReportInputs) -> dict[str, Any]:
    """Return the inputs as entries of the manifest, with digests of profiles and ruleset."""
    ruleset, prices = inputs.ruleset.model_dump(mode="json"), inputs.stated_prices
    field = {} if prices is None else {**prices.opponents.as_dict(), "sha256": _sha256(prices.frame.to_csv())}
    return {
        "format": FORMAT,
        "version": __version__,
        "method": METHOD,
        "trials": None,
        "seed": None,
        "row": inputs.row or "best",
        "situations": [situation.model_dump(mode="json") for situation in inputs.situations],
        "home": inputs.home,
        "metrics": list(inputs.metrics),
        **({} if inputs.tactics is None else {"tactics": {"sha256": _sha256(inputs.tactics.to_csv())}}),
        **({"field": field} if field else {}),
        "ruleset": {"sha256": _sha256(ruleset), **ruleset},
        "profiles_used": inputs.profiles_used.as_dict(),
        "profiles": {faction: _sha256(units) for faction, units in units_of(inputs).items()},
        "attackers": [attacker.selector for attacker in inputs.attackers],
        "defenders": [defender.selector for defender in inputs.defenders],
    }


def units_of(inputs: ReportInputs) -> dict[str, dict[str, Any]]:
    """Return the units that take part as plain data, by faction and id."""
    units: dict[str, dict[str, Any]] = {}
    for loadout in (*inputs.attackers, *inputs.defenders):
        units.setdefault(loadout.faction, {})[loadout.unit.id] = loadout.unit.record()
    return {faction: units[faction] for faction in sorted(units)}


def write_units(inputs: ReportInputs, folder: Path) -> None:
    """Write the units, by ``faction/unit``, and the ruleset as plain data."""
    units = {f"{faction}/{name}": unit for faction, group in units_of(inputs).items() for name, unit in group.items()}
    text = json_text({**units, "ruleset": inputs.ruleset.model_dump(mode="json")}, indent=1, ensure_ascii=False)
    (folder / UNITS).write_text(text + "\n", encoding="utf-8", newline="\n")


def _sha256(data: object) -> str:
    text = json_text(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def unfinished_folder(out: Path) -> Path:
    """Return the hidden folder beside `out` in which a report is written."""
    return out.parent / f".{out.name}.unfinished"


@contextmanager
def replacing_folder(out: Path) -> Iterator[Path]:
    """Yield a new folder, which replaces `out` at the end; after a failure `out` is unchanged."""
    out = real_path(out)
    check_replaceable(out)
    new_parents = [folder for folder in out.parents if not is_there(folder)]
    folder = unfinished_folder(out)
    try:
        if out.parent.is_symlink():
            out.parent.stat()  # raises the error of a circular link, which `mkdir` reports as an existing file
        out.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder, out):
            report = folder / "report"
            shutil.rmtree(report, ignore_errors=True)  # left by a killed run
            report.mkdir()
            yield report
            _replace_folder(report, out, backup=folder / "old")
    except OSError as error:
        raise InputError(f"cannot write this report: {reason_of(error)}", where=str(out)) from error
    finally:
        for path in new_parents:
            with suppress(OSError):  # a folder that is not empty stays
                path.rmdir()


@contextmanager
def _locked(folder: Path, out: Path) -> Iterator[None]:
    """Create and lock a folder, and delete it afterwards."""
    if folder.exists() and any(folder.iterdir()) and not is_there(folder / LOCK):  # with a lock: left by a killed run
        raise InputError("this folder for an unfinished report has other content", where=str(folder))
    folder.mkdir(exist_ok=True)
    try:
        with FileLock(folder / LOCK).acquire(timeout=0):
            try:
                yield
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    except Timeout:
        raise InputError("another run is writing this report", where=str(out)) from None


def _replace_folder(new: Path, out: Path, *, backup: Path) -> None:
    """Replace `out` by the folder `new`; restore the old content if this fails."""
    check_replaceable(out)  # again, because `out` may have changed meanwhile
    try:
        if out.exists():
            out.rename(backup)
        new.rename(out)
    except BaseException:
        if backup.exists() and not out.exists():
            backup.rename(out)
        raise


def check_replaceable(out: Path) -> None:
    """Raise InputError if `out` is a file, or a folder with more than a report and files of file managers."""
    if not is_there(out):
        return
    if not out.is_dir():
        raise InputError("this is not a folder", where=str(out), allowed=_ALLOWED)
    manifest = manifest_of(out)
    report_files = {MANIFEST, *manifest["files"]} if manifest else set()
    names = _files_in(out) if report_files else [path.name for path in out.iterdir()]
    others = sorted(name for name in names if name not in report_files and Path(name).name not in _FILE_MANAGER_FILES)
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        raise InputError(f"this folder holds other files: {others[0]}{more}", where=str(out), allowed=_ALLOWED)


def manifest_of(folder: Path) -> dict[str, Any]:
    """Return the manifest in `folder`; empty if the folder has no report of this program."""
    try:
        result = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    is_of_report = isinstance(result, dict) and result.items() >= _SIGNATURE.items()
    return result if is_of_report and isinstance(result.get("files"), dict) else {}


def write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    """Write `facts` as the manifest, with digests of all other files."""
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in _files_in(folder)}
    text = json_text({**_SIGNATURE, **facts, "files": files}, indent=2, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8", newline="\n")


def _files_in(folder: Path) -> list[str]:
    """Return the paths, relative to `folder`, of all files and empty folders in it."""
    result = [path for path in folder.rglob("*") if not path.is_dir() or not any(path.iterdir())]
    return sorted(path.relative_to(folder).as_posix() for path in result)


FILES_READ = (MANIFEST, UNITS, PARQUET)  # files from which a report is read


class StoredReport(NamedTuple):
    """A report that was read from a folder."""

    folder: Path
    manifest: Mapping[str, Any]
    content: Mapping[str, Any]  # units by ``faction/unit``, and the `ruleset`, as plain data
    table: pd.DataFrame

    @property
    def profiles_used(self) -> ProfilesUsed:
        """The profiles of the report."""
        version = self.manifest["profiles_used"]["version"]
        ruleset = checked(Ruleset, self.content["ruleset"], where=str(self.folder / UNITS))
        return ProfilesUsed(name_of(self.folder), version, ruleset)


def read_report(folder: Path) -> StoredReport | None:
    """Return the report in a folder; None if there is none.

    A folder with a manifest, or with two of :data:`FILES_READ`, counts as a report. If it is damaged or has another
    format, raise InputError, which names the file.
    """
    manifest = manifest_of(folder)
    if not manifest:
        if sum(is_there(folder / name) for name in FILES_READ) < 2:
            return None
        raise _damaged(folder / MANIFEST, "the manifest of this report is missing or damaged")
    if manifest.get("format") != FORMAT:
        raise _damaged(folder / MANIFEST, f"this report has format {manifest.get('format')}, not {FORMAT}")
    _check_parts(folder, manifest)
    _check_files(folder, manifest["files"])
    content = json.loads((folder / UNITS).read_text(encoding="utf-8"))
    return StoredReport(folder, manifest, content, pd.read_parquet(BytesIO((folder / PARQUET).read_bytes())))


def _check_parts(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Raise InputError if a manifest lacks units, situations or profiles."""
    lists = [manifest.get(name) for name in ("attackers", "defenders", "situations")]
    used = manifest.get("profiles_used")
    if (
        not all(isinstance(part, list) and part for part in lists)
        or not isinstance(used, dict)
        or "version" not in used
    ):
        raise _damaged(folder / MANIFEST, "the manifest of this report lacks units, situations or profiles")


def _check_files(folder: Path, files: Mapping[str, str]) -> None:
    """Raise InputError for the first file of a report that is missing or changed."""
    for name in dict.fromkeys((UNITS, PARQUET, *files)):
        try:
            digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        except (OSError, ValueError) as error:  # ValueError: an impossible file name in the manifest
            reason = reason_of(error) if isinstance(error, OSError) else error
            raise _damaged(folder / name, f"this file of a report cannot be read: {reason}") from None
        if digest != files.get(name):
            raise _damaged(folder / name, "this file of a report was changed or damaged since it was written")


def _damaged(path: Path, problem: str) -> InputError:
    return InputError(problem, where=str(path), allowed="a complete report: delete the folder and write it again")


def matchups_of(reports: Sequence[StoredReport]) -> Matchups:
    """Return the distinct matchups of several reports of one version of the profiles."""
    tables = pd.concat([report.table for report in reports], ignore_index=True)
    table = tables.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)
    content = {name: unit for report in reports for name, unit in report.content.items()}
    ruleset = checked(Ruleset, content.pop("ruleset"), where=str(reports[-1].folder / UNITS))
    names = dict.fromkeys((*table["attacker"].unique(), *table["defender"].unique()))
    sides = tuple(_loadout(name, content) for name in names)
    situations = tuple(checked(Situation, situation, where=MANIFEST) for situation in reports[0].manifest["situations"])
    return Matchups(table, sides, sides, situations, None, EFFICIENCY, ruleset, (), reports[0].profiles_used)


def _loadout(selector: str, content: Mapping[str, Any]) -> Loadout:
    unit, _, level = selector.partition("@")
    data = {"faction": unit.partition("/")[0], "unit": content[unit], "level_name": level}
    return checked(Loadout, data, where=UNITS)
