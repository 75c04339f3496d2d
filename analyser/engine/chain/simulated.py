"""Simulated Markov chains: trials in the same state form a group, of which only the size is stored.

A multinomial distribution gives the number of trials of a group that roll each total, as if all dice were rolled one by
one. The replay of a trial follows its group. If the group splits, a separate random stream assigns trials to the parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.chain.chain import (
    RECORD,
    Alternatives,
    Chain,
    ExtraDie,
    Paths,
    Phase,
    Recorded,
    States,
    blocks_of,
    distinct,
)
from analyser.engine.parallel import Chunks, Queue, Report, run_chunks

# Trials of a chunk; fewer with many states, because then each trial can be a group of its own.
CHUNK_TRIALS, CHUNK_OF_MANY_STATES = 1 << 24, 1 << 18
MANY_STATES = 1 << 18
MOST_RECORDED = 1 << 25  # groups in all recordings together
MOST_DENSE = 1 << 22  # entries of a result that is stored as a dense array
MOST_CACHED_CELLS = 1 << 15  # states times totals of a phase whose table is cached
FEWEST_MERGED = 1 << 16  # new groups of a recording are merged only if there are more than this
_SPLIT_STREAM = 1  # number of the random stream that assigns the trials of a group to its parts


class Groups(NamedTuple):
    """Groups of trials by path and state; several groups may have the same path and state."""

    paths: Integers
    states: States
    trials: Integers  # number of trials in each group

    @classmethod
    def start(cls, chain: Chain, paths: Paths) -> Groups:
        """Return one group per path, at the start of a chain."""
        trials = np.asarray(paths.weights, np.int64)
        return cls(np.arange(len(trials)), np.full(len(trials), chain.start, np.int64), trials)

    def merge(self) -> tuple[Groups, Integers]:
        """Return sorted groups with distinct paths and states, and the new position of each old group."""
        order = np.lexsort((self.states, self.paths))
        paths, states = self.paths[order], self.states[order]
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = (paths[1:] != paths[:-1]) | (states[1:] != states[:-1])
        firsts, new_positions = np.flatnonzero(is_first), np.empty(len(order), np.int64)
        new_positions[order] = np.cumsum(is_first) - 1
        return Groups(paths[firsts], states[firsts], np.add.reduceat(self.trials[order], firsts)), new_positions


def concatenate_groups(lists: Sequence[Groups]) -> Groups:
    """Return the groups of several lists as one list."""
    return Groups(*map(np.concatenate, zip(*lists)))


class Transitions(NamedTuple):
    """Parts of groups, sorted by group; the trials of a part have rolled the same total."""

    groups: Integers
    totals: Integers
    states: States  # after the roll
    trials: Integers


class RollTable(NamedTuple):
    """States in a phase, with their numbers of dice, lowest and highest totals, and next states."""

    states: States
    dice: Integers
    low: Integers
    high: Integers
    after: NDArray[np.int64]  # shape (states, totals)


@lru_cache(maxsize=16)  # small, because some entries take megabytes
def _pmfs_of(phase: Phase, most_dice: int) -> Floats:
    return phase.pmfs(most_dice)


class Simulator:
    """Simulator that moves groups of trials through the phases of a chain; it caches the last table of each phase."""

    def __init__(self) -> None:
        self._rolls: dict[Phase, RollTable] = {}

    def advance(
        self, phase: Phase, groups: Groups, random: np.random.Generator
    ) -> tuple[Groups, Transitions, Integers]:
        """Return the groups after a phase, the parts into which the groups split, and the new group of each part."""
        parts = []
        for block in blocks_of(len(groups.states), phase.totals):
            rolls = self._rolls_of(phase, groups.states[block])
            transitions = _roll(phase, rolls, groups.trials[block], random)
            parts.append(transitions._replace(groups=transitions.groups + block.start))
        transitions = parts[0] if len(parts) == 1 else Transitions(*map(np.concatenate, zip(*parts)))
        after, new_groups = Groups(groups.paths[transitions.groups], transitions.states, transitions.trials).merge()
        return after, transitions, new_groups

    def _rolls_of(self, phase: Phase, states: States) -> RollTable:
        rolls = self._rolls.get(phase)
        if rolls is None or not np.array_equal(rolls.states, states):
            rolls = RollTable(states, phase.dice_of(states), *phase.span(states), phase.next_states(states))
            if rolls.after.size <= MOST_CACHED_CELLS:
                self._rolls[phase] = rolls
        return rolls

    def recordings(
        self, chain: Chain, alternatives: Alternatives, paths: Paths, random: np.random.Generator
    ) -> Iterator[Groups]:
        """Yield the groups at each recording, round by round; the weights of `paths` are numbers of trials."""
        groups = Groups.start(chain, paths)
        for round_numbers in paths.numbers.T:
            groups_after, recorded = list[Groups](), list[list[Groups]]()
            for number in np.unique(round_numbers).tolist():
                is_here = round_numbers[groups.paths] == number
                groups_here, recorded_here = Groups(*(column[is_here] for column in groups)), list[Groups]()
                for phase in alternatives[number]:
                    if phase is RECORD:
                        recorded_here.append(groups_here)
                    else:
                        groups_here, _, _ = self.advance(phase, groups_here, random)
                groups_after.append(groups_here)
                recorded.append(recorded_here)
            yield from map(concatenate_groups, zip(*recorded))
            groups = concatenate_groups(groups_after)


def _roll(phase: Phase, rolls: RollTable, trials: Integers, random: np.random.Generator) -> Transitions:
    """Roll the dice of a phase for groups of trials, all groups with the same number of dice together."""
    pmfs = _pmfs_of(phase, int(rolls.dice.max()))
    parts = list[tuple[Integers, Integers, Integers]]()
    for number in np.unique(rolls.dice).tolist():
        for draw, of_size in ((_draw_counts, trials != 1), (_draw_single_trials, trials == 1)):
            (group_numbers,) = np.nonzero((rolls.dice == number) & of_size)
            if len(group_numbers):
                first, last = int(rolls.low[group_numbers[0]]), int(rolls.high[group_numbers[0]])
                counts = draw(pmfs[number, first : last + 1], trials[group_numbers], random)
                group, total = np.nonzero(counts)
                parts.append((group_numbers[group], first + total, counts[group, total]))
    groups, totals, counts = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts))
    if len(parts) > 1:
        order = np.argsort(groups, kind="stable")
        groups, totals, counts = groups[order], totals[order], counts[order]
    return Transitions(groups, totals, np.asarray(rolls.after[groups, totals], np.int64), counts)


def _draw_counts(pmf: Floats, trials: Integers, random: np.random.Generator) -> Integers:
    """Draw the number of trials of each group that roll each total; shape (groups, totals)."""
    return np.asarray(random.multinomial(trials, pmf / pmf.sum()), np.int64)


def _draw_single_trials(pmf: Floats, trials: Integers, random: np.random.Generator) -> Integers:
    """Draw like :func:`_draw_counts`, but faster, for groups of one trial (inversion of the distribution)."""
    totals = np.searchsorted(np.cumsum(pmf)[:-1] / pmf.sum(), random.random(len(trials)), side="right")
    return np.asarray(totals[:, np.newaxis] == np.arange(len(pmf)), np.int64)


def _random_of(seed: int, part: int, chunk: int, *more: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(part, chunk, *more))))


class _Sample:
    """Recordings of a simulated chain; InputError if there are too many different states."""

    def __init__(self, chain: Chain, recordings: int) -> None:
        self._chain, self._lock, self.trials = chain, Lock(), 0
        # For each recording the merged groups, followed by groups that are not yet merged.
        self._counts: list[list[Groups]] = [[] for _ in range(recordings)]

    def add(self, recorded: Sequence[Groups], trials: int) -> None:
        """Add the recordings of a chunk."""
        with self._lock:
            for counts, groups in zip(self._counts, recorded):
                counts.append(groups)
                if sum(len(added.states) for added in counts[1:]) > max(len(counts[0].states), FEWEST_MERGED):
                    counts[:] = [_merge_paths(counts)]
            self.trials += trials
            self._check_room()

    def recorded(self) -> Recorded:
        """Return the counts of all trials."""
        self._counts = [[_merge_paths(counts)] for counts in self._counts]
        self._check_room()
        merged = [counts for (counts,) in self._counts]
        states = distinct(np.concatenate([counts.states for counts in merged]))
        columns = [np.searchsorted(states, counts.states) for counts in merged]
        shape = len(merged), len(states)
        if shape[0] > 1 and math.prod(shape) > MOST_DENSE:
            from scipy.sparse import csr_array

            ends, trials = np.cumsum([0, *map(len, columns)]), np.concatenate([counts.trials for counts in merged])
            weights = csr_array((trials.astype(np.float64), np.concatenate(columns), ends), shape)
            return Recorded(states, weights)
        weights = np.zeros(shape, np.int64)
        for row, column, counts in zip(weights, columns, merged):
            row[column] = counts.trials
        return Recorded(states, weights)

    def _check_room(self) -> None:
        if sum(len(counts[0].states) for counts in self._counts) > MOST_RECORDED:
            problem = f"{self._chain.what}: {self.trials} trials end in too many different states"
            raise InputError(problem, allowed=f"fewer trials, or {self._chain.less}")


def _merge_paths(counts: Sequence[Groups]) -> Groups:
    """Merge the groups of all paths: one group per state."""
    groups = concatenate_groups(counts)
    return groups._replace(paths=np.zeros_like(groups.paths)).merge()[0]


def _chunk_size(chain: Chain) -> int:
    return CHUNK_TRIALS if chain.size <= MANY_STATES else CHUNK_OF_MANY_STATES


def simulated_counts(
    chain: Chain, trials: int, seed: int, part: int = 0, threads: int = 1, report: Report = lambda _: None
) -> Recorded:
    """Count the trials in each state at each recording; the result does not depend on `threads`.

    `part` is the index of the chain in its question; each chain has its own random numbers.

    >>> from analyser.engine.chain.chain import fair_die
    >>> throw = Chain(0, (Phase(lambda _, totals: totals, fair_die(6), 1), RECORD), 7)
    >>> counts = simulated_counts(throw, 6000, seed=1)
    >>> counts.states.tolist(), int(counts.weights.sum())
    ([1, 2, 3, 4, 5, 6], 6000)
    """
    sample, alternatives = _Sample(chain, chain.phases.count(RECORD)), (chain.phases,)

    def work(queue: Queue) -> None:
        simulator = Simulator()
        for task in queue:
            for chunk in range(task.first, task.last):
                path, random = Paths.one(task.chunk_trials), _random_of(seed, part, chunk)
                sample.add([*simulator.recordings(chain, alternatives, path, random)], task.chunk_trials)

    run_chunks(Chunks(trials, _chunk_size(chain)), work, threads, report)
    return sample.recorded()


def counts_along(chain: Chain, alternatives: Alternatives, paths: Paths, seed: int, part: int = 0) -> Recorded:
    """Count the trials in each state at the recordings of each round; the weights of `paths` are numbers of trials."""
    sample = _Sample(chain, paths.numbers.shape[1] * alternatives[0].count(RECORD))
    recorded = [*Simulator().recordings(chain, alternatives, paths, _random_of(seed, part, 0))]
    sample.add(recorded, int(np.sum(paths.weights)))
    return sample.recorded()


class NarratedPhase(NamedTuple):
    """A phase of a trial: the state before it, the dice in words, and the state after it."""

    phase: Phase
    before: int
    dice: tuple[str, ...]
    after: int


class ReplayedTrials(NamedTuple):
    """State of each trial at each recording, shape (recordings, trials), and the phases of one trial."""

    recorded: Integers
    story: list[NarratedPhase]


def replay(chain: Chain, trials: int, seed: int, part: int = 0, number: int = -1) -> ReplayedTrials:
    """Return the states of all trials of a simulation of at most one chunk, and the phases of trial `number`."""
    assert trials <= _chunk_size(chain), "trials of one chunk"
    random, split_random = _random_of(seed, part, 0), _random_of(seed, part, 0, _SPLIT_STREAM)
    simulator, groups, group = Simulator(), Groups.start(chain, Paths.one(trials)), np.zeros(trials, np.int64)
    recorded, story = list[Integers](), list[NarratedPhase]()
    for phase in chain.phases:
        before, dice = int(groups.states[group[number]]), tuple[str, ...]()
        if phase is RECORD:
            recorded.append(groups.states[group])
        else:
            after, transitions, new_groups = simulator.advance(phase, groups, random)
            order, transition = np.lexsort((split_random.random(trials), group)), np.empty(trials, np.int64)
            transition[order] = np.repeat(np.arange(len(transitions.trials)), transitions.trials)
            if number >= 0:
                dice = _dice_of(phase, before, int(transitions.totals[transition[number]]), split_random)
            groups, group = after, new_groups[transition]
        story.append(NarratedPhase(phase, before, dice, int(groups.states[group[number]])))
    return ReplayedTrials(np.array(recorded), story)


def _dice_of(phase: Phase, state: int, total: int, random: np.random.Generator) -> tuple[str, ...]:
    """Draw dice with this total and return them in words; return none if all totals lead to the same state."""
    states = np.array([state])
    (low,), (high,) = phase.span(states)
    row = phase.next_states(states)[0][low : high + 1]
    if (row == row[0]).all():
        return ()
    dice = [ExtraDie(phase.die, 1)] * int(phase.dice_of(states)[0]) + [*phase.extra_dice]
    rest_pmfs = [np.ones(1)]  # distributions of the total of the last 0, 1, 2, ... dice
    for weighted in reversed(dice):
        rest_pmfs.append(np.convolve(rest_pmfs[-1], weighted.pmf))
    words = list[str]()
    for (die, weight), rest in zip(dice, rest_pmfs[-2::-1]):
        totals_left = total - die.values * weight
        possible = (totals_left >= 0) & (totals_left < len(rest))
        weights = die.pmf[die.values] * np.where(possible, rest[np.clip(totals_left, 0, len(rest) - 1)], 0.0)
        value = int(random.choice(die.values, p=weights / weights.sum()))
        words += [die.word(value)] if len(die.values) > 1 else []
        total -= value * weight
    return tuple(words)
