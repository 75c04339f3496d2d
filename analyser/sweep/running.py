"""Running of sweeps: start, resume, or compute one job of many."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import nullcontext
from functools import partial
from typing import Any

from analyser.common.errors import InputError, check_integer, shown
from analyser.common.sampling import MOST_THREADS, default_threads
from analyser.game.profiles import ProfilesLike
from analyser.report.pool import Processes
from analyser.sweep.dask_executor import dask as dask_executor
from analyser.sweep.page import write_page
from analyser.sweep.plan import check_program, read_plan
from analyser.sweep.scheduler import Begin, Progress, work_through
from analyser.sweep.store import Store, store_for
from analyser.sweep.store_reader import Sweep

_JOB = re.compile(r"(\d{1,9})/(\d{1,9})")
Folder = str | os.PathLike[str]


def run_sweep(
    plan: Any,
    out: Folder,
    *,
    workers: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    by_return: bool = False,
    part: str | None = None,
    profiles: ProfilesLike | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
) -> Sweep:
    """Compute the parts of a plan that are not in its store yet.

    Parameters
    ----------
    plan : path or mapping
        The file of the sweep (docs/sweeps.md).
    out : path
        The folder of the store: a new one, or one started with the same plan.
    workers : int, optional
        Processes, 1 to 1024. Default: one for each processor.
    dask : str, optional
        The address of a Dask scheduler, whose workers compute the parts; ``"local"`` starts one.
    executor : Executor, optional
        Another executor (``concurrent.futures``); it is not shut down.
    by_return : bool
        True: workers return parts to this process, which writes them. Needed if workers cannot access the folder.
    part : str, optional
        Such as ``"17/400"``: the 17th of 400 jobs that share the parts. Jobs may run side by side.
    profiles : Profiles or path, optional
    tell : callable
        Called with a :class:`Progress` after each part.

    Returns
    -------
    Sweep

    Raises
    ------
    InputError
        An unusable plan; a store of another plan (the message has the differences); a worker of another version of the
        program; or a part that cannot be written. Finished parts remain in the store.
    """
    store = store_for(read_plan(plan, profiles), out)
    return _run(store, workers, dask, executor, by_return, part, tell)


def resume_sweep(
    out: Folder,
    *,
    workers: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    by_return: bool = False,
    part: str | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
) -> Sweep:
    """Resume a sweep by the plan stored with it, even if the profiles have changed; otherwise as :func:`run_sweep`."""
    return _run(Store(out), workers, dask, executor, by_return, part, tell)


def _run(
    store: Store,
    workers: int | None,
    dask: str | None,
    executor: Executor | None,
    by_return: bool,
    part: str | None,
    tell: Callable[[Progress], None],
) -> Sweep:
    check_program(store.plan)
    if workers is not None:
        check_integer(workers, "workers", 1, MOST_THREADS)
    if dask is not None and executor is not None:
        raise InputError("both dask and an executor", where="dask", allowed="one of them")
    many = workers or default_threads()
    begin: Begin = partial(Processes, many) if dask is None else partial(dask_executor, dask, many)
    if executor is not None:
        given: Begin = lambda: nullcontext(executor)  # noqa: E731
        begin = given
    with store.driven() if part is None else nullcontext():
        if part is None:
            store.remove_cut_short()
        missing = store.missing(None if part is None else job(part, store.plan.parts))
        if missing:
            how = "executor" if executor is not None else dask or "processes"
            store.log("begun", parts=len(missing), workers=many, executor=how, job=part)
            made = work_through(store, missing, begin, many, by_return=by_return, tell=tell)
            store.log("ended", made=made)
    sweep = Sweep(store)
    if part is None:
        write_page(sweep)
    return sweep


def job(part: str, parts: int) -> range:
    """Return the parts of one job of many.

    >>> list(job("2/4", 10))
    [1, 5, 9]
    """
    match = _JOB.fullmatch(part) if isinstance(part, str) else None
    mine, jobs = map(int, match.groups()) if match else (0, 0)
    if not 1 <= mine <= jobs:
        raise InputError(f"{shown(part)} is not usable", where="part", allowed="such as 17/400: 1 to 400 of 400")
    return range(mine - 1, parts, jobs)
