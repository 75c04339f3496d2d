"""Simulated Markov chains: trials in the same state are one group, and only their number is kept.

Such trials are exchangeable. So how many of a group roll each total is multinomial, with the distribution of the total:
that is what the dice of all its trials, rolled one by one, would come to. A trial by its number goes with its group,
and where that is divided, lots drawn from a stream of their own decide which trials go where.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from threading import Lock
from typing import NamedTuple

import numpy as np

from analyser.common.errors import InputError
from analyser.common.records import Floats, Integers
from analyser.engine.chain.chain import (
    MOST_STATES,
    RECORD,
    Chain,
    Die,
    Phase,
    Recorded,
    Sparse,
    SparseRow,
    States,
    distinct,
    slabs,
)
from analyser.engine.chain.exact import Paths, Turns
from analyser.engine.parallel import Chunks, Queue, Report, play

# A chunk is a function of (seed, part, chunk) and of nothing else: of a chain with few states, and of one with many, in
# which each trial can be a group.
CHUNK_TRIALS, CHUNK_OF_MANY_STATES = 1 << 24, 1 << 18
MOST_RECORDED = 1 << 25  # counts that are kept, of all recordings together
MOST_DENSE = 1 << 22  # counts of one answer that are kept as an array, whether they are 0 or not
FEWEST_WAIT = 1 << 16  # counts that wait before they are added to those before
_LOTS = 1  # the stream of the lots that tell trials apart


class Groups(NamedTuple):
    """Trials by the path that they follow and their state; those of one path and state may stand apart."""

    paths: Integers
    states: States
    trials: Integers  # how many


class Moves(NamedTuple):
    """Rolls of the groups, in order of the groups: each total of each group that came up."""

    groups: Integers
    totals: Integers
    states: States  # to which it leads
    trials: Integers  # how many


@lru_cache(maxsize=16)  # those of the chain in progress: some take megabytes
def _pmfs_of(phase: Phase, most_dice: int) -> Floats:
    return phase.pmfs(most_dice)


def moves_of(phase: Phase, states: States, trials: Integers, random: np.random.Generator) -> Moves:
    """Roll the dice of a phase for groups of trials."""
    dice, (low, high) = phase.dice_of(states), phase.span(states)
    pmfs = _pmfs_of(phase, int(dice.max()))
    found = list[tuple[Integers, ...]]()
    for number, is_alone in product(np.unique(dice).tolist(), (False, True)):
        (here,) = np.nonzero((dice == number) & ((trials == 1) == is_alone))
        for some in slabs(len(here), phase.totals):
            groups = here[some]
            first, last = int(low[groups[0]]), int(high[groups[0]])
            rolled = (_drawn_alone if is_alone else _drawn)(pmfs[number, first : last + 1], trials[groups], random)
            group, total = np.nonzero(rolled)
            after = np.asarray(phase.rows(states[groups])[group, first + total], np.int64)
            found.append((groups[group], first + total, after, rolled[group, total]))
    moves = [np.concatenate(column) for column in zip(*found)]
    order = np.argsort(moves[0], kind="stable")
    return Moves(*(column[order] for column in moves))


def _drawn(pmf: Floats, trials: Integers, random: np.random.Generator) -> Integers:
    """Draw the number of trials of each group that roll each total; shape (groups, totals)."""
    return np.asarray(random.multinomial(trials, pmf / pmf.sum()), np.int64)


def _drawn_alone(pmf: Floats, trials: Integers, random: np.random.Generator) -> Integers:
    """Draw as :func:`_drawn` does, for groups of one trial: faster, by inversion of the distribution."""
    totals = np.searchsorted(np.cumsum(pmf)[:-1] / pmf.sum(), random.random(len(trials)), side="right")
    return np.asarray(totals[:, np.newaxis] == np.arange(len(pmf)), np.int64)


def merged(groups: Groups) -> tuple[Groups, Integers]:
    """Groups in order, each path and state once, and the place of each group among them."""
    order = np.lexsort((groups.states, groups.paths))
    paths, states = groups.paths[order], groups.states[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(paths) != 0) | (np.diff(states) != 0)
    firsts, places = np.flatnonzero(new), np.empty(len(order), np.int64)
    places[order] = np.cumsum(new) - 1
    return Groups(paths[firsts], states[firsts], np.add.reduceat(groups.trials[order], firsts)), places


def advanced(phase: Phase, groups: Groups, random: np.random.Generator) -> tuple[Groups, Moves, Integers]:
    """The groups after a phase, what they rolled, and to which group each of these moves leads."""
    moves = moves_of(phase, groups.states, groups.trials, random)
    after, places = merged(Groups(groups.paths[moves.groups], moves.states, moves.trials))
    return after, moves, places


def _random_of(seed: int, part: int, chunk: int, *more: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(part, chunk, *more))))


class Counts:
    """Number of trials in each state at a recording, over consecutive chunks."""

    def __init__(self) -> None:
        self.states, self.trials = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._waiting: list[Groups] = []
        self._waits = 0

    def add(self, groups: Groups) -> None:
        """Count trials in some states."""
        self._waiting.append(groups)
        self._waits += len(groups.states)
        if self._waits > max(len(self.states), FEWEST_WAIT):
            self.merge()

    def merge(self) -> None:
        """Bring together what waits with what was counted before."""
        states = np.concatenate([self.states, *(groups.states for groups in self._waiting)])
        trials = np.concatenate([self.trials, *(groups.trials for groups in self._waiting)])
        both, _ = merged(Groups(np.zeros(len(states), np.int64), states, trials))
        self.states, self.trials, self._waiting, self._waits = both.states, both.trials, [], 0


class _Sample:
    """The recordings of a sample of a chain; InputError if it ends in more states than there is room for."""

    def __init__(self, chain: Chain, recordings: int) -> None:
        self._chain, self._lock, self.trials = chain, Lock(), 0
        self._counts = [Counts() for _ in range(recordings)]

    def add(self, recorded: Sequence[Groups], trials: int) -> None:
        """Add the recordings of a chunk."""
        with self._lock:
            for counts, groups in zip(self._counts, recorded):
                counts.add(groups)
            self.trials += trials
            self._check_room()

    def recorded(self) -> Recorded:
        """The counts of all that was played."""
        for counts in self._counts:
            counts.merge()
        self._check_room()
        states = distinct(np.concatenate([counts.states for counts in self._counts]))
        rows = [
            SparseRow(np.searchsorted(states, counts.states), counts.trials.astype(np.float64))  # quickest to multiply
            for counts in self._counts
        ]
        weights = Sparse(rows, len(states))
        is_sparse = len(rows) > 1 and len(rows) * len(states) > MOST_DENSE
        return Recorded(states, weights if is_sparse else weights.toarray().astype(np.int64))

    def _check_room(self) -> None:
        if sum(len(counts.states) for counts in self._counts) > MOST_RECORDED:
            problem = f"{self._chain.what}: {self.trials} trials end in too many different states to keep"
            raise InputError(problem, allowed=f"fewer trials, or {self._chain.less}")


def _chunk_of(chain: Chain) -> int:
    return CHUNK_TRIALS if chain.size <= MOST_STATES else CHUNK_OF_MANY_STATES


def _start(chain: Chain, trials: Integers) -> Groups:
    """All trials at the start, by their paths."""
    paths = np.arange(len(trials))
    return Groups(paths, np.full(len(trials), chain.start, np.int64), np.asarray(trials, np.int64))


def sampled_counts(
    chain: Chain, trials: int, seed: int, part: int = 0, threads: int = 1, report: Report = lambda _: None
) -> Recorded:
    """Count the trials in each state at each recording; the result does not depend on `threads`.

    `part` says which of several chains of one question this is: each has random numbers of its own. `report` receives
    the trials so far. InputError if they end in more different states than there is room for.

    Examples
    --------
    >>> from analyser.engine.chain.chain import sided
    >>> throw = Chain(0, (Phase(lambda _, totals: totals, sided(6), 1), RECORD), 7)
    >>> counts = sampled_counts(throw, 6000, seed=1)
    >>> counts.states.tolist(), int(counts.weights.sum())
    ([1, 2, 3, 4, 5, 6], 6000)
    """
    sample = _Sample(chain, chain.phases.count(RECORD))

    def work(queue: Queue) -> None:
        for task in queue:
            for chunk in range(task.first, task.last):
                random, recorded = _random_of(seed, part, chunk), list[Groups]()
                groups = _start(chain, np.array([task.chunk_trials]))
                for phase in chain.phases:
                    if phase is RECORD:
                        recorded.append(groups)
                    else:
                        groups, _, _ = advanced(phase, groups, random)
                sample.add(recorded, task.chunk_trials)

    play(Chunks(trials, _chunk_of(chain)), work, threads, report)
    return sample.recorded()


def counts_along(chain: Chain, turns: Turns, paths: Paths, seed: int, part: int = 0) -> Recorded:
    """Count the trials in each state at its recordings, in each round; `paths` have counts.

    Every trial follows the path that it has seen; `part` as that of :func:`sampled_counts`.
    """
    sample, random = _Sample(chain, paths.numbers.shape[1]), _random_of(seed, part, 0)
    groups, recorded = _start(chain, paths.weights), list[Groups]()
    for round_numbers in paths.numbers.T:
        ended, at_record = list[Groups](), list[Groups]()
        for number in np.unique(round_numbers).tolist():
            here = round_numbers[groups.paths] == number
            some = Groups(*(each[here] for each in groups))
            for phase in turns[number]:
                if phase is RECORD:
                    at_record.append(some)
                else:
                    some, _, _ = advanced(phase, some, random)
            ended.append(some)
        recorded.append(_together(at_record))
        groups = _together(ended)
    sample.add(recorded, int(np.sum(paths.weights)))
    return sample.recorded()


def _together(several: Sequence[Groups]) -> Groups:
    return Groups(*map(np.concatenate, zip(*several)))


class Shown(NamedTuple):
    """A die of a trial, and the value that it shows."""

    die: Die
    value: int

    def __str__(self) -> str:
        """Return the value in words."""
        return self.die.word(self.value)


class Rolled(NamedTuple):
    """A phase of a trial: the state before it, the dice that it rolled, the state that they led to."""

    phase: Phase
    before: int
    dice: tuple[Shown, ...]
    after: int


class Replayed(NamedTuple):
    """Trials of a sample one by one: the state of each at each recording, shape (recordings, trials), and one told."""

    recorded: Integers
    told: list[Rolled]


def replayed(chain: Chain, trials: int, seed: int, part: int = 0, told: int = -1) -> Replayed:
    """The trials of a sample of at most one chunk one by one, and the trial `told` in full."""
    assert trials <= _chunk_of(chain), "trials of one chunk"
    random, lots = _random_of(seed, part, 0), _random_of(seed, part, 0, _LOTS)
    groups, place = _start(chain, np.array([trials])), np.zeros(trials, np.int64)
    recorded, story = list[Integers](), list[Rolled]()
    for phase in chain.phases:
        before, dice = int(groups.states[place[told]]), tuple[Shown, ...]()
        if phase is RECORD:
            recorded.append(groups.states[place])
        else:
            after, moves, places = advanced(phase, groups, random)
            order, move = np.lexsort((lots.random(trials), place)), np.empty(trials, np.int64)
            move[order] = np.repeat(np.arange(len(moves.trials)), moves.trials)
            if told >= 0:
                dice = _dice_of(phase, before, int(moves.totals[move[told]]), lots)
            groups, place = after, places[move]
        story.append(Rolled(phase, before, dice, int(groups.states[place[told]])))
    return Replayed(np.array(recorded), story)


def _dice_of(phase: Phase, state: int, total: int, random: np.random.Generator) -> tuple[Shown, ...]:
    """Dice that come to that total, as likely as they do; none where every total leads to the same state."""
    here = np.array([state])
    (low,), (high,) = phase.span(here)
    row = phase.rows(here)[0][low : high + 1]
    if (row == row[0]).all():
        return ()
    rolled = [(phase.die, 1)] * int(phase.dice_of(here)[0]) + [*phase.extra_dice]
    of_rest = [np.ones(1)]  # the distributions of the totals of the last dice: of none, of one, of two, ...
    for die, weight in reversed(rolled):
        points = np.zeros(die.highest * weight + 1)
        points[::weight] = die.pmf
        of_rest.append(np.convolve(of_rest[-1], points))
    shown = list[Shown]()
    for (die, weight), rest in zip(rolled, of_rest[-2::-1]):
        left = total - die.values * weight
        weights = die.pmf[die.values] * np.where(
            (left >= 0) & (left < len(rest)), rest[np.clip(left, 0, len(rest) - 1)], 0.0
        )
        value = int(random.choice(die.values, p=weights / weights.sum()))
        shown.append(Shown(die, value))
        total -= value * weight
    return tuple(each for each in shown if len(each.die.values) > 1)
