"""Losses of units, and tests by card (AC-5.1, AC-5.9, AC-8.8)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.battle_data import Battle, Place, side_of
from analyser.engine.battle.log import Event, record
from analyser.engine.battle.positions import move_back, remove
from analyser.engine.battle.random_draws import draw_test_card, setup_odds
from analyser.engine.rng import uniform_below
from analyser.rules import discipline, unit_state
from analyser.rules.discipline import ANNIHILATED, SUPPRESSED
from analyser.rules.draws import Draw, success_counts, test_draw
from analyser.rules.structs import NONE
from analyser.rules.unit_state import FALL_BACK

NO_UNIT = -1


@step
def passes(battle: Battle, unit: int, highest: int, rallies: int) -> bool:
    """Return True if a unit passes a test (AC-5.1): cards up to `highest` pass; `rallies` is 1 for a rally test."""
    if abs(highest) == discipline.ANY_CARD:
        return highest > 0
    draw = test_draw(side_of(unit))
    if draw not in (Draw.CARD_OF_SIDE_0, Draw.CARD_OF_SIDE_1):
        successes, draws = success_counts(draw, highest, setup_odds(battle.setup))
        return bool(uniform_below(battle.field, draws) < successes)
    card = draw_test_card(battle.setup, battle.field, side_of(unit))
    record(battle, Event.CARD, unit, 0, card, highest, rallies)
    return card <= highest


@step
def set_state(battle: Battle, unit: int, caused_by: int, after: int, fell_back: int) -> None:
    """Set a unit's state to `after`, due to the unit `caused_by` (or NO_UNIT); move the unit back if it `fell_back`."""
    field, counts = battle.field, battle.counts
    before = int(field.states[unit])
    models_lost = unit_state.models_of(before) - (0 if unit_state.is_removed(after) else unit_state.models_of(after))
    if models_lost:
        counts.lost[field.batch, unit] += models_lost
        if caused_by != NO_UNIT:
            counts.killed[field.batch, caused_by, unit] += models_lost
    field.states[unit] = after
    if models_lost and battle.setup.has_transports:
        destroy_excess_passengers(battle, unit)
    if unit_state.is_removed(after):
        remove(battle, unit)
        return
    if after & SUPPRESSED and not before & SUPPRESSED:
        record(battle, Event.SUPPRESSED, unit, 0, 0, 0, 0)
    if fell_back:
        record(battle, Event.FELL_BACK, unit, 0, 0, 0, 0)
        move_back(battle, unit, FALL_BACK)


@step
def destroy_excess_passengers(battle: Battle, transport: int) -> None:
    """Destroy passengers that exceed the capacity of a transport after losses (AC-8.8)."""
    field, unit = battle.field, int(battle.setup.cargo[transport])
    if unit == NONE or field.place[unit] != Place.ABOARD:
        return
    state, carrier = int(field.states[unit]), int(field.states[transport])
    models = unit_state.models_of(state)
    capacity = 0 if unit_state.is_removed(carrier) else field.sides[transport].capacity * unit_state.models_of(carrier)
    if models <= capacity:
        return
    battle.counts.lost[field.batch, unit] += models - capacity
    field.lost_aboard += models - capacity
    record(battle, Event.OWN_LOSS, unit, transport, models - capacity, 1, 0)
    if capacity > 0:
        field.states[unit] = state - (models - capacity)
    else:
        field.states[unit] = unit_state.removed_state(state, field.sides[unit], models, ANNIHILATED)
        field.x[unit], field.y[unit] = field.x[transport], field.y[transport]  # position of a possible blast
        remove(battle, unit)
