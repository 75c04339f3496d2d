"""Executor that submits to a Dask scheduler and its workers."""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from analyser.common.errors import InputError
from analyser.report.worker_pool import interrupts_delayed

ResultT = TypeVar("ResultT")
LOCAL = "local"  # used in place of an address, to start a scheduler and workers on this machine
LOOPBACK = "127.0.0.1"
SCHEDULER_PATIENCE = 20.0  # seconds for a scheduler to answer
WORKER_PATIENCE = 120.0  # seconds for a worker to connect, on a machine that may be busy
_DASK_LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")  # loggers to silence


class _DaskExecutor(Executor):
    """Executor that submits to a Dask scheduler, and detects its loss."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._executor = client.get_executor(pure=False, retries=0)
        self._without_workers_since: float | None = None

    def submit(self, work: Callable[..., ResultT], /, *arguments: Any, **keys: Any) -> Future[ResultT]:
        future: Future[ResultT] = self._executor.submit(work, *arguments, **keys)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Release the client; the cluster keeps running."""
        self._executor.shutdown(wait=wait and not cancel_futures)

    def count_workers(self) -> int:
        """Return the number of worker threads, at least 1; InputError if the scheduler or all workers are lost."""
        if self._client.status not in ("running", "connecting"):
            raise _lost_scheduler_error(self._address)
        info = self._client.scheduler_info(n_workers=-1) if self._client.status == "running" else {}
        workers = sum(int(worker.get("nthreads", 1)) for worker in info.get("workers", {}).values())
        if workers:
            self._without_workers_since = None
            return workers
        self._without_workers_since = self._without_workers_since or time.monotonic()
        waited = time.monotonic() - self._without_workers_since
        if self._client.status != "running" and waited > SCHEDULER_PATIENCE:
            raise _lost_scheduler_error(self._address)
        if waited > WORKER_PATIENCE:
            problem = f"no worker has connected to {self._address} for {WORKER_PATIENCE:.0f} seconds"
            raise InputError(problem, where="--dask", allowed=f"start workers: dask worker {self._address}")
        return 1


def _lost_scheduler_error(address: str) -> InputError:
    problem = f"the scheduler at {address} is gone; all finished parts are in the store"
    return InputError(problem, where="--dask", allowed="start it again, then `analyser sweep resume`")


@contextmanager
def _quiet_dask() -> Iterator[None]:
    """Silence Dask's messages about a broken connection, because this program reports the problem itself."""
    loggers = [logging.getLogger(name) for name in _DASK_LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def dask_executor(address: str, workers: int) -> Iterator[Executor]:
    """Yield an executor for the scheduler at an address; ``"local"`` starts a scheduler and `workers` workers."""
    try:
        distributed: Any = importlib.import_module("distributed")
        if address == LOCAL:
            importlib.import_module("cryptography")
    except ImportError:
        raise InputError("Dask is not installed", where="--dask", allowed="pip install 'analyser[cluster]'") from None
    if address == LOCAL:
        resource_tracker.ensure_running()  # before Ctrl-C is blocked, because the start of the tracker unblocks it
        with interrupts_delayed():  # threads and processes started here inherit the blocked signal
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host=LOOPBACK,
                protocol="tls://",
                security=True,  # temporary certificates
                dashboard_address=f"{LOOPBACK}:0",  # the scheduler requires its dashboard server
                worker_dashboard_address=f"{LOOPBACK}:0",
                memory_limit="auto",
                silence_logs=logging.CRITICAL,  # also silences workers that outlive their scheduler
            )
        with _quiet_dask(), cluster, distributed.Client(cluster) as client, _DaskExecutor(client, address) as executor:
            yield executor
        return
    try:
        client = distributed.Client(address, timeout=SCHEDULER_PATIENCE)
    except (OSError, ValueError, TypeError) as error:  # TypeError: tls without certificates
        problem, allowed = f"no scheduler answers at {address}: {error}", "its address, such as tcp://127.0.0.1:8786"
        raise InputError(problem, where="--dask", allowed=allowed) from None
    with _quiet_dask(), client, _DaskExecutor(client, address) as executor:
        yield executor
