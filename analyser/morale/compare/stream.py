"""The stream of losses that all systems share: rounds of attacks, each with its law of losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Chain, Phase
from analyser.morale.compare.question import Question

FATES = ("steady", "shaken", "routed", "gone")
STEADY, SHAKEN, ROUTED, GONE = range(len(FATES))

Attack = Callable[[tuple[float, ...]], tuple[Phase, ...]]


class Rounds(NamedTuple):
    """What a round does to a unit in one system: first, under attack, in its tests; then its fate is told; after that.

    Attributes
    ----------
    start : int
        The state at the start.
    attack : callable
        The phases of one attack, given the law of its losses.
    before, tests, after : tuple of Phase
    """

    start: int
    attack: Attack
    before: tuple[Phase, ...] = ()
    tests: tuple[Phase, ...] = ()
    after: tuple[Phase, ...] = ()


def chain_of(question: Question, rounds: Rounds) -> Chain:
    """All rounds of a question one after the other; the law after the tests of each is recorded."""
    attacks = {law: rounds.attack(law) for law in dict.fromkeys(question.laws)}
    phases: list[Phase] = []
    for law in question.laws:
        phases += [*rounds.before, *attacks[law] * question.attacks, *rounds.tests, told(attacks[law]), *rounds.after]
    return Chain(rounds.start, tuple(phases))


def turns_of(rounds: Rounds, models: int) -> list[tuple[Phase, ...]]:
    """The phases of a round in which no model is lost, one, … all `models`, in one attack."""
    return [
        (*rounds.before, *attack, *rounds.tests, told(attack), *rounds.after)
        for attack in (rounds.attack((0.0,) * lost + (1.0,)) for lost in range(models + 1))
    ]


def told(phases: tuple[Phase, ...]) -> Phase:
    """The phase in which nothing happens but that the fate is told."""
    return Phase(np.arange(len(phases[-1].after), dtype=np.uint16)[:, np.newaxis], recorded=True)


def fates(law: NDArray[np.float64], of_states: NDArray[np.int64]) -> NDArray[np.float64]:
    """The weight of each fate from those of the states, by round: shape (rounds, 4)."""
    return np.stack([law @ (of_states == fate) for fate in range(len(FATES))], axis=1)
