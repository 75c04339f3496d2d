"""Trials of a longer fight, each with two decks of its own: some of them abreast, each in its lane (:mod:`.passes`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import kernel, step
from analyser.engine.fight.program import Setup
from analyser.engine.fight.sampled.decks import Decks, draw_value, shuffle_all
from analyser.engine.fight.sampled.draws import Chance, begin_stream
from analyser.engine.fight.sampled.lanes import ABREAST, RING, Lanes
from analyser.engine.fight.sampled.lockstep import ROLL, lanes_go_on
from analyser.engine.fight.sampled.nodes import (
    ENDED,
    POOL,
    TURN,
    UNKNOWN,
    Crossings,
    crossing_at,
    crossing_of,
    forget_all,
    sure_turn,
)
from analyser.engine.fight.sampled.pools import Pools, Sheets
from analyser.engine.fight.sampled.program_table import NO_MARK, NO_PLACE, NO_TURN, NO_WAY, UNASKED, Script, Stage
from analyser.engine.fight.sampled.roll_cache import Hands, put_away, roll_again, rolls_left
from analyser.engine.fight.sampled.snapshots import COUNT, FINAL, UNSEEN, Parts, way_onward
from analyser.engine.fight.sampled.transitions import FIRST_CARD, arrive, find_turn, is_rolled, place_of, placing
from analyser.engine.pool.layout import Special

CHUNK_TRIALS = 1 << 17  # it has 32768 random words a trial, as many as 150 attacks of 200 dice take
NOT_BEGUN = -1
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@step
def rolled_apart(
    script: Script,
    pools: Pools,
    known: Crossings,
    chance: Chance,
    hands: Hands,
    decks: Decks,
    lanes: Lanes,
    sheets: Sheets,
    specials: Special | None,
    setup: Setup,
) -> bool:
    """Let the lane that goes on take a turn that no hand tells: by a card that adds dice, or by one roll of very many.

    False: the value of a card counts, and not all marks are known.
    """
    lane = lanes.lane
    crossing = crossing_of(known, lanes.place[lane])
    queue = known.queue[crossing]
    if script.stage[queue] == Stage.CARD:
        for wanted in range(len(script.marks)):
            if script.marks[wanted] == UNASKED:
                script.wanted = wanted
                return False
        result = FIRST_CARD + draw_value(script, decks, lanes, chance, script.pool[queue], lane)
        turn = np.int64(lanes.place[lane] & TURN) + result
        if known.turns[turn] == UNKNOWN:
            find_turn(setup, script, pools, known, crossing, result)
        lanes.turn[lane] = np.uint64(known.turns[turn])
    else:
        pool = script.pool[queue]
        cell = next_cell(pools, chance, hands, sheets, specials, pool)
        lanes.turn[lane] = np.uint64(sure_turn(script.certain, placing(script, known, crossing, cell)))
    lanes.lane += 1
    return True


@step
def next_cell(pools: Pools, chance: Chance, hands: Hands, sheets: Sheets, specials: Special | None, pool: int) -> int:
    """The next roll of a pool that can come to many things."""
    while True:
        if rolls_left(hands, pool) == 0:
            roll_again(sheets, specials, pools, hands, chance, pool)
        cell = np.int64(hands.many_cells[hands.next[pool]])
        hands.next[pool] += _ONE
        if cell != pools.cells[pool]:
            return int(cell)


@step
def begin_trials(
    setup: Setup,
    script: Script,
    pools: Pools,
    known: Crossings,
    chance: Chance,
    hands: Hands,
    decks: Decks,
    lanes: Lanes,
    parts: Parts,
    start: tuple[int, int],
    stream: tuple[np.uint64, np.uint64],
    chunk: int,
    trials: int,
    counted: int,
) -> None:
    """The first trials of a chunk are about to begin."""
    begin_stream(chance, stream, chunk)
    put_away(hands, pools)
    shuffle_all(decks, lanes)
    first_time = np.uint64(trials) if counted == NOT_BEGUN else _ZERO
    decided = find_first(setup, script, pools, known, lanes, parts, start, first_time)
    lanes.stage, lanes.lane, lanes.sweeps, lanes.counted = ROLL, 0, 0, max(counted, 0)
    lanes.trials, lanes.active = trials, 0 if decided else min(trials, ABREAST)
    lanes.begun = lanes.active
    for lane in range(np.uint64(lanes.active)):
        lanes.place[lane], lanes.row[lane] = lanes.first, lanes.first_row


@kernel
def play_trials(
    setup: Setup,
    script: Script,
    pools: Pools,
    known: Crossings,
    chance: Chance,
    hands: Hands,
    decks: Decks,
    lanes: Lanes,
    parts: Parts,
    sheets: Sheets,
    specials: Special | None,
    start: tuple[int, int],
    stream: tuple[np.uint64, np.uint64],
    chunk: int,
    trials: int,
    counted: int,
    anew: bool,
) -> int:
    """Play a chunk of trials, begun anew or gone on with, to its end, or until there is no room on the map, or a mark
    is wanted; those of as many sweeps as are `counted` have been counted, or the chunk is NOT_BEGUN.
    """
    if anew:
        begin_trials(
            setup, script, pools, known, chance, hands, decks, lanes, parts, start, stream, chunk, trials, counted
        )
    while True:
        needed = lanes_go_on(script, known, chance, hands, decks, lanes, parts)
        if needed == NO_TURN:
            place = lanes.place[lanes.lane]
            pool, crossing = np.int64(place >> POOL), crossing_of(known, place)
            queue, cell = known.queue[crossing], np.int64(hands.cells[hands.next[pool]])
            if rolls_left(hands, pool) == 0:
                roll_again(sheets, specials, pools, hands, chance, pool)
            elif cell == pools.cells[pool]:
                hands.next[pool] += _ONE  # thrown away
            elif script.stage[queue] == Stage.CARD or (
                script.stage[queue] == Stage.POOL and not is_rolled(script, pools, queue)
            ):
                rolled_apart(script, pools, known, chance, hands, decks, lanes, sheets, specials, setup)
            else:
                find_turn(setup, script, pools, known, crossing, cell)
            if script.wanted != UNASKED:
                return NO_MARK
        elif needed == NO_PLACE:
            place_of(script, pools, known, np.int64(lanes.to[lanes.lane]))
        elif needed == NO_WAY:
            lane = lanes.ends[np.uint64(lanes.at) & RING]
            way_onward(
                setup, script, pools, known, parts, np.int64(lanes.place[lane] & TURN), np.int64(lanes.row[lane])
            )
        else:
            return needed


@step
def find_first(
    setup: Setup,
    script: Script,
    pools: Pools,
    known: Crossings,
    lanes: Lanes,
    parts: Parts,
    start: tuple[int, int],
    trials: Any,
) -> bool:
    """Find where trials begin, and count so many at the ends before that; True: chance decides nothing at all."""
    place, row, way = place_of(script, pools, known, arrive(setup, script, pools, known, 0, 0, start)), 0, UNSEEN
    while place & ENDED and not way & FINAL:
        end = np.int64(place & TURN)
        parts.ends[end, row, COUNT] += trials
        way = way_onward(setup, script, pools, known, parts, end, row)
        place = way & ~FINAL
        row += 1
    lanes.first, lanes.first_row = place, row
    return bool(way & FINAL)


@kernel
def forget_but_trials(
    setup: Setup, script: Script, pools: Pools, known: Crossings, lanes: Lanes, parts: Parts, start: tuple[int, int]
) -> None:
    """Forget all crossings but those at which somebody waits."""
    old = np.empty((4, ABREAST), np.int64)
    for lane in range(lanes.active):
        crossing = crossing_of(known, lanes.place[lane])
        old[0, lane], old[1, lane] = known.first[crossing], known.second[crossing]
        old[2, lane], old[3, lane] = known.so_far[crossing], known.queue[crossing]
    forget_all(known)
    for lane in range(lanes.active):
        crossing = crossing_at(known, old[3, lane], (old[0, lane], old[1, lane]), old[2, lane])
        lanes.place[lane] = place_of(script, pools, known, crossing)
    find_first(setup, script, pools, known, lanes, parts, start, _ZERO)
