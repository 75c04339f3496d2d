"""Simulated fights: each trial goes from node to node of a graph of random draws.

Scores of attack rolls are drawn from their exact distribution, and cards from decks, with or without replacement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.jit import Whole, inlined, kernel, step, tiered
from analyser.common.kernel_records import Int, Integers, empty_record, views
from analyser.common.method_settings import Progress
from analyser.engine.fight.program import Operation, Pair, Setup
from analyser.engine.fight.simulated import random_draw_graph as draws
from analyser.engine.fight.simulated.plan_lookup import NO_CHOICES, Choices
from analyser.engine.fight.simulated.random_draw_graph import Graph, Nodes, Program, RollTables
from analyser.engine.parallel import CHUNK_TRIALS, Chunks, Queue, run_chunks
from analyser.engine.pool.alias import draw_value
from analyser.engine.rng import counter_after, counter_of_chunk, next_word, stream_of, uniform_below
from analyser.game.ruleset import MOST_CARDS
from analyser.rules.draws import odds_of

# Up to FEW_TRIALS, an interpreted simulation spends most of its time on new nodes. It uses one thread, because each
# thread would extend its own graph, and the interpreter runs one thread at a time.
FEW_TRIALS = 10_000_000
ANSWERS_PER_CHECK = 2000  # new answers between checks for Ctrl-C
_NO_DECK, _ZERO, _ONE = np.uint64(draws.NO_DECK), np.uint64(0), np.uint64(1)
_WORD_BITS_PER_TRIAL = 16  # each trial has 1 << 16 random words
_MOST_LINES = 1 << 13
_MOST_LOGGED = 1 << 18

# Reasons why a kernel returns.
DONE, NO_NEXT, NO_ANSWERS, NO_TABLE, NO_ROOM, CHECK_INTERRUPT = range(6)

Snapshot = tuple[Integers, Integers, Integers]  # states of side 0 and of side 1, and number of trials of each pair


class Trials:
    """Trials of a chunk, each with its own random words: the current trial's position in the graph, and its decks."""

    node: Int  # current node
    part: Int  # number of parts of the program that have begun
    answer: Int  # result of the draw at the node
    counter: Annotated[Any, np.uint64]  # counter of the stream (:class:`~analyser.engine.rng.StreamPosition`)
    gamma: Annotated[Any, np.uint64]
    # Two decks: the first `left` cards are not drawn yet. `was_at` has the former index of each drawn card.
    deck: Annotated[Any, np.uint8, (2, MOST_CARDS)]
    was_at: Annotated[Any, np.uint16, (2, MOST_CARDS)]
    left: Annotated[Any, np.int64, (2,)]
    cards: Int  # number of cards in a full deck
    replacement: Int  # 1: each drawn card is put back at once
    root: Int  # first node of each trial
    begun: Int  # number of the chunk's trials that have begun
    until: Int  # number of the first trial that is not simulated
    start: Annotated[Any, np.uint64]  # the counter before the first word of the chunk
    is_logging: Int  # 1: draws are logged
    logged: Int  # number of logged draws
    log: Annotated[Any, np.int64, (_MOST_LOGGED, 2)]  # node and drawn value of each draw


@step
def begin_trial(trials: Trials) -> None:
    """Begin the next trial of the chunk, with two full decks."""
    trials.counter = counter_after(trials.start, trials.gamma, trials.begun << _WORD_BITS_PER_TRIAL)
    trials.node, trials.part = trials.root, 0
    trials.begun += 1
    for side in range(2):
        restore_deck(trials, side)


@step
def restore_deck(trials: Trials, side: Whole) -> None:
    """Put all drawn cards of a deck back at their former indices."""
    for place in range(trials.left[side], trials.cards):
        was = trials.was_at[side, place]
        trials.deck[side, was], trials.deck[side, place] = trials.deck[side, place], trials.deck[side, was]
    trials.left[side] = trials.cards


@inlined
def draw_card(trials: Trials, side: Whole) -> Any:
    """Draw a card from a deck, and restore the deck if it is then empty (AC-5.1)."""
    left = np.uint64(trials.left[side])
    place = np.uint64(uniform_below(trials, left))
    value = trials.deck[side, place]
    if not trials.replacement:
        last = left - _ONE
        trials.deck[side, place] = trials.deck[side, last]
        trials.deck[side, last], trials.was_at[side, last], trials.left[side] = value, place, last
        if last == _ZERO:
            restore_deck(trials, np.int64(side))
    return np.int64(value)


@kernel
def simulate(nodes: Nodes, rolls: RollTables, trials: Trials, part_numbers: Integers, counts: NDArray[np.int64]) -> int:
    """Simulate trials up to `until`; return early at a new answer (NO_NEXT) or a roll without a table (NO_ANSWERS)."""
    node: Whole = np.uint64(trials.node)
    part: Whole = trials.part
    value: Whole
    answer: Whole
    while True:
        special, side = nodes.draws[node, draws.SPECIAL], np.uint64(nodes.draws[node, draws.SIDE])
        if special == draws.NOTHING:
            if side == _NO_DECK:
                row, bits = np.uint64(nodes.draws[node, draws.ROW]), np.uint64(nodes.draws[node, draws.SHIFT])
                value = np.int64(draw_value(rolls.alias, row, bits, next_word(trials)))
                answer = value
            else:
                value = draw_card(trials, side)
                answer = np.int64(value <= nodes.draws[node, draws.BELOW])
        elif special == draws.PART:
            counts[nodes.draws[node, draws.BELOW], part] += 1
            if part == len(part_numbers):
                if trials.begun == trials.until:
                    return DONE
                begin_trial(trials)
                node, part = np.uint64(trials.root), 0
                continue
            value = part_numbers[part]
            answer = value
            part += 1
        elif special == draws.NO_ANSWERS:
            trials.node, trials.part = node, part
            return NO_ANSWERS
        elif special == draws.VALUE:
            value = draw_card(trials, side)
            answer = value
        else:
            value = np.int64(uniform_below(trials, special) < nodes.draws[node, draws.BELOW])
            answer = value
        if trials.is_logging:
            trials.log[trials.logged, 0], trials.log[trials.logged, 1] = node, value
            trials.logged += 1
        to = nodes.next[np.uint64(nodes.draws[node, draws.FIRST]) + np.uint64(answer)]
        if to == draws.UNKNOWN:
            trials.node, trials.part, trials.answer = node, part, answer
            return NO_NEXT
        node = np.uint64(to)


@tiered(6.0)
def play_trials(graph: Graph, trials: Trials, part_numbers: Integers, counts: NDArray[np.int64]) -> int:
    """Simulate trials; return early if Python must free memory, add a table or handle Ctrl-C (ANSWERS_PER_CHECK)."""
    nodes, rolls = graph.nodes, graph.rolls
    for _ in range(ANSWERS_PER_CHECK):
        reason = simulate(nodes, rolls, trials, part_numbers, counts)
        if reason == DONE:
            return reason
        if reason == NO_NEXT:
            trials.node = draws.next_node(graph, trials.node, trials.answer)
        else:
            roll = nodes.draws[trials.node, draws.NUMBER]
            if rolls.scores[roll] == 0:
                return NO_TABLE
            draws.connect_table(nodes, rolls, trials.node, roll)
        if not draws.has_room(nodes):
            return NO_ROOM
    return CHECK_INTERRUPT


class ThreadSimulator:
    """Simulator of chunks on one thread of a :class:`Simulation`; it counts the trials by pair of states."""

    def __init__(
        self,
        setup: Setup,
        programs: Sequence[Sequence[Operation]],
        die: Integers,
        deck: Integers,
        replacement: bool,
        choices: Choices,
    ) -> None:
        parts = list(dict.fromkeys(tuple(program) for program in programs))
        self._part_numbers = np.array([parts.index(tuple(program)) for program in programs])
        self._faces, cards = die / die.sum(), np.repeat(np.arange(len(deck)), deck)
        nodes: Any = empty_record(Nodes)
        self._graph = Graph(
            setup.copy(), _concatenate(parts), draws.empty_roll_tables(), nodes, choices, odds_of(die, deck)
        )
        self._trials: Any = empty_record(Trials)
        self._trials.cards, self._trials.replacement, self._trials.left[:] = len(cards), replacement, len(cards)
        self._trials.deck[:, : len(cards)] = cards
        self._counts = np.zeros((draws.NODES, len(programs) + 1), np.int64)
        self._viewed = views(self._graph), views(self._trials)

    def begin(self, start: Pair, seed: int) -> None:
        """Set the states at the start and the seed, and reset the counters, but not the graph."""
        self.counters: list[Counter[tuple[int, int]]] = [Counter() for _ in self._part_numbers]
        self._start, self._stream = (int(start[0]), int(start[1])), stream_of(seed)

    def play(self, chunk: int, first: int, until: int) -> None:
        """Simulate the trials `first` to `until` - 1 of a chunk."""
        trials = self._trials
        trials.start, trials.gamma = counter_of_chunk(*self._stream, chunk), self._stream.gamma
        with play_trials.interpreting():
            trials.root = draws.node_at(self._viewed[0], draws.END, self._start, 0)
        trials.begun, trials.until = first, until
        begin_trial(trials)
        needed = CHECK_INTERRUPT
        while needed != DONE:
            if play_trials.compiling_pays():
                needed = play_trials(self._graph, self._trials, self._part_numbers, self._counts)
            else:
                with play_trials.interpreting():
                    needed = play_trials(*self._viewed, self._part_numbers, self._counts)
            if needed == NO_TABLE:
                draws.add_tables(self._graph.rolls, self._faces)
            elif needed == NO_ROOM:
                self.collect()
                with play_trials.interpreting():
                    trials.node, trials.root = draws.keep_only(self._viewed[0], [trials.node, trials.root])

    def collect(self) -> None:
        """Add the counts of all ends to the counters, and clear the counts."""
        nodes = self._graph.nodes
        end_nodes = nodes.end_at[: nodes.ends]
        firsts, seconds = nodes.first[end_nodes], nodes.second[end_nodes]
        for counter, counts in zip(self.counters, self._counts[: len(end_nodes), 1:].T):
            (ends,) = np.nonzero(counts)
            for pair, count in zip(zip(firsts[ends].tolist(), seconds[ends].tolist()), counts[ends].tolist()):
                counter[pair] += count
        self._counts[: len(end_nodes)] = 0

    def trace_trial(self, number: int) -> list[int]:
        """Repeat one trial, and return the results of its draws (:meth:`Simulation.trace`)."""
        chunk, place = divmod(number, CHUNK_TRIALS)
        trials, nodes, rolls = self._trials, self._graph.nodes, self._graph.rolls
        trials.is_logging, trials.logged = 1, 0
        self.play(chunk, place, place + 1)
        trials.is_logging = 0
        result = []
        for node, value in trials.log[: trials.logged].tolist():
            special, side, roll = nodes.draws[node, [draws.SPECIAL, draws.SIDE, draws.NUMBER]].tolist()
            if special != draws.PART:
                is_roll = special == draws.NOTHING and side == draws.NO_DECK
                result.append(int(rolls.score[rolls.first[roll] + value]) if is_roll else value)
        return result


def _concatenate(parts: Sequence[Sequence[Operation]]) -> Program:
    ends = np.cumsum([len(part) for part in parts])
    if ends[-1] > _MOST_LINES:
        raise InputError(f"{ends[-1]} steps in one fight", where="rounds", allowed=f"up to {_MOST_LINES}; fewer rounds")
    operations = np.array([operation for part in parts for operation in part], np.int64).reshape(-1, 3)
    lengths = np.diff(ends, prepend=0)
    return Program(operations, np.repeat(ends, lengths), np.column_stack([ends - lengths, ends]))


class Simulation:
    """A fight to simulate repeatedly; with `replacement` each card is drawn from a full deck (AC-9.3)."""

    def __init__(
        self,
        setup: Setup,
        programs: Sequence[Sequence[Operation]],
        die: Integers,
        deck: Integers,
        replacement: bool = False,
        choices: Choices = NO_CHOICES,
    ) -> None:
        self._fight = setup, programs, die, deck, replacement, choices
        self._simulators: list[ThreadSimulator] = []

    def play(
        self, start: Pair, trials: int, seed: int, threads: int = 1, progress: Progress | None = None
    ) -> list[Snapshot]:
        """Return the pairs of states after each program, and the number of trials of each pair."""
        simulators = list[ThreadSimulator]()

        def work(queue: Queue) -> None:
            simulator = self._simulator(start, seed)
            for task in queue:
                for chunk in range(task.first, task.last):
                    simulator.play(chunk, 0, task.chunk_trials)
            simulator.collect()
            simulators.append(simulator)  # not reached after an interrupt, which leaves a trial unfinished

        if trials <= FEW_TRIALS and not play_trials.compiling_pays():
            threads = 1
        run_chunks(Chunks(trials), work, threads, progress and (lambda done: progress(done, trials)))
        self._simulators += simulators
        snapshots = []
        for counters in zip(*(simulator.counters for simulator in simulators)):
            counted = sorted((*pair, count) for pair, count in sum(counters, Counter()).items())
            first, second, counts = np.array(counted, np.int64).T.copy()
            snapshots.append((first, second, counts))
        return snapshots

    def trace(self, start: Pair, numbers: Iterable[int], seed: int) -> Iterator[list[int]]:
        """Yield the draws of single trials of :meth:`play`: scores, values of cards, or 1 for yes and 0 for no."""
        yield from map(self._simulator(start, seed).trace_trial, numbers)

    def _simulator(self, start: Pair, seed: int) -> ThreadSimulator:
        simulator = self._simulators.pop() if self._simulators else ThreadSimulator(*self._fight)
        simulator.begin(start, seed)
        return simulator
