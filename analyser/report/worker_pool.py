"""Run jobs in this process or in worker processes, and cache their contents; Ctrl-C takes effect between jobs.

The content of a job (the bytes that it returns) depends only on its arguments, so any process can run it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from analyser.common import interrupts
from analyser.common.cache import Cache, program_digest

ResultT = TypeVar("ResultT")
COST_PER_PROCESS = 6_000_000  # microseconds of work that justify another process
MOST_PROCESSES = 4  # processes of a pool
_INTERRUPTED = threading.Event()  # set if Ctrl-C was recorded in the main process
_killed: list[Any] = []  # threads of killed pools, kept so that the main thread frees them at exit


class Job(NamedTuple):
    """A job: cost in microseconds, key in the cache (empty if not cached), function and arguments."""

    cost: int
    key: str
    work: Callable[..., bytes]
    arguments: tuple[Any, ...]

    def run(self) -> bytes:
        """Return the content of the job."""
        return self.work(*self.arguments)


class Jobs:
    """Jobs of one kind; `left` is the total cost of the jobs that are not in the cache."""

    def __init__(self, kind: str, jobs: Sequence[Job]) -> None:
        self._jobs, self._cache = jobs, Cache(kind)
        self._contents = [self._cache.read(job.key) if job.key else None for job in jobs]
        self.left = sum(job.cost for job, content in zip(jobs, self._contents) if content is None)

    def contents(self, threads: int, executor: Executor | None, tell: Callable[[int], None]) -> list[bytes]:
        """Return the content of each job, run or cached; call `tell` with the cost of the jobs run so far."""
        missing = [number for number, content in enumerate(self._contents) if content is None]

        def store(index: int, content: bytes) -> None:
            self._contents[missing[index]] = content
            if key := self._jobs[missing[index]].key:
                self._cache.write(key, content)

        with own_processes(1 if executor is not None else processes_for(self.left, threads)) as processes:
            run_jobs([self._jobs[number] for number in missing], executor or processes, tell, store)
        return [content for content in self._contents if content is not None]


def processes_for(cost: int, threads: int) -> int:
    """Return the number of processes for work of this cost."""
    return max(1, min(threads, MOST_PROCESSES, 1 + cost // COST_PER_PROCESS))


class Processes(ProcessPoolExecutor):
    """Worker processes that do not run the caller's script, ignore Ctrl-C, and end with the main process."""

    def __init__(self, workers: int) -> None:
        with isolated_start():  # the executor starts a resource tracker process
            super().__init__(workers, multiprocessing.get_context("spawn"), initialise_worker)

    def submit(self, work: Callable[..., ResultT], /, *arguments: Any, **keys: Any) -> Future[ResultT]:
        """Submit a job, which may start a process."""
        with isolated_start():
            return super().submit(work, *arguments, **keys)

    def kill(self) -> None:
        """Kill all workers at once; unfinished jobs are lost.

        The executor's thread stays referenced, because freeing it while this process ends would leak a semaphore.
        """
        _killed.append(self._executor_manager_thread)
        for process in list((self._processes or {}).values()):
            process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down as usual; Ctrl-C during the wait kills running jobs.

        This waits for the processes, not for the thread that manages them. Python before 3.13 marks that thread as
        ended if the wait is interrupted, and this process would hang at exit.
        """
        processes, thread = list((self._processes or {}).values()), self._executor_manager_thread
        super().shutdown(wait=False, cancel_futures=cancel_futures)
        try:
            for process in processes if wait else ():
                process.join()
        except KeyboardInterrupt:
            _killed.append(thread)
            for process in processes:
                process.kill()
            raise


@contextmanager
def own_processes(workers: int) -> Iterator[Processes | None]:
    """Yield worker processes, which Ctrl-C kills; None if one worker is enough, or none can start."""
    processes = None
    if workers > 1:
        with suppress(OSError):
            processes = Processes(workers)
    try:
        yield processes
    except KeyboardInterrupt:  # do not wait for running jobs
        if processes is not None:
            processes.kill()
        raise
    finally:
        if processes is not None:
            processes.shutdown(cancel_futures=True)


def run_jobs(
    jobs: Sequence[Job],
    executor: Executor | None,
    tell: Callable[[int], None],
    store: Callable[[int, bytes], None],
) -> None:
    """Run all jobs. For each, call `store` with its index and content, then `tell` with the cost done so far.

    A job that has failed in the executor, or cannot be submitted, runs in this process, and so raises its error here.
    """
    futures = {_submit(executor, job): number for number, job in enumerate(jobs)}
    done = 0
    try:
        for future in as_completed(futures):
            number = futures.pop(future)
            content = _content(future)
            store(number, jobs[number].run() if content is None else content)
            done += jobs[number].cost
            tell(done)
    except KeyboardInterrupt:
        for future, number in futures.items():
            if future.done() and (content := _content(future)) is not None:
                store(number, content)
        raise
    finally:
        for future in () if isinstance(executor, Processes) else futures:  # `own_processes` cancels its own jobs
            future.cancel()


def _submit(executor: Executor | None, job: Job) -> Future[bytes]:
    """Submit a job; return a failed future if there is no executor or it cannot take the job."""
    with suppress(OSError, RuntimeError):  # no worker can start, or all have ended
        if executor is not None:
            return executor.submit(run_if_same_version, program_digest(), job)
    future: Future[bytes] = Future()
    future.set_exception(CancelledError())
    return future


def run_if_same_version(version: str, job: Job) -> bytes:
    """Run a job; RuntimeError if this process runs another version of the program, whose content could differ."""
    if program_digest() != version:
        raise RuntimeError("another version of the program")
    return job.run()


def _content(future: Future[bytes]) -> bytes | None:
    """Wait for the content of a job and return it; None if the job was lost or failed."""
    try:
        return future.result()
    except (Exception, CancelledError):  # this process runs the job again, which raises the error here
        return None


@contextmanager
def isolated_start() -> Iterator[None]:
    """In this context, processes start without the caller's script and current folder, and ignore Ctrl-C."""
    main, safe_path = sys.modules["__main__"], os.environ.get("PYTHONSAFEPATH")
    sys.modules["__main__"] = ModuleType("__main__")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        with interrupts_delayed():
            yield
    finally:
        sys.modules["__main__"] = main
        if safe_path is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = safe_path


@contextmanager
def interrupts_delayed() -> Iterator[None]:
    """Delay Ctrl-C until the end of this context, and block it in processes that start there."""
    can_block = hasattr(signal, "pthread_sigmask")  # not on Windows
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if can_block else set()
    in_main_thread = threading.current_thread() is threading.main_thread()
    signals: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: signals.append(number)) if in_main_thread else None
    try:
        yield
    finally:
        if in_main_thread:
            signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if signals:
            signal.raise_signal(signal.SIGINT)


def initialise_worker() -> None:
    """Make this worker process end when the main process ends for any reason."""
    main_process = multiprocessing.parent_process()
    assert main_process is not None

    def end_with_main_process() -> None:
        main_process.join()
        signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=end_with_main_process, daemon=True).start()


def raise_if_interrupted(*_: object) -> None:
    """Raise KeyboardInterrupt if Ctrl-C was recorded by :func:`interrupts_recorded`; long jobs call this often."""
    if _INTERRUPTED.is_set():
        raise KeyboardInterrupt


@contextmanager
def interrupts_recorded() -> Iterator[Callable[[], None]]:
    """Record Ctrl-C in this context, and yield a function that raises it; a second Ctrl-C is raised at once.

    Python drops exceptions in callbacks and destructors, so an immediate KeyboardInterrupt could be lost. The context
    does nothing if other code handles Ctrl-C, or outside the main thread.

    >>> with interrupts_recorded() as raise_if_interrupted:
    ...     signal.raise_signal(signal.SIGINT)  # Ctrl-C
    ...     try:
    ...         raise_if_interrupted()
    ...     except KeyboardInterrupt:
    ...         print("stopped")
    stopped
    """
    _INTERRUPTED.clear()

    def record(*_: object) -> None:
        raise_if_interrupted()
        _INTERRUPTED.set()

    in_main_thread = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    replaces_handler = in_main_thread and before in (signal.default_int_handler, interrupts.interrupt)
    if replaces_handler:
        signal.signal(signal.SIGINT, record)
    try:
        yield raise_if_interrupted
    finally:
        _INTERRUPTED.clear()
        if replaces_handler:
            signal.signal(signal.SIGINT, before)
