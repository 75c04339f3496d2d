"""What a unit is bought for, as its profile says it: units of one role are paid alike for what no figure counts."""

from __future__ import annotations

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
