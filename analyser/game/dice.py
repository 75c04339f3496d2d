"""The attack die and the combat rating (AC-1.1, AC-3.1, AC-3.4)."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from analyser.common.validation import Record

MOST_SIDES = 1000


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


RatingName = Literal["weakened", "neutral", "improved"]

Sides = Annotated[int, Field(ge=0, le=MOST_SIDES)]


class Die(Record):
    """How many sides show each symbol (AC-1.1).

    Examples
    --------
    >>> Die(heroic=1, strike=2, glancing=1, miss=1, blank=1).sides
    6
    """

    heroic: Sides = 0
    strike: Sides = 0
    glancing: Sides = 0
    miss: Sides = 0
    blank: Sides = 0

    @model_validator(mode="after")
    def _has_sides(self) -> Die:
        if not 1 <= self.sides <= MOST_SIDES:
            raise ValueError(f"a die of {self.sides} sides (allowed: 1 to {MOST_SIDES} sides in all)")
        return self

    @property
    def faces(self) -> tuple[int, int, int, int, int]:
        """Sides per symbol, in the order of :class:`Face`."""
        return self.heroic, self.strike, self.glancing, self.miss, self.blank

    @property
    def sides(self) -> int:
        """The number of sides."""
        return sum(self.faces)


def face_mask(names: tuple[str, ...]) -> int:
    """A set of faces as bits: bit ``1 << Face.MISS`` for a miss, and so on.

    Examples
    --------
    >>> face_mask(("glancing", "miss"))
    12
    """
    return sum(1 << Face[name.upper()] for name in set(names))


NO_FACES = 0
REROLLED_BY_RATING = {  # AC-3.4
    Rating.WEAKENED: NO_FACES,
    Rating.NEUTRAL: 1 << Face.GLANCING,
    Rating.IMPROVED: 1 << Face.GLANCING | 1 << Face.MISS,
}
