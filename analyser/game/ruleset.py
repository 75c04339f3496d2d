"""What the rules do not print: the attack die and the deck (AC-1)."""

from __future__ import annotations

from pydantic import field_serializer, field_validator

from analyser.common.validation import Record
from analyser.game.cards import Deck
from analyser.game.dice import Die


class Ruleset(Record):
    """An attack die and a deck.

    Examples
    --------
    >>> Ruleset(die=Die(strike=1), deck={"1": 3}).deck.size
    3
    """

    die: Die
    deck: Deck

    @field_validator("deck", mode="before")
    @classmethod
    def _bare_copies(cls, deck: object) -> object:
        """Files write ``deck = { 1 = 3, … }``, the copies alone."""
        return {"copies": deck} if isinstance(deck, dict) and "copies" not in deck else deck

    @field_serializer("deck")
    def _to_bare_copies(self, deck: Deck) -> dict[str, int]:
        return {str(value): copies for value, copies in deck.copies.items()}
