"""Trials of a longer fight, each with two decks of its own: some of them abreast, each in its lane.

All take a turn at once, in passes over the lanes that have no branch which depends on a draw: a roll for each, from the
hand of its pool, and the turn that it leads to; a card for each, and the crossing; the place there; and for those whose
part has ended the place where the next one begins. A lane whose fight is over begins the next trial.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.engine.playing.chance import DRAWS, HALF, LOWER, Chance, begin_stream, draw_again, one_of
from analyser.engine.playing.crossings import (
    CARD_OF_1,
    DRAW,
    ENDED,
    MARK,
    MARK_BITS,
    OTHER_WAY,
    POOL,
    TURN,
    UNKNOWN,
    WAY,
    Crossings,
    crossing_at,
    crossing_of,
    draw_of,
    first_way,
    forget_all,
    has_room,
    mark_of,
    other_way,
    sure_turn,
)
from analyser.engine.playing.decks import (
    Decks,
    cards_left,
    draw_fairly,
    draw_value,
    move_deck,
    shuffle_all,
    shuffle_fresh,
    without,
)
from analyser.engine.playing.hands import Hands, Pools, Sheets, put_away, roll_again, rolls_left
from analyser.engine.playing.lanes import ABREAST, Lanes
from analyser.engine.playing.parts import COUNT, FINAL, UNSEEN, Parts, way_onward
from analyser.engine.playing.parts import WAY as ONWARD
from analyser.engine.playing.script import (
    NO_MARK,
    NO_PLACE,
    NO_ROOM,
    NO_TURN,
    NO_WAY,
    NOTHING,
    UNASKED,
    Script,
    Stage,
)
from analyser.engine.playing.turns import FIRST_CARD, arrive, find_turn, is_rolled, place_of, placing
from analyser.engine.program import Setup
from analyser.engine.sheet import Special
from analyser.jit import Whole, inlined, kernel, step

CHUNK_TRIALS = 1 << 17  # it has 32768 random words a trial, as many as 150 attacks of 200 dice take
NOT_BEGUN = -1
_CARD, _POOL = int(Stage.CARD), int(Stage.POOL)
_ROLL, _END = 0, 1  # which pass goes on: the first, or the last
_MARK, _MARKS, _DRAW = np.uint64(MARK), np.uint64((1 << MARK_BITS) - 1), np.uint64(DRAW)
_OF_0, _OF_1, _DRAWS = np.uint64(CARD_OF_1 - 1), np.uint64(CARD_OF_1), np.uint64(3)
_ZERO, _ONE, _WORD, _BIT = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
_FINAL = np.uint64(62)
_RING = np.uint64(2 * ABREAST - 1)
_LANES = np.uint64(ABREAST)


@inlined
def all_rolled(script: Script, known: Crossings, chance: Chance, hands: Hands, lanes: Lanes) -> bool:
    """Look up the turn that each takes by its roll; False: that of a lane is not known."""
    for lane in range(np.uint64(lanes.lane), np.uint64(lanes.active)):
        place = lanes.place[lane]
        pool = place >> POOL
        roll = hands.next[pool]
        turn = known.turns[(place & TURN) + np.uint64(hands.cells[roll])]
        if turn <= UNKNOWN:
            if turn == UNKNOWN:
                lanes.lane = lane
                return False
            turn = decided(script, chance, turn)
        hands.next[pool] = roll + _ONE
        lanes.turn[lane] = np.uint64(turn)
    return True


@step
def decided(script: Script, chance: Chance, turn: int) -> int:
    """A turn on which one of so many things has been drawn."""
    to = first_way(turn) if one_of(chance, draw_of(turn)) < mark_of(turn) else other_way(turn)
    return sure_turn(script.certain, to)


@inlined
def all_drawn(decks: Decks, chance: Chance, lanes: Lanes) -> None:
    """Draw a card for each lane whose turn asks for one; all then know to which crossing they go."""
    if chance.next > DRAWS - ABREAST:
        draw_again(chance)
    draws, doubtful = np.uint64(chance.next), _ZERO
    for lane in range(_LANES):
        second = lanes.turn[lane] >> _DRAW & _DRAWS == _OF_1
        cards = cards_left(decks, lanes, lane, second)
        product = np.uint64(chance.draws[draws + lane]) * cards
        doubtful += _ONE if product & LOWER < cards else _ZERO
        lanes.shown[lane] = (product >> HALF) + _ONE
        lanes.last[lane] = cards == _ONE
    chance.next += ABREAST
    if doubtful:
        draw_doubtful(decks, chance, lanes, chance.next - ABREAST)
    for word in range(np.uint64(decks.words)):
        full, one, top, shift = decks.full[word], decks.ones[word], decks.tops[word], decks.top
        for lane in range(_LANES):
            turn, kept = lanes.turn[lane], lanes.to[lane]
            draw, first, second = turn >> _DRAW & _DRAWS, lanes.left[0, word, lane], lanes.left[1, word, lane]
            before = second if draw == _OF_1 else first
            counts = without(before, top, one, lanes.shown[lane])
            after = full if lanes.last[lane] else before - (counts >> shift)
            lanes.left[0, word, lane] = after if draw == _OF_0 else first
            lanes.left[1, word, lane] = after if draw == _OF_1 else second
            bit = (turn >> _MARK & _MARKS) - (word << _WORD)
            passed, failed = (turn & WAY) - _ONE, turn >> OTHER_WAY & WAY
            to = passed if counts >> (bit & _BIT) & _ONE else failed
            lanes.to[lane] = to if bit <= _BIT else kept


@step
def draw_doubtful(decks: Decks, chance: Chance, lanes: Lanes, draws: int) -> None:
    """Draw the cards of all lanes with an eye on draws that would favour some: hardly ever is there one."""
    kept = np.empty(ABREAST, np.uint32)
    for lane in range(ABREAST):
        kept[lane] = chance.draws[draws + lane]
    for lane in range(lanes.active):
        second = lanes.turn[lane] >> _DRAW & _DRAWS == _OF_1
        lanes.shown[lane] = draw_fairly(decks, lanes, chance, lane, second, np.uint64(kept[lane]))


@inlined
def all_placed(known: Crossings, lanes: Lanes) -> bool:
    """Look up the place of each crossing; False: that of a lane is not known."""
    many: Whole = np.uint64(lanes.many)
    for lane in range(np.uint64(lanes.lane), np.uint64(lanes.active)):
        place = known.place[lanes.to[lane]]
        if place == _ZERO:
            lanes.lane, lanes.many = lane, many
            return False
        lanes.place[lane] = place
        lanes.ends[many & _RING] = lane
        many += place >> _BIT
    lanes.many = many
    return True


@kernel
def lanes_go_on(
    script: Script, known: Crossings, chance: Chance, hands: Hands, decks: Decks, lanes: Lanes, parts: Parts
) -> int:  # fmt: skip
    """Play on until the chunk is over, or something is needed."""
    ends = parts.ends
    while lanes.active > 0:
        if lanes.stage == _ROLL:
            if lanes.lane == 0 and not has_room(known):
                return NO_ROOM
            if not all_rolled(script, known, chance, hands, lanes):
                return NO_TURN
            all_drawn(decks, chance, lanes)
            lanes.stage, lanes.lane, lanes.at, lanes.many = _END, 0, 0, 0
            for lane in range(_LANES):
                lanes.fresh[lane] = _ZERO
        if lanes.lane < lanes.active:
            if not all_placed(known, lanes):
                return NO_PLACE
            lanes.lane = lanes.active
        # Here, and not in a step: to hand an array on each time costs more than all else here.
        begun, counts = _ZERO, _ONE if lanes.sweeps >= lanes.counted else _ZERO
        first, first_row = lanes.first, lanes.first_row
        at: Whole = np.uint64(lanes.at)
        many: Whole = np.uint64(lanes.many)
        while at < many:
            ended = lanes.ends[at & _RING]
            end, row = lanes.place[ended] & TURN, lanes.row[ended]
            way = ends[end, row, ONWARD]
            if way == UNSEEN:
                break
            ends[end, row, COUNT] += counts
            over = way >> _FINAL & _ONE
            begun += over
            place = way ^ (way ^ first) & _ZERO - over  # without a branch that nobody could foresee
            row += _ONE
            lanes.row[ended] = row ^ (row ^ first_row) & _ZERO - over
            lanes.place[ended], lanes.fresh[ended] = place, over
            if place & ENDED:  # of the next part too, in which nothing was to be decided
                lanes.ends[many & _RING] = ended
                many += _ONE
            at += _ONE
        lanes.begun += np.int64(begun)
        lanes.at, lanes.many = at, many
        if at < many:
            return NO_WAY
        shuffle_fresh(decks, lanes)
        if lanes.begun > lanes.trials:
            retire(decks, lanes)
        lanes.stage, lanes.lane = _ROLL, 0
        lanes.sweeps += 1
    return NOTHING


@step
def retire(decks: Decks, lanes: Lanes) -> None:
    """Leave lanes that have just begun one trial too many."""
    for lane in range(lanes.active - 1, -1, -1):
        if lanes.fresh[lane] and lanes.begun > lanes.trials:
            lanes.begun -= 1
            lanes.active -= 1
            last = lanes.active
            lanes.place[lane], lanes.row[lane] = lanes.place[last], lanes.row[last]
            move_deck(decks, lanes, last, lane)


@step
def rolled_apart(
    script: Script, pools: Pools, known: Crossings, chance: Chance, hands: Hands, decks: Decks, lanes: Lanes,
    sheets: Sheets, specials: Special | None, setup: Setup,
) -> bool:  # fmt: skip
    """Let the lane that goes on take a turn that no hand tells: by a card that adds dice, or by one roll of very many.

    False: the value of a card counts, and not all marks are known.
    """
    lane = lanes.lane
    crossing = crossing_of(known, lanes.place[lane])
    queue = known.queue[crossing]
    if script.stage[queue] == _CARD:
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
    setup: Setup, script: Script, pools: Pools, known: Crossings, chance: Chance, hands: Hands, decks: Decks,
    lanes: Lanes, parts: Parts, start: tuple[int, int], stream: tuple[np.uint64, np.uint64], chunk: int, trials: int,
    counted: int,
) -> None:  # fmt: skip
    """The first trials of a chunk are about to begin."""
    begin_stream(chance, stream, chunk)
    put_away(hands, pools)
    shuffle_all(decks, lanes)
    first_time = np.uint64(trials) if counted == NOT_BEGUN else _ZERO
    decided = find_first(setup, script, pools, known, lanes, parts, start, first_time)
    lanes.stage, lanes.lane, lanes.sweeps, lanes.counted = _ROLL, 0, 0, max(counted, 0)
    lanes.trials, lanes.active = trials, 0 if decided else min(trials, ABREAST)
    lanes.begun = lanes.active
    for lane in range(np.uint64(lanes.active)):
        lanes.place[lane], lanes.row[lane] = lanes.first, lanes.first_row


@kernel
def play_trials(
    setup: Setup, script: Script, pools: Pools, known: Crossings, chance: Chance, hands: Hands, decks: Decks,
    lanes: Lanes, parts: Parts, sheets: Sheets, specials: Special | None, start: tuple[int, int],
    stream: tuple[np.uint64, np.uint64], chunk: int, trials: int, counted: int, anew: bool,
) -> int:  # fmt: skip
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
            elif script.stage[queue] == _CARD or (script.stage[queue] == _POOL and not is_rolled(script, pools, queue)):
                rolled_apart(script, pools, known, chance, hands, decks, lanes, sheets, specials, setup)
            else:
                find_turn(setup, script, pools, known, crossing, cell)
            if script.wanted != UNASKED:
                return NO_MARK
        elif needed == NO_PLACE:
            place_of(script, pools, known, np.int64(lanes.to[lanes.lane]))
        elif needed == NO_WAY:
            lane = lanes.ends[np.uint64(lanes.at) & _RING]
            way_onward(
                setup, script, pools, known, parts, np.int64(lanes.place[lane] & TURN), np.int64(lanes.row[lane])
            )
        else:
            return needed


@step
def find_first(
    setup: Setup, script: Script, pools: Pools, known: Crossings, lanes: Lanes, parts: Parts, start: tuple[int, int],
    trials: Any,
) -> bool:  # fmt: skip
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
) -> None:  # fmt: skip
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
