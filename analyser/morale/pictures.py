"""The picture of an answer: the panels that its system asks for, row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from analyser.common.errors import InputError
from analyser.morale.panels import Cells, Curves, Fates, Panel
from analyser.morale.systems import SYSTEMS, answers_of
from analyser.plots.distributions import MOST_CELLS
from analyser.plots.look import house_style, tiled_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from analyser.morale.result import MoraleResult

CURVES, CHANCES = (5.8, 2.5), (5.8, 2.5)  # inches
CELL = 0.52, 0.28  # inches
HIGHEST, LOWEST_CELL = 5.0, 0.16  # inches that cells take together, and one of them at least


def picture_of(result: MoraleResult) -> Figure:
    """The picture of an answer.

    Examples
    --------
    >>> from analyser import morale
    >>> figure = picture_of(morale.legion(courage=1, tokens=3))
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['Without a commander, percent', 'Tokens after the rally step, without a commander, percent']
    """
    panels = [*answers_of(SYSTEMS[result.system]).panels(result.scenario)]
    if isinstance(panels[0], Fates):
        return _fates(result, panels[0])
    drawn = [_prepared(result, panel) for panel in panels]
    with house_style():
        all_axes = tiled_axes([size for size, _ in drawn])
        for axes, (_, draw) in zip(all_axes, drawn):
            draw(axes)
    return all_axes[0].figure  # type: ignore[return-value]


def draw_first(result: MoraleResult, axes: Axes) -> Axes:
    """Draw the first panel of an answer."""
    panel = next(iter(answers_of(SYSTEMS[result.system]).panels(result.scenario)))
    if isinstance(panel, Fates):
        raise InputError("a comparison is a figure of its own", where="ax", allowed="left out")
    with house_style():
        _prepared(result, panel)[1](axes)
    return axes


def _prepared(result: MoraleResult, panel: Panel) -> tuple[tuple[float, float], Callable[[Axes], Any]]:
    """How large a panel is, and what draws it."""
    from analyser import plots

    assert not isinstance(panel, Fates)
    frame = result.to_frame(panel.table)
    for key, value in panel.where.items():
        frame = frame[frame[key] == value]
    if isinstance(panel, Curves):
        possible = {column: name for column, name in panel.lines.items() if (frame[column] > 0).any()}
        lines = possible or panel.lines
        return CURVES, lambda axes: plots.curves(frame, x=panel.x, lines=lines, heading=panel.heading, ax=axes)
    if isinstance(panel, Cells):
        likely = frame[frame["probability"] >= 1e-4]
        values = min(np.ptp(likely[panel.number]), MOST_CELLS) + 1
        size = CELL[0] * frame[panel.x].nunique(), values * max(min(CELL[1], HIGHEST / values), LOWEST_CELL)
        return size, lambda axes: plots.distributions_by_round(
            frame, x=panel.x, number=panel.number, heading=panel.heading, ax=axes
        )
    for key, values in panel.lost.items():
        frame = frame.assign(lost=frame[key].isin(values))
    return CHANCES, lambda axes: plots.probabilities(
        frame, x=panel.x, column=panel.column, heading=panel.heading, lost="lost" if panel.lost else None, ax=axes
    )


def _fates(result: MoraleResult, panel: Fates) -> Figure:
    from analyser import plots

    notes: dict[str, list[str]] = {system: [] for system in panel.titles}
    for row in result.to_frame(panel.notes).to_numpy().tolist():
        notes[row[0]].append(": ".join(map(str, row[1:])))
    joined = {system: "\n".join(lines) for system, lines in notes.items()}
    return plots.fates_by_system(result.to_frame(panel.table), titles=panel.titles, notes=joined)
