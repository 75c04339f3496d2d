"""Strikes of a charge: which unit strikes first, bonuses and penalties (AC-8.1 to AC-8.4, AC-7)."""

from __future__ import annotations

from typing import get_args

from analyser.common.jit import step
from analyser.game.units import UnitType
from analyser.rules.structs import NONE, Bonus, Penalty

TYPES: tuple[UnitType, ...] = get_args(UnitType)
"""Unit types; kernels use the index of a type, or NONE if it is unknown."""
CAN_BE_OUTFLANKED: tuple[UnitType, ...] = ("infantry", "cavalry", "field gun")  # AC-8.2
INFANTRY_OVERWHELMS: tuple[UnitType, ...] = ("armour", "fortification")  # AC-8.2

_INFANTRY = TYPES.index("infantry")
_OUTFLANKED, _OVERWHELMED = (
    sum(1 << TYPES.index(type_) for type_ in types) for types in (CAN_BE_OUTFLANKED, INFANTRY_OVERWHELMS)
)
OUT_OF_BUILDING, IN_BUILDING, NEVER = 0, 1, 2  # where a unit must be to strike; NONE: anywhere


@step
def bonuses_in_combat(supported: int, striker: int, struck: int) -> int:
    """Return bits of the bonuses for support and for the types of both units, which are indices of TYPES (AC-8.2).

    A retaliation is `supported` if another enemy of the charger is near.
    """
    overwhelms = striker == _INFANTRY and struck >= 0 and _OVERWHELMED >> struck & 1
    return (Bonus.OVERWHELMING.value if overwhelms else 0) | (Bonus.SUPPORTED.value if supported else 0)


@step
def bonuses_of_charge(onslaught: int, outflanking: int, struck: int) -> int:
    """Return bits of the further bonuses of a charge; an Overrun does not get them (AC-8.2, AC-7)."""
    outflanks = outflanking and struck >= 0 and _OUTFLANKED >> struck & 1
    return (Bonus.OUTFLANKING.value if outflanks else 0) | (Bonus.ONSLAUGHT.value if onslaught else 0)


@step
def penalties_in_combat(threatened: int, is_overrun: int) -> int:
    """Return bits of the penalties of an attack, except that for suppression (AC-8.2, AC-7).

    A retaliation is `threatened` if the charger is supported.
    """
    return (Penalty.THREATENED.value if threatened else 0) | (Penalty.OVERRUN.value if is_overrun else 0)


@step
def times_of_retaliation(garrisoned: int, storming_party: int, advantage: int) -> tuple[int, int]:
    """Return where the charged unit must be to strike before the charger, and after it (AC-8.3, AC-8.4, AC-8.6)."""
    if garrisoned and storming_party:
        return (OUT_OF_BUILDING, IN_BUILDING) if advantage else (NEVER, NONE)
    if advantage:
        return NONE, NEVER
    return (IN_BUILDING, OUT_OF_BUILDING) if garrisoned else (NEVER, NONE)
