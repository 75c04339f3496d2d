"""The stream of losses that all systems share: rounds of attacks, each with its distribution of losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Extent, Phase, Recorded
from analyser.engine.chain.paths import DrivenChain
from analyser.morale.games.compare.question import Question
from analyser.morale.questions import Pmf, certainly

NERVES = ("steady", "shaken", "routed", "gone")
STEADY, SHAKEN, ROUTED, GONE = range(len(NERVES))

Attack = Callable[[Pmf], tuple[Phase, ...]]


class Rounds(NamedTuple):
    """What a round does to a unit in one system: first, under attack, in its tests; its fate is recorded; after that.

    `start` is the state at the start, states are integers below `size`, and `attack` gives the phases of one attack by
    the distribution of its losses.
    """

    start: int
    size: int
    attack: Attack
    before: tuple[Phase, ...] = ()
    tests: tuple[Phase, ...] = ()
    after: tuple[Phase, ...] = ()

    def phases(self, attacks: tuple[Phase, ...]) -> tuple[Phase, ...]:
        """The phases of a round with some attacks."""
        return (*self.before, *attacks, *self.tests, RECORD, *self.after)


def chain_of(question: Question, rounds: Rounds) -> Chain:
    """All rounds of a question one after the other; the state after the tests of each is recorded."""
    attacks = {pmf: rounds.attack(pmf) for pmf in dict.fromkeys(question.pmfs)}
    phases = [phase for pmf in question.pmfs for phase in rounds.phases(attacks[pmf] * question.attacks)]
    return Chain(rounds.start, tuple(phases), rounds.size, _extent(question))


def driven_chain_of(question: Question, rounds: Rounds) -> DrivenChain:
    """Rounds in which no model is lost, one, … all, in one attack: driven along the paths of a duel's losses."""
    turns = [rounds.phases(rounds.attack(certainly(lost))) for lost in range(question.models + 1)]
    return DrivenChain(rounds.start, turns, rounds.size, _extent(question))


def _extent(question: Question) -> Extent:
    edge = "" if question.edge_distance is None else f", {question.edge_distance:g} inches from their edge"
    return Extent(f"{question.models} models{edge}", "fewer models, attacks or rounds, or a nearer edge or none")


def fates(recorded: Recorded, of_states: NDArray[np.int64]) -> NDArray[Any]:
    """The weight of each fate from those of the states, by round: shape (rounds, 4)."""
    return np.stack([recorded.weights @ (of_states == fate) for fate in range(len(NERVES))], axis=1)
