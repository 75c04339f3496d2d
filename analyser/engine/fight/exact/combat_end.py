"""Last strike of a combat fused with the combat's end (AC-8.5), in one pass over the pairs of states before the strike.

The many states between the strike and the end never enter the distribution.
"""

from __future__ import annotations

import numpy as np

from analyser.common.jit import step
from analyser.engine.fight import operations
from analyser.engine.fight.exact.distribution import Fused, Joint, apply_to_both, enlarge, trimmed
from analyser.engine.fight.exact.strike import PoolCache, StrikeOutcomes, strike_on_both
from analyser.engine.fight.program import Setup
from analyser.engine.state_index import find_or_add, state_index
from analyser.rules import combat_result, unit_state
from analyser.rules.draws import probability_of
from analyser.rules.structs import NONE

# Roles of a side at the end of a combat. _WON_ALONE: the loser is removed. A loser that failed its test has _LOST + 1.
_NOT_FOUGHT, _EVEN, _WON, _WON_ALONE, _LOST = range(5)
_ROLES = 6
_ROOM = 64  # rows and columns of the first matrix


@step
def roles_of(won_by: int, active: int, failed: int, loser_gone: bool) -> tuple[int, int]:
    """Return the roles of side 0 and side 1 at the end of a combat."""
    if won_by == combat_result.NOT_FOUGHT:
        return _NOT_FOUGHT, _NOT_FOUGHT
    if won_by == combat_result.NO_WINNER:
        return _EVEN, _EVEN
    won, lost = (_WON_ALONE if loser_gone else _WON), _LOST + failed
    return (won, lost) if (won_by == combat_result.ACTIVE) == (active == 0) else (lost, won)


@step
def after_combat(
    setup: Setup, strike: Fused, end: Fused, joint: Joint, cache: PoolCache, known: StrikeOutcomes
) -> tuple[Joint, StrikeOutcomes]:
    """Return the distribution after a strike and the end of its combat, and the extended outcomes of strikes.

    `end`: RESOLVE, fused with operations that concern one side each. The loser's test depends only on its state, and
    the end state of a side only on its state and role, so each is computed once.
    """
    active, striker = end.operation[1], setup.strikes[strike.operation[2]].striker
    strike_made, known = strike_on_both(setup, strike, joint, cache, known)
    (mine, theirs, before), (views, kinds, _), transitions, strikers, idle, missed, striker_to = strike_made
    starts, ends, to, loss, probability, others, _ = transitions
    ones, twos = (strikers, others) if striker == 0 else (others, strikers)
    states = max(ones.length[0], twos.length[0])
    places = np.full((2, states, _ROLES), NONE, np.int64)  # index of the end state, by side, state and role
    passes = np.full((2, states), -1.0)  # probability that the loser passes its test; below 0: not computed yet
    gone = np.full((2, states, 2), NONE, np.int64)  # 1 if the loser is removed, by side, state and failed test
    firsts, seconds = state_index(_ROLES * ones.length[0]), state_index(_ROLES * twos.length[0])
    after = np.zeros((_ROOM, _ROOM))
    for row in range(len(mine)):
        for column in range(len(theirs)):
            if before[row, column] == 0.0:
                continue
            kind = kinds[row, views[column]]
            low, high = (0, 1) if kind == NONE else (starts[kind, column], ends[kind, column])
            for place in range(low, high):
                one, two, share = idle[row], missed[column], before[row, column]
                if kind != NONE:
                    one, two = striker_to[row, loss[place]], to[place]
                    share *= probability[place]
                if striker == 1:
                    one, two = two, one
                pair = (int(ones.states[one]), int(twos.states[two]))
                won_by = operations.result_of_combat(setup, active, pair)
                loser = 1 - active if won_by == combat_result.ACTIVE else active
                of_loser, is_lost, passed = (one if loser == 0 else two), won_by < combat_result.NO_WINNER, 1.0
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
                    roles = roles_of(won_by, active, failed, is_gone == 1)
                    first, second = places[0, one, roles[0]], places[1, two, roles[1]]
                    if NONE in (is_gone, first, second):
                        ended = operations.apply(setup, end.operation, pair, failed == 0)
                        is_gone = 1 if unit_state.is_removed(ended[loser]) else 0
                        if is_lost:
                            gone[loser, of_loser, failed] = is_gone
                        roles = roles_of(won_by, active, failed, is_gone == 1)
                        ended = apply_to_both(setup, end.rest, ended)
                        first, second = find_or_add(firsts, ended[0]), find_or_add(seconds, ended[1])
                        places[0, one, roles[0]], places[1, two, roles[1]] = first, second
                        if firsts.length[0] > after.shape[0] or seconds.length[0] > after.shape[1]:
                            after = enlarge(after, firsts, seconds)
                    after[first, second] += share * part
    return trimmed(firsts, seconds, after), known
