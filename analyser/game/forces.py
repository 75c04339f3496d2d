"""Records of the rules of force building: limits on the contents of a force.

The limits of the set-up rules are in one file for all factions. The limits of a faction's order of battle, on its
battlegroups and units, are in the file of the faction.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from analyser.common.validation import Record, Several
from analyser.game.names import Entry, Name, Slug

MOST_IN_FORCE = 1000
MOST_FORCE_POINTS = 1_000_000

ScaleName = Literal["skirmish", "battle", "cataclysm"]
Count = Annotated[int, Field(ge=0, le=MOST_IN_FORCE)]


class Limits(Record):
    """Smallest and largest allowed number; `most` is None if there is no upper limit."""

    least: Count = 0
    most: Count | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Limits:
        if self.most is not None and self.most < self.least:
            raise ValueError(f"least {self.least} is more than most {self.most}")
        return self

    def allow(self, number: int) -> bool:
        """Return True if `number` is within the limits."""
        return self.least <= number and (self.most is None or number <= self.most)

    @property
    def limits_in_words(self) -> str:
        """Limits in words.

        >>> numbers = (1, 1), (1, 2), (0, 2), (1, None), (0, None)
        >>> [Limits(least=least, most=most).limits_in_words for least, most in numbers]
        ['exactly 1', '1 to 2', 'up to 2', '1 or more', 'any number']
        """
        if self.most is None:
            return f"{self.least} or more" if self.least else "any number"
        if self.least == self.most:
            return f"exactly {self.most}"
        return f"{self.least} to {self.most}" if self.least else f"up to {self.most}"


class Slot(Limits):
    """A slot of a battlegroup; the limits apply to the number of units in the slot."""

    name: Name


class Membership(Limits):
    """Membership of a unit in a kind of battlegroup; the limits apply to the number of this unit in one battlegroup."""

    slots: Several[Slug] = ()  # slots in which the unit counts; the rules list it under the first slot


class Battlegroup(Limits):
    """A kind of battlegroup in a faction's order of battle; the limits apply to its number in a force."""

    id: Slug
    name: Name
    entry: Entry | None = None
    bonus: Name = ""  # name of the bonus that its commander gives
    slots: dict[Slug, Slot] = Field(default_factory=dict)


class Boon(Limits):
    """An upgrade of a battlegroup; the limits apply to its number in a battlegroup."""

    id: Slug
    name: Name
    entry: Entry | None = None
    points: Annotated[int, Field(ge=0, le=MOST_FORCE_POINTS)] = 0
    needs: Several[Slug] = ()  # slots, types or traits; the battlegroup must have a unit of each


class Scale(Record):
    """A force scale: points of a force, cards in hand (Command & Conquest), and sides of the table in inches."""

    least_points: Annotated[int, Field(ge=0, le=MOST_FORCE_POINTS)]
    most_points: Annotated[int, Field(ge=0, le=MOST_FORCE_POINTS)]
    hand: Annotated[int, Field(ge=0, le=100)]
    table: Several[Annotated[int, Field(ge=1, le=1000)]]

    @field_validator("table")
    @classmethod
    def _two_sides(cls, table: tuple[int, ...]) -> tuple[int, ...]:
        if len(table) != 2:
            raise ValueError(f"{len(table)} sides of a table (allowed: two, in inches)")
        return table

    @model_validator(mode="after")
    def _in_order(self) -> Scale:
        if self.most_points < self.least_points:
            raise ValueError(f"least_points {self.least_points} is more than most_points {self.most_points}")
        return self


class ForceRules(Record):
    """Rules of force building and set-up for all factions (``forces.toml``)."""

    format: Literal[1]
    game_system: Entry | None = None  # id of the game in data files and rosters
    scales: dict[ScaleName, Scale]
    led_by: Slug = "commander"  # slot of the commander of a battlegroup
    least_on_table: Annotated[float, Field(ge=0, le=1)] = 0.5  # share of the units that start on the table
    always_in_reserve: Several[Slug] = ()  # types of units that always start in reserve
    passengers: Several[Slug] = ()  # types of units that a transport can carry, one unit per transport

    def on_table(self, units: int) -> int:
        """Return how many of `units` must start on the table: the share `least_on_table`, rounded up."""
        return int(-(-units * self.least_on_table // 1))
