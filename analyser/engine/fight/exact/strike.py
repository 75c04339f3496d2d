"""A strike in the exact engine: what it makes of a joint distribution.

Whether a strike is made and with what depends on the striker and on little of the struck unit; what it comes to, on
that and on the struck unit. Both are worked out once for each of those, and the pairs of states only look them up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.engine.fight import strikes
from analyser.engine.fight.exact.distribution import Fused, Joint, joint_of, seen_from, side_after
from analyser.engine.fight.exact.outcomes import PoolCache, StrikeOutcomes, with_lists
from analyser.engine.fight.program import Setup
from analyser.engine.index import NOT_FOUND, StateIndex, index_of, state_index
from analyser.rules import outcome, unit_state
from analyser.rules.structs import NONE

_FIELD = (1 << outcome.BITS) - 1
_OWN_DESTROYED = outcome.ATTACKER_DESTROYED - outcome.ATTACKER_DAMAGE


class StrikeConditions(NamedTuple):
    """Under which condition each striker strikes each struck unit."""

    views: NDArray[np.int64]  # (struck,): the column of `kinds` for each struck unit
    kinds: NDArray[np.int64]  # (strikers, views): which of `conditions` holds; NONE where the strike is not made
    conditions: StateIndex


class StrikeTransitions(NamedTuple):
    """What a strike comes to, a list for each condition and struck unit; equal transitions come together."""

    starts: NDArray[np.int64]  # (conditions, struck): where the list begins,
    ends: NDArray[np.int64]  # and ends; both 0 where no such pair comes up
    to: NDArray[np.int64]  # the place of the struck unit's next state
    loss: NDArray[np.int64]  # the place of what the strike does to the striker
    probability: NDArray[np.float64]
    struck: StateIndex  # those states
    losses: StateIndex  # what is done to strikers (:func:`loss_of`)


@step
def after_strike(
    setup: Setup, fused: Fused, joint: Joint, cache: PoolCache, known: StrikeOutcomes
) -> tuple[Joint, StrikeOutcomes]:
    """The distribution after fused operations that begin with a strike, and all outcomes that are known now."""
    _, active, number = fused.operation
    striker = setup.strikes[number].striker
    turned = seen_from(striker, joint)
    when = conditions_of(setup, number, active, turned)
    conditions = when.conditions.states[: when.conditions.length[0]]
    wanted = wanted_lists(when, turned)
    known, lists = with_lists(known, setup, cache, number, conditions, turned.second, wanted)
    transitions = transitions_of(setup, fused, turned.second, lists, known)
    return joint_after(setup, fused, when, turned, transitions), known


@step
def conditions_of(setup: Setup, number: int, active: int, joint: Joint) -> StrikeConditions:
    """Under which condition each of `joint.first` strikes each of `joint.second`."""
    striker = setup.strikes[number].striker
    seen = state_index(len(joint.second))
    views = np.empty(len(joint.second), np.int64)
    for column in range(len(joint.second)):
        views[column] = index_of(seen, strikes.seen_by_striker(setup, number, int(joint.second[column])))
    kinds = np.full((len(joint.first), seen.length[0]), NONE, np.int64)
    conditions = state_index(kinds.size)
    for row in range(kinds.shape[0]):
        for view in range(kinds.shape[1]):
            mine, theirs = int(joint.first[row]), int(seen.states[view])
            pair = (mine, theirs) if striker == 0 else (theirs, mine)
            if strikes.is_made(setup, number, active, pair):
                kinds[row, view] = index_of(conditions, strikes.condition(setup, number, pair))
    return StrikeConditions(views, kinds, conditions)


@step
def wanted_lists(when: StrikeConditions, joint: Joint) -> NDArray[np.bool_]:
    """Which conditions come up with which struck units."""
    views, kinds, probabilities = when.views, when.kinds, joint.probabilities
    wanted = np.zeros((when.conditions.length[0], len(views)), np.bool_)
    for row in range(probabilities.shape[0]):
        for column in range(probabilities.shape[1]):
            kind = kinds[row, views[column]]
            if kind != NONE and probabilities[row, column] > 0.0:
                wanted[kind, column] = True
    return wanted


@step
def transitions_of(
    setup: Setup, fused: Fused, states: NDArray[np.int64], lists: NDArray[np.int64], known: StrikeOutcomes
) -> StrikeTransitions:
    """What the strike makes of each of `states` by those lists of outcomes."""
    number, rest = fused.operation[2], fused.rest
    side = 1 - setup.strikes[number].striker
    _, _, _, list_starts, state, own, weight = known
    room = 0
    for at in lists.ravel():
        room += 0 if at == NOT_FOUND else list_starts[at + 1] - list_starts[at]
    starts, ends = np.zeros(lists.shape, np.int64), np.zeros(lists.shape, np.int64)
    to, loss, probability = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    struck, losses = state_index(len(states) + room), state_index(room)
    last = np.full(len(struck.states), NONE, np.int64)  # where each next state stands in the list
    count = 0
    for kind in range(lists.shape[0]):
        for column in range(lists.shape[1]):
            at, first = lists[kind, column], count
            if at == NOT_FOUND:
                continue
            for row in range(list_starts[at], list_starts[at + 1]):
                place = index_of(struck, side_after(setup, rest, side, int(state[row])))
                lost = index_of(losses, loss_of(setup, number, int(own[row]), int(state[row])))
                same = last[place]
                if same >= first and loss[same] == lost:
                    probability[same] += weight[row]
                    continue
                to[count], loss[count], probability[count] = place, lost, weight[row]
                last[place] = count
                count += 1
            starts[kind, column], ends[kind, column] = first, count
    return StrikeTransitions(starts, ends, to, loss, probability, struck, losses)


@step
def loss_of(setup: Setup, number: int, own: int, struck: int) -> int:
    """What a strike does to the striker (Overcharge), and in the lowest bit whether its enemy is gone."""
    if not setup.attacks[number].overcharge or not setup.strikes[number].bears_blanks:
        return 0
    return own << 1 | (1 if unit_state.is_removed(struck) else 0)


@step
def striker_after(setup: Setup, fused: Fused, state: int, loss: int) -> int:
    """The striker in state `state` at the end of fused operations whose strike did that to it."""
    number = fused.operation[2]
    struck, own = (outcome.ANNIHILATED if loss & 1 else 0), loss >> 1
    after = strikes.after_striking(setup, number, state, struck, own >> _OWN_DESTROYED, own & _FIELD)
    return side_after(setup, fused.rest, setup.strikes[number].striker, after)


@step
def joint_after(
    setup: Setup, fused: Fused, when: StrikeConditions, joint: Joint, transitions: StrikeTransitions
) -> Joint:
    """The distribution at the end of the fused operations; `joint` has the striker first."""
    striker = setup.strikes[fused.operation[2]].striker
    mine, theirs, before = joint
    views, kinds, _ = when
    starts, ends, to, loss, probability, others, losses = transitions
    strikers, several = state_index(len(mine) * (1 + losses.length[0])), losses.length[0] > 1
    idle, missed = np.full(len(mine), NONE, np.int64), np.full(len(theirs), NONE, np.int64)  # places without a strike
    struck = np.full((len(mine), losses.length[0]), NONE, np.int64)  # places of the strikers, by their losses
    for row in range(len(mine)):
        for column in range(len(theirs)):
            if before[row, column] == 0.0:
                continue
            kind = kinds[row, views[column]]
            if kind != NONE and (several or struck[row, 0] == NONE):
                add_strikers(setup, fused, mine[row], (kind, column), transitions, strikers, struck[row])
            elif kind == NONE and idle[row] == NONE:
                idle[row] = index_of(strikers, side_after(setup, fused.rest, striker, mine[row]))
            if kind == NONE and missed[column] == NONE:
                missed[column] = index_of(others, side_after(setup, fused.rest, 1 - striker, theirs[column]))
    after = np.zeros((strikers.length[0], others.length[0]))
    for row in range(len(mine)):
        for column in range(len(theirs)):
            share = before[row, column]
            if share == 0.0:
                continue
            kind = kinds[row, views[column]]
            if kind == NONE:
                after[idle[row], missed[column]] += share
                continue
            striker_to = struck[row, 0]
            for place in range(starts[kind, column], ends[kind, column]):
                if several:
                    striker_to = struck[row, loss[place]]
                after[striker_to, to[place]] += share * probability[place]
    return joint_of(striker, strikers, others, after)


@step
def add_strikers(
    setup: Setup,
    fused: Fused,
    state: int,
    at: tuple[int, int],
    transitions: StrikeTransitions,
    strikers: StateIndex,
    places: NDArray[np.int64],
) -> None:
    """Add what a striker in state `state` comes to by the list `at`; fill in its places by its losses."""
    for place in range(transitions.starts[at], transitions.ends[at]):
        loss = transitions.loss[place]
        if places[loss] == NONE:
            places[loss] = index_of(strikers, striker_after(setup, fused, state, transitions.losses.states[loss]))
