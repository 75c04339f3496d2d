"""The program of a fight as the Monte Carlo engine walks it: its lines, and the queues in which trials wait there."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.engine.fight.program import Kind, Operation
from analyser.engine.fight.sampled.pools import Pools, too_many_pools
from analyser.game.cards import HIGHEST_CARD
from analyser.game.dice import Face

_MOST_LINES, MOST_QUEUES = 1 << 10, 1 << 13


# What trials need before they can go on.
NOTHING, NO_ROLLS, NO_TURN, NO_PLACE, NO_WAY, NO_MARK, NO_ROOM = range(7)
UNASKED = -1
_NO_CARD_PASSES = 0  # the first of the marks: those of tests that cards up to 0, 1, 2 pass come after it


class Stage(IntEnum):
    """What is decided where trials wait."""

    CARD = 0  # the attacker's card, which adds dice (Overcharge, AC-6)
    POOL = 1  # an attack roll
    PLACE = 2  # after the roll: the officer's place (AC-5.8) where it matters, or else the test
    TEST = 3  # a test, a toss, or a single die
    END = 4  # nothing: a part has ended


class Script:
    """A program, and what its draws are made of, as one record.

    A line that is a strike has a queue of each stage, and of POOL one for each of its pools; other lines have one of
    TEST. The last queue of all is that of END.

    Attributes
    ----------
    operations : int64 array, shape (lines, 3)
        The parts of the program, one after the other, each once.
    starts : int64 array
        Where each part begins.
    ends : int64 array
        Of each line, where its part ends.
    first_queue : int64 array
        Of each line, and after the last one that of END.
    line, stage, pool : int64 arrays
        Of each queue; `pool` is 0 where none is rolled (:class:`.pools.Pools`), of CARD the side that draws.
    marks : int64 array, shape (HIGHEST_CARD + 2,)
        Of tests that no card passes, and of those that cards up to 0, 1, 2 pass: what a card is held against, or
        UNASKED. Where cards are put back that is how many cards of the deck pass; else see :mod:`.decks`.
    certain : int
        The mark that every card passes.
    wanted : int
        Which of `marks` was asked for, and is not known yet; UNASKED.
    sides, hitting, heroic, missing : int
        Sides of the attack die; those that show a strike or a heroic strike, a heroic strike, a miss.
    """

    operations: Any
    lines: int
    starts: Any
    ends: Any
    first_queue: Any
    line: Any
    stage: Any
    pool: Any
    marks: Any
    certain: int
    wanted: int
    sides: int
    hitting: int
    heroic: int
    missing: int


_OF_A_QUEUE = "line", "stage", "pool"
_SCRIPT = np.dtype(
    (
        np.record,
        [
            ("operations", np.int64, (_MOST_LINES, len(Operation._fields))),
            ("lines", np.int64),
            *((name, np.int64, (_MOST_LINES,)) for name in ("starts", "ends", "first_queue")),
            *((name, np.int64, (MOST_QUEUES,)) for name in _OF_A_QUEUE),
            ("marks", np.int64, (HIGHEST_CARD + 2,)),
            *((name, np.int64) for name in ("certain", "wanted", "sides", "hitting", "heroic", "missing")),
        ],
    )
)


def script_of(
    texts: Sequence[Sequence[Operation]], strikers: Sequence[int], pools: Pools, die: NDArray[np.int64]
) -> Script:
    """The script of a program, without marks.

    Parameters
    ----------
    texts : sequence of sequences of Operation
        Its parts, each once.
    strikers : sequence of int
        The side of each strike.
    pools : Pools
    die : int64 array
        Sides by face.

    Raises
    ------
    InputError
        More pools of dice than there is room for.
    """
    script: Any = np.zeros(1, _SCRIPT)[0]
    lengths = [len(text) for text in texts]
    operations = [operation for text in texts for operation in text]
    lines, ends = len(operations), np.cumsum(lengths)
    script.operations[:lines], script.lines = operations, lines
    script.starts[: len(texts)], script.ends[:lines] = ends - lengths, np.repeat(ends, lengths)
    script.marks, script.wanted = UNASKED, UNASKED
    script.sides, script.missing = die.sum(), die[Face.MISS]
    script.hitting, script.heroic = die[Face.HEROIC] + die[Face.STRIKE], die[Face.HEROIC]
    queues = [_queues(operation, strikers, pools) for operation in operations]
    firsts = np.cumsum([0, *map(len, queues)])
    table = [(line, *queue) for line, some in enumerate(queues) for queue in some]
    table.append((0, Stage.END, 0))
    if len(table) > MOST_QUEUES:
        raise too_many_pools(len(table), MOST_QUEUES)
    script.first_queue[: lines + 1] = firsts
    for name, column in zip(_OF_A_QUEUE, zip(*table)):
        script[name][: len(table)] = column
    return cast("Script", script)


def mark_by_cards(script: Script, deck: NDArray[np.int64]) -> None:
    """Let marks be how many cards of a full deck pass; `deck` has the copies by card value."""
    script.certain = deck.sum()
    script.marks[1 : len(deck) + 1], script.marks[len(deck) + 1 :] = np.cumsum(deck), deck.sum()
    script.marks[_NO_CARD_PASSES] = 0


def _queues(operation: Operation, strikers: Sequence[int], pools: Pools) -> list[tuple[int, int]]:
    """The queues of a line: what is decided, and the pool or the side that draws."""
    if operation.kind != Kind.STRIKE:
        return [(Stage.TEST, 0)]
    number = operation.number
    rolled = range(pools.first_of_strike[number], pools.first_of_strike[number + 1])
    return [(Stage.CARD, strikers[number]), *((Stage.POOL, pool) for pool in rolled), (Stage.PLACE, 0), (Stage.TEST, 0)]


@step
def operation_of(script: Script, line: int) -> tuple[int, int, int]:
    """A line of the program."""
    return script.operations[line, 0], script.operations[line, 1], script.operations[line, 2]


@step
def mark_up_to(script: Script, highest: int) -> int:
    """What a card is held against in a test that cards up to `highest` pass; noted as wanted if it is not known."""
    place = min(max(highest + 1, _NO_CARD_PASSES), HIGHEST_CARD + 1)
    if script.marks[place] == UNASKED:
        script.wanted = place
    return int(script.marks[place])


@step
def card_queue(script: Script, line: int) -> int:
    """Where the attacker's card is drawn."""
    return int(script.first_queue[line])


@step
def pool_queue(script: Script, pools: Pools, line: int, pool: int) -> int:
    """Where a pool is rolled."""
    return int(script.first_queue[line] + 1 + pool - pools.first_of_strike[script.operations[line, 2]])


@step
def place_queue(script: Script, line: int) -> int:
    """Where the officer's place is decided."""
    return int(script.first_queue[line + 1] - 2)


@step
def test_queue(script: Script, line: int) -> int:
    """Where tests, tosses and single dice are."""
    return int(script.first_queue[line + 1] - 1)


@step
def end_queue(script: Script) -> int:
    """Where all parts end."""
    return int(script.first_queue[script.lines])
