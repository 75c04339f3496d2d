"""How far a report has come, counted in the time that each part takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from analyser.comparisons.matchups import Progress
from analyser.report.interrupts import Interrupts
from analyser.report.pictures import Plan
from analyser.situations import Situation

# Microseconds, as measured on one core of a machine of 2024. Only their proportions count, for the time left.
A_FIGURE = {"ranged": 20, "charge": 400, "duel": 1_000}
A_LINE_OF_TABLES, A_LINE_OF_PAGE = 30, 35
A_PICTURE, A_CELL = 350_000, 400


class Costs(NamedTuple):
    """What the parts of a report cost, in microseconds."""

    figures: int
    tables: int
    pictures: int
    page: int


def costs(pairs: int, lines: int, missing: Sequence[Situation], plans: Sequence[Plan], processes: int) -> Costs:
    """What is left to do of a report.

    Parameters
    ----------
    pairs, lines : int
        Of loadouts; of the table.
    missing : sequence of Situation
        Those that are yet to be worked out.
    plans : sequence of Plan
        The pictures that are yet to be drawn.
    processes : int
        That draw them.
    """
    return Costs(
        figures=cost_of_figures(missing, pairs),
        tables=lines * A_LINE_OF_TABLES,
        pictures=cost_of_pictures(plans) // processes,
        page=lines * A_LINE_OF_PAGE,
    )


def cost_of_figures(situations: Sequence[Situation], pairs: int) -> int:
    """What it costs to work out so many pairs in each of them, in microseconds."""
    return sum(A_FIGURE[each.kind] * pairs for each in situations)


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
