"""The stream of losses that all systems share: rounds of attacks, each with its law of losses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Chain, Phase
from analyser.morale.compare.question import Question

FATES = ("steady", "shaken", "routed", "gone")
STEADY, SHAKEN, ROUTED, GONE = range(len(FATES))

Attack = Callable[[tuple[float, ...]], tuple[Phase, ...]]


def chain_of(
    question: Question, start: int, attack: Attack, *, before: tuple[Phase, ...] = (), tests: tuple[Phase, ...] = (),
    after: tuple[Phase, ...] = (),
) -> Chain:  # fmt: skip
    """Rounds: what the unit does first, the attacks, its tests; then its fate is recorded; what comes after.

    Parameters
    ----------
    question : Question
    start : int
    attack : callable
        The phases of one attack, given the law of its losses.
    before, tests, after : tuple of Phase
    """
    attacks = {law: attack(law) for law in dict.fromkeys(question.laws)}
    phases: list[Phase] = []
    for law in question.laws:
        phases += [*before, *attacks[law] * question.attacks, *tests]
        states = len(phases[-1].after)
        phases += [Phase(np.arange(states, dtype=np.uint16)[:, np.newaxis], recorded=True), *after]
    return Chain(start, tuple(phases))


def fates(law: NDArray[np.float64], of_states: NDArray[np.int64]) -> NDArray[np.float64]:
    """The weight of each fate from those of the states, by round: shape (rounds, 4)."""
    return np.stack([law @ (of_states == fate) for fate in range(len(FATES))], axis=1)
