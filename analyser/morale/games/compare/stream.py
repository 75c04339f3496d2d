"""The stream of losses that all systems share: rounds of attacks, each with its law of losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Extent, Phase, Recorded
from analyser.engine.chain.paths import DrivenChain
from analyser.morale.games.compare.question import Question

FATES = ("steady", "shaken", "routed", "gone")
STEADY, SHAKEN, ROUTED, GONE = range(len(FATES))


Attack = Callable[[tuple[float, ...]], tuple[Phase, ...]]


class Rounds(NamedTuple):
    """What a round does to a unit in one system: first, under attack, in its tests; then its fate is told; after that.

    Attributes
    ----------
    start : int
        The state at the start.
    size : int
        States are whole numbers below it.
    attack : callable
        The phases of one attack, given the law of its losses.
    before, tests, after : tuple of Phase
    """

    start: int
    size: int
    attack: Attack
    before: tuple[Phase, ...] = ()
    tests: tuple[Phase, ...] = ()
    after: tuple[Phase, ...] = ()


def chain_of(question: Question, rounds: Rounds) -> Chain:
    """All rounds of a question one after the other; the law after the tests of each is recorded."""
    attacks = {law: rounds.attack(law) for law in dict.fromkeys(question.laws)}
    phases: list[Phase] = []
    for law in question.laws:
        phases += [*rounds.before, *attacks[law] * question.attacks, *rounds.tests, RECORD, *rounds.after]
    return Chain(rounds.start, tuple(phases), rounds.size, _extent(question))


def game_of(question: Question, rounds: Rounds) -> DrivenChain:
    """Rounds in which no model is lost, one, … all, in one attack: what a duel's courses of losses are played along."""
    turns = [
        (*rounds.before, *attack, *rounds.tests, RECORD, *rounds.after)
        for attack in (rounds.attack((0.0,) * lost + (1.0,)) for lost in range(question.models + 1))
    ]
    return DrivenChain(rounds.start, turns, rounds.size, _extent(question))


def _extent(question: Question) -> Extent:
    edge = "" if question.edge_distance is None else f", {question.edge_distance:g} inches from their edge"
    return Extent(f"{question.models} models{edge}", "fewer models, attacks or rounds, or a nearer edge or none")


def fates(recorded: Recorded, of_states: NDArray[np.int64]) -> NDArray[Any]:
    """The weight of each fate from those of the states, by round: shape (rounds, 4)."""
    return np.stack([recorded.weights @ (of_states == fate) for fate in range(len(FATES))], axis=1)
