"""Running of sweeps: start, resume, or compute a share of the parts, on any executor of ``concurrent.futures``.

The bytes of a part are the same in every run, so the unfinished parts of a lost worker can be submitted again.
"""

from __future__ import annotations

import os
import re
import socket
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache, partial
from typing import Any, NamedTuple

from analyser.common.errors import AnalyserError, InputError, check_integer, shown
from analyser.common.files import real_path
from analyser.common.method_settings import MOST_THREADS, Progress, default_threads
from analyser.game.profiles import ProfilesLike
from analyser.report.worker_pool import Processes
from analyser.sweep.dask_executor import dask_executor
from analyser.sweep.plan import check_program, read_plan, unpack_plan
from analyser.sweep.store import Store, store_for
from analyser.sweep.store_reader import Sweep
from analyser.sweep.tables import part_content

_JOB = re.compile(r"(\d{1,9})/(\d{1,9})")
Folder = str | os.PathLike[str]


def run_sweep(
    plan: Any,
    out: Folder,
    *,
    workers: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    part: str | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Compute the parts of a plan that are not in its store yet, and return the reader of the store.

    Parameters
    ----------
    plan : path or mapping
        The file of the sweep (docs/sweeps.md).
    out : path
        The folder of the store: a new folder, or the store of the same plan.
    workers : int, optional
        Number of processes, 1 to 1024. Default: one for each processor.
    dask : str, optional
        The address of a Dask scheduler, whose workers compute the parts; ``"local"`` starts a scheduler with workers.
    executor : Executor, optional
        Another executor of ``concurrent.futures``, which computes the parts; it is not shut down.
    part : str, optional
        The job to compute: ``"17/400"`` is the 17th of 400 jobs that share the parts. Jobs may run side by side.
    profiles : Profiles or path, optional
    progress : callable, optional
        Function called after each part with the numbers of finished parts and of all parts.

    Raises
    ------
    InputError
        The plan is unusable, the store has another plan (the message lists the differences), a worker runs another
        version of the program, or a part cannot be written. Finished parts remain in the store.
    """
    store = store_for(read_plan(plan, profiles), out)
    return _run(store, workers, dask, executor, part, progress)


def resume_sweep(
    out: Folder,
    *,
    workers: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    part: str | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Resume a sweep with its stored plan, even if the profiles have changed since; see :func:`run_sweep`."""
    return _run(Store(out), workers, dask, executor, part, progress)


def _run(
    store: Store,
    workers: int | None,
    dask: str | None,
    executor: Executor | None,
    part: str | None,
    progress: Progress | None,
) -> Sweep:
    check_program(store.plan)
    if workers is not None:
        check_integer(workers, "workers", 1, MOST_THREADS)
    if dask is not None and executor is not None:
        raise InputError("both dask and an executor are stated", where="dask", allowed="one of them")
    n_workers = workers or default_threads()
    start: StartExecutor = partial(Processes, n_workers) if dask is None else partial(dask_executor, dask, n_workers)
    if executor is not None:
        start = lambda: nullcontext(executor)  # noqa: E731
    with store.locked() if part is None else nullcontext():
        if part is None:
            store.remove_truncated()
        n_missing, missing = store.missing(None if part is None else parts_of_job(part, store.plan.n_parts))
        if n_missing:
            kind = "executor" if executor is not None else dask or "processes"
            store.log("begun", parts=n_missing, workers=n_workers, executor=kind, job=part)
            compute_parts(store, n_missing, missing, start, n_workers, progress)
            store.log("ended", made=n_missing)
    return Sweep(store)


def parts_of_job(job: str, n_parts: int) -> range:
    """Return the numbers of the parts of a job, out of `n_parts`; the job ``"2/4"`` is the second of four.

    >>> list(parts_of_job("2/4", 10))
    [1, 5, 9]
    """
    match = _JOB.fullmatch(job) if isinstance(job, str) else None
    number, jobs = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= jobs:
        raise InputError(f"{shown(job)} is not usable", where="part", allowed="such as 17/400, the 17th of 400 jobs")
    return range(number - 1, n_parts, jobs)


PARTS_PER_WORKER = 3  # parts submitted per worker at a time, so that no worker waits for this process
MOST_LOSSES = 5  # if a part and its worker are lost this often, the part is taken to be the cause
_REMEDY = "more memory per worker, or smaller parts (part_cells)"
POLL_SECONDS = 0.2  # seconds between checks of the futures
# names of exceptions by which this module recognises a lost worker, including Dask's
_LOSS_ERRORS = ("KilledWorker", "CommClosedError", "FutureCancelledError", "CancelledError")
StartExecutor = Callable[[], AbstractContextManager[Executor]]


class FinishedPart(NamedTuple):
    """A finished part and its cost."""

    number: int
    size: int  # number of cells
    length: int  # bytes of the content
    seconds: float  # processor time
    worker: str


def compute_part(packed: bytes, folder: str, number: int) -> FinishedPart:
    """Compute a part of a plan, and write it into the store in `folder`."""
    start = time.thread_time()  # not of the process, because a Dask worker may have several threads
    plan = unpack_plan(packed)
    content = part_content(plan, number)
    _store_in(folder, plan.digest).put(number, content)
    seconds = round(time.thread_time() - start, 4)
    worker = f"{socket.gethostname()}:{os.getpid()}"
    return FinishedPart(number, plan.block(number).n_cells, len(content), seconds, worker)


@lru_cache(maxsize=4)
def _store_in(folder: str, digest: str) -> Store:
    store = Store(folder)
    if store.plan.digest != digest:
        raise InputError("the store holds another plan", where=folder)
    return store


def compute_parts(
    store: Store,
    n_missing: int,
    missing: Iterator[int],
    start_executor: StartExecutor,
    workers: int,
    progress: Progress | None = None,
) -> None:
    """Compute the `n_missing` parts of a store with the numbers in `missing`; `progress` is called after each part.

    `start_executor` is called again if an executor breaks. The workers themselves write the parts.

    Raises
    ------
    InputError
        A part cannot be computed or written (raised after the running parts are done), or is lost too often.
    """
    requeued, losses = list[int](), Counter[int]()
    work = partial(compute_part, store.plan.packed, str(real_path(store.folder)))
    count, before = 0, store.plan.n_parts - n_missing

    def next_part() -> int | None:
        return requeued.pop() if requeued else next(missing, None)

    while count < n_missing:
        with start_executor() as executor:
            for number, outcome in _outcomes(executor, work, workers, next_part, requeued):
                if isinstance(outcome, FinishedPart):
                    store.log("part", **outcome._asdict(), kind=store.plan.block(number).situation.kind)
                    count += 1
                    if progress is not None:
                        progress(before + count, store.plan.n_parts)
                    continue
                losses[number] += 1
                store.log("lost", number=number, problem=repr(outcome), times=losses[number])
                if losses[number] >= MOST_LOSSES:
                    problem = f"part {number} was lost with its worker {losses[number]} times, at last by {outcome!r}"
                    raise InputError(problem, where=str(store.folder), allowed=_REMEDY)
                requeued.append(number)


def _outcomes(
    executor: Executor,
    work: Callable[[int], FinishedPart],
    workers: int,
    next_part: Callable[[], int | None],
    requeued: list[int],
) -> Iterator[tuple[int, FinishedPart | BaseException]]:
    """Yield each finished part, or the error by which its worker was lost; raise errors of the computation.

    Unfinished parts are requeued when the executor breaks.
    """
    running: dict[Future[FinishedPart], int] = {}
    count_workers = getattr(executor, "count_workers", lambda: workers)
    try:
        while True:
            most = PARTS_PER_WORKER * count_workers()
            while len(running) < most and (number := next_part()) is not None:
                try:
                    running[executor.submit(work, number)] = number
                except BrokenExecutor as error:
                    yield number, error
                    return
            if not running:
                return
            finished, _ = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in finished:
                problem = CancelledError() if future.cancelled() else future.exception()
                if problem is None:
                    yield running.pop(future), future.result()
                elif isinstance(problem, BrokenExecutor | CancelledError) or type(problem).__name__ in _LOSS_ERRORS:
                    yield running.pop(future), problem
                    if isinstance(problem, BrokenExecutor):
                        return
                elif isinstance(problem, AnalyserError):
                    raise problem
                else:
                    reason = "".join(traceback.format_exception_only(problem)).strip()
                    allowed = _REMEDY if isinstance(problem, MemoryError) else "the same program on every worker"
                    text = f"part {running[future]} failed: {reason}"
                    raise InputError(text, where="sweep", allowed=allowed) from problem
    finally:
        for future, number in running.items():
            future.cancel()
            requeued.append(number)  # a part that finished meanwhile is computed again, with the same bytes
