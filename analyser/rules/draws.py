"""Random draws that the rules need besides the dice of a pool, and their probabilities to pass."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from analyser.common.jit import inlined, step
from analyser.common.records import Floats, Integers
from analyser.game.ruleset import Face


class Draw(IntEnum):
    """Kind of a random draw between two outcomes."""

    NOTHING = 0
    CARD_OF_0 = 1  # from the deck of side 0
    CARD_OF_1 = 2
    COIN = 3
    STRIKE_DIE = 4  # whether a die shows a strike or a heroic strike
    HEROIC_DIE = 5
    MISS_DIE = 6  # whether a die that has shown neither of them shows a miss
    MISS_OR_STRIKE_DIE = 7  # whether a die that has shown no heroic strike shows a miss


class Odds(NamedTuple):
    """The die and the deck that draws are made from."""

    heroic: int  # sides of the die by face,
    strike: int
    miss: int
    sides: int  # and in all
    cards: Integers  # (highest card + 1,): cards with at most each value,
    at_most: Floats  # and the probability of one


@step
def odds_of(die: Integers, deck: Integers) -> Odds:
    """The odds of a die, sides by face, and a deck, copies by card value: loops, which compile quicker than sums."""
    cards, at_most = np.zeros(len(deck), np.int64), np.zeros(len(deck))
    sides, size, so_far, below = 0, 0, 0, 0.0
    for face in range(len(die)):
        sides += die[face]
    for value in range(len(deck)):
        size += deck[value]
    for value in range(len(deck)):
        so_far += deck[value]
        below += deck[value] / size
        cards[value], at_most[value] = so_far, below
    return Odds(die[Face.HEROIC.value], die[Face.STRIKE.value], die[Face.MISS.value], sides, cards, at_most)


@step
def test_draw(side: int) -> int:
    """Return the draw of a rally or suppression test by a unit of `side`: a card of its deck (AC-5.1, AC-5.6)."""
    return Draw.CARD_OF_0 if side == 0 else Draw.CARD_OF_1


@inlined
def passing(draw: int, highest: int, odds: Odds) -> tuple[int, int]:
    """Return the number of draws that pass and of all, equally likely; a test passes up to the value `highest`."""
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
    most = len(odds.cards) - 1
    return (odds.cards[min(highest, most)] if highest >= 0 else 0), odds.cards[most]


@inlined
def probability_of(draw: int, highest: int, odds: Odds) -> float:
    """The probability that a draw passes: where nothing is drawn, 1 or 0."""
    if draw == Draw.NOTHING:
        return 1.0 if highest > 0 else 0.0
    if draw in (Draw.CARD_OF_0, Draw.CARD_OF_1):
        if highest < 0:
            return 0.0
        return float(odds.at_most[highest]) if highest < len(odds.at_most) - 1 else 1.0
    below, draws = passing(draw, highest, odds)
    return float(below / draws)
