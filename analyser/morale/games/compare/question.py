"""Question about a unit in five systems: its losses by round, and the equivalents of its nerve in each system.

All DISCIPLINEs are matched with values of a system: as few as possible share one, then the probabilities are nearest. A
nerve between two DISCIPLINEs gets the nearest value in the range between theirs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from analyser.common.validation import Record, Several, optional
from analyser.game.ruleset import Ruleset as ArmouredClashRuleset
from analyser.morale.games.grande_tactique.question import Pips
from analyser.morale.games.legion.question import CourageOrNone, Suppression
from analyser.morale.games.mordheim.question import LEADERSHIPS
from analyser.morale.questions import ByRound, Distance, Length, MoraleQuestion, Probability, Rounds, for_each_round

Section = dict[str, Any]
Models = Annotated[int, Field(ge=1, le=100)]
Sides = Annotated[int, Field(ge=1, le=1000)]
FATES_OF_SYSTEMS = ("steady", "shaken", "routed", "gone")
STEADY, SHAKEN, ROUTED, GONE = range(len(FATES_OF_SYSTEMS))
LARGEST_DENOMINATOR = 10**6  # of a nerve as a fraction
PassProbabilities = dict[int, Fraction]  # probability of passing a test with each value of a system, in rising order


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
    """Equivalents of the nerve in Legion."""

    courage: CourageOrNone | None = optional(None, "COURAGE, or none (LG-1).")
    move_distance: Length = optional(6.0, "Inches of a move at full speed.")


class GrandeTactique(Record):
    """Equivalents of the nerve in Grande Tactique, for infantry."""

    check_sides: Sides | None = optional(None, "Sides of the die of its morale check. Default: the ruleset's, 12.")
    check_target: Annotated[int, Field(ge=-100, le=1000)] | None = optional(
        None, "Target of its morale check. Default: derived from `nerve`."
    )
    worn_down: Models = optional(1, "Models lost to an attack that wear the unit down.")


class Warmaster(Record):
    """Equivalent of the nerve in Warmaster."""

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
            raise ValueError("both losses and a duel, or neither (allowed: losses, or the units a and b of a duel)")
        if self.duel is not None and self.attacks != 1:
            raise ValueError("attacks: the duel determines the attacks (allowed: left out)")
        if self.duel is None and self.side != "a":
            raise ValueError("side: needs [duel] (allowed: left out)")
        self.loss_pmfs  # noqa: B018 - raises ValueError for a list of another length
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


def disciplines(question: Question) -> PassProbabilities:
    """Return the DISCIPLINEs: the values of the cards in the deck, and also 0 (AC-5.1)."""
    deck = question.ruleset.armoured_clash.deck.counts().tolist()
    passed = {value: Fraction(sum(deck[: value + 1]), sum(deck)) for value, copies in enumerate(deck) if copies}
    return passed if 0 in passed else {0: Fraction(0)} | passed


def check_targets(sides: int) -> PassProbabilities:
    """Return the targets on a die, from a target that is never reached to one that always is (GT-2)."""
    return {sides + 1 - passes: Fraction(passes, sides) for passes in range(sides + 1)}


def leaderships() -> PassProbabilities:
    """Return Leadership 2 to 12, tested on 2d6 (MD-1)."""
    rolls = [6 - abs(7 - total) for total in LEADERSHIPS]
    return {value: Fraction(sum(rolls[: index + 1]), 36) for index, value in enumerate(LEADERSHIPS)}


def _uncertain_values(scale: PassProbabilities) -> PassProbabilities:
    """Return the values with probabilities other than 0 and 1."""
    return {value: probability for value, probability in scale.items() if 0 < probability < 1}


def courage_for(nerve: float | Fraction, question: Question) -> int:
    """Return the COURAGE equivalent to a nerve: 1, and 1 more for each of `courage_steps` that the nerve reaches."""
    return 1 + sum(nerve >= step for step in question.ruleset.courage_steps)


def equivalent_value(nerve: float | Fraction, scale: PassProbabilities, question: Question) -> int:
    """Return the value of a system that is equivalent to a nerve, given the deck of the question.

    A value with probability 0 or 1 is used only for a nerve of 0 or 1, or if there is no other value.

    >>> from analyser import morale
    >>> question = morale.load_question("compare", {"models": 6, "losses": 1})
    >>> [equivalent_value(passing / 12, check_targets(12), question) for passing in (0, 7, 8, 9, 12)]
    [13, 6, 5, 4, 1]
    """
    uncertain, values = _uncertain_values(scale), [*scale]
    if nerve <= 0 or nerve >= 1 or not uncertain:
        return values[0 if nerve < 1 / 2 else -1]
    probabilities, nerves = tuple(uncertain.values()), tuple(_uncertain_values(disciplines(question)).values())
    indices = _matching_indices(nerves, probabilities) if nerves else ()
    wanted = Fraction(nerve).limit_denominator(LARGEST_DENOMINATOR)
    lower, upper = bisect_right(nerves, wanted), bisect_left(nerves, wanted)  # at a DISCIPLINE: upper == lower - 1
    first = indices[lower - 1] if lower else 0
    last = indices[upper] if upper < len(nerves) else len(uncertain) - 1
    nearest = min(range(first, last + 1), key=lambda index: (abs(probabilities[index] - wanted), -index))
    return [*uncertain][nearest]


@lru_cache(maxsize=64)
def _matching_indices(nerves: tuple[Fraction, ...], probabilities: tuple[Fraction, ...]) -> tuple[int, ...]:
    """Return the index of a probability for each nerve, rising: as few shared, then as near as possible."""
    best: list[tuple[int, Fraction, tuple[int, ...]]] = [
        (0, (nerves[0] - probability) ** 2, (index,)) for index, probability in enumerate(probabilities)
    ]
    for nerve in nerves[1:]:
        lower = [*accumulate(best, min)]
        following = []
        for index, probability in enumerate(probabilities):
            shared, squares, indices = best[index]
            shared, squares, indices = min([*lower[max(index - 1, 0) : index], (shared + 1, squares, indices)])
            following.append((shared, squares + (nerve - probability) ** 2, (*indices, index)))
        best = following
    return min(best)[2]
