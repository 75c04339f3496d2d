"""A diff as text for a terminal, as plain data, or as CSV."""

from __future__ import annotations

from typing import Any

from analyser.changes.diff import FOR_POINTS, PROBABILITY, Diff
from analyser.metrics import METRICS
from analyser.tables import aligned, counted

MOST_EDITS = 40
MOST_MATCHUPS = 20


def diff_text(found: Diff, limit: int = MOST_MATCHUPS) -> str:
    """What changed, then the matchups that changed most, at most `limit` of them."""
    blocks = [_sides(found), _edits(found), *_who(found), _matchups(found, limit), *_for_points(found, limit)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _sides(found: Diff) -> list[str]:
    return [f"Old: {found.old}", f"New: {found.new}"]


def _edits(found: Diff) -> list[str]:
    if not found.edits:
        return ["Profiles: nothing changed"]
    more = len(found.edits) - MOST_EDITS
    lines = [f"Profiles: {counted(len(found.edits), 'change')}", *(f"  {each}" for each in found.edits[:MOST_EDITS])]
    return [*lines, f"  … and {more} more"] if more > 0 else lines


def _who(found: Diff) -> list[list[str]]:
    """Who takes part in one of the two only."""
    return [
        [f"Only in {side}: {', '.join(names)}"]
        for side, names in (("old", found.gone), ("new", found.added))
        if names
    ]  # fmt: skip


def _matchups(found: Diff, limit: int) -> list[str]:
    compared = f"{counted(found.n_compared, 'matchup')} compared, exact"
    if found.frame.empty:
        return [f"{compared}: none changed"]
    (unit,) = found.frame["unit"].unique()  # all of them are chances, or one figure
    chance = unit == PROBABILITY
    scale, unit, of_change = (100, "%", "pp") if chance else (1, unit, unit)
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


def diff_csv(found: Diff) -> str:
    """Every matchup that changed; `share` where points did."""
    import pandas as pd

    parts = [each for each in (found.frame, found.for_points) if len(each)]
    table = pd.concat(parts, ignore_index=True) if parts else found.frame
    table = table.assign(old_profiles=str(found.old), new_profiles=str(found.new))
    return table.to_csv(index=False, float_format="%.12g", lineterminator="\n")
