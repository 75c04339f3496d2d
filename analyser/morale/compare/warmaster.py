"""Warmaster: driven back by shooting, confused by a 6 (WM-1, WM-9); in the open, so no obstacle is met.

A state is ``(models * (most dice + 1) + dice to be rolled) * 2 + confused``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Die, Phase, check_size, succeeding
from analyser.morale.compare.question import Question
from analyser.morale.compare.stream import GONE, SHAKEN, STEADY, Rounds
from analyser.rules import warmaster

SIX = succeeding(1, 6)


def equivalents(question: Question) -> dict[str, str]:
    """What stands for the unit's nerve: nothing does."""
    return {"drive-back dice": f"{question.warmaster.dice} a model lost", "nerve": "does not enter"}


def _most_dice(question: Question) -> int:
    most_losses = question.most_losses
    check_size((question.models + 1) * (question.warmaster.dice * most_losses + 1) * 2, most_losses + 1)
    return question.warmaster.dice * most_losses


def rounds(question: Question) -> Rounds:
    """Attacks: losses, then a die for each drive-back; at the end of its Command phase the unit recovers (WM-9)."""
    most = _most_dice(question)
    states = np.arange((question.models + 1) * (most + 1) * 2)
    models, pending, confused = states // 2 // (most + 1), states // 2 % (most + 1), states % 2

    def attack(law: tuple[float, ...]) -> tuple[Phase, ...]:
        lost = np.minimum(np.arange(len(law)), models[:, np.newaxis])
        dice = np.minimum(lost * question.warmaster.dice, most)
        after = ((models[:, np.newaxis] - lost) * (most + 1) + dice) * 2 + confused[:, np.newaxis]
        return Phase(after.astype(np.uint16), Die(law), np.ones(len(states), np.uint16)), drive_back

    sixes = [int(warmaster.is_confused_by(number)) for number in range(most + 1)]
    now = np.maximum(confused[:, np.newaxis], sixes)
    rolled = (models * (most + 1) * 2)[:, np.newaxis] + now
    drive_back = Phase(rolled.astype(np.uint16), SIX, pending.astype(np.uint16))
    recovered = Phase((states - confused).astype(np.uint16)[:, np.newaxis])
    return Rounds(question.models * (most + 1) * 2, attack, after=(recovered,))


def fate_of_states(question: Question) -> NDArray[np.int64]:
    """What each state is called in the comparison."""
    states = np.arange((question.models + 1) * (_most_dice(question) + 1) * 2)
    fate = np.where(states % 2 == 1, SHAKEN, STEADY)
    return np.where(states // 2 // (_most_dice(question) + 1) == 0, GONE, fate)
