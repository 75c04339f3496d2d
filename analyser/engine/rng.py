"""Streams of random 64-bit words by seed (SplitMix64: Steele, Lea, Flood, OOPSLA 2014), in chunks of 2**32 words."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import Whole, inlined, kernel, step, step_for

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_ONE = np.uint64(1)
WORDS_PER_CHUNK = np.uint64(1 << 32)
_WORD_MASK = (1 << 64) - 1
_FEWEST_BIT_CHANGES = 24  # increments with fewer changes between neighbouring bits give weak random words (same paper)
HALF_BITS, LOWER_HALF = np.uint64(32), np.uint64((1 << 32) - 1)
_TWO_TO_32 = np.uint64(1 << 32)


class Stream(NamedTuple):
    """Random sequence of a seed: the counter's start, and its odd increment."""

    start: np.uint64
    gamma: np.uint64


@lru_cache(maxsize=256)
def stream_of(seed: int, *parts: int) -> Stream:
    """Return the stream of a seed, or its independent substream numbered by `parts`; no argument may be negative."""
    start, *candidates = np.random.SeedSequence(seed, spawn_key=parts).generate_state(9, np.uint64)
    gammas = [gamma | _ONE for gamma in candidates]
    bit_changes = [int(gamma ^ (gamma >> _ONE)).bit_count() for gamma in gammas]
    gamma = next((gamma for gamma, changes in zip(gammas, bit_changes) if changes >= _FEWEST_BIT_CHANGES), GOLDEN_GAMMA)
    return Stream(np.uint64(start), np.uint64(gamma))


@step_for(lambda counter, gamma, words: np.uint64(int(counter) + int(gamma) * int(words) & _WORD_MASK))
def counter_after(counter: np.uint64, gamma: np.uint64, words: Whole) -> np.uint64:
    """Return the counter after `words` more words."""
    return counter + gamma * np.uint64(words)


@step
def counter_of_chunk(start: np.uint64, gamma: np.uint64, chunk: Whole) -> np.uint64:
    """Return the counter before the first word of a chunk."""
    return counter_after(start, gamma, np.uint64(chunk) * WORDS_PER_CHUNK)


@inlined
def word_of(counter: np.uint64) -> np.uint64:
    """Return the random word of a counter."""
    word = (counter ^ (counter >> _SHIFT_1)) * _MIX_1
    word = (word ^ (word >> _SHIFT_2)) * _MIX_2
    return word ^ (word >> _SHIFT_3)


@kernel
def fill(words: NDArray[np.uint64], count: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Write the next `count` words of a stream into `words` and return the counter after them."""
    for place in range(count):
        counter += gamma
        words[place] = word_of(counter)
    return counter


class StreamPosition(Protocol):
    """Position in a stream, as a record: the counter after the last word, and its increment."""

    counter: Any
    gamma: Any


@inlined
def next_word(position: StreamPosition) -> np.uint64:
    """Return the next 64 random bits, and advance the position."""
    position.counter += position.gamma
    return word_of(position.counter)


@inlined
def uniform_below(position: StreamPosition, number: Whole) -> Any:
    """Return a uniform integer in [0, number); some words are rejected (Lemire: ACM TOMACS 29, 2019)."""
    bound = np.uint64(number)
    while True:
        product = (next_word(position) >> HALF_BITS) * bound
        low = product & LOWER_HALF
        if low >= bound or low >= _TWO_TO_32 % bound:
            return np.int64(product >> HALF_BITS)
