"""A part, worked out by whatever process has it: by its number alone, with the plan that it is handed."""

from __future__ import annotations

import os
import socket
import time
from functools import lru_cache
from typing import NamedTuple

from analyser.sweep.plan import Plan, unpacked
from analyser.sweep.store import Store


class Made(NamedTuple):
    """A part that is done: what it took, and, where the process that made it does not write it, its content."""

    number: int
    size: int
    length: int
    seconds: float  # of the processor
    worker: str
    content: bytes | None


def made(packed: bytes, number: int, folder: str | None) -> Made:
    """Work out a part of a plan and put it into the store in `folder`; or, without one, return its content."""
    start = time.thread_time()  # a worker of dask may have several
    plan = unpacked(packed)
    content = content_of(plan, number)
    if folder is not None:
        store_in(folder, plan.digest).put(number, content)
    seconds = round(time.thread_time() - start, 4)
    worker = f"{socket.gethostname()}:{os.getpid()}"
    return Made(number, plan.size(number), len(content), seconds, worker, content if folder is None else None)


def content_of(plan: Plan, number: int) -> bytes:
    """The bytes of the file of a part."""
    if plan.is_sample:
        from analyser.sweep.sample import sampled_content

        return sampled_content(plan, number)
    from analyser.sweep.tables import part_content

    return part_content(plan, number)


@lru_cache(maxsize=4)
def store_in(folder: str, digest: str) -> Store:
    """The store in a folder; InputError if it holds another plan."""
    store = Store(folder)
    if store.plan.digest != digest:
        from analyser.common.errors import InputError

        raise InputError("the store holds another plan", where=folder)
    return store
