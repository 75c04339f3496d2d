"""The picture of an answer: the panels that its system asks for, row by row.

A panel names the table that it shows; `where` selects rows of it by key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from analyser.common.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from analyser.morale.result import MoraleResult

WIDTH, HEIGHT = 5.8, 2.5  # inches
CELL_WIDTH, CELL_HEIGHT = 0.52, 0.28  # inches
HIGHEST, LOWEST_CELL = 5.0, 0.16  # inches that cells take together, and one of them at least
LINE = 0.25  # inches of a line of the title
CHARACTERS_AN_INCH = 12  # of the title

Drawing = tuple[tuple[float, float], Callable[..., Any]]  # the width and height in inches, and what draws on `ax`


class Curves(NamedTuple):
    """Probabilities by round, a line each: `lines` says what each column is called."""

    table: str
    heading: str
    x: str
    lines: Mapping[str, str]
    where: Mapping[str, Any] = {}

    def drawing(self, frame: pd.DataFrame) -> Drawing:
        """How the panel is drawn from its rows: without lines that are 0 throughout, if there are others."""
        from analyser import plots

        possible = {column: name for column, name in self.lines.items() if (frame[column] > 0).any()}
        lines = possible or self.lines
        return (WIDTH, HEIGHT), partial(plots.curves, frame, x=self.x, lines=lines, heading=self.heading)


class Cells(NamedTuple):
    """The distribution of a number by round, as a heat map."""

    table: str
    heading: str
    x: str
    number: str
    where: Mapping[str, Any] = {}

    def drawing(self, frame: pd.DataFrame) -> Drawing:
        """How the panel is drawn from its rows."""
        from analyser import plots
        from analyser.plots.heatmaps import MOST_CELLS

        likely = frame[frame["probability"] >= 1e-4]
        values = min(np.ptp(likely[self.number]), MOST_CELLS) + 1
        height = values * max(min(CELL_HEIGHT, HIGHEST / values), LOWEST_CELL)
        draw = partial(plots.distributions_by_round, frame, x=self.x, number=self.number, heading=self.heading)
        return (CELL_WIDTH * frame[self.x].nunique(), height), draw


class Bars(NamedTuple):
    """The distribution of a number or word; bars whose key has one of the values in `lost` are hatched."""

    table: str
    heading: str
    x: str
    column: str = "probability"
    lost: Mapping[str, tuple[str, ...]] = {}
    where: Mapping[str, Any] = {}

    def drawing(self, frame: pd.DataFrame) -> Drawing:
        """How the panel is drawn from its rows."""
        from analyser import plots

        for key, values in self.lost.items():
            frame = frame.assign(lost=frame[key].isin(values))
        lost = "lost" if self.lost else None
        draw = partial(plots.probabilities, frame, x=self.x, heading=self.heading, column=self.column, lost=lost)
        return (WIDTH, HEIGHT), draw


class Fates(NamedTuple):
    """The systems of a comparison side by side, as one figure of its own.

    `table` has the fates, `notes` what is printed below them: `system`, then two columns; `titles` names each system.
    """

    table: str
    notes: str
    titles: Mapping[str, str]


Panel = Curves | Cells | Bars | Fates


def picture_of(result: MoraleResult) -> Figure:
    """The picture of an answer, under a title that names the system and the question.

    Examples
    --------
    >>> from analyser import morale
    >>> figure = picture_of(morale.legion(courage=1, tokens=3))
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['Without a commander, percent', 'Tokens after the rally step, without a commander, percent']
    >>> figure.texts[0].get_text()
    'Star Wars: Legion: courage = 1, tokens = 3'
    """
    from analyser.plots import fates_by_system
    from analyser.plots.look import house_style, tiled_axes

    first = result.panels[0]
    if isinstance(first, Fates):
        notes: dict[str, list[str]] = {system: [] for system in first.titles}
        for row in result.to_frame(first.notes).to_numpy().tolist():
            notes[row[0]].append(": ".join(map(str, row[1:])))
        below = {system: "\n".join(lines) for system, lines in notes.items()}
        figure = fates_by_system(result.to_frame(first.table), titles=first.titles, notes=below)
    else:
        drawings = [_drawing(result, panel) for panel in result.panels]
        with house_style():
            all_axes = tiled_axes([size for size, _ in drawings])
            for axes, (_, draw) in zip(all_axes, drawings):
                draw(ax=axes)
        figure = all_axes[0].figure  # type: ignore[assignment]
    _write_above(figure, result.caption(int(figure.get_figwidth() * CHARACTERS_AN_INCH)))
    return figure


def _write_above(figure: Figure, lines: list[str]) -> None:
    """Make room for a title at the top of a figure, and write it there."""
    from analyser.plots.look import MARGIN, TITLE_POINTS, house_style

    width, before = figure.get_size_inches()
    height = before + LINE * len(lines)
    figure.set_size_inches(width, height)
    for axes in figure.axes:
        left, bottom, right, top = axes.get_position().extents
        axes.set_position((left, bottom * before / height, right - left, (top - bottom) * before / height))
    with house_style():
        place = MARGIN / width, 1 - MARGIN / height
        figure.text(*place, "\n".join(lines), size=TITLE_POINTS, va="top", parse_math=False)


def draw_first(result: MoraleResult, axes: Axes) -> Axes:
    """Draw the first panel of an answer, under a title that names the system and the question."""
    from analyser.results.base import captioned

    panel = result.panels[0]
    if isinstance(panel, Fates):
        raise InputError("a comparison is a figure of its own", where="ax", allowed="left out")
    _drawing(result, panel)[1](ax=axes)
    return captioned(axes, [*result.caption(), axes.get_title(loc="left")], fit=False)


def _drawing(result: MoraleResult, panel: Panel) -> Drawing:
    assert not isinstance(panel, Fates)
    frame = result.to_frame(panel.table)
    for key, value in panel.where.items():
        frame = frame[frame[key] == value]
    return panel.drawing(frame)
