"""How far a report has come, counted in the time that each part takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from analyser.comparisons.matchups import Progress
from analyser.report.interrupts import Interrupts
from analyser.report.pictures import Plan
from analyser.situations import Situation

# Microseconds, as measured on one core of a machine of 2024. Only their proportions count, for the time left.
A_FIGURE = {"ranged": 10, "charge": 380, "duel": 1_750}
A_LINE_OF_TABLES, A_LINE_OF_PAGE = 30, 35
A_PICTURE, A_CELL = 350_000, 400


class Costs(NamedTuple):
    """What the parts of a report cost, in microseconds."""

    figures: int
    tables: int
    pictures: int
    page: int


def costs(figures: int, lines: int, plans: Sequence[Plan], processes: int) -> Costs:
    """What is left to do of a report.

    Parameters
    ----------
    figures : int
        What the figures that are missing cost one process, in microseconds.
    lines : int
        Of the table.
    plans : sequence of Plan
        The pictures that are yet to be drawn.
    processes : int
        That work out and draw.
    """
    return Costs(
        figures=figures // processes,
        tables=lines * A_LINE_OF_TABLES,
        pictures=cost_of_pictures(plans) // processes,
        page=lines * A_LINE_OF_PAGE,
    )


def cost_of_pairs(situation: Situation, pairs: int) -> int:
    """What it costs one process to work out so many pairs in a situation, in microseconds."""
    return A_FIGURE[situation.kind] * pairs


def cost_of_pictures(plans: Sequence[Plan]) -> int:
    """What it costs one process to draw them, in microseconds."""
    return sum(A_PICTURE + A_CELL * plan.cells for plan in plans)


class Pace:
    """Tells how much is done, and heeds Ctrl-C whenever it does."""

    def __init__(self, progress: Progress | None, total: int, interrupts: Interrupts) -> None:
        self._progress = progress
        self._total = total
        self._interrupts = interrupts
        self._finished = 0

    def at(self, part: int) -> None:
        """So much of the present part is done.

        Raises
        ------
        KeyboardInterrupt
            Somebody has pressed Ctrl-C.
        """
        self._interrupts.heed()
        if self._progress is not None:
            self._progress(self._finished + part, self._total)

    def finish(self, part: int) -> None:
        """The present part is done; it cost so much."""
        self.at(part)
        self._finished += part
