"""The random words of a chunk of trials, and what is drawn by them besides dice and cards of real decks."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from analyser.common.jit import Whole, kernel, step
from analyser.engine.rng import counter_of_chunk, fill

_WORDS = 128  # made at once
DRAWS = 2 * _WORDS  # of 32 bits each
HALF, LOWER = np.uint64(32), np.uint64((1 << 32) - 1)
_ALL = 1 << 32


class Chance:
    """A stream of random words, as one record.

    Attributes
    ----------
    counter, gamma : uint64
        Of the stream (:mod:`~analyser.engine.rng`).
    words : uint64 array
        Where words are made.
    draws : uint32 array, shape (DRAWS,)
        Draws, of which those from `next` on are to be used.
    next : int
    """

    counter: np.uint64
    gamma: np.uint64
    words: Any
    draws: Any
    next: int


_CHANCE = np.dtype(
    (
        np.record,
        [
            ("counter", np.uint64),
            ("gamma", np.uint64),
            ("words", np.uint64, (_WORDS,)),
            ("draws", np.uint32, (DRAWS,)),
            ("next", np.int64),
        ],
    )
)


def no_chance() -> Chance:
    """No stream yet."""
    chance: Any = np.zeros(1, _CHANCE)[0]
    return cast("Chance", chance)


@step
def begin_stream(chance: Chance, stream: tuple[np.uint64, np.uint64], chunk: int) -> None:
    """Begin the stream of a chunk."""
    chance.counter, chance.gamma = counter_of_chunk(stream[0], stream[1], chunk), stream[1]
    chance.next = DRAWS


@kernel
def draw_again(chance: Chance) -> None:
    """Make new draws."""
    chance.counter = fill(chance.words, _WORDS, chance.counter, chance.gamma)
    for place in range(_WORDS):
        chance.draws[place] = chance.words[place] & LOWER
        chance.draws[_WORDS + place] = chance.words[place] >> HALF
    chance.next = 0


@step
def next_draw(chance: Chance) -> np.uint64:
    """A whole number of 32 bits."""
    if chance.next == DRAWS:
        draw_again(chance)
    chance.next += 1
    return np.uint64(chance.draws[chance.next - 1])


@step
def one_of(chance: Chance, number: Whole) -> Any:
    """A whole number from 0 up to, not including, `number`, each as likely as any other."""
    each = _ALL // number
    while True:  # the last draws would favour some
        found = np.int64(next_draw(chance)) // each
        if found < number:
            return np.int64(found)


@step
def among(chance: Chance, number: int, below: int, many: int) -> Any:
    """How many of so many such whole numbers are less than `below`."""
    each = _ALL // number
    limit, end = np.uint64(each * below), np.uint64(each * number)
    found = np.uint64(0)
    left: Whole = many
    while left > 0:
        if chance.next == DRAWS:
            draw_again(chance)
        some = min(left, DRAWS - chance.next)
        good = np.uint64(0)
        for place in range(np.uint64(chance.next), np.uint64(chance.next + some)):
            draw = np.uint64(chance.draws[place])
            found += np.uint64(draw < limit)
            good += np.uint64(draw < end)
        chance.next += some
        left -= np.int64(good)
    return np.int64(found)
