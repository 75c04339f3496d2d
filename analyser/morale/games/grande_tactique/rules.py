"""Grande Tactique: fleeing, pursuit, rout and collapse (GT-1 to GT-11), and positions of units, in inches."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from analyser.common.jit import step
from analyser.morale.games.grande_tactique.question import GameUnit
from analyser.morale.questions import exact_fraction

INFANTRY, CAVALRY, ARTILLERY = range(3)  # artillery never flees, it is silenced instead (GT-1)
ARMS = {"infantry": INFANTRY, "cavalry": CAVALRY, "artillery": ARTILLERY}

# Causes of fleeing (GT-2); WORN_DOWN: by the fire of infantry, LOST_FIRING: the unit lost its own firing attack.
CHARGED, WORN_DOWN, LOST_FIRING, WORN_DOWN_BY_ARTILLERY = range(4)

# States of a unit (GT-1): FLEEING before its flight, ROUTED after it; artillery is SILENCED instead.
EAGER, SHAKEN, FLEEING, ROUTED, DESTROYED, SILENCED = range(6)

STANDS, FLEES, CHECKS, IS_SHAKEN, IS_SILENCED = range(5)  # effects of a cause on a unit

Number = Any  # an integer, or an array with an integer for each state

INFANTRY_FLIGHT, CAVALRY_FLIGHT = 7, 11  # length of a flight in inches, without dice
INFANTRY_PURSUED = 6  # length of a pursuit of infantry, in inches
FLIGHT_DICE = 2
RALLY_COST = 2  # PIPs
SHAKEN_BY_OLD_GUARD, ROUTED_BY_OLD_GUARD = 9, 3  # largest distances from fleeing Old Guard, in inches
TOTALS = FLIGHT_DICE * 6 + 1  # number of possible totals of the dice of a flight, 0 included
OFF_MAP = -1  # position after a flight off the map
INCH = 10**9  # so that lengths with up to nine decimals are integers


@step
def response(arm: int, shaken: int, cause: int) -> int:
    """Return the effect of a cause on a unit: it stands, flees, takes a morale check (GT-2), is shaken or silenced.

    Artillery never flees: a charge or the fire of artillery silences it (GT-1). Fire that wears down an eager unit
    shakes it. Shaken infantry checks if worn down or after a lost firing attack; shaken cavalry flees if worn down.
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
    """Return True if a morale check is passed: a die plus modifiers against a target number (GT-2, GT-9)."""
    return rolled + modifier >= target


@step
def flight_dice(arm: int, enemy: int) -> int:
    """Return the number of dice that are added to the distance of a flight (GT-3)."""
    return FLIGHT_DICE if arm == CAVALRY and enemy == CAVALRY else 0


@step
def flight_distance(arm: int, rolled: int) -> int:
    """Return the length of a flight in inches, from the total of its dice (GT-3); later flights have none (GT-6)."""
    return INFANTRY_FLIGHT if arm == INFANTRY else CAVALRY_FLIGHT + rolled


@step
def pursuit_distance(pursuer: int, arm: int, fled: float) -> float:
    """Return the length of a pursuit in inches; only cavalry pursues (GT-4)."""
    if pursuer != CAVALRY or arm == ARTILLERY:
        return 0.0
    return INFANTRY_PURSUED if arm == INFANTRY else fled - 1.0


@step
def finds_shelter(arm: int, shelter: float | Fraction) -> bool:
    """Return True if a unit reaches woods or a built-up area in one flight; only infantry heads for them (GT-5)."""
    return arm == INFANTRY and shelter <= INFANTRY_FLIGHT


@step
def is_off_map(moved: float | Fraction, edge: float | Fraction) -> bool:
    """Return True if a unit that has moved this far is off the map, and so destroyed (GT-5)."""
    return moved >= edge


@step
def status_when_passed(status: int, arm: int) -> int:
    """Return the status of a friend after a fleeing unit has passed it; artillery does not rout (GT-1, GT-5)."""
    if status == EAGER:
        return SHAKEN
    return FLEEING if status == SHAKEN and arm != ARTILLERY else status


@step
def status_near_old_guard(status: int, arm: int, distance: float) -> int:
    """Return the status of a friend near fleeing Old Guard; artillery does not flee (GT-1, GT-9)."""
    if status in (EAGER, SHAKEN):
        if distance <= ROUTED_BY_OLD_GUARD and arm != ARTILLERY:
            return FLEEING
        if distance <= SHAKEN_BY_OLD_GUARD:
            return SHAKEN
    return status


@step
def can_rally(pips: Number, cannot_rally: Number) -> Any:
    """Return True if a routed unit can rally, at a cost of `RALLY_COST` PIPs (GT-6, GT-8)."""
    return (pips >= RALLY_COST) & (cannot_rally == 0)


@step
def has_collapsed(standing: Number, gone: Number) -> Any:
    """Return True if a division has collapsed: a unit is routed or gone, and at most one is left (GT-8)."""
    return (gone > 0) & (standing <= 1)


@step
def is_halted(lost: Number, units: int) -> Any:
    """Return True if a corps cannot move toward the enemy, because half its original units are lost (GT-8)."""
    return 2 * lost >= units


class Position(NamedTuple):
    """A position of a unit."""

    moved: Fraction  # inches fled
    sheltered: bool  # True in woods or a built-up area
    off_column: bool  # True if the unit has left its column, because it is or was in shelter


START = Position(Fraction(0), False, False)


class Path(NamedTuple):
    """Positions of a unit: 0 is the start, the others are the possible ends of flights."""

    arm: int
    to_edge: Fraction  # inches at the start
    positions: list[Position]
    ends_by_total: list[list[int]]  # by position and total of a flight's dice: the next position, or OFF_MAP


def path_of(unit: GameUnit, totals: range, flights: int) -> Path:
    """Return the positions that a unit can reach in up to `flights` flights with these `totals` of the dice."""
    arm = ARMS[unit.arm]
    edge = None if unit.edge_distance is None else exact_fraction(unit.edge_distance)
    farthest = flights * flight_distance(arm, totals[-1])
    woods = unit.shelter_distance
    shelter = None if woods is None or unit.in_shelter or woods > farthest else exact_fraction(woods)
    edge_matters = edge is not None and (unit.column is not None or edge <= farthest)

    def position_after(position: Position, total: int) -> Position | None:
        """Return the position after a flight (GT-3, GT-5), or None if off the map."""
        moved, off_column = position.moved + flight_distance(arm, total), position.off_column
        has_shelter = shelter is not None and not off_column
        if shelter is not None and has_shelter and finds_shelter(arm, shelter - position.moved):
            return Position(shelter, True, True)
        if edge is not None and edge_matters:
            if is_off_map(moved, edge):
                return None
            next_is_last = is_off_map(moved + flight_distance(arm, 0), edge)
            if unit.column is None and not has_shelter and next_is_last:
                return Position(edge, False, off_column)
        elif not has_shelter:  # the exact position has no effect
            return Position(Fraction(0), False, off_column)
        return Position(moved, False, off_column)

    positions, ends_by_total, ends = [Position(Fraction(0), unit.in_shelter, unit.in_shelter)], list[list[int]](), 1
    while len(ends_by_total) < len(positions):
        if len(ends_by_total) == ends:  # the next positions are those after one more flight
            flights, ends = flights - 1, len(positions)
        row: list[int] = []
        for total in range(TOTALS):
            end = position_after(positions[len(ends_by_total)], total if total in totals else 0)
            if end is not None and end not in positions and flights > 0:
                positions.append(end)
            # a position beyond the last turn is never reached, so any index will do
            row.append(OFF_MAP if end is None else positions.index(end) if end in positions else 0)
        ends_by_total.append(row)
    return Path(arm, edge or Fraction(0), positions, ends_by_total)
