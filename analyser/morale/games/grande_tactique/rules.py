"""Grande Tactique: fleeing, pursuit, rout and collapse (GT-1 to GT-11). Distances in inches."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from analyser.common.jit import step

INFANTRY, CAVALRY, ARTILLERY = range(3)  # artillery never flees, it is silenced instead (GT-1)
ARMS = {"infantry": INFANTRY, "cavalry": CAVALRY, "artillery": ARTILLERY}

# What may make a unit flee (GT-2): WORN_DOWN by the fire of infantry, LOST_FIRING a firing attack of its own.
CHARGED, WORN_DOWN, LOST_FIRING, WORN_DOWN_BY_ARTILLERY = range(4)

# States of a unit (GT-1): FLEEING is routed with its move still to be made, ROUTED after it; artillery is SILENCED.
EAGER, SHAKEN, FLEEING, ROUTED, DESTROYED, SILENCED = range(6)

STANDS, FLEES, CHECKS, IS_SHAKEN, IS_SILENCED = range(5)  # what a cause does to a unit

Number = Any  # an integer, or one of each of some states

INFANTRY_FLIGHT, CAVALRY_FLIGHT = 7, 11
INFANTRY_PURSUED = 6
FLIGHT_DICE = 2
RALLY_COST = 2
VETERAN_BONUS, OLD_GUARD_BONUS = 1, 2
SHAKEN_BY_OLD_GUARD, ROUTED_BY_OLD_GUARD = 9, 3


@step
def response(arm: int, shaken: int, cause: int) -> int:
    """What a cause does to a unit: it stands, flees, flees if it fails a morale check (GT-2), is shaken, is silenced.

    Artillery never flees: a charge and the fire of artillery silence it (GT-1). An eager unit that fire wears down is
    shaken: it is those "already shaken and further worn down" that may flee.
    """
    worn_down = cause in (WORN_DOWN, WORN_DOWN_BY_ARTILLERY)
    if arm == ARTILLERY and cause in (CHARGED, WORN_DOWN_BY_ARTILLERY):
        return IS_SILENCED
    if cause == CHARGED:
        return FLEES
    if not shaken:
        return IS_SHAKEN if worn_down else STANDS
    if arm == INFANTRY:
        return CHECKS
    return FLEES if arm == CAVALRY and worn_down else STANDS


@step
def passes_check(rolled: Number, modifier: int, target: int) -> Any:
    """Whether a morale check is passed: one die and modifiers against a target number (GT-2, GT-9)."""
    return rolled + modifier >= target


@step
def flight_dice(arm: int, enemy: int) -> int:
    """How many dice are added to the flight (GT-3)."""
    return FLIGHT_DICE if arm == CAVALRY and enemy == CAVALRY else 0


@step
def flight_distance(arm: int, rolled: int) -> int:
    """How far a unit flees, with the total of its flight dice (GT-3); later flights are without dice (GT-6)."""
    return INFANTRY_FLIGHT if arm == INFANTRY else CAVALRY_FLIGHT + rolled


@step
def pursuit_distance(pursuer: int, arm: int, fled: float) -> float:
    """How far the enemy pursues: only cavalry does (GT-4)."""
    if pursuer != CAVALRY or arm == ARTILLERY:
        return 0.0
    return INFANTRY_PURSUED if arm == INFANTRY else fled - 1.0


@step
def finds_shelter(arm: int, shelter: float | Fraction) -> bool:
    """Whether woods or a built-up area are within one flight: infantry alone makes for them (GT-5)."""
    return arm == INFANTRY and shelter <= INFANTRY_FLIGHT


@step
def off_map(moved: float | Fraction, edge: float | Fraction) -> bool:
    """Whether a unit that has moved so far is off the map, and counts as destroyed (GT-5)."""
    return moved >= edge


@step
def passed_through(status: int, arm: int) -> int:
    """A friend that a fleeing unit passes through: eager becomes shaken, shaken flees in turn (GT-5).

    Artillery does not rout by chain: it is shaken, and no more (GT-1).
    """
    if status == EAGER:
        return SHAKEN
    return FLEEING if status == SHAKEN and arm != ARTILLERY else status


@step
def near_fleeing_old_guard(status: int, arm: int, distance: float) -> int:
    """A friend so far from Old Guard that flees: shaken within 9, fleeing within 3 (GT-9), but for artillery (GT-1)."""
    if status in (EAGER, SHAKEN):
        if distance <= ROUTED_BY_OLD_GUARD and arm != ARTILLERY:
            return FLEEING
        if distance <= SHAKEN_BY_OLD_GUARD:
            return SHAKEN
    return status


@step
def rallies(pips: Number, cannot_rally: Number) -> Any:
    """Whether a routed unit is rallied (GT-6, GT-8)."""
    return (pips >= RALLY_COST) & (cannot_rally == 0)


@step
def has_collapsed(standing: Number, gone: Number) -> Any:
    """Whether a division has collapsed: all but one of its units are routed, destroyed or off the map (GT-8)."""
    return (gone > 0) & (standing <= 1)


@step
def is_halted(lost: Number, units: int) -> Any:
    """Whether a corps cannot move toward the enemy: half its original units are lost (GT-8)."""
    return 2 * lost >= units
