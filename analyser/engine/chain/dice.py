"""Distribution of a single die."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from analyser.common.records import Floats, Integers


@dataclass(frozen=True)
class Die:
    """Distribution of the value of one die, an integer from 0."""

    weights: tuple[float, ...]  # number of sides with each value from 0, or its probability if `sides` is 0
    sides: int = 0  # 0: the values have probabilities instead
    words: tuple[str, ...] = field(default=(), compare=False, repr=False)  # names of the values; default: the numbers

    @property
    def highest(self) -> int:
        """The highest value."""
        return len(self.weights) - 1

    @cached_property
    def values(self) -> Integers:
        """Values with a positive probability."""
        return np.flatnonzero(self.weights)

    @cached_property
    def pmf(self) -> Floats:
        """The probability of each value from 0."""
        weights = np.array(self.weights, np.float64)
        return np.asarray(weights / weights.sum())

    def word(self, value: int) -> str:
        """Return the name of a value."""
        return self.words[value] if self.words else str(value)


def fair_die(sides: int) -> Die:
    """Return a fair die that shows 1 to `sides`."""
    return Die((0, *(1,) * sides), sides)


def success_die(successes: int, sides: int, words: tuple[str, str] = ("miss", "success")) -> Die:
    """Return a die that shows 1, a success, on `successes` of `sides` sides, and 0 on the others."""
    return Die((sides - successes, successes), sides, words)


def bernoulli(probability: float, words: tuple[str, str] = ("no", "yes")) -> Die:
    """Return a die that shows 1 with a probability, else 0."""
    return Die((1.0 - probability, probability), words=words)


NO_DIE = Die((1,), 1)


class ExtraDie(NamedTuple):
    """A die that each state rolls once, in addition to the dice of a phase."""

    die: Die
    weight: int  # factor of its value in the total, so that kinds of dice stay separable
