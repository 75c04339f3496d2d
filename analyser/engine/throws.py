"""Games that go on, by Monte Carlo: every die of every trial is rolled.

Trials that are in the same state are alike from then on, so they are rolled as one group: die by die, dice on the
outside and trials on the inside, which makes vector code; then they go on, those together whose totals the tables
send to the same state. What is kept of a chunk is how many of its trials are in each state. Dice that can make no
difference, because every total leads to the same state, are not rolled.

A die is a 16-bit draw, or a 32-bit one where its sides are many or its chances are not whole parts. A draw beyond
the last whole multiple of the sides is drawn again, so that every side is equally likely; chances that are not whole
parts are rounded to multiples of 2**-32, and one such die that only happens or not is drawn bit by bit
(:mod:`analyser.engine.digits`).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Chain
from analyser.engine.digits import count_reaching
from analyser.engine.streams import counter_of_chunk, fill, stream_of
from analyser.engine.tasks import Queue, tasks_of
from analyser.engine.throw_sheet import BLOCK, NARROW, WIDE, Block, Sheet, block_for, sheet_for
from analyser.jit import kernel, step

CHUNK_TRIALS = 1 << 19  # many, so that trials in the same state are many
CHUNKS_A_PART = 1 << 28
_LANES = 64  # short blocks are rolled up to a whole multiple of it
_FEW_TURNS = 24  # up to here those beyond each turn are counted by a pass over the block, in vector form


@step
def draw_again(draws: Any, trials: int, limit: Any, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Draw each of the first `trials` draws from `limit` on again, until it is below; the counter after them."""
    worst = draws[0]
    for trial in range(trials):
        worst = max(worst, draws[trial])
    if worst < limit:
        return counter
    spare, unused = np.empty(1, np.uint64), np.uint64(64 - 8 * draws.itemsize)
    for trial in range(trials):
        while draws[trial] >= limit:
            counter = fill(spare, 1, counter, gamma)
            draws[trial] = draws.dtype.type(spare[0] >> unused)
    return counter


@step
def add_values(sheet: Sheet, die: int, draws: Any, trials: int, totals: NDArray[np.uint16]) -> None:
    """Add what a die shows, each point worth so much, to the totals."""
    first, last, _, _, worth = sheet.dice_script[die]
    for value in range(first, last):
        edge, points = draws.dtype.type(sheet.edges[value]), np.uint16(sheet.rises[value] * worth)
        for trial in range(trials):
            totals[trial] += points if draws[trial] >= edge else np.uint16(0)


@step
def roll_die(
    sheet: Sheet, die: int, block: Block, trials: int, counter: np.uint64, gamma: np.uint64
) -> np.uint64:  # fmt: skip
    """Roll one die in each of `trials` trials and add what it shows; the counter after it."""
    _, _, limit, bits, _ = sheet.dice_script[die]
    if bits == NARROW:
        counter = fill(block.words, (trials + 3) // 4, counter, gamma)
        if limit < 1 << NARROW:
            counter = draw_again(block.narrow, trials, np.uint16(limit), counter, gamma)
        add_values(sheet, die, block.narrow, trials, block.totals)
    elif bits == WIDE:
        counter = fill(block.words, (trials + 1) // 2, counter, gamma)
        if limit < 1 << WIDE:
            counter = draw_again(block.wide, trials, np.uint32(limit), counter, gamma)
        add_values(sheet, die, block.wide, trials, block.totals)
    else:
        add_values(sheet, die, block.narrow, trials, block.totals)  # from edge 0 on: whatever the draw
    return counter


@step
def edge_of(sheet: Sheet, die: int, total: int) -> int:
    """Where the values of a die begin that are worth `total` or more."""
    first, last, _, _, worth = sheet.dice_script[die]
    reached = 0
    for value in range(first, last):
        reached += sheet.rises[value] * worth
        if reached >= total:
            return int(sheet.edges[value])
    return -1


@step
def count_from(drawn: Any, trials: int, edge: Any) -> int:
    """How many of the first `trials` numbers are `edge` or more."""
    count: Any = np.uint16(0)  # a block has fewer trials than would overflow it
    for trial in range(trials):
        count += np.uint16(drawn[trial] >= edge)
    return int(count)


@step
def roll_one(
    sheet: Sheet, die: int, place: int, turns: tuple[int, int], lowest: int, trials: int, block: Block,
    counter: np.uint64, gamma: np.uint64,
) -> np.uint64:  # fmt: skip
    """Roll a phase of a single die for a block of trials, and send them on; the counter after it."""
    _, _, limit, bits, _ = sheet.dice_script[die]
    whole = (trials + _LANES - 1) // _LANES * _LANES
    beyond = 0  # of the turn above
    narrow = bits == NARROW
    counter = fill(block.words, (whole + 3) // 4 if narrow else (whole + 1) // 2, counter, gamma)
    if narrow and limit < 1 << NARROW:
        counter = draw_again(block.narrow, whole, np.uint16(limit), counter, gamma)
    elif not narrow and limit < 1 << WIDE:
        counter = draw_again(block.wide, whole, np.uint32(limit), counter, gamma)
    if narrow:
        block.narrow[trials:whole] = 0
    else:
        block.wide[trials:whole] = 0
    for turn in range(turns[1] - 1, turns[0] - 1, -1):
        total = sheet.turns[turn]
        edge = edge_of(sheet, die, total)
        if narrow:
            count = count_from(block.narrow, whole, np.uint16(edge))
        else:
            count = count_from(block.wide, whole, np.uint32(edge))
        block.following[sheet.tables[place + total]] += count - beyond
        beyond = count
    block.following[sheet.tables[place + lowest]] += trials - beyond
    return counter


@step
def send_on(sheet: Sheet, place: int, turns: tuple[int, int], lowest: int, trials: int, block: Block) -> None:
    """Send a block of trials on by their totals."""
    if turns[1] - turns[0] > _FEW_TURNS or trials < _LANES:
        for trial in range(trials):
            block.following[sheet.tables[place + block.totals[trial]]] += 1
        return
    whole = (trials + _LANES - 1) // _LANES * _LANES
    block.totals[trials:whole] = 0  # below every turn
    beyond = 0
    for turn in range(turns[1] - 1, turns[0] - 1, -1):
        total = sheet.turns[turn]
        count = count_from(block.totals, whole, np.uint16(total))
        block.following[sheet.tables[place + total]] += count - beyond
        beyond = count
    block.following[sheet.tables[place + lowest]] += trials - beyond


@step
def single_die(dice: int, die: int, beside: int, after_beside: int) -> int:
    """The one die of a roll; -1 where there are more."""
    if dice == 1 and beside == after_beside:
        return die
    return beside if dice == 0 and beside + 1 == after_beside else -1


@step
def roll_group(
    sheet: Sheet, row: int, state: int, trials: int, block: Block, counter: np.uint64, gamma: np.uint64
) -> np.uint64:  # fmt: skip
    """Roll the dice of a phase for all trials that are in a state, and send them on; the counter after them."""
    after, totals, of_states, first, die, beside, after_beside, _ = sheet.script[row]
    dice, lowest, place = sheet.dice[of_states + state], sheet.lowest[of_states + state], after + state * totals
    turns = sheet.firsts[first + state], sheet.firsts[first + state + 1]
    if turns[0] == turns[1]:
        block.following[sheet.tables[place + lowest]] += trials
        return counter
    one = single_die(dice, die, beside, after_beside)
    if one >= 0 and turns[1] - turns[0] == 1 and sheet.dice_script[one, 2] == 1 << WIDE:
        total = sheet.turns[turns[0]]
        edge = edge_of(sheet, one, total)
        reached, counter = count_reaching(edge, trials, block.words, block.wide, counter, gamma)
        block.following[sheet.tables[place + total]] += reached
        block.following[sheet.tables[place + lowest]] += trials - reached
        return counter
    while trials > 0:
        some = min(trials, BLOCK)
        trials -= some
        if one >= 0:
            counter = roll_one(sheet, one, place, turns, lowest, some, block, counter, gamma)
            continue
        whole = (some + _LANES - 1) // _LANES * _LANES
        block.totals[:whole] = 0
        for _ in range(dice):
            counter = roll_die(sheet, die, block, whole, counter, gamma)
        for other in range(beside, after_beside):
            counter = roll_die(sheet, other, block, whole, counter, gamma)
        send_on(sheet, place, turns, lowest, some, block)
    return counter


@kernel
def play_chunks(
    sheet: Sheet, block: Block, first: int, last: int, chunk_trials: int, start: np.uint64, gamma: np.uint64,
    counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Play chunks `first` to `last` - 1 of `chunk_trials` trials each; add to `counts`, shape (slots, states)."""
    now, following = block.now, block.following
    for chunk in range(first, last):
        counter = counter_of_chunk(start, gamma, chunk)
        now[:] = 0
        now[sheet.start] = chunk_trials
        for row in range(len(sheet.script)):
            following[:] = 0
            for state in range(sheet.states):
                if now[state] > 0:
                    counter = roll_group(sheet, row, state, now[state], block, counter, gamma)
            now[:] = following
            slot = sheet.script[row, 7]
            if slot >= 0:
                counts[slot] += now


class Sample:
    """A growing sample of a chain.

    Attributes
    ----------
    trials : int
    counts : int64 array, shape (recordings, states)
        How many trials were in each state after each recorded phase.
    """

    def __init__(self, chain: Chain, seed: int, part: int) -> None:
        self.trials = 0
        self._sheet, self._stream = sheet_for(chain), stream_of(seed)
        self._first = part * CHUNKS_A_PART
        self.counts = np.zeros((self._sheet.slots, self._sheet.states), np.int64)
        self._lock = Lock()

    def play(self, trials: int, threads: int, report: Callable[[int], None]) -> None:
        """Play `trials` trials on so many threads, this one among them; `report` is told how many are done."""
        helpers = min(threads - 1, trials // CHUNK_TRIALS)
        queue = Queue(tasks_of(self._first, trials, helpers + 1, CHUNK_TRIALS))
        with ThreadPoolExecutor(max(helpers, 1)) as pool:
            helping = [pool.submit(self._work, queue, lambda _: None) for _ in range(helpers)]
            try:  # what this thread is told by an interrupt or by `report` ends the work
                self._work(queue, report)
            finally:
                queue.stop()
            for helper in helping:
                helper.result()

    def _work(self, queue: Queue, report: Callable[[int], None]) -> None:
        """Take tasks and play them until there are none."""
        block, counts, stream = block_for(self._sheet), np.zeros_like(self.counts), self._stream
        for task in queue:
            play_chunks(self._sheet, block, *task, stream.start, stream.gamma, counts)
            with self._lock:
                self.trials += task.trials
            report(self.trials)
        with self._lock:
            self.counts += counts


def sampled_counts(
    chain: Chain,
    trials: int,
    seed: int,
    part: int = 0,
    threads: int = 1,
    report: Callable[[int], None] = lambda _: None,
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
    report : callable, optional
        Told the trials so far, now and then.
    """
    sample = Sample(chain, seed, part)
    sample.play(trials, threads, report)
    return sample.counts
