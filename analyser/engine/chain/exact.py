"""Exact laws of games that go on: a law of states is pushed through phase after phase.

Where states are few, all of them have a number, which is the state itself. Where they are many, those that can be
reached from the start are found first, phase by phase, and numbered in order; so a question costs what can happen in
it, and one that is too large is refused while it is being looked through.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import TooLargeError
from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Chain, Phase, Recorded, States, each_once

ROOM = 1 << 24  # numbers of the tables and of the recorded laws, where states have to be found first
AT_ONCE = 1 << 18  # numbers of a table that are worked out together
_TOGETHER = 64  # states that are looked at together


@dataclass(frozen=True, eq=False)
class Tabulated:
    """A phase as tables over numbered states.

    Attributes
    ----------
    phase : Phase
    after : uint32 array, shape (states, totals)
        The number of the state that each state and total lead to.
    dice : uint16 array, shape (states,)
    """

    phase: Phase
    after: NDArray[np.uint32]
    dice: NDArray[np.uint16]

    @cached_property
    def laws(self) -> NDArray[np.float64]:
        """The law of the total of n dice, in row n."""
        return self.phase.laws(int(self.dice.max(initial=0)))


class Tables:
    """The phases of a chain as tables, each worked out once.

    Parameters
    ----------
    states : int64 array, shape (states,)
        In order; each one's number is its place.
    """

    def __init__(self, states: States) -> None:
        self.states = states
        self._are_numbers = int(states[-1]) == len(states) - 1
        self._made: dict[tuple[object, ...], Tabulated] = {}

    def of(self, phase: Phase) -> Tabulated:
        """The tables of a phase."""
        if phase.rule not in self._made:
            after = np.empty((len(self.states), phase.totals), np.uint32)
            for some in slabs(len(self.states), phase.totals):
                after[some] = self.numbers_of(phase.rows(self.states[some]))
            self._made[phase.rule] = Tabulated(phase, after, phase.dice_of(self.states).astype(np.uint16))
        return self._made[phase.rule]

    def numbers_of(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of some states; any number for one that has none, which is none that can be reached."""
        if self._are_numbers:
            return states
        return np.minimum(np.searchsorted(self.states, states), len(self.states) - 1)


def slabs(states: int, totals: int) -> list[slice]:
    """Slices of states whose rows are worked out together."""
    some = max(AT_ONCE // totals, 1)
    return [slice(first, first + some) for first in range(0, states, some)]


def states_of(chain: Chain) -> States:
    """The states that laws of a chain are laws of: all, where they are few; else those that can be reached.

    Raises
    ------
    TooLargeError
        There are more than there is room for.
    """
    if chain.is_small:
        return np.arange(chain.states)
    search, now = Search(chain), np.array([chain.start])
    for phase in chain.phases:
        now = search.through(now, phase)
    return search.found


class Search:
    """A search for the states that can be reached.

    Attributes
    ----------
    found : int64 array, shape (states,)
        Those found so far, in order.
    """

    def __init__(self, chain: Chain) -> None:
        self.found = np.array([chain.start])
        self._chain = chain
        totals = {phase.rule: phase.totals for phase in chain.phases}
        self._numbers = sum(totals.values()) + 2 * chain.recordings
        self._last: dict[tuple[object, ...], tuple[States, States]] = {}

    def through(self, states: States, phase: Phase) -> States:
        """The states that a phase leads to from some states.

        Raises
        ------
        TooLargeError
            There is no room for their tables and laws.
        """
        last = self._last.get(phase.rule)
        if last is not None and np.array_equal(states, last[0]):
            return last[1]
        if (int(phase.dice_of(states).max()) + 1) * phase.totals > ROOM:  # laws of the totals of so many dice
            raise too_large(self._chain)
        after = np.zeros(0, np.int64)
        for some in slabs(len(states), phase.totals):
            after = each_once(np.concatenate([after, _led_to(states[some], phase)]))
            self._check_room(len(after))
        self.found = each_once(np.concatenate([self.found, after]))
        self._check_room(len(self.found))
        self._last[phase.rule] = states, after
        return after

    def _check_room(self, states: int) -> None:
        if states * self._numbers > ROOM:
            raise too_large(self._chain)


def _led_to(states: States, phase: Phase) -> States:
    rows, (low, high) = phase.rows(states), phase.span(states)
    totals = np.arange(rows.shape[1])
    possible = (totals >= low[:, np.newaxis]) & (totals <= high[:, np.newaxis])
    return each_once(rows[possible])


def too_large(chain: Chain) -> TooLargeError:
    """The refusal of a chain."""
    problem = f"{chain.extent.of or 'this question'}: too much for the method exact"
    return TooLargeError(problem, less=chain.extent.less)


@kernel
def push(
    laws: NDArray[np.float64], after: NDArray[np.uint32], dice: NDArray[np.uint16], of_totals: NDArray[np.float64],
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


def pushed_through(laws: NDArray[np.float64], tabulated: Tabulated) -> NDArray[np.float64]:
    """The laws of the state after a phase, from those before it; shapes (laws, states)."""
    return push(laws, tabulated.after, tabulated.dice, tabulated.laws)


def exact_laws(chain: Chain) -> Recorded:
    """The law of the state after each recorded phase.

    Raises
    ------
    TooLargeError
        More states can be reached than there is room for.
    """
    tables = Tables(states_of(chain))
    law = np.zeros((1, len(tables.states)))
    law[0, tables.numbers_of(np.array([chain.start]))] = 1.0
    recorded = np.empty((chain.recordings, len(tables.states)))
    row = 0
    for phase in chain.phases:
        law = pushed_through(law, tables.of(phase))
        if phase.recorded:
            recorded[row] = law[0]
            row += 1
    return Recorded(tables.states, recorded)
