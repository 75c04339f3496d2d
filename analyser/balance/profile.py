"""What a loadout has on its profile besides the figures of its fights."""

from __future__ import annotations

from analyser.resolve import rules_of
from analyser.units import Loadout, Row


def hits_to_destroy(loadout: Loadout) -> float:
    """Hits from the front that destroy it, none of them discarded: models x DAMAGE LIMIT x DEFENCE (AC-3.7, AC-3.8).

    Resilient (Front) counts; what it does with suppression, cover or Durable does not.

    Examples
    --------
    >>> from analyser.profiles import Profiles
    >>> hits_to_destroy(Profiles().loadout("crown/rifle-platoon@basic"))
    12.0
    """
    unit = loadout.unit
    resilient = any(rule.startswith("Resilient") for rule in rules_of(loadout))
    return float(loadout.level.models * unit.damage_limit * (unit.defence + resilient))


def reach(loadout: Loadout) -> float:
    """The longest range of its rows in inches; 0 without one."""
    return max((row.long_range or 0.0 for row in loadout.unit.rows), default=0.0)


def has_besides(one: Loadout, other: Loadout) -> tuple[str, ...]:
    """What `one` has on its profile and `other` has not, in words; nothing if `other` has all that `one` has.

    Examples
    --------
    >>> from analyser.profiles import Profiles
    >>> crown = Profiles()
    >>> command, rifles = (crown.loadout(f"crown/{name}@basic") for name in ("rifle-command-platoon", "rifle-platoon"))
    >>> has_besides(command, rifles)
    ('commander', 'Chain of Command (6)', 'Command Signals')
    """
    mine, theirs = one.unit, other.unit
    more: list[str] = [each for each in mine.traits if each not in theirs.traits]
    more += [each for each in rules_of(one) if each not in rules_of(other)]
    if mine.category != theirs.category:
        more.append(f"{mine.category} target")
    if (mine.speed or 0) > (theirs.speed or 0):
        more.append(f"SPEED {mine.speed:g}")
    if one.level.models > other.level.models:
        more.append(f"{one.level.models} models")
    for name in ("defence", "damage_limit", "discipline"):
        if (getattr(mine, name) or 0) > (getattr(theirs, name) or 0):
            more.append(f"{name.replace('_', ' ').upper()} {getattr(mine, name)}")
    if (mine.break_limit or 0) < (theirs.break_limit or 0):
        more.append("no BREAK LIMIT" if mine.break_limit is None else f"BREAK LIMIT {mine.break_limit}")
    return (
        *more,
        *(f"{each.name} to {each.long_range:g} inches" for each in mine.rows if _reaches_further(each, other)),
    )


def _reaches_further(row: Row, other: Loadout) -> bool:
    """Whether a ranged row shoots at what no row of the other does, or further."""
    return row.kind == "ranged" and not any(
        set(row.against) <= set(each.against) and (row.long_range or 0) <= (each.long_range or 0)
        for each in other.unit.rows
    )
