"""A scenario: who attacks whom, how, and in what state - as written in a file, and as resolved.

The file form is a contract (`docs/scenario.md`). Reading it checks everything that can be wrong; what
comes out, a :class:`Scenario`, can be computed without another question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from analyser.common.validation import Record, as_tuple
from analyser.engine.fight.program import MOST_STRIKES
from analyser.game.dice import RatingName
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.game.units import (
    MOST_DICE,
    MOST_MODELS,
    Category,
    Inches,
    Loadout,
    Models,
    Row,
    Rule,
    UnitType,
    each_row_once,
)

BonusName = Literal["aiming", "short_range", "ammo_supply"]
PenaltyName = Literal["concealed", "suppressed", "opportunity_fire", "reforming", "outside_front_arc"]
Dice = Annotated[int, Field(ge=1, le=MOST_DICE)]
Count = Annotated[int, Field(ge=0, le=MOST_MODELS)]
Limit = Annotated[int, Field(ge=1, le=MOST_MODELS)]


class ExtraReroll(Record):
    """Further faces that may be re-rolled, and by how many dice at most (AC-3.5)."""

    faces: tuple[Literal["strike", "glancing", "miss", "blank"], ...]
    dice: Annotated[int, Field(ge=0, le=MOST_DICE)]

    _tuples = field_validator("faces", mode="before")(as_tuple)


class Attack(Record):
    """The ``[attack]`` of a scenario (AC-3, AC-4). `docs/scenario.md` says each key."""

    kind: Literal["ranged"] = "ranged"
    attacker: str | None = None
    row: str | None = None
    distance: Inches | None = None
    dice: Dice | None = None
    dice_in_parentheses: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = None
    rating: RatingName | None = None
    bonuses: tuple[BonusName, ...] = ()
    penalties: tuple[PenaltyName, ...] = ()
    concealed: bool = False
    line_of_sight: Literal["own", "none", "spotter"] = "own"
    qualities: tuple[Rule, ...] | None = None
    veteran: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = None
    extra_reroll: ExtraReroll | None = None
    opportunity_fire: bool = False
    overcharge: bool = False
    carriages: Annotated[int, Field(ge=0, le=20)] = 0
    attacker_models: Models | None = None
    attacker_damage: Count = 0
    attacker_damage_limit: Limit | None = None
    attacker_garrisoned: bool = False
    attacker_reloading: bool = False
    attacker_advanced: bool = False

    _tuples = field_validator("bonuses", "penalties", "qualities", mode="before")(as_tuple)


class Target(Record):
    """The ``[target]`` of a scenario: its profile and its state. `docs/scenario.md` says each key."""

    unit: str | None = None
    type: UnitType | None = None
    category: Category | None = None
    models: Models | None = None
    defence: Annotated[int, Field(ge=1, le=100)] | None = None
    damage_limit: Limit | None = None
    discipline: Annotated[int, Field(ge=0, le=100)] | None = None
    break_limit: Count | None = None
    victory_points: Annotated[int, Field(ge=0, le=1000)] | None = None
    damage: Count = 0
    suppressed: bool = False
    disordered: bool = False
    activated: bool = False
    exposed: Annotated[int, Field(ge=1, le=MOST_MODELS)] | None = None
    edge_distance: Inches | None = None
    formation: Literal["close", "open"] | None = None
    officer: Literal["last", "first", "random"] = "last"
    near_commander: bool = False
    taking_cover: bool = False
    garrisoned: bool = False
    from_front: bool = False
    obstacle: bool = False
    behemoth: bool | None = None
    aircraft: bool | None = None
    models_without_room: Count = 0
    fail_on_purpose: bool = False
    peer_review: bool = False
    chain_of_command: bool = False
    rules: tuple[Rule, ...] | None = None

    _tuples = field_validator("rules", mode="before")(as_tuple)


class ScenarioFile(Record):
    """A whole scenario file."""

    attack: Attack
    target: Target
    ruleset: Ruleset


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario, resolved: profiles looked up, defaults filled in, everything checked.

    Attributes
    ----------
    attack, target : Attack, Target
        Nothing left out that the computation needs; ``None`` only where the rules know "none".
    ruleset : Ruleset
    attacker, defender : Loadout or None
        The profiles that the selectors named.
    attacker_rules : tuple of str
        Special rules of the attacker's profile.
    warnings : tuple of str
        What the user should know about how the scenario was read.
    profiles : ProfilesUsed or None
        Where the profiles and the ruleset come from.
    """

    attack: Attack
    target: Target
    ruleset: Ruleset
    attacker: Loadout | None = None
    defender: Loadout | None = None
    attacker_rules: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain data, every default filled in; reading it again gives the same scenario."""
        return {
            "attack": self.attack.model_dump(mode="json"),
            "target": self.target.model_dump(mode="json"),
            "ruleset": self.ruleset.model_dump(mode="json"),
        }


def empty_sections(raw: Mapping[str, Any]) -> list[str]:
    """A warning for a ruleset that says nothing."""
    return ["[ruleset] is empty and has no effect"] if raw.get("ruleset") == {} else []


CloseQuartersKind = Literal["melee", "impact"]


class Charge(Record):
    """The circumstances of a unit's charge (AC-8.2, AC-8.4). `docs/fights.md` says each key."""

    outflanking: bool = False
    supported: bool = False
    threatened: bool = False
    difficult_terrain: bool = False
    overrun: bool = True


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


class DuelTerms(Record):
    """The ``[duel]`` of a scenario (AC-9.2). `docs/fights.md` says each key."""

    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 6
    first: Literal["a", "b", "random"] = "random"
    policy_a: PolicyName = "shoot"
    policy_b: PolicyName = "shoot"
    distance: Annotated[Inches, Field(le=MOST_INCHES)] | None = None


PolicyName = Literal["shoot", "short_range", "charge", "lookout", "take_cover", "all_out", "overcharge"]


MOST_SECONDARY = 10  # each can strike at two places of a program


CIRCUMSTANCES = ("exposed", "from_front", "obstacle")  # of a target, which each attack on it can state for itself


class Secondary(Combatant):
    """Another unit of the charged side that the charge brings into contact (AC-8.7)."""

    threatened: bool = False


class ChargeFile(Record):
    """A scenario file of one charge (AC-8). `docs/fights.md` says each key."""

    charge: Charge = Charge()
    attacker: Combatant
    target: Combatant
    secondary: Annotated[tuple[Secondary, ...], Field(max_length=MOST_SECONDARY)] = ()
    ruleset: Ruleset

    _tuples = field_validator("secondary", mode="before")(as_tuple)


class FocusAttack(Attack):
    """One of the ``[[attacks]]``: an attack, and what is true of its target for this attack only."""

    exposed: Annotated[int, Field(ge=1, le=MOST_MODELS)] | None = None
    from_front: bool | None = None
    obstacle: bool | None = None


class FocusFile(Record):
    """A scenario file of several attacks on one target (AC-9.1). `docs/fights.md` says each key."""

    attacks: Annotated[tuple[FocusAttack, ...], Field(min_length=1, max_length=MOST_STRIKES)]
    target: Target
    ruleset: Ruleset

    _tuples = field_validator("attacks", mode="before")(as_tuple)


class DuelFile(Record):
    """A scenario file of a duel (AC-9.2). `docs/fights.md` says each key."""

    duel: DuelTerms = DuelTerms()
    a: Combatant
    b: Combatant
    ruleset: Ruleset
