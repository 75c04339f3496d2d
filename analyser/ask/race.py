"""Staged race among variants with a stated error: variants that cannot be best drop out, and ties are named.

Variants are simulated in stages of growing size. Each stage has its own random numbers, common to all variants. After
each stage every remaining variant has a confidence sequence at ``error / K`` (Bonferroni over the K variants). With
probability 1 - `error` all sequences contain their true figures at every stage. A variant drops out when the upper end
of its sequence lies below the lower end of another's, so the best variant drops out with probability at most `error`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common import interrupts
from analyser.common.intervals import mean_bounds, mixture_bounds

ERROR = 0.05
FIRST_STAGE = 2_000  # trials
GROWTH = 4  # factor by which the total number of trials grows in each stage
MOST_TRIALS = 2_048_000  # largest number of trials of a variant
Report = Callable[[int, int], None]


class Seen(NamedTuple):
    """Simulated trials of a variant: their number, and the sums of the figure and of its square."""

    trials: float
    total: float
    squares: float


@dataclass(frozen=True)
class Raced:
    """Result of a race.

    Attributes
    ----------
    left : list of int
        Variants that can still be the best, from the best downwards; a single one if the race is decided.
    values, lows, highs : float arrays, shape (K,)
        Figure of each variant and the ends of its confidence sequence after its last trial.
    trials, dropped_at : int arrays, shape (K,)
        Trials of each variant; and the stage, from 1, after which it dropped out, 0 if it is left.
    stages : int
    why : str
        ``decided``, ``alike`` (the variants left differ by at most `within`), ``trials``, or ``interrupted``. After an
        interruption only variants with trials can be left.
    """

    left: list[int]
    values: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    trials: NDArray[np.int64]
    dropped_at: NDArray[np.int64]
    stages: int
    why: str


def race(
    play: Callable[[int, int, int], Seen | None],
    variants: int,
    *,
    is_probability: bool,
    least: bool = False,
    within: float = 0.0,
    error: float = ERROR,
    most_trials: int = MOST_TRIALS,
    report: Report | None = None,
) -> Raced:
    """Return the best of K variants.

    Parameters
    ----------
    play : callable of (variant, trials, stage)
        Simulates trials of a variant in a stage; returns None if it cannot be simulated, and the variant drops out.
    variants : int
        K, 1 or more.
    is_probability : bool
        True if the figure is 0 or 1 in each trial; the sequence is then exact (a beta-binomial mixture).
    least : bool
        True if less of the figure is better.
    within : float
        The race also ends when no two remaining variants can differ by more than this.
    error : float
        Largest probability that a race names a wrong best.

    Examples
    --------
    >>> chances = [0.3, 0.5, 0.4]
    >>> rng = np.random.default_rng(1)
    >>> def play(variant, trials, stage):
    ...     seen = rng.binomial(trials, chances[variant])
    ...     return Seen(trials, seen, seen)
    >>> race(play, 3, is_probability=True).left
    [1]
    """
    seen = [Seen(0, 0.0, 0.0)] * variants
    values, lows, highs = np.full(variants, np.nan), np.full(variants, -np.inf), np.full(variants, np.inf)
    dropped_at: NDArray[np.int64] = np.zeros(variants, np.int64)
    left, stage, total, why = list(range(variants)), 0, 0, ""
    sign = -1.0 if least else 1.0

    def drop(some: list[int]) -> tuple[list[int], float]:
        """Drop the variants that cannot be best; return the others, and the span of all their intervals."""
        bounds = bounds_of([seen[variant] for variant in some], error / variants, is_probability=is_probability)
        values[some], lows[some], highs[some] = bounds
        ends = np.sort(sign * np.array([lows, highs]), axis=0)
        floor = max(ends[0, variant] for variant in some)
        for variant in some:
            dropped_at[variant] = stage if ends[1, variant] < floor else 0
        still = [variant for variant in some if not dropped_at[variant]]
        return still, max(ends[1, variant] for variant in still) - min(ends[0, variant] for variant in still)

    try:
        while not why:
            stage += 1
            more = FIRST_STAGE if stage == 1 else min(total * (GROWTH - 1), most_trials - total)
            total += more
            for done, variant in enumerate(list(left), start=1):
                results = play(variant, more, stage)
                if results is None:
                    left.remove(variant)
                    dropped_at[variant] = stage
                else:
                    seen[variant] = Seen(*(sum(sums) for sums in zip(seen[variant], results)))
                if report is not None:
                    report(done, len(left))
            if not left:
                return Raced([], values, lows, highs, np.zeros(variants, np.int64), dropped_at, stage, "decided")
            left, reach = drop(left)
            why = "decided" if len(left) == 1 else "alike" if reach <= within else ""
            why = why or ("trials" if total >= most_trials else "")
    except KeyboardInterrupt:  # a confidence sequence is valid at any stopping time
        why, left = "interrupted", [variant for variant in left if seen[variant].trials]
        if not left:
            raise
        interrupts.stop_repeating()
        left, _ = drop(left)
    left.sort(key=lambda variant: -sign * values[variant])
    trials = np.array([sums[0] for sums in seen], np.int64)
    return Raced(left, values, lows, highs, trials, dropped_at, stage, why)


def bounds_of(
    seen: Sequence[Seen], error: float, *, is_probability: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the figures of variants, and the ends of their confidence sequences."""
    trials, totals, squares = np.array(seen, np.float64).T
    means = totals / trials
    if is_probability:
        return means, *mixture_bounds(totals, trials, error)
    variances = np.maximum(squares / trials - means**2, 0.0) / np.maximum(trials - 1, 1)
    ends = [
        mean_bounds(mean, math.sqrt(variance), int(many) - 1, int(many), FIRST_STAGE * GROWTH**2, error)
        for mean, variance, many in zip(means, variances, trials)
    ]
    return means, np.array([low for low, _ in ends]), np.array([high for _, high in ends])
