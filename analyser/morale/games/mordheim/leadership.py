"""Stupidity turn by turn, and several tests of one turn together, tabulated (MD-1, MD-4, MD-10)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Chain, Die, ExtraDie, Phase, sided
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import Question, Stupidity, Together
from analyser.morale.games.mordheim.warband import LOWEST_ROLL, ROLLS, TWO_DICE

SIDES = 6
SENSIBLE, WALKS, IDLE, NO_BLOWS = range(4)  # what a warrior does this turn; FATES of them
DOES = ("sensible", "walks", "idle", "no blows")
LEADER_STATES = ("standing", "out of action", "stunned", "knocked down", "fleeing")
STANDING, OUT, STUNNED = range(3)


@step
def stupid(roll: int, wandering: int, leadership: int, in_combat: bool) -> int:
    """What a stupid warrior does in his turn (MD-10)."""
    if rules.passes(roll, leadership):
        return SENSIBLE
    if in_combat:
        return NO_BLOWS
    return WALKS if rules.walks_when_stupid(wandering) else IDLE


@kernel
def tabulated_stupidity(turns: int, leadership: int, in_combat: bool) -> NDArray[np.int64]:
    """The state ``lost * 4 + what he does`` after a turn: shape (states, 11 rolls of two dice * 7)."""
    states, totals = (turns + 1) * 4, ROLLS * (SIDES + 1)
    after = np.empty((states, totals), np.int64)
    for state in range(states):
        for total in range(totals):
            does = stupid(total % ROLLS + LOWEST_ROLL, total // ROLLS, leadership, in_combat)
            lost = min(state // 4 + (1 if does != SENSIBLE else 0), turns)
            after[state, total] = lost * 4 + does
    return after


def stupidity_leadership(stupidity: Stupidity) -> int:
    """The Leadership that he tests on (MD-4)."""
    helps = stupidity.leader is not None and stupidity.leader_state == "standing"
    return rules.own_or_leaders(stupidity.leadership, stupidity.leader or 0, helps)


def stupidity_chain(question: Question) -> Chain:
    """The turns of a stupid warrior; the law after each is recorded."""
    stupidity = question.stupidity
    assert stupidity is not None
    after = tabulated_stupidity(question.turns_played, stupidity_leadership(stupidity), stupidity.in_combat)
    turn = Phase(after, extra_dice=(ExtraDie(TWO_DICE, 1), ExtraDie(sided(SIDES), ROLLS)), recorded=True)
    return Chain(0, (turn,) * question.turns_played)


@kernel
def tabulated_leader(states: int) -> NDArray[np.int64]:
    """The leader's state as drawn: shape (states, 5); a state is ``failed bits * 5 + leader``."""
    after = np.empty((states, 5), np.int64)
    for state in range(states):
        for leader in range(5):
            after[state, leader] = leader if state == 0 else state
    return after


@kernel
def tabulated_test(
    states: int, bit: int, leadership: int, leader_leadership: int, near_leader: bool, rout: bool, rout_first: bool
) -> NDArray[np.int64]:
    """A test that sets `bit` where it is failed: shape (states, 11); after a failed rout test nobody tests."""
    after = np.empty((states, ROLLS), np.int64)
    for state in range(states):
        leader, failed = state % 5, state // 5
        if rout:
            needed = rules.rout_leadership(leader_leadership, leader in (OUT, STUNNED), leadership)
        else:
            needed = rules.own_or_leaders(leadership, leader_leadership, near_leader and leader == STANDING)
        for total in range(ROLLS):
            over = rout_first and failed & 1 == 1
            passed = over or rules.passes(total + LOWEST_ROLL, needed)
            after[state, total] = state if passed else (failed | 1 << bit) * 5 + leader
    return after


def together_chain(question: Question) -> Chain:
    """The tests of one turn: the leader's state, the rout test if it is due, then each warrior's."""
    together = question.together
    assert isinstance(together, Together)
    first = int(together.rout_test)
    states = 5 << first + len(together.warriors)
    lost = (together.p_out, together.p_stunned, together.p_knocked_down, together.p_fleeing)
    leader = Die((max(1 - sum(lost), 0.0), *lost))
    roll = (ExtraDie(TWO_DICE, 1),)
    phases = [Phase(tabulated_leader(states), extra_dice=(ExtraDie(leader, 1),))]
    if together.rout_test:
        other = together.best_other or rules.NOBODY
        phases.append(Phase(tabulated_test(states, 0, other, together.leader, False, True, False), extra_dice=roll))
    for bit, warrior in enumerate(together.warriors, start=first):
        after = tabulated_test(
            states, bit, warrior.leadership, together.leader, warrior.near_leader, False, together.rout_test
        )
        phases.append(Phase(after, extra_dice=roll))
    phases[-1] = replace(phases[-1], recorded=True)
    return Chain(0, tuple(phases))
