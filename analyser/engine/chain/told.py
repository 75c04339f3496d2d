"""The trials of a sample of a Markov chain one by one: which dice each rolled, and the states that it came to.

A sample rolls trials in the same state together (:mod:`.sampled`, :mod:`.on_demand`) and knows only how many there are.
Here each has a number, which goes wherever its bits lead: the same words, drawn in the same order, in plain Python. So
trial 17 of a sample is one of those that it counts, and all of them together are its counts.

Of a draw no more bits are made than it takes to see what the die leads to. So a die is known as far as that matters:
as the least and the greatest value that it can have shown. Dice that make no difference are not rolled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from analyser.common.records import Integers
from analyser.engine.chain.bitwise import DRAW_BITS, FEW
from analyser.engine.chain.chain import RECORD, Chain, Die, Phase
from analyser.engine.chain.on_demand import FEW_TRIALS
from analyser.engine.chain.sampled import CHUNKS_A_PART, thresholds_of
from analyser.engine.pool.replay import Words
from analyser.engine.rng import counter_of_chunk, stream_of

MOST_TRIALS = 1 << 18  # those of one chunk of either kind of sample
_WORD, _LANES = 64, 32
_UPPER = np.uint64(_WORD - DRAW_BITS)
Trials = Integers  # their numbers
Groups = list[tuple[int, Trials]]  # states, and the trials that are in each


class Shown(NamedTuple):
    """A die of a trial, and between which values it lies."""

    die: Die
    low: int
    high: int

    def __str__(self) -> str:
        """What it shows: one value, or as much of it as the trial needed."""
        low, high = self.die.word(self.low), self.die.word(self.high)
        if self.low == self.high:
            return low
        if self.high == self.die.values[-1]:
            return f"{low} or more"
        return f"{high} or less" if self.low == self.die.values[0] else f"{low} to {high}"


class Rolled(NamedTuple):
    """A phase of a trial: the state before it, the dice that it rolled, the state that they led to."""

    phase: Phase
    before: int
    dice: tuple[Shown, ...]
    after: int


class Replayed(NamedTuple):
    """Trials played again: the state of each at each recording, shape (recordings, trials), and one in full."""

    recorded: Integers
    told: list[Rolled]


def draw_for_each(trials: Trials, thresholds: list[int], words: Words) -> list[Trials]:
    """Which of the trials reach 0, 1, ... of the thresholds, in the order of :func:`.bitwise.draw_for_each`."""
    found: list[list[Trials]] = [[] for _ in range(len(thresholds) + 1)]
    thresholds = [threshold for threshold in thresholds if threshold < 1 << DRAW_BITS]  # the others no draw reaches

    def reached(below: int, first: int) -> int:
        return next((place for place in range(first, len(thresholds)) if thresholds[place] > below), len(thresholds))

    waiting = [(0, DRAW_BITS, trials, reached(0, 0), len(thresholds))] if len(trials) else []
    while waiting:
        low, bits, some, first, last = waiting.pop()
        while len(some) > FEW and first < last:
            bits -= 1
            middle = low + (1 << bits)
            bit = words.many(-(-len(some) // _WORD)).view(np.uint8)
            ones = np.unpackbits(bit, bitorder="little")[: len(some)].astype(np.bool_)
            inside, above = min(reached(middle - 1, first), last), min(reached(middle, first), last)
            if ones.any():
                waiting.append((middle, bits, some[ones], above, last))
            some, last = some[~ones], inside
        number = np.full(len(some), first)
        if first < last:
            whole = -(-len(some) // _LANES) * _LANES
            draws = words.many(whole // 2).view(np.uint32)[: len(some)]
            for place in range(first, last):
                number += draws >= np.uint32(thresholds[place] - low << DRAW_BITS - bits)
        for place in range(first, last + 1):
            found[place].append(some[number == place])
    return [np.concatenate(each) if each else trials[:0] for each in found]


class Replay:
    """A chunk of a sample, played with the numbers of its trials; `told` is the one whose dice are kept."""

    def __init__(self, words: Words, told: int) -> None:
        self._words, self._told = words, told
        self.dice: list[Shown] = []

    def roll_group(self, phase: Phase, dice: int, targets: Callable[[int], int], trials: Trials) -> dict[int, Trials]:
        """Roll the dice of a phase for trials in one state: which of them lead to which target of a total."""
        rolled = [(phase.die, 1)] * dice + [*phase.extra_dice]
        by_total = {0: trials}
        for die, weight in rolled[:-1]:
            after: dict[int, list[Trials]] = {}
            for total in sorted(by_total):
                values = die.values.tolist()
                for value, some in zip(values, self._rolled(die, [[value] for value in values], by_total[total])):
                    after.setdefault(total + value * weight, []).append(some)
            joined = {total: np.concatenate(parts) for total, parts in after.items()}
            by_total = {total: some for total, some in joined.items() if len(some)}
        die, weight = rolled[-1]
        found: dict[int, list[Trials]] = {}
        for total in sorted(by_total):
            runs: list[list[int]] = []
            ends: list[int] = []
            for value in die.values.tolist():
                target = targets(total + value * weight)
                if ends and ends[-1] == target:
                    runs[-1].append(value)
                else:
                    runs.append([value])
                    ends.append(target)
            parts = self._rolled(die, runs, by_total[total]) if len(runs) > 1 else [by_total[total]]
            for target, some in zip(ends, parts):
                found.setdefault(target, []).append(some)
        return {target: np.concatenate(parts) for target, parts in found.items()}

    def _rolled(self, die: Die, runs: list[list[int]], trials: Trials) -> list[Trials]:
        """Which trials roll a value of which run of them, as :func:`.sampled.roll_die` has it."""
        draws, limit = thresholds_of(die)
        thresholds = [int(draws[run[0]]) for run in runs[1:]] + ([limit] if limit < 1 << DRAW_BITS else [])
        found: list[list[Trials]] = [[] for _ in runs]
        while len(trials):
            parts = draw_for_each(trials, thresholds, self._words)
            for run, some, mine in zip(runs, parts, found):
                self._show(die, run, some)
                mine.append(some)
            trials = parts[len(runs)] if len(parts) > len(runs) else trials[:0]  # rejected
        return [np.concatenate(each) if each else trials for each in found]

    def roll_one(self, phase: Phase, dice: int, trial: int) -> int:
        """The total that one trial rolls by itself, as :func:`.on_demand.roll_one` has it."""
        total = 0
        for die, weight in [(phase.die, 1)] * dice + [*phase.extra_dice]:
            values = die.values.tolist()
            value = values[0]
            if len(values) > 1:
                draws, limit = thresholds_of(die)
                draw = limit
                while draw >= limit:
                    draw = int(self._words.one() >> _UPPER)
                value = max(each for each in values if draws[each] <= draw or each == values[0])
            self._show(die, [value], np.array([trial]))
            total += value * weight
        return total

    def _show(self, die: Die, values: list[int], trials: Trials) -> None:
        if len(die.values) > 1 and (trials == self._told).any():
            self.dice.append(Shown(die, values[0], values[-1]))


def replayed(chain: Chain, trials: int, seed: int, part: int = 0, told: int = -1) -> Replayed:
    """The first `trials` trials of a sample of a chain again, and the trial `told` in full; at most one chunk.

    `part` says which of several chains of one question this is.
    """
    assert trials <= MOST_TRIALS, "trials of one chunk"
    start, gamma = stream_of(seed) if chain.is_small else stream_of(seed, part)
    first = part * CHUNKS_A_PART if chain.is_small else 0
    replay = Replay(Words(counter_of_chunk(start, gamma, first), gamma), told)
    states, recorded, story = np.full(trials, chain.start, np.int64), list[Integers](), list[Rolled]()
    step = _tabulated if chain.is_small else _on_demand
    for phase, groups in step(chain, replay, np.arange(trials)):
        before = int(states[told]) if told >= 0 else 0
        for state, some in groups:
            states[some] = state
        if phase is RECORD:
            recorded.append(states.copy())
        if told >= 0:
            story.append(Rolled(phase, before, tuple(replay.dice), int(states[told])))
        replay.dice = []
    return Replayed(np.array(recorded), story)


def _settled_by(row: Integers, phase: Phase, states: Integers) -> tuple[int, int, bool]:
    """The lowest and the highest total of a state, and whether all between them lead to the same state."""
    low, high = (int(end[0]) for end in phase.span(states))
    return low, high, bool((row[low : high + 1] == row[low]).all())


def _tabulated(chain: Chain, replay: Replay, trials: Trials) -> Iterator[tuple[Phase, Groups]]:
    """The phases, and the groups after each, of a sample that tabulates its states."""
    groups = {chain.start: trials}
    for phase in chain.phases:
        if phase is not RECORD:
            following: dict[int, list[Trials]] = {}
            for state in sorted(groups):
                here = np.array([state])
                row = phase.rows(here)[0]
                low, _, settled = _settled_by(row, phase, here)
                if settled:
                    following.setdefault(int(row[low]), []).append(groups[state])
                    continue
                found = replay.roll_group(phase, int(phase.dice_of(here)[0]), lambda at: int(row[at]), groups[state])  # noqa: B023
                for target, some in found.items():
                    following.setdefault(target, []).append(some)
            joined = {state: np.concatenate(parts) for state, parts in following.items()}
            groups = {state: some for state, some in joined.items() if len(some)}
        yield phase, [*groups.items()]


def _on_demand(chain: Chain, replay: Replay, trials: Trials) -> Iterator[tuple[Phase, Groups]]:
    """The same of a sample that works out the states that are met."""
    groups: Groups = [(chain.start, trials)]
    few = 1
    for phase in chain.phases:
        if phase is RECORD:
            groups = _merged(groups)
            few = len(groups)
            yield phase, groups
            continue
        after: Groups = []
        for state, some in groups:
            for target, part in _sent_on(phase, replay, state, some):
                if after and after[-1][0] == target:
                    after[-1] = target, np.concatenate([after[-1][1], part])
                elif len(part):
                    after.append((target, part))
        groups = after
        if len(groups) > 2 * few:
            groups = _merged(groups)
            few = len(groups)
        yield phase, groups


def _sent_on(phase: Phase, replay: Replay, state: int, trials: Trials) -> Iterator[tuple[int, Trials]]:
    """Where a group goes, as :func:`.on_demand.roll_groups` has it."""
    here = np.array([state])
    row = phase.rows(here)[0]
    low, high, settled = _settled_by(row, phase, here)
    dice = int(phase.dice_of(here)[0])
    if settled:
        yield int(row[low]), trials
    elif len(trials) <= FEW_TRIALS:
        for trial in trials.tolist():
            yield int(row[replay.roll_one(phase, dice, trial)]), np.array([trial])
    else:
        same_from = np.arange(len(row))
        for total in range(low + 1, high + 1):
            if row[total] == row[same_from[total - 1]]:
                same_from[total] = same_from[total - 1]
        found = replay.roll_group(phase, dice, lambda at: int(same_from[at]), trials)
        for total in sorted(found):
            if len(found[total]):
                yield int(row[total]), found[total]


def _merged(groups: Groups) -> Groups:
    """States in order, each once, and the trials in each."""
    joined: dict[int, list[Any]] = {}
    for state, some in groups:
        joined.setdefault(state, []).append(some)
    return [(state, np.concatenate(joined[state])) for state in sorted(joined)]
