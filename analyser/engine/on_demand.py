"""Games that go on, by Monte Carlo, where states are too many for tables of all of them.

Trials in the same state are one group, as in :mod:`analyser.engine.throws`, and are rolled by the same kernel; but the
row of a state is worked out when there are trials in it, some thousands of rows at a time, and forgotten after it. What
the groups of a chunk come to is gathered by state in the order in which it comes up, so that a chunk is a function of
(seed, part, chunk) and of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Chain, Phase, Recorded, States
from analyser.engine.laws_of_chains import slabs
from analyser.engine.streams import GOLDEN_GAMMA, counter_of_chunk, stream_of
from analyser.engine.tasks import Queue, shared_out
from analyser.engine.throw_sheet import Memory, Sheet, memory_for, sheet_of_one_state
from analyser.engine.throws import roll_group
from analyser.errors import InputError
from analyser.jit import kernel, step

CHUNK_TRIALS = 1 << 18
MOST_RECORDED = 1 << 25  # counts that are kept: states times recordings
_CHUNKS_APART = 1 << 12  # of the stream's chunks: few trials in a state take more words each than many
_LEAST_SLOTS, _WORD_BITS = 1 << 10, 64


class Crowd(NamedTuple):
    """Trials by state, in the order in which states were met."""

    states: States
    trials: NDArray[np.int64]
    slots: NDArray[np.int32]  # where states are looked up: a power of 2 of places of states, or -1
    met: NDArray[np.int64]  # one number: how many states


def crowd_for(most: int) -> Crowd:
    """An empty crowd with room for so many states."""
    slots = max(1 << (2 * most - 1).bit_length(), _LEAST_SLOTS)
    states, trials = np.empty((2, most), np.int64)
    return Crowd(states, trials, np.full(slots, -1, np.int32), np.zeros(1, np.int64))


@step
def join(crowd: Crowd, state: int, trials: int) -> None:
    """Put trials that are in a state with the others."""
    last = len(crowd.slots) - 1
    mixed = np.uint64(state) * GOLDEN_GAMMA
    slot = np.int64((mixed ^ (mixed >> np.uint64(_WORD_BITS // 2))) & np.uint64(last))
    place = crowd.slots[slot]
    while place >= 0 and crowd.states[place] != state:
        slot = (slot + 1) & last
        place = crowd.slots[slot]
    if place >= 0:
        crowd.trials[place] += trials
        return
    crowd.slots[slot] = crowd.met[0]
    crowd.states[crowd.met[0]], crowd.trials[crowd.met[0]] = state, trials
    crowd.met[0] += 1


@kernel
def roll_groups(
    sheet: Sheet, place: int, rows: NDArray[np.int64], spans: NDArray[np.int64], trials: NDArray[np.int64],
    memory: Memory, crowd: Crowd, counter: np.uint64, gamma: np.uint64,
) -> np.uint64:  # fmt: skip
    """Roll a phase for groups of trials, each in a state of its own, and send them on; the counter after it.

    Parameters
    ----------
    sheet : Sheet
        With tables of one state, which are those of each group in turn.
    place : int
        The phase's, in the script.
    rows : int64 array, shape (groups, totals)
    spans : int64 array, shape (groups, 3)
        How many dice a group rolls, the lowest and the highest of its totals.
    trials : int64 array, shape (groups,)
    """
    for group in range(len(trials)):
        dice, low, high = spans[group]
        same_from = low  # totals side by side that lead to the same state count as the first of them
        for total in range(low, high + 1):
            if rows[group, total] != rows[group, same_from]:
                same_from = total
            sheet.tables[total] = same_from
        if same_from == low:
            join(crowd, rows[group, low], trials[group])
            continue
        sheet.dice[0] = dice
        memory.following[low : high + 1] = 0
        counter = roll_group(sheet, place, 0, trials[group], memory, counter, gamma)
        for total in range(low, high + 1):
            if memory.following[total] > 0:
                join(crowd, rows[group, total], memory.following[total])
    return counter


class Tally:
    """How many trials were in each state, of chunks that come one after the other."""

    def __init__(self) -> None:
        self._merged = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._waiting: list[tuple[States, NDArray[np.int64]]] = []
        self._waits = 0

    def add(self, states: States, trials: NDArray[np.int64]) -> None:
        """Count trials in some states, each there once."""
        self._waiting.append((states, trials))
        self._waits += len(states)
        if self._waits > max(self.kept, CHUNK_TRIALS):
            self.merged()

    @property
    def kept(self) -> int:
        """How many states were met, but for those of the latest chunks."""
        return len(self._merged[0])

    def merged(self) -> tuple[States, NDArray[np.int64]]:
        """The states in order, each once, and how many trials were in each."""
        if self._waiting:
            states, trials = (np.concatenate(part) for part in zip(self._merged, *self._waiting))
            self._waiting, self._waits = [], 0
            order = np.argsort(states, kind="stable")
            states = states[order]
            firsts = np.flatnonzero(np.diff(states, prepend=-1))
            self._merged = states[firsts], np.add.reduceat(trials[order], firsts)
        return self._merged


class Wanderers:
    """A growing sample of a chain with many states, of chunks from the first of its own on.

    Parameters
    ----------
    chain : Chain
    recordings : int
        How many recorded phases are played.
    seed : int
    part : int
        Which of several chains of one question this is: each has a stream of its own.
    """

    def __init__(self, chain: Chain, recordings: int, seed: int, part: int) -> None:
        self._chain, self._stream = chain, stream_of(seed, part)
        self._tallies = [Tally() for _ in range(recordings)]
        self._lock = Lock()
        self._done = 0

    def play(
        self, phases: tuple[Phase, ...], trials: int, threads: int, report: Callable[[int], None], first: int = 0
    ) -> None:
        """Play `trials` trials of some phases on so many threads, from chunk `first` on.

        `report` is told how many are done.
        """
        chain = replace(self._chain, phases=phases, size=self._chain.states)

        def work(queue: Queue, report: Callable[[int], None]) -> None:
            self._work(chain, queue, report)

        shared_out(work, first, trials, threads, CHUNK_TRIALS, report)

    def recorded(self) -> Recorded:
        """The counts of all that was played."""
        tallies = [tally.merged() for tally in self._tallies]
        states = np.unique(np.concatenate([found for found, _ in tallies]))
        self._check_room(len(states))
        weights = np.zeros((len(tallies), len(states)), np.int64)
        for row, (found, trials) in zip(weights, tallies):
            row[np.searchsorted(states, found)] = trials
        return Recorded(states, weights)

    def _check_room(self, states: int) -> None:
        if states * len(self._tallies) > MOST_RECORDED:
            problem = f"{self._chain.extent.of}: {self._done} trials end in too many different states to keep"
            raise InputError(problem, allowed=f"fewer trials, or {self._chain.extent.less}")

    def _work(self, chain: Chain, queue: Queue, report: Callable[[int], None]) -> None:
        """Take tasks and play them until there are none."""
        sheet = sheet_of_one_state(chain)
        memory = memory_for(sheet._replace(states=sheet.tables.size))
        for task in queue:
            for chunk in range(task.first, task.last):
                found = self._chunk(chain, sheet, memory, chunk, task.chunk_trials)
                with self._lock:
                    for tally, (states, trials) in zip(self._tallies, found):
                        tally.add(states, trials)
                    self._done += task.chunk_trials
                    self._check_room(max(tally.kept for tally in self._tallies))
                report(self._done)

    def _chunk(
        self, chain: Chain, sheet: Sheet, memory: Memory, chunk: int, trials: int
    ) -> list[tuple[States, NDArray[np.int64]]]:
        """How many trials of a chunk are in each state after each recorded phase."""
        counter = counter_of_chunk(*self._stream, chunk * _CHUNKS_APART)
        states, counts = np.array([chain.start]), np.array([trials])
        recorded = []
        for place, phase in enumerate(chain.phases):
            crowd = crowd_for(min(trials, len(states) * phase.totals))
            for some in slabs(len(states), phase.totals):
                rows = np.ascontiguousarray(phase.rows(states[some]), np.int64)
                spans = np.column_stack([phase.dice_of(states[some]), *phase.span(states[some])])
                counter = roll_groups(
                    sheet, place, rows, spans, counts[some], memory, crowd, counter, self._stream.gamma
                )  # fmt: skip
            states, counts = (each[: crowd.met[0]] for each in (crowd.states, crowd.trials))
            if phase.recorded:
                recorded.append((states.copy(), counts.copy()))
        return recorded
