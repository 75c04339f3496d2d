"""Games that go on: a chain of rolls, each of which leads from a state to the next.

A rule is written as the rows of a table: of each of some states, the state that every total of its dice leads to. Both
engines read these rows: :mod:`analyser.engine.chain.exact` pushes a law through them;
:mod:`analyser.engine.chain.sampled`
rolls every die of every trial and looks up where its total leads, in tables of all states where those are few, else row
by row, as states are met (:mod:`analyser.engine.chain.on_demand`).
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

MOST_STATES = 1 << 16  # of which whole tables are made, whatever can be reached
MOST_CELLS = 1 << 22  # of such a table: states times totals
HIGHEST_STATE = (1 << 62) - 1

States = NDArray[np.int64]
Rows = Callable[[States], NDArray[Any]]


@dataclass(frozen=True)
class Die:
    """What one die can show: a whole number from 0 upwards.

    Attributes
    ----------
    weights : tuple of float
        Of each value from 0: how many of `sides` show it or, where `sides` is 0, its probability.
    sides : int
        0 for a die that is not made of equally likely sides.

    Examples
    --------
    >>> sided(6).chances.round(3).tolist()
    [0.0, 0.167, 0.167, 0.167, 0.167, 0.167, 0.167]
    """

    weights: tuple[float, ...]
    sides: int = 0

    @property
    def highest(self) -> int:
        """The highest value."""
        return len(self.weights) - 1

    @cached_property
    def shown(self) -> NDArray[np.int64]:
        """The values that it can show."""
        return np.flatnonzero(self.weights)

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """The probability of each value from 0."""
        weights = np.array(self.weights, np.float64)
        return np.asarray(weights / weights.sum())


def sided(sides: int) -> Die:
    """A fair die that shows 1 to `sides`."""
    return Die((0, *(1,) * sides), sides)


def succeeding(successes: int, sides: int) -> Die:
    """A die that shows 1, a success, on `successes` of `sides` sides, and 0 on the others."""
    return Die((sides - successes, successes), sides)


def happening(chance: float) -> Die:
    """A die that shows 1 with probability `chance`, else 0."""
    return Die((1.0 - chance, chance))


NO_DIE = Die((1,), 1)


class Beside(NamedTuple):
    """A die that every state throws once beside the others of a phase.

    Attributes
    ----------
    die : Die
    worth : int
        What each point that it shows adds to the phase's total: dice of different kinds are told apart by it.
    """

    die: Die
    worth: int


@dataclass(frozen=True, eq=False)
class Phase:
    """One roll, and what it does to every state.

    Attributes
    ----------
    after : callable, or array of whole numbers, shape (all states, highest total + 1)
        Of some states (int64, shape (states,)), the state that each of them and each total lead to: shape (states,
        highest total + 1). What stands for a total that a state cannot roll does not matter.
    die : Die
        Default: nothing is rolled.
    dice : int, callable, or array of whole numbers, shape (all states,)
        How many dice every state rolls or, of some states, each of them; the total is that of these and of those
        thrown beside them.
    beside : tuple of Beside
        Further dice, one of each, whatever the state.
    recorded : bool
        Whether the law of the state after it is wanted.
    """

    after: Rows | NDArray[Any]
    die: Die = NO_DIE
    dice: Rows | NDArray[Any] | int = 0
    beside: tuple[Beside, ...] = ()
    recorded: bool = False

    @property
    def rule(self) -> tuple[object, ...]:
        """What tells the phase from others, but for whether it is recorded."""
        return (id(self.after), self.die, id(self.dice), self.beside)

    @cached_property
    def totals(self) -> int:
        """How many totals are told apart."""
        return int(self.rows(np.zeros(1, np.int64)).shape[1])

    def rows(self, states: States) -> NDArray[Any]:
        """The states that each of some states and each total lead to: shape (states, totals)."""
        return self.after(states) if callable(self.after) else self.after[states]

    def dice_of(self, states: States) -> NDArray[np.int64]:
        """How many dice each of some states rolls."""
        if isinstance(self.dice, int):
            return np.full(len(states), self.dice, np.int64)
        return np.asarray(self.dice(states) if callable(self.dice) else self.dice[states], np.int64)

    def span(self, states: States) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The lowest and the highest total of each of some states."""
        dice = self.dice_of(states)
        low, high = (
            dice * self.die.shown[end] + sum(die.shown[end] * worth for die, worth in self.beside) for end in (0, -1)
        )
        return low, high

    def laws(self, most_dice: int) -> NDArray[np.float64]:
        """The law of the total of n dice, in row n: shape (most dice + 1, totals)."""
        laws = np.zeros((most_dice + 1, self.totals))
        laws[0, 0] = 1.0
        for dice in range(1, most_dice + 1):
            before = laws[dice - 1, : (dice - 1) * self.die.highest + 1]
            total = np.convolve(before, self.die.chances)
            laws[dice, : len(total)] = total
        for die, worth in self.beside:
            points = np.zeros(die.highest * worth + 1)
            points[::worth] = die.chances
            laws = np.array([np.convolve(law, points)[: self.totals] for law in laws])
        return laws


def unchanged(states: States) -> States:
    """The rows of a phase in which nothing happens."""
    return states[:, np.newaxis]


class Extent(NamedTuple):
    """How large a game can become, for whoever asks more than the exact method has room for.

    Attributes
    ----------
    of : str
        What its states tell apart, such as ``14 units, each standing, in rout or lost``.
    less : str
        What would make it smaller, such as ``fewer units``.
    """

    of: str = ""
    less: str = "less at once"


UNTOLD = Extent()


@dataclass(frozen=True, eq=False)
class Chain:
    """A start and the phases that follow, in order; the same phase may come again.

    Attributes
    ----------
    start : int
    phases : tuple of Phase
    size : int
        States are whole numbers below it; it may be as large as 2**62. Default: as many as the first phase's array has.
    extent : Extent
        What makes it so large.

    Raises
    ------
    InputError
        There are states that have no number.
    """

    start: int
    phases: tuple[Phase, ...]
    size: int = 0
    extent: Extent = UNTOLD

    def __post_init__(self) -> None:
        if self.states > HIGHEST_STATE + 1:
            raise InputError(f"{self.extent.of or 'this question'}: too many to number", allowed=self.extent.less)

    @property
    def states(self) -> int:
        """How many states there are, whether they can be reached or not."""
        return self.size or len(self.phases[0].after)  # type: ignore[arg-type]

    @property
    def recordings(self) -> int:
        """How many laws are recorded."""
        return sum(phase.recorded for phase in self.phases)

    @cached_property
    def is_small(self) -> bool:
        """Whether tables of all states are soon made."""
        rules = {phase.rule: phase for phase in self.phases}.values()
        return self.states <= MOST_STATES and all(self.states * phase.totals <= MOST_CELLS for phase in rules)


class Recorded(NamedTuple):
    """How a game stood after each of its recorded phases.

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
        """The weights by the group of each state, a whole number below `size`: shape (recordings, size)."""
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


def each_once(states: States) -> States:
    """States in order, each once: as `np.unique`, whose hashing is many times slower."""
    in_order = np.sort(states)
    return in_order[np.diff(in_order, prepend=-1) > 0]


def together(recorded: Mapping[str, Recorded]) -> tuple[States, dict[str, NDArray[Any]]]:
    """The states that any of several games met, in order, and the weights of each over all of these."""
    met = {name: each.weights.sum(axis=0) > 0 for name, each in recorded.items()}
    states = each_once(np.concatenate([each.states[met[name]] for name, each in recorded.items()]))
    weights = {}
    for name, each in recorded.items():
        weights[name] = np.zeros((each.weights.shape[0], len(states)), each.weights.dtype)
        weights[name][:, np.searchsorted(states, each.states[met[name]])] = dense(each.weights[:, met[name]])
    return states, weights
