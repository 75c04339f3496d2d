"""Where the units of a game can come to, as integers: their places, and whom a flight from there passes through.

A unit's place is a number: 0 is where it stands at the start, the others are those that its flights can lead to. A
column is a line towards the map edge; what is compared along it are exact lengths, which have their ranks.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.morale.games.grande_tactique import rules
from analyser.morale.games.grande_tactique.question import Game, GameUnit
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


class _Place(NamedTuple):
    moved: Fraction
    sheltered: bool
    beside: bool


class _Path:
    """The places of one unit, found flight by flight."""

    def __init__(self, unit: GameUnit, totals: range, flights: int) -> None:
        self._arm = rules.Arm[unit.arm.upper()]
        self.edge = None if unit.edge_distance is None else as_written(unit.edge_distance)
        self._shelter = None if unit.shelter_distance is None or unit.in_shelter else as_written(unit.shelter_distance)
        farthest = flights * rules.flight_distance(self._arm, totals[-1])
        self._alone = unit.column is None
        self._counts = self.edge is not None and (unit.column is not None or self.edge <= farthest)
        self.places = [_Place(Fraction(0), unit.in_shelter, unit.in_shelter)]
        self.onward: list[list[int]] = []
        ends = 1
        while len(self.onward) < len(self.places):
            if len(self.onward) == ends:  # all that so many flights lead to has been looked at
                flights, ends = flights - 1, len(self.places)
            place = self.places[len(self.onward)]
            self.onward.append(
                [self._after(place, total if total in totals else 0, flights) for total in range(TOTALS)]
            )

    def _after(self, place: _Place, total: int, flights: int) -> int:
        """The number of the place after a flight (GT-3, GT-5)."""
        moved, beside = place.moved + rules.flight_distance(self._arm, total), place.beside
        if self._shelter is not None and not beside and rules.finds_shelter(self._arm, self._shelter - place.moved):
            found = _Place(self._shelter, True, True)
        elif self._counts and self.edge is not None and rules.off_map(moved, self.edge):
            return OFF_MAP
        elif self._is_last(moved, beside):  # wherever it is, the next flight leads off the map
            found = _Place(self.edge or moved, False, beside)
        elif self._counts or (self._shelter is not None and not beside):
            found = _Place(moved, False, beside)
        else:  # wherever it is, nothing hangs on it
            found = _Place(Fraction(0), False, beside)
        if found not in self.places:
            if flights <= 0:
                return 0  # which no unit ever makes
            self.places.append(found)
        return self.places.index(found)

    def _is_last(self, moved: Fraction, beside: bool) -> bool:
        """Whether a unit in no column, with no woods to make for, is off the map with its next flight."""
        if not self._alone or not self._counts or self.edge is None or (self._shelter is not None and not beside):
            return False
        return rules.off_map(moved + rules.flight_distance(self._arm, 0), self.edge)


def ground_of(game: Game, turns: int) -> Ground:
    """The ground of a game of so many turns."""
    dice = any(unit.charged_by_cavalry for unit in game.units)
    totals = range(TOTALS if dice else 1)
    paths = [_Path(unit, totals if unit.arm == "cavalry" else range(1), 2 * turns) for unit in game.units]
    to_edge = [[(path.edge or Fraction(0)) - place.moved for place in path.places] for path in paths]
    lengths = sorted({length for row in to_edge for length in row})
    most = max(len(path.places) for path in paths)
    shape = len(paths), most
    onward, reach = np.zeros((*shape, TOTALS), np.int64), np.full((*shape, TOTALS), NOBODY, np.int64)
    ranks, near = np.zeros(shape, np.int64), np.zeros((*shape, 4), np.int64)
    sheltered, beside = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
    for row, (unit, path) in enumerate(zip(game.units, paths)):
        arm = rules.Arm[unit.arm.upper()]
        for place, (found, length) in enumerate(zip(path.places, to_edge[row])):
            onward[row, place] = path.onward[place]
            ranks[row, place] = bisect_left(lengths, length)
            sheltered[row, place], beside[row, place] = found.sheltered, found.beside
            near[row, place] = [
                bound
                for apart in (rules.ROUTED_BY_OLD_GUARD, rules.SHAKEN_BY_OLD_GUARD)
                for bound in (bisect_left(lengths, length - apart), bisect_right(lengths, length + apart) - 1)
            ]
            for total in range(TOTALS):
                after = onward[row, place, total]
                if not found.beside and (after == OFF_MAP or not path.places[after].beside):
                    reach[row, place, total] = bisect_left(lengths, length - rules.flight_distance(arm, total))
    places = np.array([len(path.places) for path in paths])
    return Ground(places, onward, reach, ranks, sheltered, beside, near)
