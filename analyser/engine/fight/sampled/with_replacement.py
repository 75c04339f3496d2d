"""Trials of a longer fight whose cards are put back: those at the same crossing are alike, and only counted.

Each of them rolls its own dice and draws its own card all the same; where a trial goes is looked up once for all of a
crossing that have come to the same.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from analyser.common.jit import Whole, inlined, kernel, step
from analyser.engine.fight.program import Setup
from analyser.engine.fight.sampled.draws import Chance, among, begin_stream, one_of
from analyser.engine.fight.sampled.nodes import (
    CROSSINGS,
    ENDED,
    MOST_AT_ONCE,
    MOST_TURNS,
    NO_DRAW,
    TURN,
    UNKNOWN,
    Crossings,
    crossing_at,
    crossing_of,
    draw_of,
    first_way,
    forget_all,
    has_room,
    mark_of,
    other_way,
)
from analyser.engine.fight.sampled.pools import Pools, Sheets
from analyser.engine.fight.sampled.program_table import (
    MOST_QUEUES,
    NO_ROLLS,
    NO_ROOM,
    NO_TURN,
    NOTHING,
    Script,
    Stage,
    end_queue,
)
from analyser.engine.fight.sampled.roll_cache import Hands, put_away, roll_again, rolls_left
from analyser.engine.fight.sampled.snapshots import COUNT, FINAL, Parts, end_of_part, way_onward
from analyser.engine.fight.sampled.transitions import (
    FIRST_CARD,
    arrive,
    find_turn,
    is_rolled,
    place_of,
    placing,
    turns_of,
)
from analyser.engine.pool.layout import Special

CROWD_TRIALS = MOST_AT_ONCE  # a chunk; it has 65536 random words a trial, as many as 300 attacks of 200 dice take
_NOWHERE = -1


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
            ("there", np.int32, (MOST_QUEUES,)),
            ("beside", np.int32, (CROSSINGS,)),
            ("trials", np.int64, (CROSSINGS,)),
            ("results", np.int64, (MOST_TURNS,)),
            ("moving", np.int64, (2, CROSSINGS)),
        ],
    )
)


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
def go_on(script: Script, known: Crossings, chance: Chance, crowds: Crowds, turn: int, many: int) -> None:
    """So many trials take a turn; each draws, if a draw decides."""
    draw, first = draw_of(turn), many
    if draw != NO_DRAW:
        first = among(chance, draw if turn < 0 else script.certain, mark_of(turn), many)
    join(known, crowds, first_way(turn), first)
    join(known, crowds, other_way(turn), many - first)


@step
def card_drawn(script: Script, chance: Chance) -> int:
    """The value of a card from a full deck."""
    shown, value = one_of(chance, script.certain), 0
    while script.marks[value + 1] <= shown:
        value += 1
    return value


@step
def all_rolled(
    script: Script, pools: Pools, known: Crossings, chance: Chance, hands: Hands, crowds: Crowds, alone: bool
) -> bool:
    """Roll, or draw the card that adds dice, for all who leave a crossing; False: there are no rolls in hand.

    `alone`: each roll leads to a crossing of its own.
    """
    stage, pool = script.stage[crowds.queue], script.pool[crowds.queue]
    if stage == Stage.CARD:
        for _ in range(crowds.left):
            crowds.results[FIRST_CARD + card_drawn(script, chance)] += 1
        crowds.left = 0
    elif stage != Stage.POOL:
        crowds.results[0] = crowds.left
        crowds.left = 0
    thrown_away = pools.cells[pool]
    while crowds.left > 0:
        some = min(crowds.left, rolls_left(hands, pool))
        if some == 0:
            return False
        first = np.int64(hands.next[pool])
        hands.next[pool] += np.uint64(some)
        if alone:
            crowds.left -= go_apart(script, known, hands, crowds, (first, some, thrown_away))
        else:
            for roll in range(np.uint64(first), np.uint64(first + some)):
                crowds.results[np.uint64(hands.cells[roll])] += 1
            crowds.left -= some - crowds.results[thrown_away]
            crowds.results[thrown_away] = 0
    return True


@step
def go_apart(script: Script, known: Crossings, hands: Hands, crowds: Crowds, rolls: tuple[Whole, Whole, Whole]) -> int:
    """Each roll leads to a crossing of its own; how many there were.

    `rolls`: the first, how many, and what those are that were thrown away.
    """
    first, some, thrown_away = rolls
    rolled = 0
    for roll in range(first, first + some):
        cell = np.int64(hands.many_cells[roll])
        if cell != thrown_away:
            join(known, crowds, placing(script, known, crowds.crossing, cell), 1)
            rolled += 1
    return rolled


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
    script: Script, pools: Pools, known: Crossings, chance: Chance, hands: Hands, crowds: Crowds, parts: Parts
) -> int:
    """Play on until the part is over, or something is needed."""
    end = end_of_part(script, parts, crowds.part)
    while crowds.queue < end:
        if crowds.crossing == _NOWHERE:
            if crowds.there[crowds.queue] != _NOWHERE and not has_room(known):
                return NO_ROOM
            if not begin_leaving(crowds):
                crowds.queue += 1
                continue
        alone = script.stage[crowds.queue] == Stage.POOL and not is_rolled(script, pools, crowds.queue)
        if crowds.left > 0 and not all_rolled(script, pools, known, chance, hands, crowds, alone):
            return NO_ROLLS
        if not alone:
            turns, start = turns_of(script, pools, crowds.queue), place_of(script, pools, known, crowds.crossing) & TURN
            while crowds.result < turns:
                result = crowds.result
                many = crowds.results[result]
                if many > 0:
                    turn = known.turns[start + np.uint64(result)]
                    if turn == UNKNOWN:
                        return NO_TURN
                    go_on(script, known, chance, crowds, turn, many)
                    crowds.results[result] = 0
                crowds.result = result + 1
        crowds.crossing = _NOWHERE
    return NOTHING


@kernel
def play_crowds(
    setup: Setup,
    script: Script,
    pools: Pools,
    known: Crossings,
    chance: Chance,
    hands: Hands,
    crowds: Crowds,
    parts: Parts,
    sheets: Sheets,
    specials: Special | None,
) -> int:
    """Play a chunk of trials that has begun to its end, or until there is no room on the map."""
    while crowds.part < len(parts.which):
        needed = NOTHING
        if crowds.part >= 0:
            needed = crowds_go_on(script, pools, known, chance, hands, crowds, parts)
        if needed == NOTHING:
            crowds_begin_part(setup, script, pools, known, crowds, parts)
        elif needed == NO_ROLLS:
            roll_again(sheets, specials, pools, hands, chance, script.pool[crowds.queue])
        elif needed == NO_TURN:
            find_turn(setup, script, pools, known, crowds.crossing, crowds.result)
        else:
            return needed
    return NOTHING


@kernel
def begin_crowds(
    setup: Setup,
    script: Script,
    pools: Pools,
    known: Crossings,
    chance: Chance,
    hands: Hands,
    crowds: Crowds,
    start: tuple[int, int],
    stream: tuple[np.uint64, np.uint64],
    chunk: int,
    trials: int,
) -> None:
    """All trials of a chunk wait before the first part."""
    begin_stream(chance, stream, chunk)
    put_away(hands, pools)
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
        end = np.int64(place_of(script, pools, known, crowds.moving[0, each]) & TURN)
        way, many = way_onward(setup, script, pools, known, parts, end, number), crowds.moving[1, each]
        parts.ends[end, number, COUNT] += np.uint64(many)
        if not way & FINAL:
            onward = known.end_at[np.int64(way & TURN)] if way & ENDED else crossing_of(known, way)
            join(known, crowds, np.int64(onward), many)
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
