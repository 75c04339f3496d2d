"""Dice of trials that are alike, drawn bit by bit, each until it is known what the die shows.

A draw is a number of 32 bits, and marks cut those numbers into what a die shows. Trials whose first bits are the
same stand in one interval together: the next bit sends each of them to its lower or its upper half, and those in an
interval without a mark are done. So every trial has bits of its own, as many as its die needs: two on average
against a single mark, four for a six-sided die; and 64 of them are counted at once. Where few trials are left in an
interval, the rest of each draw is made in one piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.engine.rng import fill, word_of

DIGITS = 32  # bits of a draw
_FEW = 512  # up to here draws are made in one piece: bit by bit they would cost more
_WORD = 64
_LANES = 32  # draws are made in whole multiples of it
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _SUM = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


class Draws(NamedTuple):
    """Working memory for draws."""

    words: NDArray[np.uint64]
    wide: NDArray[np.uint32]  # the words, as draws of 32 bits
    waiting: NDArray[np.int64]  # intervals: where they begin, their bits, their trials, the marks inside


def memory_for_draws() -> Draws:
    """Working memory for one thread."""
    words = np.zeros(_FEW // 2, np.uint64)
    return Draws(words, words.view(np.uint32), np.zeros((DIGITS + 1, 5), np.int64))


@step
def draw_alike(
    trials: int, marks: NDArray[np.int64], last: int, shown: NDArray[np.int64], draws: Draws, counter: np.uint64,
    gamma: np.uint64,
) -> np.uint64:  # fmt: skip
    """Draw for each of `trials` trials, and count how many marks each draw reaches; the counter after the draws.

    Parameters
    ----------
    trials : int
    marks : int64 array
        In order; a draw of 0 to 2**32 - 1 reaches those that are no higher.
    last : int
        How many of them there are.
    shown : int64 array
        So many more trials reach 0, 1, … `last` marks.
    draws : Draws
    counter, gamma : uint64
        Of the stream.
    """
    waiting = put(draws, 0, 0, DIGITS, trials, marks_up_to(marks, 0, last, 0), last)
    while waiting > 0:
        waiting -= 1
        low, bits, count, first, last = draws.waiting[waiting]
        while count > _FEW and first < last:  # the upper half waits, the lower goes on
            bits -= 1
            middle = low + (1 << bits)
            ones, counter = count_ones(count, counter, gamma)
            inside = marks_up_to(marks, first, last, middle - 1)
            waiting = put(draws, waiting, middle, bits, ones, marks_up_to(marks, inside, last, middle), last)
            count, last = count - ones, inside
        whole = (count + _LANES - 1) // _LANES * _LANES
        if first < last:
            counter = fill(draws.words, whole // 2, counter, gamma)
            for place in range(count, whole):
                draws.wide[place] = 0  # reaches no mark inside the interval
        for mark in range(last - 1, first - 1, -1):
            reached = count_from(draws.wide, whole, np.uint32((marks[mark] - low) << (DIGITS - bits)))
            shown[mark + 1] += reached
            shown[mark] -= reached
        shown[first] += count
    return counter


@step
def put(draws: Draws, place: int, low: int, bits: int, count: int, first: int, last: int) -> int:
    """Let an interval of `count` trials wait, with the marks inside it; the next place."""
    if count == 0:
        return place
    draws.waiting[place, 0], draws.waiting[place, 1], draws.waiting[place, 2] = low, bits, count
    draws.waiting[place, 3], draws.waiting[place, 4] = first, last
    return place + 1


@step
def marks_up_to(marks: NDArray[np.int64], first: int, last: int, draw: int) -> int:
    """How many marks a draw reaches, if it reaches the first `first` and none from `last` on."""
    while first < last and marks[first] <= draw:
        first += 1
    return first


@step
def count_from(drawn: NDArray[np.uint32], count: int, mark: np.uint32) -> int:
    """How many of the first `count` draws reach a mark."""
    reached = np.uint32(0)
    for place in range(count):
        reached += np.uint32(drawn[place] >= mark)
    return int(reached)


@step
def count_ones(count: int, counter: np.uint64, gamma: np.uint64) -> tuple[int, np.uint64]:
    """How many of the next `count` bits of a stream are 1, and the counter after their words."""
    ones, left = np.uint64(0), count % _WORD
    for _ in range(count // _WORD):
        counter += gamma
        ones += ones_in(word_of(counter))
    if left:
        counter += gamma
        ones += ones_in(word_of(counter) & ((_ONE << np.uint64(left)) - _ONE))
    return int(np.int64(ones)), counter


@step
def ones_in(word: np.uint64) -> np.uint64:
    """How many bits of a word are 1."""
    word -= (word >> _ONE) & _PAIRS
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    return (((word + (word >> _FOUR)) & _EIGHTS) * _SUM) >> _TOP
