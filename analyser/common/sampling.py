"""How an answer is worked out: by which method and, of a sample, how often, how precisely, on how many threads."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Real
from typing import Protocol, TypeVar

from analyser.common.errors import InputError, check_choice, check_flag, check_integer, shown
from analyser.common.estimates import Method, trials_for

DEFAULT_TRIALS = 1_000_000
MOST_TRIALS = 10**12
FINEST_PRECISION = 1e-5
FIRST_TRIALS = 1 << 20  # for a first look at how wide the intervals are
MOST_THREADS = 1024
MOST_SEED_BITS = 1024
METHODS: tuple[Method, ...] = ("exact", "monte-carlo")
Progress = Callable[[int, int], None]


class Sampled(Protocol):
    """An answer that knows how wide its intervals are."""

    def widest_interval(self) -> float:
        """The width of the widest 95% interval of any probability of a sample."""


SampledT = TypeVar("SampledT", bound=Sampled)
_MARGIN = 1.02  # trials beyond the estimate, so that one more round is rarely needed


@dataclass(frozen=True)
class Sampling:
    """How an answer is worked out.

    Attributes
    ----------
    method : "exact" or "monte-carlo"
    trials : int or None
        Monte Carlo: trials to play, 1 to 10**12. Default: a million.
    seed : int
        0 or more. The same seed gives the same bits, on any number of threads.
    precision : float or None
        Monte Carlo, instead of `trials`: play on until the 95% interval of every probability of this very answer, from
        its lower to its upper end, is at most this wide (1e-5 up to below 1).
    threads : int or None
        1 to 1024. Default: one for each processor. The answer does not depend on it.
    replacement : bool
        Monte Carlo of a fight: put each card back before the next is drawn (AC-9.3), as the exact method does.
    progress : callable, True or None
        Called with the trials played so far and the number aimed at, now and then; True: a progress bar.

    Raises
    ------
    InputError
        One of them is out of its range, or both `trials` and `precision` are given.

    Examples
    --------
    >>> Sampling("monte-carlo", precision=0.01).first_trials()
    38411
    >>> Sampling(trials=1.5)
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: trials: must be an integer, got 1.5 (allowed: 1 to 1000000000000)
    """

    method: Method = "exact"
    trials: int | None = None
    seed: int = 0
    precision: float | None = None
    threads: int | None = None
    replacement: bool = False
    progress: Progress | bool | None = None

    def __post_init__(self) -> None:
        check_choice(self.method, "method", METHODS)
        if self.trials is not None:
            check_integer(self.trials, "trials", 1, MOST_TRIALS)
        check_integer(self.seed, "seed", 0)
        if (bits := int(self.seed).bit_length()) > MOST_SEED_BITS:
            raise InputError(f"{bits} bits", where="seed", allowed=f"0 or more, of up to {MOST_SEED_BITS} bits")
        check_threads(self.threads)
        if self.precision is not None:
            _check_precision(self.precision)
            if self.trials is not None:
                raise InputError("both trials and precision", where="trials", allowed="one of them")
        check_flag(self.replacement, "replacement")
        if not (self.progress is None or isinstance(self.progress, bool) or callable(self.progress)):
            allowed = "True, or a function of (trials played, trials aimed at)"
            raise InputError(f"{shown(self.progress)} is not usable", where="progress", allowed=allowed)

    @property
    def is_exact(self) -> bool:
        """Whether no trial is played."""
        return self.method == "exact"

    @property
    def with_replacement(self) -> bool:
        """Whether every card is drawn from a full deck (AC-9.3)."""
        return self.is_exact or self.replacement

    @property
    def n_threads(self) -> int:
        """Threads to play on."""
        return self.threads or default_threads()

    def first_trials(self, least: int = 1) -> int:
        """Trials before the first look at the intervals, at least `least`; without a `precision`, all there are."""
        if self.precision is None:
            return int(self.trials or DEFAULT_TRIALS)
        return min(FIRST_TRIALS, max(trials_for(self.precision), least))

    def settled(self, answer: Callable[[Sampling], SampledT], chunk: int, least: int = 1) -> SampledT:
        """The exact answer, or that of as many trials as are asked for or make all its intervals narrow enough.

        A sample grows by whole chunks; `least` trials take no noticeable time.
        """
        if self.is_exact:
            return answer(self)
        with self.with_bar() as sampling:
            trials = self.first_trials(least)
            result = answer(replace(sampling, trials=trials, precision=None))
            while self.precision is not None and (width := result.widest_interval()) > self.precision:
                needed = math.ceil(trials * (width / self.precision) ** 2 * _MARGIN / chunk)
                trials = max(needed, trials // chunk + 1) * chunk
                result = answer(replace(sampling, trials=trials, precision=None))
        return result

    def report(self, done: int, aim: int) -> None:
        """Tell `progress` how many trials of how many are played."""
        if callable(self.progress):
            self.progress(done, aim)

    @contextmanager
    def with_bar(self) -> Iterator[Sampling]:
        """The same sampling; with ``progress=True`` its `progress` moves a bar that ends with the block."""
        if self.progress is not True:
            yield self
            return
        from tqdm.auto import tqdm

        with tqdm(total=1, unit="" if self.is_exact else " trials", unit_scale=True, leave=False) as bar:

            def progress(done: int, aim: int) -> None:
                bar.total = aim
                bar.update(done - bar.n)

            yield replace(self, progress=progress)


def _check_precision(precision: object) -> None:
    allowed = f"{FINEST_PRECISION:g} up to below 1"
    if isinstance(precision, bool) or not isinstance(precision, Real):
        raise InputError(f"must be a number, got {shown(precision)}", where="precision", allowed=allowed)
    if not FINEST_PRECISION <= precision < 1:  # type: ignore[operator]
        number = f"{precision:g}" if isinstance(precision, float) else shown(precision)  # an integer may fit no float
        raise InputError(f"{number} is out of range", where="precision", allowed=allowed)


def check_threads(threads: int | None) -> None:
    """Raise InputError unless `threads` is None, or an integer in [1, 1024]."""
    if threads is not None:
        check_integer(threads, "threads", 1, MOST_THREADS)


def default_threads() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
