"""Where units can come to, as integers: their places, and whom a flight from there passes through.

A unit's place is a number: 0 is where it stands at the start, the others are those that its flights can lead to. A
column is a line towards the map edge; what is compared along it are exact lengths, which have their ranks.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.morale.games.grande_tactique import rules
from analyser.morale.games.grande_tactique.question import GameUnit, RoutedUnit
from analyser.morale.questions import as_written

TOTALS = rules.FLIGHT_DICE * 6 + 1  # of the dice of a flight
OFF_MAP, NOBODY = -1, 1 << 40


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
    arm = rules.ARMS[unit.arm]
    edge = None if unit.edge_distance is None else as_written(unit.edge_distance)
    shelter = None if unit.shelter_distance is None or unit.in_shelter else as_written(unit.shelter_distance)
    farthest = flights * rules.flight_distance(arm, totals[-1])
    counts = edge is not None and (unit.column is not None or edge <= farthest)

    def after(place: Place, total: int) -> Place | None:
        """The place after a flight (GT-3, GT-5); None: off the map."""
        moved, beside = place.moved + rules.flight_distance(arm, total), place.beside
        wooded = shelter is not None and not beside  # there are woods to make for
        if shelter is not None and wooded and rules.finds_shelter(arm, shelter - place.moved):
            return Place(shelter, True, True)
        if edge is not None and counts:
            if rules.off_map(moved, edge):
                return None
            last = rules.off_map(moved + rules.flight_distance(arm, 0), edge)
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
                for apart in (rules.ROUTED_BY_OLD_GUARD, rules.SHAKEN_BY_OLD_GUARD)
                for bound in (bisect_left(lengths, length - apart), bisect_right(lengths, length + apart) - 1)
            ]
            for total, after in enumerate(path.onward[place]):
                if not here.beside and (after == OFF_MAP or not path.places[after].beside):
                    reach[row, place, total] = bisect_left(lengths, length - rules.flight_distance(path.arm, total))
    return Ground(np.array([len(path.places) for path in paths]), onward, reach, ranks, sheltered, beside, near)
