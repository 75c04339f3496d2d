"""Drawing in two processes: this one from the first picture on, a helper from the last one back, until they meet."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analyser.report.collecting import rarely_collected
from analyser.report.pictures import Plan, draw, is_drawn

WORTH_A_HELPER = 12  # pictures; for fewer, starting a process takes longer than it saves


class Studio(NamedTuple):
    """Where the pictures of a report are made.

    Attributes
    ----------
    figures : Path
        The tidy table that they show, in a file.
    folder : Path
        Of the report.
    scratch : Path
        For files that are not whole yet.
    """

    figures: Path
    folder: Path
    scratch: Path


def draw_all(plans: Sequence[Plan], frame: pd.DataFrame, studio: Studio, told: Callable[[], None]) -> None:
    """Draw every picture that is not there yet; `frame` is what `studio.figures` holds.

    `told` is called before each picture.
    """
    for plan in plans:
        told()
        if not is_drawn(plan, studio.folder):
            draw(plan, frame, studio.folder, studio.scratch)


@contextmanager
def helped(plans: Sequence[Plan], studio: Studio, *, processes: int) -> Iterator[None]:
    """Inside this a second process, if there may be one, draws `plans` from the last to the first.

    A picture appears whole, so it does not matter who draws it, nor if now and then both do; if the helper fails, this
    process draws all of them and meets the same trouble.
    """
    process = _started(plans, studio) if processes > 1 and len(plans) >= WORTH_A_HELPER else None
    try:
        yield
    finally:
        if process is not None:
            process.kill()
            process.wait()


def _started(plans: Sequence[Plan], studio: Studio) -> subprocess.Popen[bytes] | None:
    """The helper, in a session of its own so that Ctrl-C reaches this process alone; None if there can be none."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment, start_new_session=True,
        )  # fmt: skip
    except OSError:
        return None
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(pickle.dumps((plans, studio, os.getpid())))
    return process


def help_drawing(plans: Sequence[Plan], studio: Studio, employer: int) -> None:
    """What the helper does, for as long as its employer, a process number, lives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    frame = pd.read_parquet(studio.figures)
    with rarely_collected():
        for plan in reversed(plans):
            if os.getppid() != employer:
                return
            if not is_drawn(plan, studio.folder):
                draw(plan, frame, studio.folder, studio.scratch)


if __name__ == "__main__":
    help_drawing(*pickle.load(sys.stdin.buffer))
