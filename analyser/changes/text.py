"""A diff as text for a terminal, as plain data, or as CSV."""

from __future__ import annotations

from typing import Any

from analyser.changes.diff import FOR_POINTS, Diff
from analyser.metrics import METRICS
from analyser.tables import aligned, counted

MOST_EDITS = 40
MOST_MATCHUPS = 20


def diff_text(found: Diff, limit: int = MOST_MATCHUPS) -> str:
    """What changed, then the matchups that changed most, at most `limit` of them."""
    blocks = [_edits(found), *_who(found), _matchups(found, limit), *_for_points(found, limit)]
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
        [f"Only in {side}: {', '.join(names)}"]
        for side, names in (("old", found.gone), ("new", found.added))
        if names
    ]  # fmt: skip


def _matchups(found: Diff, limit: int) -> list[str]:
    compared = f"{counted(found.n_compared, 'matchup')} compared, exact"
    if found.frame.empty:
        return [f"{compared}: none changed"]
    rows: list[tuple[str, ...]] = [("change", "old", "new", "figure", "attacker", "defender", "situation", "")]
    for row in found.frame.head(limit).itertuples(index=False):
        chance = METRICS[str(row.metric)].is_probability
        figures = [
            _figure(value, sign=place == 0, chance=chance) for place, value in enumerate((row.change, row.old, row.new))
        ]
        rows.append(
            (*figures, str(row.metric), str(row.attacker), str(row.defender), str(row.situation), str(row.note))
        )
    heading = f"{compared}: {len(found.frame):,} changed, worst first"
    shown = "" if len(found.frame) <= limit else f" (the first {limit})"
    return [heading + shown, *aligned(rows, ">>><<<<<")]


def _for_points(found: Diff, limit: int) -> list[list[str]]:
    """What a change of points did."""
    if found.for_points.empty:
        return []
    rows: list[tuple[str, ...]] = [("change", "", "old", "new", "attacker", "defender", "situation")]
    for row in found.for_points.head(limit).to_dict("records"):
        figures = f"{row['change']:+.2f}", f"{row['share']:+.1%}", f"{row['old']:.2f}", f"{row['new']:.2f}"
        rows.append((*figures, row["attacker"], row["defender"], row["situation"]))
    heading = f"{METRICS[FOR_POINTS].title}: {len(found.for_points):,} changed where points did, worst first"
    shown = "" if len(found.for_points) <= limit else f" (the first {limit})"
    return [[heading + shown, *aligned(rows, ">>>><<<")]]


def _figure(value: Any, *, sign: bool, chance: bool) -> str:
    number = 100 * float(value) if chance else float(value)
    return f"{number:{'+' if sign else ''}.2f}{'%' if chance else ''}"


def diff_record(found: Diff) -> dict[str, Any]:
    """The whole diff as plain data, for JSON."""
    return {
        "method": "exact",
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
    return table.to_csv(index=False, float_format="%.12g", lineterminator="\n")
