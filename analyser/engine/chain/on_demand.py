"""Games that go on, by Monte Carlo, where states are too many for tables of all of them.

Trials in the same state are one group, as in :mod:`analyser.engine.chain.sampled`; but the row of a state is worked
out when
there are trials in it, some thousands of rows at a time, and forgotten after it. Large groups are rolled by the same
kernel, small ones trial by trial. A chunk is a function of (seed, part, chunk) and of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.jit import kernel, step
from analyser.engine.chain.bitwise import DIGITS
from analyser.engine.chain.chain import Chain, Phase, Recorded, States, each_once
from analyser.engine.chain.exact import slabs
from analyser.engine.chain.layout import Memory, Sheet, memory_for, sheet_for, sheet_of_one_state
from analyser.engine.chain.sampled import Sample, die_thrown, roll_group
from analyser.engine.chain.sparse import Sparse, SparseRow
from analyser.engine.parallel import Queue, shared_out
from analyser.engine.rng import counter_of_chunk, stream_of, word_of

CHUNK_TRIALS = 1 << 18
FEW_TRIALS = 16  # of a group, that are rolled one by one
MOST_RECORDED = 1 << 25  # counts that are kept, of all recordings together
FEWEST_WAIT = 1 << 15  # states that wait to be merged with those that were met before
MOST_DENSE = 1 << 22  # counts that are laid out, those that are 0 with them
_CHUNKS_APART = 1 << 12  # of the stream's chunks: few trials in a state take more words each than many
_UPPER = np.uint64(64 - DIGITS)  # bits of a word that are not part of its draw


class Crowd(NamedTuple):
    """Trials by state, in the order in which they came to it; those that came apart stand apart."""

    states: States
    trials: NDArray[np.int64]
    groups: NDArray[np.int64]  # one number: how many there are


@step
def join(crowd: Crowd, state: int, trials: int) -> None:
    """Let trials that are in a state stand with the others."""
    groups = crowd.groups[0]
    if groups > 0 and crowd.states[groups - 1] == state:
        crowd.trials[groups - 1] += trials
    else:
        crowd.states[groups], crowd.trials[groups] = state, trials
        crowd.groups[0] += 1


@step
def roll_one(sheet: Sheet, place: int, dice: int, counter: np.uint64, gamma: np.uint64) -> tuple[int, np.uint64]:
    """The total that one trial rolls in a phase, and the counter after its draws."""
    _, _, _, die, beside, after_beside, _ = sheet.script[place]
    total = 0
    for throw in range(dice + after_beside - beside):
        value, last, limit, worth = sheet.dice_script[die_thrown(throw, dice, die, beside)]
        if last - value > 1:
            counter += gamma
            draw = np.int64(word_of(counter) >> _UPPER)
            while draw >= limit:
                counter += gamma
                draw = np.int64(word_of(counter) >> _UPPER)
            while value + 1 < last and sheet.marks[value + 1] <= draw:
                value += 1
        total += sheet.values[value] * worth
    return total, counter


@kernel
def roll_groups(
    sheet: Sheet, place: int, rows: NDArray[np.int64], spans: NDArray[np.int64], trials: NDArray[np.int64],
    few: int, memory: Memory, crowd: Crowd, counter: np.uint64, gamma: np.uint64,
) -> np.uint64:  # fmt: skip
    """Roll a phase for groups of trials, those of each in the same state, and send them on; the counter after it.

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
    few : int
        Groups of up to so many are rolled trial by trial.
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
        elif trials[group] <= few:
            for _ in range(trials[group]):
                total, counter = roll_one(sheet, place, dice, counter, gamma)
                join(crowd, rows[group, total], 1)
        else:
            sheet.dice[0] = dice
            memory.following[low : high + 1] = 0
            counter = roll_group(sheet, place, 0, trials[group], memory, counter, gamma)
            for total in range(low, high + 1):
                if memory.following[total] > 0:
                    join(crowd, rows[group, total], memory.following[total])
    return counter


def gathered(states: States, trials: NDArray[np.int64]) -> tuple[States, NDArray[np.int64]]:
    """States in order, each once, and how many trials were in each."""
    order = np.argsort(states, kind="stable")
    states = states[order]
    firsts = np.flatnonzero(np.diff(states, prepend=-1))
    return states[firsts], np.add.reduceat(trials[order], firsts)


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
        if self._waits > max(self.kept, FEWEST_WAIT):
            self.merged()

    @property
    def kept(self) -> int:
        """How many states were met, but for those of the latest chunks."""
        return len(self._merged[0])

    def merged(self) -> tuple[States, NDArray[np.int64]]:
        """The states in order, each once, and how many trials were in each."""
        if self._waiting:
            self._merged = gathered(*(np.concatenate(part) for part in zip(self._merged, *self._waiting)))
            self._waiting, self._waits = [], 0
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
        self._check_room()
        states = each_once(np.concatenate([found for found, _ in tallies]))
        rows = [
            SparseRow(np.searchsorted(states, found), trials.astype(np.float64))  # of which products are the fastest
            for found, trials in tallies
        ]
        weights = Sparse(rows, len(states))
        is_sparse = len(rows) > 1 and len(rows) * len(states) > MOST_DENSE
        return Recorded(states, weights if is_sparse else weights.toarray())

    def _check_room(self) -> None:
        if sum(tally.kept for tally in self._tallies) > MOST_RECORDED:
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
                    self._check_room()
                report(self._done)

    def _chunk(
        self, chain: Chain, sheet: Sheet, memory: Memory, chunk: int, trials: int
    ) -> list[tuple[States, NDArray[np.int64]]]:
        """How many trials of a chunk are in each state after each recorded phase."""
        start, gamma = self._stream
        counter = counter_of_chunk(start, gamma, chunk * _CHUNKS_APART)
        states, counts, few = np.array([chain.start]), np.array([trials]), 1
        recorded = []
        for place, phase in enumerate(chain.phases):
            crowd = Crowd(np.empty(trials, np.int64), np.empty(trials, np.int64), np.zeros(1, np.int64))
            for some in slabs(len(states), phase.totals):
                rows = np.ascontiguousarray(phase.rows(states[some]), np.int64)
                spans = np.column_stack([phase.dice_of(states[some]), *phase.span(states[some])])
                counter = roll_groups(
                    sheet, place, rows, spans, counts[some], FEW_TRIALS, memory, crowd, np.uint64(counter), gamma
                )  # fmt: skip
            states, counts = (each[: crowd.groups[0]] for each in (crowd.states, crowd.trials))
            if phase.recorded or len(states) > 2 * few:
                states, counts = gathered(states, counts)
                few = len(states)
            if phase.recorded:
                recorded.append((states, counts))
        return recorded


CHUNKS_A_PART = 1 << 28


def sampled_counts(
    chain: Chain,
    trials: int,
    seed: int,
    part: int = 0,
    threads: int = 1,
    report: Callable[[int], None] = lambda _: None,
) -> Recorded:
    """How many of `trials` trials were in each state after each recorded phase.

    Parameters
    ----------
    chain : Chain
    trials : int
    seed : int
    part : int
        Which of several chains of one question this is: each has random numbers of its own.
    threads : int
        The counts do not depend on it: a chunk is a function of (seed, part, chunk), and counts are added up.
    report : callable, optional
        Told the trials so far, now and then.

    Raises
    ------
    InputError
        So many trials end in more different states than there is room for.
    """
    if not chain.is_small:
        wanderers = Wanderers(chain, chain.recordings, seed, part)
        wanderers.play(chain.phases, trials, threads, report)
        return wanderers.recorded()
    sample = Sample(sheet_for(chain), seed, part * CHUNKS_A_PART)
    sample.play(trials, threads, report)
    return Recorded(np.arange(chain.states), sample.counts)
