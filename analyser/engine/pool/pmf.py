"""Exact probability mass function of the score of an attack pool (AC-3.2 to AC-3.6).

The dice of a pool are independent, so the distribution of their sum is a convolution power: dice are added one at a
time. The state of a pool is its score and a small number, the *memory*. The memory counts final strikes that Veteran
may turn, and dice that wait for an extra re-roll. Nothing is truncated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.records import Floats, Integers
from analyser.game.ruleset import Face
from analyser.rules.attack import Scores, WaitingDie, score_bound, score_of, scores_for, waiting_kind
from analyser.rules.structs import FightFacts

_FACES = len(Face)
_KINDS_WAITING = len(WaitingDie) - 1

# The result of a die is one integer: final strikes and waiting dice of each kind in eight bits each, the score above.
# So the result of several dice is a sum.
_FINAL_STRIKE, _WAITING_DIE, _SCORE = 1, 1 << 8, 32
_PART_BITS = 8
_PART = (1 << _PART_BITS) - 1
_MOST_OUTCOMES = 2 * _FACES * (2 * _FACES + 1)  # outcomes of a first die and the dice added by it


@step
def most_dice(fight: FightFacts, cards: Floats) -> int:
    """Return the largest number of dice of the first roll, with the dice of the highest card (Overcharge, AC-6)."""
    return fight.dice + (len(cards) - 1 if fight.overcharge else 0)


@step
def worth(fight: FightFacts, scores: Scores, face: int) -> int:
    """Return the packed score of a die that stays at `face` (AC-3.6)."""
    is_strike = fight.strike_faces >> face & 1
    return score_of(fight, scores, face) << _SCORE | (_FINAL_STRIKE if is_strike and fight.veteran else 0)


class Outcomes(NamedTuple):
    """Possible results of some dice and their probabilities; a separate count is the number of used entries."""

    values: Integers
    probabilities: Floats


@step
def no_outcomes(room: int) -> Outcomes:
    """Return space for `room` outcomes."""
    return Outcomes(np.zeros(room, np.int64), np.zeros(room))


@step
def add_outcome(outcomes: Outcomes, count: int, value: int, probability: float) -> int:
    """Add `probability` to a value among the first `count`, or append it; return the new count."""
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
def settled_die(fight: FightFacts, scores: Scores, faces: Floats, without: int, outcomes: Outcomes) -> int:
    """Fill in the outcomes of one die after re-rolls by rating and before extra re-rolls (AC-3.4); return their number.

    Dice that first show a face in the mask `without` are left out, such as first dice that explode.
    """
    count = 0
    for face in range(_FACES):
        if without >> face & 1:
            continue
        waiting = waiting_kind(fight, face)
        if fight.reroll_faces >> face & 1:
            for again in range(_FACES):
                count = add_outcome(outcomes, count, worth(fight, scores, again), faces[face] * faces[again])
        elif waiting == WaitingDie.NONE:
            count = add_outcome(outcomes, count, worth(fight, scores, face), faces[face])
        else:
            count = add_outcome(outcomes, count, _WAITING_DIE << _PART_BITS * waiting, faces[face])
    return count


@step
def first_die(fight: FightFacts, scores: Scores, faces: Floats, outcomes: Outcomes) -> int:
    """Fill in the outcomes of a die of the first roll and its added dice (AC-3.3; Arc of AC-6); return their number."""
    added = no_outcomes(2 * _FACES)
    n_added = settled_die(fight, scores, faces, 0, added)
    count = settled_die(fight, scores, faces, fight.exploding_faces, outcomes)
    for face in range(_FACES):
        if not fight.exploding_faces >> face & 1:
            continue
        shown = faces[face]
        for one in range(n_added):
            value, both = worth(fight, scores, face) + added.values[one], shown * added.probabilities[one]
            if fight.explosion == 1:
                count = add_outcome(outcomes, count, value, both)
                continue
            for two in range(n_added):
                count = add_outcome(outcomes, count, value + added.values[two], both * added.probabilities[two])
    return count


@step
def memory_sizes(fight: FightFacts, dice: int) -> Integers:
    """Return the number of values of each part of the memory: final strikes, and the three kinds of waiting dice."""
    sizes = np.ones(1 + _KINDS_WAITING, np.int64)
    sizes[0] = min(fight.veteran, dice * (1 + fight.explosion)) + 1
    for face in range(_FACES):
        waiting = waiting_kind(fight, face)
        if waiting != WaitingDie.NONE:
            sizes[1 + waiting] = fight.extra_dice + 1
    return sizes


def steps_of(fight: FightFacts, dice: int) -> float:
    """Return the approximate number of additions for the distribution of a pool: dice times scores times memories."""
    scores = scores_for(fight, dice)
    memories = float(np.prod(memory_sizes(fight, dice), dtype=np.float64))
    return memories * (score_bound(fight, scores, dice) - scores.hit) * dice


@step
def unpack(memory: int, sizes: Integers, parts: Integers) -> None:
    """Split a memory into its parts (last part fastest)."""
    for part in range(len(sizes) - 1, -1, -1):
        parts[part] = memory % sizes[part]
        memory //= sizes[part]


@step
def move(scores: Scores, parts: Integers, sizes: Integers, outcome: int) -> tuple[int, int]:
    """Return the score that `outcome` adds to a pool with this memory, and the new memory.

    Strikes beyond the number that Veteran can turn are not counted. Waiting dice beyond the allowance of extra re-rolls
    count as they lie: all dice of a kind score equally.
    """
    score = outcome >> _SCORE
    strikes = parts[0] + (outcome & _PART)
    memory = 0
    for kind in range(_KINDS_WAITING):
        allowed = sizes[1 + kind] - 1
        waiting = parts[1 + kind] + (outcome >> (1 + kind) * _PART_BITS & _PART)
        over = max(waiting - allowed, 0)
        memory = memory * sizes[1 + kind] + waiting - over
        if kind == WaitingDie.STRIKE:
            score += over * scores.strike
            strikes += over
        elif kind == WaitingDie.BLANK:
            score += over * scores.blank
    return score, min(strikes, sizes[0] - 1) * (sizes[1] * sizes[2] * sizes[3]) + memory


@step
def moves_of(scores: Scores, outcomes: Outcomes, count: int, sizes: Integers) -> tuple[Integers, Integers]:
    """Return the score that each of `count` outcomes of a die adds to each memory, and the new memory.

    Both have the shape (memories, outcomes).
    """
    shape = (sizes[0] * sizes[1] * sizes[2] * sizes[3], count)
    added, after = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    parts = np.zeros(len(sizes), np.int64)
    for memory in range(shape[0]):
        unpack(memory, sizes, parts)
        for place in range(count):
            added[memory, place], after[memory, place] = move(scores, parts, sizes, outcomes.values[place])
    return added, after


@step
def add_die(pool: Floats, reach: int, moves: tuple[Integers, Integers], probabilities: Floats) -> Floats:
    """Return the distribution (memories, scores) with one more die; the scores so far are below `reach`."""
    grown, (added, after) = np.zeros(pool.shape), moves
    for memory in range(pool.shape[0]):
        for place in range(added.shape[1]):
            probability, shift, then = probabilities[place], added[memory, place], after[memory, place]
            for score in range(reach):
                grown[then, score + shift] += probability * pool[memory, score]
    return grown


@step
def reroll_waiting(
    fight: FightFacts, scores: Scores, faces: Floats, parts: Integers, reached: Floats, pmf: Floats
) -> None:
    """Add to `pmf` the final scores of pools with the memory `parts`; `reached` are probabilities of scores so far."""
    blanks = min(parts[1 + WaitingDie.BLANK], fight.extra_dice)  # extra re-rolls, worst dice first (AC-3.5)
    nothing = min(parts[1 + WaitingDie.NO_EFFECT], fight.extra_dice - blanks)
    strikes = min(parts[1 + WaitingDie.STRIKE], fight.extra_dice - blanks - nothing)
    rerolled, strikes_left = blanks + nothing + strikes, parts[1 + WaitingDie.STRIKE] - strikes
    sizes = np.ones(1 + _KINDS_WAITING, np.int64)
    sizes[0] = fight.veteran + 1
    outcomes, count = no_outcomes(_FACES), 0
    for face in range(_FACES):
        count = add_outcome(outcomes, count, worth(fight, scores, face), faces[face])
    moves = moves_of(scores, outcomes, count, sizes)
    reach = len(reached)
    again = np.zeros((fight.veteran + 1, reach + rerolled * scores.heroic))
    strikes_before = min(parts[0] + strikes_left, fight.veteran)
    for score in range(reach):
        again[strikes_before, score] = reached[score]
    for _ in range(rerolled):
        again = add_die(again, reach, moves, outcomes.probabilities)
        reach += scores.heroic
    left = strikes_left * scores.strike + (parts[1 + WaitingDie.BLANK] - blanks) * scores.blank
    for turned in range(again.shape[0]):  # final strikes that become heroic strikes (Veteran, AC-7)
        more = left + turned * (scores.heroic - scores.strike)
        for score in range(reach):
            if again[turned, score] > 0.0:
                pmf[score + more] += again[turned, score]


@step
def pool_pmf(fight: FightFacts, scores: Scores, faces: Floats, cards: Floats) -> Floats:
    """Return the probability of each score of the attack pool of `fight`; `scores` are for its dice, or more.

    `faces` and `cards` are the probabilities of the faces of the die, and of the attacker's card values (Overcharge).
    """
    dice = most_dice(fight, cards)
    outcomes = no_outcomes(_MOST_OUTCOMES)
    count = first_die(fight, scores, faces, outcomes)
    sizes = memory_sizes(fight, dice)
    moves = moves_of(scores, outcomes, count, sizes)
    most = (1 + fight.explosion) * scores.heroic  # highest score of one die with its added dice
    pool = np.zeros((len(moves[0]), dice * most + 1))
    pool[0, 0] = 1.0
    mixed = np.zeros(pool.shape)
    for rolled in range(dice + 1):
        if rolled >= fight.dice:
            share = cards[rolled - fight.dice] if fight.overcharge else 1.0
            for memory in range(pool.shape[0]):
                for score in range(pool.shape[1]):
                    mixed[memory, score] += share * pool[memory, score]
        if rolled < dice:
            pool = add_die(pool, rolled * most + 1, moves, outcomes.probabilities)
    pmf, parts = np.zeros(score_bound(fight, scores, dice)), np.zeros(len(sizes), np.int64)
    for memory in range(mixed.shape[0]):
        total = 0.0
        for score in range(mixed.shape[1]):
            total += mixed[memory, score]
        if total > 0.0:
            unpack(memory, sizes, parts)
            reroll_waiting(fight, scores, faces, parts, mixed[memory], pmf)
    return pmf
