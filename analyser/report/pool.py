"""Work shared out between this process and helpers, cached, and Ctrl-C heeded between two pieces of it.

The content of a job depends on its arguments alone, so that it does not matter which process does it, nor if two do.
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
WORTH_A_HELPER = 6_000_000  # microseconds of work: for less, starting a process takes longer than it saves
MOST_PROCESSES = 4
_NOTED = threading.Event()  # Ctrl-C, in the process that the others help
NEW_OBJECTS = 50_000  # before dead ones are looked for; Python's own figure is hundreds
_killed: list[Any] = []  # threads of pools that were killed: what they hold is freed by the main thread at the exit


class Job(NamedTuple):
    """A piece of work: its cost in microseconds of a typical machine, its key in the cache (or none), its function."""

    cost: int
    key: str
    work: Callable[..., bytes]
    arguments: tuple[Any, ...]

    def content(self) -> bytes:
        """Do the work here."""
        return self.work(*self.arguments)


class Jobs:
    """Jobs of one kind, some of which are in the cache.

    Attributes
    ----------
    left : int
        The cost of those that are not.
    """

    def __init__(self, kind: str, jobs: Sequence[Job]) -> None:
        self._jobs, self._cache = jobs, Cache(kind)
        self._contents = [self._cache.read(job.key) if job.key else None for job in jobs]
        self.left = sum(job.cost for job, content in zip(jobs, self._contents) if content is None)

    def done(self, threads: int, executor: Executor | None, tell: Callable[[int], None]) -> list[bytes]:
        """Return the content of each job; `tell` is called with the cost of those that were done here."""
        missing = [number for number, content in enumerate(self._contents) if content is None]

        def keep(place: int, content: bytes) -> None:
            self._contents[missing[place]] = content
            if key := self._jobs[missing[place]].key:
                self._cache.write(key, content)

        with Pool(processes_for(self.left, threads) - 1, executor) as pool:
            pool.run([self._jobs[number] for number in missing], tell, keep)
        return [content for content in self._contents if content is not None]


def processes_for(cost: int, threads: int) -> int:
    """Return the number of processes for work of that cost."""
    return max(1, min(threads, MOST_PROCESSES, 1 + cost // WORTH_A_HELPER))


class _Forgiving(Future[ResultT]):
    """Future that accepts a failure after it was cancelled.

    An executor whose process was killed tells all futures that are not done; at one that was cancelled its thread ends
    with a traceback (Python 3.11), and the others are waited for in vain.
    """

    def set_exception(self, exception: BaseException | None) -> None:
        with suppress(InvalidStateError):
            super().set_exception(exception)


class Processes(ProcessPoolExecutor):
    """So many processes that run no caller's script, hear no Ctrl-C, and end with the one that they help."""

    def __init__(self, workers: int) -> None:
        with on_its_own():  # the executor has a process of its own, which counts locks
            super().__init__(workers, multiprocessing.get_context("spawn"), begin_to_help)

    def submit(self, work: Callable[..., ResultT], /, *arguments: Any, **keys: Any) -> Future[ResultT]:
        """Submit a job as usual; this may start a process."""
        with on_its_own():
            future = super().submit(work, *arguments, **keys)
        future.__class__ = _Forgiving
        return future

    def kill(self) -> None:
        """End all that is at work, at once: what it has not written whole is lost.

        Its thread would free the semaphores just while this process ends, and leave one behind.
        """
        _killed.append(self._executor_manager_thread)
        for process in list((self._processes or {}).values()):
            process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down as usual; Ctrl-C meanwhile ends running jobs at once.

        It waits for the processes, not for the thread that manages them: when interrupted, that thread would count as
        ended (Python before 3.13), and this process would hang at its exit.
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
    """Helpers of this process.

    Helpers take jobs from the front and this process from the back. Where there can be no helper, or one fails, this
    process does all of it and meets the same trouble.

    Parameters
    ----------
    helpers : int
        Processes to start.
    executor : Executor, optional
        Who helps instead, such as workers on other machines; it is not shut down.
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
            if kind is not None and issubclass(kind, KeyboardInterrupt):  # who waits, waits for nothing
                self._helpers.kill()
            self._helpers.shutdown(cancel_futures=True)

    def run(self, jobs: Sequence[Job], tell: Callable[[int], None], keep: Callable[[int, bytes], None]) -> None:
        """Do all jobs; `keep` is called with the place and content of each, `tell` then with the cost of those done."""
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
                with deaf():  # Ctrl-C could leave its lock held, and the executor waiting for it
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
        """Submit a job to the helpers; one that cannot be submitted waits for this process."""
        with on_its_own(), suppress(OSError, RuntimeError):  # none can be started, or none is left
            if self._helpers is not None and self._is_lent:
                return self._helpers.submit(content_by, program(), job)
            if self._helpers is not None:
                return self._helpers.submit(job.content)
        return Future()


def content_by(version: str, job: Job) -> bytes:
    """Do a piece of work; RuntimeError in a process of another version of the program, whose bytes could differ."""
    if program() != version:
        raise RuntimeError("another version of the program")
    return job.content()


def _content(future: Future[bytes]) -> bytes | None:
    """Return the content of a job once its helper is done with it; None if it was lost or failed."""
    try:
        return future.result()
    except (Exception, CancelledError):  # it is done here, and meets the same trouble
        return None


@contextmanager
def on_its_own() -> Iterator[None]:
    """A process started inside this runs no caller's script, imports from no current folder, and hears no Ctrl-C."""
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
    """Ctrl-C is heard only after this.

    Blocked for this thread, which processes inherit that begin here; and noted by its handler, which runs here even if
    another thread gets the signal.
    """
    masks = hasattr(signal, "pthread_sigmask")  # which is not so on Windows
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
    """In a helper: end as soon as the process that it helps is gone, however that ended."""
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
    """Inside this, rings of dead objects are looked for less often: a picture makes thousands of living ones."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def heed(*_: object) -> None:
    """Raise KeyboardInterrupt if Ctrl-C was noted inside :func:`interrupts_noted`; long jobs call it now and then."""
    if _NOTED.is_set():
        raise KeyboardInterrupt


@contextmanager
def interrupts_noted() -> Iterator[Callable[[], None]]:
    """Inside this Ctrl-C is noted, and the function that is yielded raises it; a second one is raised at once.

    Raised wherever it falls it can be swallowed: Python drops what is raised in a callback or a destructor. Where
    other code handles Ctrl-C, and outside the main thread, nothing changes.

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
