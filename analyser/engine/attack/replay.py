"""Replay of simulated trials of one attack: every die and every card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from analyser.common.kernel_records import Integers, python_copy
from analyser.engine.attack.simulated import SamplingPlan
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.engine.pool.kernel import BLOCK
from analyser.engine.pool.replay import DiceReader, Die, RolledBlock, WordReader, replay_block
from analyser.engine.rng import counter_of_chunk, stream_of
from analyser.rules.structs import Officer, Test


class Trial(NamedTuple):
    """A simulated attack with all its draws."""

    number: int  # index of the attack in the simulation, from 0
    dice: list[Die]
    card: int | None  # value of the target's card, if a card decides the test
    officer_position: int | None  # position of the officer among the models, if it is drawn (AC-5.8)
    building: int | None  # side of the die for the building; 0 is the best (Siegebreaker, AC-6)
    attacker_card: int | None  # value of the attacker's card, a number of additional dice (Overcharge, AC-6)


def replayed_trials(
    plan: SamplingPlan, die: Integers, deck: Integers, seed: int, trials: int, first: int = 0
) -> Iterator[Trial]:
    """Yield the trials of a simulation of `trials` trials in order, from the index `first` on.

    `die` and `deck` are sides by face and copies by card value.
    """
    fight = python_copy(plan.fight)
    reader = DiceReader(fight, die, plan.layout, plan.rerolls)
    cards = np.repeat(np.arange(len(deck)), deck)
    are_drawn = [fight.test == Test.BY_CARD, fight.officer == Officer.RANDOM, plan.shape[3] > 1]
    sides = [int(deck.sum()), fight.models, int(die.sum())]
    for number, dice, attacker_card, block, trial in _trial_positions(plan, seed, trials, first):
        results: list[int | None] = []
        row = 0
        for is_drawn, count in zip(are_drawn, sides):
            results.append(int(block.others[row, trial]) // (np.iinfo(np.uint16).max // count) if is_drawn else None)
            row += is_drawn
        card = None if results[0] is None else int(cards[results[0]])
        yield Trial(number, reader.dice_of(block, trial, dice), card, results[1], results[2], attacker_card)


def _trial_positions(
    plan: SamplingPlan, seed: int, trials: int, first: int
) -> Iterator[tuple[int, int, int | None, RolledBlock, int]]:
    """Yield each trial's number, number of first-roll dice, attacker's card, block, and index in the block."""
    stream = stream_of(seed)
    for chunk in range(first // CHUNK_TRIALS, -(-trials // CHUNK_TRIALS)):
        number = chunk * CHUNK_TRIALS
        of_chunk = min(CHUNK_TRIALS, trials - number)
        counter = counter_of_chunk(stream.start, stream.gamma, chunk)
        trials_by_card, counter = _trials_by_card(plan, of_chunk, counter, stream.gamma)
        for value, trials_of_card in enumerate(trials_by_card):
            dice = plan.dice + value
            always_added = 0 if plan.rerolls is None else int(plan.rerolls.always_added[value])
            left = int(trials_of_card)
            while left > 0:
                block = replay_block(plan.layout, plan.rerolls, dice, always_added, counter, stream.gamma)
                counter = block.counter
                for trial in np.flatnonzero(block.is_counted)[:left].tolist():
                    if number >= first:
                        yield number, dice, value if len(trials_by_card) > 1 else None, block, trial
                    number += 1
                    left -= 1


def _trials_by_card(plan: SamplingPlan, trials: int, counter: np.uint64, gamma: np.uint64) -> tuple[Any, np.uint64]:
    """Return a chunk's numbers of trials by the attacker's card (Overcharge), and the counter after these draws."""
    if plan.rerolls is None or len(plan.rerolls.card_bounds) < 3:
        return [trials], counter
    words, bounds = WordReader(counter, gamma), plan.rerolls.card_bounds
    trials_by_card = np.zeros(len(bounds) - 1, np.int64)
    while trials > 0:
        draws = words.draws(np.uint16, 1)[0][: min(trials, BLOCK)]
        result = np.searchsorted(bounds[1:], draws, side="right")
        counted = np.bincount(result[result < len(trials_by_card)], minlength=len(trials_by_card))
        trials_by_card += counted
        trials -= int(counted.sum())
    return trials_by_card, words.counter
