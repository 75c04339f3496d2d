"""Simulations on several threads: trials are divided into chunks, and consecutive chunks form tasks for threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from threading import Lock, get_ident
from typing import NamedTuple

from analyser.common.method_settings import MOST_THREADS

Report = Callable[[int], None]  # receives the number of trials so far
CHUNK_TRIALS = 1 << 16
MOST_CHUNKS = 32  # most chunks of a task: a higher limit delays interrupts, a lower one needs more kernel calls


class Task(NamedTuple):
    """Chunks from `first` to `last` - 1, of `chunk_trials` trials each."""

    first: int
    last: int
    chunk_trials: int

    @property
    def trials(self) -> int:
        """Total trials."""
        return (self.last - self.first) * self.chunk_trials


def tasks_of(first_chunk: int, trials: int, threads: int, chunk: int = CHUNK_TRIALS) -> Iterator[Task]:
    """Yield tasks that divide `trials` trials into chunks. Later tasks are smaller, so that all threads end together.

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
    """Tasks shared by several threads. The thread that created the queue calls `report` with the trials so far."""

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
        """Stop the threads after their current tasks."""
        with self._lock:
            self._tasks = iter(())


class Chunks(NamedTuple):
    """Trials divided into chunks of `size`, which are numbered from `first`; the last chunk may be smaller."""

    trials: int
    size: int = CHUNK_TRIALS
    first: int = 0
    least_per_thread: int = 1  # number of chunks that justifies another thread


@cache
def _thread_pool() -> ThreadPoolExecutor:
    """Return the thread pool, which is reused: starting a thread takes as long as simulating 100,000 attacks."""
    return ThreadPoolExecutor(MOST_THREADS, "analyser")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_thread_pool.cache_clear)  # threads do not survive a fork


def run_chunks(chunks: Chunks, work: Callable[[Queue], None], threads: int = 1, report: Report | None = None) -> None:
    """Run a simulation on up to `threads` threads. Each calls `work` once, and `work` runs tasks until none is left."""
    other_threads = max(min(threads - 1, (chunks.trials - 1) // (chunks.size * chunks.least_per_thread)), 0)
    queue = Queue(tasks_of(chunks.first, chunks.trials, other_threads + 1, chunks.size), report)
    futures = [_thread_pool().submit(work, queue) for _ in range(other_threads)]
    try:  # an interrupt, or an error of `report`, stops all threads
        work(queue)
    finally:
        queue.stop()
        wait(futures)
    for future in futures:
        future.result()
    if report is not None:
        report(chunks.trials)
