"""Branches of a choice that the rules allow in a pair of states."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.best.choice_program import (
    ATTACK,
    CHOOSER,
    COUNT,
    DECLARED,
    FIRST,
    GUARD,
    NEXT,
    ORDERS,
    OVERRUN,
    RETALIATION,
    SUBJECT,
    TEST,
    TO,
    Round,
)
from analyser.engine.fight.program import ON_PURPOSE, Kind, Pair, Setup, operation_at
from analyser.rules import activation, unit_state
from analyser.rules.activation import Order
from analyser.rules.draws import test_draw
from analyser.rules.structs import NONE


@step
def first_made(setup: Setup, rules: Round, place: int, pair: Pair) -> int:
    """Return the first branch of a place whose strike is made, or the first branch if none is."""
    begin = rules.places[place, FIRST]
    for branch in range(begin, begin + rules.places[place, COUNT]):
        operation = operation_at(rules.operations, rules.branches[branch, GUARD])
        if strikes.is_made(setup, operation[2], operation[1], pair):
            return int(branch)
    return int(begin)


@step
def can_strike(setup: Setup, rules: Round, place: int, branch: int, pair: Pair) -> bool:
    """Return True if a unit in a combat can strike by a branch. A unit that can strike must (AC-8.3)."""
    operation = operation_at(rules.operations, rules.branches[branch, GUARD])
    if rules.places[place, SUBJECT] != DECLARED and strikes.is_made(setup, operation[2], operation[1], pair):
        return True
    return branch == first_made(setup, rules, place, pair)


@step
def takes_test(setup: Setup, rules: Round, place: int, branch: int, pair: Pair) -> bool:
    """Return True if the choosing unit takes a test by card there, which it can fail on purpose (AC-5.1)."""
    kind, side, number = operation_at(rules.operations, rules.branches[branch, GUARD])
    draw, _ = operations.required_draw(setup, (kind ^ ON_PURPOSE, side, number), pair)
    return bool(draw == test_draw(rules.places[place, CHOOSER]))


@step
def can_choose(setup: Setup, rules: Round, place: int, branch: int, pair: Pair) -> bool:
    """Return True if a branch can be chosen in these states; without possible orders only the first one can."""
    guard = rules.branches[branch, GUARD]
    if guard == NONE:
        return True
    if rules.places[place, SUBJECT] == TEST:
        return branch == rules.places[place, FIRST] or takes_test(setup, rules, place, branch, pair)
    operation = operation_at(rules.operations, guard)
    if rules.places[place, SUBJECT] in (RETALIATION, ATTACK, DECLARED):
        return can_strike(setup, rules, place, branch, pair)
    if operation[0] == Kind.STRIKE:
        return strikes.is_made(setup, operation[2], operation[1], pair)
    side = rules.places[place, CHOOSER]
    mine, theirs = (pair[0], pair[1]) if side == 0 else (pair[1], pair[0])
    if rules.places[place, SUBJECT] == OVERRUN:
        return bool(operation[0] == Kind.STAND or unit_state.order_of(mine) == Order.OVERRUN)
    if not activation.awaits_orders(mine) or unit_state.is_removed(theirs):
        return bool(branch == rules.places[place, FIRST])
    if operation[0] == Kind.GIVE_ORDERS:
        return True
    if not operations.can_be_ordered(setup, operation, mine, theirs):
        return False
    if not operations.shoots_by(operation):
        return True
    to = rules.branches[branch, TO]
    after = after_run(setup, rules, to, pair)
    following = operation_at(rules.operations, rules.places[rules.places[to, NEXT], FIRST])
    return strikes.is_made(setup, following[2], side, after)


@step
def after_run(setup: Setup, rules: Round, place: int, pair: Pair) -> tuple[int, int]:
    """Return the pair after the operations of a place, which have no draws."""
    begin = rules.places[place, FIRST]
    for at in range(begin, begin + rules.places[place, COUNT]):
        pair = operations.changed(setup, operation_at(rules.operations, at), pair, True)
    return pair[0], pair[1]


@step
def only_branch(setup: Setup, rules: Round, place: int, pair: Pair) -> int:
    """Return the only branch that can be chosen; NONE if there are several, or if orders are given.

    Also NONE if the only strike in a combat is not the first branch, because a plan's default is the first branch.
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
