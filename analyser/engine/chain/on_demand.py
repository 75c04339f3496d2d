"""Monte Carlo samples of Markov chains with too many states for tables of all of them.

Trials in the same state are one group, as in :mod:`analyser.engine.chain.sampled`; but the row of a state is worked out
when there are trials in it, some thousands of rows at a time, and forgotten after it. Large groups are rolled by the
same kernel, small ones trial by trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.jit import kernel, step
from analyser.common.records import Integers
from analyser.engine.chain import sampled
from analyser.engine.chain.bitwise import DRAW_BITS
from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, Sparse, SparseRow, States, distinct, slabs
from analyser.engine.chain.exact import Paths, Turns
from analyser.engine.parallel import Queue, Report
from analyser.engine.rng import counter_of_chunk, stream_of, word_of

FEW_TRIALS = 16  # of a group, that are rolled one by one
MOST_RECORDED = 1 << 25  # counts that are kept, of all recordings together
FEWEST_WAIT = 1 << 15  # states that wait to be merged with those that were met before
MOST_DENSE = 1 << 22  # counts that are laid out, those that are 0 with them
CHUNKS_APART = 1 << 12  # of the stream's chunks: few trials in a state take more words each than many
_UPPER = np.uint64(64 - DRAW_BITS)  # bits of a word that are not part of its draw

Counts = tuple[States, Integers]  # states, and how many trials are in each


class Groups(NamedTuple):
    """Trials by state, in the order in which they came to it; those that came apart stand apart."""

    states: States
    trials: Integers
    length: Integers  # shape (1,): how many groups there are


@step
def add_to(groups: Groups, state: int, trials: int) -> None:
    """Add trials in a state: to the last group, if that is in it too."""
    length = groups.length[0]
    if length > 0 and groups.states[length - 1] == state:
        groups.trials[length - 1] += trials
    else:
        groups.states[length], groups.trials[length] = state, trials
        groups.length[0] += 1


@step
def roll_one(layout: sampled.Layout, phase: int, dice: int, stream: NDArray[np.uint64]) -> int:
    """The total that one trial rolls in a phase, by inversion of the distribution."""
    _, _, _, die, extra_dice, after_extra_dice, _ = layout.rows[phase]
    total, counter, gamma = 0, stream[0], stream[1]
    for position in range(dice + after_extra_dice - extra_dice):
        value, last, limit, weight = layout.dice_rows[sampled.die_rolled(position, dice, die, extra_dice)]
        if last - value > 1:
            counter += gamma
            draw = np.int64(word_of(counter) >> _UPPER)
            while draw >= limit:
                counter += gamma
                draw = np.int64(word_of(counter) >> _UPPER)
            while value + 1 < last and layout.thresholds[value + 1] <= draw:
                value += 1
        total += layout.values[value] * weight
    stream[0] = counter
    return total


@kernel
def roll_groups(
    layout: sampled.Layout,
    phase: int,
    rows: Integers,
    spans: Integers,
    trials: Integers,
    few: int,
    memory: sampled.Memory,
    groups: Groups,
) -> None:
    """Roll a phase for groups of trials, those of each in the same state, and send them on.

    `layout` has room for the targets of one state, those of each group in turn: a row of `rows`, shape (groups,
    totals). `spans`, shape (groups, 3), says how many dice a group rolls, the lowest and the highest of its totals.
    Groups of up to `few` are rolled trial by trial.
    """
    for group in range(len(trials)):
        dice, low, high = spans[group]
        same_from = low  # totals side by side that lead to the same state count as the first of them
        for total in range(low, high + 1):
            if rows[group, total] != rows[group, same_from]:
                same_from = total
            layout.targets[total] = same_from
        if same_from == low:
            add_to(groups, rows[group, low], trials[group])
        elif trials[group] <= few:
            for _ in range(trials[group]):
                add_to(groups, rows[group, roll_one(layout, phase, dice, memory.buffers.stream)], 1)
        else:
            layout.dice[0] = dice
            memory.following[low : high + 1] = 0
            sampled.roll_group(layout, phase, 0, trials[group], memory)
            for total in range(low, high + 1):
                if memory.following[total] > 0:
                    add_to(groups, rows[group, total], memory.following[total])


def merged(states: States, trials: Integers) -> Counts:
    """States in order, each once, and how many trials are in each."""
    order = np.argsort(states, kind="stable")
    states = states[order]
    firsts = np.flatnonzero(np.diff(states, prepend=-1))
    return states[firsts], np.add.reduceat(trials[order], firsts)


class Counter:
    """How many trials were in each state, of chunks that come one after the other."""

    def __init__(self) -> None:
        self._merged: Counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._waiting: list[Counts] = []
        self._waits = 0

    def add(self, counts: Counts) -> None:
        """Count trials in some states, each there once."""
        self._waiting.append(counts)
        self._waits += len(counts[0])
        if self._waits > max(self.kept, FEWEST_WAIT):
            self.merged()

    @property
    def kept(self) -> int:
        """How many states were met, but for those of the latest chunks."""
        return len(self._merged[0])

    def merged(self) -> Counts:
        """The states in order, each once, and how many trials were in each."""
        if self._waiting:
            self._merged = merged(*(np.concatenate(part) for part in zip(self._merged, *self._waiting)))
            self._waiting, self._waits = [], 0
        return self._merged


class OnDemandSample(sampled.Sample):
    """A sample of a chain with many states."""

    chunk_trials = 1 << 18

    def __init__(self, chain: Chain, recordings: int, seed: int, part: int) -> None:
        super().__init__(sampled.Writer(chain, tabulated=False), 0)
        self._chain, self._stream = chain, stream_of(seed, part)
        self._counters = [Counter() for _ in range(recordings)]

    def _work(self, phases: Sequence[Phase], layout: sampled.Layout, queue: Queue) -> None:
        layout = layout._replace(targets=layout.targets.copy(), dice=layout.dice.copy())  # of one state: written into
        memory = sampled.memory_for(layout, layout.targets.size)
        for task in queue:
            for chunk in range(task.first, task.last):
                of_chunk = self._chunk(phases, layout, memory, chunk, task.chunk_trials)
                with self._lock:
                    for counter, counts in zip(self._counters, of_chunk):
                        counter.add(counts)
                    self.trials += task.chunk_trials
                    self._check_room()

    def _chunk(
        self, phases: Sequence[Phase], layout: sampled.Layout, memory: sampled.Memory, chunk: int, trials: int
    ) -> list[Counts]:
        """How many trials of a chunk are in each state after each recorded phase."""
        start, gamma = self._stream
        memory.buffers.stream[:] = counter_of_chunk(start, gamma, chunk * CHUNKS_APART), gamma
        states, counts, few = np.array([self._chain.start]), np.array([trials]), 1
        recorded = []
        for place, phase in enumerate(phases):
            if phase is RECORD:
                states, counts = merged(states, counts)
                few = len(states)
                recorded.append((states, counts))
                continue
            groups = Groups(np.empty(trials, np.int64), np.empty(trials, np.int64), np.zeros(1, np.int64))
            for some in slabs(len(states), phase.totals):
                rows = np.ascontiguousarray(phase.rows(states[some]), np.int64)
                spans = np.column_stack([phase.dice_of(states[some]), *phase.span(states[some])])
                roll_groups(layout, place, rows, spans, counts[some], FEW_TRIALS, memory, groups)
            states, counts = (each[: groups.length[0]] for each in (groups.states, groups.trials))
            if len(states) > 2 * few:
                states, counts = merged(states, counts)
                few = len(states)
        return recorded

    def recorded(self) -> Recorded:
        """The counts of all that was played."""
        counts = [counter.merged() for counter in self._counters]
        self._check_room()
        states = distinct(np.concatenate([met for met, _ in counts]))
        rows = [
            SparseRow(np.searchsorted(states, met), trials.astype(np.float64))  # of which products are the fastest
            for met, trials in counts
        ]
        weights = Sparse(rows, len(states))
        is_sparse = len(rows) > 1 and len(rows) * len(states) > MOST_DENSE
        return Recorded(states, weights if is_sparse else weights.toarray())

    def _check_room(self) -> None:
        if sum(counter.kept for counter in self._counters) > MOST_RECORDED:
            problem = f"{self._chain.what}: {self.trials} trials end in too many different states to keep"
            raise InputError(problem, allowed=f"fewer trials, or {self._chain.less}")


def sample_of(chain: Chain, recordings: int, seed: int, part: int) -> sampled.Sample:
    """An empty sample of a chain, with room for so many recorded counts.

    `part` says which of several chains of one question this is: each has random numbers of its own.
    """
    return (sampled.TabulatedSample if chain.is_small else OnDemandSample)(chain, recordings, seed, part)


def sampled_counts(
    chain: Chain, trials: int, seed: int, part: int = 0, threads: int = 1, report: Report = lambda _: None
) -> Recorded:
    """How many of `trials` trials were in each state wherever it is recorded, whatever the number of threads.

    `report` is told the trials so far. InputError if they end in more different states than there is room for.
    """
    sample = sample_of(chain, chain.phases.count(RECORD), seed, part)
    sample.play(chain.phases, trials, threads, report)
    return sample.recorded()


def counts_along(chain: Chain, turns: Turns, paths: Paths, seed: int, part: int = 0, threads: int = 1) -> Recorded:
    """How many trials were in each state where it was recorded, in each round; `paths` have counts.

    Every trial follows the path that it has seen, and every die of it is rolled; `part` and `threads` as those of
    :func:`sampled_counts`.
    """
    sample = sample_of(chain, paths.numbers.shape[1], seed, part)
    for numbers, trials in zip(paths.numbers.tolist(), paths.weights.tolist()):
        sample.play([phase for number in numbers for phase in turns[number]], trials, threads)
    return sample.recorded()
