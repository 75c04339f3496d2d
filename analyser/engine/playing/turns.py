"""What the rules say at a crossing: which draw decides, and where it leads."""

from __future__ import annotations

from analyser.cards import HIGHEST_CARD
from analyser.engine import steps, strikes
from analyser.engine.playing.crossings import (
    NO_DRAW,
    OF_SO_MANY,
    UNKNOWN,
    Crossings,
    crossing_at,
    first_way,
    give_turns,
    set_turn,
)
from analyser.engine.playing.hands import Pools, pool_of
from analyser.engine.playing.script import (
    Script,
    Stage,
    card_queue,
    cards_up_to,
    end_queue,
    operation_of,
    place_queue,
    pool_queue,
    test_queue,
)
from analyser.engine.program import Kind, Setup
from analyser.jit import Whole, kernel, step
from analyser.rules.armoured_clash import morale
from analyser.rules.armoured_clash.damage import suffer_blanks, suffer_hits
from analyser.rules.armoured_clash.facts import FightFacts

_CARD, _POOL, _PLACE, _TEST = int(Stage.CARD), int(Stage.POOL), int(Stage.PLACE), int(Stage.TEST)
_STRIKE = int(Kind.STRIKE)
_COIN, _STRIKE_DIE, _HEROIC_DIE, _NOTHING = steps.COIN, steps.STRIKE_DIE, steps.HEROIC_DIE, steps.NOTHING
_MISS_DIE, _MISS_OR_STRIKE_DIE = steps.MISS_DIE, steps.MISS_OR_STRIKE_DIE
_CARD_OF_0 = steps.CARD_OF_0

# What is known so far on a line: the value of the attacker's card, whether the officer has fallen, and the cell that
# the roll has come to (hits and blanks).
_FALLEN, _CELL = 16, 17
_CARD_MASK = (1 << _FALLEN) - 1


@kernel
def arrive(
    setup: Setup, script: Script, pools: Pools, known: Crossings, line: int, end: int, words: tuple[int, int]
) -> int:  # fmt: skip
    """The crossing that is reached from `line` on, what no chance decides done; or where the part ends."""
    while line < end:
        operation = operation_of(script, line)
        if operation[0] == _STRIKE:
            if strikes.is_made(setup, operation[2], operation[1], words):
                return striking(setup, script, pools, known, line, words)
        else:
            asked, highest = steps.asks(setup, operation, words)
            if asked != _NOTHING:
                return crossing_at(known, test_queue(script, line), words, 0)
            words = steps.changed(setup, operation, words, highest >= 0)
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
) -> int:  # fmt: skip
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
    give_turns(known, crossing, script.parts)
    turn = known.start[crossing] + part
    if known.turns[turn] == UNKNOWN:
        start, words = script.starts[part], (known.first[crossing], known.second[crossing])
        first = arrive(setup, script, pools, known, start, script.ends[start], words)
        set_turn(known, turn, NO_DRAW, 0, first, 0)
    return first_way(known.turns[turn])


@step
def turns_of(script: Script, pools: Pools, queue: int) -> int:
    """How many turns there are from a crossing of a queue."""
    if script.stage[queue] == _CARD:
        return HIGHEST_CARD + 1
    return int(pools.cells[script.pool[queue]])


@kernel
def find_turn(
    setup: Setup, script: Script, pools: Pools, known: Crossings, crossing: Whole, result: Whole
) -> None:  # fmt: skip
    """Work out the turn that a crossing's `result` takes: a card's value, a cell of a pool, or 0."""
    queue = known.queue[crossing]
    line, stage = script.line[queue], script.stage[queue]
    words, so_far = (known.first[crossing], known.second[crossing]), known.so_far[crossing]
    operation = operation_of(script, line)
    give_turns(known, crossing, turns_of(script, pools, queue))
    turn = known.start[crossing] + result
    if operation[0] != _STRIKE:
        find_step(setup, script, pools, known, line, words, turn)
        return
    number = operation[2]
    fight = set_up_strike(setup, number, words)
    if stage == _CARD:
        set_turn(known, turn, NO_DRAW, 0, rolling(setup, script, pools, known, line, words, result), 0)
        return
    cell = result if stage == _POOL else so_far >> _CELL
    pool = pool_of(pools, number, fight.rating, fight.dice + (so_far & _CARD_MASK))
    hits, blanks = cell // pools.blank_values[pool], cell % pools.blank_values[pool]
    destroyed, damage = suffer_hits(fight, hits)
    lost = morale.places_lost(fight, destroyed) if destroyed < fight.models else 0
    known_so_far = cell << _CELL | so_far & _CARD_MASK
    if stage != _TEST and 0 < lost < fight.models:
        if stage == _POOL:
            set_turn(known, turn, NO_DRAW, 0, placing(script, known, crossing, cell), 0)
            return
        fallen = crossing_at(known, test_queue(script, line), words, known_so_far | 1 << _FALLEN)
        still_there = crossing_at(known, test_queue(script, line), words, known_so_far)
        set_turn(known, turn, fight.models + OF_SO_MANY, lost, fallen, still_there)
        return
    fallen = lost > 0 if stage != _TEST else so_far >> _FALLEN & 1
    find_test(setup, script, pools, known, line, words, turn, (destroyed, damage, blanks, 1 if fallen else 0))


@step
def find_test(
    setup: Setup, script: Script, pools: Pools, known: Crossings, line: int, words: tuple[int, int], turn: int,
    rolled: tuple[int, int, int, int],
) -> None:  # fmt: skip
    """Work out the suppression test of the unit that was struck: `rolled` is what the dice came to."""
    fight, number = setup.fight[0], script.operations[line, 2]
    disordered = morale.disordered_by_loss(fight, rolled[3])
    highest = morale.passes_up_to(fight, rolled[0], disordered)
    passed, failed = words, words
    if highest != morale.NO_CARD:
        passed = struck(setup, number, words, rolled, disordered, True)
    if highest != morale.ANY_CARD:
        failed = struck(setup, number, words, rolled, disordered, False)
    end = script.ends[line]
    if abs(highest) == morale.ANY_CARD:
        words = passed if highest > 0 else failed
        set_turn(known, turn, NO_DRAW, 0, arrive(setup, script, pools, known, line + 1, end, words), 0)
        return
    then = arrive(setup, script, pools, known, line + 1, end, passed)
    otherwise = arrive(setup, script, pools, known, line + 1, end, failed)
    side = 1 - setup.strikes[number].striker
    set_turn(known, turn, side, cards_up_to(script, highest), then, otherwise)


@step
def struck(
    setup: Setup, number: int, words: tuple[int, int], rolled: tuple[int, int, int, int], disordered: int, passed: bool
) -> tuple[int, int]:  # fmt: skip
    """Both states after a strike, the scratch fight, whose test is passed or failed."""
    fight, striker = setup.fight[0], setup.strikes[number].striker
    mine, theirs = (words[0], words[1]) if striker == 0 else (words[1], words[0])
    destroyed, damage, blanks, _ = rolled
    if passed:
        outcome = morale.pass_test(fight, destroyed, damage, disordered)
    else:
        outcome = morale.fail_test(fight, destroyed, damage, disordered)
    own_destroyed, own_damage = 0, 0
    if fight.overcharge:
        own_destroyed, own_damage = suffer_blanks(fight, blanks)
    theirs = strikes.after_attack(setup, number, theirs, outcome)
    mine = strikes.after_striking(setup, number, mine, theirs, own_destroyed, own_damage)
    return (mine, theirs) if striker == 0 else (theirs, mine)


@step
def find_step(
    setup: Setup, script: Script, pools: Pools, known: Crossings, line: int, words: tuple[int, int], turn: int
) -> None:  # fmt: skip
    """Work out the turn of an operation that is no strike, and that chance decides."""
    operation, end = operation_of(script, line), script.ends[line]
    asked, highest = steps.asks(setup, operation, words)
    then = arrive(setup, script, pools, known, line + 1, end, steps.changed(setup, operation, words, True))
    otherwise = arrive(setup, script, pools, known, line + 1, end, steps.changed(setup, operation, words, False))
    draw, below = asked - _CARD_OF_0, 0
    if asked == _COIN:
        draw, below = 2 + OF_SO_MANY, 1
    elif asked == _STRIKE_DIE:
        draw, below = script.sides + OF_SO_MANY, script.hitting
    elif asked == _HEROIC_DIE:
        draw, below = script.sides + OF_SO_MANY, script.heroic
    elif asked == _MISS_OR_STRIKE_DIE:
        draw, below = script.sides - script.heroic + OF_SO_MANY, script.missing
    elif asked == _MISS_DIE:
        draw, below = script.sides - script.hitting + OF_SO_MANY, script.missing
    else:
        below = cards_up_to(script, highest)
    set_turn(known, turn, draw, below, then, otherwise)
