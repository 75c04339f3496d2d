"""Replay of simulated trials of one attack: their scores and cards."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from analyser.common.kernel_records import Integers
from analyser.engine.attack.simulated import MOST_REDUCTION, SamplingPlan
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.engine.pool.kernel import block_for, draw_cards, roll_block
from analyser.engine.rng import counter_of_chunk, stream_of
from analyser.rules.structs import Officer, Test


class Trial(NamedTuple):
    """A simulated attack with its draws."""

    number: int  # index of the attack in the simulation, from 0
    score: int
    card: int | None  # value of the target's card, if a card decides the test
    officer_position: int | None  # position of the officer among the models, if it is drawn (AC-5.8)
    wrecks_building: bool | None  # result of the die for the building (Siegebreaker, AC-6)
    attacker_card: int | None  # value of the attacker's card, a number of additional dice (Overcharge, AC-6)


def replayed_trials(plan: SamplingPlan, deck: Integers, seed: int, trials: int, first: int = 0) -> Iterator[Trial]:
    """Yield the trials of a simulation of `trials` trials in order, from the index `first` on."""
    layout, rerolls, fight = plan.layout, plan.rerolls, plan.fight
    block, (start, gamma) = block_for(layout, rerolls), stream_of(seed)
    cards = np.repeat(np.arange(len(deck)), deck)
    groups = np.clip(cards - (fight.discipline - MOST_REDUCTION), 0, MOST_REDUCTION + 1)
    cards_of = [cards[groups == group].tolist() for group in range(MOST_REDUCTION + 2)]
    for chunk in range(first // CHUNK_TRIALS, -(-trials // CHUNK_TRIALS)):
        number = chunk * CHUNK_TRIALS
        block.trials_by_card[0] = min(CHUNK_TRIALS, trials - number)
        counter = counter_of_chunk(start, gamma, chunk)
        if fight.overcharge and rerolls is not None:
            counter = np.uint64(draw_cards(rerolls, block, int(block.trials_by_card[0]), counter, gamma))
        for value, end in enumerate((number + np.cumsum(block.trials_by_card)).tolist()):
            while number < end:
                counter = np.uint64(roll_block(layout, rerolls, block, plan.dice, value, counter, gamma))
                cells = block.cells[block.cells != layout.discarded][: end - number]
                for score, group, position, building in np.transpose(np.unravel_index(cells, plan.shape)).tolist():
                    if number >= first:
                        draws_card, draws_officer = fight.test == Test.BY_CARD, fight.officer == Officer.RANDOM
                        yield Trial(
                            number,
                            score,
                            card=Random(f"{seed} {number}").choice(cards_of[group]) if draws_card else None,
                            officer_position=position if draws_officer else None,
                            wrecks_building=building == 0 if plan.shape[3] > 1 else None,
                            attacker_card=value if fight.overcharge else None,
                        )
                    number += 1
