"""Trials abreast go on: all take a turn at once, in passes over the lanes that no draw makes branch.

A roll for each, from the hand of its pool, and the turn that it leads to; a card for each, and the crossing; the place
there; and for those whose part has ended the place where the next one begins. A lane whose fight is over begins the
next trial.
"""

from __future__ import annotations

import numpy as np

from analyser.common.jit import Whole, inlined, kernel, step
from analyser.engine.fight.sampled.decks import Decks, cards_left, draw_fairly, move_deck, shuffle_fresh, without
from analyser.engine.fight.sampled.draws import DRAWS, HALF, LOWER, Chance, draw_again, one_of
from analyser.engine.fight.sampled.lanes import ABREAST, RING, Lanes
from analyser.engine.fight.sampled.nodes import (
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
    draw_of,
    first_way,
    has_room,
    mark_of,
    other_way,
    sure_turn,
)
from analyser.engine.fight.sampled.program_table import NO_PLACE, NO_ROOM, NO_TURN, NO_WAY, NOTHING, Script
from analyser.engine.fight.sampled.roll_cache import Hands
from analyser.engine.fight.sampled.snapshots import COUNT, NEXT, UNSEEN, Parts

ROLL, _END = 0, 1  # which pass goes on: the first, or the last
_MARK, _MARKS, _DRAW = np.uint64(MARK), np.uint64((1 << MARK_BITS) - 1), np.uint64(DRAW)
_OF_0, _OF_1, _DRAWS = np.uint64(CARD_OF_1 - 1), np.uint64(CARD_OF_1), np.uint64(3)
_ZERO, _ONE, _WORD, _BIT = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
_FINAL = np.uint64(62)
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
        lanes.ends[many & RING] = lane
        many += place >> _BIT
    lanes.many = many
    return True


@kernel
def lanes_go_on(
    script: Script, known: Crossings, chance: Chance, hands: Hands, decks: Decks, lanes: Lanes, parts: Parts
) -> int:
    """Play on until the chunk is over, or something is needed."""
    ends = parts.ends
    while lanes.active > 0:
        if lanes.stage == ROLL:
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
            ended = lanes.ends[at & RING]
            end, row = lanes.place[ended] & TURN, lanes.row[ended]
            way = ends[end, row, NEXT]
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
                lanes.ends[many & RING] = ended
                many += _ONE
            at += _ONE
        lanes.begun += np.int64(begun)
        lanes.at, lanes.many = at, many
        if at < many:
            return NO_WAY
        shuffle_fresh(decks, lanes)
        if lanes.begun > lanes.trials:
            retire(decks, lanes)
        lanes.stage, lanes.lane = ROLL, 0
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
