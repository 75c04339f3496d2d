"""A sample in chunks, and the chunks in tasks that threads take one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

CHUNK_TRIALS = 1 << 17
MOST_CHUNKS = 16  # a task; the least that hides the cost of calling a kernel, and an interrupt is heeded after it
_TASKS_LEFT = 4  # a thread, or tasks grow smaller, so that all threads end at about the same time


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

    Examples
    --------
    >>> [task.last - task.first for task in tasks_of(0, 40 * CHUNK_TRIALS, threads=1)]
    [10, 7, 5, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1]
    """
    whole, rest = divmod(trials, chunk)
    first, end = first_chunk, first_chunk + whole
    while first < end:
        last = first + min(max((end - first) // (_TASKS_LEFT * threads), 1), MOST_CHUNKS)
        yield Task(first, last, chunk)
        first = last
    if rest:
        yield Task(end, end + 1, rest)


class Queue:
    """Tasks that several threads take from, each task taken once.

    Parameters
    ----------
    tasks : iterator of Task
    """

    def __init__(self, tasks: Iterator[Task]) -> None:
        self._tasks = tasks
        self._lock = Lock()

    def __iter__(self) -> Iterator[Task]:
        return self

    def __next__(self) -> Task:
        with self._lock:
            return next(self._tasks)

    def stop(self) -> None:
        """Let the threads end after the task that each is at."""
        with self._lock:
            self._tasks = iter(())


def shared_out(
    work: Callable[[Queue, Callable[[int], None]], None],
    first_chunk: int,
    trials: int,
    threads: int,
    chunk: int,
    report: Callable[[int], None],
) -> None:
    """Share out the tasks of `trials` trials among so many threads, this one among them.

    Parameters
    ----------
    work : callable
        Takes tasks and does them until there are none; told where to report to, which on other threads is nowhere.
    """
    helpers = min(threads - 1, trials // chunk)
    queue = Queue(tasks_of(first_chunk, trials, helpers + 1, chunk))
    with ThreadPoolExecutor(max(helpers, 1)) as pool:
        helping = [pool.submit(work, queue, lambda _: None) for _ in range(helpers)]
        try:  # what this thread is told by an interrupt or by `report` ends the work
            work(queue, report)
        finally:
            queue.stop()
        for helper in helping:
            helper.result()
