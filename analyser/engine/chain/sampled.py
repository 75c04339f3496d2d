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

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.bitwise import DRAW_BITS, draw_for_each
from analyser.engine.chain.chain import Chain, Phase, Recorded
from analyser.engine.chain.layout import Layout, Memory, Writer, memory_for
from analyser.engine.parallel import Chunks, Queue, play
from analyser.engine.rng import counter_of_chunk, stream_of

CHUNKS_A_PART = 1 << 28


@step
def roll_die(layout: Layout, die: int, outcomes: int, trials: int, memory: Memory, into: NDArray[np.int64]) -> None:
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
def play_chunks(
    layout: Layout,
    memory: Memory,
    first: int,
    last: int,
    chunk_trials: int,
    start: np.uint64,
    gamma: np.uint64,
    counts: NDArray[np.int64],
) -> None:
    """Play chunks `first` to `last` - 1 of `chunk_trials` trials each; add to `counts`, shape (slots, states)."""
    now, following = memory.now, memory.following
    for chunk in range(first, last):
        memory.buffers.stream[0], memory.buffers.stream[1] = counter_of_chunk(start, gamma, chunk), gamma
        now[:] = 0
        now[layout.start] = chunk_trials
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


class Sample:
    """A growing sample of a chain; a chunk of it is a function of (seed, part, chunk) and of nothing else."""

    chunk_trials: ClassVar[int]

    def __init__(self, writer: Writer, first_chunk: int) -> None:
        self.trials = 0
        self._writer, self._next_chunk = writer, first_chunk
        self._lock = Lock()

    def play(
        self, phases: Sequence[Phase], trials: int, threads: int = 1, report: Callable[[int], None] = lambda _: None
    ) -> None:
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
        super().__init__(Writer(chain, tabulated=True), part * CHUNKS_A_PART)
        self._stream = stream_of(seed)
        self._counts = np.zeros((recordings, chain.size), np.int64)

    def _work(self, _: Sequence[Phase], layout: Layout, queue: Queue) -> None:
        memory, counts = memory_for(layout, layout.states), np.zeros_like(self._counts)
        for task in queue:
            play_chunks(layout, memory, *task, *self._stream, counts)
        with self._lock:
            self._counts += counts

    def recorded(self) -> Recorded:
        """The counts of all that was played."""
        return Recorded(np.arange(self._counts.shape[1]), self._counts)
