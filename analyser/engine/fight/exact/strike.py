"""A strike in the exact engine: what it makes of a joint law.

Whether a strike is made and with what depends on the striker and on little of the struck unit; what it comes to, on
that and on the struck unit. Both are worked out once for each of those, and the pairs of states only look them up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.engine.fight import strikes
from analyser.engine.fight.exact.distribution import Law, Stretch, law_of, seen_from, side_after
from analyser.engine.fight.exact.outcomes import Chances, Ways, with_lists
from analyser.engine.fight.program import Setup
from analyser.engine.index import NOT_FOUND, StateIndex, index_of, state_index
from analyser.rules import outcome, unit_state
from analyser.rules.structs import NONE

_FIELD = (1 << outcome.BITS) - 1
_OWN_DESTROYED = outcome.ATTACKER_DESTROYED - outcome.ATTACKER_DAMAGE


class Aim(NamedTuple):
    """Under which condition each striker strikes each struck unit.

    Attributes
    ----------
    views : int64 array, shape (struck,)
        The column of `kinds` for each struck unit.
    kinds : int64 array, shape (strikers, views)
        Which of `conditions` holds; NONE where the strike is not made.
    conditions : StateIndex
    """

    views: NDArray[np.int64]
    kinds: NDArray[np.int64]
    conditions: StateIndex


class Blows(NamedTuple):
    """What a strike comes to, a list for each condition and struck unit; ways to the same states come together.

    Attributes
    ----------
    starts, ends : int64 arrays, shape (conditions, struck)
        Where the list begins and ends; both 0 where no such pair comes up.
    to, loss, chance : arrays
        The place of the struck unit's next state, that of what the strike does to the striker, how likely they are.
    struck, losses : StateIndex
        Those states, and what is done to strikers (:func:`loss_of`).
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    to: NDArray[np.int64]
    loss: NDArray[np.int64]
    chance: NDArray[np.float64]
    struck: StateIndex
    losses: StateIndex


@step
def struck_law(setup: Setup, stretch: Stretch, law: Law, chances: Chances, ways: Ways) -> tuple[Law, Ways]:
    """The law after a stretch that begins with a strike, and all ways of strikes that are known now."""
    _, active, number = stretch.operation
    striker = setup.strikes[number].striker
    turned = seen_from(striker, law)
    aim = aim_of(setup, number, active, turned)
    conditions = aim.conditions.states[: aim.conditions.length[0]]
    wanted = wanted_lists(aim, turned)
    ways, lists = with_lists(ways, setup, chances, number, conditions, turned.second, wanted)
    blows = blows_of(setup, stretch, turned.second, lists, ways)
    return law_after(setup, stretch, aim, turned, blows), ways


@step
def aim_of(setup: Setup, number: int, active: int, law: Law) -> Aim:
    """Under which condition each of `law.first` strikes each of `law.second`."""
    striker = setup.strikes[number].striker
    seen = state_index(len(law.second))
    views = np.empty(len(law.second), np.int64)
    for column in range(len(law.second)):
        views[column] = index_of(seen, strikes.seen_by_striker(setup, number, law.second[column]))
    kinds = np.full((len(law.first), seen.length[0]), NONE, np.int64)
    conditions = state_index(kinds.size)
    for row in range(kinds.shape[0]):
        for view in range(kinds.shape[1]):
            mine, theirs = law.first[row], seen.states[view]
            words = (mine, theirs) if striker == 0 else (theirs, mine)
            if strikes.is_made(setup, number, active, words):
                kinds[row, view] = index_of(conditions, strikes.condition(setup, number, words))
    return Aim(views, kinds, conditions)


@step
def wanted_lists(aim: Aim, law: Law) -> NDArray[np.bool_]:
    """Which conditions come up with which struck units."""
    views, kinds, chances = aim.views, aim.kinds, law.chances
    wanted = np.zeros((aim.conditions.length[0], len(views)), np.bool_)
    for row in range(chances.shape[0]):
        for column in range(chances.shape[1]):
            kind = kinds[row, views[column]]
            if kind != NONE and chances[row, column] > 0.0:
                wanted[kind, column] = True
    return wanted


@step
def blows_of(setup: Setup, stretch: Stretch, states: NDArray[np.int64], lists: NDArray[np.int64], ways: Ways) -> Blows:
    """What the strike makes of each of `states` by those lists of ways."""
    number, rest = stretch.operation[2], stretch.rest
    side = 1 - setup.strikes[number].striker
    _, _, _, way_starts, state, own, likely = ways
    room = 0
    for at in lists.ravel():
        room += 0 if at == NOT_FOUND else way_starts[at + 1] - way_starts[at]
    starts, ends = np.zeros(lists.shape, np.int64), np.zeros(lists.shape, np.int64)
    to, loss, chance = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    struck, losses = state_index(len(states) + room), state_index(room)
    last = np.full(len(struck.states), NONE, np.int64)  # where each next state stands in the list
    count = 0
    for kind in range(lists.shape[0]):
        for column in range(lists.shape[1]):
            at, first = lists[kind, column], count
            if at == NOT_FOUND:
                continue
            for way in range(way_starts[at], way_starts[at + 1]):
                place = index_of(struck, side_after(setup, rest, side, state[way]))
                lost = index_of(losses, loss_of(setup, number, own[way], state[way]))
                same = last[place]
                if same >= first and loss[same] == lost:
                    chance[same] += likely[way]
                    continue
                to[count], loss[count], chance[count] = place, lost, likely[way]
                last[place] = count
                count += 1
            starts[kind, column], ends[kind, column] = first, count
    return Blows(starts, ends, to, loss, chance, struck, losses)


@step
def loss_of(setup: Setup, number: int, own: int, struck: int) -> int:
    """What a strike does to the striker (Overcharge), and in the lowest bit whether its enemy is gone."""
    if not setup.attacks[number].overcharge or not setup.strikes[number].bears_blanks:
        return 0
    return own << 1 | (1 if unit_state.is_removed(struck) else 0)


@step
def striker_after(setup: Setup, stretch: Stretch, word: int, loss: int) -> int:
    """The striker in state `word` at the end of a stretch whose strike did that to it."""
    number = stretch.operation[2]
    struck, own = (outcome.ANNIHILATED if loss & 1 else 0), loss >> 1
    after = strikes.after_striking(setup, number, word, struck, own >> _OWN_DESTROYED, own & _FIELD)
    return side_after(setup, stretch.rest, setup.strikes[number].striker, after)


@step
def law_after(setup: Setup, stretch: Stretch, aim: Aim, law: Law, blows: Blows) -> Law:
    """The law at the end of the stretch; `law` has the striker first."""
    striker = setup.strikes[stretch.operation[2]].striker
    mine, theirs, before = law
    views, kinds, _ = aim
    starts, ends, to, loss, chance, others, losses = blows
    strikers, several = state_index(len(mine) * (1 + losses.length[0])), losses.length[0] > 1
    idle, missed = np.full(len(mine), NONE, np.int64), np.full(len(theirs), NONE, np.int64)  # places without a strike
    struck = np.full((len(mine), losses.length[0]), NONE, np.int64)  # places of the strikers, by their losses
    for row in range(len(mine)):
        for column in range(len(theirs)):
            if before[row, column] == 0.0:
                continue
            kind = kinds[row, views[column]]
            if kind != NONE and (several or struck[row, 0] == NONE):
                add_strikers(setup, stretch, mine[row], (kind, column), blows, strikers, struck[row])
            elif kind == NONE and idle[row] == NONE:
                idle[row] = index_of(strikers, side_after(setup, stretch.rest, striker, mine[row]))
            if kind == NONE and missed[column] == NONE:
                missed[column] = index_of(others, side_after(setup, stretch.rest, 1 - striker, theirs[column]))
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
                after[striker_to, to[place]] += share * chance[place]
    return law_of(striker, strikers, others, after)


@step
def add_strikers(
    setup: Setup,
    stretch: Stretch,
    word: int,
    at: tuple[int, int],
    blows: Blows,
    strikers: StateIndex,
    places: NDArray[np.int64],
) -> None:
    """Add what a striker in state `word` comes to by the list `at`; fill in its places by its losses."""
    for place in range(blows.starts[at], blows.ends[at]):
        loss = blows.loss[place]
        if places[loss] == NONE:
            places[loss] = index_of(strikers, striker_after(setup, stretch, word, blows.losses.states[loss]))
