"""Grande Tactique: fleeing, pursuit, rout and collapse (GT-1 to GT-11), and positions of units, in inches.

Positions are numbered: position 0 is the start, the others are the possible ends of flights. A column is a line towards
the map edge. Along it exact lengths are compared by their ranks.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.morale.games.grande_tactique.question import GameUnit, RoutedUnit
from analyser.morale.questions import as_written

INFANTRY, CAVALRY, ARTILLERY = range(3)  # artillery never flees, it is silenced instead (GT-1)
ARMS = {"infantry": INFANTRY, "cavalry": CAVALRY, "artillery": ARTILLERY}

# Causes of fleeing (GT-2); WORN_DOWN: by the fire of infantry, LOST_FIRING: it lost its own firing attack.
CHARGED, WORN_DOWN, LOST_FIRING, WORN_DOWN_BY_ARTILLERY = range(4)

# States of a unit (GT-1): FLEEING is routed before its flight, ROUTED after it; artillery is SILENCED.
EAGER, SHAKEN, FLEEING, ROUTED, DESTROYED, SILENCED = range(6)

STANDS, FLEES, CHECKS, IS_SHAKEN, IS_SILENCED = range(5)  # effects of a cause on a unit

Number = Any  # an integer, or an array with one for each state

INFANTRY_FLIGHT, CAVALRY_FLIGHT = 7, 11
INFANTRY_PURSUED = 6
FLIGHT_DICE = 2
RALLY_COST = 2
SHAKEN_BY_OLD_GUARD, ROUTED_BY_OLD_GUARD = 9, 3
TOTALS = FLIGHT_DICE * 6 + 1  # number of totals of the dice of a flight, from 0
OFF_MAP, NOBODY = -1, 1 << 40


@step
def response(arm: int, shaken: int, cause: int) -> int:
    """Return the effect of a cause: the unit stands, flees, takes a morale check (GT-2), is shaken or silenced.

    Artillery never flees: a charge and the fire of artillery silence it (GT-1). Fire that wears down an eager unit
    shakes it; only units "already shaken and further worn down" may flee.
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
    """Return the number of dice added to the flight (GT-3)."""
    return FLIGHT_DICE if arm == CAVALRY and enemy == CAVALRY else 0


@step
def flight_distance(arm: int, rolled: int) -> int:
    """Return the distance of a flight, given the total of its dice (GT-3); later flights have no dice (GT-6)."""
    return INFANTRY_FLIGHT if arm == INFANTRY else CAVALRY_FLIGHT + rolled


@step
def pursuit_distance(pursuer: int, arm: int, fled: float) -> float:
    """Return the distance of the pursuit; only cavalry pursues (GT-4)."""
    if pursuer != CAVALRY or arm == ARTILLERY:
        return 0.0
    return INFANTRY_PURSUED if arm == INFANTRY else fled - 1.0


@step
def finds_shelter(arm: int, shelter: float | Fraction) -> bool:
    """Return True if woods or a built-up area are within one flight; only infantry heads for them (GT-5)."""
    return arm == INFANTRY and shelter <= INFANTRY_FLIGHT


@step
def off_map(moved: float | Fraction, edge: float | Fraction) -> bool:
    """Return True if a unit that has moved this far is off the map, and so destroyed (GT-5)."""
    return moved >= edge


@step
def passed_through(status: int, arm: int) -> int:
    """Return the status of a friend passed by a fleeing unit: eager becomes shaken, shaken becomes fleeing (GT-5).

    Artillery stays shaken, because it does not rout by chain (GT-1).
    """
    if status == EAGER:
        return SHAKEN
    return FLEEING if status == SHAKEN and arm != ARTILLERY else status


@step
def near_fleeing_old_guard(status: int, arm: int, distance: float) -> int:
    """Return the status of a friend near fleeing Old Guard (GT-9).

    Within 9 inches it is shaken, within 3 inches it flees, except artillery (GT-1).
    """
    if status in (EAGER, SHAKEN):
        if distance <= ROUTED_BY_OLD_GUARD and arm != ARTILLERY:
            return FLEEING
        if distance <= SHAKEN_BY_OLD_GUARD:
            return SHAKEN
    return status


@step
def rallies(pips: Number, cannot_rally: Number) -> Any:
    """Return True if a routed unit is rallied (GT-6, GT-8)."""
    return (pips >= RALLY_COST) & (cannot_rally == 0)


@step
def has_collapsed(standing: Number, gone: Number) -> Any:
    """Return True if a division has collapsed: all its units but one are routed, destroyed or off the map (GT-8)."""
    return (gone > 0) & (standing <= 1)


@step
def is_halted(lost: Number, units: int) -> Any:
    """Return True if a corps cannot move toward the enemy: half its original units are lost (GT-8)."""
    return 2 * lost >= units


class Ground(NamedTuple):
    """Positions of all units; shapes (units, places) or (units, places, totals), padded with zeros."""

    places: NDArray[np.int64]  # number of positions of each unit: shape (units,)
    onward: NDArray[np.int64]  # position after a flight, or OFF_MAP
    reach: NDArray[np.int64]  # lowest rank that the flight passes through, or NOBODY
    ranks: NDArray[np.int64]  # ranks by inches to the edge, highest for the foremost
    sheltered: NDArray[np.bool_]  # True in woods or a built-up area
    beside: NDArray[np.bool_]  # True outside its column, because it is or was in shelter
    near: NDArray[np.int64]  # first and last rank within 3 inches, and within 9: shape (units, places, 4)


class Place(NamedTuple):
    """A position of a unit: inches fled, and flags: in shelter, beside its column."""

    moved: Fraction
    sheltered: bool
    beside: bool


START = Place(Fraction(0), False, False)


class Path(NamedTuple):
    """Positions of one unit, and the next position for each position and total of a flight's dice."""

    arm: int
    to_edge: Fraction  # inches at the start
    places: list[Place]
    onward: list[list[int]]


def path_of(unit: GameUnit | RoutedUnit, totals: range, flights: int) -> Path:
    """Return the positions of a unit, found flight by flight."""
    arm = ARMS[unit.arm]
    edge = None if unit.edge_distance is None else as_written(unit.edge_distance)
    shelter = None if unit.shelter_distance is None or unit.in_shelter else as_written(unit.shelter_distance)
    farthest = flights * flight_distance(arm, totals[-1])
    counts = edge is not None and (unit.column is not None or edge <= farthest)

    def after(place: Place, total: int) -> Place | None:
        """Return the position after a flight (GT-3, GT-5); None: off the map."""
        moved, beside = place.moved + flight_distance(arm, total), place.beside
        wooded = shelter is not None and not beside  # there is shelter to flee to
        if shelter is not None and wooded and finds_shelter(arm, shelter - place.moved):
            return Place(shelter, True, True)
        if edge is not None and counts:
            if off_map(moved, edge):
                return None
            last = off_map(moved + flight_distance(arm, 0), edge)
            if unit.column is None and not wooded and last:  # the next flight leads off the map anyway
                return Place(edge, False, beside)
        elif not wooded:  # the exact position has no effect
            return Place(Fraction(0), False, beside)
        return Place(moved, False, beside)

    places, onward, ends = [Place(Fraction(0), unit.in_shelter, unit.in_shelter)], list[list[int]](), 1
    while len(onward) < len(places):
        if len(onward) == ends:  # all positions after this number of flights are done
            flights, ends = flights - 1, len(places)
        row: list[int] = []
        for total in range(TOTALS):
            end = after(places[len(onward)], total if total in totals else 0)
            if end is not None and end not in places and flights > 0:
                places.append(end)
            # a position beyond the last turn is never reached, so any index will do
            row.append(OFF_MAP if end is None else places.index(end) if end in places else 0)
        onward.append(row)
    return Path(arm, edge or Fraction(0), places, onward)


def ground_of(paths: Sequence[Path]) -> Ground:
    """Return the ground of units with these paths."""
    to_edge = [[path.to_edge - place.moved for place in path.places] for path in paths]
    lengths = sorted({length for row in to_edge for length in row})
    shape = len(paths), max(len(path.places) for path in paths)
    onward, reach = np.zeros((*shape, TOTALS), np.int64), np.full((*shape, TOTALS), NOBODY, np.int64)
    ranks, near = np.zeros(shape, np.int64), np.zeros((*shape, 4), np.int64)
    sheltered, beside = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
    for row, path in enumerate(paths):
        for place, (here, length) in enumerate(zip(path.places, to_edge[row])):
            onward[row, place] = path.onward[place]
            ranks[row, place] = bisect_left(lengths, length)
            sheltered[row, place], beside[row, place] = here.sheltered, here.beside
            near[row, place] = [
                bound
                for apart in (ROUTED_BY_OLD_GUARD, SHAKEN_BY_OLD_GUARD)
                for bound in (bisect_left(lengths, length - apart), bisect_right(lengths, length + apart) - 1)
            ]
            for total, after in enumerate(path.onward[place]):
                if not here.beside and (after == OFF_MAP or not path.places[after].beside):
                    reach[row, place, total] = bisect_left(lengths, length - flight_distance(path.arm, total))
    return Ground(np.array([len(path.places) for path in paths]), onward, reach, ranks, sheltered, beside, near)
