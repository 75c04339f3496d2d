"""What a unit is bought for, as its profile says it: units of one role are paid alike for what no figure counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analyser.game.units import Unit

PAID_FOR = {
    "behemoth": "size",
    "commander": "orders",
    "transport": "room",
    "artillery": "reach",
    "aircraft": "speed",
}
"""What units of some roles have besides their exchanges, in a word."""
_TRAITS = ("behemoth", "commander", "transport")
_TYPES = {"field gun": "artillery", "rotorcraft": "aircraft"}


def role_of(unit: Unit) -> str:
    """Its role: a trait that it is bought for, or close combat if it cannot shoot, or the type.

    >>> from analyser.game.profiles import Profiles
    >>> crown = Profiles()
    >>> [role_of(crown[f"crown/{name}@basic"].unit) for name in ("drake-field-guns", "horse-guard-cavalry")]
    ['artillery', 'close combat']
    """
    for trait in _TRAITS:
        if trait in unit.traits:
            return trait
    if unit.type in ("infantry", "cavalry") and not any(row.kind == "ranged" for row in unit.rows):
        return "close combat"
    return _TYPES.get(unit.type, unit.type)


def others_of(roles: Sequence[str], units: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """For each loadout the places of those of its role that are not of its unit; `units` numbers the units.

    >>> [each.tolist() for each in others_of(["armour", "armour", "armour", "infantry"], np.array([0, 0, 1, 2]))]
    [[2], [2], [0, 1], []]
    """
    named = np.array(roles)
    return [np.flatnonzero((named == role) & (units != unit)) for role, unit in zip(roles, units)]
