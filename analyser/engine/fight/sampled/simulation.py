"""The Monte Carlo engine of longer fights: every die of every trial is rolled, and every card drawn from a real deck.

The trials of a chunk are played together, from node to node (:mod:`.nodes`), each with its own two decks
(:mod:`.without_replacement`); where cards are put back trials at the same node are exchangeable
(:mod:`.with_replacement`). What follows from a draw is looked up; the rules are those that the exact engine follows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from analyser.common.jit import Tiered
from analyser.common.records import Integers, empty_record, views
from analyser.common.sampling import Progress
from analyser.engine.fight.program import Kind, Operation, Pair, Setup
from analyser.engine.fight.sampled import nodes, with_replacement, without_replacement
from analyser.engine.fight.sampled.choices import NOBODY_CHOOSES, Choices
from analyser.engine.fight.sampled.decks import ask, decks_for, no_lanes
from analyser.engine.fight.sampled.pools import MOST_WAYS, Roller, empty_cache, pools_for
from analyser.engine.fight.sampled.transitions import Chunk, Graph, Snapshots, counts_of
from analyser.engine.parallel import Chunks, Queue, play
from analyser.engine.rng import RandomDraws, stream_of

Snapshot = tuple[Integers, Integers, Integers]


# Trials that take less than the interpreter takes to find where their draws lead. Each thread does that for itself, and
# the interpreter lets one at a time.
FEW = 10_000_000


class Player:
    """Plays chunks on one thread; see :class:`Simulation`.

    The `counters` are those of the snapshots: how often each pair of states came up in what was collected last.
    """

    chunk_trials: int
    _player: Tiered[..., int]

    def __init__(
        self,
        setup: Setup,
        programs: Sequence[Sequence[Operation]],
        die: Integers,
        deck: Integers,
        choices: Choices = NOBODY_CHOOSES,
    ) -> None:
        texts = list(dict.fromkeys(tuple(program) for program in programs))
        strikes = 1 + max((line.number for text in texts for line in text if line.kind == Kind.STRIKE), default=0)
        pools, layouts, block, rerolls = pools_for(setup, strikes, die, deck)
        self._die, self._deck = die, deck
        self._program = nodes.program_table_of(texts, setup.strikes["striker"][:strikes].tolist(), pools, die, deck)
        which = np.array([texts.index(tuple(program)) for program in programs])
        self._snapshots = Snapshots(which, np.zeros((nodes.NODES, len(which) + 1, 2), np.uint64))
        self._graph = Graph(setup.copy(), self._program, pools, empty_record(nodes.Nodes), choices)
        self._roller = Roller(layouts, block, rerolls, empty_cache(pools), empty_record(RandomDraws))
        # Where each trial must be looked at by itself, the interpreter would take too long.
        by_itself = setup.attacks["overcharge"][:strikes].any() or (pools.cells >= MOST_WAYS).any()
        self._work = math.inf if by_itself else 0.0
        self._table = self._ready()
        self._rules, self._viewed = views(self._graph), views(self._table)

    def begin(self) -> None:
        """Forget what was counted, not where the draws lead."""
        self.counters: list[Counter[tuple[int, int]]] = [Counter() for _ in self._snapshots.which]

    @contextmanager
    def _tier(self) -> Iterator[Any]:
        """Inside this the rules are compiled or interpreted, whichever is sooner done; the records that they read."""
        if self._player.pays(self._work):
            yield self._table
        else:
            with self._player.interpreting():
                yield self._viewed

    def _ready(self) -> tuple[Any, ...]:
        """The records that a chunk is played with, the graph first."""
        raise NotImplementedError

    def play(self, chunk: Chunk) -> None:
        """Play a chunk of trials."""
        raise NotImplementedError

    def _begin_the_map_anew(self, forget_but_those: Callable[..., None], *of: Any) -> None:
        """Forget all nodes but those that are needed."""
        self.collect()
        self._snapshots.ends[: self._graph.nodes.ends_known] = 0
        with self._player.interpreting():
            forget_but_those(*of)

    def collect(self) -> None:
        """Bring what has been played into the counters."""
        with self._player.interpreting():
            counted = counts_of(self._rules, self._snapshots)
        known = self._graph.nodes
        at = known.end_at[: known.ends_known]
        firsts, seconds = known.first[at], known.second[at]
        for counter, counts in zip(self.counters, counted[:, 1:].T):
            (ends,) = np.nonzero(counts)
            for pair, count in zip(zip(firsts[ends].tolist(), seconds[ends].tolist()), counts[ends].tolist()):
                counter[pair] += count


class PlayerWithoutReplacement(Player):
    """Plays trials that have decks of their own (:mod:`.without_replacement`); see Player."""

    chunk_trials = without_replacement.CHUNK_TRIALS
    _player: Tiered[..., int] = without_replacement.play_trials

    def _ready(self) -> tuple[Any, ...]:
        self._lanes, self._decks = no_lanes(), decks_for(self._deck, self._program)
        return self._graph, self._roller, self._decks, self._lanes, self._snapshots

    def play(self, chunk: Chunk) -> None:
        """Play a chunk of trials."""
        counted, needed = without_replacement.NOT_BEGUN, nodes.NO_THRESHOLD
        while needed != nodes.NOTHING:
            with self._tier() as table:
                needed = self._player(*table, chunk, needed == nodes.NO_THRESHOLD, counted)
            if needed == nodes.NO_ROOM:
                forget = without_replacement.forget_but_trials
                self._begin_the_map_anew(forget, self._rules, self._lanes, self._snapshots, chunk.start)
            elif needed == nodes.NO_THRESHOLD:  # what has been counted stays counted: all goes the same way again
                counted = max(counted, self._lanes.sweeps)
                ask(self._decks, self._program, self._deck, self._program.wanted)


class PlayerWithReplacement(Player):
    """Plays trials whose cards are put back (:mod:`.with_replacement`); see Player."""

    chunk_trials = with_replacement.GROUPED_TRIALS
    _player: Tiered[..., int] = with_replacement.play_groups

    def _ready(self) -> tuple[Any, ...]:
        self._program.certain = self._program.cards[-1]  # thresholds are how many cards of a full deck pass
        self._program.thresholds[0], self._program.thresholds[1:] = 0, self._program.cards
        self._groups = empty_record(with_replacement.Groups)
        self._groups.there[:] = with_replacement.NOWHERE
        *rolled_by, cache, random = self._roller
        return *self._graph, random, cache, self._groups, self._snapshots, *rolled_by

    def play(self, chunk: Chunk) -> None:
        """Play a chunk of trials."""
        with self._player.interpreting():
            with_replacement.begin_groups(self._rules, self._roller, self._groups, chunk)
        needed = nodes.NO_PATIENCE
        while needed != nodes.NOTHING:
            with self._tier() as table:
                needed = self._player(*table)
            if needed == nodes.NO_ROOM:
                forget = with_replacement.forget_but_groups
                self._begin_the_map_anew(forget, self._program, self._graph.nodes, self._groups)


class Simulation:
    """A fight that can be played again and again, from any states: what was worked out once stays known.

    A snapshot is taken after each of the programs. The deck is the same for both sides; with `replacement` every card
    comes from a full one, as the exact engine has it (AC-9.3). `choices`: what the plan says that the programs ask.
    """

    def __init__(
        self,
        setup: Setup,
        programs: Sequence[Sequence[Operation]],
        die: Integers,
        deck: Integers,
        replacement: bool = False,
        choices: Choices = NOBODY_CHOOSES,
    ) -> None:
        self._fight = setup, programs, die, deck, choices
        self._kind: type[Player] = PlayerWithReplacement if replacement else PlayerWithoutReplacement
        self._players: list[Player] = []

    def play(
        self, start_words: Pair, trials: int, seed: int, threads: int = 1, progress: Progress | None = None
    ) -> list[Snapshot]:
        """Of each snapshot the distinct pairs of states, in rising order, and how often each came up.

        The trials begin in the states `start_words` of side 0 and side 1. The counts do not depend on `threads`;
        `progress` is told the trials so far and the number aimed at.
        """
        start, stream, seen = (int(start_words[0]), int(start_words[1])), stream_of(seed), list[Player]()

        def work(queue: Queue) -> None:
            player = self._players.pop() if self._players else self._kind(*self._fight)
            player.begin()
            for task in queue:
                for number in range(task.first, task.last):
                    player.play(Chunk(start, stream, number, task.chunk_trials))
            player.collect()
            seen.append(player)  # one that was interrupted stands in the middle of something

        if trials <= FEW and not self._kind._player.pays():
            threads = 1
        play(Chunks(trials, self._kind.chunk_trials), work, threads, progress and (lambda done: progress(done, trials)))
        self._players += seen
        snapshots = []
        for counters in zip(*(player.counters for player in seen)):
            counted = sorted((*pair, count) for pair, count in sum(counters, Counter()).items())
            first, second, counts = np.array(counted, np.int64).T.copy()
            snapshots.append((first, second, counts))
        return snapshots
