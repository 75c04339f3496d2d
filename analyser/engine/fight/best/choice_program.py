"""A round in which sides choose: operations and choices between branches of them, as flat records for kernels.

A round is a list of operations and :class:`Choice`. Each branch of a choice is such a list again, and all branches go
on with what stands after the choice. Flattened, it is *places* that are numbered from the end, so that everything leads
from a place to one with a lower number: place 0 is between two rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analyser.common.records import Integers
from analyser.engine.fight.program import Kind, Operation
from analyser.rules.structs import NONE

BETWEEN_ROUNDS = 0
# The columns of `Round.places`: where the operations, or the branches, of a place begin, and how many there are; where
# operations lead; whose choice it is, or NONE if there is no choice; what the choice is of.
FIRST, COUNT, NEXT, CHOOSER, SUBJECT = range(5)
# What choices are of: RETALIATION and ATTACK are how the charged and the active unit strike in a combat. DECLARED is no
# choice: it strikes as it has charged, or in the first way that can be. TEST: to take a test or to fail it on purpose.
ORDERS, REACTION, OVERRUN, RETALIATION, ATTACK, DECLARED, TEST = range(7)
# The columns of `Round.branches`: the place that a branch leads to, and the operation that says whether it can be
# chosen (an ORDER, a STRIKE, the ENGAGE of an Overrun, or a test that is failed), or NONE if it always can.
TO, GUARD = range(2)

# Whose test or die they never need, so that they are done at once with what stands before them.
_CERTAIN = (
    Kind.END,
    Kind.END_ROUND,
    Kind.END_COMBAT,
    Kind.FORGET,
    Kind.GIVE_ORDERS,
    Kind.ENGAGE,
    Kind.ENVELOP,
    Kind.RUN_AMOK,
    Kind.ORDER,
    Kind.STAND,
)


class Choice(NamedTuple):
    """A side chooses one of several branches; where no other can be chosen, the first can."""

    side: int
    subject: int  # ORDERS and the others
    branches: Sequence[Sequence[Operation | Choice]]


Course = Sequence[Operation | Choice]


class Round(NamedTuple):
    """A round, flattened; see the names of the columns above."""

    places: Integers  # (places, 5)
    branches: Integers  # (branches, 2)
    operations: Integers  # (operations, 3)

    @property
    def begins_at(self) -> int:
        """The place of its first operation."""
        return len(self.places) - 1


def flattened(course: Course) -> Round:
    """The places of a round."""
    flat = _Flat([[0, 0, NONE, NONE, NONE]], [], [])
    flat.add(course, BETWEEN_ROUNDS)
    return Round(*(np.array(part, np.int64).reshape(-1, width) for part, width in zip(flat, (5, 2, 3))))


class _Flat(NamedTuple):
    places: list[list[int]]
    branches: list[list[int]]
    operations: list[tuple[int, int, int]]

    def add(self, course: Course, after: int) -> int:
        """Add the places of a part of the round that leads to the place `after`; where it begins."""
        run: list[Operation] = []
        for part in reversed(course):
            if isinstance(part, Choice):
                after = self._add_choice(part, self._add_run(run, after))
                run = []
                continue
            run.insert(0, part)
            if part.kind not in _CERTAIN:
                after, run = self._add_run(run, after), []
        return self._add_run(run, after)

    def _add_run(self, run: Sequence[Operation], after: int) -> int:
        if not run:
            return after
        self.places.append([len(self.operations), len(run), after, NONE, NONE])
        self.operations.extend((int(each.kind), int(each.side), int(each.number)) for each in run)
        return len(self.places) - 1

    def _add_choice(self, choice: Choice, after: int) -> int:
        added = []
        for branch in choice.branches:
            begins = self.add(branch, after)
            added.append([begins, self.places[begins][FIRST] if branch else NONE])
        self.places.append([len(self.branches), len(added), NONE, choice.side, choice.subject])
        self.branches.extend(added)
        return len(self.places) - 1
