"""Program of a charge from the record of a question, and the reasons why a charge is impossible."""

from __future__ import annotations

from typing import Any

from analyser.common.jit import step
from analyser.engine.fight.charge_steps import add_combat, row_for_contact, set_sides_of_charge
from analyser.engine.fight.step_builder import Builder, band_of
from analyser.rules import charge_strikes, shots
from analyser.rules.structs import NONE
from analyser.web.memory_records import MOST_MODELS, Refusal

_FLYING = sum(1 << charge_strikes.TYPES.index(name) for name in ("rotorcraft", "aircraft"))  # bit mask (AC-8.1)


@step
def band_count(unit: Any) -> int:
    """Return the number that selects the band of a row: models, or the damage on a behemoth (AC-2.3)."""
    return int(shots.band_count(unit.target[0].models, unit.target[0].damage, unit.target[0].behemoth, 0))


@step
def why_no_charge(charger: Any, charged: Any) -> int:
    """Return the refusal if `charger` cannot charge `charged` (AC-8.1, AC-7), else 0."""
    if charger.facts[0].static:
        return Refusal.IS_STATIC.value
    if row_for_contact(charger, 1) == NONE:  # 1: impact rows also count
        return Refusal.NO_ROW_TO_CHARGE_WITH.value
    kind = charged.facts[0].type
    if charged.target[0].aircraft or (kind != NONE and _FLYING >> kind & 1):
        return Refusal.CANNOT_BE_CHARGED.value
    return 0


@step
def why_no_dice(unit: Any, row: int) -> int:
    """Return NO_DICE (a WhyNot) if the row has no dice for the unit's models or damage (AC-2.4), else 0."""
    return shots.WhyNot.NO_DICE.value if band_of(unit.rows[row], band_count(unit)) == NONE else 0


@step
def begin_setup(question: Any, setup: Any) -> None:
    """Set both units, and the number of entries of the dice tables: 1 + most models (behemoth: DAMAGE LIMIT)."""
    most = 0
    for side in range(2):
        state = question.units[side].target[0]
        most = max(most, state.damage_limit if state.behemoth else state.models)
        setup.units[side] = state
    setup.dice_entries = min(most, MOST_MODELS) + 1


@step
def set_charge(builder: Builder) -> int:
    """Build the setup and the operations of a charge by unit 0; return a Refusal or WhyNot, or 0 if it is possible."""
    attacker, target = builder.question.units[0], builder.question.units[1]
    refusal = why_no_charge(attacker, target)
    if attacker.target[0].garrisoned:
        refusal = Refusal.IN_BUILDING.value
    if attacker.facts[0].outflanking and target.target[0].garrisoned:
        refusal = Refusal.FRONT_ALL_ROUND.value
    if refusal == 0:
        refusal = why_no_dice(attacker, row_for_contact(attacker, 1))
    if refusal:
        return refusal
    begin_setup(builder.question, builder.setup)
    add_combat(builder, 0)
    side_out_of_range, _ = set_sides_of_charge(builder)
    for side in range(2):
        builder.setup.sides[side].hunter = 1  # makes the state count combats won, which tell who won the first combat
    return 0 if side_out_of_range == NONE else Refusal.TOO_MANY_POSITIONS.value
