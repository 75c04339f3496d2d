"""Exact distribution of a pool's score (AC-3.2 to 3.6). A *memory* packs numbers: final strikes and waiting dice."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyser.common.errors import InputError
from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Floats, Integers
from analyser.game.ruleset import Face
from analyser.rules.attack import Scores, WaitingDie, score_bound, score_of, scores_for, waiting_kind
from analyser.rules.structs import FightFacts

_FACES = len(Face)
_KINDS_WAITING = len(WaitingDie) - 1

# The result of a die is one integer: eight bits each for final strikes and for dice of each kind that wait for an extra
# re-roll, and above them the score. So the result of several dice is the sum of their results.
_FINAL_STRIKE, _WAITING_DIE, _SCORE = 1, 1 << 8, 32
_PART_BITS = 8
_PART = (1 << _PART_BITS) - 1
_SECONDS_PER_ADDITION = 4e-6  # in the interpreter
MOST_ADDITIONS = 1e9  # most additions for an exact distribution; they take some seconds
_MOST_OUTCOMES = 2 * _FACES * (2 * _FACES + 1)  # most results of a first-roll die with the dice that it adds


@step
def most_dice(fight: FightFacts, cards: Floats) -> int:
    """Return the largest number of first-roll dice, including the highest card of Overcharge (AC-6)."""
    return fight.dice + (len(cards) - 1 if fight.overcharge else 0)


@step
def packed_score(fight: FightFacts, scores: Scores, face: int) -> int:
    """Return the packed result of a die whose final face is `face` (AC-3.6)."""
    is_strike = fight.strike_faces >> face & 1
    return score_of(fight, scores, face) << _SCORE | (_FINAL_STRIKE if is_strike and fight.veteran else 0)


class Outcomes(NamedTuple):
    """Possible results and their probabilities; the number of used entries is stored separately."""

    values: Integers
    probabilities: Floats


@step
def empty_outcomes(room: int) -> Outcomes:
    """Return an empty list with space for `room` outcomes."""
    return Outcomes(np.zeros(room, np.int64), np.zeros(room))


@step
def add_outcome(outcomes: Outcomes, count: int, value: int, probability: float) -> int:
    """Add `probability` to `value` if it is among the first `count` values, else append both; return the new count."""
    if probability == 0.0:
        return count
    for place in range(count):
        if outcomes.values[place] == value:
            outcomes.probabilities[place] += probability
            return count
    outcomes.values[count] = value
    outcomes.probabilities[count] = probability
    return count + 1


@step
def fill_die_outcomes(fight: FightFacts, scores: Scores, faces: Floats, excluded: int, outcomes: Outcomes) -> int:
    """Fill in the outcomes of a die before extra re-rolls (AC-3.4), without `excluded` faces; return their number."""
    count = 0
    for face in range(_FACES):
        if excluded >> face & 1:
            continue
        waiting = waiting_kind(fight, face)
        if fight.reroll_faces >> face & 1:
            for again in range(_FACES):
                count = add_outcome(outcomes, count, packed_score(fight, scores, again), faces[face] * faces[again])
        elif waiting == WaitingDie.NONE:
            count = add_outcome(outcomes, count, packed_score(fight, scores, face), faces[face])
        else:
            count = add_outcome(outcomes, count, _WAITING_DIE << _PART_BITS * waiting, faces[face])
    return count


@step
def fill_first_die_outcomes(fight: FightFacts, scores: Scores, faces: Floats, outcomes: Outcomes) -> int:
    """Fill in the outcomes of a first-roll die with its added dice (AC-3.3; Arc of AC-6); return their number."""
    added = empty_outcomes(2 * _FACES)
    added_count = fill_die_outcomes(fight, scores, faces, 0, added)
    count = fill_die_outcomes(fight, scores, faces, fight.exploding_faces, outcomes)
    for face in range(_FACES):
        if not fight.exploding_faces >> face & 1:
            continue
        face_probability = faces[face]
        for first in range(added_count):
            value = packed_score(fight, scores, face) + added.values[first]
            probability = face_probability * added.probabilities[first]
            if fight.explosion == 1:
                count = add_outcome(outcomes, count, value, probability)
                continue
            for second in range(added_count):
                both = probability * added.probabilities[second]
                count = add_outcome(outcomes, count, value + added.values[second], both)
    return count


@step
def memory_sizes(fight: FightFacts, dice: int) -> Integers:
    """Return how many values each part of a memory can have: final strikes, then each kind of waiting dice."""
    sizes = np.ones(1 + _KINDS_WAITING, np.int64)
    sizes[0] = min(fight.veteran, dice * (1 + fight.explosion)) + 1
    for face in range(_FACES):
        waiting = waiting_kind(fight, face)
        if waiting != WaitingDie.NONE:
            sizes[1 + waiting] = fight.extra_dice + 1
    return sizes


def interpreted_seconds(fight: FightFacts, dice: int) -> float:
    """Return the interpreter's time for a pool of `dice` first-roll dice; InputError above :data:`MOST_ADDITIONS`."""
    scores = scores_for(fight, dice)
    memories = float(np.prod(memory_sizes(fight, dice), dtype=np.float64))
    additions = memories * (score_bound(fight, scores, dice) - scores.hit) * dice
    if additions > MOST_ADDITIONS:
        needed = f"{additions:.1g} operations, more than {MOST_ADDITIONS:.0g}"
        simulated = "" if fight.overcharge or fight.extra_dice else "; or the method monte-carlo"
        allowed = f"fewer dice, less Veteran or fewer extra re-rolls{simulated}"
        raise InputError(f"the exact distribution of this pool takes {needed}", where="attack.dice", allowed=allowed)
    return additions * _SECONDS_PER_ADDITION


@step
def unpack(memory: int, sizes: Integers, parts: Integers) -> None:
    """Split a memory into its parts; the last part changes fastest."""
    for part in range(len(sizes) - 1, -1, -1):
        parts[part] = memory % sizes[part]
        memory //= sizes[part]


@step
def add_to_memory(scores: Scores, parts: Integers, sizes: Integers, outcome: int) -> tuple[int, int]:
    """Return the score that `outcome` adds, and the new memory; waiting dice beyond its capacity are scored now."""
    score = outcome >> _SCORE
    strikes = parts[0] + (outcome & _PART)
    memory = 0
    for kind in range(_KINDS_WAITING):
        allowed = sizes[1 + kind] - 1
        waiting = parts[1 + kind] + (outcome >> (1 + kind) * _PART_BITS & _PART)
        excess = max(waiting - allowed, 0)
        memory = memory * sizes[1 + kind] + waiting - excess
        if kind == WaitingDie.STRIKE:
            score += excess * scores.strike
            strikes += excess
        elif kind == WaitingDie.BLANK:
            score += excess * scores.blank
    return score, min(strikes, sizes[0] - 1) * (sizes[1] * sizes[2] * sizes[3]) + memory


@step
def memory_moves(scores: Scores, outcomes: Outcomes, count: int, sizes: Integers) -> tuple[Integers, Integers]:
    """Return, by memory and outcome of a die, the score that the outcome adds, and the new memory."""
    shape = (sizes[0] * sizes[1] * sizes[2] * sizes[3], count)
    added, after = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    parts = np.zeros(len(sizes), np.int64)
    for memory in range(shape[0]):
        unpack(memory, sizes, parts)
        for place in range(count):
            added[memory, place], after[memory, place] = add_to_memory(scores, parts, sizes, outcomes.values[place])
    return added, after


@step
def add_die(pool: Floats, bound: int, moves: tuple[Integers, Integers], probabilities: Floats) -> Floats:
    """Return the distribution `pool`, shape (memories, scores), with one more die; scores so far are below `bound`."""
    result, (added, after) = np.zeros(pool.shape), moves
    for memory in range(pool.shape[0]):
        for place in range(added.shape[1]):
            probability, shift, new_memory = probabilities[place], added[memory, place], after[memory, place]
            for score in range(bound):
                result[new_memory, score + shift] += probability * pool[memory, score]
    return result


@step
def reroll_waiting(
    fight: FightFacts, scores: Scores, faces: Floats, parts: Integers, reached: Floats, pmf: Floats
) -> None:
    """Add to `pmf` the final scores of pools with the memory `parts`; `reached`: probabilities of the scores so far."""
    blanks = min(parts[1 + WaitingDie.BLANK], fight.extra_dice)  # extra re-rolls, worst dice first (AC-3.5)
    no_effect = min(parts[1 + WaitingDie.NO_EFFECT], fight.extra_dice - blanks)
    strikes = min(parts[1 + WaitingDie.STRIKE], fight.extra_dice - blanks - no_effect)
    rerolled, strikes_left = blanks + no_effect + strikes, parts[1 + WaitingDie.STRIKE] - strikes
    sizes = np.ones(1 + _KINDS_WAITING, np.int64)
    sizes[0] = fight.veteran + 1
    outcomes, count = empty_outcomes(_FACES), 0
    for face in range(_FACES):
        count = add_outcome(outcomes, count, packed_score(fight, scores, face), faces[face])
    moves = memory_moves(scores, outcomes, count, sizes)
    bound = len(reached)
    distribution = np.zeros((fight.veteran + 1, bound + rerolled * scores.heroic))
    strikes_before = min(parts[0] + strikes_left, fight.veteran)
    for score in range(bound):
        distribution[strikes_before, score] = reached[score]
    for _ in range(rerolled):
        distribution = add_die(distribution, bound, moves, outcomes.probabilities)
        bound += scores.heroic
    score_left = strikes_left * scores.strike + (parts[1 + WaitingDie.BLANK] - blanks) * scores.blank
    for turned in range(distribution.shape[0]):  # final strikes that become heroic strikes (Veteran, AC-7)
        score_added = score_left + turned * (scores.heroic - scores.strike)
        for score in range(bound):
            if distribution[turned, score] > 0.0:
                pmf[score + score_added] += distribution[turned, score]


@step
def pool_pmf(fight: FightFacts, scores: Scores, faces: Floats, cards: Floats) -> Floats:
    """Return the probability of each score of the pool of `fight`; `scores` may come from a pool with more dice."""
    dice = most_dice(fight, cards)
    outcomes = empty_outcomes(_MOST_OUTCOMES)
    count = fill_first_die_outcomes(fight, scores, faces, outcomes)
    sizes = memory_sizes(fight, dice)
    moves = memory_moves(scores, outcomes, count, sizes)
    most_per_die = (1 + fight.explosion) * scores.heroic  # highest score of one die with its added dice
    pool = np.zeros((len(moves[0]), dice * most_per_die + 1))
    pool[0, 0] = 1.0
    pool_over_cards = np.zeros(pool.shape)
    for dice_rolled in range(dice + 1):
        if dice_rolled >= fight.dice:
            share = cards[dice_rolled - fight.dice] if fight.overcharge else 1.0
            for memory in range(pool.shape[0]):
                for score in range(pool.shape[1]):
                    pool_over_cards[memory, score] += share * pool[memory, score]
        if dice_rolled < dice:
            pool = add_die(pool, dice_rolled * most_per_die + 1, moves, outcomes.probabilities)
    pmf, parts = np.zeros(score_bound(fight, scores, dice)), np.zeros(len(sizes), np.int64)
    for memory in range(pool_over_cards.shape[0]):
        total = 0.0
        for score in range(pool_over_cards.shape[1]):
            total += pool_over_cards[memory, score]
        if total > 0.0:
            unpack(memory, sizes, parts)
            reroll_waiting(fight, scores, faces, parts, pool_over_cards[memory], pmf)
    return pmf


pmf_of = tiered(2.0)(pool_pmf)
"""The function :func:`pool_pmf` as a kernel that Python calls."""
