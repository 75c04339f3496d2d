"""Roles of units, from their profiles: units of one role are paid alike for what no figure counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.fight_cache import fighting
from analyser.analysis.pricing import Array, medians_of
from analyser.game.units import Loadout, Unit, unit_of

TRANSPORT = "transport"
PAID_FOR = {"behemoth": "size", "commander": "orders", TRANSPORT: "room"}
"""Benefit of some roles that no exchange counts, in a word."""
MEANS = {
    "artillery": "field guns and artillery",
    "aircraft": "aircraft and rotorcraft",
    "close combat": "infantry and cavalry that cannot shoot",
    "armour": "armour that is no behemoth, commander or transport",
}
"""Members of the roles that are not exactly a type or a trait of a profile."""
_TRAITS = ("behemoth", "commander", TRANSPORT)
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


def kinds_of(loadouts: Sequence[Loadout]) -> NDArray[np.int64]:
    """Return a number for each loadout's unit; units with a loadout that is the same but for its points share one.

    >>> from analyser.game.profiles import Profiles
    >>> rifles, guard = (Profiles().loadout(f"crown/{name}@basic") for name in ("rifle-platoon", "horse-guard-cavalry"))
    >>> kinds_of([rifles, guard, rifles.with_(points=90)]).tolist()
    [0, 1, 0]
    """
    kinds: dict[str, int] = {}
    for number, loadout in enumerate(loadouts):
        unit = fighting(loadout).model_copy(update={"id": "", "name": ""})
        names = unit_of(loadout.selector), f"{loadout.level_name} {unit.model_dump_json()}"
        result = {kinds.get(name, number) for name in names}
        for name in [*names, *(name for name, kind in kinds.items() if len(result) > 1 and kind in result)]:
            kinds[name] = min(result)
    return np.array([kinds[unit_of(loadout.selector)] for loadout in loadouts], np.int64)


def plural(role: str) -> str:
    """Units of a role in a sentence.

    >>> [plural(role) for role in ("behemoth", "armour", "close combat")]
    ['behemoths', 'armour', 'close combat units']
    """
    return f"{role}s" if role in _TRAITS else f"{role} units" if role == "close combat" else role


class Peers(NamedTuple):
    """The loadouts of a role, each to be set beside those that are not of its unit."""

    role: str
    members: NDArray[np.int64]  # their places
    unit: NDArray[np.int64]  # of each, its unit among those of the role
    others: NDArray[np.bool_]  # (units, members): who is not of that unit

    def medians(self, values: Array, weights: Array) -> Array:
        """For each member the median of its others that have a value, as their weights are; NaN without any.

        Members run along the last axis.
        """
        order = np.argsort(values, axis=-1, kind="stable")
        ordered, weighed = (np.take_along_axis(table, order, -1) for table in (values, weights))
        counts = self.others[:, order] & ~np.isnan(ordered)
        below = np.cumsum(np.where(counts, weighed, 0.0), axis=-1)  # who does not count weighs nothing
        result = np.where(counts.any(axis=-1), medians_of(ordered, below), np.nan)
        return np.moveaxis(result[self.unit], 0, -1)


def peers_of(roles: Sequence[str], units: NDArray[np.int64]) -> tuple[Peers, ...]:
    """The loadouts role by role; `units` numbers the units."""
    result = []
    for role in dict.fromkeys(roles):
        members = np.flatnonzero([other == role for other in roles])
        named, unit = np.unique(units[members], return_inverse=True)
        result.append(Peers(role, members, unit, np.arange(len(named))[:, None] != unit[None, :]))
    return tuple(result)


def usual(peers: Sequence[Peers], values: Array, weights: Array) -> Array:
    """For each loadout the median of the other units of its role; NaN without any.

    Loadouts run along the last axis of `values` and `weights`.

    >>> both = peers_of(["armour", "armour", "armour", "infantry"], np.array([0, 0, 1, 2]))
    >>> usual(both, np.array([1.0, 3.0, 5.0, 7.0]), np.ones(4)).tolist()
    [5.0, 5.0, 2.0, nan]
    """
    result = np.full(values.shape, np.nan)
    for role in peers:
        if len(role.others) > 1:
            result[..., role.members] = role.medians(values[..., role.members], weights[..., role.members])
    return result
