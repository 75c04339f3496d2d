"""Simulation of a battle from deployment to its last end phase (BT-2, BT-4, BT-5), and of chunks of battles."""

from __future__ import annotations

import numpy as np

from analyser.common.jit import kernel, step
from analyser.engine.battle import choices, random_draws
from analyser.engine.battle.activation import activate, enter_field
from analyser.engine.battle.battle_data import BATCHES, MOST_POINTS, PERCENT, Battle, Place, first_of, units_of
from analyser.engine.battle.log import Event, record
from analyser.engine.battle.look_ahead_weights import NO_TACTIC
from analyser.engine.battle.lookahead import next_by_gain
from analyser.engine.battle.objectives import score_objectives
from analyser.engine.battle.positions import leave_field, move_to
from analyser.engine.rng import next_word, uniform_below
from analyser.rules import activation, unit_state
from analyser.rules.battle import ZERO_GROUND_PRESENCE, outcome_of
from analyser.rules.structs import NONE
from analyser.rules.unit_state import is_removed

_LOW, _UNIT = np.uint64(11), 2.0**-53  # to convert a random word to a number in [0, 1)


@kernel
def play_chunk(battle: Battle, stream: tuple[np.uint64, np.uint64], chunk: int, first: int, end: int) -> None:
    """Simulate the battles `first` to `end` - 1 of a chunk, and add their results to the counts."""
    field = battle.field
    field.batch = chunk % BATCHES
    for number in range(first, end):
        random_draws.begin_stream(field, stream, chunk, number)
        play_battle(battle)
        count_result(battle)
        field.margins[number] = field.points[0] - field.points[1]


@step
def play_battle(battle: Battle) -> None:
    """Simulate one battle."""
    field, facts = battle.field, battle.setup
    deploy(battle)
    is_over = False
    while not is_over:
        field.round += 1
        ready_phase(battle)
        side = int(field.initiative_side)
        waiting = 0  # consecutive turns without a ready unit
        while waiting < 2:
            unit = next_by_gain(battle, side) if facts.ahead[side] else choices.next_unit(battle, side)
            waiting = waiting + 1 if unit == NONE else 0
            if unit != NONE:
                activate(battle, unit)
            side = 1 - side
        is_over = end_phase(battle) or field.round == facts.rounds
        add_up_round(battle)
    battle.counts.ended[field.round] += 1
    for later in range(field.round, facts.rounds):  # rounds that are not played repeat the final state
        field.round = later + 1
        add_up_round(battle)


@step
def deploy(battle: Battle) -> None:
    """Deploy every unit, fill the decks, and choose the side that has the initiative first (BT-2)."""
    field, facts = battle.field, battle.setup
    field.round = field.logged = field.reforming = field.demise_pending = 0
    placed = 0
    for side in range(2):
        choose_tactic(battle, side)
        shuffle_line(battle, side)
    for side in range(2):
        for unit in units_of(battle, side):
            leave_field(battle, unit, Place.GONE)
    for side in range(2):
        field.points[side] = 0
        for unit in units_of(battle, side):
            field.states[unit] = facts.state[unit]
            if field.absent[unit]:
                continue
            if facts.carrier[unit] != NONE and not field.absent[facts.carrier[unit]]:
                field.place[unit] = Place.ABOARD
            elif facts.arrives[unit] > 0:
                field.place[unit] = Place.IN_RESERVE
            else:
                field.place[unit] = Place.ON_FIELD
                move_to(battle, unit, int(field.start_x[unit]), int(facts.y[unit]))
                placed += 1 if side == 0 else -1
    random_draws.reset_cards(facts, field)
    random_side = uniform_below(field, 2)
    first_choice = random_side if placed == 0 else (0 if placed < 0 else 1)
    field.initiative_side = 1 - first_choice if facts.gives_away[first_choice] else first_choice


@step
def choose_tactic(battle: Battle, side: int) -> None:
    """Choose the tactic of a side for this battle, at random from its mix (BT-6)."""
    field, facts = battle.field, battle.setup
    field.tactic[side], field.last_look[side] = NO_TACTIC, 0
    if facts.ahead[side]:
        drawn, tactic = (next_word(field) >> _LOW) * _UNIT, 0
        while facts.mix[side, tactic] <= drawn:
            tactic += 1
        field.tactic[side] = tactic


@step
def shuffle_line(battle: Battle, side: int) -> None:
    """Set the starting positions of a side's units; if the side looks ahead, units swap theirs at random (BT-6)."""
    field, facts = battle.field, battle.setup
    for unit in units_of(battle, side):
        field.start_x[unit] = facts.x[unit]
    slots = int(facts.slots[side]) if facts.ahead[side] else 0
    for index in range(slots):
        other = index + uniform_below(field, slots - index)
        unit, swapped = facts.slot_at[side, index], facts.slot_at[side, other]
        field.start_x[unit], field.start_x[swapped] = field.start_x[swapped], field.start_x[unit]


@step
def ready_phase(battle: Battle) -> None:
    """Carry out the ready phase: initiative, cards, reserves (BT-2, BT-3)."""
    field, facts = battle.field, battle.setup
    values = (0, 0)
    if field.round > 1:
        values = random_draws.play_for_initiative(battle)
    record(battle, Event.ROUND, int(field.initiative_side), 0, int(field.round), values[0], values[1])
    for side in range(2):
        field.finished[side] = 0
        random_draws.draw_hand(facts, field, side)
    if facts.has_reserves and 1 < field.round < facts.rounds:
        deploy_reserves(battle)


@step
def deploy_reserves(battle: Battle) -> None:
    """Bring units out of reserve; the sides alternate, and the initiative holder begins (BT-3)."""
    side, waiting = int(battle.field.initiative_side), 0
    while waiting < 2:
        unit = next_in_reserve(battle, side)
        waiting = waiting + 1 if unit == NONE else 0
        if unit != NONE:
            enter_field(battle, unit)
        side = 1 - side


@step
def next_in_reserve(battle: Battle, side: int) -> int:
    """Return the next unit of a side that comes out of reserve in this round; NONE if there is none."""
    field, facts = battle.field, battle.setup
    for unit in units_of(battle, side):
        if field.place[unit] == Place.IN_RESERVE and facts.arrives[unit] <= field.round:
            return unit
    return NONE


@step
def end_phase(battle: Battle) -> bool:
    """Carry out the end phase; return True if a side has zero ground presence, which ends the battle (BT-5, BT-7)."""
    field, facts = battle.field, battle.setup
    on_field_0, on_field_1 = 0, 0
    for side in range(2):
        for unit in units_of(battle, side):
            if not is_removed(field.states[unit]):
                field.states[unit] &= ~activation.ROUND_FLAGS
            is_on_field = 1 if field.place[unit] == Place.ON_FIELD else 0
            on_field_0, on_field_1 = on_field_0 + is_on_field * (1 - side), on_field_1 + is_on_field * side
    if facts.objectives:
        score_objectives(battle)
    for side in range(2):
        if (on_field_0 if side == 0 else on_field_1) == 0:
            record(battle, Event.GROUND, first_of(side), 0, side, 0, 0)
            field.points[1 - side] += ZERO_GROUND_PRESENCE
    record(battle, Event.ENDED, 0, 0, int(field.round), int(field.points[0]), int(field.points[1]))
    return on_field_0 == 0 or on_field_1 == 0


@step
def add_up_round(battle: Battle) -> None:
    """Add both sides' units, models and points left at the end of a round to the counts."""
    field, facts, counts = battle.field, battle.setup, battle.counts
    number = field.round - 1
    for side in range(2):
        standing, share = 0, 0.5
        for unit in units_of(battle, side):
            if field.absent[unit] or is_removed(field.states[unit]):
                continue
            models = unit_state.models_of(field.states[unit])
            counts.models[number, unit] += models
            standing += 1
            share += facts.model_percent[unit] * models
        counts.standing[number, side, standing] += 1
        counts.percent[number, side, min(int(share), PERCENT - 1)] += 1


@step
def count_result(battle: Battle) -> None:
    """Add the result of a battle to the counts."""
    field, counts = battle.field, battle.counts
    for side in range(2):
        field.points[side] = min(int(field.points[side]), MOST_POINTS)  # only with Hunter can a side score more
    points_0, points_1 = int(field.points[0]), int(field.points[1])
    counts.results[points_0, points_1] += 1
    outcome = outcome_of(points_0, points_1)
    counts.outcomes[field.batch, outcome] += 1
    for side in range(2):
        for unit in units_of(battle, side):
            if not field.absent[unit] and not is_removed(field.states[unit]):
                counts.survived[unit] += 1
