"""Sections and keys of scenario files, a public contract (`docs/scenario.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field, field_validator

from analyser.common.errors import InputError
from analyser.common.validation import Record, Several, as_tuple, optional
from analyser.engine.fight.program import MOST_STRIKES
from analyser.game import units
from analyser.game.keywords import HasKeywords, Qualities, Rules
from analyser.game.ruleset import RatingName, Ruleset
from analyser.rules.policies import BEST, POLICIES
from analyser.rules.policy_lines import is_in_words
from analyser.rules.structs import MOST_INCHES, NONE

BonusName = Literal["aiming", "short_range", "ammo_supply"]
PenaltyName = Literal["concealed", "suppressed", "opportunity_fire", "reforming", "outside_front_arc"]
BONUSES: Mapping[BonusName, str] = {
    "aiming": "The attacker has aimed.",
    "short_range": "The target is at short range. Follows from the distance, if that is stated.",
    "ammo_supply": "A friend with Ammo Supply is near.",
}
PENALTIES: Mapping[PenaltyName, str] = {
    "concealed": "The attacker has no clear line to half of the target.",
    "suppressed": "The attacker is suppressed.",
    "opportunity_fire": "The attack is opportunity fire.",
    "reforming": "The attacker has just left a transport or a building.",
    "outside_front_arc": "A Turret fires to its side or rear.",
}

Dice = Annotated[int, Field(ge=1, le=units.MOST_DICE)]
DiceIfAny = Annotated[int, Field(ge=0, le=units.MOST_DICE)]
Count = Annotated[int, Field(ge=0, le=units.MOST_MODELS)]
Limit = Annotated[int, Field(ge=1, le=units.MOST_MODELS)]
Carriages = Annotated[int, Field(ge=0, le=20)]

LIST_OF: Mapping[str, str] = {**dict.fromkeys(BONUSES, "bonuses"), **dict.fromkeys(PENALTIES, "penalties")}
"""The list of an attack (bonuses or penalties) to which each name belongs."""
_OWN_KEYS = ("concealed", "opportunity_fire")  # penalties that are also keys of an attack
FLAGS = {name: key for name, key in LIST_OF.items() if name not in _OWN_KEYS}
"""Bonuses and penalties that an attack may state as flags (true or false), each with its list."""


class ExtraReroll(Record):
    """Further faces that may be re-rolled, and the largest number of dice re-rolled for them (AC-3.5)."""

    faces: Several[Literal["strike", "glancing", "miss", "blank"]]
    dice: DiceIfAny


class Attack(Record, HasKeywords):
    """The ``[attack]`` section of a scenario (AC-3, AC-4); `docs/keys.md` lists its keys."""

    keywords_field: ClassVar[str] = "qualities"
    page = "docs/keys.md"
    also_read: ClassVar[tuple[str, ...]] = tuple(FLAGS)

    kind: Literal["ranged"] = "ranged"
    attacker: units.Selector | None = None
    row: str | None = optional(None, "Row of the armaments grid. Default: the best that can fire at the target.")
    distance: units.Inches | None = optional(
        None, "Inches to the target, which decide whether it is at short range, at long range or out of range."
    )
    dice: Dice | None = optional(None, "Attack dice, instead of the row's.")
    dice_in_parentheses: DiceIfAny | None = None
    rating: RatingName | None = optional(None, "Combat rating, in place of the bonuses and penalties.")
    bonuses: Several[BonusName] = ()
    penalties: Several[PenaltyName] = ()
    concealed: bool = False
    line_of_sight: Literal["own", "none", "spotter"] = optional(
        "own", "Line of sight of an Indirect row: its own, a spotter's or none."
    )
    qualities: Qualities | None = None
    veteran: DiceIfAny | None = optional(None, "The X in Veteran (X), instead of the profile's.")
    extra_reroll: ExtraReroll | None = optional(
        None, "Further re-rolls, such as miss,blank:2: at most 2 dice that show a miss or a blank."
    )
    opportunity_fire: bool = optional(False, "The attack is opportunity fire: a penalty, and no suppression test.")
    overcharge: bool = optional(False, "The attacker uses Overcharge.")
    carriages: Carriages = optional(0, "Carriages in the train (Full Steam Ahead).")
    attacker_models: units.Models | None = optional(None, "Models that the attacker has left.")
    attacker_damage: Count = optional(0, "Damage on the attacker.")
    attacker_damage_limit: Limit | None = None
    attacker_garrisoned: bool = optional(False, "The attacker is in a building.")
    attacker_reloading: bool = optional(False, "The attacker is reloading (Slow to Fire).")
    attacker_advanced: bool = optional(False, "The attacker has advanced (Move or Fire).")


class Target(Record, HasKeywords):
    """The ``[target]`` section of a scenario: its profile and its state; `docs/keys.md` lists its keys."""

    page = "docs/keys.md"

    unit: units.Selector | None = None
    type: units.UnitType | None = None
    category: units.Category | None = None
    models: units.Models | None = optional(None, "Models that the target has left.")
    defence: Annotated[int, Field(ge=1, le=100)] | None = None
    damage_limit: Limit | None = None
    discipline: Annotated[int, Field(ge=0, le=100)] | None = None
    break_limit: Count | None = None
    victory_points: Annotated[int, Field(ge=0, le=1000)] | None = None
    damage: Count = optional(0, "Damage on the target.")
    suppressed: bool = optional(False, "The target is suppressed.")
    disordered: bool = optional(False, "The target is disordered.")
    activated: bool = optional(False, "The target has been activated (Cryo).")
    exposed: units.Models | None = optional(None, "Models that are exposed; the attack targets only them.")
    edge_distance: units.Inches | None = optional(None, "Inches from the target to its own table edge.")
    formation: Literal["close", "open"] | None = optional(None, "The target's formation, instead of its type's.")
    officer: Literal["last", "first", "random"] = optional("last", "When the officer falls, in open formation.")
    near_commander: bool = optional(False, 'A commander is within 6" of the target.')
    taking_cover: bool = optional(False, "The target is taking cover.")
    garrisoned: bool = optional(False, "The target is in a building.")
    from_front: bool = optional(False, "The attack comes from the target's front (Resilient).")
    obstacle: bool = optional(False, "An obstacle in contact with the target is in the line of the attack.")
    behemoth: bool | None = None
    aircraft: bool | None = None
    models_without_room: Count = optional(0, "Models that the target loses for lack of room if it falls back.")
    fail_on_purpose: bool = optional(False, "The target's general fails the test on purpose.")
    peer_review: bool = optional(False, "A friend with Peer Review is near the target.")
    chain_of_command: bool = optional(False, "Another unit with Chain of Command is near the target.")
    rules: Rules | None = None

    @property
    def keeps_damage(self) -> bool:
        """Return True if damage can remain on a model without destroying it (AC-3.8)."""
        return (self.damage_limit or 1) > 1

    def rule_length(self, name: str, where: str = "") -> int:
        """Return the X of a rule in hundredths of an inch, or NONE without the rule; InputError for finer steps."""
        rule = self.keyword(name)
        if rule is None:
            return NONE
        try:
            return units.hundredths(rule.inches)
        except ValueError:
            problem = f"the rule {rule.canonical!r}"
            raise InputError(problem, where=f"{where}.rules", allowed="inches in steps of 0.01") from None


class Charge(Record):
    """Circumstances of a unit's charge (AC-8.2, AC-8.4)."""

    outflanking: bool = optional(
        False, "Bonus: infantry, cavalry or a field gun is charged from outside its front arc."
    )
    supported: bool = optional(False, 'Bonus: another friend is within 2" of the target.')
    threatened: bool = optional(False, 'Penalty: another enemy is within 2" of the attacker.')
    difficult_terrain: bool = optional(False, "The charge goes through difficult terrain: defensive advantage.")
    overrun: bool = optional(True, "Use Overrun after a combat that is won.")


class ChargeTerms(Charge):
    """The ``[charge]`` section of a scenario; `docs/keys.md` lists its keys."""

    distance: units.Inches | None = optional(
        None, "Inches to the target: decides whether the charge can reach it. Default: in reach."
    )


class Passengers(Target):
    """A unit embarked on a transport (AC-5.10, AC-8.8)."""


class Combatant(Target):
    """A unit that fights and can be a target; `docs/keys.md` lists its keys."""

    rows: Several[units.Row] | None = None
    row: str | None = None
    close_quarters_row: str | None = None
    speed: units.Inches | None = None
    veteran: DiceIfAny | None = None
    extra_reroll: ExtraReroll | None = None
    overcharge: bool = False
    ammo_supply: bool = False
    carriages: Carriages = 0
    concealed: bool = False
    on_lookout: bool = False
    reloading: bool = False
    withdraws_without_room: Count = 0
    charge: Charge = Charge()
    capacity: Limit | None = None
    passengers: Passengers | None = None

    _each_row_once = field_validator("rows")(units.check_distinct_rows)

    @property
    def count(self) -> int:
        """Number that selects the band of a row: models, or the damage of a behemoth (AC-2.3)."""
        return self.damage if self.behemoth else self.models or 0

    def check_has_dice(self, row: units.Row, where: str) -> None:
        """Raise InputError unless a row has attack dice for the unit's models or damage (AC-2.4)."""
        try:
            units.attack_dice(row, self.count)
        except InputError as error:
            raise error.inside(f"{where}.{'damage' if self.behemoth else 'models'}") from None

    def any_row_has(self, quality: str, kinds: tuple[str, ...] = get_args(units.RowKind)) -> bool:
        """Return True if a row of one of the `kinds` has the quality."""
        return any(row.has(quality) for row in self.rows or () if row.kind in kinds)

    def _rows_for_contact(self, *kinds: units.RowKind) -> list[units.Row]:
        """Return the rows of the `kinds`; the row stated for close quarters comes first."""
        rows = [row for row in self.rows or () if row.kind in kinds]
        return sorted(rows, key=lambda row: row.id != self.close_quarters_row)

    def charge_row(self, where: str) -> units.Row:
        """Return the melee or impact row for a charge (AC-8.1); InputError without such a row, or if Static (AC-7)."""
        if self.has("Static"):
            raise InputError("a Static unit cannot charge (AC-7)", where=where, allowed="another unit")
        rows = self._rows_for_contact("melee", "impact")
        if not rows:
            ids = ", ".join(row.id for row in self.rows or ()) or "no rows"
            problem = f"{self.unit or 'the unit'} has {ids}, and no melee or impact row to charge with (AC-8.1)"
            raise InputError(problem, where=where, allowed="a unit with a melee or impact row")
        return rows[0]

    def retaliation_rows(self) -> list[units.Row]:
        """Return, in a list, the melee row for a retaliation; an empty list without a melee row (AC-8.3)."""
        return self._rows_for_contact("melee")[:1]

    def may_charge(self, enemy: Combatant, policy: str | tuple[str, ...]) -> bool:
        """Return True if the unit may charge in a duel, by `policy` or by a rule (Berserk or Run Amok, AC-7)."""
        if policy == "charge":
            return True
        chooses = policy == BEST or isinstance(policy, tuple)
        if (not chooses and not self.has("Berserk", "Run Amok")) or self.has("Static"):
            return False
        return enemy._can_be_charged and bool(self._rows_for_contact("melee", "impact"))

    @property
    def _can_be_charged(self) -> bool:
        return self.type not in ("aircraft", "rotorcraft") and not self.aircraft  # AC-8.1

    def check_can_charge(self, where: str = "attacker") -> None:
        """Raise InputError for a unit that is Static, or has no row or no dice for a charge (AC-7, AC-8.1)."""
        self.check_has_dice(self.charge_row(where), where)

    def check_can_be_charged(self, where: str = "target") -> None:
        """Raise InputError if the unit cannot be charged (AC-8.1)."""
        if not self._can_be_charged:
            problem = f"{self.unit or 'the target'} cannot be charged: {self.type or 'aircraft'} (AC-8.1)"
            raise InputError(problem, where=where, allowed="a unit on the ground")

    def check_can_retaliate(self, where: str = "target") -> None:
        """Raise InputError if the row for a retaliation has no dice for the models or damage (AC-2.4, AC-8.3)."""
        for row in self.retaliation_rows():
            self.check_has_dice(row, where)

    @property
    def can_fail_to_rally(self) -> bool:
        """Return True if the unit can fail a rally test, because a card decides the test (AC-5.6, AC-7)."""
        passes = self.has("Automata", "Irrepressible", "Hot Headed")
        return self.discipline is not None and not self.peer_review and not passes


MOST_ROUNDS = 10
SHORTEST_STEP = 0.25  # least distance in inches between the positions that best play tries

WantName = Literal["win", "margin", "points", "survival"]
WANTS: Mapping[WantName, str] = {
    "win": "probability of more victory points; a draw counts half",
    "margin": "expected difference in victory points",
    "points": "as margin, but a damaged unit already counts in proportion to its damage",
    "survival": "probability that the unit survives",
}
"""Objectives of a side with best play; the other side has the opposite objective."""
PROBABILITY_WANTS: tuple[WantName, ...] = ("win", "survival")  # objectives measured as a probability

if TYPE_CHECKING:
    PolicyName = str
else:
    PolicyName = Literal[*POLICIES, BEST]


def _policy(value: object) -> object:
    if isinstance(value, str) and value not in (*POLICIES, BEST) and is_in_words(value):
        return (value,)
    return as_tuple(value)


PolicyKey = Annotated[PolicyName | tuple[str, ...], BeforeValidator(_policy)]


class DuelTerms(Record):
    """The ``[duel]`` section of a scenario (AC-9.2); `docs/keys.md` lists its keys."""

    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = optional(6, "Number of rounds, 1 to 10.")
    first: Literal["a", "b", "random"] = optional("random", "The side that acts first; random: a coin toss each round.")
    policy_a: PolicyKey = optional("shoot", "Policy of A (--help-all lists them).")
    policy_b: PolicyKey = optional("shoot", "Policy of B (--help-all lists them).")
    want: WantName = optional("win", "Objective of a side that plays the policy `best`.")
    distance: Annotated[units.Inches, Field(le=MOST_INCHES)] | None = optional(
        None, "Inches between the two units. Default: always in range."
    )
    step: Annotated[units.Inches, Field(ge=SHORTEST_STEP, le=MOST_INCHES)] | None = optional(
        None,
        "Inches between the positions that best play tries, besides ranges and full moves. Default: every position.",
    )


MOST_SECONDARY = 10  # each unit can add two strikes to a program, which holds MOST_STRIKES


class Secondary(Combatant):
    """Another unit of the charged side that the charge brings into contact (AC-8.7)."""

    threatened: bool = False


Kind = Literal["attack", "charge", "focus", "duel", "battle"]
TWO_UNIT_KINDS: tuple[Kind, ...] = ("attack", "charge", "duel")  # kinds of question defined by two units alone


class QuestionFile(Record):
    """A whole scenario file; each kind of question has its own sections."""

    page = "docs/keys.md"
    kind: ClassVar[Kind]
    kind_text: ClassVar[str]  # name in messages
    sections_text: ClassVar[str]  # list of its sections in messages

    ruleset: Ruleset


class ScenarioFile(QuestionFile):
    """A scenario file of one attack; `docs/keys.md` lists its keys."""

    kind = "attack"
    kind_text = "an attack"
    sections_text = "[attack] and [target]"

    attack: Attack
    target: Target


class ChargeFile(QuestionFile):
    """A scenario file of one charge (AC-8); `docs/keys.md` lists its keys."""

    kind = "charge"
    kind_text = "a charge"
    sections_text = "[charge], [attacker] and [target]"

    charge: ChargeTerms = ChargeTerms()
    attacker: Combatant
    target: Combatant
    secondary: Annotated[Several[Secondary], Field(max_length=MOST_SECONDARY)] = ()


TARGET_FATES = ("suppressed", "broken", "destroyed", "annihilated")
"""Fates of the target that focus fire can aim for; all but ``suppressed`` remove it (AC-5.4, AC-5.9)."""
CIRCUMSTANCES = ("exposed", "from_front", "obstacle")  # facts about a target that each attack on it can state


class FocusAttack(Attack):
    """Attack of ``[[attacks]]``, with the facts about its target for this attack only."""

    exposed: units.Models | None = None
    from_front: bool | None = None
    obstacle: bool | None = None


class FocusFile(QuestionFile):
    """A scenario file of several attacks on one target (AC-9.1); `docs/keys.md` lists its keys."""

    kind = "focus"
    kind_text = "focus fire"
    sections_text = "[[attacks]] and [target]"

    attacks: Annotated[Several[FocusAttack], Field(min_length=1, max_length=MOST_STRIKES)]
    target: Target


class DuelFile(QuestionFile):
    """A scenario file of a duel (AC-9.2); `docs/keys.md` lists its keys."""

    kind = "duel"
    kind_text = "a duel"
    sections_text = "[duel], [a] and [b]"

    duel: DuelTerms = DuelTerms()
    a: Combatant
    b: Combatant
