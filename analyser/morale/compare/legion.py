"""Legion: tokens for losses, rally, panic (LG-1 to LG-7).

A state is the models left times the states of a unit in :mod:`analyser.morale.legion.chain`, and one of those.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel
from analyser.engine.chain.chain import Die, Phase, States, Transition, success_die
from analyser.morale.compare.nerve import courage_for
from analyser.morale.compare.question import Question
from analyser.morale.compare.stream import GONE, ROUTED, SHAKEN, STEADY, Rounds
from analyser.morale.legion import rules
from analyser.morale.legion.chain import CHECK, END, MOVE, RALLY, RECEIVE, Unit, state_after
from analyser.morale.questions import moves_over

PER_MODEL = "a model"


def equivalents(question: Question) -> dict[str, str]:
    """What stands for the unit's nerve."""
    nerve = courage(question)
    per_model = question.legion.tokens == PER_MODEL
    return {
        "COURAGE": "none" if nerve == rules.NO_COURAGE else str(nerve),
        "tokens": "1 for a model lost" if per_model else "1 for an attack with losses",
    }


def courage(question: Question) -> int:
    """The COURAGE that is stated, or stands for the nerve."""
    stated = question.legion.courage
    if stated is not None:
        return rules.NO_COURAGE if stated == "none" else stated
    return courage_for(question.nerve, question)


def unit_of(question: Question) -> Unit:
    """The unit of a question as whole numbers."""
    most = question.models if question.legion.tokens == PER_MODEL else question.rounds_played * question.attacks
    moves = 0
    if question.edge_distance is not None:
        moves = moves_over(question.edge_distance, question.legion.move_distance)
        moves = moves if moves <= question.rounds_played else 0
    standing = max(moves, 1) * 2 * (most + 1)
    nerve = courage(question)
    return Unit(nerve, nerve, most, moves, question.ruleset.legion.end_phase_tokens, standing, standing + 1)


@kernel
def tabulated(unit: Unit, phase: int, per_model: int, totals: int, states: States) -> States:
    """The states after a phase: shape (states, totals); what is received is losses, and tokens for them."""
    own = unit.destroyed + 1
    after = np.empty((len(states), totals), np.int64)
    for row, state in enumerate(states):
        left, tokens = state // own, state % own
        for total in range(totals):
            lost = min(total, left) if phase == RECEIVE else 0
            received = (lost if per_model else min(lost, 1)) if phase == RECEIVE else total
            after[row, total] = (left - lost) * own + state_after(unit, phase, tokens, received)
    return after


def rounds(question: Question) -> Rounds:
    """Attacks, rally and panic check; then the panicked move and the end phase."""
    unit, ruleset = unit_of(question), question.ruleset.legion
    own, per_model = unit.destroyed + 1, int(question.legion.tokens == PER_MODEL)

    def phase(kind: int, totals: int = 1) -> Transition:
        return partial(tabulated, unit, kind, per_model, totals)

    def attack(law: tuple[float, ...]) -> tuple[Phase, ...]:
        return (Phase(phase(RECEIVE, len(law)), Die(law), 1),)

    def tokens(states: States) -> States:
        standing = (states % own < unit.off_table) & (states >= own)
        return np.where(standing, states % own % (unit.most_tokens + 1), 0)

    rally = Phase(
        phase(RALLY, unit.most_tokens + 1), success_die(ruleset.rally_successes, ruleset.rally_sides), tokens
    )  # fmt: skip
    later = Phase(phase(MOVE)), Phase(phase(END))
    size = (question.models + 1) * own
    return Rounds(question.models * own, size, attack, tests=(rally, Phase(phase(CHECK))), after=later)


def fate_of_states(question: Question, states: States) -> NDArray[np.int64]:
    """What each of some states is called in the comparison."""
    unit = unit_of(question)
    own = unit.destroyed + 1
    tokens, panicked = states % own % (unit.most_tokens + 1), states % own // (unit.most_tokens + 1) % 2
    suppressed = np.array([rules.is_suppressed(number, unit.courage) for number in range(unit.most_tokens + 1)])
    fate = np.where(panicked == 1, ROUTED, np.where(suppressed[tokens], SHAKEN, STEADY))
    return np.where((states // own == 0) | (states % own >= unit.off_table), GONE, fate)
