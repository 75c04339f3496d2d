"""Timing: candidates take turns in one run, so that whatever slows the machine slows all of them alike."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from analyser.common.jit import interpreted


@dataclass
class Candidate:
    """Something to time.

    `run` does `work` units of work (attacks, words, calls) `repeats` times over.
    """

    name: str
    run: Callable[[], object]
    work: float = 1.0
    repeats: int = 1


@dataclass
class Sample:
    """Seconds a unit of work, one number a round."""

    name: str
    seconds: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, float]:
        """Median, least, most and quartiles of the seconds a unit of work."""
        low, first, median, third, high = np.percentile(self.seconds, [0, 25, 50, 75, 100]).tolist()
        return {
            "median_s": median,
            "min_s": low,
            "max_s": high,
            "quartile_1_s": first,
            "quartile_3_s": third,
            "rounds": len(self.seconds),
        }

    def times_faster_than(self, other: "Sample") -> dict[str, float]:
        """How many times faster than `other`: ratios within a round, their median and quartiles."""
        return spread(np.divide(other.seconds, self.seconds))


def spread(ratios) -> dict[str, float]:
    """Median and quartiles."""
    first, median, third = np.percentile(ratios, [25, 50, 75]).tolist()
    return {"median": median, "quartile_1": first, "quartile_3": third}


def compiled(ask: Callable[[], object]) -> Callable[[], object]:
    """The same by machine code, as when enough has been asked to pay for the compiler."""

    def asked() -> object:
        with interpreted(False):
            return ask()

    return asked


def interleaved(candidates: list[Candidate], rounds: int) -> dict[str, Sample]:
    """Time each candidate once a round; before the first round each runs once, untimed, to be compiled and warm."""
    samples = {each.name: Sample(each.name) for each in candidates}
    assert len(samples) == len(candidates), "two candidates of one name"
    for each in candidates:
        each.run()
    for turn in range(rounds):
        start = turn % len(candidates)
        for each in candidates[start:] + candidates[:start]:
            samples[each.name].seconds.append(timed(each))
    return samples


def timed(candidate: Candidate) -> float:
    """Seconds a unit of work."""
    start = time.perf_counter()
    for _ in range(candidate.repeats):
        candidate.run()
    return (time.perf_counter() - start) / candidate.repeats / candidate.work
