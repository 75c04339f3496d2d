"""Notes and progress on standard error, and long work that reacts to Ctrl-C."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, TypeVar

import click

T = TypeVar("T")
HALF_MINUTE = 30.0  # seconds
_ABBREVIATED_FROM = 10_000  # from this total, numbers are shown as 12.3k
_POLL_SECONDS = 0.1
NOTHING_WRITTEN = "nothing was written"
FINISHED_WORK_CACHED = "finished work is cached; run the same command again to resume"


def is_quiet() -> bool:
    """Return True if the running command has the option ``--quiet``."""
    context = click.get_current_context(silent=True)
    return bool(context and context.params.get("quiet"))


def note(text: str, kind: str = "note") -> None:
    """Print a note, or a message of another `kind`, on standard error."""
    if not is_quiet():
        click.echo(f"{kind}: {text}", err=True)


def _progress_logger() -> Callable[[str], None]:
    """Return a function that prints progress at most every half minute, if standard error is not a terminal."""
    is_silent, start = is_quiet() or sys.stderr.isatty(), time.monotonic()  # read here: threads have no click context
    last_time = start

    def log(text: str) -> None:
        nonlocal last_time
        now = time.monotonic()
        if not is_silent and now - last_time >= HALF_MINUTE:
            last_time = now
            click.echo(f"note: {text} after {now - start:.0f} s", err=True)

    return log


def _bar(bar_format: str, **more: Any) -> Any:
    """Return a progress bar of tqdm, shown on a terminal only; it is drawn at every step."""
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # tqdm needs no monitor thread, because every step is drawn
    settings: dict[str, Any] = {"file": sys.stderr, "leave": False, "miniters": 1, "disable": is_quiet() or None}
    return tqdm(bar_format=bar_format, **settings | more)


@contextmanager
def progress_bar(noun: str = "", *, delay: float = 0.0) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to call with (done, total); a terminal shows a bar after `delay` seconds.

    Without a terminal a line appears every half minute. `noun` is the plural of what is counted, such as "battles".
    Without a noun the bar shows the elapsed time, and estimates the remaining time from the mean pace.
    """
    counts = f"{{n_fmt}} of {{total_fmt}} {noun}" if noun else "{elapsed} elapsed"
    log = _progress_logger()
    pace: dict[str, Any] = {} if noun else {"smoothing": 0}
    with _bar(f"{{percentage:3.0f}}%|{{bar}}| {counts}, {{remaining}} remaining", total=1, delay=delay, **pace) as bar:

        def progress(done: int, total: int) -> None:
            bar.total, bar.unit_scale = total, total >= _ABBREVIATED_FROM
            bar.update(done - bar.n)
            log(f"{done:,} of {total:,} {noun}" if noun else f"{100 * done // max(total, 1)}% done")

        yield progress


def run_in_thread(work: Callable[[], T], gerund: str) -> T:
    """Return the result of `work`, run in a thread so that Ctrl-C ends the command, even in compiled code.

    After a second a terminal shows `gerund`, such as "computing", and the elapsed time; elsewhere a line is printed
    every half minute.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()  # a pool would wait for it at exit
    log = _progress_logger()
    with _bar(f"{gerund}: {{elapsed}}", delay=1.0) as bar:
        while not wait([future], _POLL_SECONDS).done:
            bar.update()
            log(f"still {gerund}")
    return future.result()


@contextmanager
def message_when_stopped(is_cached: bool = True) -> Iterator[None]:
    """After Ctrl-C inside this context, print whether finished work is cached."""
    from analyser.common.cache import Cache

    try:
        yield
    except KeyboardInterrupt:
        state = FINISHED_WORK_CACHED if is_cached and Cache("fights").is_on else NOTHING_WRITTEN
        click.echo(f"stopped: {state}", err=True)
        raise
