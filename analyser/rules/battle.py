"""Rules of a battle on integers (BT-1 to BT-5, BT-7 of `docs/battle.md`); lengths are in hundredths of an inch."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from analyser.common.jit import step
from analyser.common.kernel_records import Integers

LEAST_HURT_SHARE = 0.05 - 1e-9  # a unit hurts an enemy if it is expected to destroy at least this share of it (BT-4)
ZERO_GROUND_PRESENCE = 5  # victory points of a side whose enemy has no ground presence (BT-5)
DEVASTATING_RATIO = 2  # a victory is devastating from this ratio of the victory points on (AC-9.4)
COMMANDED_WITHIN = 600  # greatest distance at which a commander helps a unit (AC-5.8)
OBJECTIVE_WITHIN = 100  # greatest distance of contact with an objective: the marker's radius (BT-7)
OBJECTIVE_HOLDERS = ("infantry", "cavalry")  # types of units that can control an objective (BT-7)
NOT_CONTESTING = ("aircraft", "rotorcraft", "fortification")  # types of units that cannot prevent control (BT-7)
NEAR_IN_COMBAT = 200  # greatest distance at which another unit supports or threatens a unit in a combat (AC-8.2)
SURRENDERED = 0  # stands for the card of a side that surrenders the initiative
NOT_PLAYED = -1  # stands for the card of a side that has not played yet


class CardChoice(IntEnum):
    """Choice of the card that a side plays for the initiative (BT-2)."""

    HIGHEST = 0
    LOWEST = 1
    MIDDLE = 2
    SURRENDER = 3
    KEPT = 4  # playing first: the highest card; second: the lowest card that is at least the enemy's, if any


class ActivationChoice(IntEnum):
    """Choice of the ready unit that a side activates next (BT-4)."""

    LISTED = 0  # the first unit in the army list
    NEAREST = 1  # the unit nearest to an enemy
    DEAREST = 2  # the unit with the most points


class TargetChoice(IntEnum):
    """Choice of a unit's target among the enemies that it can attack (BT-4)."""

    NEAREST = 0
    MOST_POINTS = 1
    BEST_KILL = 2
    MOST_DANGEROUS = 3  # the enemy that is most dangerous to the unit
    THREATENED_FIRST = 4


class Outcome(IntEnum):
    """Result of a battle for side 0 (AC-9.4)."""

    VICTORY = 0
    DEVASTATING_VICTORY = 1
    DRAW = 2
    DEFEAT = 3
    DEVASTATING_DEFEAT = 4


@step
def length_of(dx: int, dy: int) -> int:
    """Return the length of a vector, rounded down (BT-1).

    >>> length_of(300, -400), length_of(1, 1)
    (500, 1)
    """
    return floor_sqrt(dx * dx + dy * dy)


@step
def floor_sqrt(squared: int) -> int:
    """Return the square root, rounded down.

    >>> floor_sqrt(24), floor_sqrt(25)
    (4, 5)
    """
    return int(np.sqrt(np.float64(squared)))


@step
def moved_coordinate(at: int, to: int, length: int, distance: int) -> int:
    """Return a coordinate after a move of `length` toward a point at `distance`; halves round up (BT-1).

    >>> moved_coordinate(0, 300, 250, 500), moved_coordinate(0, -301, 1, 2), moved_coordinate(7, 9, 3, 2)
    (150, -150, 9)
    """
    if length >= distance:
        return to
    return at + (2 * length * (to - at) + distance) // (2 * distance)


@step
def card_to_play(hand: Integers, hand_size: int, choice: int, to_beat: int) -> int:
    """Return the index in `hand` of the card to play for the initiative, or -1 to surrender it (BT-2).

    >>> cards = np.array([7, 2, 9, 4])
    >>> [card_to_play(cards, 4, choice, NOT_PLAYED) for choice in CardChoice]
    [2, 1, 0, -1, 2]
    >>> [card_to_play(cards, 4, CardChoice.KEPT, value) for value in (SURRENDERED, 4, 8, 10)]
    [1, 3, 2, -1]
    """
    if choice == CardChoice.SURRENDER or hand_size == 0:
        return -1
    if choice == CardChoice.KEPT and to_beat != NOT_PLAYED:
        result = -1
        for place in range(hand_size):
            if hand[place] >= to_beat and (result < 0 or hand[place] < hand[result]):
                result = place
        return result
    higher_cards = hand_size - 1 if choice == CardChoice.LOWEST else 0  # number of cards higher than the chosen card
    if choice == CardChoice.MIDDLE:
        higher_cards = (hand_size - 1) // 2
    for place in range(hand_size):
        higher = equal_before = 0
        for other in range(hand_size):
            higher += 1 if hand[other] > hand[place] else 0
            equal_before += 1 if hand[other] == hand[place] and other < place else 0
        if higher + equal_before == higher_cards:
            return place
    return -1


@step
def side_with_initiative(holder: int, holders_card: int, others_card: int) -> int:
    """Return the side that wins the initiative; the side that holds it loses a tie (BT-2).

    >>> side_with_initiative(0, 5, 4), side_with_initiative(0, 5, 5), side_with_initiative(1, 0, 3)
    (0, 1, 0)
    """
    return holder if holders_card > others_card else 1 - holder


@step
def controls(holders: int, enemies: int) -> bool:
    """Return True if a side controls an objective (BT-7).

    `holders`: number of its infantry and cavalry units in contact with the objective. `enemies`: number of enemy units
    in contact with it, except aircraft, rotorcraft and fortifications.
    """
    return holders > 0 and enemies == 0


@step
def outcome_of(mine: int, theirs: int) -> int:
    """Return the :class:`Outcome` for the side with `mine` victory points, against `theirs` (AC-9.4).

    >>> [Outcome(outcome_of(*points)).name for points in ((4, 2), (4, 3), (0, 0), (0, 1))]
    ['DEVASTATING_VICTORY', 'VICTORY', 'DRAW', 'DEVASTATING_DEFEAT']
    """
    if mine == theirs:
        return Outcome.DRAW.value
    if mine > theirs:
        return Outcome.DEVASTATING_VICTORY.value if mine >= DEVASTATING_RATIO * theirs else Outcome.VICTORY.value
    return Outcome.DEVASTATING_DEFEAT.value if theirs >= DEVASTATING_RATIO * mine else Outcome.DEFEAT.value
