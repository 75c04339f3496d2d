"""Two sets of profiles, or two reports, set against each other: what changed, and what it did, worst first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analyser.analysis.situations import Situation
from analyser.common.estimates import SAME_WITHIN
from analyser.common.sampling import Progress
from analyser.common.text import aligned, counted
from analyser.game.profiles import ProfilesUsed
from analyser.plots import metrics
from analyser.plots.metrics import METRICS, PER_100_POINTS
from analyser.report.edits import Edit, edits
from analyser.report.sources import Asked, Side, sides

PROBABILITIES = tuple(name for name, what in METRICS.items() if what.is_probability)
FOR_POINTS = f"expected_points_destroyed{PER_100_POINTS}"
PROBABILITY = "probability"  # from 0 to 1
_KEY = ["attacker", "defender", "situation"]
MOST_EDITS, MOST_MATCHUPS = 40, 20  # in plain text
_DIGITS = 12  # of a change: what comes after them is the rounding of sums


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
        The matchups of a loadout whose points changed, by :data:`FOR_POINTS`, the largest change of it first: the same
        columns, and `share`, the change as a share of the old figure. Empty where a metric was asked for.
    n_compared : int
        The matchups that both have.
    gone, added : tuple of str
        Loadouts that take part in old or in new only.
    old, new : ProfilesUsed
        The folders, as given, and the versions of the profiles.
    """

    edits: tuple[Edit, ...]
    frame: pd.DataFrame
    for_points: pd.DataFrame
    n_compared: int
    gone: tuple[str, ...]
    added: tuple[str, ...]
    old: ProfilesUsed
    new: ProfilesUsed

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
    if metric is not None:
        metrics.metric(metric)
    asked = Asked(attackers, defenders, situations)
    before, after = sides(Path(old), Path(new), asked, progress)
    joined = before.frame.merge(after.frame, on=_KEY, suffixes=("_old", "_new"))
    names = (metric,) if metric else PROBABILITIES
    return Diff(
        edits=tuple(edits(before.things, after.things)),
        frame=_changed(joined, names),
        for_points=_changed_for_points(joined if metric is None else joined.head(0)),
        n_compared=len(joined),
        gone=_only(before, after),
        added=_only(after, before),
        old=before.used,
        new=after.used,
    )


def _changed(joined: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Of each matchup the figure that changed most, without those in which none did."""
    # A report of an earlier version does not have every figure.
    columns = ([f"{name}_{side}" for name in names] for side in ("old", "new"))
    old, new = (joined.reindex(columns=each).to_numpy(np.float64) for each in columns)
    never = np.isnan(old) & np.isnan(new)
    old, new = np.nan_to_num(old, nan=0.0), np.nan_to_num(new, nan=0.0)
    change = np.where(never, 0.0, new - old)
    most = np.abs(change).argmax(axis=1)
    rows = np.arange(len(joined))
    could, can = (joined[f"why_not_{side}"].isna() for side in ("old", "new"))
    found = joined[_KEY].assign(
        metric=np.array(names)[most],
        unit=np.array([PROBABILITY if METRICS[name].is_probability else METRICS[name].unit for name in names])[most],
        old=old[rows, most],
        new=new[rows, most],
        change=change[rows, most],
        note=np.where(could & ~can, "no longer possible", np.where(can & ~could, "now possible", "")),
    )
    found = found[(found["change"].abs() > SAME_WITHIN) | (found["note"] != "")]
    return _worst_first(found, "change")


def _worst_first(found: pd.DataFrame, column: str) -> pd.DataFrame:
    """The largest of a column first, without its sign; equals, as far as sums can tell, by name."""
    size = found[column].abs().round(_DIGITS)
    ordered = found.assign(size=size).sort_values(["size", *_KEY], ascending=[False, True, True, True])
    return ordered.drop(columns="size").reset_index(drop=True)


def _changed_for_points(joined: pd.DataFrame) -> pd.DataFrame:
    """What a change of points did to the matchups of those loadouts; the most points destroyed per 100 first.

    By their share of the old figure the first would be those in which next to nothing is destroyed.
    """
    sides = ("attacker_points", "defender_points")
    same = [joined[f"{side}_old"].eq(joined[f"{side}_new"]) | joined[f"{side}_new"].isna() for side in sides]
    found = _changed(joined[~(same[0] & same[1])].reset_index(drop=True), (FOR_POINTS,))
    share = found["change"] / found["old"].where(found["old"] > 0, found["new"].where(found["new"] > 0, 1.0))
    return _worst_first(found.assign(share=share), "change")


def _only(one: Side, other: Side) -> tuple[str, ...]:
    """The loadouts that take part in `one` and not in `other`."""
    mine, theirs = (
        dict.fromkeys((*side.frame["attacker"].unique(), *side.frame["defender"].unique())) for side in (one, other)
    )
    return tuple(each for each in mine if each not in theirs)


def diff_text(found: Diff, limit: int = MOST_MATCHUPS) -> str:
    """What changed, then the matchups that changed most, at most `limit` of them."""
    sides = [f"Old: {found.old}", f"New: {found.new}"]
    blocks = [sides, _edits(found), *_who(found), _matchups(found, limit), *_for_points(found, limit)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _edits(found: Diff) -> list[str]:
    if not found.edits:
        return ["Profiles: nothing changed"]
    more = len(found.edits) - MOST_EDITS
    lines = [f"Profiles: {counted(len(found.edits), 'change')}", *(f"  {each}" for each in found.edits[:MOST_EDITS])]
    return [*lines, f"  … and {more} more"] if more > 0 else lines


def _who(found: Diff) -> list[list[str]]:
    """Who takes part in one of the two only."""
    return [
        [f"Only in {side}: {', '.join(names)}"] for side, names in (("old", found.gone), ("new", found.added)) if names
    ]


def _matchups(found: Diff, limit: int) -> list[str]:
    compared = f"{counted(found.n_compared, 'matchup')} compared, exact"
    if found.frame.empty:
        return [f"{compared}: none changed"]
    (unit,) = found.frame["unit"].unique()  # all of them are probabilities, or one figure
    scale, unit, of_change = (100, "%", "pp") if unit == PROBABILITY else (1, unit, unit)
    heads = f"change ({of_change})", f"old ({unit})", f"new ({unit})"
    rows: list[tuple[str, ...]] = [(*heads, "figure", "attacker", "defender", "situation", "")]
    for row in found.frame.head(limit).to_dict("records"):
        figures = _number(scale * row["change"], "+"), _number(scale * row["old"]), _number(scale * row["new"])
        rows.append((*figures, *(row[each] for each in ("metric", "attacker", "defender", "situation", "note"))))
    heading = f"{compared}: {len(found.frame):,} changed, worst first"
    shown = "" if len(found.frame) <= limit else f" (the first {limit})"
    return [heading + shown, *aligned(rows, ">>><<<<<")]


def _for_points(found: Diff, limit: int) -> list[list[str]]:
    """What a change of points did."""
    if found.for_points.empty:
        return []
    heads = "change (points)", "change (% of old)", "old (points)", "new (points)"
    rows: list[tuple[str, ...]] = [(*heads, "attacker", "defender", "situation")]
    for row in found.for_points.head(limit).to_dict("records"):
        figures = _number(row["change"], "+"), f"{100 * row['share']:+.1f}", _number(row["old"]), _number(row["new"])
        rows.append((*figures, row["attacker"], row["defender"], row["situation"]))
    heading = f"{METRICS[FOR_POINTS].title}: {len(found.for_points):,} changed where points did, worst first"
    shown = "" if len(found.for_points) <= limit else f" (the first {limit})"
    return [[heading + shown, *aligned(rows, ">>>><<<")]]


def _number(value: float, sign: str = "") -> str:
    """A figure with two decimals, and one digit of what they would make nothing of."""
    return f"{value:{sign}{'.1g' if 0 < abs(value) < 0.005 else '.2f'}}"


def over_said(found: Diff, limit: float) -> str:
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


def diff_rows(found: Diff) -> list[dict[str, Any]]:
    """Every matchup that changed, a row each; `share` where points did."""
    parts = [each for each in (found.frame, found.for_points) if len(each)]
    table = (pd.concat(parts, ignore_index=True) if parts else found.frame).astype(object)
    table = table.where(table.notna(), None).assign(old_profiles=str(found.old), new_profiles=str(found.new))
    return [{str(name): cell for name, cell in row.items()} for row in table.to_dict("records")]
