"""Lookup of the choices of a plan in a simulated fight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Integers
from analyser.engine.fight import operations
from analyser.engine.fight.program import Kind, Pair, Setup, operation_at

NOT_FOUND = -1


class Choices(NamedTuple):
    """A plan: the branch for each place and pair of states (merged by :func:`~..operations.merge_moves`), sorted."""

    begins: Integers  # (places + 1,): index of the first pair of each place
    first: Integers  # (pairs,): states of side 0
    second: Integers  # (pairs,): states of side 1
    branches: Integers  # (rounds, pairs)


_NONE = np.zeros(1, np.int64)
NO_CHOICES = Choices(_NONE, _NONE, _NONE, np.zeros((1, 1), np.int64))


@step
def find_pair(setup: Setup, choices: Choices, place: int, pair: Pair) -> int:
    """Return the index of a pair among the pairs of a plan at `place`, or NOT_FOUND."""
    first, second = operations.merge_moves(setup, pair)
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
    """Return the next line after a CHOOSE, or after a BRANCH that is not selected."""
    kind, number, place = operation_at(lines, line)
    if kind == Kind.BRANCH:
        return line + 1 + place
    index = find_pair(setup, choices, place, pair)
    branch = choices.branches[number, index] if index != NOT_FOUND else 0  # not in the plan: all branches are alike
    line += 1
    while lines[line, 1] != branch:
        line += 1 + lines[line, 2]
    return int(line + 1)


@tiered(1.0)
def find_pairs(setup: Setup, choices: Choices, place: int, first: Integers, second: Integers) -> Integers:
    """Return the indices of several pairs of states at `place` in a plan, or NOT_FOUND."""
    result = np.empty(len(first), np.int64)
    for index in range(len(first)):
        result[index] = find_pair(setup, choices, place, (first[index], second[index]))
    return result
