"""Grande Tactique: fleeing, pursuit, rout and collapse (GT-1 to GT-11), and where units come to. Distances in inches.

A unit's place is a number: 0 is where it stands at the start, the others are those that its flights can lead to. A
column is a line towards the map edge; what is compared along it are exact lengths, which have their ranks.
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
SHAKEN_BY_OLD_GUARD, ROUTED_BY_OLD_GUARD = 9, 3
TOTALS = FLIGHT_DICE * 6 + 1  # of the dice of a flight
OFF_MAP, NOBODY = -1, 1 << 40


@step
def response(arm: int, shaken: int, cause: int) -> int:
    """Return the response of a unit to a cause: stands, flees, takes a morale check (GT-2), is shaken or is silenced.

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
    """The places of all units; shapes (units, places) or (units, places, totals), padded with zeros."""

    places: NDArray[np.int64]  # how many each unit has: shape (units,)
    onward: NDArray[np.int64]  # the place that a flight leads to, or OFF_MAP
    reach: NDArray[np.int64]  # the lowest rank that it passes through, or NOBODY
    ranks: NDArray[np.int64]  # by inches to the edge: the foremost have the highest
    sheltered: NDArray[np.bool_]  # in woods or a built-up area
    beside: NDArray[np.bool_]  # in or from shelter: beside its column
    near: NDArray[np.int64]  # the ranks within 3 inches, first and last, and those within 9: shape (units, places, 4)


class Place(NamedTuple):
    """A place of a unit: how far it has fled, whether it is in shelter, and whether beside its column."""

    moved: Fraction
    sheltered: bool
    beside: bool


START = Place(Fraction(0), False, False)


class Path(NamedTuple):
    """The places of one unit, and the one that each total of a flight's dice leads to from each."""

    arm: int
    to_edge: Fraction  # inches at the start
    places: list[Place]
    onward: list[list[int]]


def path_of(unit: GameUnit | RoutedUnit, totals: range, flights: int) -> Path:
    """The places of a unit, found flight by flight."""
    arm = ARMS[unit.arm]
    edge = None if unit.edge_distance is None else as_written(unit.edge_distance)
    shelter = None if unit.shelter_distance is None or unit.in_shelter else as_written(unit.shelter_distance)
    farthest = flights * flight_distance(arm, totals[-1])
    counts = edge is not None and (unit.column is not None or edge <= farthest)

    def after(place: Place, total: int) -> Place | None:
        """The place after a flight (GT-3, GT-5); None: off the map."""
        moved, beside = place.moved + flight_distance(arm, total), place.beside
        wooded = shelter is not None and not beside  # there are woods to make for
        if shelter is not None and wooded and finds_shelter(arm, shelter - place.moved):
            return Place(shelter, True, True)
        if edge is not None and counts:
            if off_map(moved, edge):
                return None
            last = off_map(moved + flight_distance(arm, 0), edge)
            if unit.column is None and not wooded and last:  # wherever it is, the next flight leads off the map
                return Place(edge, False, beside)
        elif not wooded:  # wherever it is, nothing hangs on it
            return Place(Fraction(0), False, beside)
        return Place(moved, False, beside)

    places, onward, ends = [Place(Fraction(0), unit.in_shelter, unit.in_shelter)], list[list[int]](), 1
    while len(onward) < len(places):
        if len(onward) == ends:  # all that so many flights lead to has been looked at
            flights, ends = flights - 1, len(places)
        row: list[int] = []
        for total in range(TOTALS):
            end = after(places[len(onward)], total if total in totals else 0)
            if end is not None and end not in places and flights > 0:
                places.append(end)
            # a place that no unit ever comes to, for want of turns, is as good as the first
            row.append(OFF_MAP if end is None else places.index(end) if end in places else 0)
        onward.append(row)
    return Path(arm, edge or Fraction(0), places, onward)


def ground_of(paths: Sequence[Path]) -> Ground:
    """The ground of units with these paths."""
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
