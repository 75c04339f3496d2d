"""Exact summaries (means, probabilities, percentiles) of many attacks on many targets; equal fights share a summary."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE
from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.attack.exact import OUTCOMES_PER_SCORE, push_pmf
from analyser.engine.parallel import Chunks, Queue, run_chunks
from analyser.engine.pool.pmf import Outcomes, empty_outcomes, most_dice, pool_pmf
from analyser.engine.state_index import mix_in
from analyser.rules.attack import Scores, losses_of, scores_for, set_fight
from analyser.rules.discipline import ACTIVATED, ANNIHILATED, BROKEN, DAMAGE, FLED, MODELS_DESTROYED, SUPPRESSED
from analyser.rules.draws import DrawOdds, odds_of
from analyser.rules.structs import FIGHT, FightFacts, Test
from analyser.rules.unit_state import MODELS_MASK

STATUSES = ("suppressed", "activated", "broken", "fled", "annihilated")
"""States of the target whose probabilities are in a summary."""
SUMMARY_FIELDS = (
    *("mean_models_destroyed", "p_any_destroyed", "p_half_destroyed"),
    *(f"p_{name}" for name in STATUSES),
    *("models_destroyed_10th_percentile", "models_destroyed_90th_percentile", "mean_damage", "mean_share_lost"),
)
AT_MOST_ONE = tuple(name for name in SUMMARY_FIELDS if name.startswith("p_") or name == "mean_share_lost")
"""Fields that are at most 1; rounding errors may raise the computed sums above 1."""
SUMMARY = np.dtype((np.record, [(name, np.float64) for name in SUMMARY_FIELDS]))
"""Type of an attack's summary, which is all NaN if the attack is impossible."""
ROUNDING = 1e-12  # rounding error of a sum of probabilities
_POOL_FIELDS = (  # fields that determine the distribution of a pool's score
    *("dice", "reroll_faces", "extra_faces", "extra_dice", "explosion", "veteran", "overcharge"),
    *("exploding_faces", "heroic_faces", "strike_faces", "blank_faces", "heroic_hits", "strike_hits"),
)
_SECONDS_PER_PAIR, _SECONDS_PER_FIGHT = 5e-5, 1e-3  # in the interpreter
_FIGHTS_PER_CHUNK = 256


@step
def percentile(pmf: Floats, share: float) -> float:
    """Return the percentile of a distribution: the smallest v with P(value <= v) >= `share`."""
    total = 0.0
    for value in range(len(pmf)):
        total += pmf[value]
        if total >= share - ROUNDING:
            return float(value)
    return float(len(pmf) - 1)


@step
def summarise(fight: FightFacts, outcomes: Outcomes, count: int, destroyed: Floats, summary: NDArray[np.void]) -> None:
    """Fill `summary`, an array of one record, from `count` outcomes; `destroyed` is scratch memory (AC-3.8)."""
    figures, models, whole = summary[0], fight.models, fight.models * fight.damage_limit
    mean_share_lost = 0.0
    destroyed[: models + 1] = 0.0
    figures.p_suppressed = figures.p_activated = figures.p_broken = figures.p_fled = figures.p_annihilated = 0.0
    for place in range(count):
        outcome, probability = outcomes.values[place], outcomes.probabilities[place]
        lost = outcome >> MODELS_DESTROYED & MODELS_MASK
        destroyed[lost] += probability
        suffered = whole if outcome & ANNIHILATED else lost * fight.damage_limit + (outcome >> DAMAGE & MODELS_MASK)
        mean_share_lost += probability * suffered / whole
        figures.p_suppressed += probability if outcome & SUPPRESSED else 0.0
        figures.p_activated += probability if outcome & ACTIVATED else 0.0
        figures.p_broken += probability if outcome & BROKEN else 0.0
        figures.p_fled += probability if outcome & FLED else 0.0
        figures.p_annihilated += probability if outcome & ANNIHILATED else 0.0
    figures.mean_share_lost = mean_share_lost
    figures.mean_models_destroyed = 0.0
    figures.p_any_destroyed = figures.p_half_destroyed = 0.0
    for lost in range(1, models + 1):
        figures.mean_models_destroyed += lost * destroyed[lost]
        figures.p_any_destroyed += destroyed[lost]
        figures.p_half_destroyed += destroyed[lost] if 2 * lost >= models else 0.0
    figures.models_destroyed_10th_percentile = percentile(destroyed[: models + 1], LOW_PERCENTILE)
    figures.models_destroyed_90th_percentile = percentile(destroyed[: models + 1], HIGH_PERCENTILE)


@step
def mean_damage(fight: FightFacts, scores: Scores, pmf: Floats) -> float:
    """Return the mean damage suffered; a destroyed model counts as its whole DAMAGE LIMIT (AC-3.8)."""
    total = 0.0
    for score in range(len(pmf)):
        destroyed, damage, _, _ = losses_of(fight, scores, score)
        total += pmf[score] * (destroyed * fight.damage_limit + damage - fight.damage)
    return total


@step
def find_slot(slots: NDArray[np.int32], words: Integers, new: int) -> int:
    """Return the slot of the earlier row of `words` that equals the row `new`, or an empty slot (open addressing)."""
    mixed = 0
    for word in words[new]:
        mixed = mix_in(mixed, word)
    last = len(slots) - 1  # the number of slots is a power of 2
    slot = mixed & last
    while slots[slot] != 0:
        old, place = slots[slot] - 1, 0
        while place < words.shape[1] and words[old, place] == words[new, place]:
            place += 1
        if place == words.shape[1]:
            break
        slot = (slot + 1) & last
    return slot


@tiered(1.5)
def index_fights(
    attacks: NDArray[np.void],
    targets: NDArray[np.void],
    possible: NDArray[np.bool_],
    slots: NDArray[np.int32],
    fights: NDArray[np.void],
    words: Integers,
    which: NDArray[np.int32],
) -> int:
    """Fill `fights` (as integers: `words`) with distinct fights and `which` with their indices; return their number."""
    count = 0
    for attack in range(len(attacks)):
        for target in range(len(targets)):
            if not possible[attack, target]:
                continue
            fight = fights[count]
            set_fight(attacks[attack], targets[target], fight)
            # Fields on which the summary does not depend are set to 0, so that more fights are equal.
            if not fight.overcharge:
                fight.attacker_models = fight.attacker_damage = fight.attacker_damage_limit = 0
            if not fight.cryo:
                fight.activated = 0
            if fight.test in (Test.NOT_TAKEN, Test.PASSED):
                fight.models_without_room = 0
            slot = find_slot(slots, words, count)
            if slots[slot] == 0:
                count += 1
                slots[slot] = count
            which[attack, target] = slots[slot] - 1
    return count


@tiered(3.0)
def fill_summaries(
    fights: NDArray[np.void],
    order: Integers,
    is_new_pool: NDArray[np.bool_],
    faces: Floats,
    cards: Floats,
    odds: DrawOdds,
    summaries: NDArray[np.void],
) -> None:
    """Fill the summaries of the fights in `order`; `is_new_pool` is False if the previous fight has the same pool."""
    most_models = 0
    for place in order:
        most_models = max(most_models, fights[place].models)
    destroyed = np.zeros(most_models + 1)
    for turn in range(len(order)):
        place = order[turn]
        fight = fights[place]
        if turn == 0 or is_new_pool[turn]:
            scores = scores_for(fight, most_dice(fight, cards))
            pmf = pool_pmf(fight, scores, faces, cards)
            outcomes = empty_outcomes(OUTCOMES_PER_SCORE * len(pmf))
        count = push_pmf(fight, scores, pmf, odds, outcomes)
        summarise(fight, outcomes, count, destroyed, summaries[place : place + 1])
        summaries[place].mean_damage = mean_damage(fight, scores, pmf)


class DistinctSummaries(NamedTuple):
    """Summaries of many attacks on many targets; equal fights share a record."""

    which: NDArray[np.int32]  # (attacks, targets): index of a record, or -1 for an impossible attack
    summaries: NDArray[np.void]  # the last record is all NaN

    @property
    def table(self) -> NDArray[np.void]:
        """Summaries by attack and target; NaN for an impossible attack."""
        return self.summaries[self.which]


def distinct_summaries(
    attacks: NDArray[np.void],
    targets: NDArray[np.void],
    possible: NDArray[np.bool_],
    die: Integers,
    deck: Integers,
    *,
    threads: int = 1,
) -> DistinctSummaries:
    """Return exact summaries of every attack on every target, if `possible`; each distinct fight is computed once."""
    # Contiguous, because the kernels would be compiled again for strided arrays.
    attacks, targets = np.ascontiguousarray(attacks), np.ascontiguousarray(targets)
    possible = np.ascontiguousarray(possible)
    capacity = int(possible.sum()) + 1
    fights = np.zeros(capacity, FIGHT)  # the operating system allocates the memory on first use
    slots = np.zeros(1 << (2 * capacity - 1).bit_length(), np.int32)
    which = np.full((len(attacks), len(targets)), -1, np.int32)
    words = fights.view(np.int64).reshape(capacity, -1)
    index_fights.compile_for(capacity * _SECONDS_PER_PAIR)
    count = index_fights(attacks, targets, possible, slots, fights, words, which)
    keys = np.array([fights[name][:count] for name in _POOL_FIELDS])
    order = np.lexsort(keys)
    is_new_pool = np.any(np.diff(keys[:, order], prepend=-1), axis=0)
    probabilities = die / die.sum(), deck / deck.sum(), odds_of(die, deck)
    summaries = np.full(count + 1, np.nan, np.float64).astype(SUMMARY)

    fill_summaries.compile_for(count * _SECONDS_PER_FIGHT)

    def fill(queue: Queue) -> None:
        for task in queue:
            part = slice(task.first * _FIGHTS_PER_CHUNK, task.first * _FIGHTS_PER_CHUNK + task.trials)
            fill_summaries(fights, order[part], is_new_pool[part], *probabilities, summaries)

    run_chunks(Chunks(count, size=_FIGHTS_PER_CHUNK), fill, threads)
    for name in AT_MOST_ONE:
        summaries[name] = np.minimum(summaries[name], 1.0)
    return DistinctSummaries(which, summaries)
