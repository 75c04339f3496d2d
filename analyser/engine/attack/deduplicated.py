"""Exact summaries of a batch of attacks; equal fights are computed once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.attack.exact import OUTCOMES_PER_SCORE, push_pmf
from analyser.engine.attack.summaries import SUMMARY, mean_damage, same_pool, summarise
from analyser.engine.pool.pmf import empty_outcomes, most_dice, pool_pmf
from analyser.rules.attack import scores_for, set_fight
from analyser.rules.draws import DrawOdds, odds_of
from analyser.rules.structs import FIGHT, FightFacts, Test

_POOL_FIELDS = (
    *("dice", "reroll_faces", "extra_faces", "extra_dice", "explosion", "veteran", "overcharge"),
    *("exploding_faces", "heroic_faces", "strike_faces", "blank_faces", "heroic_hits", "strike_hits"),
)
"""Fields that determine the pool of a fight."""
_EMPTY = -1
_FACTOR = 0x9E3779B1  # odd, near 2**32 over the golden ratio: multiplying by it spreads close numbers
_WORD_MASK = 0xFFFFFFFF
_LEAST_CAPACITY = 1 << 10


class DeduplicatedSummaries(NamedTuple):
    """Summaries of many attacks on many targets; equal fights share a record.

    `summaries` has one record for each distinct fight. `which`, shape (attacks, targets), has the index of each fight's
    record, or -1 if the attack is impossible.
    """

    which: NDArray[np.int32]
    summaries: NDArray[np.void]


@step
def clear_irrelevant_fields(fight: FightFacts) -> None:
    """Set fields to 0 if the summary does not depend on them, so that more fights are equal."""
    if not fight.overcharge:
        fight.attacker_models = fight.attacker_damage = fight.attacker_damage_limit = 0
    if not fight.cryo:
        fight.activated = 0
    if fight.test in (Test.NOT_TAKEN, Test.PASSED):
        fight.models_without_room = 0


@step
def find_slot(slots: NDArray[np.int32], words: Integers, new: int) -> int:
    """Return the slot of an earlier row of `words` equal to the row `new`, else an empty slot; open addressing."""
    mixed = 0
    for word in words[new]:
        mixed = (mixed ^ (word & _WORD_MASK)) * _FACTOR & _WORD_MASK
        mixed ^= mixed >> 15
    last = len(slots) - 1  # the number of slots is a power of 2
    slot = mixed & last
    while slots[slot] != _EMPTY:
        is_equal, old = True, slots[slot]
        for place in range(words.shape[1]):
            if words[old, place] != words[new, place]:
                is_equal = False
                break
        if is_equal:
            break
        slot = (slot + 1) & last
    return slot


@kernel
def index_fights(
    attacks: NDArray[np.void],
    first: int,
    targets: NDArray[np.void],
    possible: NDArray[np.bool_],
    slots: NDArray[np.int32],
    fights: NDArray[np.void],
    words: Integers,
    count: int,
    which: NDArray[np.int32],
) -> tuple[int, int]:
    """Fill `which` for the attacks from `first` on; return the next attack to process, and the number of fights.

    `possible` has shape (attacks, categories of targets). `words` is the memory of `fights` as rows of integers.
    `slots` is a hash table; its size is a power of 2, at least twice the capacity of `fights`. An attack is processed
    only if `fights` has space for a new fight with each target.
    """
    for attack in range(first, len(attacks)):
        if count + len(targets) > len(fights) - 1:
            return attack, count
        for target in range(len(targets)):
            which[attack, target] = _EMPTY
            if not possible[attack, targets[target].category]:
                continue
            set_fight(attacks[attack], targets[target], fights[count])
            clear_irrelevant_fields(fights[count])
            slot = find_slot(slots, words, count)
            if slots[slot] == _EMPTY:
                slots[slot] = count
                count += 1
            which[attack, target] = slots[slot]
    return len(attacks), count


@kernel
def rehash(slots: NDArray[np.int32], words: Integers, count: int) -> None:
    """Insert the first `count` rows of `words`, which are distinct, into an empty hash table."""
    for place in range(count):
        slots[find_slot(slots, words, place)] = place


@kernel
def summaries_of(
    fights: NDArray[np.void], order: Integers, faces: Floats, cards: Floats, odds: DrawOdds, summaries: NDArray[np.void]
) -> None:
    """Fill `summaries`, one record for each fight; in `order`, fights with the same pool are adjacent."""
    most_models = 0
    for place in range(len(fights)):
        most_models = max(most_models, fights[place].models)
    destroyed = np.zeros(most_models + 1)
    if not len(fights):
        return
    latest = fights[order[0]]
    scores = scores_for(latest, most_dice(latest, cards))
    pmf = pool_pmf(latest, scores, faces, cards)
    outcomes = empty_outcomes(OUTCOMES_PER_SCORE * len(pmf))
    for place in order:
        fight = fights[place]
        if not same_pool(latest, fight, cards):
            latest = fight
            scores = scores_for(latest, most_dice(latest, cards))
            pmf = pool_pmf(latest, scores, faces, cards)
            outcomes = empty_outcomes(OUTCOMES_PER_SCORE * len(pmf))
        count = push_pmf(fight, scores, pmf, odds, outcomes)
        summarise(fight, outcomes, count, destroyed, summaries[place : place + 1])
        summaries[place].mean_damage = mean_damage(fight, scores, pmf)


def deduplicated_summaries(
    attacks: NDArray[np.void], targets: NDArray[np.void], possible: NDArray[np.bool_], die: Integers, deck: Integers
) -> DeduplicatedSummaries:
    """Return exact summaries of every attack on every target; each distinct fight is computed once.

    `attacks` and `targets` have the types ATTACK and TARGET; `possible`: shape (attacks, categories of targets). `die`
    and `deck` are sides by face and copies by card value. The summaries equal those of
    :func:`~.summaries.summary_table` bit by bit.
    """
    attacks, targets = np.ascontiguousarray(attacks), np.ascontiguousarray(targets)
    possible = np.ascontiguousarray(possible)
    which = np.full((len(attacks), len(targets)), _EMPTY, np.int32)
    capacity = max(2 * (len(targets) + 1), _LEAST_CAPACITY)
    fights, slots = _fights(capacity), _slots(capacity)
    done = count = 0
    while done < len(attacks):
        done, count = index_fights(attacks, done, targets, possible, slots, fights, _words(fights), count, which)
        if done < len(attacks):
            fights, slots = _grow(fights, count)
    probabilities = die / die.sum(), deck / deck.sum(), odds_of(die, deck)
    summaries = np.full(count, np.nan, np.float64).astype(SUMMARY)
    order = np.lexsort([fights[name][:count] for name in _POOL_FIELDS])
    summaries_of(fights[:count], order, *probabilities, summaries)
    return DeduplicatedSummaries(which, summaries)


def _fights(capacity: int) -> NDArray[np.void]:
    return np.zeros(capacity, FIGHT)


def _slots(capacity: int) -> NDArray[np.int32]:
    return np.full(1 << (2 * capacity - 1).bit_length(), _EMPTY, np.int32)


def _grow(fights: NDArray[np.void], count: int) -> tuple[NDArray[np.void], NDArray[np.int32]]:
    """Return the first `count` fights in an array of twice the size, and their hash table."""
    larger = _fights(2 * len(fights))
    larger[:count] = fights[:count]
    slots = _slots(len(larger))
    rehash(slots, _words(larger), count)
    return larger, slots


def _words(fights: NDArray[np.void]) -> Integers:
    """Return a view of the fights' memory as rows of integers."""
    return fights.view(np.int64).reshape(len(fights), -1)
