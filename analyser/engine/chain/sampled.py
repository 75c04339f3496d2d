"""Games that go on, by Monte Carlo: every die of every trial is rolled.

Trials that are in the same state are alike from then on, so they are rolled as one group, one die after the other:
bit by bit, every trial its own bits (:mod:`analyser.engine.chain.bitwise`), and counted by what they show. Then they
go on,
those together whose totals the tables send to the same state. What is kept of a chunk is how many of its trials are
in each state. Dice that can make no difference, because every total leads to the same state, are not rolled; of the
last die of a roll only those of its values are told apart that lead to different states.

A draw beyond the last whole multiple of a die's sides is drawn again, so that every side is equally likely; chances
that are not whole parts are rounded to multiples of 2**-32.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.bitwise import DIGITS, draw_alike
from analyser.engine.chain.layout import Memory, Sheet, memory_for
from analyser.engine.parallel import Queue, shared_out
from analyser.engine.rng import counter_of_chunk, stream_of

CHUNK_TRIALS = 1 << 20  # many, so that trials in the same state are many


@step
def throw_die(
    sheet: Sheet, die: int, outcomes: int, trials: int, memory: Memory, into: NDArray[np.int64], counter: np.uint64,
    gamma: np.uint64,
) -> np.uint64:  # fmt: skip
    """Throw one die in each of `trials` trials, into its targets; the counter after the draws.

    `outcomes` is how many targets there are; the marks between them are in the memory.
    """
    limit, last = sheet.dice_script[die, 2], outcomes - 1
    if limit < 1 << DIGITS:
        memory.marks[last] = limit
        last += 1
    while trials > 0:
        memory.shown[: outcomes + 1] = 0
        counter = draw_alike(trials, memory.marks, last, memory.shown, memory.draws, counter, gamma)
        trials = memory.shown[outcomes]  # beyond the limit
        for outcome in range(outcomes):
            into[memory.targets[outcome]] += memory.shown[outcome]
    return counter


@step
def throw_one_more(
    sheet: Sheet, die: int, low: int, high: int, memory: Memory, counter: np.uint64, gamma: np.uint64
) -> tuple[int, int, np.uint64]:  # fmt: skip
    """Throw a die that is not the last, for all totals `low` to `high` so far; the new ends, and the counter."""
    by_total, with_die = memory.by_total, memory.with_die
    first, last, _, worth = sheet.dice_script[die]
    lowest, highest = low + sheet.values[first] * worth, high + sheet.values[last - 1] * worth
    with_die[lowest : highest + 1] = 0
    for total in range(low, high + 1):
        if by_total[total] == 0:
            continue
        for value in range(first, last):
            memory.targets[value - first] = total + sheet.values[value] * worth
            memory.marks[max(value - first - 1, 0)] = sheet.marks[value]  # the first begins at 0
        counter = throw_die(sheet, die, last - first, by_total[total], memory, with_die, counter, gamma)
    while with_die[lowest] == 0:
        lowest += 1
    while with_die[highest] == 0:
        highest -= 1
    by_total[lowest : highest + 1] = with_die[lowest : highest + 1]
    return lowest, highest, counter


@step
def throw_last(
    sheet: Sheet, die: int, place: int, total: int, trials: int, memory: Memory, counter: np.uint64, gamma: np.uint64
) -> np.uint64:  # fmt: skip
    """Throw the last die of a roll for trials with a total so far, and send them on; the counter after it."""
    first, last, _, worth = sheet.dice_script[die]
    outcomes = 0
    for value in range(first, last):
        target = sheet.tables[place + total + sheet.values[value] * worth]
        if outcomes > 0 and memory.targets[outcomes - 1] == target:
            continue
        if outcomes > 0:
            memory.marks[outcomes - 1] = sheet.marks[value]
        memory.targets[outcomes] = target
        outcomes += 1
    if outcomes == 1:
        memory.following[memory.targets[0]] += trials
        return counter
    return throw_die(sheet, die, outcomes, trials, memory, memory.following, counter, gamma)


@step
def die_thrown(throw: int, dice: int, die: int, beside: int) -> int:
    """Which die is thrown after `throw` others: the state's own come first."""
    return die if throw < dice else beside + throw - dice


@step
def roll_group(
    sheet: Sheet, row: int, state: int, trials: int, memory: Memory, counter: np.uint64, gamma: np.uint64
) -> np.uint64:  # fmt: skip
    """Roll the dice of a phase for all trials that are in a state, and send them on; the counter after them."""
    after, totals, of_states, die, beside, after_beside, _ = sheet.script[row]
    target = sheet.settled[of_states + state]
    if target >= 0:
        memory.following[target] += trials
        return counter
    dice = int(sheet.dice[of_states + state])
    last = dice + after_beside - beside - 1
    low, high = 0, 0
    memory.by_total[0] = trials
    for throw in range(last):
        which = die_thrown(throw, dice, die, beside)
        low, high, counter = throw_one_more(sheet, which, low, high, memory, counter, gamma)
    which = die_thrown(last, dice, die, beside)
    for total in range(low, high + 1):
        if memory.by_total[total] > 0:
            some = memory.by_total[total]
            counter = throw_last(sheet, which, after + state * totals, total, some, memory, counter, gamma)
    return counter


@kernel
def play_chunks(
    sheet: Sheet, memory: Memory, first: int, last: int, chunk_trials: int, start: np.uint64, gamma: np.uint64,
    counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Play chunks `first` to `last` - 1 of `chunk_trials` trials each; add to `counts`, shape (slots, states)."""
    now, following = memory.now, memory.following
    for chunk in range(first, last):
        counter = counter_of_chunk(start, gamma, chunk)
        now[:] = 0
        now[sheet.start] = chunk_trials
        for row in range(len(sheet.script)):
            following[:] = 0
            for state in range(sheet.states):
                if now[state] > 0:
                    counter = roll_group(sheet, row, state, now[state], memory, counter, gamma)
            now[:] = following
            slot = sheet.script[row, 6]
            if slot >= 0:
                counts[slot] += now


class Sample:
    """A growing sample of a chain, of chunks from the first of its own on.

    Attributes
    ----------
    trials : int
    counts : int64 array, shape (recordings, states)
        How many trials were in each state after each recorded phase.
    """

    def __init__(self, sheet: Sheet, seed: int, first_chunk: int) -> None:
        self.trials = 0
        self._sheet, self._stream, self._first = sheet, stream_of(seed), first_chunk
        self.counts = np.zeros((self._sheet.slots, self._sheet.states), np.int64)
        self._lock = Lock()

    def play(self, trials: int, threads: int, report: Callable[[int], None]) -> None:
        """Play `trials` trials on so many threads, this one among them; `report` is told how many are done."""
        shared_out(self._work, self._first, trials, threads, CHUNK_TRIALS, report)

    def _work(self, queue: Queue, report: Callable[[int], None]) -> None:
        """Take tasks and play them until there are none."""
        memory, counts, stream = memory_for(self._sheet), np.zeros_like(self.counts), self._stream
        for task in queue:
            play_chunks(self._sheet, memory, *task, stream.start, stream.gamma, counts)
            with self._lock:
                self.trials += task.trials
            report(self.trials)
        with self._lock:
            self.counts += counts
