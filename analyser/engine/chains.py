"""Games that go on: a chain of rolls, each of which leads from a state to the next. Exact laws.

A rule is tabulated once over every state and every total that its dice can show: ``after[state, total]`` is the
state that it leads to. The exact engine pushes a law through the tables; :mod:`analyser.engine.throws` rolls
every die of every trial and looks its state up in the same tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.errors import InputError
from analyser.jit import kernel, step

MOST_STATES = 1 << 16
MOST_CELLS = 1 << 22  # of one table: states times totals
_TOGETHER = 64  # states that are looked at together


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


@dataclass(frozen=True)
class Phase:
    """One roll, and what it does to every state.

    Attributes
    ----------
    after : uint16 array, shape (states, highest total + 1)
        The state that each state and total lead to.
    die : Die
        Left out: nothing is rolled.
    dice : uint16 array, shape (states,)
        How many dice each state rolls; the total is that of these and of those thrown beside them.
    beside : tuple of Beside
        Further dice, one of each, whatever the state.
    recorded : bool
        Whether the law of the state after it is wanted.
    """

    after: NDArray[np.uint16]
    die: Die = NO_DIE
    dice: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, np.uint16))
    beside: tuple[Beside, ...] = ()
    recorded: bool = False

    @cached_property
    def most_dice(self) -> int:
        """The most dice that any state rolls."""
        return int(self.dice.max(initial=0))

    @cached_property
    def laws(self) -> NDArray[np.float64]:
        """The law of the total of n dice, in row n: shape (most dice + 1, columns of `after`)."""
        laws = np.zeros((self.most_dice + 1, self.after.shape[1]))
        laws[0, 0] = 1.0
        for dice in range(1, self.most_dice + 1):
            before = laws[dice - 1, : (dice - 1) * self.die.highest + 1]
            total = np.convolve(before, self.die.chances)
            laws[dice, : len(total)] = total
        for die, worth in self.beside:
            points = np.zeros(die.highest * worth + 1)
            points[::worth] = die.chances
            laws = np.array([np.convolve(law, points)[: laws.shape[1]] for law in laws])
        return laws

    @cached_property
    def dice_of_states(self) -> NDArray[np.uint16]:
        """`dice`, none for a state where nothing is rolled."""
        return self.dice if len(self.dice) else np.zeros(len(self.after), np.uint16)


@dataclass(frozen=True)
class Chain:
    """A start and the phases that follow, in order; the same phase may come again.

    Raises
    ------
    InputError
        More states, or more states and totals, than can be tabulated.
    """

    start: int
    phases: tuple[Phase, ...]

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.phases[0].after)

    @property
    def recordings(self) -> int:
        """How many laws are recorded."""
        return sum(phase.recorded for phase in self.phases)


def check_size(states: int, totals: int = 1) -> None:
    """Refuse a game of more states, or of larger tables, than there is room for.

    Raises
    ------
    InputError
    """
    if states > MOST_STATES:
        raise InputError(f"this question has {states} states", allowed=f"up to {MOST_STATES}; ask for less at once")
    if states * totals > MOST_CELLS:
        problem = f"this question has {states} states with {totals} totals each"
        raise InputError(problem, allowed=f"up to {MOST_CELLS} of both; ask for less at once")


@kernel
def push(
    laws: NDArray[np.float64], after: NDArray[np.uint16], dice: NDArray[np.uint16], of_totals: NDArray[np.float64],
) -> NDArray[np.float64]:  # fmt: skip
    """The laws of the state after a phase, from those before it; shapes (laws, states)."""
    pushed = np.zeros_like(laws)
    for row in range(laws.shape[0]):
        for first in range(0, laws.shape[1], _TOGETHER):
            last = min(first + _TOGETHER, laws.shape[1])
            if is_impossible(laws[row, first:last]):
                continue
            for state in range(first, last):
                if laws[row, state] == 0.0:
                    continue
                totals = of_totals[dice[state]]
                for total in range(len(totals)):
                    if totals[total] > 0.0:
                        pushed[row, after[state, total]] += laws[row, state] * totals[total]
    return pushed


@step
def is_impossible(chances: NDArray[np.float64]) -> bool:
    """Whether all of some chances are 0; their bits are looked at together, because most states are not reached."""
    found = np.int64(0)
    for bits in chances.view(np.int64):
        found |= bits
    return bool(found == 0)


def pushed_through(laws: NDArray[np.float64], phase: Phase) -> NDArray[np.float64]:
    """The laws of the state after a phase, from those before it; shapes (laws, states)."""
    return push(laws, phase.after, phase.dice_of_states, phase.laws)


def exact_laws(chain: Chain) -> NDArray[np.float64]:
    """The law of the state after each recorded phase: shape (recordings, states)."""
    law = np.zeros((1, chain.states))
    law[0, chain.start] = 1.0
    recorded = np.empty((chain.recordings, chain.states))
    row = 0
    for phase in chain.phases:
        law = pushed_through(law, phase)
        if phase.recorded:
            recorded[row] = law[0]
            row += 1
    return recorded
