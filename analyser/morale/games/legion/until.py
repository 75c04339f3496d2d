"""How much suppression it takes until a unit panics: tokens at one activation, attacks a round (LG-2, LG-3, LG-7)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from analyser.engine.chain.chain import Chain, Recorded
from analyser.engine.chain.exact import exact_distributions
from analyser.morale.games.legion.chain import cases_of, chain_of, unit_of
from analyser.morale.games.legion.question import MOST_TOKENS, Question
from analyser.morale.questions import certainly
from analyser.morale.tables import Table, Weights

TOKENS, ATTACKS = "tokens", "attacks"
NEARLY = 1e-12  # by which a probability may miss the one that is looked for
NONE = (certainly(0),)  # tokens received


class Asked(NamedTuple):
    """A unit under so much suppression."""

    commander: str
    what: str
    number: int
    question: Question

    @property
    def name(self) -> str:
        """Of its chain."""
        return f"{self.commander} a commander, {self.number} {self.what}"


def chains(question: Question) -> dict[str, Chain]:
    """One chain for each number of tokens, and of attacks a round, up to those that are enough."""
    return {each.name: chain_of(each.question) for each in asked(question)}


@lru_cache(maxsize=16)
def asked(question: Question) -> tuple[Asked, ...]:
    """The numbers that are tried: from 0 to the first that panics the unit in round 1 with the wanted probability."""
    if question.until_panic is None:
        return ()
    found: list[Asked] = []
    for commander, each in cases_of(question).items():
        at_the_edge = {"edge_distance": 0.0, "move_distance": 1.0}
        still = each.model_copy(update={"destroyed": 0.0, "received_after": NONE, **at_the_edge})
        once = still.model_copy(update={"received": NONE, "rounds": 1, "commander_near": (1.0,)})
        found += _tried(commander, TOKENS, once)
        found += _tried(commander, ATTACKS, still)
    return tuple(found)


def _tried(commander: str, what: str, unit: Question) -> Iterator[Asked]:
    """The unit with ever more tokens, or under ever more attacks that score a hit, a token each (LG-7)."""
    for number in range(MOST_TOKENS + 1):
        more = {"tokens": number} if what == TOKENS else {"received": (certainly(number),)}
        each = Asked(commander, what, number, unit.model_copy(update=more))
        yield each
        if _panicked(each, exact_distributions(chain_of(each.question)))[0] >= (unit.until_panic or 0.0) - NEARLY:
            return


def _panicked(each: Asked, recorded: Recorded) -> Weights:
    """The weight of having panicked by each round: at the edge, the first panicked move leaves the table (LG-5)."""
    off_table = recorded.states == unit_of(each.question).off_table
    return np.asarray(recorded.weights[1::2][:, off_table].sum(axis=1))


def tables(question: Question, weights: dict[str, Recorded]) -> dict[str, Table]:
    """`tokens_until_panic`: P(panicked) by tokens; `attacks_until_panic`: by round, the least number that is enough."""
    by_tokens: list[tuple[Any, ...]] = []
    by_round: list[tuple[Any, ...]] = []
    for (commander, what), group in groupby(asked(question), key=lambda each: each[:2]):
        tried = list(group)
        panicked = np.array([_panicked(each, weights[each.name]) for each in tried])
        if what == TOKENS:
            by_tokens += [(commander, each.number, weight) for each, weight in zip(tried, panicked[:, 0].tolist())]
            continue
        enough = panicked / weights[tried[0].name].weights[0].sum() >= (question.until_panic or 0.0) - NEARLY
        least = np.where(enough.any(axis=0), enough.argmax(axis=0), len(tried) - 1)
        for turn, number in enumerate(least):
            by_round.append((commander, turn + 1, tried[number].number, panicked[number, turn]))
    if not by_tokens:
        return {}
    return {
        "tokens_until_panic": Table.of_rows(("commander", "tokens"), by_tokens, "p_panicked"),
        "attacks_until_panic": Table.of_rows(("commander", "round", "attacks"), by_round, "p_panicked_by_then"),
    }
