"""What a unit cannot be, and what is merely odd: more models than its profile has, who is in a building."""

from __future__ import annotations

from analyser.errors import InputError
from analyser.units import Loadout, UnitType

LARGEST_GARRISON = 12  # models, as the rulebook defines a defensible building


def check_models(models: int | None, loadout: Loadout | None, where: str) -> None:
    """Refuse more models than a unit has at any level (AC-2.2)."""
    if loadout is None or models is None:
        return
    most = max(level.models for level in loadout.unit.levels.values())
    if models > most:
        problem = f"{models} models of {loadout.faction}/{loadout.unit.id}"
        raise InputError(problem, where=where, allowed=f"1 to {most}, its largest level")


def more_than_level(models: int | None, loadout: Loadout | None, key: str) -> list[str]:
    """A warning where a unit has more models than its level: taken as said, and told."""
    if loadout is None or models is None or models <= loadout.level.models:
        return []
    return [f"{key} is {models}, and {loadout.selector} has {loadout.level.models}"]


def check_garrison(unit_type: UnitType | None, where: str) -> None:
    """Refuse who cannot be in a building: only infantry makes the garrison action of the rulebook.

    A unit of no stated type may be infantry.

    Examples
    --------
    >>> check_garrison("armour", "target.garrisoned")
    Traceback (most recent call last):
    ...
    analyser.errors.InputError: target.garrisoned: a unit of type armour in a building (allowed: infantry)
    """
    if unit_type not in (None, "infantry"):
        raise InputError(f"a unit of type {unit_type} in a building", where=where, allowed="infantry")


def large_garrison(models: int | None, key: str) -> list[str]:
    """A warning where a unit is too large for a building of the rulebook."""
    if (models or 0) <= LARGEST_GARRISON:
        return []
    return [f"{key}: {models} models, and a defensible building holds up to {LARGEST_GARRISON}"]
