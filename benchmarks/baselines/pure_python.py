"""A loop in pure Python with the `random` module."""

import random

import numpy as np

from benchmarks.baselines import (
    BREAK_LIMIT,
    BROKEN,
    CARDS,
    DAMAGE_LIMIT,
    DEFENCE,
    DISCIPLINE,
    FATES,
    MODELS,
    STANDS,
    SUPPRESSED,
)

HEROIC, STRIKE, BLANK, GLANCING, MISS = range(5)
SIDES = (HEROIC, STRIKE, STRIKE, BLANK, GLANCING, MISS)
HITS = (2, 1, 0, 0, 0)


def attack(rng, dice):
    """Models destroyed by one attack, and the unit's fate."""
    roll = rng.randrange
    pool = [SIDES[roll(6)] for _ in range(dice)]
    pool += [SIDES[roll(6)] for face in pool if face == HEROIC]
    hits = sum(HITS[SIDES[roll(6)]] if face >= GLANCING else HITS[face] for face in pool)
    destroyed = min(hits // DEFENCE // DAMAGE_LIMIT, MODELS)
    left = MODELS - destroyed
    if destroyed and left and rng.randrange(CARDS) + 1 > DISCIPLINE - (2 * destroyed >= MODELS):
        return destroyed, BROKEN if left <= BREAK_LIMIT else SUPPRESSED
    return destroyed, STANDS


def play(dice, trials, seed):
    """How often each end came up."""
    rng = random.Random(seed)
    counts = [[0] * FATES for _ in range(MODELS + 1)]
    for _ in range(trials):
        destroyed, fate = attack(rng, dice)
        counts[destroyed][fate] += 1
    return np.array(counts)
