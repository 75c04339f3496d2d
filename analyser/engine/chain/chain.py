"""Markov chains of dice rolls: what the rules of a game are written as, and what both engines read.

A rule is a :class:`Phase`: the dice that each state rolls, and the state that each total leads to. A :class:`Chain` is
a start and the phases that follow. :mod:`~analyser.engine.chain.exact` propagates the distribution of the state through
them; :mod:`~analyser.engine.chain.sampled` and :mod:`~analyser.engine.chain.on_demand` roll every die of every trial.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.engine.chain.sparse import Sparse

MOST_STATES = 1 << 16  # that are tabulated one and all, whether they can be reached or not
MOST_CELLS = 1 << 22  # of such a table: states times totals
HIGHEST_STATE = (1 << 62) - 1
AT_ONCE = 1 << 18  # cells of a table that are worked out together

States = NDArray[np.int64]
Transition = Callable[[States], NDArray[Any]]


@dataclass(frozen=True)
class Die:
    """The distribution of what one die shows: integers from 0 upwards.

    Attributes
    ----------
    weights : tuple of float
        Of each value from 0: how many of `sides` show it or, where `sides` is 0, its probability.
    sides : int
        0 for a die that is not made of equally likely sides.

    Examples
    --------
    >>> sided(6).pmf.round(3).tolist()
    [0.0, 0.167, 0.167, 0.167, 0.167, 0.167, 0.167]
    """

    weights: tuple[float, ...]
    sides: int = 0

    @property
    def highest(self) -> int:
        """The highest value."""
        return len(self.weights) - 1

    @cached_property
    def values(self) -> NDArray[np.int64]:
        """The values that it can show."""
        return np.flatnonzero(self.weights)

    @cached_property
    def pmf(self) -> NDArray[np.float64]:
        """The probability of each value from 0."""
        weights = np.array(self.weights, np.float64)
        return np.asarray(weights / weights.sum())


def sided(sides: int) -> Die:
    """A fair die that shows 1 to `sides`."""
    return Die((0, *(1,) * sides), sides)


def success_die(successes: int, sides: int) -> Die:
    """A die that shows 1, a success, on `successes` of `sides` sides, and 0 on the others."""
    return Die((sides - successes, successes), sides)


def bernoulli(probability: float) -> Die:
    """A die that shows 1 with a probability, else 0."""
    return Die((1.0 - probability, probability))


NO_DIE = Die((1,), 1)


class ExtraDie(NamedTuple):
    """A die that every state rolls once beside the others of a phase.

    `weight` is what each point of it adds to the total: dice of different kinds are distinguished by it.
    """

    die: Die
    weight: int


@dataclass(frozen=True, eq=False)
class Phase:
    """One roll, and the transition that its total makes from every state.

    Attributes
    ----------
    targets : callable, or integer array, shape (all states, highest total + 1)
        Of some states (int64, shape (states,)), the state that each of them and each total lead to: shape (states,
        highest total + 1). Entries of totals that a state cannot roll are ignored.
    die : Die
        Default: nothing is rolled.
    dice : int, callable, or integer array, shape (all states,)
        How many dice every state rolls or, of some states, each of them.
    extra_dice : tuple of ExtraDie
        Further dice, one of each, whatever the state; the total is that of all dice.
    recorded : bool
        Whether the distribution of the state after it is kept.
    """

    targets: Transition | NDArray[Any]
    die: Die = NO_DIE
    dice: Transition | NDArray[Any] | int = 0
    extra_dice: tuple[ExtraDie, ...] = ()
    recorded: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """What tells the phase from others, but for whether it is recorded."""
        return (id(self.targets), self.die, id(self.dice), self.extra_dice)

    @cached_property
    def totals(self) -> int:
        """How many totals are distinguished."""
        return int(self.rows(np.zeros(1, np.int64)).shape[1])

    def rows(self, states: States) -> NDArray[Any]:
        """The states that each of some states and each total lead to: shape (states, totals)."""
        return self.targets(states) if callable(self.targets) else self.targets[states]

    def dice_of(self, states: States) -> NDArray[np.int64]:
        """How many dice each of some states rolls."""
        if isinstance(self.dice, int):
            return np.full(len(states), self.dice, np.int64)
        return np.asarray(self.dice(states) if callable(self.dice) else self.dice[states], np.int64)

    def span(self, states: States) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The lowest and the highest total of each of some states."""
        dice, ends = self.dice_of(states), (0, -1)
        extra = [sum(die.values[end] * weight for die, weight in self.extra_dice) for end in ends]
        low, high = (dice * self.die.values[end] + extra[end] for end in ends)
        return low, high

    def pmfs(self, most_dice: int) -> NDArray[np.float64]:
        """The distribution of the total of n dice, in row n: shape (most dice + 1, totals)."""
        pmfs = np.zeros((most_dice + 1, self.totals))
        pmfs[0, 0] = 1.0
        for dice in range(1, most_dice + 1):
            total = np.convolve(pmfs[dice - 1, : (dice - 1) * self.die.highest + 1], self.die.pmf)
            pmfs[dice, : len(total)] = total
        for die, weight in self.extra_dice:
            points = np.zeros(die.highest * weight + 1)
            points[::weight] = die.pmf
            pmfs = np.array([np.convolve(pmf, points)[: self.totals] for pmf in pmfs])
        return pmfs


def unchanged(states: States) -> States:
    """The transition of a phase in which nothing happens."""
    return states[:, np.newaxis]


RECORD = Phase(unchanged, recorded=True)  # nothing happens but that the state is recorded


class Extent(NamedTuple):
    """How large a game can become, for whoever asks more than the exact method has room for.

    `of` is what its states tell apart, such as ``14 units, each standing, in rout or lost``; `less` is what would make
    it smaller, such as ``fewer units``.
    """

    of: str = "this question"
    less: str = "less at once"


UNKNOWN = Extent()


@dataclass(frozen=True, eq=False)
class Chain:
    """A Markov chain: a start and the phases that follow, in order; the same phase may come again.

    Attributes
    ----------
    start : int
    phases : tuple of Phase
    size : int
        States are integers below it; it may be as large as 2**62. Default: as many as the first phase's array has.
    extent : Extent
        What makes it so large.

    Raises
    ------
    InputError
        There are more states than integers to number them.
    """

    start: int
    phases: tuple[Phase, ...]
    size: int = 0
    extent: Extent = UNKNOWN

    def __post_init__(self) -> None:
        if self.states > HIGHEST_STATE + 1:
            raise InputError(f"{self.extent.of}: too many to number", allowed=self.extent.less)

    @property
    def states(self) -> int:
        """How many states there are, whether they can be reached or not."""
        return self.size or len(self.phases[0].targets)  # type: ignore[arg-type]

    @property
    def recordings(self) -> int:
        """How many distributions are recorded."""
        return sum(phase.recorded for phase in self.phases)

    @cached_property
    def is_small(self) -> bool:
        """Whether all states are tabulated, rather than those that are met."""
        phases = {phase.key: phase for phase in self.phases}.values()
        return self.states <= MOST_STATES and all(self.states * phase.totals <= MOST_CELLS for phase in phases)


class Recorded(NamedTuple):
    """The distribution of the state after each recorded phase.

    Attributes
    ----------
    states : int64 array, shape (states,)
        In order, each once; those that are not among them were not met.
    weights : array, shape (recordings, states)
        The probability of each or, of a sample, how many trials were in it; :class:`Sparse` of a sample
        that met many states, few of them at any one time.
    """

    states: States
    weights: Any

    def grouped(self, groups: NDArray[np.int64], size: int) -> NDArray[Any]:
        """The weights by the group of each state, an integer below `size`: shape (recordings, size)."""
        if isinstance(self.weights, Sparse):
            return np.array([np.bincount(groups[row.columns], row.values, size) for row in self.weights.rows])
        return np.array([np.bincount(groups, row, size) for row in self.weights])

    def of_all(self, size: int) -> NDArray[Any]:
        """The weights of all states below `size`, in order."""
        weights = np.zeros((self.weights.shape[0], size), self.weights.dtype)
        weights[:, self.states] = dense(self.weights)
        return weights


def dense(weights: Any) -> NDArray[Any]:
    """Weights as an array, also those of a sparse one."""
    return weights.toarray() if isinstance(weights, Sparse) else np.asarray(weights)


def distinct(states: States) -> States:
    """Distinct states in order: as `np.unique`, whose hashing is many times slower."""
    in_order = np.sort(states)
    return in_order[np.diff(in_order, prepend=-1) > 0]


def on_common_states(recorded: Mapping[str, Recorded]) -> tuple[States, dict[str, NDArray[Any]]]:
    """The states that any of several chains met, in order, and the weights of each over all of these."""
    met = {name: each.weights.sum(axis=0) > 0 for name, each in recorded.items()}
    states = distinct(np.concatenate([each.states[met[name]] for name, each in recorded.items()]))
    weights = {}
    for name, each in recorded.items():
        met_by_it = Recorded(np.searchsorted(states, each.states[met[name]]), each.weights[:, met[name]])
        weights[name] = met_by_it.of_all(len(states))
    return states, weights


def slabs(states: int, totals: int) -> list[slice]:
    """Slices of states whose rows are worked out together."""
    some = max(AT_ONCE // totals, 1)
    return [slice(first, first + some) for first in range(0, states, some)]
