"""What the rules say at a crossing: which draw decides, and where it leads."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import Whole, kernel, step
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.program import Draw, Kind, Setup
from analyser.engine.fight.sampled.nodes import (
    ENDED,
    POOL,
    TURN,
    UNKNOWN,
    Crossings,
    card_turn,
    crossing_at,
    give_turns,
    lot_turn,
    sure_turn,
)
from analyser.engine.fight.sampled.pools import NO_POOL, Pools, has_few_cells, pool_of
from analyser.engine.fight.sampled.program_table import (
    UNASKED,
    Script,
    Stage,
    card_queue,
    end_queue,
    mark_up_to,
    operation_of,
    place_queue,
    pool_queue,
    test_queue,
)
from analyser.game.cards import HIGHEST_CARD
from analyser.rules import discipline
from analyser.rules.damage import losses_of, scores_for
from analyser.rules.structs import FightFacts

FIRST_CARD = 2  # the turn of a card of value 0: who waits for a card has no rolls, and takes neither turn 0 nor 1

# What is known so far on a line: the value of the attacker's card, whether the officer has fallen, and the cell that
# the roll has come to, its score.
_FALLEN, _CELL = 16, 17
_CARD_MASK = (1 << _FALLEN) - 1
_NOWHERE, _NO_POOL = np.uint64(0), np.uint64(NO_POOL)


@kernel
def arrive(
    setup: Setup, script: Script, pools: Pools, known: Crossings, line: int, end: int, words: tuple[int, int]
) -> int:
    """The crossing that is reached from `line` on, what no chance decides done; or where the part ends."""
    while line < end:
        operation = operation_of(script, line)
        if operation[0] == Kind.STRIKE:
            if strikes.is_made(setup, operation[2], operation[1], words):
                return striking(setup, script, pools, known, line, words)
        else:
            asked, highest = operations.asks(setup, operation, words)
            if asked != Draw.NOTHING:
                return crossing_at(known, test_queue(script, line), words, 0)
            words = operations.changed(setup, operation, words, highest >= 0)
        line += 1
    return crossing_at(known, end_queue(script), words, 0)


@step
def set_up_strike(setup: Setup, number: int, words: tuple[int, int]) -> FightFacts:
    """The scratch fight, filled with a strike in these states."""
    theirs = words[1] if setup.strikes[number].striker == 0 else words[0]
    strikes.set_strike(setup, number, strikes.condition(setup, number, words), theirs)
    fight: FightFacts = setup.fight[0]
    return fight


@step
def striking(setup: Setup, script: Script, pools: Pools, known: Crossings, line: int, words: tuple[int, int]) -> int:
    """The crossing of a strike that is made: its card is drawn, or its pool is rolled."""
    fight = set_up_strike(setup, script.operations[line, 2], words)
    if not fight.overcharge:
        return rolling(setup, script, pools, known, line, words, 0)
    return crossing_at(known, card_queue(script, line), words, 0)


@step
def rolling(
    setup: Setup, script: Script, pools: Pools, known: Crossings, line: int, words: tuple[int, int], card: int
) -> int:
    """The crossing where the pool of the scratch fight is rolled, with `card` dice more (Overcharge)."""
    fight = setup.fight[0]
    pool = pool_of(pools, script.operations[line, 2], fight.rating, fight.dice + card)
    return crossing_at(known, pool_queue(script, pools, line, pool), words, card)


@step
def placing(script: Script, known: Crossings, pool_crossing: Whole, cell: Whole) -> int:
    """The crossing where the officer's place is decided, after a roll that came to that cell."""
    words = (known.first[pool_crossing], known.second[pool_crossing])
    queue = place_queue(script, script.line[known.queue[pool_crossing]])
    return crossing_at(known, queue, words, cell << _CELL | known.so_far[pool_crossing])


@step
def into_part(setup: Setup, script: Script, pools: Pools, known: Crossings, crossing: int, part: int) -> int:
    """The first crossing of a part, from where the part before it has ended."""
    start, words = script.starts[part], (known.first[crossing], known.second[crossing])
    return int(arrive(setup, script, pools, known, start, script.ends[start], words))


@step
def place_of(script: Script, pools: Pools, known: Crossings, crossing: Whole) -> Any:
    """The place of a crossing, which is given its turns with it."""
    if known.place[crossing] == _NOWHERE:
        queue = known.queue[crossing]
        if script.stage[queue] == Stage.END:
            known.place[crossing] = ENDED | np.uint64(known.ends_known)
            known.end_at[known.ends_known] = crossing
            known.ends_known += 1
        else:
            start = np.uint64(give_turns(known, crossing, turns_of(script, pools, queue)))
            pool = np.uint64(script.pool[queue]) if is_rolled(script, pools, queue) else _NO_POOL
            known.place[crossing] = start | pool << POOL
    return known.place[crossing]


@step
def is_rolled(script: Script, pools: Pools, queue: int) -> bool:
    """Whether a roll says which turn is taken from a crossing; not if it can come to too many things."""
    return script.stage[queue] == Stage.POOL and has_few_cells(pools, script.pool[queue])


@step
def turns_of(script: Script, pools: Pools, queue: int) -> int:
    """How many turns there are from a crossing of a queue, one that nobody takes among them."""
    if script.stage[queue] == Stage.CARD:
        return FIRST_CARD + HIGHEST_CARD + 1
    return int(pools.cells[script.pool[queue]]) + 1 if is_rolled(script, pools, queue) else FIRST_CARD


@kernel
def find_turn(setup: Setup, script: Script, pools: Pools, known: Crossings, crossing: Whole, result: Whole) -> None:
    """Work out the turn that a crossing's `result` takes: a cell of a pool, FIRST_CARD and the card's value, or 0.

    If it asks for a mark that is not known, that is noted in the script, and the turn stays UNKNOWN.
    """
    queue = known.queue[crossing]
    line, stage = script.line[queue], script.stage[queue]
    words, so_far = (known.first[crossing], known.second[crossing]), known.so_far[crossing]
    operation = operation_of(script, line)
    turn = np.int64(place_of(script, pools, known, crossing) & TURN) + result
    if operation[0] != Kind.STRIKE:
        find_step(setup, script, pools, known, line, words, turn)
        return
    number = operation[2]
    fight = set_up_strike(setup, number, words)
    if stage == Stage.CARD:
        known.turns[turn] = sure_turn(
            script.certain, rolling(setup, script, pools, known, line, words, result - FIRST_CARD)
        )
        return
    cell = result if stage == Stage.POOL else so_far >> _CELL
    pool = pool_of(pools, number, fight.rating, fight.dice + (so_far & _CARD_MASK))
    losses = losses_of(fight, scores_for(fight, pools.most_dice[pool]), cell)
    lost = discipline.places_lost(fight, losses[0]) if losses[0] < fight.models else 0
    known_so_far = cell << _CELL | so_far & _CARD_MASK
    if stage != Stage.TEST and 0 < lost < fight.models:
        if stage == Stage.POOL:
            known.turns[turn] = sure_turn(script.certain, placing(script, known, crossing, cell))
            return
        fallen = crossing_at(known, test_queue(script, line), words, known_so_far | 1 << _FALLEN)
        still_there = crossing_at(known, test_queue(script, line), words, known_so_far)
        known.turns[turn] = lot_turn(fight.models, lost, fallen, still_there)
        return
    fallen = lost > 0 if stage != Stage.TEST else so_far >> _FALLEN & 1
    find_test(setup, script, pools, known, line, words, turn, losses, 1 if fallen else 0)


@step
def find_test(
    setup: Setup,
    script: Script,
    pools: Pools,
    known: Crossings,
    line: int,
    words: tuple[int, int],
    turn: int,
    losses: tuple[int, int, int, int],
    fallen: int,
) -> None:
    """Work out the suppression test of the unit that was struck, after `losses`; `fallen`: whether its officer is."""
    fight, number = setup.fight[0], script.operations[line, 2]
    disordered = discipline.disordered_by_loss(fight, fallen)
    highest = discipline.passes_up_to(fight, losses[0], disordered)
    passed, failed = words, words
    if highest != discipline.NO_CARD:
        passed = struck(setup, number, words, losses, disordered, True)
    if highest != discipline.ANY_CARD:
        failed = struck(setup, number, words, losses, disordered, False)
    end = script.ends[line]
    if abs(highest) == discipline.ANY_CARD:
        words = passed if highest > 0 else failed
        known.turns[turn] = sure_turn(script.certain, arrive(setup, script, pools, known, line + 1, end, words))
        return
    then = arrive(setup, script, pools, known, line + 1, end, passed)
    otherwise = arrive(setup, script, pools, known, line + 1, end, failed)
    known.turns[turn] = test_turn(script, 1 - setup.strikes[number].striker, highest, then, otherwise)


@step
def struck(
    setup: Setup, number: int, words: tuple[int, int], losses: tuple[int, int, int, int], disordered: int, passed: bool
) -> tuple[int, int]:
    """Both states after a strike, the scratch fight, whose test is passed or failed."""
    fight, striker = setup.fight[0], setup.strikes[number].striker
    mine, theirs = (words[0], words[1]) if striker == 0 else (words[1], words[0])
    destroyed, damage, own_destroyed, own_damage = losses
    if passed:
        outcome = discipline.pass_test(fight, destroyed, damage, disordered)
    else:
        outcome = discipline.fail_test(fight, destroyed, damage, disordered)
    theirs = strikes.after_attack(setup, number, theirs, outcome)
    mine = strikes.after_striking(setup, number, mine, theirs, own_destroyed, own_damage)
    return (mine, theirs) if striker == 0 else (theirs, mine)


@step
def find_step(
    setup: Setup, script: Script, pools: Pools, known: Crossings, line: int, words: tuple[int, int], turn: int
) -> None:
    """Work out the turn of an operation that is no strike, and that chance decides."""
    operation, end = operation_of(script, line), script.ends[line]
    asked, highest = operations.asks(setup, operation, words)
    then = arrive(setup, script, pools, known, line + 1, end, operations.changed(setup, operation, words, True))
    otherwise = arrive(setup, script, pools, known, line + 1, end, operations.changed(setup, operation, words, False))
    if asked == Draw.COIN:
        known.turns[turn] = lot_turn(2, 1, then, otherwise)
    elif asked == Draw.STRIKE_DIE:
        known.turns[turn] = lot_turn(script.sides, script.hitting, then, otherwise)
    elif asked == Draw.HEROIC_DIE:
        known.turns[turn] = lot_turn(script.sides, script.heroic, then, otherwise)
    elif asked == Draw.MISS_OR_STRIKE_DIE:
        known.turns[turn] = lot_turn(script.sides - script.heroic, script.missing, then, otherwise)
    elif asked == Draw.MISS_DIE:
        known.turns[turn] = lot_turn(script.sides - script.hitting, script.missing, then, otherwise)
    else:
        known.turns[turn] = test_turn(script, asked - Draw.CARD_OF_0, highest, then, otherwise)


@step
def test_turn(script: Script, side: int, highest: int, then: int, otherwise: int) -> int:
    """The turn on which a side's card decides a test; UNKNOWN if its mark is."""
    mark = mark_up_to(script, highest)
    return UNKNOWN if mark == UNASKED else card_turn(side, mark, then, otherwise)
