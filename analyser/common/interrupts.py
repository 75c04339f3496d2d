"""Reliable Ctrl-C: KeyboardInterrupt is raised again until it is handled.

A single KeyboardInterrupt can be lost: numpy drops it during an attribute lookup, as do the compiler and destructors.
The work would then continue to its end.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

_AGAIN = 0.3  # seconds between repeats
_come: list[int] = []  # numbers of the signals received


def listen() -> None:
    """Repeat each later Ctrl-C until :func:`heard` is called; only for the main thread of the analyser's own process.

    On Windows, which has no such timers, it is raised once.
    """
    _come.clear()
    signal.signal(signal.SIGINT, interrupt)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _interrupt_again)


def heard() -> None:
    """Stop repeating the Ctrl-C, because it has been handled."""
    if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) is _interrupt_again:
        signal.setitimer(signal.ITIMER_REAL, 0)


def has_come() -> bool:
    """Return True after a Ctrl-C, even a lost one, which may be the cause of a later error."""
    return bool(_come)


def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """Raise KeyboardInterrupt, now and repeatedly until :func:`heard`; the signal handler."""
    _come.append(number)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
    raise KeyboardInterrupt


def _interrupt_again(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """Raise KeyboardInterrupt again, unless one is being handled, such as in a clean-up."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return
        error = error.__context__
    raise KeyboardInterrupt
