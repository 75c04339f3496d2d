"""Rows of the armaments table: when a row may fire, and which band gives its dice (AC-2.3, AC-4.1, AC-4.4, AC-6)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from analyser.common.jit import step
from analyser.rules.policies import Policy
from analyser.rules.structs import NONE

DICE_PER_CARRIAGE = 2  # Full Steam Ahead (AC-6)


class RowKind(IntEnum):
    """Kind of a row of the armaments table."""

    RANGED = 0
    MELEE = 1
    IMPACT = 2


class RowFacts(NamedTuple):
    """Row of the armaments table without its dice; lengths are in hundredths of an inch."""

    kind: int = 0  # a RowKind
    against: int = 0  # bits of the categories of its possible targets
    long_range: int = NONE
    short_range: int = NONE  # NONE: no short range
    slow_to_fire: int = 0
    move_or_fire: int = 0
    reactive: int = 0
    indirect: int = 0
    siegebreaker: int = 0
    can_overcharge: int = 0
    full_steam_ahead: int = 0


class ShotFacts(NamedTuple):
    """Circumstances that decide whether a row may fire."""

    distance: int = NONE  # hundredths of an inch; NONE: everything is in range
    short_range: int = 0  # 1: at short range; used only if the distance is unknown
    reloading: int = 0
    advanced: int = 0
    opportunity_fire: int = 0


class WhyNot(IntEnum):
    """Reason why a row cannot make a ranged attack, or IT_CAN."""

    IT_CAN = 0
    NOT_RANGED = 1
    CATEGORY = 2
    OUT_OF_RANGE = 3
    NO_DICE = 4
    RELOADING = 5
    ADVANCED = 6
    REACTIVE = 7
    SHORT_RANGE = 8


@step
def can_shoot_with(row: RowFacts, category: int, policy: int) -> bool:
    """Return True if a unit that follows `policy` can fire the row at a target of this category (AC-4.1, AC-6)."""
    if row.kind != RowKind.RANGED or not row.against >> category & 1:
        return False
    if policy == Policy.LOOKOUT:
        return True
    if row.reactive or (policy == Policy.OVERCHARGE and not row.can_overcharge):
        return False
    return policy != Policy.SHORT_RANGE or row.short_range == NONE or not row.indirect


@step
def band_count(models: int, damage: int, behemoth: int, in_building: int) -> int:
    """Return the number that selects the band: models, halved in a building (AC-4.4), or a behemoth's damage (AC-2.3).

    >>> band_count(7, 2, 0, 1), band_count(7, 2, 1, 0)
    (4, 2)
    """
    if behemoth:
        return damage
    return (models + 1) // 2 if in_building else models


@step
def within_short_range(row: RowFacts, shot: ShotFacts) -> bool:
    """Return True if the target is within the row's short range (AC-4.1)."""
    if row.short_range == NONE:
        return False
    return shot.short_range != 0 if shot.distance == NONE else shot.distance <= row.short_range


@step
def why_not(row: RowFacts, shot: ShotFacts, category: int, dice: int) -> int:
    """Return the :class:`WhyNot` of a row with `dice` dice (NONE: no band) at a target of `category` (AC-4.1, AC-6)."""
    if row.kind != RowKind.RANGED:
        return WhyNot.NOT_RANGED.value
    if not row.against >> category & 1:
        return WhyNot.CATEGORY.value
    if shot.distance != NONE and shot.distance > row.long_range:
        return WhyNot.OUT_OF_RANGE.value
    if dice <= 0:
        return WhyNot.NO_DICE.value
    if row.slow_to_fire and shot.reloading:
        return WhyNot.RELOADING.value
    if row.move_or_fire and shot.advanced:
        return WhyNot.ADVANCED.value
    if row.reactive and not shot.opportunity_fire:
        return WhyNot.REACTIVE.value
    if row.indirect and within_short_range(row, shot):
        return WhyNot.SHORT_RANGE.value
    return WhyNot.IT_CAN.value
