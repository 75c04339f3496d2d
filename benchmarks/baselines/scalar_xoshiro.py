"""The same loop with a fast generator written out: xoshiro256++, one bounded whole number for every die.

Bounded numbers after Lemire (Fast Random Integer Generation in an Interval, 2019), from the upper 32 bits of a word.
"""

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

_U = np.uint64
_LOW_HALF = _U(0xFFFFFFFF)
_HALF = _U(32)


@numba.njit(inline="always")
def rotated(word, bits):
    return (word << _U(bits)) | (word >> _U(64 - bits))


@numba.njit
def next_word(state):
    word = rotated(state[0] + state[3], 23) + state[0]
    shifted = state[1] << _U(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = rotated(state[3], 45)
    return word


@numba.njit
def below(state, bound):
    """A whole number from 0 to `bound` - 1."""
    product = (next_word(state) >> _HALF) * _U(bound)
    least = _U((1 << 32) % bound)
    while product & _LOW_HALF < least:
        product = (next_word(state) >> _HALF) * _U(bound)
    return np.int64(product >> _HALF)


@numba.njit
def hits_of_die(state):
    side = below(state, 6)
    if side >= 4:
        side = below(state, 6)
    return 2 if side == 0 else 1 if side <= 2 else 0


@numba.njit
def hits_of_first_die(state):
    side = below(state, 6)
    if side == 0:
        return 2 + hits_of_die(state)
    if side >= 4:
        side = below(state, 6)
    return 2 if side == 0 else 1 if side <= 2 else 0


@numba.njit
def play_from(state, dice, trials):
    counts = np.zeros((MODELS + 1, FATES), np.int64)
    for _ in range(trials):
        hits = 0
        for _ in range(dice):
            hits += hits_of_first_die(state)
        destroyed = min(hits // DEFENCE // DAMAGE_LIMIT, MODELS)
        left = MODELS - destroyed
        fate = STANDS
        if destroyed > 0 and left > 0 and below(state, CARDS) + 1 > DISCIPLINE - (2 * destroyed >= MODELS):
            fate = BROKEN if left <= BREAK_LIMIT else SUPPRESSED
        counts[destroyed, fate] += 1
    return counts


def play(dice, trials, seed):
    """How often each end came up."""
    return play_from(np.random.SeedSequence(seed).generate_state(4, np.uint64), dice, trials)
