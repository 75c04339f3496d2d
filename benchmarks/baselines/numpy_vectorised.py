"""Vectorised NumPy, 100 000 attacks at a time: the rules one after the other, on arrays (attacks, dice)."""

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
    SUPPRESSED,
)

CHUNK = 100_000
HEROIC, STRIKE, BLANK, GLANCING, MISS = range(5)
SIDES = np.array([HEROIC, STRIKE, STRIKE, BLANK, GLANCING, MISS], np.uint8)
HITS = np.array([2, 1, 0, 0, 0], np.uint8)


def roll(rng, shape):
    return SIDES[rng.integers(0, 6, shape, dtype=np.uint8)]


def hits_of(rng, attacks, dice):
    first = roll(rng, (attacks, dice))
    heroics = (first == HEROIC).sum(axis=1)
    added = np.where(np.arange(dice) < heroics[:, None], roll(rng, (attacks, dice)), BLANK)
    pool = np.concatenate([first, added], axis=1)
    again = pool >= GLANCING
    pool[again] = roll(rng, np.count_nonzero(again))
    return HITS[pool].sum(axis=1, dtype=np.int64)


def ends_of(rng, hits):
    """Models destroyed, and the fates."""
    destroyed = np.minimum(hits // DEFENCE // DAMAGE_LIMIT, MODELS)
    left = MODELS - destroyed
    card = rng.integers(1, CARDS + 1, len(hits), dtype=np.uint8)
    failed = (destroyed > 0) & (left > 0) & (card > DISCIPLINE - (2 * destroyed >= MODELS))
    return destroyed, np.where(failed, np.where(left <= BREAK_LIMIT, BROKEN, SUPPRESSED), 0)


def play(dice, trials, seed):
    """How often each end came up."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((MODELS + 1) * FATES, np.int64)
    for start in range(0, trials, CHUNK):
        hits = hits_of(rng, min(CHUNK, trials - start), dice)
        destroyed, fate = ends_of(rng, hits)
        counts += np.bincount(destroyed * FATES + fate, minlength=len(counts))
    return counts.reshape(MODELS + 1, FATES)
