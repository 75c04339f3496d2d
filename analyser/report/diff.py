"""Diff of two sets of profiles, or two reports; only fights that an edit affects are computed.

Verdicts need all opponents once, in the situations of exchanges of fire. Everything else needs only the rows and
columns of edited loadouts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.efficiency import LEAST
from analyser.analysis.matchups import Matchups, matchups
from analyser.analysis.matchups_after_edit import matchups_after_edit
from analyser.analysis.prices import ALL_LOADOUTS, Opponents
from analyser.analysis.selection import loadouts
from analyser.analysis.situations import ALL_SITUATIONS, EXCHANGES, Situation, situations_named
from analyser.analysis.standing import Standings
from analyser.common.errors import InputError
from analyser.common.estimates import SAME_WITHIN
from analyser.common.files import is_there, path_of
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import EFFICIENCY, METRICS, checked_metric
from analyser.common.validation import checked
from analyser.game.profiles import Profiles, ProfilesUsed, RulesetLike
from analyser.game.units import Loadout
from analyser.report.diff_answer import KEY, PROBABILITY, Diff
from analyser.report.diff_profiles import edits
from analyser.report.diff_verdicts import Move, edited_loadouts, moves_between
from analyser.report.folder import MANIFEST, Stored, matchups_of, stored
from analyser.report.worker_pool import rarely_collected

PROBABILITIES = tuple(name for name in METRICS if name.startswith("p_"))
"""Figures that are probabilities, which excludes shares lost."""
_CHANGES = [*KEY, "metric", "unit", "old", "new", "change", "note"]
_DIGITS = 12  # decimals of a change; further ones are rounding errors of sums
_STEPS = 1000  # steps of progress
_STAGES = 3  # the opponents, the other situations, and both for the new profiles


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
    """Return the changes from `old` to `new`, and their effect on every loadout and matchup in both.

    For two folders of profiles it computes only the fights that an edit affects. The verdicts also need the fights of
    the opponents in the situations of :func:`analyser.fair_points`, once. Equal profiles need no computation.

    Parameters
    ----------
    old, new : path
        A folder of profiles, or a report (``analyser report``). If one is a report, the matchups of the other are
        computed with the settings of that report.
    attackers, defenders : str, optional
        Selectors, with wildcards; for profiles only. Default: all. Together they are the opponents for the verdicts;
        for reports these are the loadouts of the report.
    situations : sequence of Situation or str, optional
        For profiles only. Default: all.
    metric : str, optional
        The figure to compare. Default: the probability that changed most in each matchup; for changed points also the
        expected points destroyed per 100 points.
    threads : int, optional
        As in :func:`analyser.matchups`.
    ruleset : Ruleset or mapping, optional
        A die, a deck or both, to replace those of both folders.
    progress : callable or True, optional
        Called with the work done so far and the total work; True: a bar.

    Raises
    ------
    InputError
        A path is neither profiles nor a report; an unknown metric or situation; a selector without a match; or
        selectors with a report.

    Examples
    --------
    >>> from analyser.game.profiles import shipped_profiles
    >>> same = diff(shipped_profiles(), shipped_profiles(), attackers="crown/rifle*", defenders="imperium/krupp*")
    >>> same.edits, same.n_compared, same.worst
    ((), 72, 0.0)
    """
    names = PROBABILITIES if metric is None else (checked_metric(metric),)
    before, after = sides = [_side(path_of(path, name), ruleset) for name, path in (("old", old), ("new", new))]
    reports = [side.source for side in sides if isinstance(side.source, Stored)]
    asked = _asked(attackers, defenders, situations, reports[0].manifest if reports else None)
    # Units that are not in a report are neither new nor gone.
    parts = (
        {name: thing for name, thing in side.things.items() if all(name in report.things for report in reports)}
        for side in sides
    )
    written = edits(*parts)
    if not reports and not written:
        return _unchanged(before, after, asked)
    with rarely_collected(), Sampling(progress=progress).with_bar() as reporting:
        stage = _stages(reporting.report)
        compared = _of_reports(sides, asked, stage) if reports else _of_profiles(sides, asked, threads, stage)
    return Diff(
        edits=written,
        frame=_changed(compared.joined, names),
        for_points=_changed_for_points(compared.joined if metric is None else compared.joined.head(0)),
        old=before.used,
        new=after.used,
        **{name: value for name, value in compared._asdict().items() if name != "joined"},
    )


class _Compared(NamedTuple):
    """The matchups of old and new side by side, and the verdicts."""

    joined: pd.DataFrame
    n_compared: int
    gone: tuple[str, ...]
    added: tuple[str, ...]
    moves: tuple[Move, ...] = ()
    others: tuple[Move, ...] = ()
    no_verdict: str = ""
    among: Opponents | None = None


def _stages(report: Progress) -> Callable[[int], Progress]:
    """Return a function that maps a stage to its progress callback; together the stages make up `report`."""

    def stage(number: int) -> Progress:
        def tell(done: int, total: int) -> None:
            report(_STEPS * (number * total + done) // (_STAGES * total), _STEPS)

        return tell

    return stage


def _of_profiles(
    sides: Sequence[_Side], asked: Mapping[str, Any], threads: int | None, stage: Callable[[int], Progress]
) -> _Compared:
    """Compare two folders: all opponents of both for the verdicts, and edited loadouts in other situations."""
    old, new = (side.source for side in sides if isinstance(side.source, Profiles))
    attacking, defending = ([_named(asked[side], one) for one in (old, new)] for side in ("attackers", "defenders"))
    before, after = (ours | theirs for ours, theirs in zip(attacking, defending))
    how: dict[str, Any] = {"threads": threads}
    changed: dict[str, Any] = {"ruleset": new.ruleset, "used": new.used, **how}
    everybody = list(before.values())
    field = matchups(everybody, everybody, situations=EXCHANGES, profiles=old, progress=stage(0), **how)
    field_now = matchups_after_edit(field, *[list(after.values())] * 2, **changed)
    written = edited_loadouts(before, after)
    both = [[name for name in was if name in now] for was, now in (attacking, defending)]
    blocks = _blocks(both[0], both[1], set(written) if old.ruleset == new.ruleset else {*both[0], *both[1]})
    situations = situations_named(asked["situations"])
    frames = [[_of_blocks(table.frame, blocks, situations)] for table in (field, field_now)]
    for rows, columns in blocks if (others := [one for one in situations if one not in EXCHANGES]) else ():
        ours, theirs = ([before[name] for name in names] for names in (rows, columns))
        was = matchups(ours, theirs, situations=others, profiles=old, progress=stage(1), **how)
        ours, theirs = ([after[name] for name in names] for names in (rows, columns))
        now = matchups_after_edit(was, ours, theirs, progress=stage(2), **changed)
        for parts, table in zip(frames, (was, now)):
            parts.append(table.frame)
    return _Compared(
        _side_by_side(*(pd.concat(parts, ignore_index=True) for parts in frames)),
        len(both[0]) * len(both[1]) * len(situations),
        tuple(name for name in before if name not in after),
        tuple(name for name in after if name not in before),
        *_moves(field, field_now, written),
    )


def _named(selectors: Sequence[str], profiles: Profiles) -> dict[str, Loadout]:
    return {loadout.selector: loadout for loadout in loadouts(selectors, profiles)}


def _blocks(attackers: Sequence[str], defenders: Sequence[str], touched: set[str]) -> list[tuple[list[str], list[str]]]:
    """Return blocks of attackers and defenders that contain every pair with a loadout in `touched`."""
    ours, rest = ([name for name in attackers if (name in touched) is is_so] for is_so in (True, False))
    result = (ours, list(defenders)), (rest, [name for name in defenders if name in touched])
    return [pair for pair in result if all(pair)]


def _of_blocks(
    frame: pd.DataFrame, blocks: Sequence[tuple[list[str], list[str]]], situations: Sequence[Situation]
) -> pd.DataFrame:
    """Return the rows of a table for pairs in `blocks`, in the situations of exchanges among `situations`."""
    wanted = pd.Series(False, frame.index)
    for rows, columns in blocks:
        wanted |= frame["attacker"].isin(rows) & frame["defender"].isin(columns)
    return frame[wanted & frame["situation"].isin([fight.name for fight in situations if fight in EXCHANGES])]


def _moves(
    old: Matchups, new: Matchups, written: Sequence[str]
) -> tuple[tuple[Move, ...], tuple[Move, ...], str, Opponents | None]:
    """Return the moves of edited loadouts, and of others with a changed verdict; or the reason why there are none.

    The last value is the set of opponents for the new verdicts.
    """
    try:
        before, after = Standings(old), Standings(new)
    except InputError as error:
        return (), (), error.problem, None
    return *moves_between(before, after, written), "", after.prices.opponents


def _of_reports(sides: Sequence[_Side], asked: Mapping[str, Any], stage: Callable[[int], Progress]) -> _Compared:
    """Compare two reports, or a report and profiles, whose matchups are computed with the settings of the report."""
    tables = [_as_reported(side.source, asked, stage(number)) for number, side in enumerate(sides)]
    before, after = ({side.selector: side for side in (*table.attackers, *table.defenders)} for table in tables)
    joined = _side_by_side(*(table.frame for table in tables))
    return _Compared(
        joined,
        len(joined),
        tuple(name for name in before if name not in after),
        tuple(name for name in after if name not in before),
        *_moves(tables[0], tables[1], edited_loadouts(before, after)),
    )


def _as_reported(source: Profiles | Stored, asked: Mapping[str, Any], progress: Progress) -> Matchups:
    """Return the matchups of a report, or those of profiles with the settings of a report, in both directions."""
    if isinstance(source, Stored):
        return matchups_of([source])
    ours, theirs = (loadouts(_there(asked[name], source), source) for name in ("attackers", "defenders"))
    directions = (
        [(ours, theirs), (theirs, ours)]
        if {loadout.selector for loadout in ours} != {loadout.selector for loadout in theirs}
        else [(ours, theirs)]
    )
    how = {name: asked[name] for name in ("situations", "row")}
    parts = [matchups(*direction, **how, profiles=source, progress=progress) for direction in directions]
    frame = pd.concat([part.frame for part in parts], ignore_index=True)
    sides = tuple({loadout.selector: loadout for loadout in (*ours, *theirs)}.values())
    return replace(parts[0], frame=frame.drop_duplicates(KEY, ignore_index=True), attackers=sides, defenders=sides)


def _side_by_side(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    return old.merge(new, on=KEY, suffixes=("_old", "_new"))


class _Side(NamedTuple):
    """One side of a diff: units by ``faction/unit`` and the ruleset as plain data, and the source of matchups."""

    things: Mapping[str, Any]
    used: ProfilesUsed
    source: Profiles | Stored


def _side(path: Path, ruleset: RulesetLike | None) -> _Side:
    report = stored(path)
    if report is not None and ruleset is not None:
        raise InputError("a report has the die and deck of its own", where=str(path), allowed="a folder of profiles")
    if report is not None:
        return _Side(report.things, report.used, report)
    if not is_there(path) or not path.is_dir() or next(path.glob("*.toml"), None) is None:
        problem = "neither profiles nor a report" if is_there(path) else "no such folder"
        allowed = "a folder of unit files (.toml), or one that `analyser report` wrote"
        raise InputError(problem, where=str(path), allowed=allowed)
    profiles = Profiles(path, ruleset)
    units = {f"{profile.faction}/{profile.unit.id}": profile.unit.record() for profile in profiles}
    return _Side({**units, "ruleset": profiles.ruleset.model_dump(mode="json")}, profiles.used, profiles)


def _asked(
    attackers: str | None,
    defenders: str | None,
    situations: Sequence[Situation | str] | None,
    report: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the arguments for :func:`matchups`: as given, else those of the first report, else everything."""
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


def _there(selectors: Sequence[str], profiles: Profiles) -> Sequence[str]:
    """Return the loadouts of a report that exist in `profiles`; a selector with wildcards is returned unchanged."""
    if any(mark in selectors[0] for mark in "*?[") or len(selectors) == 1:
        return selectors
    names = {profile.selector for profile in profiles}
    return [selector for selector in selectors if selector in names] or selectors[:1]


def _unchanged(old: _Side, new: _Side, asked: dict[str, Any]) -> Diff:
    """Return the diff of two folders of equal profiles."""
    assert isinstance(old.source, Profiles)
    sides = [loadouts(asked[name], old.source) for name in ("attackers", "defenders")]
    compared = len(sides[0]) * len(sides[1]) * len(situations_named(asked["situations"]))
    nothing = pd.DataFrame(columns=_CHANGES)
    return Diff((), nothing, nothing.assign(share=None), compared, (), (), old.used, new.used, unchanged=True)


def _changed(joined: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the figure that changed most in each matchup, without unchanged matchups."""
    # Reports of earlier versions lack some figures.
    columns = ([f"{name}_{side}" for name in names] for side in ("old", "new"))
    old, new = (np.nan_to_num(joined.reindex(columns=column).to_numpy(np.float64), nan=0.0) for column in columns)
    change = new - old
    most = np.abs(change).argmax(axis=1)
    rows = np.arange(len(joined))
    could, can = (joined[f"why_not_{side}"].isna() for side in ("old", "new"))
    units = [PROBABILITY if METRICS[name].is_probability else METRICS[name].unit for name in names]
    result = joined[KEY].assign(
        metric=np.array(names)[most],
        unit=np.array(units)[most],
        old=old[rows, most],
        new=new[rows, most],
        change=change[rows, most],
        note=np.where(could & ~can, "no longer possible", np.where(can & ~could, "now possible", "")),
    )
    result = result[(result["change"].abs() > SAME_WITHIN) | (result["note"] != "")]
    # Sort by absolute change, largest first; equal ones, up to rounding, by name.
    size = result["change"].abs().round(_DIGITS)
    ordered = result.assign(size=size).sort_values(["size", *KEY], ascending=[False, True, True, True])
    return ordered.drop(columns="size").reset_index(drop=True)


def _changed_for_points(joined: pd.DataFrame) -> pd.DataFrame:
    """Return the matchups of loadouts with changed points, with points destroyed per 100; the largest change first.

    Sorting by `share` would put matchups with few points destroyed first. In `share` an old figure below one point
    counts as one point.
    """
    sides = ("attacker_points", "defender_points")
    same = [joined[f"{side}_old"].eq(joined[f"{side}_new"]) | joined[f"{side}_new"].isna() for side in sides]
    result = _changed(joined[~(same[0] & same[1])].reset_index(drop=True), (EFFICIENCY,))
    return result.assign(share=result["change"] / result["old"].clip(lower=LEAST))
