"""Selection of loadouts by selectors with wildcards, and of a given row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from analyser.common.errors import InputError, check_choice, check_text, did_you_mean, shown
from analyser.game.profiles import Profiles
from analyser.game.units import LevelName, Loadout, Row, row_id

Selectors = str | Loadout | Iterable[str | Loadout]
Levels = str | Sequence[str] | None

LEVELS: tuple[str, ...] = get_args(LevelName)


def loadouts(selectors: Selectors, profiles: Profiles, levels: Levels = None) -> tuple[Loadout, ...]:
    """Return the distinct loadouts that match the selectors, optionally at `levels`, in order of selectors and files.

    A changed loadout gets a number after its name if the unchanged one is selected too.

    InputError for a selector without a match, no selector, an unknown level, or no loadout at these levels.

    >>> [each.selector for each in loadouts("crown/rifle-platoon@*", Profiles(), levels="basic")]
    ['crown/rifle-platoon@basic']
    """
    wanted = LEVELS if levels is None else one_or_several(levels, "levels")
    for name in wanted:
        check_choice(name, "levels", LEVELS)
    result: dict[str, Loadout] = {}
    for item in one_or_several(selectors, "selectors"):
        for loadout in [item] if isinstance(item, Loadout) else profiles.matching(item):
            named = _apart(loadout, result)
            result.setdefault(named.selector, named)
    if not result:
        raise InputError("no selector is given", allowed="such as crown/*")
    at_these = tuple(loadout for loadout in result.values() if loadout.level_name in wanted)
    if not at_these:
        there = ", ".join(dict.fromkeys(loadout.level_name for loadout in result.values()))
        raise InputError(f"no loadout at level {' or '.join(wanted)}", where="levels", allowed=there)
    return at_these


def _apart(loadout: Loadout, others: Mapping[str, Loadout]) -> Loadout:
    """Return the loadout, with a number after its name if a different loadout has the name already."""
    named, number = loadout, 1
    while others.get(named.selector, named) != named:
        number += 1
        unit, name = loadout.unit, f"{loadout.unit.name} ({number})"
        named = loadout.model_copy(update={"unit": unit.model_copy(update={"id": f"{unit.id}-{number}", "name": name})})
    return named


def one_or_several(given: Any, where: str, one: type | tuple[type, ...] = (str, Loadout)) -> list[Any]:
    """Return the input as a list: a single `one` becomes a list with one item. InputError for anything else."""
    if isinstance(given, one):
        return [given]
    if isinstance(given, Mapping | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{shown(given)} is not a list", where=where, allowed="one, or a list of them")
    return list(given)


def check_row(row: str | None, attackers: Iterable[Loadout]) -> None:
    """Raise InputError with the nearest names unless an attacker has that row."""
    if row is None:
        return
    check_text(row, "row", "the name of a row")
    if not any(rows_called(row, attacker) for attacker in attackers):
        names = list(dict.fromkeys(row.id for attacker in attackers for row in attacker.unit.rows))
        problem = f"no attacker has a row {row!r}{did_you_mean(row, names)}"
        raise InputError(problem, where="row", allowed=", ".join(names))


def rows_called(name: str, attacker: Loadout) -> list[Row]:
    """Return the row of `attacker` with this name, in a list; empty if it has none."""
    rows = {row.id: row for row in attacker.unit.rows}
    result = rows.get(row_id(name, rows))
    return [] if result is None else [result]


def no_row(asked: str | None, kind: str = "") -> str:
    """Return the reason why an attacker has nothing to attack with: no row of that name, or of that kind."""
    return f"it has no row {asked!r}" if asked else f"it has no {kind} row"
