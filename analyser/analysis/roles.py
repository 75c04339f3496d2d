"""Roles of units, from their profiles. A benefit that no figure counts has one price for all units of a role."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.arrays import Array, weighted_medians
from analyser.analysis.fight_cache import unit_in_fights
from analyser.game.units import Loadout, Unit, unit_of

TRANSPORT = "transport"
UNCOUNTED_BENEFITS = {"behemoth": "size", "commander": "orders", TRANSPORT: "room"}
"""The benefit of a role that no figure counts."""
ROLE_DESCRIPTIONS = {
    "artillery": "field guns and artillery",
    "aircraft": "aircraft and rotorcraft",
    "close combat": "infantry and cavalry that cannot shoot",
    "armour": "not a behemoth, commander or transport",
}
"""Descriptions of roles that are not just a type or a trait of a profile."""
_TRAITS = ("behemoth", "commander", TRANSPORT)
_TYPES = {"field gun": "artillery", "rotorcraft": "aircraft"}


def role_of(unit: Unit) -> str:
    """Return the role: the main trait; ``close combat`` for infantry or cavalry without shots; else the type."""
    for trait in _TRAITS:
        if trait in unit.traits:
            return trait
    if unit.type in ("infantry", "cavalry") and not any(row.kind == "ranged" for row in unit.rows):
        return "close combat"
    return _TYPES.get(unit.type, unit.type)


def unit_numbers_of(loadouts: Sequence[Loadout]) -> NDArray[np.int64]:
    """Return the unit of each loadout as a number; units with a loadout that fights alike have the same number."""
    kinds: dict[str, int] = {}
    for number, loadout in enumerate(loadouts):
        unit = unit_in_fights(loadout).model_copy(update={"id": "", "name": ""})
        keys = unit_of(loadout.selector), f"{loadout.level_name} {unit.model_dump_json()}"
        merged = {kinds.get(key, number) for key in keys}
        for key in [*keys, *(key for key, kind in kinds.items() if len(merged) > 1 and kind in merged)]:
            kinds[key] = min(merged)
    return np.array([kinds[unit_of(loadout.selector)] for loadout in loadouts], np.int64)


def plural(role: str) -> str:
    """Return the plural of a role for a sentence."""
    return f"{role}s" if role in _TRAITS else f"{role} units" if role == "close combat" else role


class Peers(NamedTuple):
    """Loadouts of a role, each of which is compared with the loadouts of other units."""

    role: str
    members: NDArray[np.int64]  # indices of the loadouts
    unit_numbers: NDArray[np.int64]  # number of the unit of each member, counted within the role
    is_other: NDArray[np.bool_]  # (units, members): True for members of other units

    def medians(self, values: Array, weights: Array) -> Array:
        """Return for each member (last axis) the weighted median of members of other units; NaN without values."""
        order = np.argsort(values, axis=-1, kind="stable")
        ordered, ordered_weights = (np.take_along_axis(table, order, -1) for table in (values, weights))
        included = self.is_other[:, order] & ~np.isnan(ordered)
        cumulative_weights = np.cumsum(np.where(included, ordered_weights, 0.0), axis=-1)
        result = np.where(included.any(axis=-1), weighted_medians(ordered, cumulative_weights), np.nan)
        return np.moveaxis(result[self.unit_numbers], 0, -1)


def peers_of(roles: Sequence[str], unit_numbers: NDArray[np.int64]) -> tuple[Peers, ...]:
    """Return the loadouts of each role."""
    result = []
    for role in dict.fromkeys(roles):
        members = np.flatnonzero([other == role for other in roles])
        distinct, numbers = np.unique(unit_numbers[members], return_inverse=True)
        result.append(Peers(role, members, numbers, np.arange(len(distinct))[:, None] != numbers[None, :]))
    return tuple(result)


def peer_medians(peers: Sequence[Peers], values: Array, weights: Array) -> Array:
    """Return for each loadout (last axis) the weighted median of the other units of its role; NaN without any.

    >>> both = peers_of(["armour", "armour", "armour", "infantry"], np.array([0, 0, 1, 2]))
    >>> peer_medians(both, np.array([1.0, 3.0, 5.0, 7.0]), np.ones(4)).tolist()
    [5.0, 5.0, 2.0, nan]
    """
    result = np.full(values.shape, np.nan)
    for group in peers:
        if len(group.is_other) > 1:
            result[..., group.members] = group.medians(values[..., group.members], weights[..., group.members])
    return result
