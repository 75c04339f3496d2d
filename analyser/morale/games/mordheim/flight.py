"""A warrior all alone, and his flight if he breaks, tabulated (MD-4 to MD-6)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Chain, ExtraDie, Phase, bernoulli, success_die, unchanged
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import Alone, Question
from analyser.morale.games.mordheim.warband import LOWEST_ROLL, ROLLS, TWO_DICE

BREAK, WOUND, SAVE, AWAY, CHARGED, RALLY = range(6)  # phases
HOLDS, RALLIED, LEFT, DOWN, BREAKS = range(5)  # states; BREAKS: + hits
SIDES = 6


class Runner(NamedTuple):
    """The warrior as whole numbers.

    A state is HOLDS, RALLIED (he stopped), LEFT (the table), DOWN, ``BREAKS + hits`` that wait for wounds or saves,
    `far` for one who flees far from every edge, or ``flees + part * width + inches`` to the edge: whole inches, to be
    taken as `part` says (:func:`parts_of`).
    """

    tested: int
    leadership: int
    rally_leadership: int
    wounds: int
    after_first_run: NDArray[np.int64]  # the state that each roll of the first run leads to
    width: int
    far: int
    flees: int
    states: int


def parts_of(alone: Alone) -> tuple[Fraction, ...]:
    """By how much less than whole inches a fleeing warrior is from the edge: runs are whole inches, edges need not be.

    Examples
    --------
    >>> [float(part) for part in parts_of(Alone(leadership=7, edge=12.25, edge_behind=4.0))]
    [0.75, 0.0]
    """
    edges = [edge for edge in (alone.edge, alone.edge_behind) if edge is not None]
    return tuple(dict.fromkeys(math.ceil(as_written(edge)) - as_written(edge) for edge in edges))


def as_written(inches: float) -> Fraction:
    """Inches as they are written: 0.1 is a tenth."""
    return Fraction(str(inches))


def after_first_run(alone: Alone, roll: int) -> Fraction | None:
    """Inches to the nearest edge after the first run, straight away from the opponents (MD-5); None: far."""
    behind = alone.edge_behind if alone.first_run_elsewhere else alone.edge
    found = [] if behind is None else [as_written(behind) - roll]
    if alone.edge is not None and alone.first_run_elsewhere:
        found.append(as_written(alone.edge))
    return min(found, default=None)


def runner_of(question: Question) -> Runner:
    """The warrior of a question as whole numbers."""
    alone = question.alone
    assert alone is not None
    helps = alone.rally_leader is not None and alone.leader_state == "standing"
    rally = rules.own_or_leaders(alone.leadership, alone.rally_leader or 0, helps)
    far = BREAKS + alone.opponents + 1
    flees, parts = far + 1, parts_of(alone)
    ran = [after_first_run(alone, roll) for roll in range(LOWEST_ROLL, LOWEST_ROLL + ROLLS)]
    width = 1 + max((math.ceil(inches) for inches in ran if inches is not None), default=0)
    states = flees + max(len(parts), 1) * max(width, 1)

    def state_of(inches: Fraction | None) -> int:
        if inches is None:
            return far
        whole = math.ceil(inches)
        return LEFT if inches <= 0 else flees + parts.index(whole - inches) * width + whole

    tested = rules.is_all_alone(alone.opponents, alone.friends_near)
    after = np.array([state_of(inches) for inches in ran], np.int64)
    return Runner(int(tested), alone.leadership, rally, alone.wounds, after, width, far, flees, states)


@step
def runs(runner: Runner, state: int, roll: int) -> int:
    """The state of a warrior who runs toward the edge (MD-6)."""
    if state == runner.far:
        return state
    inches = (state - runner.flees) % runner.width
    left = rules.run(inches, roll)
    return state - inches + left if left > 0 else LEFT


@step
def state_after(runner: Runner, phase: int, state: int, total: int) -> int:
    """The state that a phase leads to when its dice show `total`."""
    if phase == BREAK and state == HOLDS:
        held = not runner.tested or rules.passes(total + LOWEST_ROLL, runner.leadership)
        return HOLDS if held else runner.far - 1
    breaking, fleeing = BREAKS <= state < runner.far, state >= runner.far
    if phase == WOUND and breaking:
        return BREAKS + total
    if phase == SAVE and breaking:
        return DOWN if state - BREAKS - total >= runner.wounds else BREAKS
    if phase == AWAY and breaking:
        return int(runner.after_first_run[total])
    if phase == CHARGED and fleeing and total >= ROLLS:
        return runs(runner, state, total - ROLLS + LOWEST_ROLL)
    if phase == RALLY and fleeing:
        if rules.passes(total % ROLLS + LOWEST_ROLL, runner.rally_leadership):
            return RALLIED
        return runs(runner, state, total // ROLLS + LOWEST_ROLL)
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
    """His first combat phase all alone, then turns: the enemy's charge, rally phase, combat phase (MD-5, MD-6).

    The laws after the first combat phase and after each turn are recorded.
    """
    runner, alone = runner_of(question), question.alone
    assert isinstance(alone, Alone)
    to_wound = alone.to_wound or question.ruleset.to_wound
    save = alone.save or question.ruleset.save
    hits = np.zeros(runner.states, np.int64)
    hits[BREAKS : runner.far] = np.arange(runner.far - BREAKS)
    roll, once = ExtraDie(TWO_DICE, 1), ROLLS
    most = alone.opponents + 1
    combat = [
        Phase(tabulated(runner, BREAK, once), extra_dice=(roll,)),
        Phase(tabulated(runner, WOUND, most), success_die(SIDES + 1 - to_wound, SIDES), hits),
        Phase(tabulated(runner, SAVE, most), success_die(SIDES + 1 - save, SIDES), hits),
        Phase(tabulated(runner, AWAY, once), extra_dice=(roll,)),
    ]
    charged = Phase(
        tabulated(runner, CHARGED, 2 * ROLLS), extra_dice=(roll, ExtraDie(bernoulli(alone.charged), ROLLS))
    )  # fmt: skip
    rally = Phase(tabulated(runner, RALLY, ROLLS * ROLLS), extra_dice=(roll, ExtraDie(TWO_DICE, ROLLS)))
    told = Phase(unchanged, recorded=True)
    phases = [*combat, told]
    for turn in range(1, question.turns_played + 1):
        phases += [charged, rally] if alone.charged else [rally]
        phases += [*combat, told] if turn < (alone.combat_phases or turn + 1) else [told]
    return Chain(HOLDS, tuple(phases))


def inches_of_states(question: Question) -> dict[int, float]:
    """How many inches from the edge a warrior is in each state of flight that is not far from it."""
    alone, runner = question.alone, runner_of(question)
    assert alone is not None
    return {
        runner.flees + place * runner.width + whole: float(whole - part)
        for place, part in enumerate(parts_of(alone))
        for whole in range(1, runner.width)
    }
