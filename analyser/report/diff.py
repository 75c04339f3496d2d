"""Two sets of profiles, or two reports, set against each other: what changed, and what it did, worst first."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.figures import number_text
from analyser.analysis.matchups import matchups
from analyser.analysis.selection import loadouts
from analyser.analysis.situations import ALL_SITUATIONS, Situation, situations_called
from analyser.common.errors import InputError
from analyser.common.estimates import SAME_WITHIN
from analyser.common.sampling import Progress
from analyser.common.text import aligned, counted
from analyser.common.validation import checked
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.plots.metrics import EFFICIENCY, METRICS, checked_metric
from analyser.report.folder import MANIFEST, UNITS, manifest_of

PROBABILITIES = tuple(name for name, what in METRICS.items() if what.is_probability)
PROBABILITY = "probability"  # from 0 to 1
EVERYBODY = "*/*"
MOST_EDITS, MOST_MATCHUPS = 40, 20  # in plain text
_KEY = ["attacker", "defender", "situation"]
_CHANGES = [*_KEY, "metric", "unit", "old", "new", "change", "note"]
_DIGITS = 12  # of a change: what comes after them is the rounding of sums


class Edit(NamedTuple):
    """One thing that is written differently; `old` or `new` is None where it is not there."""

    where: str  # a unit, ``faction/unit``; or ``"ruleset"``
    key: str  # what of it, with dots; empty: all of it
    old: str | None
    new: str | None

    def __str__(self) -> str:
        """The edit as a line."""
        if not self.key:
            return f"{self.where}: {'new' if self.old is None else 'gone'}"
        old, new = ("nothing" if each is None else each for each in (self.old, self.new))
        return f"{self.where}: {self.key}: {old} -> {new}"


@dataclass(frozen=True, eq=False, repr=False)
class Diff:
    """What changed from old to new.

    Attributes
    ----------
    edits : tuple of Edit
        What is written differently in the units and the ruleset.
    frame : DataFrame
        The matchups of both that changed, worst first: `attacker`, `defender`, `situation`, `metric`, `unit` (what the
        next three count: ``"probability"``, from 0 to 1, or ``"models"`` and the like), `old`, `new`, `change`; `note`
        tells where an attack can be made in one of them only, and does nothing in the other.
    for_points : DataFrame
        The matchups of a loadout whose points changed, by the expected points destroyed per 100, the largest change of
        it first: the same columns, and `share`, the change as a share of the old figure. Empty where a metric was asked
        for.
    n_compared : int
        The matchups that both have.
    gone, added : tuple of str
        Loadouts that take part in old or in new only.
    old, new : ProfilesUsed
        The folders, as given, and the versions of the profiles.
    unchanged : bool
        Whether two folders of profiles say the same, so that no matchup was worked out.
    """

    edits: tuple[Edit, ...]
    frame: pd.DataFrame
    for_points: pd.DataFrame
    n_compared: int
    gone: tuple[str, ...]
    added: tuple[str, ...]
    old: ProfilesUsed
    new: ProfilesUsed
    unchanged: bool = False

    def __str__(self) -> str:
        """What the command line prints."""
        return diff_text(self)

    __repr__ = __str__  # a shell shows what is printed

    @property
    def worst(self) -> float:
        """The largest change of any matchup, without its sign, where points changed as a share; 0 if none changed."""
        changes = (self.frame["change"], self.for_points["share"])
        return max((float(each.abs().max()) for each in changes if len(each)), default=0.0)


def diff(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    *,
    attackers: str | None = None,
    defenders: str | None = None,
    situations: Sequence[Situation | str] | None = None,
    metric: str | None = None,
    progress: Progress | None = None,
) -> Diff:
    """What changed from `old` to `new`, and what that did to every matchup that both have.

    Profiles that say the same are told at once: no matchup is worked out for them.

    Parameters
    ----------
    old, new : path
        A folder of profiles, or a report (``analyser report``). Where one is a report, the other's matchups are worked
        out as that report has them.
    attackers, defenders : str, optional
        Selectors, with wildcards; for profiles only. Default: everybody.
    situations : sequence of Situation or str, optional
        For profiles only. Default: all.
    metric : str, optional
        The figure to compare. Default: of each matchup the probability that changed most, and where points changed
        the expected points destroyed per 100 points.
    progress : callable, optional
        Called with the work done so far and all of it.

    Raises
    ------
    InputError
        A path is neither; an unknown metric or situation; a selector that fits nothing; or selectors with a report.

    Examples
    --------
    >>> from analyser.game.profiles import shipped_profiles
    >>> same = diff(shipped_profiles(), shipped_profiles(), attackers="crown/rifle*", defenders="imperium/krupp*")
    >>> same.edits, same.n_compared, same.worst
    ((), 72, 0.0)
    """
    names = PROBABILITIES if metric is None else (checked_metric(metric),)
    before, after = sides = _side(Path(old)), _side(Path(new))
    reports = [side for side in sides if side.manifest is not None]
    asked = _asked(attackers, defenders, situations, reports[0].manifest if reports else None)
    # Units outside a report are no part of it, and neither new nor gone.
    parts = (
        {name: thing for name, thing in side.things.items() if all(name in each.things for each in reports)}
        for side in sides
    )
    written = edits(*parts)
    if not reports and not written:
        return _unchanged(before, after, asked)
    frames = []
    for number, side in enumerate(sides):

        def tell(done: int, total: int, number: int = number) -> None:
            if progress is not None:
                progress(number * total + done, 2 * total)

        frame = side.source
        if isinstance(frame, Profiles):
            selected = {name: _there(asked[name], frame) for name in ("attackers", "defenders")}
            frame = matchups(**asked | selected, profiles=frame, progress=tell).frame
        frames.append(frame)
    there = [dict.fromkeys((*each["attacker"].unique(), *each["defender"].unique())) for each in frames]
    joined = frames[0].merge(frames[1], on=_KEY, suffixes=("_old", "_new"))
    return Diff(
        edits=written,
        frame=_changed(joined, names),
        for_points=_changed_for_points(joined if metric is None else joined.head(0)),
        n_compared=len(joined),
        gone=tuple(each for each in there[0] if each not in there[1]),
        added=tuple(each for each in there[1] if each not in there[0]),
        old=before.used,
        new=after.used,
    )


class _Side(NamedTuple):
    """Units by ``faction/unit`` and the ruleset as plain data, and where the matchups come from."""

    things: Mapping[str, Any]
    used: ProfilesUsed
    source: Profiles | pd.DataFrame
    manifest: Mapping[str, Any] | None = None  # of a report


def _side(path: Path) -> _Side:
    manifest = manifest_of(path)
    if not manifest:
        profiles = Profiles(path)
        units = {f"{each.faction}/{each.unit.id}": each.unit.model_dump(mode="json") for each in profiles}
        return _Side({**units, "ruleset": profiles.ruleset.model_dump(mode="json")}, profiles.used, profiles)
    try:
        things = json.loads((path / UNITS).read_text(encoding="utf-8"))
        version = manifest.get("profiles_used", {}).get("version", "unknown")  # of an earlier program
        return _Side(things, ProfilesUsed(str(path), version), pd.read_parquet(path / "matchups.parquet"), manifest)
    except (OSError, ValueError) as error:
        raise InputError(f"this report cannot be read: {error}", where=str(path), allowed="one made anew") from None


def _asked(
    attackers: str | None,
    defenders: str | None,
    situations: Sequence[Situation | str] | None,
    report: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What is asked of :func:`matchups`; what is not, as the first report has it; without one, everything."""
    if report is None:
        sides = {"attackers": [attackers or EVERYBODY], "defenders": [defenders or EVERYBODY]}
        return {**sides, "situations": situations or [ALL_SITUATIONS]}
    if any(each is not None for each in (attackers, defenders, situations)):
        raise InputError("a report has its own attackers, defenders and situations", where="diff")
    return {
        "attackers": report["attackers"],
        "defenders": report["defenders"],
        "situations": [checked(Situation, each, where=MANIFEST) for each in report["situations"]],
        "row": None if report["row"] == "best" else str(report["row"]),
    }


def _there(selectors: Sequence[str], profiles: Profiles) -> Sequence[str]:
    """Of a report's loadouts those that these profiles have; a selector with wildcards as it is."""
    if any(mark in selectors[0] for mark in "*?[") or len(selectors) == 1:
        return selectors
    names = {each.selector for each in profiles}
    return [each for each in selectors if each in names] or selectors[:1]


def _unchanged(old: _Side, new: _Side, asked: dict[str, Any]) -> Diff:
    """The diff of two folders of profiles that say the same."""
    assert isinstance(old.source, Profiles)
    sides = [loadouts(asked[name], old.source) for name in ("attackers", "defenders")]
    compared = len(sides[0]) * len(sides[1]) * len(situations_called(asked["situations"]))
    nothing = pd.DataFrame(columns=_CHANGES)
    return Diff((), nothing, nothing.assign(share=None), compared, (), (), old.used, new.used, unchanged=True)


def edits(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Edit, ...]:
    """What is different between two tables of things as plain data by name, in the order of the names.

    >>> old = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 35}}}}
    >>> new = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 40}}}, "crown/guns": {}}
    >>> [str(each) for each in edits(old, new)]
    ['crown/guns: new', 'crown/rifles: levels.basic.points: 35 -> 40']
    """
    found = []
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            found.append(Edit(name, "", *("there" if name in side else None for side in (old, new))))
            continue
        before, after = dict(_leaves(old[name])), dict(_leaves(new[name]))
        keys = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
        found += [Edit(name, key, before.get(key), after.get(key)) for key in keys]
    return tuple(found)


def _leaves(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every value in nested data with its way in; what has an id goes by it, a list of words is one value."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list) and any(isinstance(each, Mapping) for each in data):
        for place, each in enumerate(data):
            band = f"{each['first']}-{each['last']}" if {"first", "last"} <= each.keys() else place  # of attack dice
            yield from _leaves(each, f"{path}.{each.get('id') or band}")
    elif data is not None:
        yield path, ", ".join(map(str, data)) or "none" if isinstance(data, list) else str(data)


def _changed(joined: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Of each matchup the figure that changed most, without those in which none did."""
    # A report of an earlier version does not have every figure.
    columns = ([f"{name}_{side}" for name in names] for side in ("old", "new"))
    old, new = (np.nan_to_num(joined.reindex(columns=each).to_numpy(np.float64), nan=0.0) for each in columns)
    change = new - old
    most = np.abs(change).argmax(axis=1)
    rows = np.arange(len(joined))
    could, can = (joined[f"why_not_{side}"].isna() for side in ("old", "new"))
    units = [PROBABILITY if METRICS[name].is_probability else METRICS[name].unit for name in names]
    found = joined[_KEY].assign(
        metric=np.array(names)[most],
        unit=np.array(units)[most],
        old=old[rows, most],
        new=new[rows, most],
        change=change[rows, most],
        note=np.where(could & ~can, "no longer possible", np.where(can & ~could, "now possible", "")),
    )
    found = found[(found["change"].abs() > SAME_WITHIN) | (found["note"] != "")]
    # The largest first, without its sign; equals, as far as sums can tell, by name.
    size = found["change"].abs().round(_DIGITS)
    ordered = found.assign(size=size).sort_values(["size", *_KEY], ascending=[False, True, True, True])
    return ordered.drop(columns="size").reset_index(drop=True)


def _changed_for_points(joined: pd.DataFrame) -> pd.DataFrame:
    """What a change of points did to the matchups of those loadouts; the most points destroyed per 100 first.

    By their share of the old figure the first would be those in which next to nothing is destroyed.
    """
    sides = ("attacker_points", "defender_points")
    same = [joined[f"{side}_old"].eq(joined[f"{side}_new"]) | joined[f"{side}_new"].isna() for side in sides]
    found = _changed(joined[~(same[0] & same[1])].reset_index(drop=True), (EFFICIENCY,))
    share = found["change"] / found["old"].where(found["old"] > 0, found["new"].where(found["new"] > 0, 1.0))
    return found.assign(share=share)


def diff_text(found: Diff, limit: int = MOST_MATCHUPS) -> str:
    """What changed, then the matchups that changed most, at most `limit` of them."""
    blocks = [[f"Old: {found.old}", f"New: {found.new}"]]
    compared = f"{counted(found.n_compared, 'matchup')} compared, exact"
    if found.unchanged:
        same = f"all {counted(found.n_compared, 'matchup')} are the same, and none was worked out"
        blocks.append([f"Profiles: nothing changed, so that {same}"])
    else:
        more = len(found.edits) - MOST_EDITS
        lines = [f"  {each}" for each in found.edits[:MOST_EDITS]] + ([f"  … and {more} more"] if more > 0 else [])
        blocks.append([f"Profiles: {counted(len(found.edits), 'change') if lines else 'nothing changed'}", *lines])
        both = (("old", found.gone), ("new", found.added))
        blocks += [[f"Only in {side}: {', '.join(names)}"] for side, names in both if names]
        blocks.append(_table(found.frame, compared, limit) if len(found.frame) else [f"{compared}: none changed"])
    if len(found.for_points):
        blocks.append(_table(found.for_points, METRICS[EFFICIENCY].title, limit))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _table(frame: pd.DataFrame, heading: str, limit: int) -> list[str]:
    """The matchups that changed most below a heading; with a share they are those of a change of points."""
    (unit,), shown, for_points = frame["unit"].unique(), frame.head(limit), "share" in frame
    scale, unit, of_change = (100, "%", "pp") if unit == PROBABILITY else (1, unit, unit)
    if for_points:
        unit = of_change = "points"
    columns: dict[str, Iterable[str]] = {
        f"change ({of_change})": [number_text(scale * each, "+") for each in shown["change"]],
        **({"change (% of old)": [f"{100 * each:+.1f}" for each in shown["share"]]} if for_points else {}),
        **{f"{name} ({unit})": [number_text(scale * each) for each in shown[name]] for name in ("old", "new")},
    }
    sides = ">" * len(columns) + "<"
    names = {name: shown[name] for name in _KEY}
    columns |= names if for_points else {"figure": shown["metric"], **names, "": shown["note"]}
    where = f"changed{' where points did' if for_points else ''}, worst first"
    first = f" (the first {limit})" if len(frame) > limit else ""
    return [f"{heading}: {len(frame):,} {where}{first}", *aligned([list(columns), *zip(*columns.values())], sides)]


def over_limit(found: Diff, limit: float) -> str:
    """That the largest change of any matchup is above `limit`, both in what it is measured in."""
    unit = found.frame["unit"].iloc[0] if len(found.frame) else ""
    scale, unit = (100, " pp") if unit == PROBABILITY else (1, f" {unit}")
    if len(found.for_points) and found.worst == float(found.for_points["share"].abs().max()):
        scale, unit = 100, "% of its points destroyed per 100 points"
    return f"a matchup changed by {scale * found.worst:.4g}{unit}, more than {scale * limit:.4g}{unit}"


def diff_record(found: Diff) -> dict[str, Any]:
    """The whole diff as plain data, for JSON."""
    return {
        "method": "exact",
        "old": found.old._asdict(),
        "new": found.new._asdict(),
        "edits": [each._asdict() for each in found.edits],
        "gone": list(found.gone),
        "added": list(found.added),
        "compared": found.n_compared,
        "worst": found.worst,
        "matchups": found.frame.to_dict("records"),
        "for_points": found.for_points.to_dict("records"),
    }


def diff_rows(found: Diff) -> list[dict[Any, Any]]:
    """Every matchup that changed, a row each; `share` where points did."""
    parts = [each for each in (found.frame, found.for_points) if len(each)]
    table = (pd.concat(parts, ignore_index=True) if parts else found.frame).astype(object)
    table = table.where(table.notna(), None).assign(old_profiles=str(found.old), new_profiles=str(found.new))
    return table.to_dict("records")
