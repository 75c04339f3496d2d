"""Trials of a longer fight, each with two decks of its own, on their way from crossing to crossing.

Those that wait for rolls of the same pool are given one each from the same hand. They go on in batches, in passes
over a batch that have no branch which depends on a draw.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from analyser.engine.playing.crossings import (
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
from analyser.engine.playing.parts import BESIDE, CROSSING, FINAL, UNSEEN, Parts, end_of_part, way_onward
from analyser.engine.playing.script import NO_ROLLS, NO_ROOM, NO_TURN, PART_OVER, Script, Stage, end_queue
from analyser.engine.playing.turns import arrive, placing
from analyser.engine.program import Setup
from analyser.jit import Whole, inlined, kernel, step

_CARD, _POOL = int(Stage.CARD), int(Stage.POOL)
_ONE = np.uint64(1)
_BATCH = 512  # trials that go on together
_NOBODY = 0
Queues = NDArray[np.uint64]  # shape (queues, CHUNK_TRIALS): the crossing where a trial waits, and the trial
Lengths = NDArray[np.uint64]  # how many wait in each


class Now:
    """How far a chunk has been played, as one record.

    Attributes
    ----------
    part, queue, at : int
        The part of the fight, counted from 0; the queue that goes on, and how many of it have gone.
    side : int
        The side from whose decks all in this queue draw that draw, or NONE.
    many : int
        How many are about to go, or 0.
    scanned, draws : int
        For how many of these the turn is known, and how many of them draw.
    cells, turns, to, drawing : int64 arrays
        Of each of them, what its dice have come to, its turn, and the crossing that it goes to; and which of them draw.
    """

    part: Whole
    queue: Whole
    at: Whole
    side: Whole
    many: Whole
    scanned: Whole
    draws: Whole
    cells: Any
    turns: Any
    to: Any
    drawing: Any


_NOW = np.dtype(
    (
        np.record,
        [
            *((name, np.int64) for name in ("part", "queue", "at", "side", "many", "scanned", "draws")),
            *((name, np.int64, (_BATCH,)) for name in ("cells", "turns", "to", "drawing")),
        ],
    )
)


@inlined
def trial_of(waiting: Whole) -> Any:
    """The trial that waits."""
    return waiting & BESIDE


@inlined
def join(known: Crossings, queues: Queues, lengths: Lengths, crossing: Whole, trial: Whole) -> None:
    """A trial comes to a crossing."""
    queue = np.uint64(known.queue[np.uint64(crossing)])
    at = lengths[queue]
    queues[queue, at] = np.uint64(crossing) << CROSSING | trial
    lengths[queue] = at + _ONE


@step
def next_batch(
    script: Script, decks: Decks, hands: Hands, now: Now, queues: Queues, lengths: Lengths
) -> bool:  # fmt: skip
    """Roll, or draw the card that adds dice, for the next in the queue; False: there are no rolls in hand."""
    stage, pool = script.stage[now.queue], script.pool[now.queue]
    most: Whole = min(np.int64(lengths[now.queue]) - now.at, _BATCH)
    if stage == _POOL:
        most = min(most, np.int64(hands.end[pool] - hands.next[pool]))
        if most == 0:
            return False
        for one in range(most):
            now.cells[one] = hands.cells[pool, hands.next[pool] + one]
        hands.next[pool] += most
    elif stage == _CARD:
        for one in range(most):
            trial = trial_of(queues[now.queue, now.at + one])
            now.cells[one] = decks.values[draw_card(decks, pool, trial)]
    else:
        for one in range(most):
            now.cells[one] = 0
    now.many, now.scanned, now.draws, now.side = most, 0, 0, script.side[now.queue]
    return True


@inlined
def all_turns_known(known: Crossings, now: Now, queues: Queues) -> bool:
    """Look up where all of a batch go; False: a turn is not known yet."""
    queue, at = np.uint64(now.queue), np.uint64(now.at)
    draws = np.uint64(now.draws)
    for one in range(np.uint64(now.scanned), np.uint64(now.many)):
        crossing = queues[queue, at + one] >> CROSSING
        turn = known.turns[np.uint64(known.start[crossing] + now.cells[one])]
        if turn == UNKNOWN:
            now.scanned, now.draws = one, draws
            return False
        now.turns[one], now.to[one] = turn, first_way(turn)
        now.drawing[draws] = one
        draws += np.uint64(draw_of(turn) != NO_DRAW)
    now.scanned, now.draws = now.many, draws
    return True


@inlined
def draw_for_all(decks: Decks, now: Now, queues: Queues) -> None:
    """A draw for each that has one.

    Where all draw a card from the decks of one side, and a deck is one word, all draw once, and then those again whose
    card is gone.
    """
    queue, at, side = np.uint64(now.queue), np.uint64(now.at), now.side
    draws = np.uint64(now.draws)
    if side >= 0 and decks.words == 1:
        have_cards(decks, now.draws)
        next, again = np.uint64(decks.next), np.uint64(0)
        left, full = decks.left[np.uint64(side), 0], decks.full[0]
        for draw in range(draws):
            one = np.uint64(now.drawing[draw])
            card = np.uint64(decks.picked[next + draw])
            trial = trial_of(queues[queue, at + one])
            before = left[trial]
            after = before & ~(_ONE << card)
            left[trial] = after if after else full
            go_by(now, one, np.int64(card))
            now.drawing[again] = one
            again += ~(before >> card) & _ONE
        decks.next += now.draws
        draws = again
    for draw in range(draws):
        one = np.uint64(now.drawing[draw])
        go_by(now, one, drawn(decks, draw_of(now.turns[one]), trial_of(queues[queue, at + one])))


@step
def drawn(decks: Decks, draw: int, trial: Whole) -> Any:
    """What a trial draws: a card, or one of so many things."""
    return draw_card(decks, draw, trial) if draw < OF_SO_MANY else one_of(decks, draw - OF_SO_MANY)


@inlined
def go_by(now: Now, one: Whole, shown: Whole) -> None:
    """Where a trial goes that has drawn."""
    turn = now.turns[one]
    passed, failed = first_way(turn), other_way(turn)
    now.to[one] = passed if shown < first_things(turn) else failed


@inlined
def go(known: Crossings, now: Now, queues: Queues, lengths: Lengths) -> None:
    """All of a batch go where they go."""
    queue, at = np.uint64(now.queue), np.uint64(now.at)
    for one in range(np.uint64(now.many)):
        join(known, queues, lengths, now.to[one], trial_of(queues[queue, at + one]))
    now.at += now.many
    now.many = _NOBODY


@kernel
def trials_go_on(
    script: Script, pools: Pools, known: Crossings, decks: Decks, hands: Hands, now: Now, queues: Queues,
    lengths: Lengths, parts: Parts,
) -> int:  # fmt: skip
    """Play on until the part is over, or something is needed."""
    end = end_of_part(script, parts, now.part)
    while now.queue < end:
        if now.many == _NOBODY:
            if now.at == np.int64(lengths[now.queue]):
                lengths[now.queue] = 0
                now.queue, now.at = now.queue + 1, 0
                continue
            if not has_room(known):
                return NO_ROOM
            if not next_batch(script, decks, hands, now, queues, lengths):
                return NO_ROLLS
        if pools.cells[script.pool[now.queue]] > MOST_TURNS and script.stage[now.queue] == _POOL:
            for one in range(now.many):
                crossing = np.int64(queues[now.queue, now.at + one] >> CROSSING)
                now.to[one] = placing(script, known, crossing, now.cells[one])
        else:
            if not all_turns_known(known, now, queues):
                return NO_TURN
            if now.draws > 0:
                draw_for_all(decks, now, queues)
        go(known, now, queues, lengths)
    return PART_OVER


def nobody_yet() -> Now:
    """No trial has begun."""
    return cast("Now", np.zeros(1, _NOW)[0])


@kernel
def begin_trials(
    setup: Setup, script: Script, pools: Pools, known: Crossings, decks: Decks, hands: Hands, now: Now, queues: Queues,
    lengths: Lengths, start: tuple[int, int], stream: tuple[np.uint64, np.uint64], chunk: int, trials: int,
) -> None:  # fmt: skip
    """All trials of a chunk wait before the first part."""
    shuffle_all(decks, trials, stream[0], stream[1], chunk)
    empty(hands, pools.pools)
    crossing = arrive(setup, script, pools, known, 0, 0, start)
    for trial in range(np.uint64(trials)):
        join(known, queues, lengths, crossing, trial)
    now.part, now.queue, now.at, now.many = -1, end_queue(script), 0, _NOBODY


@step
def trials_begin_part(
    setup: Setup, script: Script, pools: Pools, known: Crossings, now: Now, queues: Queues, lengths: Lengths,
    parts: Parts,
) -> None:  # fmt: skip
    """Count all trials where their part has ended, and bring those on for whom something is left to be decided."""
    queue, number = end_queue(script), now.part + 1
    ended, retired, onward = parts.ended, parts.retired, parts.onward
    many = lengths[queue]
    lengths[queue] = 0
    for place in range(many):
        waiting = queues[queue, place]
        crossing = waiting >> CROSSING
        ended[number, crossing] += 1
        if onward[number, crossing] == UNSEEN:
            onward[number, crossing] = way_onward(setup, script, pools, known, parts, number, np.int64(crossing))
        way = onward[number, crossing]
        if way == FINAL:
            retired[number, crossing] += 1
        else:
            into = way & BESIDE
            at = lengths[into]
            queues[into, at] = way & ~BESIDE | waiting & BESIDE
            lengths[into] = at + _ONE
    now.part = number
    if number < len(parts.which):
        now.queue, now.at = script.first_queue[script.starts[parts.which[number]]], 0


@kernel
def forget_but_trials(script: Script, known: Crossings, now: Now, queues: Queues, lengths: Lengths) -> None:
    """Forget all crossings but those at which somebody waits."""
    old = np.empty((3, known.crossings_known), np.int64)
    for crossing in range(old.shape[1]):
        old[0, crossing], old[1, crossing] = known.first[crossing], known.second[crossing]
        old[2, crossing] = known.so_far[crossing]
    forget_all(known)
    for queue in range(end_queue(script) + 1):
        for place in range(now.at if queue == now.queue else 0, lengths[queue]):
            before = queues[queue, place] >> CROSSING
            crossing = crossing_at(known, queue, (old[0, before], old[1, before]), old[2, before])
            queues[queue, place] = np.uint64(crossing) << CROSSING | trial_of(queues[queue, place])
