"""Executor on a Dask scheduler and its workers."""

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
from analyser.report.worker_pool import deaf

ResultT = TypeVar("ResultT")
HERE = "local"  # instead of an address: start a scheduler and workers on this machine
LOOPBACK = "127.0.0.1"
PATIENCE = 20.0  # seconds for a scheduler to answer
MOST_ALONE = 120.0  # seconds for a worker to appear, on a machine that may be busy
_MEMORY = "auto"
_CHATTER = ("distributed", "distributed.client", "tornado.application", "asyncio")  # loggers to silence


class _OfDask(Executor):
    """Executor on the client of a scheduler; detects a lost scheduler."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._executor = client.get_executor(pure=False, retries=0)
        self._alone_since: float | None = None

    def submit(self, work: Callable[..., ResultT], /, *arguments: Any, **keys: Any) -> Future[ResultT]:
        future: Future[ResultT] = self._executor.submit(work, *arguments, **keys)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Release the client; the cluster keeps running."""
        self._executor.shutdown(wait=wait and not cancel_futures)

    def check(self) -> int:
        """Return the number of worker threads; InputError without a scheduler, or without workers for too long."""
        if self._client.status not in ("running", "connecting"):
            raise _gone(self._address)
        there = self._client.scheduler_info(n_workers=-1) if self._client.status == "running" else {}
        workers = sum(int(worker.get("nthreads", 1)) for worker in there.get("workers", {}).values())
        if workers:
            self._alone_since = None
            return workers
        self._alone_since = self._alone_since or time.monotonic()
        alone = time.monotonic() - self._alone_since
        if self._client.status != "running" and alone > PATIENCE:
            raise _gone(self._address)
        if alone > MOST_ALONE:
            problem = f"no worker has connected to {self._address} for {MOST_ALONE:.0f} seconds"
            raise InputError(problem, where="--dask", allowed=f"start some: dask worker {self._address}")
        return 1


def _gone(address: str) -> InputError:
    return InputError(
        f"the scheduler at {address} is gone; every part that is done is in the store",
        where="--dask",
        allowed="start it again, then `analyser sweep resume`",
    )


@contextmanager
def _one_voice() -> Iterator[None]:
    """Silence Dask's own messages about a broken connection; this program writes its own."""
    loggers = [logging.getLogger(name) for name in _CHATTER]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def dask(address: str, workers: int) -> Iterator[Executor]:
    """Yield an executor on the scheduler at an address; ``"local"`` starts a scheduler and `workers` workers."""
    try:
        distributed: Any = importlib.import_module("distributed")
        if address == HERE:
            importlib.import_module("cryptography")
    except ImportError:
        raise InputError("dask is not installed", where="--dask", allowed="pip install 'analyser[cluster]'") from None
    if address == HERE:
        resource_tracker.ensure_running()  # starting it later would unblock Ctrl-C
        with deaf():  # also threads and processes started here
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host=LOOPBACK,
                protocol="tls://",
                security=True,  # temporary certificates
                dashboard_address=f"{LOOPBACK}:0",  # the scheduler requires its dashboard server
                worker_dashboard_address=f"{LOOPBACK}:0",
                memory_limit=_MEMORY,
                silence_logs=logging.CRITICAL,  # also for workers whose scheduler stops first
            )
        with _one_voice(), cluster, distributed.Client(cluster) as client, _OfDask(client, address) as executor:
            yield executor
        return
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:  # TypeError: tls without certificates
        raise InputError(
            f"no scheduler answers at {address}: {error}",
            where="--dask",
            allowed="its address, such as tcp://127.0.0.1:8786",
        ) from None
    with _one_voice(), client, _OfDask(client, address) as executor:
        yield executor
