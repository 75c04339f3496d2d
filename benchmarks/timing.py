"""Timing: candidates take turns in one run, so that whatever slows the machine slows all of them alike."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from analyser.common.jit import interpreted


@dataclass
class Candidate:
    """Something to time: `run` does `work` units of work (attacks, trials, calls) `repeats` times over."""

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
        """Median and quartiles of the seconds a unit of work."""
        return spread(self.seconds)

    def rate(self) -> dict[str, float]:
        """The same of units of work a second."""
        return spread(1 / np.array(self.seconds))

    def times_faster_than(self, other: "Sample") -> dict[str, float]:
        """How many times faster than `other`: ratios within a round, their median and quartiles."""
        return spread(np.divide(other.seconds, self.seconds))


def spread(values) -> dict[str, float]:
    """Median and quartiles."""
    first, median, third = np.percentile(values, [25, 50, 75]).tolist()
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


def process(*words: str, **environment: str) -> tuple[float, str]:
    """Wall-clock seconds of a Python process, and what it prints."""
    as_usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *words], env=as_usual | environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return time.perf_counter() - start, done.stdout


def command(*words: str, **environment: str) -> float:
    """Seconds of a command of analyser, as a whole process."""
    return process("-m", "analyser", *words, **environment)[0]


def cold(*words: str, rounds: int = 3) -> dict[str, float]:
    """Seconds of a command that finds no compiled kernel: median and quartiles."""
    seconds = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as empty:
            seconds.append(command(*words, NUMBA_CACHE_DIR=empty))
    return spread(seconds)


def warm(*words: str, rounds: int = 5, **environment: str) -> dict[str, float]:
    """Seconds of a command whose kernels are compiled: median and quartiles."""
    with tempfile.TemporaryDirectory() as cache:
        command(*words, NUMBA_CACHE_DIR=cache, **environment)
        return spread([command(*words, NUMBA_CACHE_DIR=cache, **environment) for _ in range(rounds)])


def peak_memory() -> float:
    """The most memory that this program has had, in MB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
