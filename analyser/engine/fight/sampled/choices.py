"""Choices of a plan in a simulated fight, looked up when the fight comes to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyser.common.jit import step, tiered
from analyser.common.records import Integers
from analyser.engine.fight import operations
from analyser.engine.fight.program import Kind, Pair, Setup, operation_at

NOT_FOUND = -1


class Choices(NamedTuple):
    """A plan: the pairs of states that each place of a round can be come to in, and the branch that is taken there.

    The pairs of a place are in rising order, told as :func:`~..operations.together` tells them.
    """

    begins: Integers  # (places + 1,): where the pairs of each place begin
    first: Integers  # (pairs,): states of side 0,
    second: Integers  # and of side 1
    branches: Integers  # (rounds, pairs)


_NONE = np.zeros(1, np.int64)
NOBODY_CHOOSES = Choices(_NONE, _NONE, _NONE, np.zeros((1, 1), np.int64))


@step
def pair_known(setup: Setup, choices: Choices, place: int, pair: Pair) -> int:
    """Return the place of a pair among those of a plan at `place`; NOT_FOUND if it has not come up."""
    first, second = operations.together(setup, pair)
    low, high = choices.begins[place], choices.begins[place + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        one, two = choices.first[middle], choices.second[middle]
        if one < first or (one == first and two < second):
            low = middle + 1
        else:
            high = middle
    if low < end and choices.first[low] == first and choices.second[low] == second:
        return int(low)
    return NOT_FOUND


@step
def next_line(setup: Setup, choices: Choices, lines: Integers, line: int, pair: Pair) -> int:
    """Where a fight goes on that is at a CHOOSE, or at a BRANCH that was not chosen.

    Where a plan says nothing there is nothing to choose, and the first branch is as good as any.
    """
    kind, number, place = operation_at(lines, line)
    if kind == Kind.BRANCH:
        return line + 1 + place
    known = pair_known(setup, choices, place, pair)
    branch = choices.branches[number, known] if known != NOT_FOUND else 0
    line += 1
    while lines[line, 1] != branch:
        line += 1 + lines[line, 2]
    return int(line + 1)


@tiered(1.0)
def pairs_known(setup: Setup, choices: Choices, place: int, first: Integers, second: Integers) -> Integers:
    """The place in a plan of each of several pairs of states, or NOT_FOUND."""
    result = np.empty(len(first), np.int64)
    for each in range(len(first)):
        result[each] = pair_known(setup, choices, place, (first[each], second[each]))
    return result
