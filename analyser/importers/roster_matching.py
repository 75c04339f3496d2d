"""Army of a roster: its units matched with the profiles, and every difference reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, Literal, NamedTuple

from analyser.common.errors import InputError, printable
from analyser.common.text import counted
from analyser.common.validation import checked
from analyser.game.army import UNLISTED, Army
from analyser.game.army_file import MOST_POINTS, ArmyFile, army_of_file, profile_of
from analyser.game.forces import Boon
from analyser.game.keywords import distinct_keywords
from analyser.game.profiles import Profiles
from analyser.game.units import KEYS_BY_LEVEL, Faction, Loadout, Row, Unit
from analyser.importers import cells
from analyser.importers.rosters import Pick, Roster, RosterUnit

Numbers = Literal["profile", "roster"]
WHOSE_NUMBERS: tuple[Numbers, ...] = ("profile", "roster")
MOST_NAMED = 8  # units named in a line
MOST_TOLD = 200  # lines about a roster; one from another version of the data can have one for each unit


class Match(NamedTuple):
    """A unit of a roster, its profile in the library (or None), and their differences."""

    stated: RosterUnit
    loadout: Loadout | None
    differences: tuple[Difference, ...] = ()

    @property
    def usable(self) -> bool:
        """Return True if the library or the roster has a profile of it."""
        return self.loadout is not None or self.stated.own is not None


def match_roster(roster: Roster, library: Profiles, numbers: Numbers = "profile") -> Army:
    """Return the army in a roster.

    Units are matched with the library by the ids of their entries, else by faction and name, and by level or number of
    models. A unit outside the library takes its profile from the roster. If the two differ, `numbers` selects the one
    to use; the difference is reported either way.

    Raises
    ------
    InputError
        The roster has no usable unit (it may be of another game).
    """
    is_ours = roster.game_id == library.force_rules.game_system
    matches = [_match_of(unit, library, by_name=is_ours) for unit in roster.units]
    usable = [match for match in matches if match.usable]
    _check_usable(roster, usable, is_ours=is_ours)
    faction = _faction(roster, matches, library)
    boons = [(pick, _boon_of(pick, faction)) for pick in roster.picks]
    table = _table(roster, usable, faction, numbers)
    table["boon"] = [{"boon": boon.id, "battlegroup": pick.battlegroup} for pick, boon in boons if boon is not None]
    army = army_of_file(checked(ArmyFile, table), library)
    unread = [pick for pick, boon in boons if boon is None]
    lines = (
        [] if is_ours else [f"the roster is of {_game_of(roster)}; its units were found by the ids of their entries"]
    )
    lines += [str(warning) for warning in roster.doubts.warnings]
    lines += _about_profiles(matches)
    lines += _about_unread(matches)
    lines += chain.from_iterable(map(_about_unit, matches))
    lines += [
        f"{pick.name or 'something'} is selected, and not understood; nothing is counted for it" for pick in unread
    ]
    if any(match.differences for match in usable):
        lines.append(f"where roster and profile differ, the numbers of the {numbers} count")
    lines = list(dict.fromkeys(map(printable, lines)))
    if len(lines) > MOST_TOLD:
        lines[MOST_TOLD:] = [f"and {counted(len(lines) - MOST_TOLD, 'more line')} like these"]
    return replace(army, warnings=(*lines, *about_points(roster, army)))


def _check_usable(roster: Roster, usable: list[Match], *, is_ours: bool) -> None:
    if usable:
        return
    allowed = "at least one unit of Armoured Clash"
    if not roster.units:
        raise InputError("no unit in this roster", allowed=allowed)
    game = f" of {_game_of(roster)}" if not is_ours else ""
    units = "its one unit is not" if len(roster.units) == 1 else f"none of its {len(roster.units)} units is"
    raise InputError(f"a roster{game}: {units} understood, such as {roster.units[0].name!r}", allowed=allowed)


def _game_of(roster: Roster) -> str:
    """Return the game of a roster from another game, in its own words."""
    return roster.game or "a game that it does not name"


def _match_of(stated: RosterUnit, library: Profiles, *, by_name: bool) -> Match:
    unit = _unit_of(stated, library, by_name=by_name)
    if unit is None:
        return Match(stated, None)
    loadout = _at_level(stated, *unit)
    if loadout is None:
        return Match(stated, None)
    return Match(stated, loadout, tuple(differences(stated, loadout)))


def _unit_of(stated: RosterUnit, library: Profiles, *, by_name: bool) -> tuple[Faction, Unit] | None:
    """Return the library's unit for a unit of a roster: by the id of its entry, else by faction and name."""
    units = [(faction, unit) for faction in library.factions.values() for unit in faction.units]
    for entry in stated.entries:
        for faction, unit in units:
            if entry and entry == unit.entry:
                return faction, unit
    named = [(faction, unit) for faction, unit in units if by_name and _same_name(stated.name, unit.name)]
    own = [(faction, unit) for faction, unit in named if _same_name(stated.faction, faction.name)]
    fitting = own or named
    return fitting[0] if len(fitting) == 1 else None


def _same_name(one: str, other: str) -> bool:
    return cells.slug(one) == cells.slug(other)


def _at_level(stated: RosterUnit, faction: Faction, unit: Unit) -> Loadout | None:
    """Return the unit at its selected level, else at the one with as many models, else at its only level."""
    models = [level.models for level in stated.own.levels.values()] if stated.own is not None else []
    of_size = [name for name, level in unit.levels.items() if level.models in models]
    fitting = [stated.level] if stated.level in unit.levels else of_size or list(unit.levels)
    level = fitting[0] if len(fitting) == 1 else None
    return None if level is None else Loadout(faction=faction.id, unit=unit, level_name=level)


# --- the army -------------------------------------------------------------------------------------


def _faction(roster: Roster, matches: list[Match], library: Profiles) -> Faction | None:
    """Return the faction of the roster: that of its first unit in the library, else by name."""
    ids = [match.loadout.faction for match in matches if match.loadout is not None]
    if ids:
        return library.factions[ids[0]]
    written = roster.units[0].faction
    return next((faction for faction in library.factions.values() if _same_name(written, faction.name)), None)


def _boon_of(pick: Pick, faction: Faction | None) -> Boon | None:
    boons = faction.boons if faction is not None else ()
    by_entry = (boon for entry in pick.entries for boon in boons if entry and entry == boon.entry)
    return next(chain(by_entry, (boon for boon in boons if _same_name(pick.name, boon.name))), None)


def _table(roster: Roster, matches: list[Match], faction: Faction | None, numbers: Numbers) -> dict[str, Any]:
    """Return the table of an army file."""
    names: set[str] = set()
    limit = int(roster.limit) if roster.limit is not None and roster.limit.is_integer() else 0
    return {
        "name": roster.name,
        "faction": None if faction is None else faction.id,
        "points_limit": limit if 1 <= limit <= MOST_POINTS else None,
        "battlegroups": roster.battlegroups,
        "unit": [_entry(match, names, numbers) for match in matches],
    }


def _entry(match: Match, names: set[str], numbers: Numbers) -> dict[str, Any]:
    """Return the ``[[unit]]`` table of a unit of a roster."""
    stated, loadout = match.stated, match.loadout
    entry: dict[str, Any] = {"count": stated.number, "battlegroup": stated.battlegroup}
    if loadout is not None:
        changes = {difference.key: difference.value for difference in match.differences if difference.value is not None}
        entry |= {"unit": loadout.selector} | (changes if numbers == "roster" else {})
    elif stated.own is not None:
        level = next(iter(stated.own.levels))
        entry |= {"level": level} | profile_of(Loadout(faction=UNLISTED, unit=stated.own, level_name=level))
    name = stated.custom_name or ("" if loadout is not None else stated.name)
    return entry | ({"name": _unused_name(name, names)} if name else {})


def _unused_name(name: str, taken: set[str]) -> str:
    tried, number = name, 1
    while tried in taken:
        number += 1
        tried = f"{name[:150]} #{number}"
    taken.add(tried)
    return tried


# --- warnings -------------------------------------------------------------------------------------


def _about_unit(match: Match) -> Iterator[str]:
    stated, loadout = match.stated, match.loadout
    name = stated.name or "a unit without a name"
    if loadout is None and stated.own is not None:
        yield f"{name}: not among the profiles; the roster's own numbers count"
    elif loadout is None:
        cost = "" if not stated.points else f", {stated.points * stated.number:,g} points"
        why = "no profile has that name, and the roster's own profile is incomplete"
        yield f"{name}: not understood, left out{cost}; {why}"
    elif not _same_name(stated.name, loadout.unit.name):
        yield f"{name}: matched by its entry, named here {loadout.unit.name}"
    yield from (f"{name}: {difference}" for difference in match.differences)
    if loadout is None:
        yield from (f"{name}: {doubt}" for doubt in stated.doubts)
    elif stated.own is not None:  # the import of the library reported the other doubts
        yield from (f"{name}: {doubt}" for doubt in stated.doubts if "left out" in doubt)
    elif stated.has_profiles:
        yield f"{name}: the roster's own profile is incomplete, so the profiles are used"


def _about_profiles(matches: list[Match]) -> Iterator[str]:
    """Yield one warning if the roster has no profiles to compare with."""
    bare = [match.stated.name for match in matches if match.loadout is not None and not match.stated.has_profiles]
    if bare and len(bare) == len(matches):
        yield "the roster carries no numbers of its units: the profiles are used, and nothing could be compared"
    elif bare:
        some = ", ".join(dict.fromkeys(bare))
        yield f"the roster carries no profile of {some}: the profiles are used, and could not be compared"


def _about_unread(matches: list[Match]) -> Iterator[str]:
    """Yield a warning for each selection that was not understood, with the units that have it."""
    units: dict[str, dict[str, None]] = {}
    for stated in (match.stated for match in matches):
        for name in stated.unread:
            units.setdefault(name or "something without a name", {})[stated.name or "a unit without a name"] = None
    for name, having in units.items():
        some, more = [*having][:MOST_NAMED], len(having) - MOST_NAMED
        those = ", ".join(some) + (f" and {more} more" if more > 0 else "")
        yield f"{those}: {name} is selected, and not understood; nothing is counted for it"


def about_points(roster: Roster, army: Army) -> Iterator[str]:
    """Yield warnings if the points do not add up."""
    selected = sum((unit.points or 0) * unit.number for unit in roster.units) + sum(
        pick.points for pick in roster.picks
    )
    if roster.points is not None and roster.points != selected:
        yield f"points: the roster says {roster.points:,g}, and its selections cost {selected:,g}"
    if army.points != selected:
        yield f"points: {army.points:,} here, {selected:,g} in the roster; the lines above say where they differ"


_NUMBERS = ("size", "speed", "defence", "damage_limit", "discipline", "break_limit")
_OF_A_ROW = ("kind", "against", "short_range", "long_range", "bands", "qualities")


class Difference(NamedTuple):
    """A difference in a key of a profile; `value` is the roster's, None if a profile cannot have it."""

    key: str
    text: str
    value: Any

    def __str__(self) -> str:
        return self.text


def differences(stated: RosterUnit, loadout: Loadout) -> Iterator[Difference]:
    """Yield the differences between a unit of a roster and its profile at that level, key by key.

    If the roster has no profiles, only the points are compared.
    """
    own, level = stated.own, loadout.level
    if own is not None:
        unit, own_level = loadout.unit, next(iter(own.levels.values()))
        for key in ("models", "victory_points"):
            yield from _one(key, getattr(own_level, key), getattr(level, key))
        for key in ("type", "category", *_NUMBERS):
            yield from _one(key, getattr(own, key), getattr(unit, key))
        for key in ("traits", "rules"):
            yield from _listed(key, own, unit)
        yield from _rows(own, unit)
    if stated.points is not None and stated.points != level.points:
        whole = int(stated.points) if stated.points >= 0 and stated.points.is_integer() else None
        yield Difference("points", _told("points", stated.points, level.points), whole)


def _one(key: str, own: Any, profile: Any) -> Iterator[Difference]:
    if own != profile:
        without = "none" if key in KEYS_BY_LEVEL else None
        yield Difference(key, _told(key.replace("_", " "), own, profile), without if own is None else own)


def _listed(key: str, own: Unit, unit: Unit) -> Iterator[Difference]:
    """Yield a difference in rules or traits, ignoring order."""
    mine, theirs = (distinct_keywords(side.keywords) if key == "rules" else side.traits for side in (own, unit))
    if set(mine) != set(theirs):
        yield Difference(key, _told(key, ", ".join(mine), ", ".join(theirs)), getattr(own, key))


def _rows(own: Unit, unit: Unit) -> Iterator[Difference]:
    """Yield one difference for all rows, because a profile replaces them together."""
    texts = []
    for row in own.rows:
        other = unit.row(row.id)
        if other is None:
            texts.append(f"row {row.name} is not in the profile")
            continue
        keys = (key for key in _OF_A_ROW if _plain(row, key) != _plain(other, key))
        texts += [_told(f"{key.replace('_', ' ')} of {row.name}", _shown(row, key), _shown(other, key)) for key in keys]
    texts += [f"row {row.name} is not in the roster" for row in unit.rows if own.row(row.id) is None]
    if texts:
        yield Difference("rows", "; ".join(texts), own.rows or None)


def _plain(row: Row, key: str) -> Any:
    return set(distinct_keywords(row.keywords)) if key == "qualities" else getattr(row, key)


def _shown(row: Row, key: str) -> Any:
    if key == "bands":
        return ", ".join(f"{band.first}-{band.last}: {band.cell}" for band in row.bands)
    value = getattr(row, key)
    return ", ".join(value) if isinstance(value, tuple) else value


def _told(what: str, own: Any, profile: Any) -> str:
    return f"{what} {_text(own)} in the roster, {_text(profile)} in the profile"


def _text(value: Any) -> str:
    if value is None or value == "":
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
