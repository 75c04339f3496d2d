"""The numbers of a sample: how often it is played, from which seed, how precisely, on how many threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real

from analyser.common.errors import InputError, check_flag, check_text, shown
from analyser.common.estimates import Method, trials_for

MOST_THREADS = 1024
MOST_SEED_BITS = 1024


def check_sample(
    trials: int | None, seed: int, precision: float | None, threads: int | None, *, most_trials: int, finest: float
) -> None:
    """Refuse numbers that no sample can be played by.

    Parameters
    ----------
    trials : int or None
        1 to `most_trials`.
    seed : int
        0 or more.
    precision : float or None
        `finest` up to below 1, and not beside `trials`.
    threads : int or None
        1 to 1024.
    most_trials : int
    finest : float

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_sample(1.5, 0, None, None, most_trials=1000, finest=0.1)
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: trials: 1.5 is no whole number (allowed: 1 to 1000)
    """
    check_trials(trials, most_trials)
    check_whole(seed, "seed", 0)
    if (bits := int(seed).bit_length()) > MOST_SEED_BITS:
        raise InputError(f"a seed of {bits} bits", where="seed", allowed=f"0 or more, of up to {MOST_SEED_BITS} bits")
    check_threads(threads)
    if precision is None:
        return
    allowed = f"{finest:g} up to below 1"
    if isinstance(precision, bool) or not isinstance(precision, Real):
        raise InputError(f"{shown(precision)} is no number", where="precision", allowed=allowed)
    if not finest <= precision < 1:
        said = f"{precision:g}" if isinstance(precision, float) else shown(precision)  # an integer may fit no float
        raise InputError(f"precision {said}", where="precision", allowed=allowed)
    if trials is not None:
        raise InputError("both trials and precision", where="trials", allowed="one of them")


def check_trials(trials: int | None, most: int | None = None) -> None:
    """Refuse what is no number of trials."""
    if trials is not None:
        check_whole(trials, "trials", 1, most)


def check_threads(threads: int | None) -> None:
    """Refuse what is no number of threads."""
    if threads is not None:
        check_whole(threads, "threads", 1, MOST_THREADS)


def check_whole(number: object, where: str, least: int, most: int | None = None) -> None:
    """Refuse what is no whole number from `least` to `most`, which truth values are not either."""
    allowed = f"{least} or more" if most is None else f"{least} to {most}"
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise InputError(f"{shown(number)} is no whole number", where=where, allowed=allowed)
    value = int(number)
    if value < least or (most is not None and value > most):
        said = f"{shown(value)} {where}" if where.endswith("s") else f"{where} {shown(value)}"
        raise InputError(said, where=where, allowed=allowed)


DEFAULT_TRIALS = 1_000_000


MOST_TRIALS = 10**10


FINEST_PRECISION = 1e-4


METHODS: tuple[Method, ...] = ("exact", "monte-carlo")


Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class How:
    """How a fight is worked out.

    Attributes
    ----------
    method : "exact" or "monte-carlo"
    trials : int or None
        Fights to play; None: a million.
    seed : int
    precision : float or None
        Instead of `trials`: so many that no 95% interval of a probability is wider, from its lower to its upper end.
    threads : int or None
        None: one for each processor. The answer does not depend on it.
    replacement : bool
        Monte Carlo: put each card back before the next is drawn (AC-9.3), as the exact method does.
    progress : callable or None
        Told the fights played so far and the number aimed at, now and then.
    """

    method: Method = "exact"
    trials: int | None = None
    seed: int = 0
    precision: float | None = None
    threads: int | None = None
    replacement: bool = False
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_text(self.method, "method", ", ".join(METHODS))
        if self.method not in METHODS:
            raise InputError(f"method {shown(self.method)}", where="method", allowed=", ".join(METHODS))
        check_sample(
            self.trials, self.seed, self.precision, self.threads, most_trials=MOST_TRIALS, finest=FINEST_PRECISION
        )
        check_flag(self.replacement, "replacement")

    @property
    def trials_played(self) -> int | None:
        """Fights of a sample; None of an exact answer."""
        if self.method == "exact":
            return None
        asked = DEFAULT_TRIALS if self.precision is None else trials_for(self.precision)
        return int(self.trials or asked)

    @property
    def with_replacement(self) -> bool:
        """Whether every card is drawn from a full deck (AC-9.3)."""
        return self.method == "exact" or self.replacement


def default_threads() -> int:
    """As many threads as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
