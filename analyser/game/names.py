"""Ids and names in profile files, and ids of the data that they were imported from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import AfterValidator, Field

from analyser.common.errors import InputError, MisspeltError, nearest, shown, suggestion_of
from analyser.game.keywords import plain_name

if TYPE_CHECKING:
    from analyser.game.units import Faction

ItemT = TypeVar("ItemT")

MOST_LISTED = 12  # most names in a message
_LIKE_A_WORD = 0.75  # parameter `likeness` of `nearest`
LONGEST_ID = 80  # characters; the id of a faction is also a file name

Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=LONGEST_ID)]
Name = Annotated[str, AfterValidator(plain_name)]
Entry = Annotated[str, Field(max_length=LONGEST_ID), AfterValidator(plain_name)]
"""Id of an entry of a data file; rosters refer to entries by it."""


def faction_name(faction: str) -> str:
    """Return the display name of a faction.

    >>> faction_name("holy-orders")
    'Holy Orders'
    """
    return faction.replace("-", " ").title()


def spoken(selector: str) -> str:
    """Return a selector as words in a sentence; other text is unchanged.

    >>> spoken("crown/rifle-platoon@basic"), spoken("Old Guard")
    ('Rifle platoon (basic)', 'Old Guard')
    """
    _, slash, rest = selector.partition("/")
    unit, at, level = rest.replace("-", " ").partition("@")
    return f"{unit.capitalize()}{f' ({level})' if at else ''}" if slash else selector


def selector_parts(selector: str) -> tuple[str, str, str]:
    """Return faction, unit and level of a selector, normalised; omitted parts are empty."""
    tidied = "-".join(selector.lower().replace("_", " ").split()).replace("-/-", "/").replace("-@-", "@")
    faction, slash, rest = tidied.partition("/")
    if not slash:
        faction, rest = "", tidied
    unit, _, level = rest.partition("@")
    return faction, unit, level


def with_marks(selector: str, factions: Mapping[str, Faction]) -> str:
    """Return a selector of plain words with ``/`` and ``@`` inserted, unless a unit's id has all the words.

    >>> from analyser import load_profiles
    >>> with_marks("Crown Rifle Platoon reinforced", load_profiles().factions)
    'crown/rifle-platoon@reinforced'
    """
    faction, words, level = selector_parts(selector)
    units = [unit for faction in factions.values() for unit in faction.units]
    if level or "-" not in words or any(words in unit.id for unit in units):
        return selector
    levels = {name for unit in units for name in unit.levels}
    level = max((name for name in levels if words.endswith(f"-{name}")), key=len, default="")
    faction = faction or next((name for name in factions if words.startswith(f"{name}-")), "")
    unit = words.removesuffix(f"-{level}").removeprefix(f"{faction}-")
    return "".join([f"{faction}/" * bool(faction), unit, f"@{level}" * bool(level)])


def one_named(part: str, named: Collection[tuple[str, ItemT]], what: str, selector: str = "", lists: str = "") -> ItemT:
    """Return the item that `part` names: exactly, else by its beginning, else by words or letters in it.

    `selector` is the whole that contains it; `lists` is the command that lists the names if a message cannot.
    """
    place = f"selector {shown(selector)}: " if selector else ""
    for fits in (
        lambda name: name == part,
        lambda name: name.startswith(part),
        lambda name: f"-{part}" in f"-{name}",
        lambda name: part in name,
    ):
        fitting = [(name, item) for name, item in named if part and fits(name)]
        if len(fitting) == 1:
            return fitting[0][1]
        if fitting:
            allowed = names_listed(name for name, _ in fitting)
            raise InputError(f"{place}{shown(part)} fits more than one {what}", allowed=allowed)
    names = [name for name, _ in named]
    problem = f"no {what} is called {shown(part)}" if part else f"the {what} is missing"
    close = _near(part, names)
    allowed = names_listed(names)
    if len(set(names)) > MOST_LISTED:
        allowed = f"one of {len(set(names))} {what}s; {lists}" if lists else "" if close else allowed
    if not part and "@" not in selector and names:
        allowed += f"; such as {selector}@{names[0]}" * (what == "level")
    raise MisspeltError(f"{place}{problem}{suggestion_of(close)}", allowed=allowed)


def _near(part: str, names: Collection[str]) -> list[str]:
    """Return the names nearest to `part`, or with words near its words; a single word is compared with words first."""
    whole = nearest(part, names)
    if whole and "-" in part:
        return whole
    words = sorted({word for name in names for word in name.split("-")})
    alike = {near for word in part.split("-")[:MOST_LISTED] for near in nearest(word, words, likeness=_LIKE_A_WORD)}
    return nearest(part, [name for name in names if alike.intersection(name.split("-"))], likeness=0.0) or whole


def names_listed(names: Iterable[str]) -> str:
    """Return the first few distinct names, and their number if there are more."""
    distinct = list(dict.fromkeys(names))
    more = f", … ({len(distinct)} in all)" if len(distinct) > MOST_LISTED else ""
    return ", ".join(distinct[:MOST_LISTED]) + more
