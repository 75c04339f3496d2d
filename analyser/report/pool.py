"""Work shared out between this process and helpers, and Ctrl-C heeded between two pieces of it.

Every job leaves a file that appears whole, so that it does not matter which process does it, nor if two do.
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
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from analyser.common import interrupts
from analyser.common.digests import program

ResultT = TypeVar("ResultT")
WORTH_A_HELPER = 6_000_000  # microseconds of work: for less, starting a process takes longer than it saves
MOST_PROCESSES = 4
_NOTED = threading.Event()  # Ctrl-C, in the process that the others help
NEW_OBJECTS = 50_000  # before dead ones are looked for; Python's own figure is hundreds


class Job(NamedTuple):
    """A piece of work: what it costs one process, in microseconds of a typical machine, and what is to be called."""

    cost: int
    work: Callable[..., None]
    arguments: tuple[Any, ...]


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
        """End all that is at work, at once: what it has not written whole is lost."""
        for process in list((self._processes or {}).values()):
            process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down as usual; Ctrl-C meanwhile ends running jobs at once.

        It waits for the processes, not for the thread that manages them: when interrupted, that thread would count as
        ended (Python before 3.13), and this process would hang at its exit.
        """
        at_work = list((self._processes or {}).values())
        super().shutdown(wait=False, cancel_futures=cancel_futures)
        try:
            for process in at_work if wait else ():
                process.join()
        except KeyboardInterrupt:
            for process in at_work:
                process.kill()
            raise


class Pool:
    """Helpers of this process: :meth:`begin` lets them begin with jobs, :meth:`finish` ends the work with them.

    Helpers take jobs from the front and this process from the back. Where there can be no helper, or one fails, this
    process does all of it and meets the same trouble.

    Parameters
    ----------
    helpers : int
        Processes to start.
    executor : Executor, optional
        Who helps instead, such as workers on other machines that see the same files; it is not shut down.
    """

    def __init__(self, helpers: int, executor: Executor | None = None) -> None:
        self._helpers: Executor | None = executor
        self._is_lent = executor is not None
        self._handed: list[Future[None]] = []
        if helpers and executor is None:
            with suppress(OSError):
                self._helpers = Processes(helpers)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for future in self._handed if self._is_lent else ():
            future.cancel()
        if isinstance(self._helpers, Processes) and not self._is_lent:
            if kind is not None and issubclass(kind, KeyboardInterrupt):  # who waits, waits for nothing
                self._helpers.kill()
            self._helpers.shutdown(cancel_futures=True)

    def begin(self, jobs: Sequence[Job]) -> list[tuple[Job, Future[None]]]:
        """Hand jobs to the helpers; one that cannot be handed out waits for this process."""
        handed: list[tuple[Job, Future[None]]] = []
        with on_its_own():
            for job in jobs:
                future: Future[None] = Future()
                if self._helpers is not None:
                    with suppress(OSError, RuntimeError):  # none can be started, or none is left
                        if self._is_lent:
                            future = self._helpers.submit(work_of_version, program(), job.work, *job.arguments)
                        else:
                            future = self._helpers.submit(job.work, *job.arguments)
                handed.append((job, future))
        self._handed += [future for _, future in handed]
        return handed

    def finish(self, handed: Sequence[tuple[Job, Future[None]]], tell: Callable[[int], None]) -> None:
        """Do the last job that waits until none does; `tell` is called with the cost of all that are done."""
        done: list[int] = []
        with deaf():
            for job, future in handed:
                future.add_done_callback(partial(_note, done, job.cost))
        mine = set()
        for job, future in reversed(handed):
            with deaf():  # Ctrl-C could leave its lock held, and the executor waiting for it
                is_mine = future.cancel()
            if is_mine:
                mine.add(future)
                job.work(*job.arguments)
                done.append(job.cost)
                tell(sum(done))
        for job, future in handed:
            if future not in mine:
                if _failed(future):
                    job.work(*job.arguments)
                tell(sum(done))


def work_of_version(version: str, work: Callable[..., None], *arguments: Any) -> None:
    """Do a piece of work; RuntimeError in a process of another version of the program, whose bytes could differ."""
    if program() != version:
        raise RuntimeError("another version of the program")
    work(*arguments)


def _failed(future: Future[None]) -> bool:
    """Return True if a job has to run again, once its worker is done with it; a lost job is cancelled."""
    try:
        return future.exception() is not None
    except CancelledError:
        return True


def _note(done: list[int], cost: int, future: Future[None]) -> None:
    """Called back when a job is done by a helper, or taken from it."""
    if not future.cancelled():
        done.append(cost)


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
