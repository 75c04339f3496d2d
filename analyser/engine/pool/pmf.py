"""The exact law of an attack pool: hits scored, and blanks left lying (AC-3.2 to AC-3.6).

Dice are added to the pool one at a time. What the rest of the pool must remember besides the hits - final
strikes that Veteran may turn, blanks that Overcharge counts, dice that wait for an extra re-roll - is one
small number, the *memory*; a die moves (hits, memory) to (hits, memory). Nothing is truncated.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.game.dice import Face
from analyser.rules.structs import FightFacts

_FACES = len(Face)

# Dice that wait for an extra re-roll, worst first (AC-3.5): counted blanks, faces that do nothing, strikes.
WAITING_BLANK, WAITING_NOTHING, WAITING_STRIKE, NOT_WAITING = 0, 1, 2, 3
_KINDS_WAITING = 3

# What one die comes to, as one whole number: hits, final strikes, counted blanks and waiting dice, eight bits each,
# so that what several dice come to is a sum.
_HIT, _FINAL_STRIKE, _COUNTED_BLANK, _WAITING_DIE = 1, 1 << 8, 1 << 16, 1 << 24
_PART_BITS = 8
_PART = (1 << _PART_BITS) - 1
_MOST_OUTCOMES = 2 * _FACES * (2 * _FACES + 1)  # of a first die and the dice it adds


@step
def most_hits(fight: FightFacts, dice: int) -> int:
    """The most hits that `dice` dice of the first roll can score."""
    return dice * (1 + fight.explosion) * fight.heroic_hits + fight.veteran


@step
def most_blanks(fight: FightFacts, dice: int) -> int:
    """The most blanks that count; only Overcharge counts them."""
    return dice * fight.explosion if fight.overcharge else 0


@step
def waits_as(fight: FightFacts, face: int) -> int:
    """How a die that shows `face` waits for an extra re-roll, if it may have one (AC-3.5)."""
    if not fight.extra_faces >> face & 1:
        return NOT_WAITING
    if face == Face.STRIKE:
        return WAITING_STRIKE
    return WAITING_BLANK if face == Face.BLANK and fight.overcharge else WAITING_NOTHING


@step
def worth(fight: FightFacts, face: int) -> int:
    """What a die that stays at `face` comes to (AC-3.6)."""
    if face == Face.HEROIC:
        return fight.heroic_hits * _HIT
    if face == Face.STRIKE:
        return _HIT + (_FINAL_STRIKE if fight.veteran else 0)
    return _COUNTED_BLANK if face == Face.BLANK and fight.overcharge else 0


@step
def add_outcome(
    outcomes: NDArray[np.int64], chances: NDArray[np.float64], count: int, outcome: int, chance: float
) -> int:
    """Add `chance` to `outcome` in a list of `count` outcomes; the new length of the list."""
    if chance == 0.0:
        return count
    for place in range(count):
        if outcomes[place] == outcome:
            chances[place] += chance
            return count
    outcomes[count] = outcome
    chances[count] = chance
    return count + 1


@step
def settled_die(
    fight: FightFacts, faces: NDArray[np.float64], best: int, outcomes: NDArray[np.int64], chances: NDArray[np.float64]
) -> int:
    """Fill in the law of one die, re-rolls by rating done, extra re-rolls waiting (AC-3.4); its length.

    Only dice whose first face is `best` or worse: a first-roll die that shows a heroic strike is another matter.
    """
    count = 0
    for face in range(best, _FACES):
        waiting = waits_as(fight, face)
        if fight.reroll_faces >> face & 1:
            for again in range(_FACES):
                count = add_outcome(outcomes, chances, count, worth(fight, again), faces[face] * faces[again])
        elif waiting != NOT_WAITING:
            waits = _WAITING_DIE << _PART_BITS * waiting
            count = add_outcome(outcomes, chances, count, waits, faces[face])
        else:
            count = add_outcome(outcomes, chances, count, worth(fight, face), faces[face])
    return count


@step
def first_die(
    fight: FightFacts, faces: NDArray[np.float64], outcomes: NDArray[np.int64], chances: NDArray[np.float64]
) -> int:
    """Fill in the law of one die of the first roll with the dice it adds (AC-3.3; Arc of AC-6); its length."""
    added = np.zeros(2 * _FACES, np.int64)
    added_chances = np.zeros(2 * _FACES)
    n_added = settled_die(fight, faces, Face.HEROIC, added, added_chances)
    count = settled_die(fight, faces, Face.STRIKE, outcomes, chances)
    heroic, heroic_chance = worth(fight, Face.HEROIC), faces[Face.HEROIC]
    for one in range(n_added):
        sum_one, chance_one = heroic + added[one], heroic_chance * added_chances[one]
        if fight.explosion == 1:
            count = add_outcome(outcomes, chances, count, sum_one, chance_one)
            continue
        for two in range(n_added):
            count = add_outcome(outcomes, chances, count, sum_one + added[two], chance_one * added_chances[two])
    return count


@step
def memory_sizes(fight: FightFacts, dice: int) -> NDArray[np.int64]:
    """How many values each part of the memory takes: strikes, blanks, and the three kinds of waiting dice."""
    sizes = np.ones(2 + _KINDS_WAITING, np.int64)
    sizes[0] = min(fight.veteran, dice * (1 + fight.explosion)) + 1
    sizes[1] = most_blanks(fight, dice) + 1
    for face in range(_FACES):
        waiting = waits_as(fight, face)
        if waiting != NOT_WAITING:
            sizes[2 + waiting] = fight.extra_dice + 1
    return sizes


@step
def unpack(memory: int, sizes: NDArray[np.int64], parts: NDArray[np.int64]) -> None:
    """Split a memory into its parts (last part fastest)."""
    for part in range(len(sizes) - 1, -1, -1):
        parts[part] = memory % sizes[part]
        memory //= sizes[part]


@step
def volume(sizes: NDArray[np.int64]) -> int:
    """How many memories there are."""
    memories = 1
    for part in range(len(sizes)):
        memories *= sizes[part]
    return memories


@step
def move(parts: NDArray[np.int64], sizes: NDArray[np.int64], outcome: int) -> tuple[int, int]:
    """The hits that `outcome` adds to a pool with this memory, and the new memory.

    Strikes beyond what Veteran can turn are not told apart. A die beyond the allowance of extra re-rolls
    stays as it lies: only what such dice can still be is remembered, and all of a kind are worth the same.
    """
    hits = outcome & _PART
    strikes = parts[0] + (outcome >> _PART_BITS & _PART)
    blanks = parts[1] + (outcome >> 2 * _PART_BITS & _PART)
    memory = 0
    for kind in range(_KINDS_WAITING):
        allowed = sizes[2 + kind] - 1
        waiting = parts[2 + kind] + (outcome >> (3 + kind) * _PART_BITS & _PART)
        over = max(waiting - allowed, 0)
        memory = memory * sizes[2 + kind] + waiting - over
        if kind == WAITING_STRIKE:
            hits += over
            strikes += over
        elif kind == WAITING_BLANK:
            blanks += over
    kinds = sizes[2] * sizes[3] * sizes[4]
    # A pool that already has all the blanks it can have gets no more: such a move has no chance, but it needs a place.
    return hits, (min(strikes, sizes[0] - 1) * sizes[1] + min(blanks, sizes[1] - 1)) * kinds + memory


@step
def moves(
    outcomes: NDArray[np.int64], count: int, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For every memory and outcome: the hits added and the memory after; two arrays (memories, outcomes)."""
    memories = volume(sizes)
    hits = np.zeros((memories, count), np.int64)
    after = np.zeros((memories, count), np.int64)
    parts = np.zeros(len(sizes), np.int64)
    for memory in range(memories):
        unpack(memory, sizes, parts)
        for place in range(count):
            hits[memory, place], after[memory, place] = move(parts, sizes, outcomes[place])
    return hits, after


@step
def add_die(
    law: NDArray[np.float64],
    reach: int,
    hits: NDArray[np.int64],
    after: NDArray[np.int64],
    chances: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The law (memories, hits) with one more die in the pool; `reach` bounds the hits that it holds so far."""
    grown = np.zeros(law.shape)
    for memory in range(law.shape[0]):
        for place in range(hits.shape[1]):
            chance, shift, then = chances[place], hits[memory, place], after[memory, place]
            for score in range(reach):
                grown[then, score + shift] += chance * law[memory, score]
    return grown


@step
def settle_waiting(parts: NDArray[np.int64], allowance: int) -> tuple[int, int, int]:
    """Extra re-rolls, worst dice first (AC-3.5): dice re-rolled, and blanks and strikes that stay."""
    blanks = min(parts[2 + WAITING_BLANK], allowance)
    nothing = min(parts[2 + WAITING_NOTHING], allowance - blanks)
    strikes = min(parts[2 + WAITING_STRIKE], allowance - blanks - nothing)
    rerolled = blanks + nothing + strikes
    return rerolled, parts[2 + WAITING_BLANK] - blanks, parts[2 + WAITING_STRIKE] - strikes


@step
def score_waiting(
    fight: FightFacts,
    faces: NDArray[np.float64],
    parts: NDArray[np.int64],
    scores: NDArray[np.float64],
    law: NDArray[np.float64],
) -> None:
    """Add to `law` (hits, blanks) what pools with memory `parts` and hits law `scores` end at."""
    rerolled, blanks_left, strikes_left = settle_waiting(parts, fight.extra_dice)
    sizes = np.ones(2 + _KINDS_WAITING, np.int64)
    sizes[0] = fight.veteran + 1
    sizes[1] = rerolled + 1
    outcomes = np.zeros(_FACES, np.int64)
    chances = np.zeros(_FACES)
    count = 0
    for face in range(_FACES):
        count = add_outcome(outcomes, chances, count, worth(fight, face), faces[face])
    hits, after = moves(outcomes, count, sizes)
    reach = len(scores)
    again = np.zeros((volume(sizes), reach + rerolled * fight.heroic_hits))
    strikes_before = min(parts[0] + strikes_left, fight.veteran)
    for score in range(reach):
        again[strikes_before * sizes[1], score] = scores[score]
    for _ in range(rerolled):
        again = add_die(again, reach, hits, after, chances)
        reach += fight.heroic_hits
    for memory in range(again.shape[0]):
        veterans = memory // sizes[1]  # final strikes that become heroic strikes (Veteran, AC-7)
        blanks = parts[1] + blanks_left + memory % sizes[1]
        for score in range(reach):
            if again[memory, score] > 0.0:
                law[score + strikes_left + veterans, blanks] += again[memory, score]


@step
def add_share(total: NDArray[np.float64], share: float, law: NDArray[np.float64]) -> None:
    """Add `share` of `law` to `total`."""
    for memory in range(law.shape[0]):
        for score in range(law.shape[1]):
            total[memory, score] += share * law[memory, score]


@step
def settle_pool(
    fight: FightFacts,
    faces: NDArray[np.float64],
    sizes: NDArray[np.int64],
    pool: NDArray[np.float64],
    law: NDArray[np.float64],
) -> None:
    """Fill in the law (hits, blanks) of a pool whose law is known by (memory, hits)."""
    parts = np.zeros(len(sizes), np.int64)
    for memory in range(pool.shape[0]):
        total = 0.0
        for score in range(pool.shape[1]):
            total += pool[memory, score]
        if total > 0.0:
            unpack(memory, sizes, parts)
            score_waiting(fight, faces, parts, pool[memory], law)


@step
def pool_law(fight: FightFacts, faces: NDArray[np.float64], cards: NDArray[np.float64]) -> NDArray[np.float64]:
    """The joint law of hits and blanks of the attack pool of `fight`.

    Parameters
    ----------
    fight : record of FIGHT
    faces : float64 array, shape (5,)
        The chance of each face, in the order of :class:`~analyser.game.dice.Face`.
    cards : float64 array, shape (highest card + 1,)
        The chance of each card value from the attacker's deck (Overcharge).

    Returns
    -------
    float64 array, shape (most hits + 1, most blanks + 1)
        Probabilities; they add up to 1. Without Overcharge there is one column.
    """
    dice = fight.dice + (len(cards) - 1 if fight.overcharge else 0)
    outcomes = np.zeros(_MOST_OUTCOMES, np.int64)
    chances = np.zeros(_MOST_OUTCOMES)
    count = first_die(fight, faces, outcomes, chances)
    sizes = memory_sizes(fight, dice)
    hits, after = moves(outcomes, count, sizes)
    step = (1 + fight.explosion) * fight.heroic_hits
    pool = np.zeros((volume(sizes), dice * step + 1))
    pool[0, 0] = 1.0
    mixed = np.zeros(pool.shape)
    for rolled in range(dice + 1):
        if rolled >= fight.dice:
            add_share(mixed, cards[rolled - fight.dice] if fight.overcharge else 1.0, pool)
        if rolled < dice:
            pool = add_die(pool, rolled * step + 1, hits, after, chances)
    law = np.zeros((most_hits(fight, dice) + 1, most_blanks(fight, dice) + 1))
    settle_pool(fight, faces, sizes, mixed, law)
    return law
