"""The Command & Conquest deck (AC-1.2) and how many cards it has of each value (AC-5.1)."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from analyser.common.errors import shown
from analyser.common.validation import Record

HIGHEST_CARD = 99
MOST_COPIES = 1000
MOST_CARDS = 10_000

Copies = Annotated[int, Field(ge=0, le=MOST_COPIES)]


class Deck(Record):
    """Copies of each card value.

    Examples
    --------
    >>> Deck(copies={value: 3 for value in range(1, 13)}).size
    36
    """

    copies: dict[int, Copies]

    @field_validator("copies", mode="before")
    @classmethod
    def _whole_values(cls, copies: object) -> object:
        """TOML and JSON write the values as text; the rest is left to the type."""
        if not isinstance(copies, dict):
            return copies
        return {_card_value(value): count for value, count in copies.items()}

    @field_validator("copies")
    @classmethod
    def _has_cards(cls, copies: dict[int, int]) -> dict[int, int]:
        cards = sum(copies.values())
        if not 1 <= cards <= MOST_CARDS:
            what = f"a deck of {cards} cards" if cards else "an empty deck"
            raise ValueError(f"{what} (allowed: 1 to {MOST_CARDS} cards in all)")
        return dict(sorted(copies.items()))

    @property
    def size(self) -> int:
        """The number of cards."""
        return sum(self.copies.values())

    def counts(self) -> NDArray[np.int64]:
        """Copies by value: shape (highest value + 1,), entry v is the number of cards of value v."""
        counts = np.zeros(max(self.copies) + 1, np.int64)
        for value, copies in self.copies.items():
            counts[value] = copies
        return counts


def _card_value(value: object) -> int:
    text = str(value).strip()
    if not text.isdecimal() or int(text) > HIGHEST_CARD:
        raise ValueError(f"card value {shown(value)} (allowed: integers from 0 to {HIGHEST_CARD})")
    return int(text)
