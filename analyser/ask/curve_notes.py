"""Notes below a curve: validity between its values, what was cut, points of the lines, what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from analyser.ask.keys import LEVEL, POINTS
from analyser.ask.readings import by_points, title_of
from analyser.ask.reasons import kind_of
from analyser.common.text import counted
from analyser.plots.metrics import PER_100_POINTS

if TYPE_CHECKING:
    from analyser.ask.curve_answer import Curve


def notes_of(curve: Curve) -> list[str]:
    """Return the notes: validity between the values, what was cut off or not modelled, and the sources."""
    notes = []
    if curve.holds_between:
        notes.append("Between these distances nothing changes: a stretch holds at every distance in it.")
    elif curve.keys[0].endswith("distance") and len(curve.keys) == 1:
        notes.append("At the distances that are listed; what is between them was not asked.")
    if not curve.exact:
        each = "at 95% all at once" if curve.all_at_once else "each at 95% by itself"
        stopped = "; they hold whenever one stops, as the trials were not fixed" * bool(curve.sampling.precision)
        notes.append(f"Named together: those whose intervals reach each other, {each}{stopped}.")
    if len(curve.shown_lines) < len(curve.lines) and len(curve.keys) == len(curve.metrics) == 1:
        left_out = counted(len(curve.lines) - len(curve.shown_lines), "more line")
        notes.append(f"{left_out} not shown; --format csv has all of them.")
    notes += _of_map(curve) if len(curve.keys) > 1 and len(curve.metrics) == 1 else []
    notes += _costs(curve)
    notes += [] if curve.complete else ["Stopped: what was asked before is shown."]
    notes += [f"Cut: {each}." for each in curve.cut]
    notes += _blanks(curve)
    warnings = dict.fromkeys(each for result in curve.results for each in result.warnings)
    notes.append(f"Not modelled: {', '.join(curve.not_modelled) or 'none'}.")
    notes += dict.fromkeys(f"Assumption: {each}." for result in curve.results for each in result.assumptions)
    notes += [f"Profiles: {curve.profiles}."] if curve.profiles is not None else []
    return notes + [f"Warning: {each}" for each in warnings if not each.startswith("attack.row is not given")]


def _of_map(curve: Curve) -> list[str]:
    """Whose figures a map as text has, and which of the values it shows."""
    notes = ["In the table: the figure of the best line at each pair of values."] if len(curve.lines) > 1 else []
    for key, values in zip(curve.keys, curve.values):
        step = curve.step_of(values)
        if step > 1:
            some = f"{len(values[::step])} of {len(values)} values of {key.replace('_', ' ')} are shown"
            notes.append(f"In the table {some}; --format csv has all of them.")
    return notes


def _blanks(curve: Curve) -> Iterator[str]:
    """Why lines have no figure somewhere: each kind of reason once, with the first line that has it."""
    why = curve.frame.dropna(subset=["why_not"]).drop_duplicates("line")
    known = set(curve.frame.loc[curve.frame[list(curve.metrics)].notna().any(axis=1), "line"])
    for _, part in why.groupby(why["why_not"].map(kind_of), sort=False):
        first, more = part.iloc[0], len(part) - 1
        alike = f" (and {counted(more, 'line')} for such a reason)" if more else ""
        blank = "Blank in part" if first["line"] in known else "Blank"
        yield f"{blank}: {first['line']}{alike}: {first['why_not']}"


def _costs(curve: Curve) -> list[str]:
    """Return the points of lines, if they differ and the figures ignore them; and the figure that does not."""
    if all(each.endswith(PER_100_POINTS) for each in curve.metrics):
        return []
    remedy = by_points(curve.metrics[0], curve.kind)
    if POINTS in curve.keys:
        return [f"{title_of(curve.metrics[0])} does not depend on points{remedy}."]
    if LEVEL in curve.keys:
        known = curve.frame.dropna(subset=["costs"]).drop_duplicates(["line", LEVEL])
        known = known[known["line"].isin(curve.shown_lines)]
        costs = [
            f"{line} {', '.join(f'{points:g} {level}' for level, points in zip(part[LEVEL], part['costs']))}"
            for line, part in known.groupby("line", sort=False)
        ]
        return [f"Points: {'; '.join(costs)}{remedy}."] if costs else []
    shown = {name: points for name, points in curve.costs.items() if name in curve.shown_lines}
    if len(set(shown.values())) == 1 or not shown:
        return []
    of = "Points differ" if len(shown) == len(curve.costs) else f"Points differ, of the {len(shown)} lines shown"
    return [f"{of}: {', '.join(f'{name} {points:g}' for name, points in shown.items())}{remedy}."]
