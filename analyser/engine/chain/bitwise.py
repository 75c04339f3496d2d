"""Bit-sliced sampling: one draw for each of many trials in the same state, 64 trials at once.

A draw is a uniform integer of 32 bits, and thresholds cut those integers into the outcomes of a die. The trials walk
down the binary tree of the draws' bits together (Knuth and Yao, The complexity of nonuniform random number generation,
1976): each further bit splits the trials of an interval between its halves, and trials in an interval without a
threshold inside it are decided. Every trial has bits of its own, as many as its outcome needs: two on average against a
single threshold, four for a six-sided die. Where few trials are left in an interval, the rest of each draw is made in
one piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.common.records import Integers
from analyser.engine.rng import fill, word_of

DRAW_BITS = 32
FEW = 512  # up to here draws are made in one piece: bit by bit they would cost more
_WORD = 64
_LANES = 32  # draws are made in whole multiples of it
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _SUM = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


class DrawBuffers(NamedTuple):
    """Working memory for draws."""

    words: NDArray[np.uint64]
    draws: NDArray[np.uint32]  # the words, as draws of 32 bits
    stack: Integers  # intervals: where they begin, their bits, their trials, the thresholds inside
    stream: NDArray[np.uint64]  # the counter of the random words, and its step


def draw_buffers() -> DrawBuffers:
    """Working memory for one thread."""
    words = np.zeros(FEW // 2, np.uint64)
    return DrawBuffers(words, words.view(np.uint32), np.zeros((DRAW_BITS + 1, 5), np.int64), np.zeros(2, np.uint64))


@step
def draw_for_each(trials: int, thresholds: Integers, last: int, counts: Integers, buffers: DrawBuffers) -> None:
    """Draw for each of `trials` trials; add to `counts` how many reach 0, 1, ... `last` thresholds.

    The thresholds stand in order; a draw of 0 to 2**32 - 1 reaches those that are no higher.
    """
    stream = buffers.stream
    while last > 0 and thresholds[last - 1] >= 1 << DRAW_BITS:  # beyond every draw
        last -= 1
    waiting = push(buffers, 0, 0, DRAW_BITS, trials, thresholds_up_to(thresholds, 0, last, 0), last)
    while waiting > 0:
        waiting -= 1
        low, bits, count, first, last = buffers.stack[waiting]
        while count > FEW and first < last:  # the upper half waits, the lower goes on
            bits -= 1
            middle = low + (1 << bits)
            ones, stream[0] = count_ones(count, stream[0], stream[1])
            inside = thresholds_up_to(thresholds, first, last, middle - 1)
            first_above = thresholds_up_to(thresholds, inside, last, middle)
            waiting = push(buffers, waiting, middle, bits, ones, first_above, last)
            count, last = count - ones, inside
        whole = (count + _LANES - 1) // _LANES * _LANES
        if first < last:
            stream[0] = fill(buffers.words, whole // 2, stream[0], stream[1])
            for lane in range(count, whole):
                buffers.draws[lane] = 0  # reaches no threshold inside the interval
        for which in range(last - 1, first - 1, -1):
            threshold = np.uint32((thresholds[which] - low) << (DRAW_BITS - bits))
            reached = count_at_least(buffers.draws, whole, threshold)
            counts[which + 1] += reached
            counts[which] -= reached
        counts[first] += count


@step
def push(buffers: DrawBuffers, top: int, low: int, bits: int, count: int, first: int, last: int) -> int:
    """Put an interval of `count` trials with the thresholds inside it on the stack; the new top."""
    if count == 0:
        return top
    buffers.stack[top, 0], buffers.stack[top, 1], buffers.stack[top, 2] = low, bits, count
    buffers.stack[top, 3], buffers.stack[top, 4] = first, last
    return top + 1


@step
def thresholds_up_to(thresholds: Integers, first: int, last: int, draw: int) -> int:
    """How many thresholds a draw reaches, if it reaches the first `first` and none from `last` on."""
    while first < last and thresholds[first] <= draw:
        first += 1
    return first


@step
def count_at_least(draws: NDArray[np.uint32], count: int, threshold: np.uint32) -> int:
    """How many of the first `count` draws reach a threshold."""
    reached = np.uint32(0)
    for lane in range(count):
        reached += np.uint32(draws[lane] >= threshold)
    return int(reached)


@step
def count_ones(count: int, counter: np.uint64, gamma: np.uint64) -> tuple[int, np.uint64]:
    """How many of the next `count` bits of a stream are 1: Binomial(count, 1/2); and the counter after their words."""
    ones, left = np.uint64(0), count % _WORD
    for _ in range(count // _WORD):
        counter += gamma
        ones += popcount(word_of(counter))
    if left:
        counter += gamma
        ones += popcount(word_of(counter) & ((_ONE << np.uint64(left)) - _ONE))
    return int(np.int64(ones)), counter


@step
def popcount(word: np.uint64) -> np.uint64:
    """How many bits of a word are 1."""
    word -= (word >> _ONE) & _PAIRS
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    return (((word + (word >> _FOUR)) & _EIGHTS) * _SUM) >> _TOP
