"""How far a report has come, counted in the time that each part takes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import NamedTuple

from analyser.analysis.matchups import Progress
from analyser.analysis.situations import Situation
from analyser.report.pictures import Plan

# Microseconds, as measured on one core of a machine of 2024. Only their proportions count, for the time left.
A_FIGURE = {"ranged": 10, "charge": 180, "duel": 1_200}
A_LINE_OF_TABLES, A_LINE_OF_PAGE = 55, 6
A_PICTURE, A_CELL = 170_000, 200
THE_START = 1_000_000  # compiled kernels, the other process
WORTH_A_HELPER = 6_000_000  # for less, starting a second process takes longer than it saves


class Costs(NamedTuple):
    """What the parts of a report cost one process, in microseconds: what is left to do of it, or what is done."""

    start: int = 0
    figures: int = 0
    tables: int = 0
    pictures: int = 0
    page: int = 0

    def time(self, processes: int) -> int:
        """How long it takes so many processes, which share out all but the start and the page."""
        return self.start + (self.figures + self.tables + self.pictures) // processes + self.page


def processes_for(costs: Costs, threads: int) -> int:
    """How many processes are to do it: two at most, and one where it is little."""
    return 2 if threads > 1 and costs.time(1) >= WORTH_A_HELPER else 1


def cost_of_pairs(situation: Situation, pairs: int) -> int:
    """What it costs one process to work out so many pairs in a situation, in microseconds."""
    return A_FIGURE[situation.kind] * pairs


def cost_of_pictures(plans: Sequence[Plan]) -> int:
    """What it costs one process to draw them, in microseconds."""
    return sum(A_PICTURE + A_CELL * plan.cells for plan in plans)


class Pace:
    """Tells how much is done, and heeds Ctrl-C whenever it does.

    Parameters
    ----------
    progress : callable or None
        What is told.
    whole : Costs
        What there is to do.
    processes : int
        That do it.
    interrupts : Interrupts
    drawn : callable
        The microseconds of pictures that are done, by whichever process.
    """

    def __init__(
        self, progress: Progress | None, whole: Costs, processes: int, interrupts: Interrupts, drawn: Callable[[], int]
    ) -> None:  # fmt: skip
        self._progress = progress
        self._whole, self._processes = whole, processes
        self._drawn = drawn
        self._done = Costs()
        self._interrupts = interrupts

    def at(self, **parts: int) -> None:
        """So many microseconds of these parts are done, by their names; of the pictures it knows itself.

        Raises
        ------
        KeyboardInterrupt
            Somebody has pressed Ctrl-C.
        """
        self._interrupts.heed()
        self._done = self._done._replace(**parts)
        if self._progress is not None:
            self._done = self._done._replace(pictures=self._drawn())
            self._progress(self._done.time(self._processes), self._whole.time(self._processes))


class Interrupts:
    """While this is entered Ctrl-C is noted, and :meth:`heed` raises it.

    Raised wherever it falls it can be swallowed: Python drops what is raised in a callback or a destructor that a
    library runs, and the work would go on as if nobody had pressed a key. A second Ctrl-C is raised at once.

    Examples
    --------
    >>> with Interrupts() as interrupts:
    ...     signal.raise_signal(signal.SIGINT)  # Ctrl-C
    ...     try:
    ...         interrupts.heed()
    ...     except KeyboardInterrupt:
    ...         print("stopped")
    stopped
    """

    def __init__(self) -> None:
        self._noted = False
        self._takes_over = False

    def __enter__(self) -> Interrupts:
        in_main_thread = threading.current_thread() is threading.main_thread()
        # Where somebody else handles Ctrl-C, or has it ignored, that stays so.
        if in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._takes_over = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._takes_over:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        if self._noted:
            raise KeyboardInterrupt
        self._noted = True

    def heed(self) -> None:
        """Raise the Ctrl-C that has been noted, if one has.

        Raises
        ------
        KeyboardInterrupt
        """
        if self._noted:
            raise KeyboardInterrupt
