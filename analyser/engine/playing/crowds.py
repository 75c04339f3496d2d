"""Trials of a longer fight whose cards are put back: those at the same crossing are alike, and only counted.

Each of them rolls its own dice and draws its own card all the same; where a trial goes is looked up once for all of a
crossing that have come to the same.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from analyser.engine.playing.crossings import (
    CROSSINGS,
    MOST_TURNS,
    NO_DRAW,
    OF_SO_MANY,
    UNKNOWN,
    Crossings,
    crossing_at,
    draw_of,
    first_things,
    first_way,
    forget_all,
    has_room,
    other_way,
)
from analyser.engine.playing.decks import Decks, draw_card, have_cards, one_of, shuffle_all
from analyser.engine.playing.hands import Hands, Pools, empty
from analyser.engine.playing.parts import CROSSING, FINAL, UNSEEN, Parts, end_of_part, way_onward
from analyser.engine.playing.script import MOST_QUEUES, NO_ROLLS, NO_ROOM, NO_TURN, PART_OVER, Script, Stage, end_queue
from analyser.engine.playing.turns import arrive, placing, turns_of
from analyser.engine.program import Setup
from analyser.jit import Whole, inlined, kernel, step

CROWD_TRIALS = 1 << 16  # a chunk; it has 65536 random words a trial, as many as 300 attacks of 200 dice take
_CARD, _POOL = int(Stage.CARD), int(Stage.POOL)
_NOWHERE = -1
_DRAWS = 512  # at once


class Crowds:
    """How many trials are where, as one record.

    Attributes
    ----------
    part, queue : int
        The part of the fight that is played, counted from 0, and the queue that goes on.
    crossing, left, result : int
        The crossing that is being left, or NOWHERE; how many there are still to roll or draw; and the result that goes
        on next when all have.
    there : int32 array
        Of each queue a crossing at which somebody waits; NOWHERE.
    beside : int32 array
        Of each crossing at which somebody waits another one in its queue; NOWHERE.
    trials : int64 array
        How many wait at each crossing.
    results : int64 array
        How many of those that leave a crossing have come to each result.
    moving : int64 array, shape (2, crossings)
        Room for a list of crossings, and how many leave each.
    """

    part: Whole
    queue: Whole
    crossing: Whole
    left: Whole
    result: Whole
    there: Any
    beside: Any
    trials: Any
    results: Any
    moving: Any


_CROWDS = np.dtype(
    (
        np.record,
        [
            *((name, np.int64) for name in ("part", "queue", "crossing", "left", "result")),
            ("there", np.int32, (MOST_QUEUES,)), ("beside", np.int32, (CROSSINGS,)),
            ("trials", np.int64, (CROSSINGS,)), ("results", np.int64, (MOST_TURNS,)),
            ("moving", np.int64, (2, CROSSINGS)),
        ],
    )
)  # fmt: skip


def no_crowds() -> Crowds:
    """No trial has begun."""
    crowds: Any = np.zeros(1, _CROWDS)[0]
    crowds.there[:] = _NOWHERE
    return cast("Crowds", crowds)


@inlined
def join(known: Crossings, crowds: Crowds, crossing: Whole, many: Whole) -> None:
    """So many trials come to a crossing."""
    if many > 0:
        if crowds.trials[crossing] == 0:
            queue = known.queue[crossing]
            crowds.beside[crossing] = crowds.there[queue]
            crowds.there[queue] = crossing
        crowds.trials[crossing] += many


@step
def go_on(known: Crossings, decks: Decks, crowds: Crowds, turn: int, many: int) -> None:
    """So many trials take a turn; each draws, if a draw decides."""
    draw, below, first = draw_of(turn), first_things(turn), many
    if draw >= OF_SO_MANY:
        first = 0
        for _ in range(many):
            first += 1 if one_of(decks, draw - OF_SO_MANY) < below else 0
    elif draw != NO_DRAW:
        first = cards_among(decks, below, many)
    join(known, crowds, first_way(turn), first)
    join(known, crowds, other_way(turn), many - first)


@step
def cards_among(decks: Decks, below: int, many: int) -> int:
    """How many of so many cards, each from a full deck, are among the first `below` of it."""
    found = 0
    for drawn in range(0, many, _DRAWS):
        some = min(many - drawn, _DRAWS)
        have_cards(decks, some)
        for place in range(np.uint64(decks.next), np.uint64(decks.next + some)):
            found += 1 if decks.picked[place] < below else 0
        decks.next += some
    return found


@step
def all_rolled(script: Script, known: Crossings, decks: Decks, hands: Hands, crowds: Crowds, alone: bool) -> bool:
    """Roll, or draw the card that adds dice, for all who leave a crossing; False: there are no rolls in hand.

    `alone`: each roll leads to a crossing of its own.
    """
    stage, pool = script.stage[crowds.queue], script.pool[crowds.queue]
    if stage == _CARD:
        for _ in range(crowds.left):
            crowds.results[decks.values[draw_card(decks, pool, np.uint64(0))]] += 1
    elif stage != _POOL:
        crowds.results[0] = crowds.left
    while stage == _POOL and crowds.left > 0:
        first = np.int64(hands.next[pool])
        some = min(crowds.left, hands.end[pool] - first)
        if some == 0:
            return False
        for roll in range(np.uint64(first), np.uint64(first + some)):
            cell = hands.cells[pool, roll]
            if alone:
                join(known, crowds, placing(script, known, crowds.crossing, cell), 1)
            else:
                crowds.results[np.uint64(cell)] += 1
        hands.next[pool] += some
        crowds.left -= some
    crowds.left = 0
    return True


@step
def begin_leaving(crowds: Crowds) -> bool:
    """Those at the next crossing of the queue are about to leave; False: there are none."""
    crossing = np.int64(crowds.there[crowds.queue])
    if crossing == _NOWHERE:
        return False
    crowds.there[crowds.queue] = crowds.beside[crossing]
    crowds.crossing, crowds.left, crowds.result = crossing, crowds.trials[crossing], 0
    crowds.trials[crossing] = 0
    return True


@kernel
def crowds_go_on(
    script: Script, pools: Pools, known: Crossings, decks: Decks, hands: Hands, crowds: Crowds, parts: Parts
) -> int:  # fmt: skip
    """Play on until the part is over, or something is needed."""
    end = end_of_part(script, parts, crowds.part)
    while crowds.queue < end:
        if crowds.crossing == _NOWHERE:
            if crowds.there[crowds.queue] != _NOWHERE and not has_room(known):
                return NO_ROOM
            if not begin_leaving(crowds):
                crowds.queue += 1
                continue
        turns = turns_of(script, pools, crowds.queue)
        alone = turns > MOST_TURNS
        if crowds.left > 0 and not all_rolled(script, known, decks, hands, crowds, alone):
            return NO_ROLLS
        while crowds.result < turns and not alone:
            result = crowds.result
            many = crowds.results[result]
            if many > 0:
                turn = known.turns[known.start[crowds.crossing] + result]
                if turn == UNKNOWN:
                    return NO_TURN
                go_on(known, decks, crowds, turn, many)
                crowds.results[result] = 0
            crowds.result = result + 1
        crowds.crossing = _NOWHERE
    return PART_OVER


@kernel
def begin_crowds(
    setup: Setup, script: Script, pools: Pools, known: Crossings, decks: Decks, hands: Hands, crowds: Crowds,
    start: tuple[int, int], stream: tuple[np.uint64, np.uint64], chunk: int, trials: int,
) -> None:  # fmt: skip
    """All trials of a chunk wait before the first part."""
    shuffle_all(decks, 0, stream[0], stream[1], chunk)
    empty(hands, pools.pools)
    join(known, crowds, arrive(setup, script, pools, known, 0, 0, start), trials)
    crowds.part, crowds.queue, crowds.crossing = -1, end_queue(script), _NOWHERE


@step
def crowds_begin_part(
    setup: Setup, script: Script, pools: Pools, known: Crossings, crowds: Crowds, parts: Parts
) -> None:
    """Count all trials where their part has ended, and bring those on for whom something is left to be decided."""
    queue, number, ends = end_queue(script), crowds.part + 1, 0
    crossing = np.int64(crowds.there[queue])
    crowds.there[queue] = _NOWHERE
    while crossing != _NOWHERE:  # all leave before anybody arrives
        crowds.moving[0, ends], crowds.moving[1, ends] = crossing, crowds.trials[crossing]
        crowds.trials[crossing] = 0
        crossing = np.int64(crowds.beside[crossing])
        ends += 1
    for each in range(ends):
        crossing, many = crowds.moving[0, each], crowds.moving[1, each]
        parts.ended[number, crossing] += many
        if parts.onward[number, crossing] == UNSEEN:
            parts.onward[number, crossing] = way_onward(setup, script, pools, known, parts, number, crossing)
        way = parts.onward[number, crossing]
        if way == FINAL:
            parts.retired[number, crossing] += many
        else:
            join(known, crowds, np.int64(way >> CROSSING), many)
    crowds.part = number
    if number < len(parts.which):
        crowds.queue = script.first_queue[script.starts[parts.which[number]]]


@kernel
def forget_but_crowds(script: Script, known: Crossings, crowds: Crowds) -> None:
    """Forget all crossings but those at which somebody waits."""
    kept = np.empty((4, known.crossings_known), np.int64)
    many = 0
    for queue in range(end_queue(script) + 1):
        first = many
        crossing: Whole = np.int64(crowds.there[queue])
        while crossing != _NOWHERE:
            kept[0, many], kept[1, many] = known.first[crossing], known.second[crossing]
            kept[2, many], kept[3, many] = known.so_far[crossing], crowds.trials[crossing]
            crowds.trials[crossing] = 0
            many += 1
            crossing = np.int64(crowds.beside[crossing])
        crowds.there[queue] = first  # where those of this queue begin among the kept
    forget_all(known)
    end = many
    for queue in range(end_queue(script), -1, -1):
        first = int(crowds.there[queue])
        crowds.there[queue] = _NOWHERE
        for each in range(end - 1, first - 1, -1):  # who joins last is found first
            crossing = crossing_at(known, queue, (kept[0, each], kept[1, each]), kept[2, each])
            join(known, crowds, crossing, kept[3, each])
        end = first
