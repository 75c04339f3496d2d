"""Passengers of transports: tests while embarked (AC-5.10), and disembarking (BT-3)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.battle_data import Battle, Place, side_of, wide
from analyser.engine.battle.log import Event, record
from analyser.engine.battle.losses import passes, set_state
from analyser.engine.battle.positions import find_nearest, move_to
from analyser.rules import combat_result, discipline, unit_state
from analyser.rules.discipline import ACTIVATED, BROKEN, DISORDERED, SUPPRESSED
from analyser.rules.structs import NONE


@step
def passenger_of(battle: Battle, transport: int) -> int:
    """Return the unit embarked on a transport; NONE if there is none."""
    unit = int(battle.setup.cargo[transport])
    return unit if unit != NONE and battle.field.place[unit] == Place.ABOARD else NONE


@step
def store_passengers(battle: Battle, transport: int) -> None:
    """Store the number of models embarked on a transport that enters a combat (AC-8.8)."""
    field, unit = battle.field, passenger_of(battle, transport)
    field.sides[transport].passengers = 0 if unit == NONE else unit_state.models_of(field.states[unit])


@step
def take_passenger_test(battle: Battle, transport: int, caused_by: int, qualities: int) -> None:
    """Test the passenger of a transport that has taken a test (AC-5.10); passengers do not fall back.

    `qualities`: qualities of the attacks that caused the test, as bits of :mod:`~analyser.rules.unit_state`.
    """
    field, unit = battle.field, passenger_of(battle, transport)
    if unit == NONE:
        return
    state, target, fight = int(field.states[unit]), field.units[unit], field.fight[0]
    unit_state.copy_to_record(target, field.sides[unit], state)
    lost = int(field.lost_aboard)
    target.near_commander, target.models = 0, target.models + lost
    combat_result.set_test(fight, target, field.attack[0], qualities)
    if passes(battle, unit, discipline.highest_card_of_test(fight, lost, fight.disordered), 0):
        return
    if unit_state.models_of(state) <= fight.break_limit:
        set_state(
            battle,
            unit,
            caused_by,
            unit_state.removed_state(state, field.sides[unit], 0, BROKEN | discipline.ANNIHILATED),
            0,
        )
    elif fight.cryo and not fight.activated and not fight.suppressed:
        field.states[unit] = state | ACTIVATED
    else:
        field.states[unit] = state | SUPPRESSED | (DISORDERED if fight.disorders else 0)
        record(battle, Event.SUPPRESSED, unit, 0, 0, 0, 0)


@step
def disembarks_now(battle: Battle, unit: int) -> bool:
    """Return True if an embarked unit disembarks now: an enemy is near, or the stated round has begun (BT-3)."""
    field, facts = battle.field, battle.setup
    transport = int(facts.carrier[unit])
    if field.place[transport] != Place.ON_FIELD:
        return False
    find_nearest(battle, 1 - side_of(unit), wide(field.x[transport]), wide(field.y[transport]))
    near = field.nearest != NONE and field.nearest_length <= facts.disembark_within
    return bool(near or field.round >= facts.disembark_by)


@step
def disembark(battle: Battle, unit: int) -> None:
    """Disembark a unit at the position of its transport."""
    field, transport = battle.field, int(battle.setup.carrier[unit])
    field.place[unit] = Place.ON_FIELD
    move_to(battle, unit, wide(field.x[transport]), wide(field.y[transport]))
    record(battle, Event.DISEMBARKED, unit, transport, 0, 0, 0)
