"""A second process that helps with a report."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import Any

_MODULE = "analyser.report.helping"


@contextmanager
def helped(*work: Any) -> Iterator[None]:
    """Inside this a second process works too; it finds `work` in its standard input (:func:`work_given`).

    It is stopped at the end. What both do appears whole, so that it does not matter who does it, nor if now and then
    both do; if there can be no helper, or it fails, this process does all of it and meets the same trouble.
    """
    process = _started(work)
    try:
        yield
    finally:
        if process is not None:
            process.kill()
            process.wait()


def _started(work: tuple[Any, ...]) -> subprocess.Popen[bytes] | None:
    """The helper, in a session of its own so that Ctrl-C reaches this process alone; None if there can be none."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with suppress(OSError, pickle.PicklingError), TemporaryFile() as given:  # a pipe would make this process wait
        pickle.dump((os.getpid(), *work), given)
        given.seek(0)
        return subprocess.Popen(
            [sys.executable, "-m", _MODULE],
            stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment, start_new_session=True,
        )  # fmt: skip
    return None


def work_given() -> tuple[Any, ...]:
    """In the helper: the number of the process that it helps, and the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return tuple(pickle.load(sys.stdin.buffer))


def is_alone(employer: int) -> bool:
    """In the helper: whether the process that it helps is gone."""
    return os.getppid() != employer
