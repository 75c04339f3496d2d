"""Jobs shared between this process and workers, with a cache; Ctrl-C takes effect between jobs.

The content of a job depends only on its arguments, so any process can run it, or two.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from analyser.common import interrupts
from analyser.common.cache import Cache, program

ResultT = TypeVar("ResultT")
WORTH_A_HELPER = 6_000_000  # microseconds of work per process that make starting it worthwhile
MOST_PROCESSES = 4
_NOTED = threading.Event()  # set on Ctrl-C in the main process
NEW_OBJECTS = 50_000  # objects between garbage collections; Python's default is hundreds
_killed: list[Any] = []  # threads of killed pools, kept so that the main thread frees them at exit


class Job(NamedTuple):
    """A job: its cost in microseconds on a typical machine, its key in the cache (or none), and its function."""

    cost: int
    key: str
    work: Callable[..., bytes]
    arguments: tuple[Any, ...]

    def content(self) -> bytes:
        """Run the job in this process, and return its content."""
        return self.work(*self.arguments)


class Jobs:
    """Jobs of one kind, some of which are in the cache.

    Attributes
    ----------
    left : int
        The total cost of jobs that are not in the cache.
    """

    def __init__(self, kind: str, jobs: Sequence[Job]) -> None:
        self._jobs, self._cache = jobs, Cache(kind)
        self._contents = [self._cache.read(job.key) if job.key else None for job in jobs]
        self.left = sum(job.cost for job, content in zip(jobs, self._contents) if content is None)

    def done(self, threads: int, executor: Executor | None, tell: Callable[[int], None]) -> list[bytes]:
        """Return the content of each job; `tell` is called with the cost of the jobs run so far."""
        missing = [number for number, content in enumerate(self._contents) if content is None]

        def keep(place: int, content: bytes) -> None:
            self._contents[missing[place]] = content
            if key := self._jobs[missing[place]].key:
                self._cache.write(key, content)

        with Pool(processes_for(self.left, threads) - 1, executor) as pool:
            pool.run([self._jobs[number] for number in missing], tell, keep)
        return [content for content in self._contents if content is not None]


def processes_for(cost: int, threads: int) -> int:
    """Return the number of processes for work of a cost."""
    return max(1, min(threads, MOST_PROCESSES, 1 + cost // WORTH_A_HELPER))


class _Forgiving(Future[ResultT]):
    """Future that accepts a failure after it was cancelled.

    An executor with a killed process sets an exception on all unfinished futures. On a cancelled one its thread would
    end with a traceback (Python 3.11), and the other futures would never finish.
    """

    def set_exception(self, exception: BaseException | None) -> None:
        with suppress(InvalidStateError):
            super().set_exception(exception)


class Processes(ProcessPoolExecutor):
    """Worker processes that do not run the caller's script, ignore Ctrl-C, and end with the main process."""

    def __init__(self, workers: int) -> None:
        with on_its_own():  # the executor starts a resource tracker process
            super().__init__(workers, multiprocessing.get_context("spawn"), begin_to_help)

    def submit(self, work: Callable[..., ResultT], /, *arguments: Any, **keys: Any) -> Future[ResultT]:
        """Submit a job as usual; this may start a process."""
        with on_its_own():
            future = super().submit(work, *arguments, **keys)
        future.__class__ = _Forgiving
        return future

    def kill(self) -> None:
        """Kill all workers at once; unfinished jobs are lost.

        The thread of the executor is kept, because it would free semaphores while this process ends, and leak one.
        """
        _killed.append(self._executor_manager_thread)
        for process in list((self._processes or {}).values()):
            process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down as usual; Ctrl-C meanwhile kills running jobs.

        It waits for the processes, not for the thread that manages them. Python before 3.13 marks that thread as ended
        if the wait is interrupted, and this process would hang at exit.
        """
        at_work, thread = list((self._processes or {}).values()), self._executor_manager_thread
        super().shutdown(wait=False, cancel_futures=cancel_futures)
        try:
            for process in at_work if wait else ():
                process.join()
        except KeyboardInterrupt:
            _killed.append(thread)
            for process in at_work:
                process.kill()
            raise


class Pool:
    """Pool of workers beside this process.

    Workers take jobs from the front of the list, and this process from the back. If no worker can start, or one fails,
    this process runs the jobs, and raises the same error.

    Parameters
    ----------
    helpers : int
        Processes to start.
    executor : Executor, optional
        Executor to use instead, such as workers on other machines; it is not shut down.
    """

    def __init__(self, helpers: int, executor: Executor | None = None) -> None:
        self._helpers: Executor | None = executor
        self._is_lent = executor is not None
        self._submitted: list[Future[bytes]] = []
        if helpers and executor is None:
            with suppress(OSError):
                self._helpers = Processes(helpers)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for future in self._submitted if self._is_lent else ():
            future.cancel()
        if isinstance(self._helpers, Processes) and not self._is_lent:
            if kind is not None and issubclass(kind, KeyboardInterrupt):  # do not wait for running jobs
                self._helpers.kill()
            self._helpers.shutdown(cancel_futures=True)

    def run(self, jobs: Sequence[Job], tell: Callable[[int], None], keep: Callable[[int, bytes], None]) -> None:
        """Run all jobs; `keep` is called with the index and content of each, then `tell` with the cost done so far."""
        self._submitted = [self._submit(job) for job in jobs]
        pending, done = dict(enumerate(self._submitted)), 0

        def note(number: int, content: bytes | None) -> None:
            nonlocal done
            keep(number, jobs[number].content() if content is None else content)
            pending.pop(number, None)
            done += jobs[number].cost
            tell(done)

        try:
            for number, future in reversed([*pending.items()]):
                with deaf():  # Ctrl-C could leave the lock of the future held
                    is_mine = future.cancel()
                if is_mine:
                    note(number, None)
                    for other in [other for other, future in pending.items() if future.done() and other != number]:
                        note(other, _content(pending[other]))
            for number, future in [*pending.items()]:
                note(number, _content(future))
        except KeyboardInterrupt:
            for number, future in pending.items():
                if future.done() and (content := _content(future)) is not None:
                    keep(number, content)
            raise

    def _submit(self, job: Job) -> Future[bytes]:
        """Submit a job to the workers; a job that cannot be submitted runs in this process."""
        with on_its_own(), suppress(OSError, RuntimeError):  # no worker can start, or none is left
            if self._helpers is not None and self._is_lent:
                return self._helpers.submit(content_by, program(), job)
            if self._helpers is not None:
                return self._helpers.submit(job.content)
        return Future()


def content_by(version: str, job: Job) -> bytes:
    """Run a job; RuntimeError in a process of another version of the program, whose bytes could differ."""
    if program() != version:
        raise RuntimeError("another version of the program")
    return job.content()


def _content(future: Future[bytes]) -> bytes | None:
    """Wait for the content of a job and return it; None if the job was lost or failed."""
    try:
        return future.result()
    except (Exception, CancelledError):  # this process runs it, and raises the same error
        return None


@contextmanager
def on_its_own() -> Iterator[None]:
    """Start processes in this context without the caller's script, imports from the current folder, and Ctrl-C."""
    main, safe_path = sys.modules["__main__"], os.environ.get("PYTHONSAFEPATH")
    sys.modules["__main__"] = ModuleType("__main__")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        with deaf():
            yield
    finally:
        sys.modules["__main__"] = main
        if safe_path is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = safe_path


@contextmanager
def deaf() -> Iterator[None]:
    """Delay Ctrl-C until the end of this context.

    The signal is blocked for this thread, which processes started here inherit. The handler records it if another
    thread receives it.
    """
    masks = hasattr(signal, "pthread_sigmask")  # not on Windows
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else set()
    in_main_thread = threading.current_thread() is threading.main_thread()
    heard: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: heard.append(number)) if in_main_thread else None
    try:
        yield
    finally:
        if in_main_thread:
            signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


def begin_to_help() -> None:
    """Make this worker process end as soon as the main process has ended, for any reason."""
    employer = multiprocessing.parent_process()
    assert employer is not None

    def end_with_it() -> None:
        employer.join()
        signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=end_with_it, daemon=True).start()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Collect garbage less often in this context, because a picture makes thousands of live objects."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def heed(*_: object) -> None:
    """Raise KeyboardInterrupt if Ctrl-C was recorded inside :func:`interrupts_noted`; for calls in long jobs."""
    if _NOTED.is_set():
        raise KeyboardInterrupt


@contextmanager
def interrupts_noted() -> Iterator[Callable[[], None]]:
    """Record Ctrl-C in this context, and yield a function that raises it; a second Ctrl-C is raised at once.

    Python drops exceptions in callbacks and destructors, so an immediate KeyboardInterrupt could be lost. Nothing
    changes if other code handles Ctrl-C, or outside the main thread.

    >>> with interrupts_noted() as heed:
    ...     signal.raise_signal(signal.SIGINT)  # Ctrl-C
    ...     try:
    ...         heed()
    ...     except KeyboardInterrupt:
    ...         print("stopped")
    stopped
    """
    _NOTED.clear()

    def note(*_: object) -> None:
        heed()
        _NOTED.set()

    in_main_thread = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    ours = in_main_thread and before in (signal.default_int_handler, interrupts.interrupt)
    if ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield heed
    finally:
        _NOTED.clear()
        if ours:
            signal.signal(signal.SIGINT, before)
