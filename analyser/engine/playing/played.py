"""The Monte Carlo engine of longer fights: every die of every trial is rolled, and every card drawn from a real deck.

The trials of a chunk are played together, from crossing to crossing (:mod:`.crossings`), each with its own two decks
(:mod:`.trials`); where cards are put back trials at the same crossing are alike (:mod:`.crowds`). What follows from a
draw is looked up; the steps that say it are those that the exact engine follows (:mod:`~analyser.engine.program`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.playing.crossings import Crossings, no_crossings
from analyser.engine.playing.crowds import (
    CROWD_TRIALS,
    Crowds,
    begin_crowds,
    crowds_begin_part,
    crowds_go_on,
    forget_but_crowds,
    no_crowds,
)
from analyser.engine.playing.decks import CHUNK_TRIALS, Decks, decks_for
from analyser.engine.playing.hands import Hands, Pools, Sheets, empty_hands, pools_for, roll_again
from analyser.engine.playing.parts import CROSSING, Parts, count_retired, parts_of
from analyser.engine.playing.script import NO_ROLLS, NO_TURN, PART_OVER, Script, end_queue, script_of
from analyser.engine.playing.trials import (
    Lengths,
    Now,
    Queues,
    begin_trials,
    forget_but_trials,
    nobody_yet,
    trials_begin_part,
    trials_go_on,
)
from analyser.engine.playing.turns import find_turn
from analyser.engine.program import Kind, Operation, Setup
from analyser.engine.sheet import Special
from analyser.engine.streams import Stream, stream_of
from analyser.engine.tasks import Queue, tasks_of
from analyser.jit import kernel

Snapshot = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@kernel
def play_trials(
    setup: Setup, script: Script, pools: Pools, known: Crossings, decks: Decks, hands: Hands, now: Now, queues: Queues,
    lengths: Lengths, parts: Parts, sheets: Sheets, specials: Special | None,
) -> bool:  # fmt: skip
    """Play a chunk of trials that has begun to its end; False: there is no more room on the map."""
    while now.part < len(parts.which):
        needed = PART_OVER
        if now.part >= 0:
            needed = trials_go_on(script, pools, known, decks, hands, now, queues, lengths, parts)
        if needed == PART_OVER:
            trials_begin_part(setup, script, pools, known, now, queues, lengths, parts)
        elif needed == NO_ROLLS:
            roll_again(sheets, specials, pools, hands, decks, script.pool[now.queue])
        elif needed == NO_TURN:
            crossing = np.int64(queues[now.queue, now.at + now.scanned] >> CROSSING)
            find_turn(setup, script, pools, known, crossing, now.cells[now.scanned])
        else:
            return False
    return True


@kernel
def play_crowds(
    setup: Setup, script: Script, pools: Pools, known: Crossings, decks: Decks, hands: Hands, crowds: Crowds,
    parts: Parts, sheets: Sheets, specials: Special | None,
) -> bool:  # fmt: skip
    """The same where cards are put back."""
    while crowds.part < len(parts.which):
        needed = PART_OVER
        if crowds.part >= 0:
            needed = crowds_go_on(script, pools, known, decks, hands, crowds, parts)
        if needed == PART_OVER:
            crowds_begin_part(setup, script, pools, known, crowds, parts)
        elif needed == NO_ROLLS:
            roll_again(sheets, specials, pools, hands, decks, script.pool[crowds.queue])
        elif needed == NO_TURN:
            find_turn(setup, script, pools, known, crowds.crossing, crowds.result)
        else:
            return False
    return True


class Player:
    """Plays chunks on one thread.

    Parameters
    ----------
    setup : Setup
    programs : sequence of lists of Operation
        A snapshot is taken after each.
    die, deck : int64 arrays
    replacement : bool

    Attributes
    ----------
    counters : list of Counter
        Of each snapshot, how often each pair of states came up in what was collected last.
    """

    def __init__(
        self, setup: Setup, programs: Sequence[Sequence[Operation]], die: NDArray[np.int64], deck: NDArray[np.int64],
        replacement: bool,
    ) -> None:  # fmt: skip
        texts = list(dict.fromkeys(tuple(program) for program in programs))
        strikes = 1 + max((line.number for text in texts for line in text if line.kind == Kind.STRIKE), default=0)
        pools, sheets, specials = pools_for(setup, strikes, die, deck)
        script = script_of(texts, setup.strikes["striker"][:strikes].tolist(), pools, die, deck)
        self._parts = parts_of(np.array([texts.index(tuple(program)) for program in programs]))
        self._rules = setup.copy(), script, pools, no_crossings()
        self._chance = self._parts, sheets, specials
        self._where: tuple[Any, ...]
        self._begin: Callable[..., None]
        self._play: Callable[..., bool]
        self._forget: Callable[..., None]
        if replacement:
            self._where = (no_crowds(),)
            self._begin, self._play, self._forget = begin_crowds, play_crowds, forget_but_crowds
        else:
            queues = end_queue(script) + 1
            self._where = nobody_yet(), np.zeros((queues, CHUNK_TRIALS), np.uint64), np.zeros(queues, np.uint64)
            self._begin, self._play, self._forget = begin_trials, play_trials, forget_but_trials
        self._table = *self._rules, decks_for(deck, replacement), empty_hands(), *self._where
        self.begin()

    def begin(self) -> None:
        """Forget what was counted, not where the draws lead."""
        self.counters: list[Counter[tuple[int, int]]] = [Counter() for _ in self._parts.which]

    def play(self, start: tuple[int, int], stream: Stream, first: int, last: int, trials: int) -> None:
        """Play chunks `first` to `last` - 1 of so many trials each."""
        for chunk in range(first, last):
            self._begin(*self._table, start, stream, chunk, trials)
            while not self._play(*self._table, *self._chance):
                self.collect()
                self._parts.onward[:, : self._rules[3].crossings_known] = 0
                self._forget(self._rules[1], self._rules[3], *self._where)

    def collect(self) -> None:
        """Bring what has been played into the counters."""
        count_retired(*self._rules, self._parts)
        known = self._rules[3]
        firsts, seconds = (states[: known.crossings_known] for states in (known.first, known.second))
        ended = self._parts.ended[:, : known.crossings_known]
        for counter, counts in zip(self.counters, ended[1:]):
            (ends,) = np.nonzero(counts)
            for pair, count in zip(zip(firsts[ends].tolist(), seconds[ends].tolist()), counts[ends].tolist()):
                counter[pair] += count
        ended[:] = 0


def chunk_trials(replacement: bool) -> int:
    """Trials a chunk."""
    return CROWD_TRIALS if replacement else CHUNK_TRIALS


class Simulation:
    """A fight that can be played again and again, from any states: what was worked out once stays known.

    Parameters
    ----------
    setup : Setup
    programs : sequence of lists of Operation
        A snapshot is taken after each.
    die, deck : int64 arrays
        Sides by face; copies by card value, the same for both sides.
    replacement : bool
        Every card comes from a full deck, as the exact engine has it (AC-9.3).
    """

    def __init__(
        self, setup: Setup, programs: Sequence[Sequence[Operation]], die: NDArray[np.int64], deck: NDArray[np.int64],
        replacement: bool = False,
    ) -> None:  # fmt: skip
        self._fight = setup, programs, die, deck, replacement
        self._chunk = chunk_trials(replacement)
        self._players: list[Player] = []

    def play(
        self, start_words: tuple[int, int], trials: int, seed: int, threads: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Snapshot]:  # fmt: skip
        """Play `trials` trials.

        Parameters
        ----------
        start_words : (int, int)
            The states of side 0 and side 1 at the start.
        trials : int
            1 or more.
        seed : int
            0 or more.
        threads : int
            The counts do not depend on it.
        progress : callable, optional
            Told the trials so far and the number aimed at.

        Returns
        -------
        list of (int64 array, int64 array, int64 array)
            Of each snapshot the distinct pairs of states, in rising order, and how often each came up.
        """
        helpers = min(threads - 1, (trials - 1) // self._chunk)
        self._players += [Player(*self._fight) for _ in range(helpers + 1 - len(self._players))]
        players = self._players[: helpers + 1]
        start, stream = (int(start_words[0]), int(start_words[1])), stream_of(seed)
        queue = Queue(tasks_of(0, trials, len(players), self._chunk))
        done = Done(trials, progress)

        def work(player: Player, tell: bool) -> None:
            player.begin()
            for task in queue:
                player.play(start, stream, *task)
                done.add(task.trials, tell)
            player.collect()

        with ThreadPoolExecutor(max(helpers, 1)) as pool:
            helping = [pool.submit(work, player, False) for player in players[1:]]
            try:  # this thread works too, so that what it is told by an interrupt or by `progress` ends the work
                work(players[0], True)
            except BaseException:
                self._players.clear()  # they stand in the middle of something
                raise
            finally:
                queue.stop()
            for helper in helping:
                helper.result()
        if progress is not None:
            progress(trials, trials)
        return [_in_order(sum(counters, Counter())) for counters in zip(*(player.counters for player in players))]


@dataclass
class Done:
    """How many trials have been played, by all threads together."""

    aim: int
    progress: Callable[[int, int], None] | None
    trials: int = 0

    def __post_init__(self) -> None:
        self._lock = Lock()

    def add(self, trials: int, tell: bool) -> None:
        """So many more; the thread that is told to reports."""
        with self._lock:
            self.trials += trials
        if tell and self.progress is not None:
            self.progress(self.trials, self.aim)


def _in_order(counter: Counter[tuple[int, int]]) -> Snapshot:
    pairs = sorted(counter)
    first, second = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    return first, second, np.array([counter[pair] for pair in pairs], np.int64)
