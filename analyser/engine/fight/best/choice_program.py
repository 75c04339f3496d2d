"""Program of a round in which sides choose, as flat tables for kernels.

A place is a choice, or operations that are applied together. Places are numbered from the end of the round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.kernel_records import Integers
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.program import ON_PURPOSE, Kind, Operation, Pair, Setup, operation_at, unpack_order
from analyser.rules import activation, unit_state
from analyser.rules.activation import Order
from analyser.rules.draws import test_draw
from analyser.rules.policies import Action
from analyser.rules.structs import NONE

BETWEEN_ROUNDS = 0
# Columns of `FlatRound.places`: the first operation or branch of a place; the number of its operations or branches; the
# next place after operations; the side that chooses, or NONE; the subject of the choice.
FIRST, COUNT, NEXT, CHOOSER, SUBJECT = range(5)
# Subjects of choices. RETALIATION: the charged unit's strike in a combat. ATTACK: the active unit's strike. DECLARED
# leaves no choice: the unit makes the strike that it declared with the charge; if that is impossible, it
# makes the first possible strike. TEST: take a test, or fail it on purpose.
ORDERS, REACTION, OVERRUN, RETALIATION, ATTACK, DECLARED, TEST = range(7)
# Columns of `FlatRound.branches`: the first place of the branch; and its first operation, which decides whether the
# branch can be chosen, or NONE for an empty branch, which can always be chosen.
TO, GUARD = range(2)

# Operations without a draw, which are applied together with the operation before them.
_WITHOUT_DRAW = (
    Kind.END,
    Kind.END_ROUND,
    Kind.END_COMBAT,
    Kind.CLEAR_MARK,
    Kind.GIVE_ORDERS,
    Kind.ENGAGE,
    Kind.SPREAD_FUMES,
    Kind.RUN_AMOK,
    Kind.ORDER,
    Kind.DECLINE_OVERRUN,
)


class Choice(NamedTuple):
    """A side's choice between branches; if no other branch is allowed, the first is."""

    side: int
    subject: int  # one of ORDERS to TEST
    branches: Sequence[Sequence[Operation | Choice]]


Steps = Sequence[Operation | Choice]


class FlatRound(NamedTuple):
    """Flat form of a round, named `rules` in arguments. Constants above name the columns."""

    places: Integers  # (places, 5)
    branches: Integers  # (branches, 2)
    operations: Integers  # (operations, 3)


def flatten(steps: Steps) -> FlatRound:
    """Return the flat form of a round."""
    flat = _Flat([[0, 0, NONE, NONE, NONE]], [], [])
    flat.add(steps, BETWEEN_ROUNDS)
    return FlatRound(*(np.array(part, np.int64).reshape(-1, width) for part, width in zip(flat, (5, 2, 3))))


class _Flat(NamedTuple):
    places: list[list[int]]
    branches: list[list[int]]
    operations: list[tuple[int, int, int]]

    def add(self, steps: Steps, after: int) -> int:
        """Add the places of `steps`, and return the first of them; `after` is the place that comes next."""
        run: list[Operation] = []
        for part in reversed(steps):
            if isinstance(part, Choice):
                after = self._add_choice(part, self._add_run(run, after))
                run = []
                continue
            run.insert(0, part)
            if part.kind not in _WITHOUT_DRAW:
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


@step
def can_strike(setup: Setup, rules: FlatRound, place: int, branch: int, pair: Pair) -> bool:
    """Return True if a unit in a combat can choose the strike of a branch; a unit that can strike must (AC-8.3)."""
    operation = operation_at(rules.operations, rules.branches[branch, GUARD])
    if rules.places[place, SUBJECT] != DECLARED and strikes.is_made(setup, operation[2], operation[1], pair):
        return True
    begin = rules.places[place, FIRST]
    for first in range(begin, begin + rules.places[place, COUNT]):  # the first strike that is made, or the first of all
        operation = operation_at(rules.operations, rules.branches[first, GUARD])
        if strikes.is_made(setup, operation[2], operation[1], pair):
            return bool(branch == first)
    return bool(branch == begin)


@step
def can_choose(setup: Setup, rules: FlatRound, place: int, branch: int, pair: Pair) -> bool:
    """Return True if a branch can be chosen in these states; if the unit gets no orders, only the first can."""
    guard = rules.branches[branch, GUARD]
    if guard == NONE:
        return True
    operation, side = operation_at(rules.operations, guard), rules.places[place, CHOOSER]
    if rules.places[place, SUBJECT] == TEST:  # it can be failed on purpose if a card decides it (AC-5.1)
        if branch == rules.places[place, FIRST]:
            return True
        draw, _ = operations.required_draw(setup, (operation[0] ^ ON_PURPOSE, operation[1], operation[2]), pair)
        return bool(draw == test_draw(side))
    if rules.places[place, SUBJECT] in (RETALIATION, ATTACK, DECLARED):
        return can_strike(setup, rules, place, branch, pair)
    if operation[0] == Kind.STRIKE:
        return strikes.is_made(setup, operation[2], operation[1], pair)
    mine, theirs = (pair[0], pair[1]) if side == 0 else (pair[1], pair[0])
    if rules.places[place, SUBJECT] == OVERRUN:
        return bool(operation[0] == Kind.DECLINE_OVERRUN or unit_state.order_of(mine) == Order.OVERRUN)
    if not activation.awaits_orders(mine) or unit_state.is_removed(theirs):
        return bool(branch == rules.places[place, FIRST])
    if operation[0] == Kind.GIVE_ORDERS:
        return True
    if not operations.can_give_order(setup, operation, mine, theirs):
        return False
    if unpack_order(operation[2]).action != Action.SHOOT:
        return True
    to = rules.branches[branch, TO]
    after = after_run(setup, rules, to, pair, 0)
    following = operation_at(rules.operations, rules.places[rules.places[to, NEXT], FIRST])
    return strikes.is_made(setup, following[2], side, after)


@step
def after_run(setup: Setup, rules: FlatRound, place: int, pair: Pair, skipped: int) -> tuple[int, int]:
    """Return the pair of states after the operations of a place (without draws); leave out the first `skipped`."""
    begin = rules.places[place, FIRST]
    for at in range(begin + skipped, begin + rules.places[place, COUNT]):
        pair = operations.apply(setup, operation_at(rules.operations, at), pair, True)
    return pair[0], pair[1]


@step
def only_branch(setup: Setup, rules: FlatRound, place: int, pair: Pair) -> int:
    """Return the only branch that can be chosen.

    Return NONE if several can be chosen, for each choice of orders, and for a choice of a strike in a combat if the
    only branch is not the first.
    """
    subject = rules.places[place, SUBJECT]
    if subject == ORDERS:
        return NONE
    result, begin = NONE, rules.places[place, FIRST]
    for branch in range(begin, begin + rules.places[place, COUNT]):
        if can_choose(setup, rules, place, branch, pair):
            if result != NONE:
                return NONE
            result = branch
    return NONE if result != begin and subject in (RETALIATION, ATTACK, DECLARED) else result
