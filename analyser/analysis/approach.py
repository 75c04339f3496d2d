"""Time that two units spend far apart and near, from their ranges, speeds and preferred distances.

Two units come into sight of each other, and six rounds follow the first possible shot (AC-9.2). A unit that gains by
being near approaches by its SPEED each round until it can charge, from twice its SPEED. A unit that prefers distance
retreats at its SPEED while there is space behind it. So a gun that outranges its enemy shoots unanswered until the
enemy is near, and no unit charges an enemy that it cannot catch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.equilibrium_prices import Array
from analyser.game.units import Loadout, Unit

ROUNDS = 6.0
CHARGE_MOVE = 2.0  # times SPEED


class Battlefield(NamedTuple):
    """The distance at which two units come into sight (`apart`), and the space behind each to retreat, in inches."""

    name: str
    apart: float
    retreat: float


BATTLEFIELDS = (Battlefield("close", 18.0, 0.0), Battlefield("open", 36.0, 12.0))
"""The extremes that a table of 48 inches allows."""


class TimeShares(NamedTuple):
    """Shares of the rounds in which one of two units outranges the other, both can shoot, and one can charge.

    The three shares add up to 1. `reaches` is True where the row reaches farther than the column.
    """

    outranged: Array
    far: Array
    near: Array
    reaches: NDArray[np.bool_]


class Movement:
    """Movement of loadouts towards each other and away."""

    def __init__(self, loadouts: Sequence[Loadout]) -> None:
        units = [loadout.unit for loadout in loadouts]
        self._speed = np.array([unit.speed or 0.0 for unit in units])
        self._arrives = np.array([_arrives_at_once(unit) for unit in units], np.bool_)
        self._flies = np.array([unit.type == "aircraft" for unit in units], np.bool_)

    def time_shares(
        self, reach: Array, outranging: Array, far: Array, near: Array, battlefield: Battlefield
    ) -> TimeShares:
        """Return the shares of the rounds that each pair spends outranged, far and near.

        Parameters
        ----------
        reach : ndarray
            Range of the row's shots at the column, in inches; 0 if it cannot shoot at the column.
        outranging, far, near : ndarray
            Points that the row gains from the column in a round: while only one of them reaches the other, while both
            can shoot, and near.
        """
        visible = np.minimum(reach, battlefield.apart)
        longer, charge_range = visible > visible.T, CHARGE_MOVE * self._speed[:, None]
        shorter_reach, longer_reach = np.minimum(visible, visible.T), np.maximum(visible, visible.T)
        closes = _approaches(near - far, self._speed)
        gain_if_near = np.maximum(-near, np.where(shorter_reach > 0, -far, -np.inf))  # gain of an outranged column
        column_comes = gain_if_near > -outranging
        comes = np.where(longer, ~column_comes, np.where(longer.T, column_comes.T, closes))
        stops = np.maximum(shorter_reach, np.where(closes, charge_range, 0.0))
        retreat = np.full(far.shape, battlefield.retreat)
        outranged = self._rounds(np.maximum(longer_reach - stops, 0.0), retreat)
        outranged = np.minimum(np.where(comes, outranged, outranged.T), ROUNDS)
        left = np.where(comes == closes, np.maximum(retreat - outranged * self._speed[None, :], 0.0), retreat)
        shooting = self._rounds(np.maximum(shorter_reach - charge_range, 0.0), left)
        shooting = np.minimum(np.where(closes, shooting, shooting.T), ROUNDS - outranged)
        return TimeShares(outranged / ROUNDS, shooting / ROUNDS, (ROUNDS - outranged - shooting) / ROUNDS, longer)

    def _rounds(self, distance: Array, retreat: Array) -> Array:
        """Return the rounds in which each row comes nearer by `distance`, while the column may retreat by `retreat`."""
        own, other = np.broadcast_arrays(self._speed[:, None], self._speed[None, :])
        behind = np.where(other > 0, retreat, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_speed = np.where(own > other, distance / (own - other), np.inf)
            result = np.fmin(by_speed, np.where(own > 0, (distance + behind) / own, np.inf))
        result = np.where(self._flies[None, :], np.inf, result)
        return np.asarray(np.where((distance <= 0) | self._arrives[:, None], 0.0, result), np.float64)


def _approaches(gain: Array, speed: Array) -> NDArray[np.bool_]:
    """Return True where the row approaches: it has a gain, or no loss and more SPEED, or the same and a lower index."""
    faster = speed[:, None] - speed[None, :]
    first = np.arange(len(speed))[:, None] < np.arange(len(speed))[None, :]
    return np.asarray((gain > 0) | (gain == 0) & ((faster > 0) | (faster == 0) & first), np.bool_)


def _arrives_at_once(unit: Unit) -> bool:
    """Return True for aircraft, for units from below, and for units of unknown SPEED except fortifications."""
    return unit.type == "aircraft" or unit.has("Dynamic Entry") or (unit.speed is None and unit.type != "fortification")
