"""Program of a round in which sides choose, as flat records for kernels.

A round is a list of operations and :class:`Choice`. Each branch of a choice is such a list again, and all branches
continue after the choice. The flat form is a table of *places*, numbered from the end: each place leads to a lower
number, and place 0 is between two rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analyser.common.records import Integers
from analyser.engine.fight.program import Kind, Operation
from analyser.rules.structs import NONE

BETWEEN_ROUNDS = 0
# Columns of `Round.places`: the first operation or branch of a place, and their number; the next place after
# operations; the side that chooses, or NONE; the subject of the choice.
FIRST, COUNT, NEXT, CHOOSER, SUBJECT = range(5)
# Subjects of choices. RETALIATION and ATTACK: the strike of the charged and of the active unit in a combat. DECLARED
# offers no alternative: the strike declared with the charge, or the first possible one. TEST: take a test or fail it.
ORDERS, REACTION, OVERRUN, RETALIATION, ATTACK, DECLARED, TEST = range(7)
# Columns of `Round.branches`: the next place, and the operation that decides if the branch can be chosen (an ORDER, a
# STRIKE, the ENGAGE of an Overrun, or a failed test), or NONE if it always can.
TO, GUARD = range(2)

# Operations without a draw, which are done together with the operation before them.
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
    """A choice of a side between branches; the first can be chosen if no other can."""

    side: int
    subject: int  # ORDERS, REACTION, ...
    branches: Sequence[Sequence[Operation | Choice]]


Course = Sequence[Operation | Choice]


class Round(NamedTuple):
    """A flat round, with the columns above."""

    places: Integers  # (places, 5)
    branches: Integers  # (branches, 2)
    operations: Integers  # (operations, 3)


def flatten(course: Course) -> Round:
    """Return the flat form of a round."""
    flat = _Flat([[0, 0, NONE, NONE, NONE]], [], [])
    flat.add(course, BETWEEN_ROUNDS)
    return Round(*(np.array(part, np.int64).reshape(-1, width) for part, width in zip(flat, (5, 2, 3))))


class _Flat(NamedTuple):
    places: list[list[int]]
    branches: list[list[int]]
    operations: list[tuple[int, int, int]]

    def add(self, course: Course, after: int) -> int:
        """Add the places of a part of the round before place `after`, and return its first place."""
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
        self.operations.extend((int(operation.kind), int(operation.side), int(operation.number)) for operation in run)
        return len(self.places) - 1

    def _add_choice(self, choice: Choice, after: int) -> int:
        added = []
        for branch in choice.branches:
            begins = self.add(branch, after)
            added.append([begins, self.places[begins][FIRST] if branch else NONE])
        self.places.append([len(self.branches), len(added), NONE, choice.side, choice.subject])
        self.branches.extend(added)
        return len(self.places) - 1
