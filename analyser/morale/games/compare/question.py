"""Question about a unit that suffers the same losses in five systems."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from analyser.common.validation import Record, Several, optional
from analyser.game.ruleset import Ruleset as ArmouredClashRuleset
from analyser.morale.games.grande_tactique.question import Pips
from analyser.morale.games.legion.question import CourageOrNone, Suppression
from analyser.morale.questions import ByRound, Distance, Length, MoraleQuestion, Probability, Rounds, for_each_round

Section = dict[str, Any]
Models = Annotated[int, Field(ge=1, le=100)]
Sides = Annotated[int, Field(ge=1, le=1000)]
FATES_OF_SYSTEMS = ("steady", "shaken", "routed", "gone")
STEADY, SHAKEN, ROUTED, GONE = range(len(FATES_OF_SYSTEMS))


class Ruleset(Record):
    """Values of the ruleset; ``profiles/morale/compare.toml`` and the files of the systems have the shipped values."""

    rounds: Rounds
    break_share: Probability
    courage_steps: Several[Probability]
    check_sides: Sides
    armoured_clash: ArmouredClashRuleset
    legion: Suppression
    grande_tactique: Pips


class ArmouredClash(Record):
    """Equivalents of the nerve in Armoured Clash. Default: derived from the nerve."""

    discipline: Annotated[int, Field(ge=0, le=100)] | None = optional(None, "DISCIPLINE.")
    break_limit: Annotated[int, Field(ge=0, le=1000)] | Literal["none"] | None = optional(None, "BREAK LIMIT, or none.")


class Legion(Record):
    """Equivalent of the nerve in Legion, and the unit's move."""

    courage: CourageOrNone | None = optional(None, "COURAGE, or none (LG-1).")
    move_distance: Length = optional(6.0, "Inches of a move at full speed.")


class GrandeTactique(Record):
    """Equivalent of the nerve in Grande Tactique, and the losses that wear infantry down."""

    check_sides: Sides | None = optional(None, "Sides of the die of its morale check. Default: the ruleset's, 12.")
    check_target: Annotated[int, Field(ge=-100, le=1000)] | None = optional(
        None, "Target of its morale check. Default: derived from `nerve`."
    )
    worn_down: Models = optional(1, "Fewest models lost to one attack that wear the unit down.")


class Warmaster(Record):
    """Conversion of losses into drive-back dice in Warmaster, where the nerve has no effect."""

    dice: Annotated[int, Field(ge=0, le=10)] = optional(1, "Drive-back dice for each model lost.")


class Mordheim(Record):
    """Equivalent of the nerve in Mordheim, where the unit is the warband."""

    leadership: Annotated[int, Field(ge=2, le=12)] | None = optional(None, "Leadership, 2 to 12.")


class Question(MoraleQuestion):
    """A unit that suffers the same losses in five systems."""

    models: Models = Field(description="Models at the start. In a duel: those of the unit.")
    nerve: Probability = optional(2 / 3, "Probability of passing one test without modifiers. Default: 2/3.")
    losses: ByRound | None = optional(None, "Models lost to each attack: a number, a distribution, or a list by round.")
    a: Section | None = optional(None, "Instead of losses, a duel: its first unit, by name or as a table.")
    b: Section | None = optional(None, "The second unit of that duel.")
    duel: Section | None = optional(None, "Terms of that duel, such as {rounds = 4, policy_b = 'charge'}.")
    side: Literal["a", "b"] = optional("a", "The unit of the duel whose losses are used in all systems.")
    attacks: Annotated[int, Field(ge=1, le=10)] = optional(1, "Attacks in each round.")
    edge_distance: Distance | None = optional(None, "Inches to the unit's own table edge. Default: far.")
    rounds: Rounds | None = optional(None, "Rounds to play. Default: the ruleset's.")
    armoured_clash: ArmouredClash = ArmouredClash()
    legion: Legion = Legion()
    grande_tactique: GrandeTactique = GrandeTactique()
    warmaster: Warmaster = Warmaster()
    mordheim: Mordheim = Mordheim()
    ruleset: Ruleset

    @model_validator(mode="after")
    def _fits_together(self) -> Question:
        if (self.losses is None) == (self.duel is None):
            problem = "losses and a duel are both stated, or both missing"
            raise ValueError(f"{problem} (allowed: losses, or the units a and b of a duel)")
        if self.duel is not None and self.attacks != 1:
            raise ValueError("attacks: the duel determines the attacks (allowed: left out)")
        if self.duel is None and self.side != "a":
            raise ValueError("side: needs [duel] (allowed: left out)")
        self.loss_pmfs  # noqa: B018 - raises ValueError if the list does not have an entry for each round
        return self

    @property
    def rounds_played(self) -> int:
        """Number of rounds, by default the ruleset's."""
        return self.rounds or self.ruleset.rounds

    @property
    def loss_pmfs(self) -> tuple[tuple[float, ...], ...]:
        """Distribution of the losses by an attack in each round; empty for a duel, whose rounds are dependent."""
        return () if self.losses is None else for_each_round(self.losses, self.rounds_played, "losses")

    @property
    def check_sides(self) -> int:
        """Sides of the die of Grande Tactique's morale check."""
        return self.grande_tactique.check_sides or self.ruleset.check_sides
