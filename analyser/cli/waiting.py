"""Long work that reacts to Ctrl-C: it runs in a thread, while the main thread shows the elapsed time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

import click

from analyser.cli.command_base import is_quiet, progress_logger
from analyser.common.cache import Cache

T = TypeVar("T")
_POLL_SECONDS = 0.1
NOTHING_WRITTEN = "nothing was written"
FINISHED_WORK_CACHED = "finished work is cached; run the same command again to resume"


def run_in_thread(work: Callable[[], T], gerund: str = "") -> T:
    """Return the result of `work`, run in a thread so that Ctrl-C ends the command, even in compiled code.

    After a second a terminal shows `gerund`, such as "computing", and the elapsed time; elsewhere a line is printed
    every half minute.
    """
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # its thread is not needed: see `command_base.progress_bar`
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    silent = True if is_quiet() or not gerund else None
    bar_format = f"{gerund}: {{elapsed}}"
    log = progress_logger()
    with tqdm(file=sys.stderr, leave=False, bar_format=bar_format, delay=1.0, miniters=1, disable=silent) as bar:
        while not wait([future], _POLL_SECONDS).done:
            bar.update()
            if gerund:
                log(f"still {gerund}")
    return future.result()


@contextmanager
def message_when_stopped(is_cached: bool = True) -> Iterator[None]:
    """After Ctrl-C inside this context, print whether finished work is cached."""
    try:
        yield
    except KeyboardInterrupt:
        state = FINISHED_WORK_CACHED if is_cached and Cache("fights").is_on else NOTHING_WRITTEN
        click.echo(f"stopped: {state}", err=True)
        raise
