"""Questions about suppression and panic in Legion, and ruleset values that the rulebook does not print."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from analyser.common.validation import Record, optional
from analyser.morale import questions
from analyser.morale.questions import ByRound, Distance, Length, Pmf, Probability, Rounds

MOST_TOKENS = 60

Courage = Annotated[int, Field(ge=1, le=20)]
Probabilities = Annotated[tuple[questions.ProbabilityOrBool, ...], BeforeValidator(questions.as_tuple_of_rounds)]
CourageOrNone = Courage | Literal["none"]  # a unit without COURAGE is stated as "none" (LG-1)
Tokens = Annotated[int, Field(ge=0, le=MOST_TOKENS)]
PanicProbability = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    BeforeValidator(lambda value: {True: 0.5, False: None}[value] if isinstance(value, bool) else value),
]


class Suppression(Record):
    """Ruleset keys about suppression tokens, also used by the comparison of systems."""

    rally_sides: Annotated[int, Field(ge=1, le=1000)]
    rally_successes: Annotated[int, Field(ge=0, le=1000)]
    end_phase_tokens: Tokens

    @model_validator(mode="after")
    def _successes_among_sides(self) -> Suppression:
        if self.rally_successes > self.rally_sides:
            raise ValueError(f"rally_successes {self.rally_successes} (allowed: up to rally_sides, {self.rally_sides})")
        return self


class Ruleset(Suppression):
    """Values of the ruleset; ``profiles/morale/legion.toml`` has the shipped values, with comments."""

    rounds: Rounds


class Question(questions.MoraleQuestion):
    """A unit under fire, round by round."""

    courage: CourageOrNone = Field(description="COURAGE, 1 or more, or none (LG-1).")
    tokens: Tokens = optional(0, "Suppression tokens at the start.")
    received: ByRound = optional(
        ((1.0,),), "Tokens received in a round before the unit activates: a number, a distribution, or a list by round."
    )
    received_after: ByRound = optional(((1.0,),), "Tokens received in a round after the unit has activated.")
    commander_courage: Courage | None = optional(None, "COURAGE of a friendly commander near the unit (LG-3).")
    commander_near: Probabilities = optional(
        (1.0,), "Probability that the commander is near when the unit checks for panic, or a list by round. Default: 1."
    )
    edge_distance: Distance | None = optional(
        None, "Inches from the unit's leader to the nearest table edge. Default: far."
    )
    move_distance: Length | None = optional(None, "Inches of a move at full speed (LG-5).")
    destroyed: Probability = optional(0.0, "Probability in each round that fire destroys the unit before it activates.")
    rounds: Rounds | None = optional(None, "Rounds to play. Default: those of a game.")
    until_panic: PanicProbability = optional(
        None, "Find how many tokens, or attacks in each round, make the unit panic with this probability; true: 0.5."
    )
    ruleset: Ruleset

    @model_validator(mode="after")
    def _fits_together(self) -> Question:
        if (self.edge_distance is None) != (self.move_distance is None):
            raise ValueError("edge_distance and move_distance belong together (allowed: both, or neither)")
        self.by_round  # noqa: B018 - raises ValueError if a list does not have an entry for each round
        rallies_fully = self.ruleset.rally_successes == self.ruleset.rally_sides
        if self.until_panic is not None and (self.courage == "none" or rallies_fully):
            reason = "the rally step removes all tokens" if rallies_fully else "it has no COURAGE (LG-1)"
            raise ValueError(f"until_panic: this unit never panics, because {reason} (allowed: left out)")
        return self

    def heading_values(self) -> dict[str, Any]:
        """Return the values as the base class does, but leave `commander_near` empty if there is no commander."""
        near = f"probability {'; '.join(f'{probability:g}' for probability in self.commander_near)}"
        return super().heading_values() | {"commander_near": near if self.commander_courage else []}

    @property
    def rounds_played(self) -> int:
        """Number of rounds, by default the ruleset's."""
        return self.rounds or self.ruleset.rounds

    @property
    def by_round(self) -> tuple[tuple[Pmf, Pmf, float], ...]:
        """For each round: tokens received before and after the activation, and the probability of a commander near."""
        keys, rounds = ("received", "received_after", "commander_near"), self.rounds_played
        before, after, near = (questions.for_each_round(getattr(self, key), rounds, key) for key in keys)
        return tuple(zip(before, after, near))
