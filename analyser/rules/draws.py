"""Random draws of the rules, other than the dice of a pool, and their probabilities of success."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from analyser.common.jit import inlined, step
from analyser.common.kernel_records import Floats, Integers
from analyser.game.ruleset import Face


class Draw(IntEnum):
    """Kind of a random draw between two outcomes."""

    NOTHING = 0
    CARD_OF_SIDE_0 = 1  # card from the deck of side 0
    CARD_OF_SIDE_1 = 2
    COIN = 3
    STRIKE_DIE = 4  # success: a strike or a heroic strike
    HEROIC_DIE = 5  # success: a heroic strike
    MISS_DIE = 6  # a die known to show neither a strike nor a heroic strike; success: a miss
    MISS_OR_STRIKE_DIE = 7  # a die known not to show a heroic strike; success: a miss


class DrawOdds(NamedTuple):
    """Numbers from which the probabilities of draws follow: sides of the die, and cards of the deck."""

    heroic: int  # number of sides with a heroic strike
    strike: int
    miss: int
    sides: int  # number of sides of the die
    cards_up_to: Integers  # by card value from 0: number of cards with at most this value
    probability_up_to: Floats  # by card value from 0: probability of a card with at most this value


@step
def odds_of(die: Integers, deck: Integers) -> DrawOdds:
    """Return the odds for a die (sides by face) and a deck (cards by value). Loops compile faster than array sums."""
    cards, at_most = np.zeros(len(deck), np.int64), np.zeros(len(deck))
    sides, size, cards_so_far, probability = 0, 0, 0, 0.0
    for face in range(len(die)):
        sides += die[face]
    for value in range(len(deck)):
        size += deck[value]
    for value in range(len(deck)):
        cards_so_far += deck[value]
        probability += deck[value] / size
        cards[value], at_most[value] = cards_so_far, probability
    return DrawOdds(die[Face.HEROIC.value], die[Face.STRIKE.value], die[Face.MISS.value], sides, cards, at_most)


@step
def test_draw(side: int) -> int:
    """Return the draw of a rally or suppression test by a unit of `side`: a card of its deck (AC-5.1, AC-5.6)."""
    return Draw.CARD_OF_SIDE_0 if side == 0 else Draw.CARD_OF_SIDE_1


@inlined
def success_counts(draw: int, highest: int, odds: DrawOdds) -> tuple[int, int]:
    """Return how many of the equally likely results succeed, and how many there are; cards up to `highest` succeed."""
    hitting = odds.heroic + odds.strike
    if draw == Draw.COIN:
        return 1, 2
    if draw == Draw.STRIKE_DIE:
        return hitting, odds.sides
    if draw == Draw.HEROIC_DIE:
        return odds.heroic, odds.sides
    if draw == Draw.MISS_DIE:
        return odds.miss, odds.sides - hitting
    if draw == Draw.MISS_OR_STRIKE_DIE:
        return odds.miss, odds.sides - odds.heroic
    last = len(odds.cards_up_to) - 1
    return (odds.cards_up_to[min(highest, last)] if highest >= 0 else 0), odds.cards_up_to[last]


@inlined
def probability_of(draw: int, highest: int, odds: DrawOdds) -> float:
    """Return the probability of success; without a draw, it is 1 if `highest` is above 0, else 0."""
    if draw == Draw.NOTHING:
        return 1.0 if highest > 0 else 0.0
    if draw in (Draw.CARD_OF_SIDE_0, Draw.CARD_OF_SIDE_1):
        if highest < 0:
            return 0.0
        return float(odds.probability_up_to[highest]) if highest < len(odds.probability_up_to) - 1 else 1.0
    successes, draws = success_counts(draw, highest, odds)
    return float(successes / draws)
