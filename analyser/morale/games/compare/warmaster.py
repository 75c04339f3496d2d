"""Warmaster: driven back by shooting, confused by a 6 (WM-1, WM-9); in the open, so no obstacle is met.

A state is ``(models * (most dice + 1) + dice to be rolled) * 2 + confused``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import Die, Phase, States, success_die
from analyser.morale.games.compare.question import Question
from analyser.morale.games.compare.stream import GONE, SHAKEN, STEADY, Rounds
from analyser.morale.games.warmaster import rules
from analyser.morale.questions import Pmf

SIX = success_die(1, 6)


def equivalents(question: Question) -> dict[str, str]:
    """What stands for the unit's nerve: nothing does."""
    return {"drive-back dice": f"{question.warmaster.dice} a model lost", "nerve": "does not enter"}


def _most_dice(question: Question) -> int:
    return question.warmaster.dice * question.most_losses


def rounds(question: Question) -> Rounds:
    """Attacks: losses, then a die for each drive-back; at the end of its Command phase the unit recovers (WM-9)."""
    most = _most_dice(question)
    a_model = (most + 1) * 2  # how many states differ in nothing else
    sixes = np.array([int(rules.is_confused_by(number)) for number in range(most + 1)])

    def attack(pmf: Pmf) -> tuple[Phase, ...]:
        def after(states: States) -> States:
            models, confused = states[:, np.newaxis] // a_model, states[:, np.newaxis] % 2
            lost = np.minimum(np.arange(len(pmf)), models)
            dice = np.minimum(lost * question.warmaster.dice, most)
            return np.asarray((models - lost) * a_model + dice * 2 + confused)

        return Phase(after, Die(pmf), 1), drive_back

    def rolled(states: States) -> States:
        models, confused = states[:, np.newaxis] // a_model, states[:, np.newaxis] % 2
        return np.asarray(models * a_model + np.maximum(confused, sixes))

    drive_back = Phase(rolled, SIX, lambda states: states // 2 % (most + 1))
    recovered = Phase(lambda states: (states - states % 2)[:, np.newaxis])
    return Rounds(question.models * a_model, (question.models + 1) * a_model, attack, after=(recovered,))


def fate_of_states(question: Question, states: States) -> NDArray[np.int64]:
    """What each of some states is called in the comparison."""
    fate = np.where(states % 2 == 1, SHAKEN, STEADY)
    return np.where(states // 2 // (_most_dice(question) + 1) == 0, GONE, fate)
