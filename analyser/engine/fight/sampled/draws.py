"""The random words of a chunk of trials, and what is drawn by them besides dice and cards of real decks."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from analyser.common.jit import Whole, kernel, step
from analyser.common.records import Int
from analyser.engine.rng import counter_of_chunk, fill

_WORDS = 128  # made at once
DRAWS = 2 * _WORDS  # of 32 bits each
HALF, LOWER = np.uint64(32), np.uint64((1 << 32) - 1)
_ALL = 1 << 32


class RandomDraws:
    """A stream of random words (:mod:`~analyser.engine.rng`), as one record."""

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
