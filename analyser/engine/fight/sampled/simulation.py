"""The Monte Carlo engine of longer fights: every die of every trial is rolled, and every card drawn from a real deck.

The trials of a chunk are played together, from crossing to crossing (:mod:`.crossings`), each with its own two decks
(:mod:`.trials`); where cards are put back trials at the same crossing are alike (:mod:`.crowds`). What follows from a
draw is looked up; the steps that say it are those that the exact engine follows
(:mod:`~analyser.engine.fight.program`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.engine.fight.sampled.decks import ask, decks_for
from analyser.engine.fight.sampled.draws import no_chance
from analyser.engine.fight.sampled.lanes import no_lanes
from analyser.engine.fight.sampled.nodes import no_crossings
from analyser.engine.fight.sampled.pools import pools_for
from analyser.engine.fight.sampled.program_table import NO_MARK, NO_ROOM, NOTHING, mark_by_cards, script_of
from analyser.engine.fight.sampled.roll_cache import no_hands
from analyser.engine.fight.sampled.snapshots import count_all, find_later, forget_ways, parts_of
from analyser.engine.fight.sampled.with_replacement import (
    CROWD_TRIALS,
    begin_crowds,
    forget_but_crowds,
    no_crowds,
    play_crowds,
)
from analyser.engine.fight.sampled.without_replacement import CHUNK_TRIALS, NOT_BEGUN, forget_but_trials, play_trials
from analyser.engine.parallel import Chunks, Queue, play
from analyser.engine.rng import Stream, stream_of

Snapshot = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class Player:
    """Plays chunks on one thread.

    Parameters
    ----------
    setup : Setup
    programs : sequence of lists of Operation
        A snapshot is taken after each.
    die, deck : int64 arrays
        Sides by face; copies by card value.

    Attributes
    ----------
    counters : list of Counter
        Of each snapshot, how often each pair of states came up in what was collected last.
    """

    def __init__(
        self, setup: Setup, programs: Sequence[Sequence[Operation]], die: NDArray[np.int64], deck: NDArray[np.int64]
    ) -> None:
        texts = list(dict.fromkeys(tuple(program) for program in programs))
        strikes = 1 + max((line.number for text in texts for line in text if line.kind == Kind.STRIKE), default=0)
        pools, sheets, specials = pools_for(setup, strikes, die, deck)
        self._sheets = sheets, specials
        self._deck = deck
        self._script = script_of(texts, setup.strikes["striker"][:strikes].tolist(), pools, die)
        self._parts = parts_of(np.array([texts.index(tuple(program)) for program in programs]))
        self._known = no_crossings()
        self._rules = setup.copy(), self._script, pools, self._known
        self._chance = no_chance(), no_hands(pools)
        self._make_ready()
        self.begin()

    def begin(self) -> None:
        """Forget what was counted, not where the draws lead."""
        self.counters: list[Counter[tuple[int, int]]] = [Counter() for _ in self._parts.which]

    def play(self, start: tuple[int, int], stream: Stream, first: int, last: int, trials: int) -> None:
        """Play chunks `first` to `last` - 1 of so many trials each."""
        for chunk in range(first, last):
            self._play_chunk(start, stream, chunk, trials)

    def _make_ready(self) -> None:
        raise NotImplementedError

    def _play_chunk(self, start: tuple[int, int], stream: Stream, chunk: int, trials: int) -> None:
        raise NotImplementedError

    def _begin_the_map_anew(self, forget_but_those: Callable[[], None]) -> None:
        """Forget all crossings but those that are told."""
        self.collect()
        forget_ways(self._known, self._parts)
        forget_but_those()

    def collect(self) -> None:
        """Bring what has been played into the counters."""
        known = self._known
        find_later(*self._rules, self._parts)
        counted = np.zeros((known.ends_known, len(self._parts.which) + 1), np.int64)
        count_all(known, self._parts, counted)
        at = known.end_at[: known.ends_known]
        firsts, seconds = known.first[at], known.second[at]
        for counter, counts in zip(self.counters, counted[:, 1:].T):
            (ends,) = np.nonzero(counts)
            for pair, count in zip(zip(firsts[ends].tolist(), seconds[ends].tolist()), counts[ends].tolist()):
                counter[pair] += count


class PlayerWithDecks(Player):
    """Plays trials that have decks of their own (:mod:`.trials`); see Player."""

    chunk_trials = CHUNK_TRIALS

    def _make_ready(self) -> None:
        self._lanes, self._decks = no_lanes(), decks_for(self._deck, self._script)
        self._table = *self._rules, *self._chance, self._decks, self._lanes, self._parts

    def _play_chunk(self, start: tuple[int, int], stream: Stream, chunk: int, trials: int) -> None:
        counted, needed = NOT_BEGUN, NO_MARK
        while needed != NOTHING:
            anew = needed == NO_MARK
            needed = play_trials(*self._table, *self._sheets, start, stream, chunk, trials, counted, anew)
            if needed == NO_ROOM:
                self._begin_the_map_anew(lambda: forget_but_trials(*self._rules, self._lanes, self._parts, start))
            elif needed == NO_MARK:  # what has been counted stays counted: all goes the same way again
                counted = max(counted, self._lanes.sweeps)
                ask(self._decks, self._script, self._deck, self._script.wanted)


class PlayerOfCrowds(Player):
    """Plays trials whose cards are put back (:mod:`.crowds`); see Player."""

    chunk_trials = CROWD_TRIALS

    def _make_ready(self) -> None:
        mark_by_cards(self._script, self._deck)
        self._crowds = no_crowds()

    def _play_chunk(self, start: tuple[int, int], stream: Stream, chunk: int, trials: int) -> None:
        table = *self._rules, *self._chance, self._crowds
        begin_crowds(*table, start, stream, chunk, trials)
        while play_crowds(*table, self._parts, *self._sheets) != NOTHING:
            self._begin_the_map_anew(lambda: forget_but_crowds(self._script, self._known, self._crowds))


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
        self,
        setup: Setup,
        programs: Sequence[Sequence[Operation]],
        die: NDArray[np.int64],
        deck: NDArray[np.int64],
        replacement: bool = False,
    ) -> None:
        self._fight = setup, programs, die, deck
        self._kind: type[PlayerWithDecks | PlayerOfCrowds] = PlayerOfCrowds if replacement else PlayerWithDecks
        self._players: list[Player] = []

    def play(
        self,
        start_words: tuple[int, int],
        trials: int,
        seed: int,
        threads: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Snapshot]:
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
        start, stream, seen = (int(start_words[0]), int(start_words[1])), stream_of(seed), list[Player]()

        def work(queue: Queue) -> None:
            player = self._players.pop() if self._players else self._kind(*self._fight)
            player.begin()
            for task in queue:
                player.play(start, stream, *task)
            player.collect()
            seen.append(player)  # one that was interrupted stands in the middle of something

        play(Chunks(trials, self._kind.chunk_trials), work, threads, progress and (lambda done: progress(done, trials)))
        self._players += seen
        return [_in_order(sum(counters, Counter())) for counters in zip(*(player.counters for player in seen))]


def _in_order(counter: Counter[tuple[int, int]]) -> Snapshot:
    pairs = sorted(counter)
    first, second = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    return first, second, np.array([counter[pair] for pair in pairs], np.int64)
