"""How far a report has come, counted in the time that each part takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from analyser.comparisons.matchups import Progress
from analyser.report.interrupts import Interrupts
from analyser.report.pictures import Plan

# Microseconds, as measured on one core of a machine of 2024. Only their proportions count, for the time left.
A_FIGURE, A_LINE_OF_TABLES, A_LINE_OF_PAGE = 20, 30, 35
A_PICTURE, A_CELL = 350_000, 400


class Costs(NamedTuple):
    """What the parts of a report cost, in microseconds."""

    figures: int
    tables: int
    pictures: int
    page: int


def costs(pairs: int, situations: int, missing: int, plans: Sequence[Plan], processes: int) -> Costs:
    """What is left to do of a report of so many pairs of loadouts.

    Parameters
    ----------
    pairs, situations : int
    missing : int
        Situations that are yet to be worked out.
    plans : sequence of Plan
        The pictures that are yet to be drawn.
    processes : int
        That draw them.
    """
    lines = pairs * situations
    return Costs(
        figures=pairs * missing * A_FIGURE,
        tables=lines * A_LINE_OF_TABLES,
        pictures=cost_of_pictures(plans) // processes,
        page=lines * A_LINE_OF_PAGE,
    )


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
