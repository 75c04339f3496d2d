"""Selection of loadouts by selectors with wildcards, and of rows of armaments by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analyser.common.errors import InputError, check_text, did_you_mean, shown
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout, Row, row_id

Selectors = str | Loadout | Iterable[str | Loadout]


def loadouts(selectors: Selectors, profiles: Profiles) -> tuple[Loadout, ...]:
    """Return the distinct loadouts that match the selectors, in the order of selectors.

    InputError for a selector without a match, or no selector.

    >>> [loadout.selector for loadout in loadouts("crown/rifle-platoon@b*", Profiles())]
    ['crown/rifle-platoon@basic']
    """
    result: dict[str, Loadout] = {}
    for item in one_or_several(selectors, "selectors"):
        for loadout in [item] if isinstance(item, Loadout) else profiles.matching(item):
            renamed = with_unique_name(loadout, result)
            result.setdefault(renamed.selector, renamed)
    if not result:
        raise InputError("no selector is given", allowed="such as crown/*")
    return tuple(result.values())


def with_unique_name(loadout: Loadout, others: Mapping[str, Loadout]) -> Loadout:
    """Return the loadout, with a number after its name if a different loadout has its selector already."""
    renamed, number = loadout, 1
    while others.get(renamed.selector, renamed) != renamed:
        number += 1
        changes = {"id": f"{loadout.unit.id}-{number}", "name": f"{loadout.unit.name} ({number})"}
        renamed = loadout.model_copy(update={"unit": loadout.unit.model_copy(update=changes)})
    return renamed


def one_or_several(value: Any, where: str, item_type: type | tuple[type, ...] = (str, Loadout)) -> list[Any]:
    """Return a list of one item of `item_type`, or of the items of an iterable; InputError for other values."""
    if isinstance(value, item_type):
        return [value]
    if isinstance(value, Mapping | bytes) or not isinstance(value, Iterable):
        raise InputError(f"{shown(value)} is not a list", where=where, allowed="one item, or a list of items")
    return list(value)


def check_row(row: str | None, attackers: Iterable[Loadout]) -> None:
    """Raise InputError with the nearest names if a row is stated that no attacker has."""
    if row is None:
        return
    check_text(row, "row", "the name of a row")
    if all(row_named(row, attacker) is None for attacker in attackers):
        names = list(dict.fromkeys(row.id for attacker in attackers for row in attacker.unit.rows))
        problem = f"no attacker has a row {row!r}{did_you_mean(row, names)}"
        raise InputError(problem, where="row", allowed=", ".join(names))


def row_named(name: str, attacker: Loadout) -> Row | None:
    """Return the row of `attacker` with this name, or None if it has none."""
    rows = {row.id: row for row in attacker.unit.rows}
    return rows.get(row_id(name, rows))


def usable_rows(attacker: Loadout, stated_row: str | None) -> Sequence[Row]:
    """Return the stated row, if the attacker has it; without a stated row all rows."""
    if stated_row is None:
        return attacker.unit.rows
    row = row_named(stated_row, attacker)
    return [] if row is None else [row]


def no_row_reason(name: str | None, kind: str = "") -> str:
    """Return the reason why an attacker cannot attack: it has no row with this name, or of this kind."""
    return f"it has no row {name!r}" if name else f"it has no {kind} row"
