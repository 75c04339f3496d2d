"""Scheduler of parts on any executor of ``concurrent.futures``; it retries lost parts.

Parts are independent, and a part computed twice is the same, so nothing has to be known about a lost worker: its
unfinished parts go to another.
"""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager
from itertools import islice
from statistics import fmean
from typing import NamedTuple

from analyser.common.errors import AnalyserError, InputError
from analyser.common.files import real_path
from analyser.sweep.parts import Made, made
from analyser.sweep.store import Missing, Store

A_WORKER = 3  # parts that wait for each worker, so that none is ever idle
MOST_LOSSES = 5  # of one part, after which it and not the workers are to blame
_LESS = "more memory a worker, or smaller parts (part_cells, part_trials)"
A_LOOK = 0.2  # seconds between two looks at what is done
Tell = Callable[["Progress"], None]
Hands = Callable[[], AbstractContextManager[Executor]]


class Progress(NamedTuple):
    """Progress of a sweep.

    `seconds` is the wall-clock time of this run, in which `made` parts and `cells` cells were done; `left` is the
    estimated time for the rest, kind of fights by kind.
    """

    done: int
    parts: int
    made: int
    cells: int
    seconds: float
    left: float

    @property
    def rate(self) -> float:
        """Cells a second."""
        return self.cells / self.seconds if self.seconds > 0 else 0.0


def work_through(
    store: Store,
    missing: Missing,
    hands: Hands,
    workers: int,
    *,
    by_return: bool = False,
    tell: Tell = lambda _: None,
) -> int:
    """Have the parts that are `missing` made; how many were. `tell` is called whenever one is.

    `hands` begins an executor, and another one if the first is broken. Parts are written where they are worked out or,
    `by_return`, here.

    Raises
    ------
    InputError
        A part cannot be made or written; the others that were being made are waited for. Or workers are lost again and
        again.
    """
    waiting, losses = _Waiting(missing), Counter[int]()
    pace = _Pace(store, missing)
    folder = None if by_return else str(real_path(store.folder))
    while waiting:
        with hands() as executor:
            for number, outcome in _handed(executor, waiting, workers, (store.plan.packed, folder)):
                if isinstance(outcome, Made):
                    if outcome.content is not None:
                        store.put(number, outcome.content)
                    store.log("part", **outcome._replace(content=None)._asdict(), kind=store.plan.kind(number))
                    tell(pace.after(outcome))
                    continue
                losses[number] += 1
                store.log("lost", number=number, problem=repr(outcome), times=losses[number])
                if losses[number] >= MOST_LOSSES:
                    problem = f"part {number} was lost with its worker {losses[number]} times, at last by {outcome!r}"
                    raise InputError(problem, where=str(store.folder), allowed=_LESS)
                waiting.back(number)
    return pace.made


class _Waiting:
    """Queue of parts to submit, requeued ones first."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._rest, self._back = iter(numbers), list[int]()

    def __bool__(self) -> bool:
        self._back = self._back or list(islice(self._rest, 1))
        return bool(self._back)

    def pop(self) -> int:
        """Remove the next part and return its number."""
        return self._back.pop() if self._back else next(self._rest)

    def back(self, number: int) -> None:
        """Requeue a part whose worker was lost."""
        self._back.append(number)


class _Pace:
    """Work done and work left, each kind of fights at its own pace."""

    def __init__(self, store: Store, missing: Missing) -> None:
        self._plan = store.plan
        self._done = store.plan.parts - len(missing)
        self._start, self._cells, self.made = time.monotonic(), 0, 0
        self._left = missing.kinds()
        self._spent: dict[str, list[float]] = {}

    def after(self, made: Made) -> Progress:
        """Return the progress after one more part."""
        kind = self._plan.kind(made.number)
        self._left[kind] -= 1
        self._spent.setdefault(kind, []).append(made.seconds)
        self.made, self._cells = self.made + 1, self._cells + made.size
        seconds = time.monotonic() - self._start
        usual = fmean(map(fmean, self._spent.values()))
        work = sum(left * fmean(self._spent.get(kind, [usual])) for kind, left in self._left.items())
        so_far = sum(map(sum, self._spent.values()))
        left = work * seconds / so_far if so_far else 0.0
        return Progress(self._done + self.made, self._plan.parts, self.made, self._cells, seconds, left)


def _handed(
    executor: Executor, waiting: _Waiting, workers: int, how: tuple[bytes, str | None]
) -> Iterator[tuple[int, Made | BaseException]]:
    """The parts that `waiting` ends with, as they are done; or what became of them instead, if they were lost.

    What the executor has not done when it breaks is handed back to `waiting`. An error of the part itself is raised.
    """
    at_work: dict[Future[Made], int] = {}
    check = getattr(executor, "check", lambda: workers)
    try:
        while waiting or at_work:
            room = A_WORKER * check()
            while waiting and len(at_work) < room:
                number = waiting.pop()
                try:
                    at_work[executor.submit(made, how[0], number, how[1])] = number
                except BrokenExecutor as error:
                    yield number, error
                    return
            finished, _ = wait(at_work, timeout=A_LOOK, return_when=FIRST_COMPLETED)
            for future in finished:
                problem = CancelledError() if future.cancelled() else future.exception()
                if problem is None:
                    yield at_work.pop(future), future.result()
                elif _is_loss(problem):
                    yield at_work.pop(future), problem
                    if isinstance(problem, BrokenExecutor):
                        return
                else:
                    raise problem if isinstance(problem, AnalyserError) else _failed(at_work[future], problem)
    finally:
        for future, number in at_work.items():
            future.cancel()
            waiting.back(number)  # if it is done after all, it is made again, and the same


def _failed(number: int, problem: BaseException) -> InputError:
    said = "".join(traceback.format_exception_only(problem)).strip()
    allowed = _LESS if isinstance(problem, MemoryError) else "the same program on every worker"
    error = InputError(f"part {number} failed: {said}", where="sweep", allowed=allowed)
    error.__cause__ = problem
    return error


def _is_loss(problem: BaseException) -> bool:
    """Return True if a part was lost with its worker, rather than failed by itself."""
    lost = ("KilledWorker", "CommClosedError", "FutureCancelledError", "CancelledError")
    return isinstance(problem, BrokenExecutor | CancelledError) or type(problem).__name__ in lost
