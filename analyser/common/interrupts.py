"""Reliable Ctrl-C: KeyboardInterrupt is raised again until it is handled.

Numpy drops a KeyboardInterrupt during an attribute lookup; the compiler and destructors drop it, too. Raised only once,
it could be lost, and the work would continue.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

_INTERVAL = 0.3  # seconds between repeats
_received: list[int] = []  # numbers of the signals received


def start_repeating() -> None:
    """Repeat each later Ctrl-C until :func:`stop_repeating`; only the command line's main thread may call this.

    Windows has no timers for this; there a Ctrl-C is raised once.
    """
    _received.clear()
    signal.signal(signal.SIGINT, interrupt)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _interrupt_again)


def stop_repeating() -> None:
    """Stop repeating the Ctrl-C, because it has been handled."""
    if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) is _interrupt_again:
        signal.setitimer(signal.ITIMER_REAL, 0)


def was_received() -> bool:
    """Return True if a Ctrl-C came. Even a lost interrupt may be the cause of a later error."""
    return bool(_received)


def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """Signal handler: raise KeyboardInterrupt now, and repeatedly until :func:`stop_repeating`."""
    _received.append(number)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, _INTERVAL, _INTERVAL)
    raise KeyboardInterrupt


def _interrupt_again(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """Raise KeyboardInterrupt again, unless one is being handled at the moment."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return
        error = error.__context__
    raise KeyboardInterrupt
