"""End of a combat (AC-8.5), in one pass over the pairs of states. The rules run once for each state and role."""

from __future__ import annotations

import numpy as np

from analyser.common.jit import step
from analyser.engine.fight import operations
from analyser.engine.fight.exact import distribution
from analyser.engine.fight.exact.distribution import Fused, Joint
from analyser.engine.fight.exact.strike import PoolCache
from analyser.engine.fight.program import Setup
from analyser.engine.state_index import find_or_add, state_index
from analyser.rules import combat_result, unit_state
from analyser.rules.draws import probability_of
from analyser.rules.structs import NONE

# Roles of a side at the end of a combat. _WON_ALONE: the loser is removed. A loser that failed its test has _LOST + 1.
_NOT_FOUGHT, _EVEN, _WON, _WON_ALONE, _LOST = range(5)
_ROLES = 6


@step
def roles_of(won_by: int, failed: int, loser_gone: int) -> tuple[int, int]:
    """Return the roles of the active side and of the other side at the end of a combat."""
    if won_by == combat_result.NOT_FOUGHT:
        return _NOT_FOUGHT, _NOT_FOUGHT
    if won_by == combat_result.NO_WINNER:
        return _EVEN, _EVEN
    won, lost = (_WON_ALONE if loser_gone else _WON), _LOST + failed
    return (won, lost) if won_by == combat_result.ACTIVE else (lost, won)


@step
def after_combat(setup: Setup, end: Fused, side: int, joint: Joint, cache: PoolCache) -> Joint:
    """Return the distribution after a RESOLVE fused with one-sided operations; `joint` has `side` first."""
    (ones, twos, rows, columns, before), is_active = joint, end.operation[1] == side
    states = max(len(ones), len(twos))
    end_indices = np.full((2, states, _ROLES), NONE, np.int64)  # index of the end state, by side, state and role
    passes = np.full((2, states), -1.0)  # probability that the loser passes its test; below 0: not computed yet
    gone = np.full((2, states, 2), NONE, np.int64)  # 1 if the loser is removed, by side, state and failed test
    firsts, seconds = state_index(_ROLES * len(ones)), state_index(_ROLES * len(twos))
    last = np.full((_ROLES, len(seconds.states)), NONE, np.int64)  # index of the last pair with this role and end state
    after, count, first_of_row = distribution.empty_pairs(2 * len(rows)), 0, 0
    for index in range(len(rows)):
        one, two = rows[index], columns[index]
        if index == 0 or rows[index - 1] != one:
            first_of_row = count
        pair = (int(ones[one]), int(twos[two])) if side == 0 else (int(twos[two]), int(ones[one]))
        won_by = operations.result_of_combat(setup, end.operation[1], pair)
        is_lost, passed = won_by < combat_result.NO_WINNER, 1.0
        loser = 1 if (won_by == combat_result.ACTIVE) == is_active else 0
        of_loser = one if loser == 0 else two
        if is_lost:
            if passes[loser, of_loser] < 0.0:
                draw, highest = operations.required_draw(setup, end.operation, pair)
                passes[loser, of_loser] = probability_of(draw, highest, cache.odds)
            passed = passes[loser, of_loser]
        for failed in range(2):
            part = passed if failed == 0 else 1.0 - passed
            if part == 0.0:
                continue
            is_gone = gone[loser, of_loser, failed] if is_lost else 0
            mine, theirs = roles_of(won_by, failed, is_gone)
            role, other = (mine, theirs) if is_active else (theirs, mine)
            first, second = end_indices[0, one, role], end_indices[1, two, other]
            if NONE in (is_gone, first, second):
                ended = operations.apply(setup, end.operation, pair, failed == 0)
                is_gone = 1 if unit_state.is_removed(ended[loser if side == 0 else 1 - loser]) else 0
                if is_lost:
                    gone[loser, of_loser, failed] = is_gone
                mine, theirs = roles_of(won_by, failed, is_gone)
                role, other = (mine, theirs) if is_active else (theirs, mine)
                ended = distribution.apply_to_both(setup, end.rest, ended)
                first, second = find_or_add(firsts, ended[side]), find_or_add(seconds, ended[1 - side])
                end_indices[0, one, role], end_indices[1, two, other] = first, second
            same = last[role, second]
            if same >= first_of_row:
                after.weights[same] += before[index] * part
                continue
            after.rows[count], after.columns[count], after.weights[count] = first, second, before[index] * part
            last[role, second] = count
            count += 1
    return distribution.merge_equal_pairs(side, distribution.joint_of_pairs(firsts, seconds, after, count))
