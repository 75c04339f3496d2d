"""What is known before a die is rolled, as flat records of whole numbers.

An engine reads nothing else: names, selectors and checks have all been dealt with by then. A flag is
0 or 1; a number that may be absent is -1 then.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

NONE = -1


class Officer(IntEnum):
    """When the officer's model falls (AC-5.8)."""

    LAST = 0
    FIRST = 1
    RANDOM = 2


class Test(IntEnum):
    """How a suppression test goes, before any card (AC-4.5, AC-5.1, AC-7)."""

    NOT_TAKEN = 0
    BY_CARD = 1
    PASSED = 2
    FAILED = 3


class Sight(IntEnum):
    """What an Indirect row fires by (AC-6)."""

    OWN = 0
    NONE = 1
    SPOTTER = 2


class Bonus(IntEnum):
    """Bits of the combat-rating bonuses of a ranged attack (AC-4.2, AC-7)."""

    AIMING = 1
    SHORT_RANGE = 2
    AMMO_SUPPLY = 4
    SEISMIC = 8


class Penalty(IntEnum):
    """Bits of the combat-rating penalties of a ranged attack (AC-4.2, AC-6)."""

    CONCEALED = 1
    SUPPRESSED = 2
    OPPORTUNITY_FIRE = 4
    REFORMING = 8
    OUTSIDE_FRONT_ARC = 16


CATEGORIES = ("light", "heavy", "aerial")


def _whole_numbers(names: str) -> np.dtype[np.void]:
    return np.dtype([(name, np.int64) for name in names.split()])


ATTACK = _whole_numbers(
    """
    dice dice_in_parentheses point_blank shock wreckers
    stated_rating bonuses penalties sight
    arc veteran extra_faces extra_dice overcharge
    devastating penetrating suppressive torrent precision cryo seismic lock_on opportunity_fire
    corrosive models damage damage_limit
    """
)
"""The attacking side. `stated_rating` is a :class:`~analyser.dice.Rating` or NONE; `bonuses`, `penalties`
bits of :class:`Bonus` and :class:`Penalty`; `dice_in_parentheses` NONE where the cell has no second value;
`corrosive` whether the target is within reach of its Corrosive Fumes; `models`, `damage` and `damage_limit`
are the attacker's own (Overcharge)."""

TARGET = _whole_numbers(
    """
    category models defence damage_limit discipline break_limit damage
    suppressed disordered activated exposed close_formation officer near_commander
    taking_cover garrisoned from_front obstacle behemoth aircraft flees models_without_room
    fail_on_purpose chain_of_command passes_tests automata hot_headed
    durable resilient_front emplacement pavises always_concealed construct bodyguard ground_unit
    concealed_by_obstacle
    """
)
"""The target. `exposed` is NONE when the attack does not prioritise exposed models (AC-3.9); `flees` whether
a fall-back of 3 inches reaches its table edge; `ground_unit` whether Seismic can touch it."""

FIGHT = _whole_numbers(
    """
    dice rating reroll_faces extra_faces extra_dice explosion heroic_hits veteran overcharge
    attacker_models attacker_damage attacker_damage_limit
    models damage damage_limit most_destroyed defence devastating penetrating behemoth
    test discipline break_limit suppressed disordered activated officer near_commander
    cryo disorders flees models_without_room
    """
)
"""One attack on one target, all conditions applied. `reroll_faces` and `extra_faces` are bits of faces;
`most_destroyed` the models that can be destroyed (AC-3.9); `discipline` has every modifier that is known
before the dice; `disorders` whether becoming suppressed disorders (Construct, Seismic)."""
