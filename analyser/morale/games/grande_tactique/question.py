"""Questions about fleeing in Grande Tactique by section, and ruleset values that the rulebook does not print."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from analyser.common.validation import Record, Several, optional
from analyser.morale.questions import Distance, MoraleQuestion, Probability, ProbabilityOrBool, Rounds

MOST_FRIENDS = 7
MOST_ROUTED = 8
MOST_DIVISION = 14
MOST_GAME = 8

Arm = Literal["infantry", "cavalry", "artillery"]
MobileArm = Literal["infantry", "cavalry"]
Quality = Literal["regular", "veteran", "old guard"]
Modifier = Annotated[int, Field(ge=-100, le=100)]
Count = Annotated[int, Field(ge=0, le=100)]
PipsElsewhere = Annotated[Count, Field(description="PIPs spent on other things in each turn, before rallying.")]
CorpsUnits = Annotated[
    Annotated[int, Field(ge=1, le=1000)] | None,
    Field(description="Original number of units of the corps. Default: that of this division."),
]
Turns = Annotated[Rounds | None, Field(description="Turns to play. Default: the ruleset's.")]


def required_list(most: int, description: str) -> Any:
    """Return a required key with a list of 1 to `most` entries, and its description in the help of commands."""
    return Field(min_length=1, max_length=most, description=description)


class Pips(Record):
    """Ruleset keys about the dice for PIPs, also used by the comparison of systems."""

    pip_dice: Annotated[int, Field(ge=0, le=10)]
    pip_sides: Annotated[int, Field(ge=1, le=100)]

    @property
    def most_pips(self) -> int:
        """Highest total of the dice."""
        return self.pip_dice * self.pip_sides


class Ruleset(Pips):
    """Values of the ruleset; ``profiles/morale/grande-tactique.toml`` has the shipped values, with comments."""

    check_sides: Annotated[int, Field(ge=1, le=1000)]
    check_target: Annotated[int, Field(ge=-100, le=1000)]
    fire_shakes: bool
    turns: Rounds


class WithArm(Record):
    """Base of units with an arm: only infantry can be Old Guard (GT-9) or have shelter (GT-5)."""

    arm: Arm = optional("infantry", "Arm of the unit: infantry, cavalry or artillery.")

    @model_validator(mode="after")
    def _fits_its_arm(self) -> Self:
        old_guard = getattr(self, "old_guard", False) or getattr(self, "quality", "") == "old guard"
        shelter = getattr(self, "in_shelter", False) or getattr(self, "shelter_distance", None) is not None
        if self.arm != "infantry" and old_guard:
            raise ValueError(f"old guard {self.arm} (allowed: infantry; guard cavalry and artillery are not Old Guard)")
        if self.arm != "infantry" and shelter:
            raise ValueError(f"shelter for {self.arm} (allowed: only for infantry)")
        return self


class Check(WithArm):
    """Morale check of a unit that may flee (GT-2)."""

    cause: Literal["charged", "worn down", "lost firing"] = optional(
        "worn down", "charged (successfully), worn down (by fire) or lost firing (its own attack)."
    )
    worn_down_by: Literal["infantry", "artillery"] = optional(
        "artillery", "Arm whose fire wears the unit down; fire of artillery silences artillery (GT-1)."
    )
    state: Literal["eager", "shaken"] = optional("shaken", "State of the unit before the check: eager or shaken.")
    quality: Quality = optional("regular", "Quality: regular, veteran (+1), or old guard (+2, infantry only; GT-9).")
    modifier: Modifier = optional(0, "Other modifiers of the morale check.")


class Flight(Record):
    """A flight, the pursuit, and whether the unit leaves the map (GT-3 to GT-5)."""

    arm: MobileArm = Field(description="Arm of the fleeing unit: infantry or cavalry.")
    enemy: Arm = Field(description="Arm that it flees from: infantry, cavalry or artillery.")
    edge_distance: Distance | None = optional(None, "Inches to the map edge in the direction of flight. Default: far.")
    shelter_distance: Distance | None = optional(None, "Inches to woods or a built-up area (infantry). Default: none.")
    surrounded: Probability = optional(0.0, "Probability that there is no gap through the enemy.")


class Friend(WithArm):
    """A friend in the path of a flight."""

    distance: Distance
    shaken: ProbabilityOrBool = 0.0
    old_guard: bool = False


class Column(WithArm):
    """A flight straight through friends: a chain reaction (GT-5, GT-9)."""

    arm: MobileArm = Field(description="Arm of the unit that flees first.")
    enemy: Arm = Field(description="Arm of the enemy that all units flee from.")
    friends: Several[Friend] = required_list(
        MOST_FRIENDS, "Friends behind it, such as [{distance = 3, shaken = 0.5}, {distance = 8, arm = 'cavalry'}]."
    )
    old_guard: bool = optional(False, "The unit that flees first is Old Guard.")
    edge_distance: Distance | None = optional(None, "Inches from that unit to the map edge. Default: far.")

    @model_validator(mode="after")
    def _is_on_the_map(self) -> Self:
        farthest, edge = max(friend.distance for friend in self.friends), self.edge_distance
        if edge is not None and farthest > edge:
            raise ValueError(f"a friend {farthest:g} inches behind is off the map (allowed: up to {edge:g})")
        return self


class RoutedUnit(WithArm):
    """A routed unit after its first flight."""

    arm: MobileArm = "infantry"
    edge_distance: Distance | None = None
    shelter_distance: Distance | None = None
    in_shelter: bool = False


class Rout(Record):
    """Routed units of a corps, turn by turn: they rally, flee again, are charged or destroyed (GT-6 to GT-8)."""

    units: Several[RoutedUnit] = required_list(
        MOST_ROUTED, "The routed units in the order in which they are rallied, such as [{arm = 'cavalry'}]."
    )
    pips_elsewhere: PipsElsewhere = 0
    charged_by_cavalry: Probability = optional(
        0.0, "Probability in each turn that cavalry charges a routed unit (GT-7)."
    )
    charged_by_infantry: Probability = optional(
        0.0, "Probability in each turn that infantry charges a routed unit (GT-7)."
    )
    standing: Count | None = optional(None, "Units of the division that still stand; at 1 or 0 it collapses (GT-8).")
    turns: Turns = None

    @model_validator(mode="after")
    def _one_charge_at_most(self) -> Rout:
        if self.charged_by_cavalry + self.charged_by_infantry > 1:
            raise ValueError("charged_by_cavalry and charged_by_infantry add up to more than 1 (allowed: up to 1)")
        return self


def _within_the_corps(division: Any) -> Any:
    if division.corps_units is not None and division.corps_units < len(division.units):
        raise ValueError(f"corps_units {division.corps_units} (allowed: the division's {len(division.units)} or more)")
    return division


class Member(Record):
    """A unit of a division."""

    rout: Probability
    lost: Probability = 0.0
    state: Literal["standing", "routed", "destroyed"] = "standing"


class Division(Record):
    """A division whose units rout with stated probabilities, and its collapse (GT-6, GT-8)."""

    units: Several[Member] = required_list(
        MOST_DIVISION, "Units in the order in which they are rallied, such as [{rout = 0.2}, {rout = 0.1, lost = 0.3}]."
    )
    rally: bool = optional(True, "PIPs are spent on rallying, in the order of the units.")
    pips_elsewhere: PipsElsewhere = 0
    corps_units: CorpsUnits = None
    turns: Turns = None

    _corps = model_validator(mode="after")(_within_the_corps)


class GameUnit(WithArm):
    """A unit of a division in a game of several turns; probabilities are per turn."""

    quality: Quality = "regular"
    modifier: Modifier = 0
    state: Literal["eager", "shaken", "routed", "silenced", "destroyed"] = "eager"
    edge_distance: Distance | None = None
    shelter_distance: Distance | None = None
    in_shelter: bool = False
    column: Annotated[int, Field(ge=1, le=MOST_GAME)] | None = None
    worn_down_by_artillery: Probability = 0.0
    worn_down_by_infantry: Probability = 0.0
    loses_firing: Probability = 0.0
    charged_by_cavalry: Probability = 0.0
    charged_by_infantry: Probability = 0.0
    rout_charged_by_cavalry: Probability | None = None
    rout_charged_by_infantry: Probability | None = None
    withdraws: Rounds | None = None

    @property
    def fire(self) -> tuple[float, float, float]:
        """Probabilities to be worn down by artillery and by infantry, and to lose a firing attack."""
        return self.worn_down_by_artillery, self.worn_down_by_infantry, self.loses_firing

    @property
    def charges(self) -> tuple[float, float]:
        """Probabilities of a successful charge while the unit stands: by cavalry, by infantry."""
        return self.charged_by_cavalry, self.charged_by_infantry

    @property
    def charges_in_rout(self) -> tuple[float, float]:
        """Probabilities of a charge while the unit is routed, by default those while it stands."""
        in_rout = self.rout_charged_by_cavalry, self.rout_charged_by_infantry
        cavalry, infantry = (usual if own is None else own for usual, own in zip(self.charges, in_rout))
        return cavalry, infantry

    @model_validator(mode="after")
    def _can_be(self) -> GameUnit:
        never = "routed" if self.arm == "artillery" else "silenced"
        if self.state == never:
            raise ValueError(f"{self.arm} {never} (allowed: artillery is silenced, other arms are routed)")
        if self.column is not None and self.edge_distance is None:
            raise ValueError("a unit in a column without edge_distance (allowed: with edge_distance, its position)")
        for name, charges in (("charged", self.charges), ("rout_charged", self.charges_in_rout)):
            if sum(charges) > 1:
                raise ValueError(f"{name}_by_cavalry and {name}_by_infantry add up to more than 1 (allowed: up to 1)")
        return self


class Game(Record):
    """A division under attack, turn by turn, with all rules from morale checks to collapse (GT-1 to GT-11)."""

    units: Several[GameUnit] = required_list(
        MOST_GAME, "The division in the order of rallying, such as [{edge_distance = 20, charged_by_cavalry = 0.2}]."
    )
    surrounded: Probability = optional(0.0, "Probability at each flight that there is no gap through the enemy (GT-5).")
    rallied: Literal["eager", "shaken"] = optional("shaken", "State of a unit that has rallied.")
    pips_elsewhere: PipsElsewhere = 0
    corps_units: CorpsUnits = None
    turns: Turns = None

    _corps = model_validator(mode="after")(_within_the_corps)


class Question(MoraleQuestion):
    """One or several sections."""

    check: Check | None = None
    flight: Flight | None = None
    column: Column | None = None
    rout: Rout | None = None
    division: Division | None = None
    game: Game | None = None
    ruleset: Ruleset

    @model_validator(mode="after")
    def _asks_something(self) -> Question:
        if not any((self.check, self.flight, self.column, self.rout, self.division, self.game)):
            sections = ", ".join(name for name in type(self).model_fields if name != "ruleset")
            raise ValueError(f"no section (allowed: one or more of {sections})")
        return self
