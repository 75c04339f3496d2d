"""The loop of pure Python, compiled by numba as it stands: `np.random` for every die."""

import numba
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


@numba.njit
def hits_of_die():
    """Hits of a die that is not exploding any more: sides 0 heroic, 1 and 2 strikes, 3 blank, 4 and 5 re-rolled."""
    side = np.random.randint(0, 6)
    if side >= 4:
        side = np.random.randint(0, 6)
    return 2 if side == 0 else 1 if side <= 2 else 0


@numba.njit
def hits_of_first_die():
    side = np.random.randint(0, 6)
    if side == 0:
        return 2 + hits_of_die()
    if side >= 4:
        side = np.random.randint(0, 6)
    return 2 if side == 0 else 1 if side <= 2 else 0


@numba.njit
def play(dice, trials, seed):
    """How often each end came up."""
    np.random.seed(seed)
    counts = np.zeros((MODELS + 1, FATES), np.int64)
    for _ in range(trials):
        hits = 0
        for _ in range(dice):
            hits += hits_of_first_die()
        destroyed = min(hits // DEFENCE // DAMAGE_LIMIT, MODELS)
        left = MODELS - destroyed
        fate = STANDS
        if destroyed > 0 and left > 0 and np.random.randint(1, CARDS + 1) > DISCIPLINE - (2 * destroyed >= MODELS):
            fate = BROKEN if left <= BREAK_LIMIT else SUPPRESSED
        counts[destroyed, fate] += 1
    return counts
