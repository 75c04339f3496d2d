"""A sample in chunks, and the chunks in tasks that threads take one after the other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from threading import Lock, get_ident
from typing import NamedTuple

from analyser.common.sampling import MOST_THREADS

Report = Callable[[int], None]
CHUNK_TRIALS = 1 << 16
MOST_CHUNKS = 32  # a task; the least that hides the cost of calling a kernel, and an interrupt is heeded after it


class Task(NamedTuple):
    """Chunks from `first` up to, not including, `last`, of `chunk_trials` trials each."""

    first: int
    last: int
    chunk_trials: int

    @property
    def trials(self) -> int:
        """Trials in all."""
        return (self.last - self.first) * self.chunk_trials


def tasks_of(first_chunk: int, trials: int, threads: int, chunk: int = CHUNK_TRIALS) -> Iterator[Task]:
    """The tasks that make `trials` trials, `chunk` of them a chunk; a last chunk of fewer is a task of its own.

    They grow smaller, so that all threads end at about the same time; each call of a kernel costs 8 microseconds.

    Examples
    --------
    >>> [task.last - task.first for task in tasks_of(0, 40 * CHUNK_TRIALS, threads=2)]
    [20, 10, 5, 2, 1, 1, 1]
    """
    whole, rest = divmod(trials, chunk)
    first, end = first_chunk, first_chunk + whole
    while first < end:
        last = first + min(max((end - first) // threads, 1), MOST_CHUNKS)
        yield Task(first, last, chunk)
        first = last
    if rest:
        yield Task(end, end + 1, rest)


class Queue:
    """Tasks that several threads take from, each task taken once.

    `report` receives the trials done so far after each task of the thread that made the queue.
    """

    def __init__(self, tasks: Iterator[Task], report: Report | None = None) -> None:
        self._tasks, self._report = tasks, report
        self._lock, self._owner = Lock(), get_ident()
        self._done = 0

    def __iter__(self) -> Iterator[Task]:
        while True:
            with self._lock:
                task = next(self._tasks, None)
            if task is None:
                return
            yield task
            with self._lock:
                self._done += task.trials
            if self._report is not None and get_ident() == self._owner:
                self._report(self._done)

    def stop(self) -> None:
        """Let the threads end after the task that each is at."""
        with self._lock:
            self._tasks = iter(())


class Chunks(NamedTuple):
    """So many trials, in chunks of `size` from the chunk `first` on; the last may be smaller.

    A thread is worth its start for `least` chunks or more.
    """

    trials: int
    size: int = CHUNK_TRIALS
    first: int = 0
    least: int = 1


@cache
def _helpers() -> ThreadPoolExecutor:
    """Threads that wait for work: to start one takes as long as 100,000 attacks."""
    return ThreadPoolExecutor(MOST_THREADS, "analyser")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)  # a forked process has none of them


def play(chunks: Chunks, work: Callable[[Queue], None], threads: int = 1, report: Report | None = None) -> None:
    """Play a sample on so many threads, this one among them.

    `work`, which is called once on each, does the tasks of a queue until there are none. `report` receives the trials
    played so far, now and then, and at the end.
    """
    helpers = max(min(threads - 1, (chunks.trials - 1) // (chunks.size * chunks.least)), 0)
    queue = Queue(tasks_of(chunks.first, chunks.trials, helpers + 1, chunks.size), report)
    helping = [_helpers().submit(work, queue) for _ in range(helpers)]
    try:  # what this thread is told by an interrupt or by `report` ends the work
        work(queue)
    finally:
        queue.stop()
        wait(helping)
    for helper in helping:
        helper.result()
    if report is not None:
        report(chunks.trials)
