"""Ids and names in profile files, and the search for a unit, level or faction by its name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from itertools import chain, count
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import AfterValidator, Field

from analyser.common.errors import InputError, MisspeltError, nearest, shown, suggestion_of
from analyser.game.keywords import plain_name

if TYPE_CHECKING:
    from analyser.game.units import Faction

ItemT = TypeVar("ItemT")

MOST_LISTED = 12  # most names in a message
_WORD_LIKENESS = 0.75  # least likeness (0 to 1) of a word in a wrong name to a word in a suggested name
LONGEST_ID = 80  # characters; the id of a faction is also the name of its file
_LONGEST_SLUG = LONGEST_ID - 20  # leaves room for a number that makes the id unique
_LONGEST_NUMBERED = 150  # characters kept of a name when a number is added

_NUMBER_AND_SELECTOR = re.compile(r"\s*(\d{1,9})\s*[xX×]\s+(\S.*)")

Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=LONGEST_ID)]
Name = Annotated[str, AfterValidator(plain_name)]
Entry = Annotated[str, Field(max_length=LONGEST_ID), AfterValidator(plain_name)]
"""Id of an entry in an imported data file; rosters refer to it."""


def slug(name: str) -> str:
    """Return `name` as an id of at most 60 lower-case letters, digits and single hyphens; the id may be empty."""
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_SLUG].rstrip("-")


def unused_name(name: str, taken: Iterable[str], separator: str = " #") -> str:
    """Return `name`; if it is in `taken`, with the first free number from 2 added."""
    taken_names, numbered = set(taken), (f"{name[:_LONGEST_NUMBERED]}{separator}{number}" for number in count(2))
    return next(candidate for candidate in chain([name], numbered) if candidate not in taken_names)


def faction_name(faction: str) -> str:
    """Return the display name of a faction: ``Holy Orders`` for ``holy-orders``."""
    return faction.replace("-", " ").title()


_SELECTOR = re.compile(r"[a-z0-9-]+/([a-z0-9-]+)(?:@(.+))?")


def loadout_name(selector: str) -> str:
    """Return the name of a loadout for a sentence; other text is unchanged.

    >>> loadout_name("crown/rifle-platoon@basic"), loadout_name("1/95th Rifles")
    ('Rifle platoon (basic)', '1/95th Rifles')
    """
    parts = _SELECTOR.fullmatch(selector)
    if parts is None:
        return selector
    unit, level = (part and part.replace("-", " ") for part in parts.groups())
    return f"{unit.capitalize()} ({level})" if level else unit.capitalize()


def selector_parts(selector: str) -> tuple[str, str, str]:
    """Return the normalised faction, unit and level of a selector; omitted parts are empty."""
    normalised = "-".join(selector.lower().replace("_", " ").split()).replace("-/-", "/").replace("-@-", "@")
    faction, slash, rest = normalised.partition("/")
    if not slash:
        faction, rest = "", normalised
    unit, _, level = rest.partition("@")
    return faction, unit, level


def selector_from_words(selector: str, factions: Mapping[str, Faction]) -> str:
    """Add ``/`` and ``@`` to a selector in plain words; one with ``@``, or a part of a unit's id, is unchanged.

    >>> from analyser import load_profiles
    >>> selector_from_words("Crown Rifle Platoon reinforced", load_profiles().factions)
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


def find_named(part: str, items: Collection[tuple[str, ItemT]], what: str, selector: str = "", hint: str = "") -> ItemT:
    """Return the only item whose name is `part`; or else begins with it; or has a word that does; or contains it.

    InputError if none or several match. `items` are pairs of a name and an item; the other parameters are for messages.
    """
    prefix = f"selector {shown(selector)}: " if selector else ""
    for matches in (
        lambda name: name == part,
        lambda name: name.startswith(part),
        lambda name: f"-{part}" in f"-{name}",
        lambda name: part in name,
    ):
        matching = [(name, item) for name, item in items if part and matches(name)]
        if len(matching) == 1:
            return matching[0][1]
        if matching:
            allowed = first_names(name for name, _ in matching)
            raise InputError(f"{prefix}{shown(part)} fits more than one {what}", allowed=allowed)
    names = [name for name, _ in items]
    problem = f"no {what} is called {shown(part)}" if part else f"the {what} is missing"
    similar = _similar_names(part, names)
    allowed = first_names(names)
    if len(set(names)) > MOST_LISTED:
        allowed = f"one of {len(set(names))} {what}s; {hint}" if hint else "" if similar else allowed
    if not part and "@" not in selector and names:
        allowed += f"; such as {selector}@{names[0]}" * (what == "level")
    raise MisspeltError(f"{prefix}{problem}{suggestion_of(similar)}", allowed=allowed)


def _similar_names(part: str, names: Collection[str]) -> list[str]:
    similar = nearest(part, names)
    if similar and "-" in part:
        return similar
    words = sorted({word for name in names for word in name.split("-")})
    known = {match for word in part.split("-")[:MOST_LISTED] for match in nearest(word, words, likeness=_WORD_LIKENESS)}
    return nearest(part, [name for name in names if known.intersection(name.split("-"))], likeness=0.0) or similar


def first_names(names: Iterable[str]) -> str:
    """Return the first few distinct names as text, with the number of all names if some are left out."""
    distinct = list(dict.fromkeys(names))
    more = f", … ({len(distinct)} in all)" if len(distinct) > MOST_LISTED else ""
    return ", ".join(distinct[:MOST_LISTED]) + more


def number_and_selector(text: str) -> tuple[int, str]:
    """Return the number and the selector of a text; the number is 1 if none is stated.

    >>> number_and_selector("2 x crown/rifle-platoon"), number_and_selector("crown/rifle-platoon")
    ((2, 'crown/rifle-platoon'), (1, 'crown/rifle-platoon'))
    """
    match = _NUMBER_AND_SELECTOR.fullmatch(text)
    return (int(match[1]), match[2]) if match else (1, text)
