"""A second process that helps with a report."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

_PACKAGE = Path(__file__).parents[1]
_START = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("analyser", {init!r})
sys.modules["analyser"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["analyser"])
sys.path += {paths!r}
"""
_RUN = "import runpy; runpy.run_module('analyser.report.worker_main', run_name='__main__')"


def starting_code(then: str = _RUN) -> str:
    """What the helper executes: the same package as here, whatever lies in the folder that the command is run in.

    That folder is no place of modules (the interpreter is started with ``-P``); what else this process imports from
    comes after the interpreter's own places.
    """
    init = Path(__file__).parents[1] / "__init__.py"
    return _START.format(init=str(init), paths=[path for path in sys.path if path]) + then


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
    with suppress(OSError, pickle.PicklingError), TemporaryFile() as given:  # a pipe would make this process wait
        pickle.dump((os.getpid(), *work), given)
        given.seek(0)
        return subprocess.Popen(
            [sys.executable, "-P", "-c", starting_code()],
            stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    return None


def work_given() -> tuple[Any, ...]:
    """In the helper: the number of the process that it helps, and the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return tuple(pickle.load(sys.stdin.buffer))


def is_alone(employer: int) -> bool:
    """In the helper: whether the process that it helps is gone."""
    return os.getppid() != employer


NEW_OBJECTS = 50_000  # before they are looked through; Python's own figure is hundreds


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Inside this, rings of dead objects are looked for less often, and never among those that are there already.

    A picture is made of thousands of objects that refer to each other: to look through all that are alive, again and
    again, takes a twelfth of the time of a report.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
