"""Time that two units spend far apart and near, from their ranges, speeds and preferred distances.

Two units come into sight of each other, and six rounds follow the first possible shot (AC-9.2). A unit that gains by
being near approaches by its SPEED each round until it can charge, from twice its SPEED. A unit that prefers distance
retreats at its SPEED while there is space behind it. So a gun that outranges its enemy shoots unanswered until the
enemy is near, and a unit never fights hand to hand with an enemy that it cannot reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.equilibrium_prices import Array
from analyser.game.units import Loadout, Unit

ROUNDS = 6.0
CHARGED_FROM = 2.0  # times SPEED, the move of a charge


class Country(NamedTuple):
    """A table: distance at which two units come into sight, and space behind each to retreat, in inches."""

    name: str
    apart: float
    room: float


COUNTRIES = (Country("close", 18.0, 0.0), Country("open", 36.0, 12.0))
"""The extremes that a table of 48 inches allows."""


class Spent(NamedTuple):
    """Shares of the rounds that each pair spends outranged, far and near; they add up to 1.

    Attributes
    ----------
    outranged : ndarray
        Only one of the two reaches the other.
    far, near : ndarray
        Both can shoot; one of them can charge.
    reaches : ndarray
        True where the row reaches farther than the column.
    """

    outranged: Array
    far: Array
    near: Array
    reaches: NDArray[np.bool_]


class Movers:
    """Movement of loadouts towards each other and away."""

    def __init__(self, loadouts: Sequence[Loadout]) -> None:
        units = [loadout.unit for loadout in loadouts]
        self._speed = np.array([unit.speed or 0.0 for unit in units])
        self._at_once = np.array([_comes_at_once(unit) for unit in units], np.bool_)
        self._flies = np.array([unit.type == "aircraft" for unit in units], np.bool_)

    def spent(self, reach: Array, alone: Array, far: Array, near: Array, country: Country) -> Spent:
        """Return the shares of the rounds that each pair spends outranged, far and near.

        Parameters
        ----------
        reach : ndarray
            Range of the row's shots at the column, in inches; 0 if it cannot shoot at it.
        alone, far, near : ndarray
            Points that the row gains on the column in a round: while only one of them reaches the other, while both do,
            and near.
        """
        seen = np.minimum(reach, country.apart)
        longer, charges_from = seen > seen.T, CHARGED_FROM * self._speed[:, None]
        both, most = np.minimum(seen, seen.T), np.maximum(seen, seen.T)
        closes = _wants(near - far, self._speed)
        answer = np.maximum(-near, np.where(both > 0, -far, -np.inf)) > -alone  # an outranged row approaches
        comes = np.where(longer, ~answer, np.where(longer.T, answer.T, closes))
        stops = np.maximum(both, np.where(closes, charges_from, 0.0))
        room = np.full(far.shape, country.room)
        outranged = self._rounds(np.maximum(most - stops, 0.0), room)
        outranged = np.minimum(np.where(comes, outranged, outranged.T), ROUNDS)
        left = np.where(comes == closes, np.maximum(room - outranged * self._speed[None, :], 0.0), room)
        shooting = self._rounds(np.maximum(both - charges_from, 0.0), left)
        shooting = np.minimum(np.where(closes, shooting, shooting.T), ROUNDS - outranged)
        return Spent(outranged / ROUNDS, shooting / ROUNDS, (ROUNDS - outranged - shooting) / ROUNDS, longer)

    def _rounds(self, gap: Array, room: Array) -> Array:
        """Return the rounds that each row needs to close a gap in inches; the column retreats while it has space."""
        mine, theirs = np.broadcast_arrays(self._speed[:, None], self._speed[None, :])
        behind = np.where(theirs > 0, room, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            runs_down = np.where(mine > theirs, gap / (mine - theirs), np.inf)
            result = np.fmin(runs_down, np.where(mine > 0, (gap + behind) / mine, np.inf))
        result = np.where(self._flies[None, :], np.inf, result)
        return np.asarray(np.where((gap <= 0) | self._at_once[:, None], 0.0, result), np.float64)


def _wants(gain: Array, speed: Array) -> NDArray[np.bool_]:
    """Return True where the row approaches: it gains by that, or gains nothing and is faster or listed first."""
    faster = speed[:, None] - speed[None, :]
    first = np.arange(len(speed))[:, None] < np.arange(len(speed))[None, :]
    return np.asarray((gain > 0) | (gain == 0) & ((faster > 0) | (faster == 0) & first), np.bool_)


def _comes_at_once(unit: Unit) -> bool:
    """Return True for aircraft, for units from below, and for units of unknown SPEED except fortifications."""
    return unit.type == "aircraft" or unit.has("Dynamic Entry") or (unit.speed is None and unit.type != "fortification")
