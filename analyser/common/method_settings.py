"""Method of an answer and, for a simulation, its number of trials, precision and threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, check_choice, check_flag, check_integer, shown
from analyser.common.estimates import Method
from analyser.common.precision import MOST_PLANNED_TRIALS, Precision, Stopping

DEFAULT_TRIALS = 1_000_000
MOST_TRIALS = 10**12
MOST_THREADS = 1024
METHODS: tuple[Method, ...] = ("exact", "monte-carlo")
Progress = Callable[[int, int], None]


class SimulatedAnswer(Protocol):
    """Protocol of answers that can be simulated to a given precision."""

    @property
    def trials(self) -> int | None:
        """Number of trials; None if exact."""

    def precision_counts(self, precision: Precision) -> NDArray[Any]:
        """Return in a fixed order the number of trials with each event, or value, that must reach `precision`."""

    def with_stopping(self, stopping: Stopping) -> Self:
        """Return the answer with the reason for its number of trials."""


AnswerT = TypeVar("AnswerT", bound=SimulatedAnswer)


@dataclass(frozen=True)
class Sampling:
    """Method of an answer, and the settings of a simulation.

    Attributes
    ----------
    method : "exact" or "monte-carlo"
    trials : int or None
        Monte Carlo: number of trials, 1 to 10**12. Default: a million.
    seed : int
        0 or more. The same seed gives the same result, on any number of threads.
    precision : float, str or None
        Monte Carlo, instead of `trials`: simulate until the 95% interval of every probability of this answer is at most
        this wide (1e-5 up to below 1). A text such as ``5%`` is relative to the probability of each event (0.1% up to
        below 100%). A short first simulation, the pilot, determines the number of trials.
    threads : int or None
        1 to 1024 (the result is the same). Default: one for each processor.
    replacement : bool
        Monte Carlo of a fight: put each card back before the next one is drawn (AC-9.3), as the exact method does.
    progress : callable, True or None
        Called repeatedly with the trials done and planned (for an exact answer, steps). True shows a progress bar.

    Raises
    ------
    InputError
        A value is out of range, or both `trials` and `precision` are given.

    Examples
    --------
    >>> Sampling("monte-carlo", trials=500).first_trials()
    500
    >>> Sampling(trials=1.5)
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: trials: must be an integer, got 1.5 (allowed: 1 to 1000000000000)
    """

    method: Method = "exact"
    trials: int | None = None
    seed: int = 0
    precision: float | str | None = None
    threads: int | None = None
    replacement: bool = False
    progress: Progress | bool | None = None

    def __post_init__(self) -> None:
        check_choice(self.method, "method", METHODS)
        if self.trials is not None:
            check_integer(self.trials, "trials", 1, MOST_TRIALS)
        check_integer(self.seed, "seed", 0)
        check_threads(self.threads)
        if self.precision is not None:
            Precision.read(self.precision)
            if self.trials is not None:
                raise InputError("both trials and precision", where="trials", allowed="one of them")
        check_flag(self.replacement, "replacement")
        if not (self.progress is None or isinstance(self.progress, bool) or callable(self.progress)):
            allowed = "True, or a function of (trials done, trials planned)"
            raise InputError(f"{shown(self.progress)} is not usable", where="progress", allowed=allowed)

    @property
    def is_exact(self) -> bool:
        """True if the method is exact."""
        return self.method == "exact"

    @property
    def with_replacement(self) -> bool:
        """True if every card is drawn from a full deck (AC-9.3)."""
        return self.is_exact or self.replacement

    @property
    def n_threads(self) -> int:
        """Number of threads."""
        return self.threads or default_threads()

    def first_trials(self, least: int = 1) -> int:
        """Return the number of trials of the simulation or, with a `precision`, of its pilot (at least `least`)."""
        if self.precision is None:
            return int(self.trials or DEFAULT_TRIALS)
        return Precision.read(self.precision).pilot(least)

    def solve(self, answer_with: Callable[[Sampling], AnswerT], least: int = 1) -> AnswerT:
        """Return the exact answer, or simulate it with the stated number of trials or until it is precise enough.

        The pilot has at least `least` trials, a number that takes no noticeable time.
        """
        if self.is_exact:
            return answer_with(self)
        with self.with_bar() as sampling:

            def simulate(trials: int) -> AnswerT:
                return answer_with(replace(sampling, trials=trials, precision=None))

            result = simulate(self.first_trials(least))
            if self.precision is None:
                return result.with_stopping(Stopping(self.first_trials()))
            return _precise_answer(result, Precision.read(self.precision), simulate)

    def report(self, done: int, planned: int) -> None:
        """Call `progress` with the work done and planned, in trials or, for an exact answer, in steps."""
        if callable(self.progress):
            self.progress(done, planned)

    @contextmanager
    def with_bar(self) -> Iterator[Sampling]:
        """Yield the settings; ``progress=True`` becomes a function that updates a progress bar inside the block."""
        if self.progress is not True:
            yield self
            return
        from tqdm.auto import tqdm

        with tqdm(total=1, unit="" if self.is_exact else " trials", unit_scale=True, leave=False) as bar:

            def progress(done: int, planned: int) -> None:
                bar.total = planned
                bar.update(done - bar.n)

            yield replace(self, progress=progress)


def _precise_answer(answer: AnswerT, precision: Precision, simulate: Callable[[int], AnswerT]) -> AnswerT:
    """Return the answer with as many trials as its precision needs; `answer` comes from the pilot."""
    pilot = answer.trials or 0
    occurred = np.flatnonzero(answer.precision_counts(precision))
    if precision.relative:  # events that occurred in no trial of the pilot are too rare for a relative precision
        if not len(occurred):
            return answer.with_stopping(Stopping(pilot, "unseen", precision))
        while (longer := precision.longer_pilot(answer.precision_counts(precision)[occurred], pilot)) > pilot:
            _check_planned(longer, precision)
            answer = simulate(longer)
            pilot = answer.trials or longer
    counts = answer.precision_counts(precision)
    planned = precision.needed_trials(counts[occurred] if precision.relative else counts, pilot)
    _check_planned(planned, precision)
    if planned > pilot:
        answer = simulate(planned)
        counts = answer.precision_counts(precision)
    reached = precision.reached_width(counts[occurred] if precision.relative else counts, answer.trials or 0)
    reason = "precision" if reached <= precision.width else "planned"
    return answer.with_stopping(Stopping(planned, reason, precision, reached))


def _check_planned(trials: int, precision: Precision) -> None:
    if trials > MOST_PLANNED_TRIALS:
        problem = f"{precision} takes more than {MOST_PLANNED_TRIALS:.0g} trials: one event is very rare"
        raise InputError(problem, where="precision", allowed="a larger share, a width such as 0.001, or trials")


def check_threads(threads: int | None) -> None:
    """Raise InputError unless `threads` is None, or an integer in [1, 1024]."""
    if threads is not None:
        check_integer(threads, "threads", 1, MOST_THREADS)


def default_threads() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
