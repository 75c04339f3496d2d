"""Draws against one edge, for trials that are alike: bit by bit, each only until it differs from the edge.

Half the draws differ in their first bit, half of the rest in the next: two bits a draw, whatever its precision.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.engine.streams import fill
from analyser.jit import step

BITS = 32  # of a draw
_FEW = 512  # up to here draws are made whole: bit by bit they would cost more
_WORD = 64
_LANES = 16  # words are counted in whole multiples of it
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _SUM = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@step
def count_reaching(
    edge: int, trials: int, words: NDArray[np.uint64], wide: NDArray[np.uint32], counter: np.uint64, gamma: np.uint64
) -> tuple[int, np.uint64]:  # fmt: skip
    """How many of `trials` draws of 32 bits are `edge` or more, and the counter after them.

    Parameters
    ----------
    edge : int
        0 to 2**32 - 1.
    trials : int
    words, wide : uint64 and uint32 arrays
        One memory for draws, seen in two ways.
    counter, gamma : uint64
        Of the stream.
    """
    reached, tied, bits, rest = 0, trials, BITS, edge
    while tied > _FEW and rest > 0:  # what is tied to an edge that ends in zeros reaches it
        bits -= 1
        ones, counter = count_ones(tied, words, counter, gamma)
        if rest >> bits:
            tied = ones
            rest -= 1 << bits
        else:
            reached += ones
            tied -= ones
    if rest == 0 or tied == 0:
        return reached + tied, counter
    whole = (tied + _WORD - 1) // _WORD * _WORD
    counter = fill(words, whole // 2, counter, gamma)
    wide[tied:whole] = 0
    lowest, above = np.uint32(rest << (BITS - bits)), np.uint32(0)
    for trial in range(whole):
        above += np.uint32(wide[trial] >= lowest)
    return reached + int(above), counter


@step
def count_ones(
    count: int, words: NDArray[np.uint64], counter: np.uint64, gamma: np.uint64
) -> tuple[int, np.uint64]:  # fmt: skip
    """How many of the next `count` bits of a stream are 1, and the counter after their words."""
    ones = np.uint64(0)
    while count > 0:
        some = min(count, (len(words) - _LANES) * _WORD)
        count -= some
        full, left = some // _WORD, some % _WORD
        whole = (full + _LANES) // _LANES * _LANES
        counter = fill(words, whole, counter, gamma)
        words[full] &= (_ONE << np.uint64(left)) - _ONE
        words[full + 1 : whole] = 0
        for place in range(whole):
            word = words[place]
            word -= (word >> _ONE) & _PAIRS
            word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
            ones += (((word + (word >> _FOUR)) & _EIGHTS) * _SUM) >> _TOP
    return int(np.int64(ones)), counter
