"""Shares of a fight that two units spend far apart and close together, from ranges, speeds and preferences.

Two units come into sight of each other, and six rounds follow the first possible shot (AC-9.2). A unit that gains by
being near approaches by its SPEED each round, until the distance is twice its SPEED and it can charge. A unit that
prefers distance retreats by its SPEED each round while there is space behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.kernel_records import Floats
from analyser.game.units import Loadout

ROUNDS = 6.0
CHARGE_RANGE_IN_SPEEDS = 2.0  # longest distance of a charge, divided by SPEED


class Battlefield(NamedTuple):
    """Distance at which two units come into sight, and the space behind each unit to retreat into, in inches."""

    name: str
    sight_distance: float
    retreat_space: float


BATTLEFIELDS = (Battlefield("close", 18.0, 0.0), Battlefield("open", 36.0, 12.0))
"""The smallest and the largest battlefield that a table of 48 inches allows."""


class TimeShares(NamedTuple):
    """Shares of rounds by the actions that two units can take; each array has a row and a column for each loadout."""

    one_shoots: Floats  # only the unit with the longer range can shoot
    both_shoot: Floats
    near: Floats  # a unit can charge
    outreaches: NDArray[np.bool_]  # True where the row's unit has the longer range


class Movement:
    """Movement of each loadout (row) towards or away from each other loadout (column)."""

    def __init__(self, loadouts: Sequence[Loadout]) -> None:
        units = [loadout.unit for loadout in loadouts]
        self._speed = np.array([unit.speed or 0.0 for unit in units])
        self._flies = np.array([unit.type == "aircraft" for unit in units], np.bool_)
        unknown_speed = [unit.speed is None and unit.type != "fortification" for unit in units]
        at_once = [unit.has("Dynamic Entry") or unknown for unit, unknown in zip(units, unknown_speed)]
        self._arrives = self._flies | np.array(at_once, np.bool_)

    def time_shares(
        self, reach: Floats, gain_alone: Floats, gain_of_both: Floats, gain_near: Floats, battlefield: Battlefield
    ) -> TimeShares:
        """Return the shares of rounds (see :class:`TimeShares`) for each pair of loadouts.

        Parameters
        ----------
        reach : ndarray
            Range of the row's shots at the column, in inches; 0 if it cannot shoot at the column.
        gain_alone, gain_of_both, gain_near : ndarray
            Net points that the row gains in a round: one in which only the unit with the longer range shoots, one in
            which both shoot, and one in which a unit can charge.
        """
        visible = np.minimum(reach, battlefield.sight_distance)
        outreaches, charge_range = visible > visible.T, CHARGE_RANGE_IN_SPEEDS * self._speed[:, None]
        shorter_reach, longer_reach = np.minimum(visible, visible.T), np.maximum(visible, visible.T)
        row_charges = _approaches(gain_near - gain_of_both, self._speed)  # the row approaches when both can shoot
        in_range = np.maximum(-gain_near, np.where(shorter_reach > 0, -gain_of_both, -np.inf))  # the column's gain
        column_gains = in_range > -gain_alone
        row_comes = np.where(outreaches, ~column_gains, np.where(outreaches.T, column_gains.T, row_charges))
        stops = np.maximum(shorter_reach, np.where(row_charges, charge_range, 0.0))
        space = np.full(reach.shape, battlefield.retreat_space)
        one_shoots = self._rounds_needed(np.maximum(longer_reach - stops, 0.0), space)
        one_shoots = np.minimum(np.where(row_comes, one_shoots, one_shoots.T), ROUNDS)
        same_approaches = row_comes == row_charges  # if so, the other unit has already used up some of its space
        space = np.where(same_approaches, np.maximum(space - one_shoots * self._speed[None, :], 0.0), space)
        both = self._rounds_needed(np.maximum(shorter_reach - charge_range, 0.0), space)
        both = np.minimum(np.where(row_charges, both, both.T), ROUNDS - one_shoots)
        return TimeShares(one_shoots / ROUNDS, both / ROUNDS, (ROUNDS - one_shoots - both) / ROUNDS, outreaches)

    def _rounds_needed(self, distance: Floats, space: Floats) -> Floats:
        """Return the rounds that the row needs to come nearer by `distance`, if the column retreats up to `space`."""
        own, other = np.broadcast_arrays(self._speed[:, None], self._speed[None, :])
        behind = np.where(other > 0, space, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_speed = np.where(own > other, distance / (own - other), np.inf)
            result = np.fmin(by_speed, np.where(own > 0, (distance + behind) / own, np.inf))
        result = np.where(self._flies[None, :], np.inf, result)
        return np.asarray(np.where((distance <= 0) | self._arrives[:, None], 0.0, result), np.float64)


def _approaches(gain: Floats, speed: Floats) -> NDArray[np.bool_]:
    """Return True where the row approaches: it gains; or neither gains, and it is faster, or as fast and first."""
    excess_speed = speed[:, None] - speed[None, :]
    is_first = np.arange(len(speed))[:, None] < np.arange(len(speed))[None, :]
    return np.asarray((gain > 0) | (gain == 0) & ((excess_speed > 0) | (excess_speed == 0) & is_first), np.bool_)
