"""Ids and names in profile files, and the ids of the data that they were read from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import AfterValidator, Field

from analyser.common.errors import InputError, MisspeltError, nearest, one_of_these, shown
from analyser.game.keywords import plain_name

if TYPE_CHECKING:
    from analyser.game.units import Faction

ItemT = TypeVar("ItemT")

MOST_LISTED = 12  # names in a message
_LIKE_A_WORD = 0.75  # as `likeness` of `nearest`
LONGEST_ID = 80  # characters; of a faction it is the name of a file, too

Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=LONGEST_ID)]
Name = Annotated[str, AfterValidator(plain_name)]
Entry = Annotated[str, Field(max_length=LONGEST_ID), AfterValidator(plain_name)]
"""The id of an entry of a data file, by which a roster names what it holds."""


def faction_name(faction: str) -> str:
    """The name of a faction, for people.

    >>> faction_name("holy-orders")
    'Holy Orders'
    """
    return faction.replace("-", " ").title()


def spoken(selector: str) -> str:
    """A loadout as a sentence has it; another text stays as it is.

    >>> spoken("crown/rifle-platoon@basic"), spoken("Old Guard")
    ('Rifle platoon (basic)', 'Old Guard')
    """
    _, slash, rest = selector.partition("/")
    unit, at, level = rest.replace("-", " ").partition("@")
    return f"{unit.capitalize()}{f' ({level})' if at else ''}" if slash else selector


def selector_parts(selector: str) -> tuple[str, str, str]:
    """Faction, unit and level of a selector, tidied; the parts left out are empty."""
    tidied = "-".join(selector.lower().replace("_", " ").split()).replace("-/-", "/").replace("-@-", "@")
    faction, slash, rest = tidied.partition("/")
    if not slash:
        faction, rest = "", tidied
    unit, _, level = rest.partition("@")
    return faction, unit, level


def with_marks(selector: str, factions: Mapping[str, Faction]) -> str:
    """Return a selector of plain words with its ``/`` and ``@`` put in, unless some unit has a name of all the words.

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
    """The item that `part` names: exactly, else by its beginning, else by words or letters in it.

    `selector` is what it is a part of; `lists` says what lists the names where these are too many for a message.
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
    raise MisspeltError(f"{place}{problem}{one_of_these(close)}", allowed=allowed)


def _near(part: str, names: Collection[str]) -> list[str]:
    """The names most like `part`, or with a word like one of its words; a word alone is first looked for as a word."""
    whole = nearest(part, names)
    if whole and "-" in part:
        return whole
    words = sorted({word for name in names for word in name.split("-")})
    alike = {near for word in part.split("-")[:MOST_LISTED] for near in nearest(word, words, likeness=_LIKE_A_WORD)}
    return nearest(part, [name for name in names if alike.intersection(name.split("-"))], likeness=0.0) or whole


def names_listed(names: Iterable[str]) -> str:
    """The first few of some names, each once, and how many there are."""
    distinct = list(dict.fromkeys(names))
    more = f", … ({len(distinct)} in all)" if len(distinct) > MOST_LISTED else ""
    return ", ".join(distinct[:MOST_LISTED]) + more
