"""The program of a fight as the Monte Carlo engine walks it: its lines, and the queues in which trials wait there."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.common.records import Int, empty_record
from analyser.engine.fight.program import Kind, Operation
from analyser.engine.fight.sampled.pools import Pools, too_many_pools
from analyser.game.ruleset import HIGHEST_CARD
from analyser.rules.draws import odds_of

_MOST_LINES, MOST_QUEUES = 1 << 10, 1 << 13

# What trials need before they can go on.
NOTHING, NO_ROLLS, NO_TRANSITION, NO_PLACE, NO_WAY, NO_THRESHOLD, NO_ROOM, NO_PATIENCE = range(8)
PATIENCE = 2000  # needs that are met before it is asked again who is to meet them
UNASKED = -1


class Stage(IntEnum):
    """What is decided where trials wait."""

    CARD = 0  # the attacker's card, which adds dice (Overcharge, AC-6)
    POOL = 1  # an attack roll
    PLACE = 2  # after the roll: the officer's place (AC-5.8) where it matters, or else the test
    TEST = 3  # a test, a toss, or a single die
    END = 4  # nothing: a part has ended


class ProgramTable:
    """A program, and what its draws are made of, as one record.

    A line that is a strike has a queue of each stage, and of POOL one for each of its pools; other lines have one of
    TEST. The last queue of all is that of END.
    """

    operations: Annotated[Any, np.int64, (_MOST_LINES, len(Operation._fields))]  # the parts, one after the other
    lines: Int
    starts: Annotated[Any, np.int64, (_MOST_LINES,)]  # where each part begins
    ends: Annotated[Any, np.int64, (_MOST_LINES,)]  # of each line, where its part ends
    first_queue: Annotated[Any, np.int64, (_MOST_LINES,)]  # of each line, and after the last one that of END
    line: Annotated[Any, np.int64, (MOST_QUEUES,)]  # of each queue
    stage: Annotated[Any, np.int64, (MOST_QUEUES,)]
    pool: Annotated[Any, np.int64, (MOST_QUEUES,)]  # 0 where none is rolled; of CARD, the side that draws
    # Of tests that no card passes, and that cards up to 0, 1, 2 pass: what a card is compared with, or UNASKED. Where
    # cards are put back that is how many cards of the deck pass; else see :mod:`.decks`.
    thresholds: Annotated[Any, np.int64, (HIGHEST_CARD + 2,)]
    cards: Annotated[Any, np.int64, (HIGHEST_CARD + 1,)]  # of :class:`~analyser.rules.draws.Odds`, as the last five
    certain: Int  # the threshold that every card passes
    wanted: Int  # which of `thresholds` was asked for, and is not known yet; UNASKED
    heroic: Int
    strike: Int
    miss: Int
    sides: Int
    at_most: Annotated[Any, np.float64, (HIGHEST_CARD + 1,)]


def program_table_of(
    texts: Sequence[Sequence[Operation]],
    strikers: Sequence[int],
    pools: Pools,
    die: NDArray[np.int64],
    deck: NDArray[np.int64],
) -> ProgramTable:
    """The table of a program, its parts each once, without thresholds; `strikers`: the side of each strike."""
    program: Any = empty_record(ProgramTable)
    lengths = [len(text) for text in texts]
    operations = [operation for text in texts for operation in text]
    lines, ends = len(operations), np.cumsum(lengths)
    program.operations[:lines], program.lines = operations, lines
    program.starts[: len(texts)], program.ends[:lines] = ends - lengths, np.repeat(ends, lengths)
    program.thresholds, program.wanted = UNASKED, UNASKED
    program.heroic, program.strike, program.miss, program.sides, cards, _ = odds_of(die, deck)
    program.cards[: len(deck)], program.cards[len(deck) :] = cards, cards[-1]
    program.at_most = program.cards / cards[-1]
    queues = [_queues(operation, strikers, pools) for operation in operations]
    firsts = np.cumsum([0, *map(len, queues)])
    table = [(line, *queue) for line, some in enumerate(queues) for queue in some]
    table.append((0, Stage.END, 0))
    if len(table) > MOST_QUEUES:
        raise too_many_pools(len(table), MOST_QUEUES)
    program.first_queue[: lines + 1] = firsts
    for name, column in zip(("line", "stage", "pool"), zip(*table)):
        program[name][: len(table)] = column
    return cast("ProgramTable", program)


def _queues(operation: Operation, strikers: Sequence[int], pools: Pools) -> list[tuple[int, int]]:
    """The queues of a line: what is decided, and the pool or the side that draws."""
    if operation.kind != Kind.STRIKE:
        return [(Stage.TEST, 0)]
    number = operation.number
    rolled = range(pools.first_of_strike[number], pools.first_of_strike[number + 1])
    return [(Stage.CARD, strikers[number]), *((Stage.POOL, pool) for pool in rolled), (Stage.PLACE, 0), (Stage.TEST, 0)]


@step
def threshold_up_to(program: ProgramTable, highest: int) -> int:
    """What a card is compared with in a test that cards up to `highest` pass; noted as wanted if it is not known."""
    place = min(max(highest + 1, 0), HIGHEST_CARD + 1)
    if program.thresholds[place] == UNASKED:
        program.wanted = place
    return int(program.thresholds[place])


@step
def place_queue(program: ProgramTable, line: int) -> int:
    """Where the officer's place is decided."""
    return int(program.first_queue[line + 1] - 2)


@step
def test_queue(program: ProgramTable, line: int) -> int:
    """Where tests, tosses and single dice are."""
    return int(program.first_queue[line + 1] - 1)


@step
def end_queue(program: ProgramTable) -> int:
    """Where all parts end."""
    return int(program.first_queue[program.lines])
