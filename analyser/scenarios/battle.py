"""Scenario of a battle: two armies, and terms such as rounds and tactics (`docs/battle.md`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from analyser.common.errors import InputError
from analyser.common.validation import Record, optional
from analyser.engine.battle.battle_data import (
    MOST_CARDS,
    MOST_HAND,
    MOST_OBJECTIVE_POINTS,
    MOST_OBJECTIVES,
    MOST_POINTS,
    MOST_ROUNDS,
    MOST_UNITS,
)
from analyser.engine.battle.look_ahead_weights import BY_POLICY, TACTICS
from analyser.game.army import Army, ArmyUnit
from analyser.game.forces import ForceRules, ScaleName
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import HIGHEST_CARD, Ruleset
from analyser.game.units import Inches, hundredths
from analyser.rules.battle import ZERO_GROUND_PRESENCE, ActivationChoice, CardChoice, TargetChoice, length_of
from analyser.rules.policies import BEST, POLICIES
from analyser.rules.structs import INCH
from analyser.scenarios.policies import AUTO, rows_to_shoot_with, why_not
from analyser.scenarios.resolve import resolve_combatant
from analyser.scenarios.schema import Combatant, PolicyName, QuestionFile

SIDES = ("mine", "yours")
_MOST_INCHES = 120

if TYPE_CHECKING:
    TargetName = str
    HandName = str
    ActivationOrderName = str
    PolicyOrAuto = str
    TacticName = str
else:
    TargetName = Literal[tuple(choice.name.lower() for choice in TargetChoice)]
    HandName = Literal[tuple(hand.name.lower() for hand in CardChoice)]
    ActivationOrderName = Literal[tuple(order.name.lower() for order in ActivationChoice)]
    PolicyOrAuto = Literal[(AUTO, *POLICIES)]
    TacticName = Literal[(AUTO, *TACTICS, BY_POLICY)]
Length = Annotated[Inches, Field(le=_MOST_INCHES)]
CardValue = Annotated[int, Field(ge=0, le=HIGHEST_CARD)]
_TARGET_TEXT = "Preferred target of the units of {}."
_TACTIC_TEXT = (
    "Tactic of {}. `auto`: an equilibrium, in which neither side gains by changing its tactic; `policies`: each unit"
    " follows its own policy. Default: `auto`, or `policies` if you state a policy, a target or an order of activation"
    " for this side."
)
_ORDER_TEXT = "Order of activation of {}."
_HAND_TEXT = "Card that {} plays for the initiative."
_INITIATIVE_TEXT = "Take the first initiative or give it to the enemy, if {} may choose."
_DISCARD_TEXT = "Before drawing, {} discards cards below this value."
_MINE, _YOURS = "the first army", "the second army"
_AUTO_TERMS = {"policy": AUTO, "target": "nearest", "order": "listed"}  # other values imply the tactic `policies`


class BattleTerms(Record):
    """The ``[battle]`` section of a file; `docs/keys.md` lists its keys."""

    page = "docs/keys.md"

    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = optional(6, "Number of rounds, 1 to 10.")
    scale: ScaleName | None = optional(
        None, "Force scale, which sets `table` and `hand_limit`. Default: the larger of the two armies' scales."
    )
    table: Length | None = optional(None, "Inches between the armies' table edges. Default: 48, or 36 in a skirmish.")
    gap: Length = optional(24.0, "Inches between the two armies at the start.")
    width: Length = optional(36.0, "Inches along the front over which the units of a side are spread.")
    hand_limit: Annotated[int, Field(ge=0, le=MOST_HAND)] | None = optional(
        None, "Most cards in a hand. Default: the limit of the scale."
    )
    objectives: Annotated[int, Field(ge=0, le=MOST_OBJECTIVES)] = optional(
        0, "Number of objectives, spread evenly along the centre line (BT-7)."
    )
    objective_points: Annotated[int, Field(ge=1, le=MOST_OBJECTIVE_POINTS)] = optional(
        1, "Victory points for each objective that a side controls at the end of a round."
    )
    arrives: Annotated[int, Field(ge=2, le=MOST_ROUNDS)] = optional(2, "First round in which reserves arrive.")
    disembark_within: Length = optional(12.0, "Passengers disembark if an enemy is within this many inches.")
    disembark_by: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = optional(
        3, "Round in which passengers disembark in any case."
    )
    tactic_mine: TacticName | None = optional(None, _TACTIC_TEXT.format(_MINE))
    tactic_yours: TacticName | None = optional(None, _TACTIC_TEXT.format(_YOURS))
    policy_mine: PolicyOrAuto = optional(AUTO, "Policy of the units of the first army that state none.")
    policy_yours: PolicyOrAuto = optional(AUTO, "Policy of the units of the second army that state none.")
    target_mine: TargetName = optional("nearest", _TARGET_TEXT.format(_MINE))
    target_yours: TargetName = optional("nearest", _TARGET_TEXT.format(_YOURS))
    order_mine: ActivationOrderName = optional("listed", _ORDER_TEXT.format(_MINE))
    order_yours: ActivationOrderName = optional("listed", _ORDER_TEXT.format(_YOURS))
    hand_mine: HandName = optional("highest", _HAND_TEXT.format(_MINE))
    hand_yours: HandName = optional("highest", _HAND_TEXT.format(_YOURS))
    initiative_mine: Literal["take", "give"] = optional("take", _INITIATIVE_TEXT.format(_MINE))
    initiative_yours: Literal["take", "give"] = optional("take", _INITIATIVE_TEXT.format(_YOURS))
    discard_below_mine: CardValue = optional(0, _DISCARD_TEXT.format(_MINE))
    discard_below_yours: CardValue = optional(0, _DISCARD_TEXT.format(_YOURS))

    def tactic_of(self, side: str) -> str:
        """Return the tactic: stated, else ``policies`` if policy, target or order is not the default, else ``auto``."""
        stated: str | None = self.side_term("tactic", side)
        if stated is not None:
            return stated
        return BY_POLICY if any(self.side_term(key, side) != term for key, term in _AUTO_TERMS.items()) else AUTO

    def side_term(self, key: str, side: str) -> Any:
        """Return a term of one side: `key` is a name such as ``policy``, `side` is ``mine`` or ``yours``."""
        return getattr(self, f"{key}_{side}")


class BattleFile(QuestionFile):
    """A scenario file of a battle; `docs/keys.md` lists its keys."""

    kind = "battle"
    kind_text = "a battle"
    sections_text = "[battle], mine and yours"

    battle: BattleTerms = BattleTerms()
    mine: Any
    yours: Any


class BattleUnit(NamedTuple):
    """A unit of an army at the start of a battle."""

    unit: ArmyUnit
    combatant: Combatant
    policy: PolicyName
    x: int  # hundredths of an inch from the left end of the front
    y: int  # hundredths of an inch from the table edge of the first army
    reserve: bool
    commander: bool
    chooses_target: bool  # True: the unit prefers enemies that it can hurt (policy `auto`, tactic `policies`, BT-4)

    @property
    def name(self) -> str:
        """Name of the unit in its army."""
        return self.unit.name

    @property
    def title(self) -> str:
        """Title of the unit (:attr:`ArmyUnit.title`)."""
        return self.unit.title


@dataclass(frozen=True, slots=True)
class BattleScenario:
    """A resolved battle."""

    kind: ClassVar[Literal["battle"]] = "battle"

    terms: BattleTerms
    mine: Army
    yours: Army
    fielded: tuple[tuple[BattleUnit, ...], tuple[BattleUnit, ...]]
    ruleset: Ruleset
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    @property
    def armies(self) -> tuple[Army, Army]:
        """Both armies, first and second."""
        return self.mine, self.yours

    def as_dict(self) -> dict[str, Any]:
        """Return the scenario as plain data with all defaults; loading it gives an equal scenario."""
        return {
            "battle": self.terms.model_dump(mode="json"),
            "mine": self.mine.to_table(),
            "yours": self.yours.to_table(),
            "ruleset": self.ruleset.model_dump(mode="json"),
        }


def with_army_paths(raw: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return the sections `raw` of the scenario file `path`, with its folder added to the paths of armies."""
    return {
        key: str(path.parent / value) if key in SIDES and isinstance(value, str) else value
        for key, value in raw.items()
    }


def battle_scenario(mine: Any, yours: Any, terms: BattleTerms, ruleset: Ruleset, library: Profiles) -> BattleScenario:
    """Return the battle between two armies, given as for :func:`~.armies.load_army`; InputError if it is impossible."""
    from analyser.scenarios.armies import load_army  # imported here because it loads the readers of rosters

    armies = []
    for side, source in zip(SIDES, (mine, yours)):
        try:
            armies.append(load_army(source, library))
        except InputError as error:  # `mine` or `yours` replaces the word "army" in the location of the error
            error.where = error.where.removeprefix("army").removeprefix(": ")
            raise error.inside(side) from None
    terms = _with_defaults(terms, (armies[0], armies[1]), library.force_rules)
    _check_terms(terms, ruleset)
    combatants = [_combatants(side, army, library) for side, army in zip(SIDES, armies)]
    fielded = [
        _battle_units(side, army, (friends, enemies), terms, library.force_rules)
        for side, army, friends, enemies in zip(SIDES, armies, combatants, combatants[::-1])
    ]
    for side, most in most_victory_points(fielded, terms).items():
        if most > MOST_POINTS:
            problem = f"up to {most:,} victory points in one battle"
            raise InputError(problem, where=side, allowed=f"up to {MOST_POINTS:,}")
    warnings = tuple(dict.fromkeys(battle_warnings((armies[0], armies[1]), fielded, terms)))
    return BattleScenario(terms, armies[0], armies[1], (fielded[0], fielded[1]), ruleset, warnings, library.used)


def _with_defaults(terms: BattleTerms, armies: tuple[Army, Army], rules: ForceRules) -> BattleTerms:
    larger = max((army.scale for army in armies), key=list(rules.scales).index)
    scale: ScaleName = larger if terms.scale is None else terms.scale
    if scale not in rules.scales:
        raise InputError(f"unknown scale {scale}", where="battle.scale", allowed=", ".join(rules.scales))
    scale_rules = rules.scales[scale]
    table = float(min(scale_rules.table)) if terms.table is None else terms.table
    hand_limit = min(scale_rules.hand, MOST_HAND) if terms.hand_limit is None else terms.hand_limit
    tactics = {f"tactic_{side}": terms.tactic_of(side) for side in SIDES}
    return terms.model_copy(update={"scale": scale, "table": table, "hand_limit": hand_limit, **tactics})


def _check_terms(terms: BattleTerms, ruleset: Ruleset) -> None:
    assert terms.table is not None
    assert terms.hand_limit is not None
    if terms.gap > terms.table:
        raise InputError(f"{terms.gap:g} inches", where="battle.gap", allowed=f"up to the table's {terms.table:g}")
    cards = int(ruleset.deck.counts().sum())
    if not terms.hand_limit < cards <= MOST_CARDS:
        problem = f"a deck of {cards} cards, and hands of {terms.hand_limit}"
        raise InputError(problem, where="battle.hand_limit", allowed=f"up to {cards - 1}, or a larger deck")


def most_victory_points(fielded: Sequence[Sequence[BattleUnit]], terms: BattleTerms) -> dict[str, int]:
    """Return the most victory points that each side can score, except by Hunter (BT-5, BT-7)."""
    most = {}
    for side, enemies in zip(SIDES, fielded[::-1]):
        targets = [target for foe in enemies for target in (foe.combatant, foe.combatant.passengers) if target]
        ratings = sum(1 if target.victory_points is None else target.victory_points for target in targets)
        most[side] = ratings + ZERO_GROUND_PRESENCE + terms.rounds * terms.objectives * terms.objective_points
    return most


def _combatants(side: str, army: Army, library: Profiles) -> list[Combatant]:
    if len(army) > MOST_UNITS:
        raise InputError(f"{len(army)} units in one battle", where=side, allowed=f"up to {MOST_UNITS}")
    combatants_by_key: dict[str, Combatant] = {}
    combatants = []
    for unit in army:
        key = unit.loadout.model_dump_json()
        if key not in combatants_by_key:
            front = Combatant(unit=unit.loadout, from_front=True)  # type: ignore[arg-type]  # a loadout is allowed
            combatants_by_key[key] = resolve_combatant(front, library, f"{side}: {unit.name}", unit.loadout)
        combatants.append(combatants_by_key[key])
    return combatants


def _battle_units(
    side: str, army: Army, combatants: tuple[list[Combatant], list[Combatant]], terms: BattleTerms, rules: ForceRules
) -> tuple[BattleUnit, ...]:
    """Return the units of an army at their starting positions (BT-1); `combatants` are its own and the enemy's."""
    assert terms.table is not None
    width, table, gap = (hundredths(inches) for inches in (terms.width, terms.table, terms.gap))
    fielded, (friends, enemies) = [], combatants
    for index, (unit, combatant) in enumerate(zip(army, friends)):
        x = width * (2 * index + 1) // (2 * len(army)) if unit.x is None else hundredths(unit.x)
        from_edge = (table - gap) // 2 - hundredths(unit.behind)
        if from_edge < 0:
            allowed = f"up to {(table - gap) // 2 / INCH:g}"
            raise InputError(f"{unit.behind:g} inches", where=f"{side}: {unit.name}: behind", allowed=allowed)
        if x > hundredths(_MOST_INCHES):
            raise InputError(f"{unit.x:g} inches", where=f"{side}: {unit.name}: x", allowed=f"up to {_MOST_INCHES}")
        carrier = unit if unit.embarked_in is None else army[unit.embarked_in]
        reserve = carrier.reserve or bool(combatant.aircraft)
        y = 0 if reserve else from_edge
        chooses_target = (unit.policy or terms.side_term("policy", side)) == AUTO
        policy = policy_of(unit, combatant, enemies, terms.side_term("policy", side))
        if terms.side_term("tactic", side) != BY_POLICY and unit.policy in (None, AUTO):
            policy, chooses_target = BEST, False
        commander = "commander" in unit.loadout.unit.traits
        y = y if side == "mine" else table - y
        fielded.append(BattleUnit(unit, combatant, policy, x, y, reserve, commander, chooses_target))
    on_table, least = sum(not unit.reserve for unit in fielded), rules.on_table(len(army))
    if on_table < least:
        problem = f"{len(army) - on_table} of {len(army)} units are in reserve (aircraft always are)"
        raise InputError(problem, where=side, allowed=f"up to {len(army) - least} (BT-3)")
    return tuple(fielded)


def policy_of(unit: ArmyUnit, combatant: Combatant, enemies: list[Combatant], default: str) -> PolicyName:
    """Return a unit's policy, else `default`; `auto` is `charge` if the unit can only charge, else `shoot` (BT-4)."""
    if combatant.aircraft:  # an aircraft only shoots, in a sortie
        return "shoot"
    if (stated := unit.policy or default) != AUTO:
        return stated
    shoots = any(rows_to_shoot_with(combatant, enemy, "shoot") for enemy in enemies)
    has_contact_row = any(row.kind != "ranged" for row in combatant.rows or ())
    return "charge" if has_contact_row and not shoots and not combatant.has("Static") else "shoot"


def policy_against(policy: PolicyName, combatant: Combatant, enemy: Combatant) -> PolicyName | None:
    """Return the first of `policy`, `shoot` and `charge` that a unit can carry out against an enemy, or None (BT-4)."""
    candidates = ("shoot", "charge") if policy == BEST else (policy, "shoot", "charge")
    return next((candidate for candidate in candidates if why_not(candidate, combatant, enemy) is None), None)


def battle_warnings(armies: tuple[Army, Army], fielded: Any, terms: BattleTerms) -> Iterator[str]:
    """Yield the warnings of a battle."""
    if terms.arrives >= terms.rounds and any(unit.reserve for units in fielded for unit in units):
        never = f"they may arrive from round {terms.arrives} on, but not in the last round ({terms.rounds})"
        yield f"reserves never arrive: {never} (BT-3)"
    elif terms.arrives > max(terms.rounds, 2):  # the default of `arrives`, 2, needs no warning
        rounds = f"round {terms.arrives} is after the last round ({terms.rounds})"
        yield f"battle.arrives has no effect: {rounds}, and no unit is in reserve"
    if terms.objective_points > 1 and not terms.objectives:
        yield "battle.objective_points has no effect: there are no objectives"
    for side, army, units in zip(SIDES, armies, fielded):
        if (tactic := terms.tactic_of(side)) != BY_POLICY:
            changed = [f"{key}_{side}" for key, default in _AUTO_TERMS.items() if terms.side_term(key, side) != default]
            yield from (f"battle.{key} has no effect: the tactic is {tactic}, not {BY_POLICY}" for key in changed)
        yield from army.warnings
        for unit in units:
            if unit.combatant.victory_points is None:
                yield f"{side}: {unit.title} has no VICTORY POINTS RATING: its annihilation is counted as 1 VP"
            if unit.unit.points is None:
                yield f"{side}: {unit.title} has no points: it counts as 0 points"
            if unit.combatant.aircraft and any(row.has("Slow to Fire") for row in unit.combatant.rows or ()):
                yield f"{side}: {unit.title} fires its Slow to Fire row once: a sortie has no re-arm action (BT-3)"
            enemies = fielded[1 - SIDES.index(side)]
            if not any(policy_against(unit.policy, unit.combatant, enemy.combatant) for enemy in enemies):
                yield f"{side}: {unit.title} cannot attack any enemy"


def distance_between(unit: BattleUnit, other: BattleUnit) -> float | None:
    """Return the distance between two units at the start, in inches; None if either is an aircraft."""
    if unit.combatant.aircraft or other.combatant.aircraft:
        return None
    return length_of(unit.x - other.x, unit.y - other.y) / INCH
