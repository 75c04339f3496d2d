"""What can be asked about suppression and panic in Legion, and the numbers that its text does not print."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from analyser.common.validation import Record
from analyser.morale import questions
from analyser.morale.questions import ByRound, Distance, Length, Pmf, Probability, Rounds, spread_over

MOST_COURAGE = 20
MOST_TOKENS = 60
EVEN = 0.5


def _by_round(value: object) -> object:
    """A probability for all rounds, or a list with one for each."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _even_if_true(value: object) -> object:
    """The probability of panic that is looked for: a half, if it is asked without a number."""
    return EVEN if value is True else None if value is False else value


Courage = Annotated[int, Field(ge=1, le=MOST_COURAGE)]
Probabilities = Annotated[tuple[questions.ProbabilityOrBool, ...], BeforeValidator(_by_round)]
CourageOrNone = Courage | Literal["none"]  # which has to be written, and is not the same as 0 (LG-1)
Tokens = Annotated[int, Field(ge=0, le=MOST_TOKENS)]


class Suppression(Record):
    """How suppression tokens go: of the ruleset what every question looks at."""

    rally_sides: Annotated[int, Field(ge=1, le=1000)]
    rally_successes: Annotated[int, Field(ge=0, le=1000)]
    end_phase_tokens: Tokens

    @model_validator(mode="after")
    def _successes_among_sides(self) -> Suppression:
        if self.rally_successes > self.rally_sides:
            raise ValueError(f"rally_successes {self.rally_successes} of {self.rally_sides} sides")
        return self


class Ruleset(Suppression):
    """The shipped values, and what they are, stand in ``profiles/morale/legion.toml``."""

    commander_range: Annotated[int, Field(ge=0, le=100)]
    rounds: Rounds


class Question(questions.Asked):
    """A unit under fire, round by round."""

    courage: CourageOrNone = Field(description="COURAGE, 1 or more, or none (LG-1).")
    tokens: Tokens = Field(0, description="Suppression tokens at the start.")
    received: ByRound = Field(
        ((1.0,),),
        description="Tokens received a round, before the unit activates: a number, a distribution, or a list by round.",
    )
    received_after: ByRound = Field(((1.0,),), description="The same, after it has activated.")
    commander_courage: Courage | None = Field(None, description="COURAGE of a friendly commander near it (LG-3).")
    commander_range: Annotated[int, Field(ge=1, le=100)] = Field(1, description="The commander's range band.")
    commander_near: Probabilities = Field(
        (1.0,),
        description="Probability that he is near when the unit checks for panic, or a list by round. Default: 1.",
    )
    edge_distance: Distance | None = Field(
        None, description="Inches from its leader to the nearest table edge. Default: far."
    )
    move_distance: Length | None = Field(None, description="Inches of a move at full speed (LG-5).")
    destroyed: Probability = Field(0.0, description="Probability a round that fire destroys it before it activates.")
    rounds: Rounds | None = Field(None, description="Rounds to play. Default: those of a game.")
    until_panic: Annotated[Annotated[float, Field(gt=0, lt=1)] | None, BeforeValidator(_even_if_true)] = Field(
        None, description="How many tokens, or attacks a round, make it panic with this probability; true: 0.5."
    )
    ruleset: Ruleset

    @model_validator(mode="after")
    def _fits_together(self) -> Question:
        if (self.edge_distance is None) != (self.move_distance is None):
            raise ValueError("edge_distance and move_distance belong together (allowed: both, or neither)")
        self.pmfs_before, self.pmfs_after, self.nearness  # noqa: B018 - each refuses a list of another length
        certain = self.ruleset.rally_successes == self.ruleset.rally_sides
        if self.until_panic is not None and (self.courage == "none" or certain):
            why = "each token goes in the rally step" if certain else "it has no COURAGE (LG-1)"
            raise ValueError(f"until_panic: this unit never panics, {why} (allowed: left out)")
        return self

    @property
    def rounds_played(self) -> int:
        """Rounds, those of a game if no other number is given."""
        return self.rounds or self.ruleset.rounds

    @property
    def pmfs_before(self) -> tuple[Pmf, ...]:
        """The distribution of the tokens received before the activation, of each round."""
        return spread_over(self.received, self.rounds_played, "received")

    @property
    def pmfs_after(self) -> tuple[Pmf, ...]:
        """The distribution of the tokens received after the activation, of each round."""
        return spread_over(self.received_after, self.rounds_played, "received_after")

    @property
    def nearness(self) -> tuple[float, ...]:
        """The probability that the commander is near, of each round."""
        return spread_over(self.commander_near, self.rounds_played, "commander_near")

    @property
    def commander(self) -> int:
        """The COURAGE of a commander within range (LG-3), 0 where there is none."""
        near = self.commander_range <= self.ruleset.commander_range
        return self.commander_courage if self.commander_courage is not None and near else 0
