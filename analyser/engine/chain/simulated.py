"""Simulated Markov chains: trials in the same state form a group, of which only the size is stored.

Such trials are exchangeable, so the numbers of trials of a group with each total are multinomial, as if all dice were
rolled one by one. To follow a single trial, its group is followed; where a group splits, a separate stream of random
numbers decides which trials go where.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.records import Floats, Integers
from analyser.engine.chain import chain as chains
from analyser.engine.chain.chain import RECORD, Chain, Paths, Phase, Recorded, Sparse, SparseRow, States, Turns
from analyser.engine.parallel import Chunks, Queue, Report, play

# A chunk depends on (seed, part, chunk) alone. In a chain with many states each trial can be a group.
CHUNK_TRIALS, CHUNK_OF_MANY_STATES = 1 << 24, 1 << 18
MOST_RECORDED = 1 << 25  # most counts of all recordings together
MOST_DENSE = 1 << 22  # most counts of an answer stored as a dense array
MOST_KEPT = 1 << 15  # largest table of a phase (states times totals) that is cached
FEWEST_WAIT = 1 << 16  # counts that wait before they are merged
_LOTS = 1  # the random stream that tells the trials of a group apart


class Groups(NamedTuple):
    """Numbers of trials by path and state; a pair of path and state may occur in several groups."""

    paths: Integers
    states: States
    trials: Integers  # number of trials in each group

    @classmethod
    def start(cls, chain: Chain, paths: Paths) -> Groups:
        """Return all trials at the start of a chain, by their paths."""
        trials = np.asarray(paths.weights, np.int64)
        return cls(np.arange(len(trials)), np.full(len(trials), chain.start, np.int64), trials)

    def merge(self) -> tuple[Groups, Integers]:
        """Return sorted groups with distinct paths and states, and the position of each old group among them."""
        order = np.lexsort((self.states, self.paths))
        paths, states = self.paths[order], self.states[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (paths[1:] != paths[:-1]) | (states[1:] != states[:-1])
        firsts, places = np.flatnonzero(new), np.empty(len(order), np.int64)
        places[order] = np.cumsum(new) - 1
        return Groups(paths[firsts], states[firsts], np.add.reduceat(self.trials[order], firsts)), places


def together(several: Sequence[Groups]) -> Groups:
    """Return all groups of several lists."""
    return Groups(*map(np.concatenate, zip(*several)))


class Moves(NamedTuple):
    """Rolls of the groups, in order of the groups: each total that came up, and how often."""

    groups: Integers
    totals: Integers
    states: States  # after the roll
    trials: Integers


class Rolls(NamedTuple):
    """Numbers of dice, lowest and highest totals, and next states, for some states in a phase."""

    states: States
    dice: Integers
    low: Integers
    high: Integers
    after: NDArray[np.int64]  # shape (states, totals)


@lru_cache(maxsize=16)  # small, because some entries take megabytes
def _pmfs_of(phase: Phase, most_dice: int) -> Floats:
    return phase.pmfs(most_dice)


class Simulator:
    """Moves groups of trials through the phases of a chain; caches a phase of the same states."""

    def __init__(self) -> None:
        self._rolls: dict[Phase, Rolls] = {}

    def advance(self, phase: Phase, groups: Groups, random: np.random.Generator) -> tuple[Groups, Moves, Integers]:
        """Return the groups after a phase, their rolls, and the new group of each roll."""
        parts = []
        for some in chains.slabs(len(groups.states), phase.totals):
            rolls = self._rolls_of(phase, groups.states[some])
            moves = _rolled(phase, rolls, groups.trials[some], random)
            parts.append(moves._replace(groups=moves.groups + some.start))
        moves = parts[0] if len(parts) == 1 else Moves(*map(np.concatenate, zip(*parts)))
        after, places = Groups(groups.paths[moves.groups], moves.states, moves.trials).merge()
        return after, moves, places

    def _rolls_of(self, phase: Phase, states: States) -> Rolls:
        rolls = self._rolls.get(phase)
        if rolls is None or not np.array_equal(rolls.states, states):
            rolls = Rolls(states, phase.dice_of(states), *phase.span(states), phase.rows(states))
            if rolls.after.size <= MOST_KEPT:
                self._rolls[phase] = rolls
        return rolls

    def recordings(self, chain: Chain, turns: Turns, paths: Paths, random: np.random.Generator) -> Iterator[Groups]:
        """Yield the groups at each recording, round by round; the weights of the paths are numbers of trials."""
        groups = Groups.start(chain, paths)
        for round_numbers in paths.numbers.T:
            ended, recorded = list[Groups](), list[list[Groups]]()
            for number in np.unique(round_numbers).tolist():
                here = round_numbers[groups.paths] == number
                some, of_turn = Groups(*(column[here] for column in groups)), list[Groups]()
                for phase in turns[number]:
                    if phase is RECORD:
                        of_turn.append(some)
                    else:
                        some, _, _ = self.advance(phase, some, random)
                ended.append(some)
                recorded.append(of_turn)
            yield from map(together, zip(*recorded))
            groups = together(ended)


def _rolled(phase: Phase, rolls: Rolls, trials: Integers, random: np.random.Generator) -> Moves:
    """Roll the dice of a phase for groups of trials; groups with the same number of dice are rolled together."""
    pmfs = _pmfs_of(phase, int(rolls.dice.max()))
    parts = list[tuple[Integers, Integers, Integers]]()
    for number in np.unique(rolls.dice).tolist():
        for draw, of_size in ((_drawn, trials != 1), (_drawn_alone, trials == 1)):
            (here,) = np.nonzero((rolls.dice == number) & of_size)
            if len(here):
                first, last = int(rolls.low[here[0]]), int(rolls.high[here[0]])
                counts = draw(pmfs[number, first : last + 1], trials[here], random)
                group, total = np.nonzero(counts)
                parts.append((here[group], first + total, counts[group, total]))
    groups, totals, counts = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts))
    if len(parts) > 1:
        order = np.argsort(groups, kind="stable")
        groups, totals, counts = groups[order], totals[order], counts[order]
    return Moves(groups, totals, np.asarray(rolls.after[groups, totals], np.int64), counts)


def _drawn(pmf: Floats, trials: Integers, random: np.random.Generator) -> Integers:
    """Draw the number of trials of each group that roll each total; shape (groups, totals)."""
    return np.asarray(random.multinomial(trials, pmf / pmf.sum()), np.int64)


def _drawn_alone(pmf: Floats, trials: Integers, random: np.random.Generator) -> Integers:
    """Draw as :func:`_drawn` does, for groups of one trial: faster, by inversion of the distribution."""
    totals = np.searchsorted(np.cumsum(pmf)[:-1] / pmf.sum(), random.random(len(trials)), side="right")
    return np.asarray(totals[:, np.newaxis] == np.arange(len(pmf)), np.int64)


def _random_of(seed: int, part: int, chunk: int, *more: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(part, chunk, *more))))


class _Sample:
    """The recordings of a simulated chain; InputError if it ends in too many different states."""

    def __init__(self, chain: Chain, recordings: int) -> None:
        self._chain, self._lock, self.trials = chain, Lock(), 0
        self._counts: list[list[Groups]] = [[] for _ in range(recordings)]  # the first entry is merged

    def add(self, recorded: Sequence[Groups], trials: int) -> None:
        """Add the recordings of a chunk."""
        with self._lock:
            for counts, groups in zip(self._counts, recorded):
                counts.append(groups)
                if sum(len(some.states) for some in counts[1:]) > max(len(counts[0].states), FEWEST_WAIT):
                    counts[:] = [_counted(counts)]
            self.trials += trials
            self._check_room()

    def recorded(self) -> Recorded:
        """Return the counts of all trials."""
        self._counts = [[_counted(counts)] for counts in self._counts]
        self._check_room()
        of_each = [counts for (counts,) in self._counts]
        states = chains.distinct(np.concatenate([counts.states for counts in of_each]))
        rows = [
            SparseRow(np.searchsorted(states, counts.states), counts.trials.astype(np.float64))  # quickest to multiply
            for counts in of_each
        ]
        weights = Sparse(rows, len(states))
        is_sparse = len(rows) > 1 and len(rows) * len(states) > MOST_DENSE
        return Recorded(states, weights if is_sparse else weights.toarray().astype(np.int64))

    def _check_room(self) -> None:
        if sum(len(counts[0].states) for counts in self._counts) > MOST_RECORDED:
            problem = f"{self._chain.what}: {self.trials} trials end in too many different states to keep"
            raise InputError(problem, allowed=f"fewer trials, or {self._chain.less}")


def _counted(counts: Sequence[Groups]) -> Groups:
    """Merge groups of all paths: one group a state."""
    groups = together(counts)
    return groups._replace(paths=np.zeros_like(groups.paths)).merge()[0]


def _chunk_of(chain: Chain) -> int:
    return CHUNK_TRIALS if chain.size <= chains.MOST_STATES else CHUNK_OF_MANY_STATES


def simulated_counts(
    chain: Chain, trials: int, seed: int, part: int = 0, threads: int = 1, report: Report = lambda _: None
) -> Recorded:
    """Count the trials in each state at each recording; the result does not depend on `threads`.

    `part` is the number of this chain among those of a question, each with random numbers of its own. `report` receives
    the trials so far. InputError if they end in too many different states.

    Examples
    --------
    >>> from analyser.engine.chain.chain import fair_die
    >>> throw = Chain(0, (Phase(lambda _, totals: totals, fair_die(6), 1), RECORD), 7)
    >>> counts = simulated_counts(throw, 6000, seed=1)
    >>> counts.states.tolist(), int(counts.weights.sum())
    ([1, 2, 3, 4, 5, 6], 6000)
    """
    sample, turns = _Sample(chain, chain.phases.count(RECORD)), (chain.phases,)

    def work(queue: Queue) -> None:
        simulator = Simulator()
        for task in queue:
            for chunk in range(task.first, task.last):
                path, random = Paths.one(task.chunk_trials), _random_of(seed, part, chunk)
                sample.add([*simulator.recordings(chain, turns, path, random)], task.chunk_trials)

    play(Chunks(trials, _chunk_of(chain)), work, threads, report)
    return sample.recorded()


def counts_along(chain: Chain, turns: Turns, paths: Paths, seed: int, part: int = 0) -> Recorded:
    """Count the trials in each state at the recordings of each round; `part` as that of :func:`simulated_counts`.

    The weights of `paths` are numbers of trials.
    """
    sample = _Sample(chain, paths.numbers.shape[1] * turns[0].count(RECORD))
    recorded = [*Simulator().recordings(chain, turns, paths, _random_of(seed, part, 0))]
    sample.add(recorded, int(np.sum(paths.weights)))
    return sample.recorded()


class Rolled(NamedTuple):
    """A phase of a trial: the state before it, the dice in words, and the state after it."""

    phase: Phase
    before: int
    dice: tuple[str, ...]
    after: int


class Replayed(NamedTuple):
    """States of single trials at each recording, shape (recordings, trials), and one trial in full."""

    recorded: Integers
    story: list[Rolled]


def replay(chain: Chain, trials: int, seed: int, part: int = 0, number: int = -1) -> Replayed:
    """Return the trials of a simulation of at most one chunk, one by one, and the trial `number` in full."""
    assert trials <= _chunk_of(chain), "trials of one chunk"
    random, lots = _random_of(seed, part, 0), _random_of(seed, part, 0, _LOTS)
    simulator, groups, place = Simulator(), Groups.start(chain, Paths.one(trials)), np.zeros(trials, np.int64)
    recorded, story = list[Integers](), list[Rolled]()
    for phase in chain.phases:
        before, dice = int(groups.states[place[number]]), tuple[str, ...]()
        if phase is RECORD:
            recorded.append(groups.states[place])
        else:
            after, moves, places = simulator.advance(phase, groups, random)
            order, move = np.lexsort((lots.random(trials), place)), np.empty(trials, np.int64)
            move[order] = np.repeat(np.arange(len(moves.trials)), moves.trials)
            if number >= 0:
                dice = _dice_of(phase, before, int(moves.totals[move[number]]), lots)
            groups, place = after, places[move]
        story.append(Rolled(phase, before, dice, int(groups.states[place[number]])))
    return Replayed(np.array(recorded), story)


def _dice_of(phase: Phase, state: int, total: int, random: np.random.Generator) -> tuple[str, ...]:
    """Draw dice with that total, in words; none if every total leads to the same state."""
    here = np.array([state])
    (low,), (high,) = phase.span(here)
    row = phase.rows(here)[0][low : high + 1]
    if (row == row[0]).all():
        return ()
    rolled = [(phase.die, 1)] * int(phase.dice_of(here)[0]) + [*phase.extra_dice]
    of_rest = [np.ones(1)]  # distributions of the total of the last 0, 1, 2, ... dice
    for die, weight in reversed(rolled):
        points = np.zeros(die.highest * weight + 1)
        points[::weight] = die.pmf
        of_rest.append(np.convolve(of_rest[-1], points))
    words = list[str]()
    for (die, weight), rest in zip(rolled, of_rest[-2::-1]):
        left = total - die.values * weight
        possible = (left >= 0) & (left < len(rest))
        weights = die.pmf[die.values] * np.where(possible, rest[np.clip(left, 0, len(rest) - 1)], 0.0)
        value = int(random.choice(die.values, p=weights / weights.sum()))
        words += [die.word(value)] if len(die.values) > 1 else []
        total -= value * weight
    return tuple(words)
