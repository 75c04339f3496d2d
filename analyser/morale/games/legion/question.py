"""Questions about suppression and panic in Legion, and the values that its rulebook does not print."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from analyser.common.validation import Record, optional
from analyser.morale import questions
from analyser.morale.questions import ByRound, Distance, Length, Pmf, Probability, Rounds

MOST_TOKENS = 60

Courage = Annotated[int, Field(ge=1, le=20)]
Probabilities = Annotated[tuple[questions.ProbabilityOrBool, ...], BeforeValidator(questions.one_or_list)]
CourageOrNone = Courage | Literal["none"]  # "none" must be stated, and differs from 0 (LG-1)
Tokens = Annotated[int, Field(ge=0, le=MOST_TOKENS)]
Wanted = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    BeforeValidator(lambda value: {True: 0.5, False: None}[value] if isinstance(value, bool) else value),
]


class Suppression(Record):
    """Ruleset keys about suppression tokens that every question uses."""

    rally_sides: Annotated[int, Field(ge=1, le=1000)]
    rally_successes: Annotated[int, Field(ge=0, le=1000)]
    end_phase_tokens: Tokens

    @model_validator(mode="after")
    def _successes_among_sides(self) -> Suppression:
        if self.rally_successes > self.rally_sides:
            raise ValueError(f"rally_successes {self.rally_successes} of {self.rally_sides} sides")
        return self


class Ruleset(Suppression):
    """Values of the ruleset; the shipped ones are in ``profiles/morale/legion.toml``, with comments."""

    commander_range: Annotated[int, Field(ge=0, le=100)]
    rounds: Rounds


class Question(questions.Asked):
    """A unit under fire, round by round."""

    courage: CourageOrNone = Field(description="COURAGE, 1 or more, or none (LG-1).")
    tokens: Tokens = optional(0, "Suppression tokens at the start.")
    received: ByRound = optional(
        ((1.0,),), "Tokens received a round, before the unit activates: a number, a distribution, or a list by round."
    )
    received_after: ByRound = optional(((1.0,),), "The same, after it has activated.")
    commander_courage: Courage | None = optional(None, "COURAGE of a friendly commander near it (LG-3).")
    commander_range: Annotated[int, Field(ge=1, le=100)] = optional(1, "The commander's range band.")
    commander_near: Probabilities = optional(
        (1.0,), "Probability that it is near when the unit checks for panic, or a list by round. Default: 1."
    )
    edge_distance: Distance | None = optional(None, "Inches from its leader to the nearest table edge. Default: far.")
    move_distance: Length | None = optional(None, "Inches of a move at full speed (LG-5).")
    destroyed: Probability = optional(0.0, "Probability a round that fire destroys it before it activates.")
    rounds: Rounds | None = optional(None, "Rounds to play. Default: those of a game.")
    until_panic: Wanted = optional(
        None, "Tokens, or attacks a round, that make it panic with this probability; true: 0.5."
    )
    ruleset: Ruleset

    @model_validator(mode="after")
    def _fits_together(self) -> Question:
        if (self.edge_distance is None) != (self.move_distance is None):
            raise ValueError("edge_distance and move_distance belong together (allowed: both, or neither)")
        self.by_round  # noqa: B018 - raises ValueError for a list of another length
        certain = self.ruleset.rally_successes == self.ruleset.rally_sides
        if self.until_panic is not None and (self.courage == "none" or certain):
            why = "each token goes in the rally step" if certain else "it has no COURAGE (LG-1)"
            raise ValueError(f"until_panic: this unit never panics, {why} (allowed: left out)")
        return self

    @property
    def rounds_played(self) -> int:
        """Number of rounds, by default that of a game."""
        return self.rounds or self.ruleset.rounds

    @property
    def by_round(self) -> tuple[tuple[Pmf, Pmf, float], ...]:
        """For each round: tokens received before and after the activation, and P(the commander is near)."""
        keys, rounds = ("received", "received_after", "commander_near"), self.rounds_played
        before, after, near = (questions.spread_over(getattr(self, key), rounds, key) for key in keys)
        return tuple(zip(before, after, near))

    @property
    def commander(self) -> int:
        """COURAGE of a commander within range (LG-3), 0 if there is none."""
        near = self.commander_range <= self.ruleset.commander_range
        return self.commander_courage if self.commander_courage is not None and near else 0
