"""Notes below a curve: validity between its values, what was cut off, points of the lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from analyser.ask.keys import LEVEL, POINTS
from analyser.ask.question_table import reason_kind
from analyser.ask.readings import by_points, title_of
from analyser.common.text import counted, spaced
from analyser.plots.metrics import PER_100_POINTS

if TYPE_CHECKING:
    from analyser.ask.curve_answer import Curve


def notes_of(curve: Curve) -> Iterator[str]:
    """Yield the notes about the values and the lines of a curve."""
    if curve.holds_between:
        yield "Between these distances nothing changes: a stretch holds at every distance in it."
    elif curve.keys[0].endswith("distance") and len(curve.keys) == 1:
        yield "At the distances that are listed; what is between them was not asked."
    if not curve.exact:
        level = "at 95% all at once" if curve.all_at_once else "each at 95% by itself"
        stopped = "; they hold whenever one stops, as the trials were not fixed" * bool(curve.sampling.precision)
        yield f"Named together: those whose intervals reach each other, {level}{stopped}."
    if (more := len(curve.lines) - len(curve.shown_lines)) and len(curve.keys) == len(curve.metrics) == 1:
        yield f"{counted(more, 'more line')} not shown; --format csv has all of them."
    if curve.is_map:
        yield from _of_map(curve)
    if not all(metric.endswith(PER_100_POINTS) for metric in curve.metrics):
        yield from _points(curve)
    if not curve.complete:
        yield "Stopped: what was asked before is shown."
    yield from (f"Cut: {text}." for text in curve.cut)
    yield from _blanks(curve)


def _of_map(curve: Curve) -> Iterator[str]:
    """Yield whose figures a map as text has, and which of the values it shows."""
    if len(curve.lines) > 1:
        yield "In the table: the figure of the best line at each pair of values."
    for key, values in zip(curve.keys, curve.values):
        if (step := curve.step_of(values)) > 1:
            some = f"{len(values[::step])} of {len(values)} values of {spaced(key)} are shown"
            yield f"In the table {some}; --format csv has all of them."


def _blanks(curve: Curve) -> Iterator[str]:
    """Yield why lines have no figure somewhere: each kind of reason once, with the first line that has it."""
    reasons = curve.frame.dropna(subset=["why_not"]).drop_duplicates("line")
    in_part = set(curve.frame.loc[curve.frame[list(curve.metrics)].notna().any(axis=1), "line"])
    for _, part in reasons.groupby(reasons["why_not"].map(reason_kind), sort=False):
        first, more = part.iloc[0], len(part) - 1
        alike = f" (and {counted(more, 'line')} for such a reason)" if more else ""
        blank = "Blank in part" if first["line"] in in_part else "Blank"
        yield f"{blank}: {first['line']}{alike}: {first['why_not']}"


def _points(curve: Curve) -> Iterator[str]:
    """Yield the points of lines that differ, where the figures ignore them; and the figure that does not."""
    remedy = by_points(curve.metrics[0], curve.kind)
    if POINTS in curve.keys:
        yield f"{title_of(curve.metrics[0])} does not depend on points{remedy}."
    elif LEVEL in curve.keys:
        priced = curve.frame.dropna(subset=["costs"]).drop_duplicates(["line", LEVEL])
        costs = [
            f"{line} {', '.join(f'{points:g} {level}' for level, points in zip(part[LEVEL], part['costs']))}"
            for line, part in priced[priced["line"].isin(curve.shown_lines)].groupby("line", sort=False)
        ]
        if costs:
            yield f"Points: {'; '.join(costs)}{remedy}."
    else:
        shown = {name: points for name, points in curve.costs.items() if name in curve.shown_lines}
        if len(set(shown.values())) > 1:
            some = "" if len(shown) == len(curve.costs) else f", of the {len(shown)} lines shown"
            yield f"Points differ{some}: {', '.join(f'{name} {points:g}' for name, points in shown.items())}{remedy}."
