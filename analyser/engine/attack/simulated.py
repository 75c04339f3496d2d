"""Simulation of attacks: threads count the trials with each combination of draws; each combination has one outcome."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from threading import Lock
from typing import NamedTuple

import numpy as np

from analyser.common.errors import InputError
from analyser.common.jit import tiered
from analyser.common.kernel_records import Integers, python_copy
from analyser.common.method_settings import Progress
from analyser.engine.parallel import CHUNK_TRIALS, Chunks, Queue, run_chunks
from analyser.engine.pool.alias import score_table
from analyser.engine.pool.dice_layout import Layout, OtherDraw, layout_for
from analyser.engine.pool.kernel import Block, ScoreTable, block_for, roll_block, roll_chunks
from analyser.engine.pool.pmf import interpreted_seconds, pmf_of
from analyser.engine.rng import counter_of_chunk, stream_of
from analyser.game.ruleset import Face
from analyser.rules import discipline
from analyser.rules.attack import Scores, losses_of, score_bound, scores_for
from analyser.rules.discipline import ATTACKER_DAMAGE, ATTACKER_DESTROYED
from analyser.rules.draws import odds_of, success_counts, test_draw
from analyser.rules.structs import FightFacts, Officer, Test

MOST_CELLS = 4_000_000  # combinations of draws; each has a cell that counts its trials
# Most trials that a thread counts between two merges. This is half of what a 32-bit count holds, because discarded
# trials are counted too.
MOST_COUNTED = 1 << 31
_LEAST_PER_THREAD = 80  # another thread pays if its chunks times dice are at least this many
_INTERPRETED_SECONDS = 1e-5  # time of the interpreter for one combination of draws
_MOST_REDUCTION = 2  # heavy losses and disorder reduce the DISCIPLINE by 1 each (AC-5.2, AC-5.3)


@dataclass(frozen=True)
class SamplingPlan:
    """Everything that the simulation of an attack needs except the number of trials and the seed."""

    fight: FightFacts
    dice: int  # number of dice of the first roll
    scores: Scores
    layout: Layout
    table: ScoreTable | None
    shape: tuple[int, int, int, int]  # numbers of possible scores, card groups, officer positions and building results
    blocks: list[Block] = field(default_factory=list, init=False)  # blocks that no thread is using

    @cached_property
    def outcomes(self) -> tuple[Integers, Integers]:
        """Distinct outcomes, sorted, and the index of each cell's outcome among them (without the building die)."""
        outcomes = np.empty(math.prod(self.shape[:3]), np.int64)
        fill_cell_outcomes.compile_for(len(outcomes) * _INTERPRETED_SECONDS)
        fill_cell_outcomes(self.fight, self.scores, self.shape[1], self.shape[2], outcomes)
        return np.unique(outcomes, return_inverse=True)


def plan_for(fight: FightFacts, die: Integers, deck: Integers, *, for_building: bool) -> SamplingPlan:
    """Return the plan for simulating a fight; InputError if it has too many combinations of draws to count."""
    facts = python_copy(fight)
    dice = facts.dice + (len(deck) - 1 if facts.overcharge else 0)
    card = _card_draw(facts, die, deck)
    position = OtherDraw(facts.models, tuple(range(1, facts.models))) if facts.officer == Officer.RANDOM else None
    wrecking_sides = int(die[Face.HEROIC] + die[Face.STRIKE])
    building = OtherDraw(int(die.sum()), (wrecking_sides,)) if for_building else None
    scores, rolls_dice = scores_for(facts, dice), not facts.overcharge and not facts.extra_dice
    cards, positions, results = (len(draw.bounds) + 1 if draw else 1 for draw in (card, position, building))
    shape = score_bound(facts, scores, dice), cards, positions, results
    if math.prod(shape) > MOST_CELLS:
        problem = f"this attack has {math.prod(shape)} combinations of draws to count"
        raise InputError(problem, where="attack.dice", allowed=f"up to {MOST_CELLS}; take fewer dice")
    others = tuple(draw for draw in (card, position, building) if draw)
    layout = layout_for(facts, scores, die, others, dice, rolls_dice=rolls_dice)
    table = None
    if not rolls_dice:
        pmf_of.compile_for(interpreted_seconds(facts, dice))
        numbers, alias = score_table(pmf_of(fight, scores, die / die.sum(), deck / deck.sum()))
        cells = (numbers * math.prod(shape[1:])).astype(type(layout.limit))
        table = ScoreTable(alias, np.uint64(len(alias).bit_length() - 1), cells)
    return SamplingPlan(fight, facts.dice, scores, layout, table, shape)


def _card_draw(fight: FightFacts, die: Integers, deck: Integers) -> OtherDraw | None:
    """Return the draw of the target's card (AC-5.1).

    Values that have the same effect in every test form one group: up to DISCIPLINE - 2, DISCIPLINE - 1, DISCIPLINE, and
    all above. The draw yields a group.
    """
    if fight.test != Test.BY_CARD:
        return None
    odds, values = odds_of(die, deck), range(fight.discipline - _MOST_REDUCTION, fight.discipline + 1)
    bounds, draws = zip(*(success_counts(test_draw(1), value, odds) for value in values))
    return OtherDraw(int(draws[0]), tuple(map(int, bounds)))


class Sample:
    """Simulation of a fight; `counts` (shape `plan.shape`) has the number of trials with each combination of draws."""

    def __init__(self, plan: SamplingPlan, seed: int) -> None:
        self.plan, self.seed, self.stream = plan, seed, stream_of(seed)
        self.trials = 0
        self.counts: Integers = np.zeros(plan.shape, np.int64)
        self._lock = Lock()

    def play_to(self, trials: int, threads: int = 1, progress: Progress | None = None) -> None:
        """Simulate until there are `trials` trials in all; the trials so far must be whole chunks."""
        assert self.trials % CHUNK_TRIALS == 0, "the trials so far are whole chunks"
        before, least = self.trials, -(-_LEAST_PER_THREAD // (1 + self.plan.dice))
        chunks = Chunks(trials - before, first=before // CHUNK_TRIALS, least_per_thread=least)
        run_chunks(chunks, self._work, threads, progress and (lambda done: progress(before + done, trials)))
        self.trials = trials

    def _work(self, queue: Queue) -> None:
        plan, counted = self.plan, 0
        try:
            block = plan.blocks.pop()
        except IndexError:
            block = block_for(plan.layout)
        for task in queue:
            if counted + task.trials > MOST_COUNTED:
                self._merge(block)
                counted = 0
            roll_chunks(plan.layout, plan.table, block, plan.dice, task, self.stream)
            counted += task.trials
        self._merge(block)
        plan.blocks.append(block)

    def _merge(self, block: Block) -> None:
        """Add the tables of a block to the counts, and clear the tables."""
        with self._lock:
            self.counts += block.tables.sum(axis=0, dtype=np.int64)[:-1].reshape(self.counts.shape)
        block.tables[:] = 0


@tiered(0.5)
def fill_cell_outcomes(fight: FightFacts, scores: Scores, cards: int, positions: int, outcomes: Integers) -> None:
    """Fill `outcomes` with the outcome of each score, card and officer's position (the position changes fastest)."""
    for cell in range(len(outcomes)):
        score, card, position = cell // positions // cards, cell // positions % cards, cell % positions
        destroyed, damage, own_destroyed, own_damage = losses_of(fight, scores, score)
        is_officer_lost = position < discipline.officer_positions_lost(fight, destroyed)
        disordered = discipline.disordered_at_test(fight, is_officer_lost)
        value = fight.discipline - _MOST_REDUCTION + card
        if value > discipline.highest_passing_card(fight, destroyed, disordered):
            outcome = discipline.outcome_if_failed(fight, destroyed, damage, disordered)
        else:
            outcome = discipline.outcome_if_passed(fight, destroyed, damage, disordered)
        outcomes[cell] = outcome | own_destroyed << ATTACKER_DESTROYED | own_damage << ATTACKER_DAMAGE


def outcomes_of(plan: SamplingPlan, counts: Integers) -> tuple[Integers, Integers]:
    """Return the distinct packed outcomes that occurred, sorted, and the number of trials of each."""
    distinct, which = plan.outcomes
    weights = np.zeros(len(distinct), np.int64)
    np.add.at(weights, which, counts.sum(axis=3).ravel())
    occurred = weights > 0
    return distinct[occurred], weights[occurred]


class Trial(NamedTuple):
    """A simulated attack with its draws."""

    number: int  # index of the attack in the simulation, from 0
    score: int
    card: int | None  # value of the target's card, if a card decides the test
    officer_position: int | None  # position of the officer among the models, if it is drawn (AC-5.8)
    wrecks_building: bool | None  # result of the die for the building (Siegebreaker, AC-6)


def replayed_trials(plan: SamplingPlan, deck: Integers, seed: int, trials: int, first: int = 0) -> Iterator[Trial]:
    """Yield the trials of a simulation of `trials` trials in order, from the index `first` on."""
    fight, block, (start, gamma) = plan.fight, block_for(plan.layout), stream_of(seed)
    draws_card, draws_officer = fight.test == Test.BY_CARD, fight.officer == Officer.RANDOM
    cards = np.repeat(np.arange(len(deck)), deck)
    groups = np.clip(cards - (fight.discipline - _MOST_REDUCTION), 0, _MOST_REDUCTION + 1)
    cards_of = [cards[groups == group].tolist() for group in range(_MOST_REDUCTION + 2)]
    for chunk in range(first // CHUNK_TRIALS, -(-trials // CHUNK_TRIALS)):
        counter = counter_of_chunk(start, gamma, chunk)
        number, end = chunk * CHUNK_TRIALS, min((chunk + 1) * CHUNK_TRIALS, trials)
        while number < end:
            counter = np.uint64(roll_block(plan.layout, plan.table, block, plan.dice, counter, gamma))
            cells = block.cells[block.cells != plan.layout.discarded][: end - number]
            for score, group, position, building in np.transpose(np.unravel_index(cells, plan.shape)).tolist():
                if number >= first:  # the simulation draws groups of cards; the card is chosen from its group
                    yield Trial(
                        number,
                        score,
                        card=Random(f"{seed} {number}").choice(cards_of[group]) if draws_card else None,
                        officer_position=position if draws_officer else None,
                        wrecks_building=building == 0 if plan.shape[3] > 1 else None,
                    )
                number += 1
