"""The batch report: every attacker on every defender, as a folder to keep."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analyser import __version__
from analyser.comparisons.frame import METHOD
from analyser.comparisons.matchups import Matchups, Progress, matchups
from analyser.comparisons.sides import Selectors, loadouts
from analyser.profiles import Profiles
from analyser.report.folder import check_replaceable, new_folder, write_manifest
from analyser.report.page import write_page
from analyser.report.pictures import draw, plan_pictures
from analyser.situations import LONG_RANGE, SHORT_RANGE_AIMED, Situation, situations_called
from analyser.units import Loadout

TABLE, PARQUET, PAGE = "matchups.csv", "matchups.parquet", "index.html"
SIGNIFICANT_DIGITS = 12  # of the table; beyond them is the rounding of long sums
_STEPS_OF_THE_FIGURES = 8  # of the progress: working out all figures takes about as long as so many pictures
_STEPS_OF_THE_TABLES = 2


def write_report(
    attackers: Selectors,
    defenders: Selectors,
    *,
    out: str | os.PathLike[str],
    situations: Sequence[Situation | str] = (LONG_RANGE, SHORT_RANGE_AIMED),
    row: str | None = None,
    profiles: Profiles | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Path:
    """Write a report of every attacker on every defender into the folder `out`.

    The folder gets ``matchups.csv`` and ``matchups.parquet`` (the columns of :func:`analyser.matchups`),
    heatmaps, ``index.html`` that shows them, and ``manifest.json``. It appears when it is complete, in place of an
    earlier report. The same inputs and versions give the same bytes.

    Parameters
    ----------
    attackers, defenders, situations, row, profiles, threads
        As of :func:`analyser.matchups`.
    out : path
        A new or empty folder, or one that holds an earlier report and nothing else.
    progress : callable, optional
        Called with the steps done so far and their number in all.

    Returns
    -------
    Path
        `out`.

    Raises
    ------
    InputError
        As :func:`analyser.matchups`; or `out` cannot be written, or holds something else.

    Examples
    --------
    >>> import tempfile
    >>> out = Path(tempfile.mkdtemp()) / "report"
    >>> written = write_report("crown/rifle-platoon@*", "imperium/*@basic", out=out, situations=["long-range"])
    >>> sorted(path.name for path in written.iterdir())[-4:]
    ['index.html', 'manifest.json', 'matchups.csv', 'matchups.parquet']
    """
    folder = Path(out)
    check_replaceable(folder)
    library = profiles or Profiles()
    attacking, defending = loadouts(attackers, library), loadouts(defenders, library)
    conditions = situations_called(situations)
    plans = plan_pictures(attacking, defending, conditions)
    steps = _Steps(progress, len(plans))
    with new_folder(folder) as new:
        found = matchups(
            attacking, defending,
            situations=conditions, row=row, profiles=profiles, progress=steps.figures, threads=threads,
        )  # fmt: skip
        steps.figures(1, 1)
        _write_tables(found.frame, new)
        steps.advance(_STEPS_OF_THE_TABLES)
        pictures = []
        for plan in plans:
            pictures.append(draw(plan, found.frame, new))
            steps.advance(1)
        write_page(found, pictures, new / PAGE)
        write_manifest(new, _facts(found))
    return folder


class _Steps:
    """The progress of a report: figures, tables, pictures, counted in pictures."""

    def __init__(self, progress: Progress | None, pictures: int) -> None:
        self.progress = progress
        self.done = 0
        self.total = _STEPS_OF_THE_FIGURES + _STEPS_OF_THE_TABLES + pictures

    def figures(self, done: int, total: int) -> None:
        """So many of all attacks are worked out."""
        self.advance(_STEPS_OF_THE_FIGURES * done // max(total, 1) - self.done)

    def advance(self, steps: int) -> None:
        """So many more steps are done."""
        self.done += steps
        if self.progress is not None:
            self.progress(self.done, self.total)


def _write_tables(frame: pd.DataFrame, folder: Path) -> None:
    number = f"%.{SIGNIFICANT_DIGITS}g"
    frame.to_csv(folder / TABLE, index=False, float_format=number, lineterminator="\n", encoding="utf-8")
    frame.to_parquet(folder / PARQUET, index=False)


def _facts(found: Matchups) -> dict[str, Any]:
    """What the report was made from and how."""
    ruleset = found.ruleset.model_dump(mode="json")
    return {
        "format": 1,
        "version": __version__,
        "method": METHOD,
        "row": found.row or "best",
        "situations": [each.model_dump(mode="json") for each in found.situations],
        "ruleset": {"sha256": _sha256(ruleset), **ruleset},
        "profiles": _profile_hashes((*found.attackers, *found.defenders)),
        "attackers": [each.selector for each in found.attackers],
        "defenders": [each.selector for each in found.defenders],
        "not_modelled": [each.name for each in found.not_modelled],
    }


def _profile_hashes(sides: Sequence[Loadout]) -> dict[str, str]:
    """By faction, the SHA-256 of its units that take part: of their content, so comments and layout do not count."""
    units: dict[str, dict[str, Any]] = {}
    for each in sides:
        units.setdefault(each.faction, {})[each.unit.id] = each.unit.model_dump(mode="json")
    return {faction: _sha256(units[faction]) for faction in sorted(units)}


def _sha256(data: object) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
