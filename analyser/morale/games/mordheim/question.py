"""Questions about rout tests and psychology in Mordheim, and ruleset values that the rulebook does not print."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from analyser.common.errors import did_you_mean
from analyser.common.validation import Record, Several, optional
from analyser.game.names import Name
from analyser.morale.questions import ByRound, Distance, MoraleQuestion, Pmf, Probability, Rounds, for_each_round

MOST_WARRIORS = 30
MOST_WARBANDS = 4
MOST_ATTACKS = 10
LEADERSHIPS = range(2, 13)

FighterName = Annotated[Name, Field(pattern="^[^@]*$")]  # in a metric, @ separates a name from the keys of its row
Leadership = Annotated[int, Field(ge=LEADERSHIPS[0], le=LEADERSHIPS[-1])]
Number = Annotated[int, Field(ge=1, le=MOST_WARRIORS)]
Roll = Annotated[int, Field(ge=2, le=7)]


class Ruleset(Record):
    """Values of the ruleset; ``profiles/morale/mordheim.toml`` has the shipped values, with comments."""

    turns: Rounds
    to_wound: Roll
    save: Roll
    to_hit: Roll
    out_of_action: Roll
    hatred_while_frenzied: bool


class Group(Record):
    """Warriors with the same Leadership."""

    leadership: Leadership
    number: Number = 1


class Fight(Record):
    """Attacks of enemies on a warband before the rout test of a turn."""

    of: str | None = optional(None, "Name of the rival warband that strikes, with at most the warriors it has left.")
    number: Number = optional(1, "Enemies that strike.")
    attacks: Annotated[int, Field(ge=1, le=MOST_ATTACKS)] = optional(1, "Attacks of each enemy, without second weapon.")
    second_weapon: bool = optional(False, "One more attack, which frenzy does not double.")
    frenzy: bool = optional(False, "Frenzied (MD-7).")
    hatred: bool = optional(False, "The enemies hate: misses are rolled again in the first turn of the fight (MD-8).")
    to_hit: Roll | None = optional(None, "Lowest roll that hits. Default: the ruleset's.")
    to_wound: Roll | None = optional(None, "Lowest roll with which a hit wounds. Default: the ruleset's.")
    save: Roll | None = optional(None, "Lowest roll with which armour saves; 7: never. Default: the ruleset's.")
    out_of_action: Roll | None = optional(
        None, "Lowest roll that takes a wounded warrior out of action. Default: the ruleset's."
    )
    turns: Several[Rounds] = optional((), "Turns in which the enemies strike, such as [2, 3]. Default: all.")


class Warband(Record):
    """A warband that loses warriors turn by turn."""

    name: FighterName = optional(
        "warband", "Name of the warband. Default: warband; for rivals: rival, then rival 2, and so on."
    )
    leader: Leadership = Field(description="Leadership of the leader.")
    others: Several[Group] = optional((), "The other warriors, such as [{leadership = 7, number = 5}].")
    out: Annotated[int, Field(ge=0, le=MOST_WARRIORS)] = optional(0, "Warriors out of action at the start.")
    casualties: ByRound = optional(
        ((1.0,),),
        "Warriors taken out of action before the test of a turn: a number, a distribution, or a list by turn.",
    )
    casualties_from: Several[Fight] = optional(
        (),
        "Fights that take out more warriors, such as [{of = 'skaven', number = 4, to_hit = 4, save = 6}].",
        max_length=6,
    )
    leader_falls: Literal["random", "first", "last", "never"] = optional(
        "random", "When the leader goes out of action: random, first, last or never."
    )
    others_fall: Literal["weakest_first", "strongest_first"] = optional(
        "weakest_first", "Order in which the others fall: weakest_first or strongest_first (Leadership)."
    )
    leader_stunned: Probability = optional(0.0, "Probability that the leader is stunned when the test is made.")
    gives_up_at: Number | None = optional(
        None, "The warband gives up when this many are out of action, if the rules allow it (MD-2)."
    )

    @property
    def took_part(self) -> int:
        """Number of warriors that took part, including the leader."""
        return 1 + sum(group.number for group in self.others)

    @model_validator(mode="after")
    def _fits_together(self) -> Warband:
        if self.took_part > MOST_WARRIORS:
            raise ValueError(f"{self.took_part} warriors (allowed: 1 to {MOST_WARRIORS}, the leader among them)")
        if self.out > self.took_part:
            raise ValueError(f"out: {self.out} out of action of {self.took_part} (allowed: 0 to {self.took_part})")
        if self.gives_up_at is not None and self.gives_up_at > self.took_part:
            raise ValueError(f"gives_up_at: {self.gives_up_at} of {self.took_part} (allowed: 1 to {self.took_part})")
        return self


class Alone(Record):
    """A warrior that fights alone against several enemies; it may break and flee."""

    leadership: Leadership = Field(description="Leadership of the warrior.")
    opponents: Annotated[int, Field(ge=0, le=10)] = optional(2, "Opponents that it fights.")
    friends_near: Annotated[int, Field(ge=0, le=MOST_WARRIORS)] = optional(
        0, 'Friends within 6" that are not knocked down, stunned or fleeing.'
    )
    wounds: Annotated[int, Field(ge=1, le=10)] = optional(1, "Remaining wounds.")
    to_wound: Roll | None = optional(None, "Lowest roll with which a hit wounds it. Default: the ruleset's.")
    save: Roll | None = optional(None, "Lowest roll with which its armour saves; 7: never. Default: the ruleset's.")
    edge: Distance | None = optional(
        None, "Distance in inches from the end of its first run to the nearest table edge. Default: far, never reached."
    )
    charged: Probability = optional(0.0, "Probability in each turn that it is charged while it flees (MD-6).")
    rally_leader: Leadership | None = optional(None, 'Leadership of a leader within 6" in its rally phases.')


class Fighter(Record):
    """A side of a combat."""

    leadership: Leadership = optional(7, "Leadership, for fear.")
    leader: Leadership | None = optional(None, 'Leadership of a leader within 6", for fear (MD-4).')
    attacks: Annotated[int, Field(ge=1, le=MOST_ATTACKS)] = optional(1, "Attacks, without second weapon.")
    second_weapon: bool = optional(False, "A weapon in each hand: one more attack, which frenzy does not double.")
    to_hit: Annotated[int, Field(ge=2, le=6)] | None = optional(None, "Lowest roll that hits. Default: the ruleset's.")
    frenzy: bool = optional(False, "Frenzied (MD-7).")
    hatred: bool = optional(False, "Hates its opponent (MD-8).")
    causes_fear: bool = optional(False, "Causes fear (MD-9).")
    immune_to_psychology: bool = optional(False, "Takes no test of fear.")
    knocked_down: Probability = optional(
        0.0, "Probability in each round of being knocked down or stunned, which ends frenzy."
    )


class Combat(Record):
    """A combat of two fighters, round by round."""

    fighter: Fighter = Fighter()
    enemy: Fighter = Fighter()
    charger: Literal["fighter", "enemy", "nobody"] = optional("fighter", "Side that charges in the first round.")
    rounds: Annotated[int, Field(ge=1, le=20)] = optional(1, "Rounds of combat.")


class Stupidity(Record):
    """A stupid warrior."""

    leadership: Leadership = Field(description="Leadership of the warrior.")
    leader: Leadership | None = optional(None, 'Leadership of a leader within 6".')
    in_combat: bool = optional(
        False, "The warrior is in hand-to-hand combat, so if it fails the test, it does not strike."
    )


class Warrior(Record):
    """A warrior among several that test in the same turn."""

    name: FighterName = "warrior"
    leadership: Leadership
    near_leader: bool = False


class Together(Record):
    """Several tests in one turn, which are dependent because all depend on the state of the leader."""

    leader: Leadership = Field(description="Leadership of the leader.")
    p_out: Probability = optional(0.0, "Probability that the leader is out of action.")
    p_stunned: Probability = optional(0.0, "Probability that it is stunned.")
    p_knocked_down: Probability = optional(0.0, "Probability that it is knocked down.")
    p_fleeing: Probability = optional(0.0, "Probability that it flees.")
    rout_test: bool = optional(False, "A rout test comes first; if it fails, no warrior tests.")
    best_other: Leadership | None = optional(None, "Best Leadership of the others, for the rout test.")
    warriors: Several[Warrior] = optional(
        (), "Warriors that test, such as [{name = 'ogre', leadership = 6, near_leader = true}].", max_length=10
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Together:
        lost = self.p_out + self.p_stunned + self.p_knocked_down + self.p_fleeing
        if lost > 1 + 1e-9:
            raise ValueError(f"the probabilities of the leader's states add up to {lost:g} (allowed: 0 to 1)")
        if self.rout_test and self.best_other is None and self.p_out + self.p_stunned > 0:
            raise ValueError("best_other is missing, for a leader that is out or stunned (allowed: 2 to 12)")
        if not (self.warriors or self.rout_test):
            raise ValueError("no warrior tests (allowed: warriors, or rout_test = true)")
        return self


class Question(MoraleQuestion):
    """One or several questions, each a section."""

    warband: Warband | None = None
    rivals: Several[Warband] = optional(
        (), "Further warbands, with the keys of the first one (MD-3).", max_length=MOST_WARBANDS - 1
    )
    winner: Literal["last_on_table", "first_to_leave"] | None = optional(
        None, "Which of several warbands wins (MD-3). Default: last_on_table."
    )
    alone: Alone | None = None
    combat: Combat | None = None
    stupidity: Stupidity | None = None
    together: Together | None = None
    turns: Rounds | None = optional(None, "Turns to play. Default: those of a whole game.")
    ruleset: Ruleset

    @property
    def turns_played(self) -> int:
        """Number of turns, by default the ruleset's."""
        return self.turns or self.ruleset.turns

    @property
    def warbands(self) -> tuple[Warband, ...]:
        """All warbands, in the order of play."""
        return (self.warband, *self.rivals) if self.warband is not None else ()

    @field_validator("rivals", mode="after")
    @classmethod
    def _with_names(cls, rivals: tuple[Warband, ...], info: ValidationInfo) -> tuple[Warband, ...]:
        first = info.data.get("warband")
        taken = {column_of(rival.name) for rival in rivals if "name" in rival.model_fields_set}
        taken |= {column_of(first.name)} if first is not None else set()
        free = (name for name in RIVAL_NAMES if column_of(name) not in taken)
        return tuple(
            rival if "name" in rival.model_fields_set else rival.model_copy(update={"name": next(free)})
            for rival in rivals
        )

    @model_validator(mode="after")
    def _fits_together(self) -> Question:
        if not any((self.warband, self.alone, self.combat, self.stupidity, self.together)):
            raise ValueError("no section (allowed: warband, alone, combat, stupidity, together)")
        if self.warband is None and self.rivals:
            raise ValueError("rivals need a warband (allowed: together with warband)")
        if self.winner is not None and not self.rivals:
            raise ValueError("winner needs rivals (allowed: together with rivals)")
        columns = [column_of(warband.name) for warband in self.warbands]
        if len({*columns, *RESERVED}) < len(columns) + len(RESERVED):
            names = ", ".join(warband.name for warband in self.warbands)
            allowed = f"a different name for each; not {' or '.join(RESERVED)}"
            raise ValueError(f"names of warbands: {names} (allowed: {allowed})")
        for warband in self.warbands:
            _check_losses(warband, self.casualties_of(warband))
            _check_fights(warband, [other.name for other in self.warbands if other is not warband], self.turns_played)
        return self

    def casualties_of(self, warband: Warband) -> tuple[Pmf, ...]:
        """Return the distributions of a warband's casualties before the rout test of each turn."""
        return for_each_round(warband.casualties, self.turns_played, "casualties")


RIVAL_NAMES = ("rival", *(f"rival {number}" for number in range(2, 2 * MOST_WARBANDS)))
RESERVED = ("several_left", "nobody_yet")  # endings of other column names, so no warband may have these names


def column_of(name: str) -> str:
    """Return a warband's name as the ending of column names."""
    return name.replace(" ", "_")


def _check_fights(warband: Warband, others: list[str], turns: int) -> None:
    """Raise ValueError for fights against an unknown warband, or in turns that are not played."""
    for index, fight in enumerate(warband.casualties_from):
        where = f"{warband.name}: casualties_from.{index}"
        if fight.of is not None and fight.of not in others:
            allowed = f"allowed: {', '.join(others) or 'left out without rivals'}"
            raise ValueError(f"{where}.of: unknown warband {fight.of!r}{did_you_mean(fight.of, others)} ({allowed})")
        if any(turn > turns for turn in fight.turns):
            raise ValueError(f"{where}.turns: turn {max(fight.turns)} (allowed: 1 to {turns})")


def _check_losses(warband: Warband, pmfs: tuple[Pmf, ...]) -> None:
    """Raise ValueError if even the fewest losses exceed the number of warriors."""
    # A single entry holds for all turns until no warrior is left, so only its first turn is checked.
    stated = pmfs if len(warband.casualties) > 1 else pmfs[:1]
    least = warband.out + sum(next(number for number, share in enumerate(pmf) if share) for pmf in stated)
    if least > warband.took_part:
        raise ValueError(f"casualties: {least} of {warband.took_part} warriors (allowed: 0 to {warband.took_part})")
