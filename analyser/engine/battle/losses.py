"""Losses of units, and tests by card (AC-5.1, AC-5.9, AC-8.8)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.battle_data import Battle, Place, side_of
from analyser.engine.battle.log import Event, note
from analyser.engine.battle.positions import remove, set_back
from analyser.engine.battle.random_draws import odds_in, test_card
from analyser.engine.rng import uniform_below
from analyser.rules import discipline, unit_state
from analyser.rules.discipline import ANNIHILATED, SUPPRESSED
from analyser.rules.draws import Draw, success_counts, test_draw
from analyser.rules.structs import NONE
from analyser.rules.unit_state import FALL_BACK

NOBODY = -1


@step
def passes(battle: Battle, unit: int, highest: int, rallies: int) -> bool:
    """Return True if a unit passes a test that cards up to `highest` pass; draw a card if needed (AC-5.1)."""
    if abs(highest) == discipline.ANY_CARD:
        return highest > 0
    draw = test_draw(side_of(unit))
    if draw not in (Draw.CARD_OF_SIDE_0, Draw.CARD_OF_SIDE_1):
        below, draws = success_counts(draw, highest, odds_in(battle.encoding))
        return bool(uniform_below(battle.field, draws) < below)
    card = test_card(battle.encoding, battle.field, side_of(unit))
    note(battle, Event.CARD, unit, 0, card, highest, rallies)
    return card <= highest


@step
def settle(battle: Battle, unit: int, by: int, after: int, fell_back: int) -> None:
    """Set the state of a unit to `after`, due to the unit `by`, if any; move the unit if it fell back."""
    field, counts = battle.field, battle.counts
    before = int(field.states[unit])
    gone = unit_state.models_of(before) - (0 if unit_state.is_removed(after) else unit_state.models_of(after))
    if gone:
        counts.lost[field.batch, unit] += gone
        if by != NOBODY:
            counts.killed[field.batch, by, unit] += gone
    field.states[unit] = after
    if gone and battle.encoding.has_transports:
        lose_room(battle, unit)
    if unit_state.is_removed(after):
        remove(battle, unit)
        return
    if after & SUPPRESSED and not before & SUPPRESSED:
        note(battle, Event.SUPPRESSED, unit, 0, 0, 0, 0)
    if fell_back:
        note(battle, Event.FELL_BACK, unit, 0, 0, 0, 0)
        set_back(battle, unit, FALL_BACK)


@step
def lose_room(battle: Battle, transport: int) -> None:
    """Destroy passengers that exceed the capacity of a transport after losses (AC-8.8)."""
    field, unit = battle.field, int(battle.encoding.cargo[transport])
    if unit == NONE or field.place[unit] != Place.ABOARD:
        return
    state, left = int(field.states[unit]), int(field.states[transport])
    models = unit_state.models_of(state)
    room = 0 if unit_state.is_removed(left) else field.sides[transport].capacity * unit_state.models_of(left)
    if models <= room:
        return
    battle.counts.lost[field.batch, unit] += models - room
    field.lost_aboard += models - room
    note(battle, Event.OWN_LOSS, unit, transport, models - room, 1, 0)
    if room > 0:
        field.states[unit] = state - (models - room)
    else:
        field.states[unit] = unit_state.removed_state(state, field.sides[unit], models, ANNIHILATED)
        field.x[unit], field.y[unit] = field.x[transport], field.y[transport]  # position of a possible blast
        remove(battle, unit)
