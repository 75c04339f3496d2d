"""Charges and the combats that follow (AC-8), as programs of strikes and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast

from analyser.common.errors import InputError
from analyser.engine.battle.battle_data import StrikeSlot
from analyser.engine.fight import charge_steps
from analyser.engine.fight.best.choice_program import ATTACK, DECLARED, OVERRUN, RETALIATION, Choice
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.engine.fight.step_builder import add_row
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Die, Ruleset
from analyser.game.units import hundredths
from analyser.rules import charge_strikes as rules
from analyser.rules import discipline, unit_state
from analyser.rules.activation import Order, at_double_time
from analyser.rules.attack import dice_of_cell
from analyser.rules.structs import INCH, NONE, Penalty
from analyser.scenarios import resolve
from analyser.scenarios.fight_records import Draft, Fighter, Strike, setup_for
from analyser.scenarios.schema import Charge, ChargeFile, Combatant

ATTACKER, TARGET = 0, 1


@dataclass(frozen=True, slots=True)
class ChargeScenario:
    """A resolved charge."""

    kind: ClassVar[Literal["charge"]] = "charge"

    attacker: Combatant
    target: Combatant
    secondary: tuple[Combatant, ...]
    ruleset: Ruleset
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the scenario as plain data with all defaults; loading it gives an equal scenario."""
        units = (self.attacker, self.target, *self.secondary)
        attacker, target, *others = (unit.model_dump(mode="json", exclude={"charge"}) for unit in units)
        return {
            "charge": self.attacker.charge.model_dump(mode="json"),
            "attacker": attacker,
            "target": target,
            "secondary": [keys | {"threatened": unit.charge.threatened} for keys, unit in zip(others, self.secondary)],
            "ruleset": self.ruleset.model_dump(mode="json"),
        }


def resolve_charge(file: ChargeFile, library: Profiles) -> ChargeScenario:
    """Return the charge of a checked `file`."""
    for side, unit in (("attacker", file.attacker), ("target", file.target)):
        if "charge" in unit.model_fields_set:
            problem = "the conditions of the charge are stated in the wrong place"
            raise InputError(problem, where=f"{side}.charge", allowed="in [charge]")
    if file.attacker.garrisoned:
        problem = "a unit in a building cannot charge, only leave the building"
        raise InputError(problem, where="attacker.garrisoned", allowed="false")
    if file.target.garrisoned and file.charge.outflanking:
        problem = "a unit in a building has its front on every side (AC-8.2)"
        raise InputError(problem, where="charge.outflanking", allowed="false, or a target outside")
    attacker = resolve.resolve_combatant(file.attacker, library, "attacker").model_copy(update={"charge": file.charge})
    target = resolve.resolve_combatant(file.target, library, "target")
    _check_reach(attacker, file.charge.distance)
    others = []
    for index, unit in enumerate(file.secondary):
        other = resolve.resolve_combatant(resolve.shared_keys(Combatant, unit), library, f"secondary.{index}")
        others.append(other.model_copy(update={"charge": Charge(threatened=unit.threatened)}))
    scenario = ChargeScenario(attacker, target, tuple(others), file.ruleset)
    return replace(scenario, warnings=tuple(dict.fromkeys(charge_warnings(file, scenario, library))))


def reach_of_charge(attacker: Combatant) -> float | None:
    """Return how many inches a unit can charge (2 x SPEED); None for a unit without SPEED."""
    return None if attacker.speed is None else at_double_time(hundredths(attacker.speed)) / INCH


def _check_reach(attacker: Combatant, distance: float | None) -> None:
    if distance is None:
        return
    if (reach := reach_of_charge(attacker)) is None:
        raise InputError("this key is missing", where="attacker.speed", allowed="a number; or no charge.distance")
    if hundredths(distance) > hundredths(reach):
        problem = f"{attacker.unit or 'the unit'} cannot charge so far: its charge reaches {reach:g} inches "
        problem += f"(2 x SPEED), and the distance is {distance:g}"
        raise InputError(problem, where="charge.distance", allowed=f"0 to {reach:g}")


class _ChargeDraft(Draft):
    """Draft (see :class:`Draft`) of a charge that brings other units of the charged side into contact (AC-8.7)."""

    def add_others(self, active: int, inside: int, orders: int) -> None:
        """Append the attacks on side `active` by the other units, which the charged unit supports (AC-8.2, AC-8.7)."""
        charger = self.question.units[active]
        others = self.question.units[1 - active].others_in_contact
        for place, fighter in enumerate(map(Fighter, others), start=1):
            unit, row = fighter.unit, charge_steps.row_for_contact(fighter, 0)
            if row == NONE:
                continue
            cell: list[int] = fighter.dice_of(row)[unit.count].tolist()
            facts: Any = fighter.attack_of(row)
            facts.close_quarters = 1
            dice = dice_of_cell(facts, charger.target[0], cell[0], cell[1], 0)
            if dice <= 0:
                continue
            draft: Any = self.part()
            draft.question = copy(self.question)
            draft.question.units = (charger, fighter) if active == 0 else (fighter, charger)
            number = add_row(draft, 1 - active, row, 1)
            strike, attack = self.setup.strikes[number], self.setup.attacks[number]
            facts_of_unit = fighter.facts[0]
            attack.bonuses |= rules.bonuses_in_combat(1, facts_of_unit.type, charger.facts[0].type)
            attack.penalties |= Penalty.THREATENED * facts_of_unit.threatened + Penalty.SUPPRESSED * unit.suppressed
            attack.overcharge = int(unit.overcharge and unit.rows[row].has("Overcharge"))
            self.setup.targets[number].from_front = 0
            strike.fixed_dice, strike.by_damage, strike.pays_overcharge, strike.secondary_unit = dice, 0, 0, place
            strike.orders, strike.inside = orders, inside
            self.lines.append(Operation(Kind.STRIKE, active, number))


def combats(
    chargers: Sequence[Combatant], charged: Sequence[Combatant], active: int, draft: Draft
) -> list[list[Operation | Choice]]:
    """Return a list of the operations of a charge for each of `chargers`, and append the strikes to the draft.

    `chargers` are variants of the charging unit (side `active`): as stated, then with other rows and with Overcharge.
    `charged` are the same variants of the enemy. Just before each strike the striking side, which knows the states of
    both units, chooses its variant (AC-7, AC-8.1 to AC-8.4).
    """

    def draft_between(charger: Combatant, other: Combatant) -> Any:
        combat: Any = Draft((charger, other) if active == 0 else (other, charger))
        charge_steps.add_combat(combat, active)
        return combat

    if not chargers:
        return []
    by_charger = [draft_between(charger, charged[0]) for charger in chargers]
    by_charged = [by_charger[0], *(draft_between(chargers[0], unit) for unit in charged[1:])]
    options = {active: by_charger, 1 - active: by_charged}
    numbers = list[list[int]]()  # for each strike of the combat: its index in `draft`, by variant
    for number, strike in enumerate(by_charger[0].setup.strikes):
        drafts = options[strike.striker] if strike.pays_overcharge else options[active][:1]
        numbers.append([draft.copy_strike(combat, number) for combat in drafts])

    def with_choice(operation: Operation, option: int) -> Operation | Choice:
        if operation.kind != Kind.STRIKE:
            return operation
        striker, own_numbers = by_charger[0].setup.strikes[operation.number].striker, numbers[operation.number]
        units, first, subject = (chargers, option, ATTACK) if striker == active else (charged, 0, RETALIATION)
        if len(own_numbers) == 1:
            return operation._replace(number=own_numbers[0])
        if subject == ATTACK and operation.number == 0:
            subject = DECLARED  # nothing has happened since the charge was declared
        others = [index for index in range(len(own_numbers)) if index != first]
        others.sort(key=lambda index: units[index].overcharge != units[first].overcharge)
        return Choice(striker, subject, [[operation._replace(number=own_numbers[index])] for index in (first, *others)])

    return [[with_choice(operation, option) for operation in combat.lines] for option, combat in enumerate(by_charger)]


def with_overrun_choice(operations: list[Operation | Choice], active: int) -> list[Operation | Choice]:
    """Return the operations of a combat; a charger that wins chooses whether to use its Overrun (AC-7, AC-8.5)."""
    kinds = [operation.kind if isinstance(operation, Operation) else None for operation in operations]
    if kinds.count(Kind.ENGAGE) == 1:
        return operations
    begins = kinds.index(Kind.ENGAGE, 1)
    ends = len(kinds) - kinds[::-1].index(Kind.END_COMBAT)
    overrun = Choice(active, OVERRUN, [operations[begins:ends], [Operation(Kind.DECLINE_OVERRUN, active)]])
    return [*operations[:begins], overrun, *operations[ends:]]


def strikes_of_charge(charger: Combatant, charged: Combatant) -> dict[StrikeSlot, Strike | None]:
    """Return the strikes of both units in a charge outside buildings, by slot; None for one that they cannot make."""
    draft: Any = Draft((charger, charged))

    def index_added_by(add: Callable[..., None], *more: int) -> int | None:
        number = len(draft.setup.strikes)
        add(draft, ATTACKER, *more)
        return number if len(draft.setup.strikes) > number else None

    numbers = {
        StrikeSlot.SPONSONS: index_added_by(charge_steps.add_sponsons),
        StrikeSlot.CHARGE: index_added_by(charge_steps.add_attack, 0),
        StrikeSlot.RETALIATION: index_added_by(charge_steps.add_retaliation, 0, NONE),
        StrikeSlot.THROW: index_added_by(charge_steps.add_throw),
    }
    if charger.has("Overrun") and charger.charge.overrun:
        numbers[StrikeSlot.OVERRUN] = index_added_by(charge_steps.add_attack, 1)
        numbers[StrikeSlot.RETALIATION_TO_OVERRUN] = index_added_by(charge_steps.add_retaliation, 1, NONE)
    strikes = draft.strikes()
    return {slot: None if (number := numbers.get(slot)) is None else strikes[number] for slot in StrikeSlot}


def blast_on(unit: Combatant, enemy: Combatant) -> Strike:
    """Return the blast of a destroyed `unit` (Spectacular Demise, AC-7) as a strike on the unit `enemy`."""
    draft: Any = Draft((unit, enemy))
    charge_steps.add_blast(draft, ATTACKER)
    return cast("Draft", draft).strikes()[0]


def charge_program(
    attacker: Combatant,
    target: Combatant,
    secondary: tuple[Combatant, ...] = (),
    die: Die | None = None,
    *,
    is_checked: bool = False,
) -> tuple[Setup, list[Operation]]:
    """Return the setup and the program of a charge; InputError if it is impossible (`is_checked` skips the test)."""
    if not is_checked:
        target.check_can_be_charged()
        attacker.check_can_charge()
        for unit, where in ((target, "target"), *((unit, f"secondary.{i}") for i, unit in enumerate(secondary))):
            unit.check_can_retaliate(where)
    draft: Any = _ChargeDraft((attacker, target), secondary)
    charge_steps.add_combat(draft, ATTACKER)
    draft.check_room(*charge_steps.set_sides_of_charge(draft), "edge_distance")
    return setup_for(draft.sides(), (attacker, target), draft.strikes(), die), draft.lines


def charge_start(setup: Setup) -> tuple[int, int]:
    """Return the states of both sides as a charge begins: the attacker is activated and has charged."""
    attacker, target = start_states(setup)
    return unit_state.with_order(attacker, int(Order.CHARGE)) | discipline.ACTIVATED, target


_KEYS_WITHOUT_EFFECT = {  # keys of a combatant without effect in close quarters, with the reasons
    "row": "in close quarters use close_quarters_row",
    "ammo_supply": "Ammo Supply is for ranged attacks",
    "concealed": "concealment has no effect in close quarters (AC-4.3)",
    "taking_cover": "cover has no effect in close quarters (AC-4.3)",
    "obstacle": "cover has no effect in close quarters (AC-4.3)",
    "exposed": "exposed models are prioritised by ranged attacks only (AC-3.9)",
    "on_lookout": "a charge has no opportunity fire",
    "reloading": "close quarters need no reloading",
}
_KEYS_AGAINST_SHOTS = ("taking_cover", "obstacle", "exposed")


def charge_warnings(file: ChargeFile, scenario: ChargeScenario, profiles: Profiles) -> Iterator[str]:
    """Yield the warnings of a charge; `scenario` is the resolved `file`."""
    attacker, target = scenario.attacker, scenario.target
    secondary = [f"secondary.{index}" for index in range(len(scenario.secondary))]
    units, stated = (attacker, target, *scenario.secondary), (file.attacker, file.target, *file.secondary)
    for unit, where, keys in zip(units, ("attacker", "target", *secondary), stated):
        yield from resolve.combatant_warnings(unit, where, keys, profiles)
        if unit.garrisoned and where in secondary:
            yield f"{where}.garrisoned has no effect: only the target's building is stormed"
    yield from resolve.outflanking_warnings(file.charge, target, "charge")
    for side, keys, is_shot_at in (("attacker", file.attacker, False), ("target", file.target, attacker.has("Throw"))):
        for key, reason in _KEYS_WITHOUT_EFFECT.items():
            is_default = getattr(keys, key) == Combatant.model_fields[key].default
            if is_default or (is_shot_at and key in _KEYS_AGAINST_SHOTS):
                continue  # taking_cover, obstacle and exposed matter against Throw, which is a ranged attack
            yield f"{side}.{key} has no effect: {reason}"
    yield from resolve.overrun_warnings(attacker, "charge")
    yield from resolve.overcharge_warnings(attacker, "attacker")
    yield from resolve.overcharge_warnings(target, "target")
