"""Games that go on, by Monte Carlo: every die of every trial is rolled, and each state looked up in the tables.

A block of trials is rolled die by die, dice on the outside and trials on the inside, so that the loops become
vector code. A die is a 16-bit draw, or a 32-bit one where its sides are many or its chances are not whole parts.
A draw beyond the last whole multiple of the sides is drawn again, so that every side is equally likely; chances
that are not whole parts are rounded to multiples of 2**-32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Chain, Die
from analyser.engine.streams import Stream, counter_of_chunk, fill, stream_of
from analyser.jit import kernel, step

BLOCK = 1024
CHUNK_TRIALS = 1 << 16
CHUNKS_A_TASK = 8
CHUNKS_A_PART = 1 << 28
TABLES = 4  # of counts, in turn: an increment need not wait for the one before
_WIDE_SIDES = 256  # with more of them, draws of 16 bits would too often be drawn again
_NARROW, _WIDE = 16, 32  # bits of a draw


class Row(NamedTuple):
    """One phase in the kernel's script: where its numbers stand, and how many there are."""

    after: int  # in the tables
    totals: int
    dice: int  # in the dice of states
    fewest: int
    most: int
    edges: int
    values: int  # from 1 upwards that it can show
    limit: int  # the first draw that is drawn again
    bits: int
    slot: int  # of the recorded counts, or -1
    beside: int  # the first of the dice beside, in their own script
    after_beside: int  # the first that is not one of them


class BesideRow(NamedTuple):
    """A die beside in the kernel's script."""

    edges: int
    values: int
    limit: int
    bits: int
    worth: int


class Sheet(NamedTuple):
    """A chain as the kernel reads it: one row of whole numbers a phase, and the arrays that they point into."""

    script: NDArray[np.int64]
    beside: NDArray[np.int64]  # one row of whole numbers a die beside
    tables: NDArray[np.uint16]
    dice: NDArray[np.uint16]
    edges: NDArray[np.uint32]  # where each value from 1 begins among the draws
    rises: NDArray[np.uint16]  # how far that value is above the one before
    start: int
    states: int
    slots: int


class Block(NamedTuple):
    """The working memory of one thread."""

    words: NDArray[np.uint64]
    narrow: NDArray[np.uint16]  # the words, as draws of 16 bits
    wide: NDArray[np.uint32]  # the words, as draws of 32 bits
    states: NDArray[np.uint16]
    dice: NDArray[np.uint16]
    totals: NDArray[np.uint16]


def sheet_for(chain: Chain) -> Sheet:
    """The sheet of a chain; a phase that comes again is written once."""
    tables, dice = _Pile(np.uint16), _Pile(np.uint16)
    edges, rises = _Pile(np.uint32), _Pile(np.uint16)
    written: dict[int, Row] = {}
    beside: list[BesideRow] = []
    script, slot = [], 0
    for phase in chain.phases:
        if id(phase.after) not in written:
            first = len(beside)
            beside += [BesideRow(*_die_in(edges, rises, each.die), each.worth) for each in phase.beside]
            rolled = phase.dice_of_states
            first_edge, values, limit, bits = _die_in(edges, rises, phase.die)
            written[id(phase.after)] = Row(
                tables.add(phase.after), phase.after.shape[1], dice.add(rolled), int(rolled.min()), int(rolled.max()),
                first_edge, values, limit, bits, -1, first, len(beside),
            )  # fmt: skip
        script.append(written[id(phase.after)]._replace(slot=slot if phase.recorded else -1))
        slot += phase.recorded
    rows = np.array(beside, np.int64).reshape(len(beside), len(BesideRow._fields))
    return Sheet(
        np.array(script, np.int64), rows, tables.array(), dice.array(), edges.array(), rises.array(),
        chain.start, chain.states, slot,
    )  # fmt: skip


def _die_in(edges: _Pile, rises: _Pile, die: Die) -> tuple[int, int, int, int]:
    """Put a die on the piles: where it begins, its values from 1, where its draws end, and their bits."""
    starts, limit, bits = edges_of(die)
    values = np.flatnonzero(die.weights)
    values = values[values > 0]
    begins = edges.add(starts[values - 1])
    rises.add(np.diff(values, prepend=0).astype(np.uint16))
    return begins, len(values), limit, bits


class _Pile:
    """Arrays put end to end."""

    def __init__(self, kind: Any) -> None:
        self._parts: list[NDArray[Any]] = [np.zeros(0, kind)]
        self._length = 0

    def add(self, part: NDArray[Any]) -> int:
        """Put `part` at the end; where it begins."""
        begins = self._length
        self._parts.append(part.ravel())
        self._length += part.size
        return begins

    def array(self) -> NDArray[Any]:
        """The whole pile."""
        return np.concatenate(self._parts, dtype=self._parts[0].dtype)


def edges_of(die: Die) -> tuple[NDArray[np.uint32], int, int]:
    """Where each value from 1 begins among the draws, where the draws end that count, and their bits."""
    bits = _WIDE if die.sides == 0 or die.sides > _WIDE_SIDES else _NARROW
    if die.sides == 0:
        edges = np.rint(np.cumsum(die.chances)[:-1] * 2.0**bits)
        return np.minimum(edges, 2**bits - 1).astype(np.uint32), 2**bits, bits
    unit = 2**bits // die.sides
    return (np.cumsum(die.weights)[:-1] * unit).astype(np.uint32), unit * die.sides, bits


def block_for_thread() -> Block:
    """Working memory for one thread."""
    words = np.empty(BLOCK // 2, np.uint64)
    narrow, wide = words[: BLOCK // 4].view(np.uint16), words.view(np.uint32)
    return Block(words, narrow, wide, *(np.empty(BLOCK, np.uint16) for _ in range(3)))


@step
def draw_again(draws: Any, limit: Any, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Draw each draw from `limit` on again, until it is below; the counter after them."""
    bits = np.uint64(8 * draws.itemsize)
    worst = draws[0]
    for trial in range(BLOCK):
        worst = max(worst, draws[trial])
    if worst < limit:
        return counter
    spare = np.empty(1, np.uint64)
    for trial in range(BLOCK):
        while draws[trial] >= limit:
            counter = fill(spare, 1, counter, gamma)
            draws[trial] = draws.dtype.type(spare[0] >> (np.uint64(64) - bits))
    return counter


@step
def add_values(
    draws: Any, sheet: Sheet, first: int, values: int, worth: int, die: int, fewest: int, block: Block
) -> None:
    """Add what one die shows, each point `worth` so much, to the totals of the trials that roll it."""
    totals, dice, number = block.totals, block.dice, np.uint16(die)
    for value in range(first, first + values):
        edge, point = draws.dtype.type(sheet.edges[value]), np.uint16(sheet.rises[value] * worth)
        if die < fewest:
            for trial in range(BLOCK):
                totals[trial] += np.uint16(draws[trial] >= edge) * point
        else:
            for trial in range(BLOCK):
                totals[trial] += np.uint16((draws[trial] >= edge) & (number < dice[trial])) * point


@step
def roll_die(
    sheet: Sheet, edges: int, values: int, limit: int, bits: int, worth: int, die: int, fewest: int,
    block: Block, counter: np.uint64, gamma: np.uint64,
) -> np.uint64:  # fmt: skip
    """Roll one die in every trial of a block and add what it shows; the counter after it."""
    if bits == _NARROW:
        counter = fill(block.words, BLOCK // 4, counter, gamma)
        if limit < 1 << _NARROW:
            counter = draw_again(block.narrow, np.uint16(limit), counter, gamma)
        add_values(block.narrow, sheet, edges, values, worth, die, fewest, block)
    else:
        counter = fill(block.words, BLOCK // 2, counter, gamma)
        if limit < 1 << _WIDE:
            counter = draw_again(block.wide, np.uint32(limit), counter, gamma)
        add_values(block.wide, sheet, edges, values, worth, die, fewest, block)
    return counter


@step
def roll_phase(sheet: Sheet, row: int, block: Block, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Roll the dice of a phase in every trial of a block and move its state on; the counter after them."""
    after, width, of_states, fewest, most, edges, values, limit, bits, _, first, last = sheet.script[row]
    states, totals, dice = block.states, block.totals, block.dice
    totals[:] = 0
    if fewest < most:
        for trial in range(BLOCK):
            dice[trial] = sheet.dice[of_states + states[trial]]
    for die in range(most):
        counter = roll_die(sheet, edges, values, limit, bits, 1, die, fewest, block, counter, gamma)
    for other in range(first, last):
        edges, values, limit, bits, worth = sheet.beside[other]
        counter = roll_die(sheet, edges, values, limit, bits, worth, 0, 1, block, counter, gamma)
    for trial in range(BLOCK):
        states[trial] = sheet.tables[after + states[trial] * width + totals[trial]]
    return counter


@step
def count_states(states: NDArray[np.uint16], trials: int, counts: NDArray[np.uint32]) -> None:
    """Count the states of the first `trials` trials of a block; shape of `counts` (TABLES, states)."""
    if trials >= BLOCK:
        for trial in range(0, BLOCK, TABLES):
            counts[0, states[trial]] += 1
            counts[1, states[trial + 1]] += 1
            counts[2, states[trial + 2]] += 1
            counts[3, states[trial + 3]] += 1
        return
    for trial in range(trials):
        counts[0, states[trial]] += 1


@kernel
def play_chunks(
    sheet: Sheet, block: Block, first: int, last: int, chunk_trials: int, start: np.uint64, gamma: np.uint64,
    counts: NDArray[np.uint32],
) -> None:  # fmt: skip
    """Play chunks `first` to `last` - 1 of `chunk_trials` trials each into `counts`, shape (slots, TABLES, states)."""
    for chunk in range(first, last):
        counter = counter_of_chunk(start, gamma, chunk)
        for done in range(0, chunk_trials, BLOCK):
            block.states[:] = sheet.start
            for row in range(len(sheet.script)):
                counter = roll_phase(sheet, row, block, counter, gamma)
                slot = sheet.script[row, 9]
                if slot >= 0:
                    count_states(block.states, chunk_trials - done, counts[slot])


class Task(NamedTuple):
    """Chunks from `first` up to, not including, `last`, of `chunk_trials` trials each."""

    first: int
    last: int
    chunk_trials: int

    @property
    def trials(self) -> int:
        """Trials in all."""
        return (self.last - self.first) * self.chunk_trials


def tasks_of(trials: int, first_chunk: int = 0) -> Iterator[Task]:
    """The tasks that make `trials` trials; a last chunk of fewer trials is a task of its own."""
    whole, rest = divmod(trials, CHUNK_TRIALS)
    end = first_chunk + whole
    for first in range(first_chunk, end, CHUNKS_A_TASK):
        yield Task(first, min(first + CHUNKS_A_TASK, end), CHUNK_TRIALS)
    if rest:
        yield Task(end, end + 1, rest)


def sampled_counts(
    chain: Chain,
    trials: int,
    seed: int,
    part: int = 0,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.int64]:
    """How many of `trials` trials were in each state after each recorded phase: shape (recordings, states).

    Parameters
    ----------
    chain : Chain
    trials : int
    seed : int
    part : int
        Which of several chains of one question this is: each has chunks of its own.
    threads : int
        The counts do not depend on it: a chunk is a function of (seed, chunk), and counts are added up.
    progress : callable, optional
        Told the trials so far and the number aimed at.
    """
    sheet, stream = sheet_for(chain), stream_of(seed)
    counts = np.zeros((sheet.slots, sheet.states), np.int64)
    tasks, done = tasks_of(trials, part * CHUNKS_A_PART), 0
    with ThreadPoolExecutor(threads) as pool:
        while batch := list(islice(tasks, 4 * threads)):
            for task, played in zip(batch, pool.map(lambda task: _play(sheet, stream, task), batch)):
                counts += played
                done += task.trials
                if progress is not None:
                    progress(done, trials)
    return counts


def _play(sheet: Sheet, stream: Stream, task: Task) -> NDArray[np.int64]:
    counts = np.zeros((sheet.slots, TABLES, sheet.states), np.uint32)  # a task is far too small to overflow them
    play_chunks(sheet, block_for_thread(), *task, *stream, counts)
    return np.asarray(counts.sum(axis=1, dtype=np.int64))
