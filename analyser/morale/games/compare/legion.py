"""Legion: tokens for losses, rally, panic (LG-1 to LG-7).

A state is the models left times the states of a unit in :mod:`analyser.morale.games.legion.chain`, and one of those.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import Die, Phase, States, success_die
from analyser.morale.games.compare.nerve import courage_for
from analyser.morale.games.compare.question import Question
from analyser.morale.games.compare.stream import GONE, ROUTED, SHAKEN, STEADY, Rounds
from analyser.morale.games.legion import rules
from analyser.morale.games.legion.chain import Change, Unit, check, end, move, moves_to_edge, rally, receive
from analyser.morale.questions import Pmf

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
    """The unit of a question as integers."""
    most = question.models if question.legion.tokens == PER_MODEL else question.rounds_played * question.attacks
    moves = moves_to_edge(question.edge_distance, question.legion.move_distance, question.rounds_played)
    nerve = courage(question)
    return Unit(nerve, nerve, most, moves, question.ruleset.legion.end_phase_tokens)


def rounds(question: Question) -> Rounds:
    """Attacks, rally and panic check; then the panicked move and the end phase."""
    unit, ruleset = unit_of(question), question.ruleset.legion
    own = unit.destroyed + 1

    def under_fire(most_losses: int, states: States) -> States:
        left, state = np.divmod(states[:, np.newaxis], own)
        lost = np.minimum(np.arange(most_losses + 1), left)
        received = lost if question.legion.tokens == PER_MODEL else np.minimum(lost, 1)
        return np.asarray((left - lost) * own + receive(unit, state, received))

    def changed(change: Change, totals: int, states: States) -> States:
        left, state = np.divmod(states[:, np.newaxis], own)
        return np.asarray(left * own + change(unit, state, np.arange(totals)))

    def attack(pmf: Pmf) -> tuple[Phase, ...]:
        return (Phase(partial(under_fire, len(pmf) - 1), Die(pmf), 1),)

    def tokens(states: States) -> States:
        return np.where(states >= own, unit.tokens(states % own), 0)

    rally_die = success_die(ruleset.rally_successes, ruleset.rally_sides)
    tests = Phase(partial(changed, rally, unit.most_tokens + 1), rally_die, tokens), Phase(partial(changed, check, 1))
    after = Phase(partial(changed, move, 1)), Phase(partial(changed, end, 1))
    return Rounds(question.models * own, (question.models + 1) * own, attack, tests=tests, after=after)


def fate_of_states(question: Question, states: States) -> NDArray[np.int64]:
    """What each of some states is called in the comparison."""
    unit = unit_of(question)
    left, state = np.divmod(states, unit.destroyed + 1)
    suppressed = rules.is_suppressed(unit.tokens(state), unit.courage)
    fate = np.select([unit.panicked(state) == 1, suppressed], [ROUTED, SHAKEN], STEADY)
    return np.where((left == 0) | (state >= unit.off_table), GONE, fate)
