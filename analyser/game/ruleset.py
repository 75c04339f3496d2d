"""What the rules do not print: the attack die and the deck (AC-1)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pydantic import field_serializer, field_validator

from analyser.common.files import read_toml
from analyser.common.validation import Record, checked
from analyser.game.cards import Deck
from analyser.game.dice import Die
from analyser.game.profiles import RULESET_FILE, shipped_profiles


class Ruleset(Record):
    """An attack die and a deck.

    Examples
    --------
    >>> load_ruleset().die.sides, load_ruleset().deck.size
    (6, 36)
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


def load_ruleset(folder: Path | None = None) -> Ruleset:
    """The ruleset of a folder of profiles, as it is now, or the shipped one where the folder has none."""
    path = (folder or shipped_profiles()) / RULESET_FILE
    if not path.exists():
        path = shipped_profiles() / RULESET_FILE
    return _read(path, path.read_bytes() if path.is_file() else b"")


@lru_cache(maxsize=8)
def _read(path: Path, _: bytes) -> Ruleset:
    """The ruleset in a file that holds those bytes."""
    return checked(Ruleset, read_toml(path), where=str(path))
