"""The exact law of an attack pool: hits scored, and blanks left lying (AC-3.2 to AC-3.6).

Dice are added to the pool one at a time. What the rest of the pool must remember besides the hits - final
strikes that Veteran may turn, blanks that Overcharge counts, dice that wait for an extra re-roll - is one
small number, the *memory*; a die moves (hits, memory) to (hits, memory). Nothing is truncated.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.dice import Face
from analyser.jit import kernel
from analyser.rules.armoured_clash.facts import FightFacts

_HEROIC, _STRIKE, _BLANK = int(Face.HEROIC), int(Face.STRIKE), int(Face.BLANK)
_FACES = len(Face)

# Dice that wait for an extra re-roll, worst first (AC-3.5): counted blanks, faces that do nothing, strikes.
WAITING_BLANK, WAITING_NOTHING, WAITING_STRIKE, NOT_WAITING = 0, 1, 2, 3
_KINDS_WAITING = 3

# Columns of an outcome of one die.
_HITS, _STRIKES, _BLANKS, _WAITING = 0, 1, 2, 3
_COLUMNS = _WAITING + _KINDS_WAITING


@kernel
def most_hits(fight: FightFacts, dice: int) -> int:
    """The most hits that `dice` dice of the first roll can score."""
    return dice * (1 + fight.explosion) * fight.heroic_hits + fight.veteran


@kernel
def most_blanks(fight: FightFacts, dice: int) -> int:
    """The most blanks that count; only Overcharge counts them."""
    return dice * fight.explosion if fight.overcharge else 0


@kernel
def waits_as(fight: FightFacts, face: int) -> int:
    """How a die that shows `face` waits for an extra re-roll, if it may have one (AC-3.5)."""
    if not fight.extra_faces >> face & 1:
        return NOT_WAITING
    if face == _STRIKE:
        return WAITING_STRIKE
    return WAITING_BLANK if face == _BLANK and fight.overcharge else WAITING_NOTHING


@kernel
def set_face(fight: FightFacts, face: int, outcome: NDArray[np.int64]) -> None:
    """What a die that stays at `face` is worth (AC-3.6)."""
    outcome[:] = 0
    outcome[_HITS] = fight.heroic_hits if face == _HEROIC else 1 if face == _STRIKE else 0
    outcome[_STRIKES] = 1 if face == _STRIKE and fight.veteran else 0
    outcome[_BLANKS] = 1 if face == _BLANK and fight.overcharge else 0


@kernel
def add_outcome(
    outcomes: NDArray[np.int64], chances: NDArray[np.float64], count: int, outcome: NDArray[np.int64], chance: float
) -> int:
    """Add `chance` to `outcome` in a list of `count` outcomes; the new length of the list."""
    if chance == 0.0:
        return count
    for place in range(count):
        if np.all(outcomes[place] == outcome):
            chances[place] += chance
            return count
    outcomes[count] = outcome
    chances[count] = chance
    return count + 1


@kernel
def settled_die(
    fight: FightFacts, faces: NDArray[np.float64], best: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], int]:
    """The law of one die, re-rolls by rating done, extra re-rolls waiting (AC-3.4).

    Only dice whose first face is `best` or worse: a first-roll die that shows a heroic strike is another matter.
    """
    outcomes = np.zeros((2 * _FACES, _COLUMNS), np.int64)
    chances = np.zeros(2 * _FACES)
    outcome = np.zeros(_COLUMNS, np.int64)
    count = 0
    for face in range(best, _FACES):
        waiting = waits_as(fight, face)
        if fight.reroll_faces >> face & 1:
            for again in range(_FACES):
                set_face(fight, again, outcome)
                count = add_outcome(outcomes, chances, count, outcome, faces[face] * faces[again])
        elif waiting != NOT_WAITING:
            outcome[:] = 0
            outcome[_WAITING + waiting] = 1
            count = add_outcome(outcomes, chances, count, outcome, faces[face])
        else:
            set_face(fight, face, outcome)
            count = add_outcome(outcomes, chances, count, outcome, faces[face])
    return outcomes, chances, count


@kernel
def first_die(fight: FightFacts, faces: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64], int]:
    """The law of one die of the first roll together with the dice it adds (AC-3.3; Arc of AC-6)."""
    added, added_chances, n_added = settled_die(fight, faces, _HEROIC)
    plain, plain_chances, n_plain = settled_die(fight, faces, _STRIKE)
    room = n_added * n_added + n_plain
    outcomes = np.zeros((room, _COLUMNS), np.int64)
    chances = np.zeros(room)
    heroic = np.zeros(_COLUMNS, np.int64)
    set_face(fight, _HEROIC, heroic)
    count = 0
    for place in range(n_plain):
        count = add_outcome(outcomes, chances, count, plain[place], plain_chances[place])
    for one in range(n_added):
        if fight.explosion == 1:
            count = add_outcome(outcomes, chances, count, heroic + added[one], faces[_HEROIC] * added_chances[one])
            continue
        for two in range(n_added):
            chance = faces[_HEROIC] * added_chances[one] * added_chances[two]
            count = add_outcome(outcomes, chances, count, heroic + added[one] + added[two], chance)
    return outcomes, chances, count


@kernel
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


@kernel
def unpack(memory: int, sizes: NDArray[np.int64], parts: NDArray[np.int64]) -> None:
    """Split a memory into its parts (last part fastest)."""
    for part in range(len(sizes) - 1, -1, -1):
        parts[part] = memory % sizes[part]
        memory //= sizes[part]


@kernel
def move(parts: NDArray[np.int64], sizes: NDArray[np.int64], outcome: NDArray[np.int64]) -> tuple[int, int]:
    """The hits that `outcome` adds to a pool with this memory, and the new memory.

    Strikes beyond what Veteran can turn are not told apart. A die beyond the allowance of extra re-rolls
    stays as it lies: only what such dice can still be is remembered, and all of a kind are worth the same.
    """
    hits = outcome[_HITS]
    strikes = parts[0] + outcome[_STRIKES]
    blanks = parts[1] + outcome[_BLANKS]
    waiting = np.zeros(_KINDS_WAITING, np.int64)
    for kind in range(_KINDS_WAITING):
        waiting[kind] = parts[2 + kind] + outcome[_WAITING + kind]
        over = max(waiting[kind] - (sizes[2 + kind] - 1), 0)
        waiting[kind] -= over
        if kind == WAITING_STRIKE:
            hits += over
            strikes += over
        elif kind == WAITING_BLANK:
            blanks += over
    memory = min(strikes, sizes[0] - 1) * sizes[1] + blanks
    for kind in range(_KINDS_WAITING):
        memory = memory * sizes[2 + kind] + waiting[kind]
    return hits, memory


@kernel
def moves(
    outcomes: NDArray[np.int64], count: int, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For every memory and outcome: the hits added and the memory after; two arrays (memories, outcomes)."""
    memories = int(np.prod(sizes))
    hits = np.zeros((memories, count), np.int64)
    after = np.zeros((memories, count), np.int64)
    parts = np.zeros(len(sizes), np.int64)
    for memory in range(memories):
        unpack(memory, sizes, parts)
        for place in range(count):
            hits[memory, place], after[memory, place] = move(parts, sizes, outcomes[place])
    return hits, after


@kernel
def add_die(
    law: NDArray[np.float64], reach: int, hits: NDArray[np.int64], after: NDArray[np.int64],
    chances: NDArray[np.float64],
) -> NDArray[np.float64]:  # fmt: skip
    """The law (memories, hits) with one more die in the pool; `reach` bounds the hits that it holds so far."""
    grown = np.zeros_like(law)
    for memory in range(law.shape[0]):
        for place in range(hits.shape[1]):
            chance, shift, then = chances[place], hits[memory, place], after[memory, place]
            for score in range(reach):
                grown[then, score + shift] += chance * law[memory, score]
    return grown


@kernel
def settle_waiting(parts: NDArray[np.int64], allowance: int) -> tuple[int, int, int]:
    """Extra re-rolls, worst dice first (AC-3.5): dice re-rolled, and blanks and strikes that stay."""
    blanks = min(parts[2 + WAITING_BLANK], allowance)
    nothing = min(parts[2 + WAITING_NOTHING], allowance - blanks)
    strikes = min(parts[2 + WAITING_STRIKE], allowance - blanks - nothing)
    rerolled = blanks + nothing + strikes
    return rerolled, parts[2 + WAITING_BLANK] - blanks, parts[2 + WAITING_STRIKE] - strikes


@kernel
def score_waiting(
    fight: FightFacts, faces: NDArray[np.float64], parts: NDArray[np.int64], scores: NDArray[np.float64],
    law: NDArray[np.float64],
) -> None:  # fmt: skip
    """Add to `law` (hits, blanks) what pools with memory `parts` and hits law `scores` end at."""
    rerolled, blanks_left, strikes_left = settle_waiting(parts, fight.extra_dice)
    sizes = np.ones(2 + _KINDS_WAITING, np.int64)
    sizes[0] = fight.veteran + 1
    sizes[1] = rerolled + 1
    outcomes = np.zeros((_FACES, _COLUMNS), np.int64)
    chances = np.zeros(_FACES)
    outcome = np.zeros(_COLUMNS, np.int64)
    count = 0
    for face in range(_FACES):
        set_face(fight, face, outcome)
        count = add_outcome(outcomes, chances, count, outcome, faces[face])
    hits, after = moves(outcomes, count, sizes)
    reach = len(scores)
    again = np.zeros((int(np.prod(sizes)), reach + rerolled * fight.heroic_hits))
    strikes_before = min(parts[0] + strikes_left, fight.veteran)
    again[strikes_before * sizes[1], :reach] = scores
    for _ in range(rerolled):
        again = add_die(again, reach, hits, after, chances)
        reach += fight.heroic_hits
    for memory in range(again.shape[0]):
        veterans = memory // sizes[1]  # final strikes that become heroic strikes (Veteran, AC-7)
        blanks = parts[1] + blanks_left + memory % sizes[1]
        for score in range(reach):
            if again[memory, score] > 0.0:
                law[score + strikes_left + veterans, blanks] += again[memory, score]


@kernel
def pool_law(fight: FightFacts, die: NDArray[np.int64], deck: NDArray[np.int64]) -> NDArray[np.float64]:
    """The joint law of hits and blanks of the attack pool of `fight`.

    Parameters
    ----------
    fight : record of FIGHT
    die : int64 array, shape (5,)
        Sides that show each face, in the order of :class:`~analyser.dice.Face`.
    deck : int64 array, shape (highest card + 1,)
        Copies of each card value of the attacker's deck (Overcharge).

    Returns
    -------
    float64 array, shape (most hits + 1, most blanks + 1)
        Probabilities; they add up to 1. Without Overcharge there is one column.
    """
    faces = die / die.sum()
    highest = len(deck) - 1 if fight.overcharge else 0
    dice = fight.dice + highest
    outcomes, chances, count = first_die(fight, faces)
    sizes = memory_sizes(fight, dice)
    hits, after = moves(outcomes, count, sizes)
    step = (1 + fight.explosion) * fight.heroic_hits
    law = np.zeros((int(np.prod(sizes)), dice * step + 1))
    law[0, 0] = 1.0
    mixed = np.zeros_like(law)
    for rolled in range(dice + 1):
        card = rolled - fight.dice
        if card >= 0:
            share = deck[card] / deck.sum() if fight.overcharge else 1.0
            mixed += share * law
        if rolled < dice:
            law = add_die(law, rolled * step + 1, hits, after, chances)
    final = np.zeros((most_hits(fight, dice) + 1, most_blanks(fight, dice) + 1))
    parts = np.zeros(len(sizes), np.int64)
    for memory in range(mixed.shape[0]):
        if mixed[memory].any():
            unpack(memory, sizes, parts)
            score_waiting(fight, faces, parts, mixed[memory], final)
    return final
