"""Streams of random words: SplitMix64 by counter, one stream for every (seed, chunk).

SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014) mixes a counter
that grows by an odd constant, so word i is a function of i alone: words can be made in any order and many at a
time. A seed is hashed (NumPy's SeedSequence) into a start and an odd step of its own, so that near seeds share
nothing; the chunks of a seed are 2**32 words apart on its one sequence, so that they never overlap.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import Whole, kernel, step, step_for
from analyser.common.records import Int

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_ONE = np.uint64(1)
WORDS_A_CHUNK = np.uint64(1 << 32)
_FEWEST_STEPS = 24  # a step whose bits hardly change from one to the next makes weak counters (same paper)
_WORDS = 128  # made at once for trials that draw one by one
DRAWS = 2 * _WORDS  # of 32 bits each
HALF, LOWER = np.uint64(32), np.uint64((1 << 32) - 1)
_ALL = 1 << 32


class Stream(NamedTuple):
    """Where a seed's sequence starts, and the odd step of its counter."""

    start: np.uint64
    gamma: np.uint64


@lru_cache(maxsize=256)
def stream_of(seed: int, *parts: int) -> Stream:
    """The stream of a seed or, of a seed for several things, of one of its parts; all are 0 or more, of any size."""
    start, *candidates = np.random.SeedSequence(seed, spawn_key=parts).generate_state(9, np.uint64)
    gammas = [gamma | _ONE for gamma in candidates]
    steps = [int(gamma ^ (gamma >> _ONE)).bit_count() for gamma in gammas]
    good = next((gamma for gamma, changes in zip(gammas, steps) if changes >= _FEWEST_STEPS), GOLDEN_GAMMA)
    return Stream(np.uint64(start), np.uint64(good))


def _interpreted_counter(start: np.uint64, gamma: np.uint64, chunk: int) -> np.uint64:
    words = int(start) + int(gamma) * (int(WORDS_A_CHUNK) * int(chunk))
    return np.uint64(words & np.iinfo(np.uint64).max)


@step_for(_interpreted_counter)
def counter_of_chunk(start: np.uint64, gamma: np.uint64, chunk: int) -> np.uint64:
    """The counter before the first word of a chunk."""
    return start + gamma * (WORDS_A_CHUNK * np.uint64(chunk))


@step
def word_of(counter: np.uint64) -> np.uint64:
    """The word that a counter is mixed into."""
    word = (counter ^ (counter >> _SHIFT_1)) * _MIX_1
    word = (word ^ (word >> _SHIFT_2)) * _MIX_2
    return word ^ (word >> _SHIFT_3)


@kernel
def fill(words: NDArray[np.uint64], count: int, counter: np.uint64, gamma: np.uint64) -> np.uint64:
    """Put the next `count` words of a stream into `words`; the counter after them."""
    for place in range(count):
        counter += gamma
        words[place] = word_of(counter)
    return counter


class RandomDraws:
    """A stream as one record, and what of it is drawn besides dice and cards of real decks."""

    counter: Annotated[Any, np.uint64]
    gamma: Annotated[Any, np.uint64]
    words: Annotated[Any, np.uint64, (_WORDS,)]  # where words are made
    draws: Annotated[Any, np.uint32, (DRAWS,)]  # those from `next` on are to be used
    next: Int


@step
def begin_stream(random: RandomDraws, stream: tuple[np.uint64, np.uint64], chunk: int) -> None:
    """Begin the stream of a chunk."""
    random.counter, random.gamma = counter_of_chunk(stream[0], stream[1], chunk), stream[1]
    random.next = DRAWS


@kernel
def draw_again(random: RandomDraws) -> None:
    """Refill the buffer of draws."""
    random.counter = fill(random.words, _WORDS, random.counter, random.gamma)
    for place in range(_WORDS):
        random.draws[place] = random.words[place] & LOWER
        random.draws[_WORDS + place] = random.words[place] >> HALF
    random.next = 0


@step
def next_draw(random: RandomDraws) -> np.uint64:
    """32 random bits."""
    if random.next == DRAWS:
        draw_again(random)
    random.next += 1
    return np.uint64(random.draws[random.next - 1])


@step
def one_of(random: RandomDraws, number: Whole) -> Any:
    """An integer in [0, number), uniformly distributed: draws that would favour some are rejected."""
    each = _ALL // number
    while True:  # the last draws would favour some
        found = np.int64(next_draw(random)) // each
        if found < number:
            return np.int64(found)


@step
def among(random: RandomDraws, number: int, below: int, many: int) -> Any:
    """How many of `many` such integers are less than `below`: a binomial number, one draw a trial."""
    each = _ALL // number
    limit, end = np.uint64(each * below), np.uint64(each * number)
    found = np.uint64(0)
    left: Whole = many
    while left > 0:
        if random.next == DRAWS:
            draw_again(random)
        some = min(left, DRAWS - random.next)
        good = np.uint64(0)
        for place in range(np.uint64(random.next), np.uint64(random.next + some)):
            draw = np.uint64(random.draws[place])
            found += np.uint64(draw < limit)
            good += np.uint64(draw < end)
        random.next += some
        left -= np.int64(good)
    return np.int64(found)
