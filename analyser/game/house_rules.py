"""House rules: a player's own special rules and qualities, described by their effects on attacks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from analyser.common.validation import Record, Several

Circumstance = Literal["short range", "long range", "charge", "close quarters"]
_Type = Literal["infantry", "cavalry", "field gun", "armour", "artillery", "fortification", "rotorcraft", "aircraft"]
Against = Literal[_Type, "light", "heavy", "aerial"]
Ignored = Literal["concealed", "suppressed", "opportunity_fire", "reforming", "outside_front_arc", "disordered"]
Hits = Annotated[int, Field(ge=0, le=6)]
HitFace = Literal["heroic", "strike", "glancing", "miss", "blank"]
_PRINTED_HITS: dict[HitFace, int] = {"heroic": 2, "strike": 1}
_EFFECTS = ("dice", "defence", "test", "rerolls", "hits", "ignores")


class HouseRule(Record):
    """A custom rule: conditions (`when`, `at`, `against`), and effects on an attack (`dice` to `ignores`)."""

    page = "docs/keys.md"

    when: Literal["attacking", "attacked"] = "attacking"
    at: Several[Circumstance] = ()
    against: Several[Against] = ()
    dice: Annotated[int, Field(ge=-20, le=20)] = 0
    defence: Annotated[int, Field(ge=-5, le=5)] = 0
    test: Annotated[int, Field(ge=-5, le=5)] = 0
    rerolls: Several[Literal["strike", "glancing", "miss", "blank"]] = ()
    hits: dict[HitFace, Hits] = Field(default_factory=dict)
    ignores: Several[Ignored] = ()

    @field_validator("at", "against", "rerolls", "ignores", mode="before")
    @classmethod
    def _list_of_one(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _makes_sense(self) -> HouseRule:
        if not any(getattr(self, name) for name in _EFFECTS):
            raise ValueError(f"a rule without an effect (allowed: {', '.join(_EFFECTS)})")
        if self.test and self.at:
            raise ValueError("the keys test and at exclude each other: the test follows the attack")
        if "disordered" in self.ignores and (self.at or self.against or self.when == "attacking"):
            raise ValueError('ignores "disordered" needs when = "attacked", and neither at nor against')
        strike, heroic = self.hits_of("strike"), self.hits_of("heroic")
        if heroic < max(strike, 1):
            raise ValueError(f"{heroic} hits of a heroic strike (allowed: {max(strike, 1)} to 6)")
        for face, hits in self.hits.items():
            if hits not in (0, strike, heroic):
                raise ValueError(f"{hits} hits of a {face} (allowed: 0, or as many as a strike or a heroic strike)")
        return self

    def hits_of(self, face: HitFace) -> int:
        """Return the number of hits of a face under this rule."""
        return self.hits.get(face, _PRINTED_HITS.get(face, 0))

    def faces_as(self, face: Literal["strike", "heroic"]) -> tuple[str, ...]:
        """Return the faces among glancing, miss and blank that the rule counts as `face`."""
        strike, like_face = self.hits_of("strike"), self.hits_of(face)
        names = (name for name, hits in self.hits.items() if name not in _PRINTED_HITS and hits == like_face > 0)
        return tuple(names) if face == "strike" or like_face != strike else ()

    @property
    def changes_every_test(self) -> bool:
        """True if `test` changes all tests of the unit, including rally tests."""
        return self.when == "attacked" and not self.against
