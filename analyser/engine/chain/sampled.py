"""Monte Carlo samples of Markov chains whose states are tabulated one and all: every die of every trial is rolled.

Trials in the same state are exchangeable, so they are one group, and only their number is kept. A group rolls one die
after the other: bit-sliced draws (:mod:`analyser.engine.chain.bitwise`) split it by what its trials show, so the counts
are multinomial, conditional on those before; then those whose totals lead to the same state go on together. Dice that
can make no difference, because every total leads to the same state, are not rolled; of the last die of a roll only
those values are distinguished that lead to different states.

A draw beyond the last whole multiple of a die's sides is rejected, so that every side is equally likely; probabilities
that are not whole parts are rounded to multiples of 2**-32.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from threading import Lock
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.common.records import Integers
from analyser.engine.chain.bitwise import DRAW_BITS, DrawBuffers, draw_buffers, draw_for_each
from analyser.engine.chain.chain import RECORD, Chain, Die, Phase, Recorded
from analyser.engine.chain.exact import TransitionTable, TransitionTables
from analyser.engine.parallel import Chunks, Queue, Report, Task, play
from analyser.engine.rng import Stream, counter_of_chunk, stream_of

CHUNKS_A_PART = 1 << 28


class DieRow(NamedTuple):
    """A die in the layout."""

    first: int  # of its values and their thresholds
    last: int  # the first that is not one of them
    limit: int  # the first draw that is rejected
    weight: int  # what each point adds to the total


class Row(NamedTuple):
    """A phase in the layout: where its numbers begin, and how many there are."""

    targets: int
    totals: int
    of_states: int  # in `dice` and `settled`
    die: int  # in `dice_rows`
    extra_dice: int  # the first of them, there
    after_extra_dice: int  # the first that is not one of them
    slot: int  # of the counts that are recorded here, where nothing is rolled, or -1


class Layout(NamedTuple):
    """A chain as the kernels read it: one row of integers a phase, and the arrays that they point into."""

    rows: Integers
    dice_rows: Integers
    targets: NDArray[np.uint32]
    dice: NDArray[np.uint16]
    settled: NDArray[np.int32]  # the state that a state leads to whatever it rolls, or -1
    values: Integers
    thresholds: Integers
    start: int
    states: int


class Memory(NamedTuple):
    """The working memory of one thread."""

    now: Integers  # how many trials of a chunk are in each state
    following: Integers  # and after the phase
    by_total: Integers  # how many trials of one state have which total so far
    with_die: Integers  # and with one more die
    thresholds: Integers  # of the die that is rolled, those that make a difference
    outcomes: Integers  # what it leads to, below the first threshold, from it on, …
    counts: Integers  # how often it has done so
    buffers: DrawBuffers


def memory_for(layout: Layout, states: int) -> Memory:
    """Working memory for one thread, with room for so many states."""
    totals, most = int(layout.rows[:, Row._fields.index("totals")].max()), len(layout.values) + 2
    arrays = [np.zeros(size, np.int64) for size in (states, states, totals, totals, most, most, most)]
    return Memory._make((*arrays, draw_buffers()))


class Writer:
    """Writes the layout of a chain, each phase once; `tabulated`: with tables of all its states, else room for one."""

    def __init__(self, chain: Chain, tabulated: bool) -> None:
        tables = TransitionTables(np.arange(chain.size)) if tabulated else None
        self._chain, self._rows, dice_rows = chain, dict[Phase, Row](), list[DieRow]()
        piles = [[np.zeros(0, kind)] for kind in (np.uint32, np.uint16, np.int32, np.int64, np.int64)]
        targets, dice, settled, values, thresholds = piles
        for phase in dict.fromkeys(chain.phases):
            begins, first = (_length(targets), _length(dice)), len(dice_rows)
            if tables is not None and phase is not RECORD:
                table = tables.of(phase)
                targets.append(table.targets.ravel())
                dice.append(table.dice)
                settled.append(_settled(table))
            for die, weight in ((phase.die, 1), *phase.extra_dice):
                at, (draws, limit) = _length(values), thresholds_of(die)
                values.append(die.values)
                thresholds.append(draws[die.values])
                dice_rows.append(DieRow(at, at + len(die.values), limit, weight))
            self._rows[phase] = Row(begins[0], phase.totals, begins[1], first, first + 1, len(dice_rows), -1)
        if tables is None:
            targets.append(np.zeros(max(phase.totals for phase in self._rows), np.uint32))
            dice.append(np.zeros(1, np.uint16))
            settled.append(np.full(1, -1, np.int32))
        self._arrays = np.array(dice_rows, np.int64), *map(np.concatenate, piles)

    def layout(self, phases: Iterable[Phase]) -> Layout:
        """The layout of some phases of the chain, in the order in which they are played."""
        rows, slot = [], 0
        for phase in phases:
            rows.append(self._rows[phase]._replace(slot=slot if phase is RECORD else -1))
            slot += phase is RECORD
        return Layout._make((np.array(rows, np.int64), *self._arrays, self._chain.start, self._chain.size))


def _length(pile: list[NDArray[Any]]) -> int:
    return sum(map(len, pile))


def _settled(table: TransitionTable) -> NDArray[np.int32]:
    """The state that each state leads to whatever it rolls; -1 where that depends on the roll."""
    states, totals = np.arange(len(table.targets)), np.arange(table.targets.shape[1])
    low, high = table.phase.span(states)
    lowest = table.targets[states, low]
    elsewhere = table.targets != lowest[:, np.newaxis]
    elsewhere &= (totals > low[:, np.newaxis]) & (totals <= high[:, np.newaxis])
    return np.where(elsewhere.any(axis=1), -1, lowest.astype(np.int32))


def thresholds_of(die: Die) -> tuple[Integers, int]:
    """The least draw that shows each value from 0, and the least that is rejected, so that sides are equally likely."""
    if die.sides == 0:
        below = np.concatenate([[0.0], np.cumsum(die.pmf)[:-1]])
        return np.rint(np.minimum(below, 1.0) * 2.0**DRAW_BITS).astype(np.int64), 1 << DRAW_BITS
    below = np.concatenate([[0.0], np.cumsum(die.weights)[:-1]])
    unit = (1 << DRAW_BITS) // die.sides
    return below.astype(np.int64) * unit, unit * die.sides


@step
def roll_die(layout: Layout, die: int, outcomes: int, trials: int, memory: Memory, into: Integers) -> None:
    """Roll one die in each of `trials` trials, and add to its outcomes.

    `outcomes` is how many there are; they and the thresholds between them are in the memory.
    """
    limit, last = layout.dice_rows[die, 2], outcomes - 1
    if limit < 1 << DRAW_BITS:
        memory.thresholds[last] = limit
        last += 1
    while trials > 0:
        memory.counts[: outcomes + 1] = 0
        draw_for_each(trials, memory.thresholds, last, memory.counts, memory.buffers)
        trials = memory.counts[outcomes]  # rejected
        for outcome in range(outcomes):
            into[memory.outcomes[outcome]] += memory.counts[outcome]


@step
def roll_one_more(layout: Layout, die: int, low: int, high: int, memory: Memory) -> tuple[int, int]:
    """Roll a die that is not the last, for all totals `low` to `high` so far; the new ends."""
    by_total, with_die = memory.by_total, memory.with_die
    first, last, _, weight = layout.dice_rows[die]
    lowest, highest = low + layout.values[first] * weight, high + layout.values[last - 1] * weight
    with_die[lowest : highest + 1] = 0
    for total in range(low, high + 1):
        if by_total[total] == 0:
            continue
        for value in range(first, last):
            memory.outcomes[value - first] = total + layout.values[value] * weight
            memory.thresholds[max(value - first - 1, 0)] = layout.thresholds[value]  # the first begins at 0
        roll_die(layout, die, last - first, by_total[total], memory, with_die)
    while with_die[lowest] == 0:
        lowest += 1
    while with_die[highest] == 0:
        highest -= 1
    by_total[lowest : highest + 1] = with_die[lowest : highest + 1]
    return lowest, highest


@step
def roll_last(layout: Layout, die: int, row: int, total: int, trials: int, memory: Memory) -> None:
    """Roll the last die for trials with a total so far, and send them on; `row` is where their targets begin."""
    first, last, _, weight = layout.dice_rows[die]
    outcomes = 0
    for value in range(first, last):
        target = layout.targets[row + total + layout.values[value] * weight]
        if outcomes > 0 and memory.outcomes[outcomes - 1] == target:
            continue
        if outcomes > 0:
            memory.thresholds[outcomes - 1] = layout.thresholds[value]
        memory.outcomes[outcomes] = target
        outcomes += 1
    if outcomes == 1:
        memory.following[memory.outcomes[0]] += trials
    else:
        roll_die(layout, die, outcomes, trials, memory, memory.following)


@step
def die_rolled(position: int, dice: int, die: int, extra_dice: int) -> int:
    """Which die is rolled after `position` others: the state's own come first."""
    return die if position < dice else extra_dice + position - dice


@step
def roll_group(layout: Layout, phase: int, state: int, trials: int, memory: Memory) -> None:
    """Roll the dice of a phase for all trials that are in a state, and send them on."""
    targets, totals, of_states, die, extra_dice, after_extra_dice, _ = layout.rows[phase]
    target = layout.settled[of_states + state]
    if target >= 0:
        memory.following[target] += trials
        return
    dice = int(layout.dice[of_states + state])
    last = dice + after_extra_dice - extra_dice - 1
    low, high = 0, 0
    memory.by_total[0] = trials
    for position in range(last):
        which = die_rolled(position, dice, die, extra_dice)
        low, high = roll_one_more(layout, which, low, high, memory)
    which = die_rolled(last, dice, die, extra_dice)
    for total in range(low, high + 1):
        some = memory.by_total[total]
        if some > 0:
            roll_last(layout, which, targets + state * totals, total, some, memory)


@kernel
def play_chunks(layout: Layout, memory: Memory, task: Task, stream: Stream, counts: Integers) -> None:
    """Play the chunks of a task; add to `counts`, shape (slots, states)."""
    now, following = memory.now, memory.following
    for chunk in range(task.first, task.last):
        memory.buffers.stream[0] = counter_of_chunk(stream.start, stream.gamma, chunk)
        memory.buffers.stream[1] = stream.gamma
        now[:] = 0
        now[layout.start] = task.chunk_trials
        for phase in range(len(layout.rows)):
            slot = layout.rows[phase, 6]
            if slot >= 0:
                counts[slot] += now
                continue
            following[:] = 0
            for state in range(layout.states):
                if now[state] > 0:
                    roll_group(layout, phase, state, now[state], memory)
            now[:] = following


@lru_cache(maxsize=64)
def tabulated_writer(chain: Chain) -> Writer:
    """The layout of a chain with tables of all its states, made once for all samples of it."""
    return Writer(chain, tabulated=True)


class Sample:
    """A growing sample of a chain; a chunk of it is a function of (seed, part, chunk) and of nothing else."""

    chunk_trials: ClassVar[int]

    def __init__(self, writer: Writer, first_chunk: int) -> None:
        self.trials = 0
        self._writer, self._next_chunk = writer, first_chunk
        self._lock = Lock()

    def play(self, phases: Sequence[Phase], trials: int, threads: int = 1, report: Report = lambda _: None) -> None:
        """Play `trials` further trials of some phases of the chain; `report` is told how many are done in all."""
        work, chunks = partial(self._work, phases, self._writer.layout(phases)), self._next_chunk
        before = self.trials
        play(Chunks(trials, self.chunk_trials, chunks), work, threads, lambda done: report(before + done))
        self.trials = before + trials
        self._next_chunk += -(-trials // self.chunk_trials)

    def _work(self, phases: Sequence[Phase], layout: Layout, queue: Queue) -> None:
        """Take tasks and play them until there are none."""
        raise NotImplementedError

    def recorded(self) -> Recorded:
        """The counts of all that was played."""
        raise NotImplementedError


class TabulatedSample(Sample):
    """A sample of a chain all of whose states are tabulated."""

    chunk_trials = 1 << 20  # many, so that trials in the same state are many

    def __init__(self, chain: Chain, recordings: int, seed: int, part: int) -> None:
        super().__init__(tabulated_writer(chain), part * CHUNKS_A_PART)
        self._stream = stream_of(seed)
        self._counts = np.zeros((recordings, chain.size), np.int64)

    def _work(self, _: Sequence[Phase], layout: Layout, queue: Queue) -> None:
        memory, counts = memory_for(layout, layout.states), np.zeros_like(self._counts)
        for task in queue:
            play_chunks(layout, memory, task, self._stream, counts)
        with self._lock:
            self._counts += counts

    def recorded(self) -> Recorded:
        """The counts of all that was played."""
        return Recorded(np.arange(self._counts.shape[1]), self._counts)
