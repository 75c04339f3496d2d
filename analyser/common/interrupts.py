"""Ctrl-C that cannot be lost: raised again until it is handled.

An error that is raised wherever the signal falls can be dropped: by numpy while it looks for an attribute, by the
compiler, in a destructor. The work would then go on to its end.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

_AGAIN = 0.3  # seconds
_come: list[int] = []  # the numbers of signals


def listen() -> None:
    """From now on a Ctrl-C comes again until :func:`heard` is called; for the main thread of a process of our own.

    Where there are no timers (Windows) it comes once.
    """
    _come.clear()
    signal.signal(signal.SIGINT, interrupt)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _interrupt_again)


def heard() -> None:
    """Say that the work ends by this Ctrl-C, or goes on without what it stopped."""
    if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) is _interrupt_again:
        signal.setitimer(signal.ITIMER_REAL, 0)


def has_come() -> bool:
    """Return True after a Ctrl-C, even a lost one: an error that follows may be its work."""
    return bool(_come)


def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """Raise KeyboardInterrupt, now and until it is heard: the handler of the signal."""
    _come.append(number)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
    raise KeyboardInterrupt


def _interrupt_again(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """Raise it again, unless it is on its way and work is cleared up."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return
        error = error.__context__
    raise KeyboardInterrupt
