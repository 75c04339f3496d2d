"""A warrior all alone, and his flight if he breaks, tabulated (MD-4 to MD-6)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Beside, Chain, Phase, happening, succeeding
from analyser.jit import kernel, step
from analyser.morale.mordheim.question import Alone, Question
from analyser.morale.mordheim.warband import LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.rules import mordheim

BREAK, WOUND, SAVE, AWAY, CHARGED, RALLY = range(6)  # phases
HOLDS, RALLIED, LEFT, DOWN, BREAKS, FLEES = range(6)  # FLEES: + inches to the edge, after the hits of BREAKS
SIDES = 6


class Runner(NamedTuple):
    """The warrior as whole numbers.

    A state is HOLDS, RALLIED (he stopped), LEFT (the table), DOWN, ``BREAKS + hits`` that wait for wounds or saves, or
    ``flees + inches`` to the edge.
    """

    tested: int
    leadership: int
    rally_leadership: int
    wounds: int
    edge: int
    to_edge: int
    flees: int
    states: int


def runner_of(question: Question) -> Runner:
    """The warrior of a question as whole numbers."""
    alone = question.alone
    assert alone is not None
    edge = math.ceil(alone.edge)
    helps = alone.rally_leader is not None and alone.leader_state == "standing"
    rally = mordheim.own_or_leaders(alone.leadership, alone.rally_leader or 0, helps)
    flees = BREAKS + alone.opponents + 1
    states = flees + edge + 1
    tested = mordheim.is_all_alone(alone.opponents, alone.friends_near)
    return Runner(
        int(tested), alone.leadership, rally, alone.wounds, edge, int(not alone.first_run_elsewhere), flees, states
    )


@step
def runs(runner: Runner, inches: int, roll: int) -> int:
    """The state of a warrior who runs toward the edge (MD-6)."""
    left = mordheim.run(inches, roll)
    return runner.flees + left if left > 0 else LEFT


@step
def state_after(runner: Runner, phase: int, state: int, total: int) -> int:
    """The state that a phase leads to when its dice show `total`."""
    if phase == BREAK:
        held = not runner.tested or mordheim.passes(total + LOWEST_ROLL, runner.leadership)
        return HOLDS if held else BREAKS + runner.flees - BREAKS - 1
    breaking = BREAKS <= state < runner.flees
    if phase == WOUND and breaking:
        return BREAKS + total
    if phase == SAVE and breaking:
        return DOWN if state - BREAKS - total >= runner.wounds else BREAKS
    if phase == AWAY and breaking:
        if runner.to_edge:
            return runs(runner, runner.edge, total + LOWEST_ROLL)
        return runner.flees + runner.edge if runner.edge else LEFT
    if phase == CHARGED and state > runner.flees and total >= ROLLS:
        return runs(runner, state - runner.flees, total - ROLLS + LOWEST_ROLL)
    if phase == RALLY and state > runner.flees:
        if mordheim.passes(total % ROLLS + LOWEST_ROLL, runner.rally_leadership):
            return RALLIED
        return runs(runner, state - runner.flees, total // ROLLS + LOWEST_ROLL)
    return state


@kernel
def tabulated(runner: Runner, phase: int, totals: int) -> NDArray[np.int64]:
    """The states that a phase leads to: shape (states, totals)."""
    after = np.empty((runner.states, totals), np.int64)
    for state in range(runner.states):
        for total in range(totals):
            after[state, total] = state_after(runner, phase, state, total)
    return after


def chain_of(question: Question) -> Chain:
    """The break and the turns after it; the laws after the break and after each turn are recorded."""
    runner, alone = runner_of(question), question.alone
    assert isinstance(alone, Alone)
    to_wound = alone.to_wound or question.ruleset.to_wound
    save = alone.save or question.ruleset.save
    hits = np.zeros(runner.states, np.int64)
    hits[BREAKS : runner.flees] = np.arange(runner.flees - BREAKS)
    roll, once = Beside(TWO_DICE, 1), ROLLS
    most = alone.opponents + 1
    phases = [
        Phase(tabulated(runner, BREAK, once), beside=(roll,)),
        Phase(tabulated(runner, WOUND, most), succeeding(SIDES + 1 - to_wound, SIDES), hits),
        Phase(tabulated(runner, SAVE, most), succeeding(SIDES + 1 - save, SIDES), hits),
        Phase(tabulated(runner, AWAY, once), beside=(roll,), recorded=True),
    ]
    charged = Phase(
        tabulated(runner, CHARGED, 2 * ROLLS), beside=(roll, Beside(happening(alone.charged), ROLLS))
    )  # fmt: skip
    rally = Phase(tabulated(runner, RALLY, ROLLS * ROLLS), beside=(roll, Beside(TWO_DICE, ROLLS)), recorded=True)
    for _ in range(question.turns_played):
        phases += [charged, rally] if alone.charged else [rally]
    return Chain(HOLDS, tuple(phases))
