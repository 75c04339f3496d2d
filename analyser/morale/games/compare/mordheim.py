"""Mordheim: rout tests of the warband at the start of its turns (MD-1); a state is models left, then the rout."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import Die, Phase, States, sided
from analyser.morale.games.compare.nerve import leaderships, standing_for
from analyser.morale.games.compare.question import Question
from analyser.morale.games.compare.stream import GONE, SHAKEN, STEADY, Rounds
from analyser.morale.games.mordheim import rules
from analyser.morale.questions import Pmf

DIE, DICE = sided(6), 2


def equivalents(question: Question) -> dict[str, str]:
    """What stands for the unit's nerve."""
    return {"Leadership": str(leadership(question)), "leader": "never out of action"}


def leadership(question: Question) -> int:
    """The Leadership that is stated, or stands for the nerve."""
    if question.mordheim.leadership is not None:
        return question.mordheim.leadership
    return standing_for(question.nerve, leaderships(), question)


def rounds(question: Question) -> Rounds:
    """Attacks; then the warband's turn begins, with a rout test if it is due."""
    models = np.arange(question.models + 2)
    routed = question.models + 1
    ld = leadership(question)

    def attack(pmf: Pmf) -> tuple[Phase, ...]:
        left = np.maximum(models[:, np.newaxis] - np.arange(len(pmf)), 0)
        left[routed] = routed
        return (Phase(left, Die(pmf), 1),)

    totals = np.arange(DICE * DIE.highest + 1)
    due = np.array(
        [
            0 < left <= question.models and rules.rout_test_due(question.models - left, question.models)
            for left in models.tolist()
        ]
    )
    fails = np.array([not rules.passes(total, ld) for total in totals.tolist()])
    failed = due[:, np.newaxis] & fails
    tested = np.where(failed, routed, models[:, np.newaxis])
    rout_test = Phase(tested, DIE, np.where(due, DICE, 0))
    return Rounds(question.models, len(models), attack, tests=(rout_test,))


def fate_of_states(question: Question, states: States) -> NDArray[np.int64]:
    """What each of some states is called in the comparison."""
    models = np.arange(question.models + 2)
    due = np.array([rules.rout_test_due(question.models - left, question.models) for left in models.tolist()])
    fate = np.where(due, SHAKEN, STEADY)
    return np.where((models == 0) | (models == question.models + 1), GONE, fate)[states]
