"""Questions about confusion in Warmaster, and ruleset values that the rulebook leaves open."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from analyser.common.errors import shown
from analyser.common.validation import Record, Several, optional
from analyser.morale.questions import Distribution, MoraleQuestion

MOST_DICE = 20
MOST_FRIENDS = 20

Centimetres = Annotated[float, Field(ge=0, le=500)]
Stands = Annotated[int, Field(ge=1, le=30)]
Kind = Literal["impassable", "enemy", "combat", "friend", "unyielding"]
FOES = ("enemy", "combat")  # "combat": a unit in combat, friend or foe, which stops a unit as an enemy does
FRIENDS = ("friend", "unyielding")  # friends out of combat, which can or cannot make way (WM-5)


class Obstacle(Record):
    """An obstacle behind the unit, on its way."""

    distance: Centimetres
    kind: Kind
    chain: Annotated[int, Field(ge=0, le=MOST_FRIENDS)] = 0  # friends in a column, each pushed by the friend before it
    make_way: bool | None = None  # True: the friends make way, False: they do not, None: the player chooses
    stands: Stands | None = None  # stands of the retreating unit that it blocks (WM-8)

    @model_validator(mode="after")
    def _fits_together(self) -> Obstacle:
        for key in ("chain", "make_way"):
            if getattr(self, key) and self.kind != "friend":
                raise ValueError(f"{key}: {self.kind} does not make way (allowed: kind = 'friend')")
        return self


class Ruleset(Record):
    """Values of the ruleset; ``profiles/morale/warmaster.toml`` has the shipped values, with comments."""

    touching_is_into: bool
    tests_for_chain: Literal["direct", "all"]
    gap: Centimetres
    stands: Stands


class Question(MoraleQuestion):
    """A unit that is moved without an order, and the obstacles behind it."""

    move: Literal["driven_back", "falls_back", "retreats", "evades"] = optional(
        "driven_back", "driven_back (by shooting), falls_back, retreats (from combat) or evades."
    )
    dice: Annotated[int, Field(ge=1, le=MOST_DICE)] | None = optional(
        None, "Drive-back dice of a unit that is driven back (WM-1)."
    )
    distance: Distribution | None = optional(
        None, "Length of any other move, in centimetres: an integer, or a distribution such as {4 = 0.5, 6 = 0.5}."
    )
    obstacles: Several[Obstacle] = optional(
        (), "Obstacles behind the moved unit, such as [{distance = 5, kind = 'friend', chain = 2}].", max_length=12
    )
    stands: Stands | None = optional(None, "Stands of the unit; a retreat may destroy some of them (WM-8).")
    ruleset: Ruleset

    @field_validator("distance", mode="before")
    @classmethod
    def _in_whole_centimetres(cls, distance: object) -> object:
        for length in distance if isinstance(distance, dict) else (distance,):
            if isinstance(length, float) or (isinstance(length, str) and "." in length):
                allowed = "allowed: whole centimetres, as an integer or a table of number = probability"
                raise ValueError(f"{shown(length)} is not usable ({allowed})")
        return distance

    @field_validator("obstacles", mode="after")
    @classmethod
    def _room_for_friends(cls, obstacles: tuple[Obstacle, ...]) -> tuple[Obstacle, ...]:
        friends = sum(1 + obstacle.chain for obstacle in obstacles if obstacle.kind == "friend")
        if friends > MOST_FRIENDS:
            raise ValueError(f"{friends} friends in all (allowed: up to {MOST_FRIENDS})")
        return obstacles

    @model_validator(mode="after")
    def _fits_together(self) -> Question:
        if self.move == "driven_back" and (self.dice is None or self.distance is not None):
            raise ValueError("a unit that is driven back moves by dice (allowed: dice without distance)")
        if self.move != "driven_back" and (self.distance is None or self.dice is not None):
            raise ValueError(f"move = {self.move!r} needs a distance (allowed: distance without dice)")
        others = [obstacle.kind for obstacle in self.obstacles if obstacle.kind != "friend"]
        if self.move == "evades" and others:
            raise ValueError(f"obstacles: no rule for evaders that meet {others[0]!r} (allowed: 'friend', WM-6)")
        if self.move != "retreats" and (self.stands is not None or any(obstacle.stands for obstacle in self.obstacles)):
            raise ValueError("only retreats destroy stands, WM-8 (allowed: stands with move = 'retreats')")
        return self
