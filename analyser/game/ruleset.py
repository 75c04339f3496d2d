"""Rulesets: the attack die and the deck, which the printed rules do not contain, and house rules."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    AfterValidator,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from analyser.common.errors import InputError, shown
from analyser.common.kernel_records import Integers
from analyser.common.text import counted
from analyser.common.validation import Record, checked
from analyser.game.house_rules import HouseRule
from analyser.game.keywords import QUALITIES, SPECIAL_RULES, parse, plain_name, recognise

MOST_SIDES = 1000
HIGHEST_CARD = 99
MOST_COPIES = 1000
MOST_CARDS = 10_000
_MOST_RUNS = 6  # most runs (successive card values with equal numbers of cards) in the description of a deck
_PLURAL_ENDINGS = {"strike": "s", "miss": "es", "blank": "s"}

Sides = Annotated[int, Field(ge=0, le=MOST_SIDES)]
Copies = Annotated[int, Field(ge=0, le=MOST_COPIES)]
RatingName = Literal["weakened", "neutral", "improved"]


class Face(IntEnum):
    """The five symbols of the attack die, and custom faces; values are indices in arrays of faces."""

    HEROIC = 0
    STRIKE = 1
    GLANCING = 2
    MISS = 3
    BLANK = 4
    CUSTOM_1 = 5
    CUSTOM_2 = 6
    CUSTOM_3 = 7


PRINTED_FACES = ("heroic", "strike", "glancing", "miss", "blank")
"""The symbols of the rules, in the order of :class:`Face`."""


class Rating(IntEnum):
    """The combat rating (AC-3.1)."""

    WEAKENED = 0
    NEUTRAL = 1
    IMPROVED = 2


NO_FACES = 0
REROLLED_BY_RATING = (NO_FACES, 1 << Face.GLANCING, 1 << Face.GLANCING | 1 << Face.MISS)  # AC-3.4, as `face_mask`


def face_mask(names: tuple[str, ...]) -> int:
    """Return a set of faces as bits: bit ``1 << Face.MISS`` for a miss, and so on."""
    return sum(1 << Face[name.upper()] for name in set(names))


class FaceRule(Record):
    """A custom face of the die, or a changed printed face; `rerolled` is the lowest rating that re-rolls it."""

    page = "docs/keys.md"

    sides: Sides
    hits: Annotated[int, Field(ge=0, le=6)] | None = None
    explodes: bool | None = None
    rerolled: Literal["never", "improved", "neutral"] | None = None


_EFFECTS_OF_PRINTED: dict[str, dict[str, Any]] = {
    "heroic": {"hits": 2, "explodes": True},
    "strike": {"hits": 1},
    "glancing": {"rerolled": "neutral"},
    "miss": {"rerolled": "improved"},
}
_NO_EFFECTS = {"hits": 0, "explodes": False, "rerolled": "never"}


class Die(Record):
    """Die: the number of sides with each symbol (AC-1.1) or custom face.

    >>> die = Die.model_validate({"strike": 3, "miss": 2, "critical": {"sides": 1, "hits": 2, "explodes": True}})
    >>> die.sides, die.names[5]
    (6, 'critical')
    """

    heroic: Sides = 0
    strike: Sides = 0
    glancing: Sides = 0
    miss: Sides = 0
    blank: Sides = 0
    changed: dict[str, FaceRule] = Field(alias="NAME", default_factory=dict)  # custom faces and changed printed faces

    @model_validator(mode="before")
    @classmethod
    def _tables_apart(cls, die: object) -> object:
        """Move faces stated as tables to the key ``NAME``."""
        if not isinstance(die, dict) or die.keys() & {"changed", "NAME"}:
            return die
        tables = {name: value for name, value in die.items() if isinstance(value, dict | FaceRule)}
        plain = {name: value for name, value in die.items() if name not in tables}
        return plain | ({"NAME": tables} if tables else {})

    @model_validator(mode="after")
    def _makes_sense(self) -> Die:
        for name in PRINTED_FACES:
            if name in self.changed:
                self.__dict__[name] = self.changed[name].sides  # a direct write, because the record is frozen
        if not 1 <= self.sides <= MOST_SIDES:
            raise ValueError(f"{self.sides} sides in all (allowed: 1 to {MOST_SIDES})")
        custom = len(self.names) - len(PRINTED_FACES)
        if custom > len(Face) - len(PRINTED_FACES):
            raise ValueError(f"{custom} custom faces (allowed: up to {len(Face) - len(PRINTED_FACES)})")
        strike, heroic = self.effect("strike", "hits"), self.effect("heroic", "hits")
        if heroic < max(strike, 1):
            raise ValueError(f"heroic: {heroic} hits (allowed: {max(strike, 1)} to 6)")
        for name in map(_checked_face_name, self.names):
            hits, explodes, rerolled = (self.effect(name, key) for key in _NO_EFFECTS)
            if hits not in (0, strike, heroic):
                raise ValueError(f"{name}: {hits} hits (allowed: 0, or as many as a strike or a heroic strike)")
            if explodes and (hits != heroic or rerolled != "never"):
                raise ValueError(f"{name} explodes (allowed: with the hits of a heroic strike, and never re-rolled)")
        return self

    @model_serializer(mode="wrap")
    def _with_tables(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for key in ("changed", "NAME"):  # the field, or its alias if the caller dumps aliases
            data.pop(key, None)
        return data | {name: face.model_dump(exclude_none=True) for name, face in self.changed.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the faces, in the order of :class:`Face`."""
        return (*PRINTED_FACES, *(name for name in self.changed if name not in PRINTED_FACES))

    def effect(self, name: str, key: str) -> Any:
        """Return the value of `hits`, `explodes` or `rerolled` for a face."""
        stated = getattr(self.changed.get(name), key, None)
        return (_NO_EFFECTS | _EFFECTS_OF_PRINTED.get(name, {}))[key] if stated is None else stated

    @property
    def sides_by_face(self) -> tuple[int, ...]:
        """Number of sides with each face, in the order of :class:`Face`."""
        custom = [self.changed[name].sides for name in self.names[len(PRINTED_FACES) :]]
        printed = self.heroic, self.strike, self.glancing, self.miss, self.blank
        return (*printed, *custom, *[0] * (len(Face) - len(PRINTED_FACES) - len(custom)))

    @property
    def sides(self) -> int:
        """Number of sides of the die."""
        return sum(self.sides_by_face)

    @property
    def in_words(self) -> str:
        """The faces and their effects in words."""
        counts = ((name, count) for name, count in zip(self.names, self.sides_by_face) if count)
        return ", ".join(
            f"{count} {name}{_PLURAL_ENDINGS.get(name, '') * (count > 1)}{self._effects_of(name)}"
            for name, count in counts
        )

    def _effects_of(self, name: str) -> str:
        if name not in self.changed:
            return ""
        hits, explodes, rerolled = (self.effect(name, key) for key in _NO_EFFECTS)
        effects = [f"{counted(hits, 'hit')} each", *(["explodes"] if explodes else [])]
        effects += [] if rerolled == "never" else [f"re-rolled from {rerolled}"]
        return f" ({', '.join(effects)})"


def _checked_face_name(name: str) -> str:
    if not name.isidentifier() or name != name.lower():
        raise ValueError(f"face {shown(name)} (allowed: lower-case letters, figures and _)")
    return name


class Deck(Record):
    """The Command & Conquest deck (AC-1.2, AC-5.1) as copies of each card value, such as ``{ 1 = 3, 2 = 3 }``."""

    copies: dict[int, Copies]

    @model_validator(mode="before")
    @classmethod
    def _bare_copies(cls, deck: object) -> object:
        return {"copies": deck} if isinstance(deck, dict) and "copies" not in deck else deck

    @field_validator("copies", mode="before")
    @classmethod
    def _whole_values(cls, copies: object) -> object:
        """Convert card values from text, because keys of TOML and JSON are text."""
        return {_card_value(value): count for value, count in copies.items()} if isinstance(copies, dict) else copies

    @field_validator("copies")
    @classmethod
    def _has_cards(cls, copies: dict[int, int]) -> dict[int, int]:
        cards = sum(copies.values())
        if not 1 <= cards <= MOST_CARDS:
            raise ValueError(f"{cards} cards in all (allowed: 1 to {MOST_CARDS})")
        return dict(sorted(copies.items()))

    @model_serializer
    def _to_bare_copies(self) -> dict[int, int]:
        return self.copies

    def counts(self) -> Integers:
        """Return the number of cards of each value, from 0 to the highest value."""
        return np.array([self.copies.get(value, 0) for value in range(max(self.copies) + 1)], np.int64)


def _card_value(value: object) -> int:
    text = str(value).strip()
    if not text.isdecimal() or int(text) > HIGHEST_CARD:
        raise ValueError(f"card value {shown(value)} (allowed: integers from 0 to {HIGHEST_CARD})")
    return int(text)


def _checked_rule_name(name: str) -> str:
    taken = (*QUALITIES, *SPECIAL_RULES)
    meant, is_correct = recognise(plain_name(name), taken)
    if is_correct and meant in taken:
        raise ValueError(f"{shown(name)} is a rule of the game (allowed: another name)")
    if not name or parse(name) != (name, None):
        raise ValueError(f"{shown(name)} is not a name (allowed: text without a number in parentheses)")
    return name


HouseRules = dict[Annotated[str, AfterValidator(_checked_rule_name)], HouseRule]
"""House rules by name."""


class Ruleset(Record):
    """An attack die, a deck, and the house rules of a folder of profiles."""

    page = "docs/keys.md"

    die: Die
    deck: Deck
    rules: HouseRules = Field(default_factory=dict)

    @model_serializer(mode="wrap")
    def _without_empty_rules(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if not self.rules:
            del data["rules"]
        else:
            data["rules"] = {name: rule.model_dump(exclude_defaults=True) for name, rule in self.rules.items()}
        return data

    @property
    def assumption(self) -> str:
        """Die and deck in one line, for answers about fights; the printed rules do not contain them.

        >>> Ruleset(die=Die(strike=2, miss=1), deck=Deck(copies={1: 3, 2: 3, 3: 3, 7: 1})).assumption
        'die of 2 strikes, 1 miss; deck of 10 cards, 3 each of 1 to 3, 1 of 7 (not printed in the rules; --die, --deck)'
        """
        cards = sum(self.deck.copies.values())
        deck = f"deck of {counted(cards, 'card')}, {', '.join(_runs(self.deck.copies))}"
        return f"die of {self.die.in_words}; {deck} (not printed in the rules; --die, --deck)"


def _runs(copies: dict[int, int]) -> list[str]:
    """Return in words the first runs of successive card values with equal numbers of copies."""
    runs: list[tuple[int, int, int]] = []  # first value, last value, copies of each
    for value, count in copies.items():
        if count and runs and runs[-1][1:] == (value - 1, count):
            runs[-1] = (runs[-1][0], value, count)
        elif count:
            runs.append((value, value, count))
    words = [f"{count} of {low}" if low == high else f"{count} each of {low} to {high}" for low, high, count in runs]
    return [*words[:_MOST_RUNS], *(["..."] if len(words) > _MOST_RUNS else [])]


def ruleset_record(ruleset: object) -> dict[str, Any]:
    """Return the `ruleset` entry of an answer's JSON; an empty dict for another game."""
    return {"ruleset": ruleset.model_dump(mode="json")} if isinstance(ruleset, Ruleset) else {}


def ruleset_parts(stated: object, where: str = "ruleset") -> dict[str, Any]:
    """Return the stated parts of a ruleset (die, deck, house rules) as plain data; InputError for unusable parts."""
    if isinstance(stated, Ruleset):
        return stated.model_dump(mode="json")
    if not isinstance(stated, Mapping):
        raise InputError(f"{shown(stated)} is not usable", where=where, allowed="a table with a die, a deck or rules")
    parts = checked(_Parts, {key: value for key, value in stated.items() if value is not None}, where=where)
    return parts.model_dump(mode="json", exclude_none=True)


class _Parts(Record):
    die: Die | None = None
    deck: Deck | None = None
    rules: HouseRules | None = None
