"""Markov chains of dice rolls: the description of a game's rules for the exact engine and the simulation.

A rule is a :class:`Phase`; a :class:`Chain` is a start state and the phases that follow. In each round, outside events
such as losses may choose between numbered alternatives; a path (:class:`Paths`) lists the chosen numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.kernel_records import Floats, Integers


@dataclass(frozen=True)
class Die:
    """Distribution of the value of one die, an integer from 0."""

    weights: tuple[float, ...]  # number of sides with each value from 0; if `sides` is 0: probability of each value
    sides: int = 0  # number of sides; 0: the weights are probabilities
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
    """Return a die that shows 1 with this probability, else 0."""
    return Die((1.0 - probability, probability), words=words)


NO_DIE = Die((1,), 1)


class ExtraDie(NamedTuple):
    """A die that each state rolls once, in addition to the dice of a phase."""

    die: Die
    weight: int  # factor of its value in the total, so large that the total shows the value

    @property
    def pmf(self) -> Floats:
        """Probability of each weighted value from 0."""
        pmf = np.zeros(self.die.highest * self.weight + 1)
        pmf[:: self.weight] = self.die.pmf
        return pmf


HIGHEST_STATE = (1 << 62) - 1
CELLS_AT_ONCE = 1 << 18  # most cells of a table that are computed together

States = Integers
Change = Callable[[Any, Any], Any]  # returns the next states for states and totals, which are broadcast together


class Fields:
    """Several numbers packed into one integer, the state; the last is in the lowest digits, and the first has no bound.

    >>> unit = Fields({"moves": 3, "tokens": 10})
    >>> unit.size, unit.pack(moves=2, tokens=7), unit.get("tokens", 27), unit.put(27, tokens=0)
    (30, 27, 7, 20)
    """

    def __init__(self, sizes: Mapping[Any, int]) -> None:
        self.sizes = dict(sizes)
        names = [*self.sizes]
        self.places: dict[Hashable, int] = {
            name: math.prod(self.sizes[after] for after in names[number + 1 :]) for number, name in enumerate(names)
        }
        self.size = math.prod(self.sizes.values())
        self._first = names[0]

    def get(self, name: Hashable, states: Any) -> Any:
        """Return the value of a field in states."""
        above = states // self.places[name]
        return above if name == self._first else above % self.sizes[name]

    def pack(self, **values: Any) -> Any:
        """Return the states with these values, and 0 in the other fields."""
        return sum(value * self.places[name] for name, value in values.items())

    def put(self, states: Any, **values: Any) -> Any:
        """Return the states with other values in some fields."""
        return states + sum((value - self.get(name, states)) * self.places[name] for name, value in values.items())


@dataclass(frozen=True, eq=False)
class Phase:
    """A roll of dice, and the transition from every state by the total."""

    # Receives states, shape (states, 1), and totals of dice, shape (totals,). The results for impossible totals are
    # ignored.
    change: Change
    die: Die = NO_DIE
    dice: Callable[[States], NDArray[Any]] | int = 0  # number of dice: one for all states, or a function of states
    extra_dice: tuple[ExtraDie, ...] = ()  # rolled once in every state and added to the total
    most_dice: int = 0  # largest value of a callable `dice`
    title: str = ""  # name in a narrated trial, with the rule number

    @cached_property
    def totals(self) -> int:
        """Number of totals, from 0 to the highest."""
        dice = self.dice if isinstance(self.dice, int) else self.most_dice
        return 1 + dice * self.die.highest + sum(die.highest * weight for die, weight in self.extra_dice)

    def next_states(self, states: States) -> NDArray[Any]:
        """Return the next state for each state and total: shape (states, totals)."""
        after = self.change(states[:, np.newaxis], np.arange(self.totals))
        return np.broadcast_to(after, (len(states), self.totals))

    def dice_of(self, states: States) -> Integers:
        """Return the number of dice that each state rolls."""
        dice = self.dice(states) if callable(self.dice) else self.dice
        return np.broadcast_to(np.asarray(dice, np.int64), states.shape)

    def span(self, states: States) -> tuple[Integers, Integers]:
        """Return the lowest and the highest total of each state."""
        dice, ends = self.dice_of(states), (0, -1)
        extra = [sum(die.values[end] * weight for die, weight in self.extra_dice) for end in ends]
        low, high = (dice * self.die.values[end] + extra[end] for end in ends)
        return low, high

    def pmfs(self, most_dice: int) -> Floats:
        """Return the distribution of the total of n dice, in row n: shape (most dice + 1, totals)."""
        pmfs = np.zeros((most_dice + 1, self.totals))
        pmfs[0, 0] = 1.0
        for dice in range(1, most_dice + 1):
            total = np.convolve(pmfs[dice - 1, : (dice - 1) * self.die.highest + 1], self.die.pmf)
            pmfs[dice, : len(total)] = total
        for extra in self.extra_dice:
            pmfs = np.array([np.convolve(pmf, extra.pmf)[: self.totals] for pmf in pmfs])
        return pmfs


RECORD = Phase(lambda states, _: states)  # no effect: marks where the distribution of the state is recorded


class Story(NamedTuple):
    """Words for narrating trials of a chain."""

    read: Callable[[int], Mapping[str, Any]]  # returns the description of a state: named numbers, flags or words
    turn: str = ""  # name of a period of the chain, such as Round
    records: int = 1  # number of recordings in each period
    first: int = 1  # the number of the first period


@dataclass(frozen=True, eq=False)
class Chain:
    """A start state and the phases that follow, in order; InputError if the states exceed 62-bit integers."""

    start: int
    phases: tuple[Phase, ...]  # including RECORD where the distribution is recorded
    size: int  # states are integers below `size`, which may be as large as 2**62
    # For the error message if there are too many states:
    what: str = "this question"  # subject, such as "14 units, each standing, in rout or lost"
    less: str = "less at once"  # remedy, such as "fewer units"
    story: Story | None = None

    def __post_init__(self) -> None:
        if self.size > HIGHEST_STATE + 1:
            raise InputError(f"{self.what}: too many states", allowed=self.less)


Alternatives = Sequence[Sequence[Phase]]  # a round's phases, by alternative; RECORD occurs equally often in each


class Paths(NamedTuple):
    """Possible or observed paths: the number of the alternative in each round; the rows of `numbers` are distinct."""

    numbers: Integers  # shape (paths, rounds)
    weights: NDArray[Any]  # probabilities or counts: shape (paths,)

    @classmethod
    def one(cls, weight: Any) -> Paths:
        """Return the single path of a chain without alternatives: all its phases are one round."""
        return cls(np.zeros((1, 1), np.int64), np.array([weight]))


class Recorded(NamedTuple):
    """Distribution of the state at each recording (RECORD)."""

    states: States  # reached states, sorted
    # Shape (recordings, states): probabilities, or numbers of simulated trials. A sparse array of scipy if a simulation
    # reached many states, but few at each recording.
    weights: Any

    def grouped(self, groups: Integers, size: int) -> NDArray[Any]:
        """Return the sum of weights of each group, shape (recordings, size); `groups`: number of each state's group."""
        if isinstance(self.weights, np.ndarray):
            return np.array([np.bincount(groups, row, size) for row in self.weights])
        ends, columns, values = self.weights.indptr, self.weights.indices, self.weights.data
        rows = [slice(*pair) for pair in pairwise(ends)]
        return np.array([np.bincount(groups[columns[row]], values[row], size) for row in rows])

    def dense_weights(self, size: int) -> NDArray[Any]:
        """Return the weights of all states below `size`, in order."""
        weights = np.zeros((self.weights.shape[0], size), self.weights.dtype)
        weights[:, self.states] = self.weights if isinstance(self.weights, np.ndarray) else self.weights.toarray()
        return weights


def distinct(states: States) -> States:
    """Return the distinct states, sorted. `np.unique` is many times slower, because it hashes them."""
    in_order = np.sort(states)
    return in_order[np.diff(in_order, prepend=-1) > 0]


def blocks_of(states: int, totals: int) -> list[slice]:
    """Return slices of states, small enough to compute all next states of a slice together."""
    size = max(CELLS_AT_ONCE // totals, 1)
    return [slice(first, first + size) for first in range(0, states, size)]
