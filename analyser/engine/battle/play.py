"""Simulation of a battle from deployment to its last end phase (BT-2, BT-4, BT-5), and of chunks of battles."""

from __future__ import annotations

import numpy as np

from analyser.common.jit import kernel, step
from analyser.engine.battle import choices, random_draws
from analyser.engine.battle.activation import activate, enter
from analyser.engine.battle.battle_data import BATCHES, PERCENT, Battle, Place, first_of
from analyser.engine.battle.log import Event, note
from analyser.engine.battle.look_ahead_weights import BY_TACTIC
from analyser.engine.battle.lookahead import next_by_gain
from analyser.engine.battle.positions import put, take_off
from analyser.engine.rng import next_word, uniform_below
from analyser.rules import activation, unit_state
from analyser.rules.battle import ZERO_GROUND_PRESENCE, outcome_of
from analyser.rules.structs import NONE
from analyser.rules.unit_state import is_removed

_LOW, _UNIT = np.uint64(11), 2.0**-53  # convert a word to a number from 0 up to, not including, 1


@kernel
def play_chunk(battle: Battle, stream: tuple[np.uint64, np.uint64], chunk: int, first: int, end: int) -> None:
    """Simulate the battles of a chunk from `first` up to, not including, `end`, and add their results to the counts."""
    field = battle.field
    field.batch = chunk % BATCHES
    for number in range(first, end):
        random_draws.begin_stream(field, stream, chunk, number)
        play_battle(battle)
        count(battle)
        field.margins[number] = field.points[0] - field.points[1]


@step
def play_battle(battle: Battle) -> None:
    """Simulate one battle."""
    field, facts = battle.field, battle.encoding
    deploy(battle)
    over = False
    while not over:
        field.round += 1
        ready(battle)
        side = int(field.holder)
        waiting = 0  # turns in a row without a ready unit
        while waiting < 2:
            unit = next_by_gain(battle, side) if facts.ahead[side] else choices.next_unit(battle, side)
            waiting = waiting + 1 if unit == NONE else 0
            if unit != NONE:
                activate(battle, unit)
            side = 1 - side
        over = end_phase(battle) or field.round == facts.rounds
        add_up_round(battle)
    battle.counts.ended[field.round] += 1
    for later in range(field.round, facts.rounds):  # later rounds repeat the final state
        field.round = later + 1
        add_up_round(battle)


@step
def deploy(battle: Battle) -> None:
    """Deploy every unit, fill the decks, and choose the side that begins (BT-2)."""
    field, facts = battle.field, battle.encoding
    field.round = field.logged = field.reforming = field.fallen = 0
    placed = 0
    for side in range(2):
        choose_tactic(battle, side)
        shuffle_line(battle, side)
    for side in range(2):
        for unit in range(first_of(side), first_of(side) + facts.units[side]):
            take_off(battle, unit, Place.GONE)
    for side in range(2):
        field.points[side] = 0
        for unit in range(first_of(side), first_of(side) + facts.units[side]):
            field.states[unit] = facts.state[unit]
            if field.absent[unit]:
                continue
            if facts.carrier[unit] != NONE and not field.absent[facts.carrier[unit]]:
                field.place[unit] = Place.ABOARD
            elif facts.arrives[unit] > 0:
                field.place[unit] = Place.IN_RESERVE
            else:
                field.place[unit] = Place.ON_FIELD
                put(battle, unit, int(field.at[unit]), int(facts.y[unit]))
                placed += 1 if side == 0 else -1
    random_draws.begin_cards(facts, field)
    general = uniform_below(field, 2)
    first_done = general if placed == 0 else (0 if placed < 0 else 1)
    field.holder = 1 - first_done if facts.gives[first_done] else first_done


@step
def choose_tactic(battle: Battle, side: int) -> None:
    """Choose the tactic of a side for this battle, at random from its mix (BT-6)."""
    field, facts = battle.field, battle.encoding
    field.tactic[side], field.looked[side] = BY_TACTIC, 0
    if facts.ahead[side]:
        drawn, tactic = (next_word(field) >> _LOW) * _UNIT, 0
        while facts.mix[side, tactic] <= drawn:
            tactic += 1
        field.tactic[side] = tactic


@step
def shuffle_line(battle: Battle, side: int) -> None:
    """Assign the positions of a line to its units at random, if the side looks ahead (BT-6)."""
    field, facts = battle.field, battle.encoding
    first = first_of(side)
    for unit in range(first, first + facts.units[side]):
        field.at[unit], field.threat[unit] = facts.x[unit], facts.dread[unit]
    slots = int(facts.slots[side]) if facts.ahead[side] else 0
    for place in range(slots):
        other = place + uniform_below(field, slots - place)
        unit, swapped = facts.slot_at[side, place], facts.slot_at[side, other]
        field.at[unit], field.at[swapped] = field.at[swapped], field.at[unit]


@step
def ready(battle: Battle) -> None:
    """Carry out the ready phase: initiative, cards, reserves (BT-2, BT-3)."""
    field, facts = battle.field, battle.encoding
    values = (0, 0)
    if field.round > 1:
        values = random_draws.play_for_initiative(battle)
    note(battle, Event.ROUND, int(field.holder), 0, int(field.round), values[0], values[1])
    for side in range(2):
        field.done[side] = 0
        random_draws.draw_hand(facts, field, side)
    if facts.has_reserves and 1 < field.round < facts.rounds:
        deploy_reserves(battle)


@step
def deploy_reserves(battle: Battle) -> None:
    """Bring units out of reserve, one by each side in turn, beginning with the initiative holder (BT-3)."""
    side, waiting = int(battle.field.holder), 0
    while waiting < 2:
        unit = next_in_reserve(battle, side)
        waiting = waiting + 1 if unit == NONE else 0
        if unit != NONE:
            enter(battle, unit)
        side = 1 - side


@step
def next_in_reserve(battle: Battle, side: int) -> int:
    """Return the next unit of a side that comes out of reserve now; NONE if there is none."""
    field, facts = battle.field, battle.encoding
    for unit in range(first_of(side), first_of(side) + facts.units[side]):
        if field.place[unit] == Place.IN_RESERVE and facts.arrives[unit] <= field.round:
            return unit
    return NONE


@step
def end_phase(battle: Battle) -> bool:
    """Carry out the end phase; return True if a side has zero ground presence, which ends the battle (BT-5)."""
    field, facts = battle.field, battle.encoding
    there_of_0, there_of_1 = 0, 0
    for side in range(2):
        for unit in range(first_of(side), first_of(side) + facts.units[side]):
            if not is_removed(field.states[unit]):
                field.states[unit] &= ~activation.ROUND_FLAGS
            there = 1 if field.place[unit] == Place.ON_FIELD else 0
            there_of_0, there_of_1 = there_of_0 + there * (1 - side), there_of_1 + there * side
    for side in range(2):
        if (there_of_0 if side == 0 else there_of_1) == 0:
            note(battle, Event.GROUND, first_of(side), 0, side, 0, 0)
            field.points[1 - side] += ZERO_GROUND_PRESENCE
    note(battle, Event.ENDED, 0, 0, int(field.round), int(field.points[0]), int(field.points[1]))
    return there_of_0 == 0 or there_of_1 == 0


@step
def add_up_round(battle: Battle) -> None:
    """Add the strengths of both sides at the end of a round to the counts."""
    field, facts, counts = battle.field, battle.encoding, battle.counts
    number = field.round - 1
    for side in range(2):
        standing, share = 0, 0.5
        for unit in range(first_of(side), first_of(side) + facts.units[side]):
            if field.absent[unit] or is_removed(field.states[unit]):
                continue
            models = unit_state.models_of(field.states[unit])
            counts.models[number, unit] += models
            standing += 1
            share += facts.worth[unit] * models
        counts.standing[number, side, standing] += 1
        counts.percent[number, side, min(int(share), PERCENT - 1)] += 1


@step
def count(battle: Battle) -> None:
    """Add the result of a battle to the counts."""
    field, facts, counts = battle.field, battle.encoding, battle.counts
    a, b = int(field.points[0]), int(field.points[1])
    counts.results[a, b] += 1
    outcome = outcome_of(a, b)
    counts.outcomes[field.batch, outcome] += 1
    for side in range(2):
        for unit in range(first_of(side), first_of(side) + facts.units[side]):
            if not field.absent[unit] and not is_removed(field.states[unit]):
                counts.survived[unit] += 1
