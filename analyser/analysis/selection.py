"""Who takes part: selectors, with wildcards, to loadouts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from analyser.common.errors import InputError, check_text, did_you_mean, shown
from analyser.game.profiles import Profiles
from analyser.game.units import LevelName, Loadout, Row, row_id

Selectors = str | Loadout | Iterable[str | Loadout]
Levels = str | Sequence[str] | None

LEVELS: tuple[str, ...] = get_args(LevelName)


def loadouts(selectors: Selectors, profiles: Profiles, levels: Levels = None) -> tuple[Loadout, ...]:
    """The loadouts that selectors mean, each once, in the order of the selectors and the files.

    Parameters
    ----------
    selectors : str, Loadout, or several of them
        ``crown/*`` is every unit at every level.
    profiles : Profiles
    levels : str or several, optional
        Only loadouts at these reinforcement levels. Default: at all levels.

    Raises
    ------
    InputError
        A selector that fits nothing, no selector, an unknown level, or no loadout at these levels.

    Examples
    --------
    >>> [each.selector for each in loadouts("crown/rifle-platoon@*", Profiles(), levels="basic")]
    ['crown/rifle-platoon@basic']
    """
    several = [selectors] if isinstance(selectors, str | Loadout) else _listed(selectors, "selectors")
    wanted = _levels(levels)
    found: dict[str, Loadout] = {}
    for each in several:
        for loadout in [each] if isinstance(each, Loadout) else profiles.matching(each):
            found.setdefault(loadout.selector, loadout)
    if not found:
        raise InputError("no selector is given", allowed="such as crown/*")
    at_these = tuple(each for each in found.values() if each.level_name in wanted)
    if not at_these:
        there = ", ".join(dict.fromkeys(each.level_name for each in found.values()))
        raise InputError(f"no loadout at level {' or '.join(wanted)}", where="levels", allowed=there)
    return at_these


def _levels(levels: Levels) -> tuple[str, ...]:
    if levels is None:
        return LEVELS
    wanted = (levels,) if isinstance(levels, str) else tuple(_listed(levels, "levels"))
    for each in wanted:
        check_text(each, "levels", ", ".join(LEVELS))
        if each not in LEVELS:
            hint = did_you_mean(each, LEVELS)
            raise InputError(f"no level {each!r}{hint}", where="levels", allowed=", ".join(LEVELS))
    return wanted


def _listed(several: Any, where: str) -> list[Any]:
    """What was given, which must be a list or its like."""
    if isinstance(several, Mapping | bytes) or not isinstance(several, Iterable):
        raise InputError(f"{shown(several)} is not a list", where=where, allowed="one, or a list of them")
    return list(several)


def check_row(row: str | None, attackers: Iterable[Loadout]) -> None:
    """Raise InputError with the nearest names unless one of the attackers has that row."""
    if row is None:
        return
    check_text(row, "row", "the name of a row")
    if any(rows_called(row, each) for each in attackers):
        return
    known = list(dict.fromkeys(each.id for attacker in attackers for each in attacker.unit.rows))
    hint = did_you_mean(row, known)
    raise InputError(f"no attacker has a row {row!r}{hint}", where="row", allowed=", ".join(known))


def rows_called(name: str, attacker: Loadout) -> list[Row]:
    """The row of `attacker` that `name` means, in a list; empty if it has none."""
    rows = {row.id: row for row in attacker.unit.rows}
    found = rows.get(row_id(name, rows))
    return [] if found is None else [found]
