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

from analyser.cli.command_base import half_minutely, is_quiet
from analyser.common.cache import Cache

T = TypeVar("T")
_TICK = 0.1  # seconds
NOTHING = "nothing was written"
KEPT = "finished work is cached; run the same command again to resume"


def waited_for(work: Callable[[], T], what: str = "") -> T:
    """Run `work` in a thread and return its result; after a second a terminal shows `what` and the elapsed time.

    Elsewhere it writes a line every half minute.

    Compiled kernels and the compiler do not react to signals, but the waiting thread does at once.
    """
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # see `progress_bar`
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    silent = True if is_quiet() or not what else None
    look = f"{what}: {{elapsed}}"
    log = half_minutely()
    with tqdm(file=sys.stderr, leave=False, bar_format=look, delay=1.0, miniters=1, disable=silent) as bar:
        while not wait([future], _TICK).done:
            bar.update()
            if what:
                log(f"still {what}")
    return future.result()


@contextmanager
def told_when_stopped(is_kept: bool = True) -> Iterator[None]:
    """Print one line after Ctrl-C inside this context: what is kept in the cache of fights, if it is on."""
    try:
        yield
    except KeyboardInterrupt:
        state = KEPT if is_kept and Cache("fights").is_on else NOTHING
        click.echo(f"stopped: {state}", err=True)
        raise
