"""Roles of units, from their profiles. A benefit that no figure counts has one price for all units of a role."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analyser.analysis.fight_cache import unit_in_fights
from analyser.common.kernel_records import Floats, Integers
from analyser.game.units import Loadout, Unit, unit_of

TRANSPORT = "transport"
UNCOUNTED_BENEFITS = {"behemoth": "size", "commander": "orders", TRANSPORT: "room"}
"""Benefits that no figure counts, by role."""
ROLE_DESCRIPTIONS = {
    "artillery": "field guns and artillery",
    "aircraft": "aircraft and rotorcraft",
    "close combat": "infantry and cavalry that cannot shoot",
    "armour": "not a behemoth, commander or transport",
}
"""Descriptions of roles that are not just a type or a trait of a profile."""
_TRAITS = ("behemoth", "commander", TRANSPORT)
_TOLERANCE = 1e-10  # smaller differences of cumulative weights, as shares of their sum, count as 0
_TYPES = {"field gun": "artillery", "rotorcraft": "aircraft"}


def role_of(unit: Unit) -> str:
    """Return the role: a trait of `_TRAITS`, ``close combat`` for infantry or cavalry without shots, or the type."""
    for trait in _TRAITS:
        if trait in unit.traits:
            return trait
    if unit.type in ("infantry", "cavalry") and not any(row.kind == "ranged" for row in unit.rows):
        return "close combat"
    return _TYPES.get(unit.type, unit.type)


def unit_numbers_of(loadouts: Sequence[Loadout]) -> Integers:
    """Return the unit of each loadout as a number; units share a number if any of their loadouts fight alike."""
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


def peers_of(roles: Sequence[str], unit_numbers: Integers) -> list[tuple[Integers, Integers]]:
    """Return for each unit the indices of its loadouts, and of the loadouts of other units of its role."""
    names = np.array(roles)
    result = []
    for role, unit in dict.fromkeys(zip(roles, unit_numbers.tolist())):
        is_own, is_in_role = unit_numbers == unit, names == role
        result.append((np.flatnonzero(is_own & is_in_role), np.flatnonzero(~is_own & is_in_role)))
    return result


def peer_medians(peers: Sequence[tuple[Integers, Integers]], values: Floats, weights: Floats) -> Floats:
    """Return for each loadout the weighted median of its role's other units, or its own value if there are none.

    >>> both = peers_of(["armour", "armour", "armour", "infantry"], np.array([0, 0, 1, 2]))
    >>> peer_medians(both, np.array([1.0, 3.0, 5.0, 7.0]), np.ones(4)).tolist()
    [5.0, 5.0, 2.0, 7.0]
    """
    result = values.copy()
    for own, others in peers:
        known = others[~np.isnan(values[others])]
        if len(known):
            result[own] = _weighted_median(values[known], weights[known])
    return result


def _weighted_median(values: Floats, weights: Floats) -> float:
    """Return the weighted median, or the mean of two middle values."""
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(weights[order])
    ends = np.searchsorted(cumulative, cumulative[-1] / 2 * np.array([1 - _TOLERANCE, 1 + _TOLERANCE]))
    return float(values[order[np.minimum(ends, len(values) - 1)]].mean())
