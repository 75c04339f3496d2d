"""Compare two folders of profiles, or two reports: edits, changed verdicts and changed matchups."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.efficiency import LEAST_EFFICIENCY
from analyser.analysis.matchups import Matchups, matchups, matchups_after_edit
from analyser.analysis.prices import ALL_LOADOUTS
from analyser.analysis.selection import loadouts
from analyser.analysis.situations import ALL_SITUATIONS, EXCHANGES, Situation, situations_named
from analyser.analysis.standing import Standings
from analyser.common.errors import InputError
from analyser.common.estimates import SAME_WITHIN
from analyser.common.files import is_there, path_of
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import EFFICIENCY, MATCHUP_METRICS, checked_metric
from analyser.common.validation import checked
from analyser.game.profiles import Profiles, ProfilesUsed, RulesetLike
from analyser.report.diff_answer import KEYS, PROBABILITY, Diff
from analyser.report.diff_changes import edited_loadouts, edits, standing_changes
from analyser.report.folder import MANIFEST, StoredReport, both_directions, matchups_of, read_report

PROBABILITIES = tuple(name for name in MATCHUP_METRICS if name.startswith("p_"))
"""Figures that are probabilities; a share of losses is not one."""
_COLUMNS = [*KEYS, "metric", "unit", "old", "new", "change", "note"]
_SUFFIXES = ("_old", "_new")
_DIGITS = 12  # decimals of a change; more would be rounding errors of sums
_STEPS = 1000  # steps of the progress bar
_StageProgress = Callable[[int, int], Progress]


def diff(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    *,
    attackers: str | None = None,
    defenders: str | None = None,
    situations: Sequence[Situation | str] | None = None,
    metric: str | None = None,
    threads: int | None = None,
    ruleset: RulesetLike | None = None,
    progress: Progress | bool | None = None,
) -> Diff:
    """Return the changes from `old` to `new`, and their effect on each loadout and matchup that is in both.

    For two folders of profiles, only fights that an edit affects or a verdict needs are computed.

    Parameters
    ----------
    old, new : path
        A folder of profiles, or a report (``analyser report``). If one is a report, the matchups of the other are
        computed with the arguments of that report.
    attackers, defenders : str, optional
        Selectors with wildcards, for profiles only; verdicts use these loadouts as opponents. Default: all.
    situations : sequence of Situation or str, optional
        For profiles only. Default: all.
    metric : str, optional
        The figure to compare. Default: in each matchup the probability that changed most; if points changed, also the
        expected points destroyed per 100 points.
    threads : int, optional
        As in :func:`analyser.matchups`.
    ruleset : Ruleset or mapping, optional
        A die, a deck or both, used for both folders.
    progress : callable or True, optional
        Called with the work done so far and the total work; True shows a bar.

    Raises
    ------
    InputError
        A path is neither profiles nor a report, a metric or situation is unknown, a selector matches no loadout, or
        selectors are given for a report.

    Examples
    --------
    >>> from analyser.game.profiles import shipped_profiles
    >>> same = diff(shipped_profiles(), shipped_profiles(), attackers="crown/rifle*", defenders="imperium/krupp*")
    >>> same.edits, same.n_compared, same.worst
    ((), 72, 0.0)
    """
    names = PROBABILITIES if metric is None else (checked_metric(metric),)
    before, after = sides = [_side(path_of(path, name), ruleset) for name, path in (("old", old), ("new", new))]
    reports = [side.source for side in sides if isinstance(side.source, StoredReport)]
    arguments = _matchup_arguments(attackers, defenders, situations, reports[0].manifest if reports else None)
    # A unit that is missing in a report counts neither as new nor as gone.
    contents = (
        {name: entry for name, entry in side.content.items() if all(name in report.content for report in reports)}
        for side in sides
    )
    all_edits = edits(*contents)
    if not reports and not all_edits:
        return _unchanged(before, after, arguments)
    with Sampling(progress=progress).with_bar() as reporting:
        stage = _stage_progress(reporting.report)
        question = sides, arguments, stage
        joined, facts = _compare_reports(*question) if reports else _compare_folders(*question, threads)
    return Diff(
        edits=all_edits,
        frame=_changed_matchups(joined, names),
        for_points=_repriced_matchups(joined if metric is None else joined.head(0)),
        old=before.profiles_used,
        new=after.profiles_used,
        **facts,
    )


_Comparison = tuple[pd.DataFrame, dict[str, Any]]  # old and new matchups joined row by row, and other fields of a Diff


def _stage_progress(report: Progress) -> _StageProgress:
    """Return a function from the number of a stage, and of all stages, to the progress callback of that stage."""
    return lambda stage, n: lambda done, total: report(_STEPS * (stage * total + done) // (n * total), _STEPS)


def _compare_folders(
    sides: Sequence[_Side], arguments: Mapping[str, Any], stage: _StageProgress, threads: int | None
) -> _Comparison:
    """Compare two folders of profiles; fights of two unedited loadouts are computed only for verdicts."""
    old, new = (side.source for side in sides if isinstance(side.source, Profiles))
    attacking, defending = (
        [{loadout.selector: loadout for loadout in loadouts(arguments[name], library)} for library in (old, new)]
        for name in ("attackers", "defenders")
    )
    before, after = (ours | theirs for ours, theirs in zip(attacking, defending))
    options: dict[str, Any] = {"threads": threads}
    new_options: dict[str, Any] = {"ruleset": new.ruleset, "used": new.used, **options}
    edited = edited_loadouts(before, after)
    common = [[name for name in olds if name in news] for olds, news in (attacking, defending)]
    blocks = _blocks(common[0], common[1], set(edited) if old.ruleset == new.ruleset else {*common[0], *common[1]})
    situations = situations_named(arguments["situations"])
    others = [fight for fight in situations if fight not in EXCHANGES]
    n_stages = 2 + 2 * len(blocks) * bool(others)
    stages = (stage(number, n_stages) for number in range(n_stages))
    opponents = list(before.values())
    old_prices_table = matchups(
        opponents, opponents, situations=EXCHANGES, profiles=old, progress=next(stages), **options
    )
    opponents = list(after.values())
    new_prices_table = matchups_after_edit(old_prices_table, opponents, opponents, progress=next(stages), **new_options)
    frames = [[_rows_of_blocks(table.frame, blocks, situations)] for table in (old_prices_table, new_prices_table)]
    for rows, columns in blocks if others else ():
        ours, theirs = ([before[name] for name in names] for names in (rows, columns))
        earlier = matchups(ours, theirs, situations=others, profiles=old, progress=next(stages), **options)
        ours, theirs = ([after[name] for name in names] for names in (rows, columns))
        later = matchups_after_edit(earlier, ours, theirs, progress=next(stages), **new_options)
        for parts, table in zip(frames, (earlier, later)):
            parts.append(table.frame)
    earlier_rows, later_rows = (pd.concat(parts, ignore_index=True) for parts in frames)
    joined = earlier_rows.merge(later_rows, on=KEYS, suffixes=_SUFFIXES)
    compared = len(common[0]) * len(common[1]) * len(situations)
    return joined, _facts(compared, before, after, _standing_changes(old_prices_table, new_prices_table, edited))


def _facts(
    compared: int, before: Collection[str], after: Collection[str], standings: Mapping[str, Any]
) -> dict[str, Any]:
    gone = tuple(name for name in before if name not in after)
    added = tuple(name for name in after if name not in before)
    return {"n_compared": compared, "gone": gone, "added": added, **standings}


def _blocks(attackers: Sequence[str], defenders: Sequence[str], changed: set[str]) -> list[tuple[list[str], list[str]]]:
    """Return groups of attackers and defenders that together form every pair with at least one loadout in `changed`."""
    ours, rest = ([name for name in attackers if (name in changed) is is_edited] for is_edited in (True, False))
    result = (ours, list(defenders)), (rest, [name for name in defenders if name in changed])
    return [pair for pair in result if all(pair)]


def _rows_of_blocks(
    frame: pd.DataFrame, blocks: Sequence[tuple[list[str], list[str]]], situations: Sequence[Situation]
) -> pd.DataFrame:
    """Return the rows of a table whose pair is in `blocks`, and whose situation is in `situations` and EXCHANGES."""
    wanted = pd.Series(False, frame.index)
    for rows, columns in blocks:
        wanted |= frame["attacker"].isin(rows) & frame["defender"].isin(columns)
    return frame[wanted & frame["situation"].isin([fight.name for fight in situations if fight in EXCHANGES])]


def _standing_changes(old: Matchups, new: Matchups, edited: Sequence[str]) -> dict[str, Any]:
    """Return fields of a Diff: the changed standings and the new opponents, or the reason why there are no verdicts."""
    try:
        before, after = Standings(old), Standings(new)
    except InputError as error:
        return {"no_verdict": error.problem}
    changes = standing_changes(before, after, edited)
    conditions = {"opponents": after.prices.opponents, "judged": after.prices.judged}
    return {"changes": changes.edited, "others": changes.others, **conditions}


def _compare_reports(sides: Sequence[_Side], arguments: Mapping[str, Any], stage: _StageProgress) -> _Comparison:
    """Compare two reports, or a report and profiles computed with the arguments of the report."""
    tables = [_report_matchups(side.source, arguments, stage) for side in sides]
    before, after = ({side.selector: side for side in (*table.attackers, *table.defenders)} for table in tables)
    joined = tables[0].frame.merge(tables[1].frame, on=KEYS, suffixes=_SUFFIXES)
    standings = _standing_changes(tables[0], tables[1], edited_loadouts(before, after))
    return joined, _facts(len(joined), before, after, standings)


def _report_matchups(source: Profiles | StoredReport, arguments: Mapping[str, Any], stage: _StageProgress) -> Matchups:
    """Return the matchups of a report, or compute those of profiles in both directions."""
    if isinstance(source, StoredReport):
        return matchups_of([source])
    ours, theirs = (loadouts(_existing(arguments[name], source), source) for name in ("attackers", "defenders"))
    options = {name: arguments[name] for name in ("situations", "row")}
    directions = both_directions(ours, theirs)
    parts = [
        matchups(*direction, **options, profiles=source, progress=stage(number, len(directions)))
        for number, direction in enumerate(directions)
    ]
    frame = pd.concat([part.frame for part in parts], ignore_index=True)
    sides = tuple({loadout.selector: loadout for loadout in (*ours, *theirs)}.values())
    frame = frame.drop_duplicates(KEYS, ignore_index=True)
    return replace(parts[0], frame=frame, attackers=sides, defenders=sides)


class _Side(NamedTuple):
    """The old or the new side of a diff."""

    content: Mapping[str, Any]  # units by ``faction/unit``, and the `ruleset`, as plain data
    profiles_used: ProfilesUsed
    source: Profiles | StoredReport


def _side(path: Path, ruleset: RulesetLike | None) -> _Side:
    report = read_report(path)
    if report is not None and ruleset is not None:
        raise InputError("a report has its own die and deck", where=str(path), allowed="a folder of profiles")
    if report is not None:
        return _Side(report.content, report.profiles_used, report)
    if not is_there(path) or not path.is_dir() or next(path.glob("*.toml"), None) is None:
        problem = "neither profiles nor a report" if is_there(path) else "no such folder"
        allowed = "a folder of unit files (.toml), or one that `analyser report` wrote"
        raise InputError(problem, where=str(path), allowed=allowed)
    profiles = Profiles(path, ruleset)
    units = {f"{profile.faction}/{profile.unit.id}": profile.unit.record() for profile in profiles}
    return _Side({**units, "ruleset": profiles.ruleset.model_dump(mode="json")}, profiles.used, profiles)


def _matchup_arguments(
    attackers: str | None,
    defenders: str | None,
    situations: Sequence[Situation | str] | None,
    report: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the arguments for :func:`matchups`: those of the first report if there is a report, else the caller's."""
    if report is None:
        sides = {"attackers": [attackers or ALL_LOADOUTS], "defenders": [defenders or ALL_LOADOUTS]}
        return {**sides, "situations": situations or [ALL_SITUATIONS]}
    if any(part is not None for part in (attackers, defenders, situations)):
        raise InputError("a report has its own attackers, defenders and situations", where="diff")
    return {
        "attackers": report["attackers"],
        "defenders": report["defenders"],
        "situations": [checked(Situation, situation, where=MANIFEST) for situation in report["situations"]],
        "row": None if report["row"] == "best" else str(report["row"]),
    }


def _existing(selectors: Sequence[str], profiles: Profiles) -> Sequence[str]:
    """Return the selectors that exist in `profiles`; a single selector is kept, because it may have wildcards."""
    if len(selectors) == 1:
        return selectors
    names = {profile.selector for profile in profiles}
    return [selector for selector in selectors if selector in names] or selectors[:1]


def _unchanged(old: _Side, new: _Side, arguments: dict[str, Any]) -> Diff:
    """Return the diff of two folders of equal profiles."""
    assert isinstance(old.source, Profiles)
    sides = [loadouts(arguments[name], old.source) for name in ("attackers", "defenders")]
    compared = len(sides[0]) * len(sides[1]) * len(situations_named(arguments["situations"]))
    used, empty = (old.profiles_used, new.profiles_used), pd.DataFrame(columns=_COLUMNS)
    return Diff((), empty, empty.assign(share=None), compared, (), (), *used, unchanged=True)


def _changed_matchups(joined: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return a row for each changed matchup, with the figure that changed most."""
    # `reindex`, because reports of earlier versions lack some figures.
    columns = ([f"{name}_{side}" for name in names] for side in ("old", "new"))
    old, new = (np.nan_to_num(joined.reindex(columns=column).to_numpy(np.float64), nan=0.0) for column in columns)
    change = new - old
    most = np.abs(change).argmax(axis=1)
    rows = np.arange(len(joined))
    was_possible, is_possible = (joined[f"why_not_{side}"].isna() for side in ("old", "new"))
    lost, gained = was_possible & ~is_possible, is_possible & ~was_possible
    units = [PROBABILITY if MATCHUP_METRICS[name].is_probability else MATCHUP_METRICS[name].unit for name in names]
    result = joined[KEYS].assign(
        metric=np.array(names)[most],
        unit=np.array(units)[most],
        old=old[rows, most],
        new=new[rows, most],
        change=change[rows, most],
        note=np.where(lost, "no longer possible", np.where(gained, "now possible", "")),
    )
    result = result[(result["change"].abs() > SAME_WITHIN) | (result["note"] != "")]
    # Sort by absolute change, the largest first, and by name if changes are equal up to rounding.
    size = result["change"].abs().round(_DIGITS)
    ordered = result.assign(size=size).sort_values(["size", *KEYS], ascending=[False, True, True, True])
    return ordered.drop(columns="size").reset_index(drop=True)


def _repriced_matchups(joined: pd.DataFrame) -> pd.DataFrame:
    """Return the changes of efficiency in matchups of loadouts whose points changed, the largest first."""
    sides = ("attacker_points", "defender_points")
    same = [joined[f"{side}_old"].eq(joined[f"{side}_new"]) | joined[f"{side}_new"].isna() for side in sides]
    result = _changed_matchups(joined[~(same[0] & same[1])].reset_index(drop=True), (EFFICIENCY,))
    return result.assign(share=result["change"] / result["old"].clip(lower=LEAST_EFFICIENCY))
