"""Die, deck and combat rating; and a ruleset: what the rules do not print, the die and the deck (AC-1, AC-3)."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, field_validator, model_serializer, model_validator

from analyser.common.errors import shown
from analyser.common.records import Integers
from analyser.common.validation import Record

MOST_SIDES = 1000
HIGHEST_CARD = 99
MOST_COPIES = 1000
MOST_CARDS = 10_000

Sides = Annotated[int, Field(ge=0, le=MOST_SIDES)]
Copies = Annotated[int, Field(ge=0, le=MOST_COPIES)]
RatingName = Literal["weakened", "neutral", "improved"]


class Face(IntEnum):
    """The five symbols of the attack die; the numbers index every array of faces."""

    HEROIC = 0
    STRIKE = 1
    GLANCING = 2
    MISS = 3
    BLANK = 4


class Rating(IntEnum):
    """The combat rating (AC-3.1)."""

    WEAKENED = 0
    NEUTRAL = 1
    IMPROVED = 2


NO_FACES = 0
REROLLED_BY_RATING = (NO_FACES, 1 << Face.GLANCING, 1 << Face.GLANCING | 1 << Face.MISS)  # AC-3.4


def face_mask(names: tuple[str, ...]) -> int:
    """A set of faces as bits: bit ``1 << Face.MISS`` for a miss, and so on."""
    return sum(1 << Face[name.upper()] for name in set(names))


class Die(Record):
    """How many sides show each symbol (AC-1.1)."""

    heroic: Sides = 0
    strike: Sides = 0
    glancing: Sides = 0
    miss: Sides = 0
    blank: Sides = 0

    @model_validator(mode="after")
    def _has_sides(self) -> Die:
        if not 1 <= self.sides <= MOST_SIDES:
            raise ValueError(f"{self.sides} sides in all (allowed: 1 to {MOST_SIDES})")
        return self

    @property
    def faces(self) -> tuple[int, int, int, int, int]:
        """Sides per symbol, in the order of :class:`Face`."""
        return self.heroic, self.strike, self.glancing, self.miss, self.blank

    @property
    def sides(self) -> int:
        """The number of sides."""
        return sum(self.faces)


class Deck(Record):
    """The Command & Conquest deck (AC-1.2, AC-5.1): copies of each card value; files write ``{ 1 = 3, 2 = 3, … }``."""

    copies: dict[int, Copies]

    @model_validator(mode="before")
    @classmethod
    def _bare_copies(cls, deck: object) -> object:
        return {"copies": deck} if isinstance(deck, dict) and "copies" not in deck else deck

    @field_validator("copies", mode="before")
    @classmethod
    def _whole_values(cls, copies: object) -> object:
        """TOML and JSON write the values as text; the rest is left to the type."""
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
        """Copies by value: shape (highest value + 1,), entry v is the number of cards of value v."""
        return np.array([self.copies.get(value, 0) for value in range(max(self.copies) + 1)], np.int64)


def _card_value(value: object) -> int:
    text = str(value).strip()
    if not text.isdecimal() or int(text) > HIGHEST_CARD:
        raise ValueError(f"card value {shown(value)} (allowed: integers from 0 to {HIGHEST_CARD})")
    return int(text)


class Ruleset(Record):
    """An attack die and a deck."""

    die: Die
    deck: Deck
