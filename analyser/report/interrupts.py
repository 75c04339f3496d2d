"""Ctrl-C, heeded between two steps of long work and never in the middle of one."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


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
