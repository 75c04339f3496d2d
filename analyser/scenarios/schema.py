"""The sections and keys of scenario files, which are a contract (`docs/scenario.md`, `docs/fights.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, PlainValidator, field_validator
from pydantic_core import PydanticCustomError

from analyser.common.validation import Record, as_tuple
from analyser.engine.fight.program import MOST_STRIKES
from analyser.game.keywords import Bearer, Quality, Rule
from analyser.game.ruleset import RatingName, Ruleset
from analyser.game.units import (
    MOST_DICE,
    MOST_MODELS,
    Category,
    Inches,
    Loadout,
    Models,
    Row,
    UnitType,
    each_row_once,
)
from analyser.rules.policies import POLICIES

BonusName = Literal["aiming", "short_range", "ammo_supply"]
PenaltyName = Literal["concealed", "suppressed", "opportunity_fire", "reforming", "outside_front_arc"]
BONUSES: Mapping[BonusName, str] = {
    "aiming": "The attacker has aimed.",
    "short_range": "The target is at short range; follows from the distance, where that is given.",
    "ammo_supply": "A friend with Ammo Supply is near.",
}
PENALTIES: Mapping[PenaltyName, str] = {
    "concealed": "No clear line to half of the target.",
    "suppressed": "The attacker is suppressed.",
    "opportunity_fire": "The attack is opportunity fire.",
    "reforming": "The attacker has just left a transport or a building.",
    "outside_front_arc": "A Turret fires to its side or rear.",
}


def _selector(value: object) -> object:
    if isinstance(value, str | Loadout):
        return value
    raise PydanticCustomError("string_type", "Input should be a valid string")


Selector = Annotated[str, PlainValidator(_selector)]
"""Of a loadout in the library; or, until the scenario is resolved, a loadout itself."""
Dice = Annotated[int, Field(ge=1, le=MOST_DICE)]
Count = Annotated[int, Field(ge=0, le=MOST_MODELS)]
Limit = Annotated[int, Field(ge=1, le=MOST_MODELS)]


class ExtraReroll(Record):
    """Further faces that may be re-rolled, and by how many dice at most (AC-3.5)."""

    faces: tuple[Literal["strike", "glancing", "miss", "blank"], ...]
    dice: Annotated[int, Field(ge=0, le=MOST_DICE)]

    _tuples = field_validator("faces", mode="before")(as_tuple)


class Attack(Record, Bearer):
    """The ``[attack]`` of a scenario (AC-3, AC-4). `docs/scenario.md` says each key."""

    bears: ClassVar[str] = "qualities"

    kind: Literal["ranged"] = "ranged"
    attacker: Selector | None = None
    row: str | None = Field(None, description="Row of the armaments grid. Default: the best that fits.")
    distance: Inches | None = Field(None, description="Inches to the target: decides short range and out of range.")
    dice: Dice | None = Field(None, description="Attack dice, instead of the row's.")
    dice_in_parentheses: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = None
    rating: RatingName | None = Field(None, description="Combat rating, whatever the bonuses and penalties are.")
    bonuses: tuple[BonusName, ...] = ()
    penalties: tuple[PenaltyName, ...] = ()
    concealed: bool = False
    line_of_sight: Literal["own", "none", "spotter"] = Field(
        "own", description="Who sees the target of an Indirect row."
    )
    qualities: tuple[Quality, ...] | None = None
    veteran: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = Field(
        None, description="X of Veteran (X), instead of the profile's."
    )
    extra_reroll: ExtraReroll | None = Field(
        None, description="Further re-rolls: miss,blank:2 re-rolls 2 dice at most."
    )
    opportunity_fire: bool = Field(
        False, description="The attack is opportunity fire: a penalty, and no suppression test."
    )
    overcharge: bool = Field(False, description="Overcharge is used.")
    carriages: Annotated[int, Field(ge=0, le=20)] = Field(0, description="Carriages in the train (Full Steam Ahead).")
    attacker_models: Models | None = Field(None, description="Models that the attacker has left.")
    attacker_damage: Count = Field(0, description="Damage on the attacker.")
    attacker_damage_limit: Limit | None = None
    attacker_garrisoned: bool = Field(False, description="The attacker is in a building.")
    attacker_reloading: bool = Field(False, description="The attacker is reloading (Slow to Fire).")
    attacker_advanced: bool = Field(False, description="The attacker has advanced (Move or Fire).")

    _tuples = field_validator("bonuses", "penalties", "qualities", mode="before")(as_tuple)


class Target(Record, Bearer):
    """The ``[target]`` of a scenario: its profile and its state. `docs/scenario.md` says each key."""

    unit: Selector | None = None
    type: UnitType | None = None
    category: Category | None = None
    models: Models | None = Field(None, description="Models that the target has left.")
    defence: Annotated[int, Field(ge=1, le=100)] | None = None
    damage_limit: Limit | None = None
    discipline: Annotated[int, Field(ge=0, le=100)] | None = None
    break_limit: Count | None = None
    victory_points: Annotated[int, Field(ge=0, le=1000)] | None = None
    damage: Count = Field(0, description="Damage on the target.")
    suppressed: bool = Field(False, description="The target is suppressed.")
    disordered: bool = Field(False, description="The target is disordered.")
    activated: bool = Field(False, description="The target has been activated (Cryo).")
    exposed: Annotated[int, Field(ge=1, le=MOST_MODELS)] | None = Field(
        None, description="Models that are exposed; the attack prioritises them."
    )
    edge_distance: Inches | None = Field(None, description="Inches from the target to its own table edge.")
    formation: Literal["close", "open"] | None = Field(
        None, description="The target's formation, instead of its type's."
    )
    officer: Literal["last", "first", "random"] = Field(
        "last", description="When the officer falls, in open formation."
    )
    near_commander: bool = Field(False, description='A commander is within 6" of the target.')
    taking_cover: bool = Field(False, description="The target is taking cover.")
    garrisoned: bool = Field(False, description="The target is in a building.")
    from_front: bool = Field(False, description="The attack comes from the target's front (Resilient).")
    obstacle: bool = Field(False, description="An obstacle in contact with the target is in the way.")
    behemoth: bool | None = None
    aircraft: bool | None = None
    models_without_room: Count = Field(0, description="Models lost if the target falls back.")
    fail_on_purpose: bool = Field(False, description="The target's general fails the test on purpose.")
    peer_review: bool = Field(False, description="A friend with Peer Review is near the target.")
    chain_of_command: bool = Field(False, description="Another unit with Chain of Command is near the target.")
    rules: tuple[Rule, ...] | None = None

    _tuples = field_validator("rules", mode="before")(as_tuple)


class Charge(Record):
    """The circumstances of a unit's charge (AC-8.2, AC-8.4). `docs/fights.md` says each key."""

    outflanking: bool = Field(
        False, description="Bonus: infantry, cavalry or a field gun charged from outside its front arc."
    )
    supported: bool = Field(False, description='Bonus: another friend is within 2" of the target.')
    threatened: bool = Field(False, description='Penalty: another enemy is within 2" of the attacker.')
    difficult_terrain: bool = Field(
        False, description="The charge goes through difficult terrain: defensive advantage."
    )
    overrun: bool = Field(True, description="A unit with Overrun makes use of it.")


class Passengers(Target):
    """A unit embarked on a transport (AC-5.10, AC-8.8)."""


class Combatant(Target):
    """A unit that fights, and can be fought. `docs/fights.md` says each key."""

    rows: tuple[Row, ...] | None = None
    row: str | None = None
    close_quarters_row: str | None = None
    speed: Inches | None = None
    veteran: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = None
    extra_reroll: ExtraReroll | None = None
    overcharge: bool = False
    ammo_supply: bool = False
    carriages: Annotated[int, Field(ge=0, le=20)] = 0
    concealed: bool = False
    on_lookout: bool = False
    reloading: bool = False
    withdraws_without_room: Count = 0
    charge: Charge = Charge()
    capacity: Annotated[int, Field(ge=1, le=MOST_MODELS)] | None = None
    passengers: Passengers | None = None

    _more_tuples = field_validator("rows", mode="before")(as_tuple)
    _each_row_once = field_validator("rows")(each_row_once)


MOST_ROUNDS = 10
MOST_INCHES = 60  # a table's depth; also how far back "far from the edge" is where distances count


if TYPE_CHECKING:
    PolicyName = str
else:
    PolicyName = Literal[tuple(POLICIES)]


class DuelTerms(Record):
    """The ``[duel]`` of a scenario (AC-9.2). `docs/fights.md` says each key."""

    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = Field(6, description="1 to 10.")
    first: Literal["a", "b", "random"] = Field(
        "random", description="Who is activated first; random: a toss each round."
    )
    policy_a: PolicyName = Field("shoot", description="What A does; see below.")
    policy_b: PolicyName = Field("shoot", description="What B does; see below.")
    distance: Annotated[Inches, Field(le=MOST_INCHES)] | None = Field(
        None, description="Inches between the two. Default: nothing is out of reach."
    )


MOST_SECONDARY = 10  # each can strike at two places of a program


class Secondary(Combatant):
    """Another unit of the charged side that the charge brings into contact (AC-8.7)."""

    threatened: bool = False


Kind = Literal["attack", "charge", "focus", "duel"]


class QuestionFile(Record):
    """A whole scenario file; each kind of question has its own sections."""

    kind: ClassVar[Kind]
    in_words: ClassVar[str]  # what messages call it
    own_sections: ClassVar[tuple[str, ...]]  # that no other kind has
    may_hold: ClassVar[str]  # its sections, as messages list them

    ruleset: Ruleset


class ScenarioFile(QuestionFile):
    """A scenario file of one attack. `docs/scenario.md` says each key."""

    kind = "attack"
    in_words = "an attack"
    own_sections = ("attack",)
    may_hold = "[attack] and [target]"

    attack: Attack
    target: Target


class ChargeFile(QuestionFile):
    """A scenario file of one charge (AC-8). `docs/fights.md` says each key."""

    kind = "charge"
    in_words = "a charge"
    own_sections = ("charge", "attacker", "secondary")
    may_hold = "[charge], [attacker] and [target]"

    charge: Charge = Charge()
    attacker: Combatant
    target: Combatant
    secondary: Annotated[tuple[Secondary, ...], Field(max_length=MOST_SECONDARY)] = ()

    _tuples = field_validator("secondary", mode="before")(as_tuple)


CIRCUMSTANCES = ("exposed", "from_front", "obstacle")  # of a target, which each attack on it can state for itself


class FocusAttack(Attack):
    """One of the ``[[attacks]]``: an attack, and what is true of its target for this attack only."""

    exposed: Annotated[int, Field(ge=1, le=MOST_MODELS)] | None = None
    from_front: bool | None = None
    obstacle: bool | None = None


class FocusFile(QuestionFile):
    """A scenario file of several attacks on one target (AC-9.1). `docs/fights.md` says each key."""

    kind = "focus"
    in_words = "focus fire"
    own_sections = ("attacks",)
    may_hold = "[[attacks]] and [target]"

    attacks: Annotated[tuple[FocusAttack, ...], Field(min_length=1, max_length=MOST_STRIKES)]
    target: Target

    _tuples = field_validator("attacks", mode="before")(as_tuple)


class DuelFile(QuestionFile):
    """A scenario file of a duel (AC-9.2). `docs/fights.md` says each key."""

    kind = "duel"
    in_words = "a duel"
    own_sections = ("duel", "a", "b")
    may_hold = "[duel], [a] and [b]"

    duel: DuelTerms = DuelTerms()
    a: Combatant
    b: Combatant


FILES: dict[Kind, type[QuestionFile]] = {each.kind: each for each in (ScenarioFile, ChargeFile, FocusFile, DuelFile)}
