"""Questions about confusion in Warmaster, and ruleset values that the rulebook leaves open."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, field_validator, model_validator

from analyser.common.errors import shown
from analyser.common.validation import Record, Several, as_tuple, optional
from analyser.morale.questions import Distribution, MoraleQuestion, Rounds

MOST_DICE = 20
MOST_FRIENDS = 20

Centimetres = Annotated[float, Field(ge=0, le=500)]
Stands = Annotated[int, Field(ge=1, le=30)]
Kind = Literal["impassable", "enemy", "combat", "friend", "unyielding"]
FOES = ("enemy", "combat")  # "combat": a unit in combat, friend or foe
FRIENDS = ("friend", "unyielding")  # friends out of combat, which can or cannot make way (WM-5)


def _chain_of_number(chain: object) -> object:
    """Convert a chain stated as a number of friends in a column, each pushed by the friend before it."""
    if isinstance(chain, bool) or not isinstance(chain, int):
        return as_tuple(chain)
    if not 0 <= chain <= MOST_FRIENDS:
        raise ValueError(f"a chain of {chain} friends (allowed: 0 to {MOST_FRIENDS})")
    return ({"chain": chain - 1},) if chain else ()


def _chain_as_written(chain: tuple[Friend, ...]) -> Any:
    """Return a chain as in a file; a single column is a number."""
    if not chain:
        return 0
    behind = _chain_as_written(chain[0].chain)
    if len(chain) == 1 and chain[0].kind == "friend" and isinstance(behind, int):
        return 1 + behind
    return [{"kind": friend.kind, "chain": _chain_as_written(friend.chain)} for friend in chain]


class Friend(Record):
    """A friend that the friend before it pushes to make way; an unyielding friend cannot be pushed (WM-5)."""

    kind: Literal["friend", "unyielding"] = "friend"
    chain: Chain = ()


Chain = Annotated[tuple[Friend, ...], BeforeValidator(_chain_of_number), PlainSerializer(_chain_as_written)]


class Obstacle(Record):
    """An obstacle behind the unit, on its way."""

    distance: Centimetres
    kind: Kind
    chain: Chain = ()
    make_way: bool | None = None
    stands: Stands | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Obstacle:
        if self.chain and self.kind not in FRIENDS:
            raise ValueError(f"chain: {self.kind} pushes no friends (allowed: kind = 'friend')")
        if self.make_way is not None and self.kind != "friend":
            raise ValueError(f"make_way: {self.kind} cannot make way (allowed: kind = 'friend')")
        if self.make_way and not can_make_way(self):
            raise ValueError("make_way: a friend in its chain cannot make way (allowed: false, or left out)")
        return self


def friends_of(friend: Friend | Obstacle) -> int:
    """Return the number of friends: this friend and all friends behind it."""
    return 1 + sum(map(friends_of, friend.chain))


def can_make_way(friend: Friend | Obstacle) -> bool:
    """Return True if a friend and all friends that it pushes can make way (WM-4, WM-5)."""
    return friend.kind == "friend" and all(map(can_make_way, friend.chain))


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
        None, "Length of another move, in centimetres: an integer, or a distribution such as {4 = 0.5, 6 = 0.5}."
    )
    obstacles: Several[Obstacle] = optional(
        (), "Units behind the moved unit, such as [{distance = 5, kind = 'friend', chain = 2}].", max_length=12
    )
    stands: Stands | None = optional(None, "Stands of the unit; a retreat may destroy some of them (WM-8).")
    turns: Rounds = optional(1, "Number of turns with this move, each from the same place.")
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
        friends = sum(friends_of(obstacle) for obstacle in obstacles if can_make_way(obstacle))
        if friends > MOST_FRIENDS:
            raise ValueError(f"{friends} friends in all (allowed: up to {MOST_FRIENDS})")
        return obstacles

    @model_validator(mode="after")
    def _fits_together(self) -> Question:
        if self.move == "driven_back" and (self.dice is None or self.distance is not None):
            raise ValueError("a unit that is driven back moves by dice (allowed: dice without distance)")
        if self.move != "driven_back" and (self.distance is None or self.dice is not None):
            raise ValueError(f"move = {self.move!r} needs a distance (allowed: distance without dice)")
        kind = next(
            (obstacle.kind for obstacle in self.obstacles if self.move == "evades" and obstacle.kind != "friend"), None
        )
        if kind is not None:
            raise ValueError(f"obstacles: no rule for evaders that meet {kind!r} (allowed: 'friend', WM-6)")
        if self.move != "retreats" and (self.stands is not None or any(obstacle.stands for obstacle in self.obstacles)):
            raise ValueError("only retreats destroy stands, WM-8 (allowed: stands with move = 'retreats')")
        return self
