"""The decks of a longer fight: two a trial, drawn from without replacement and shuffled when empty (AC-5.1, AC-9.3)."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from analyser.cards import MOST_CARDS
from analyser.engine.streams import counter_of_chunk, fill
from analyser.jit import Whole, inlined, step

CHUNK_TRIALS = 1 << 15
_BITS = 64
_BITS_LOG = np.uint64(6)
_WORDS = -(-MOST_CARDS // _BITS)
_DRAWS = 2048  # of 32 bits, made at once
_HALF, _LOWER, _ONE = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1)


class Decks:
    """The decks of both sides of all trials of a chunk, and the random words that cards are drawn by, as one record.

    Attributes
    ----------
    values : int64 array
        The values of the cards of a full deck in rising order, of which there are `cards`.
    cards : int
    full : uint64 array
        A set bit for each card, in so many `words`.
    words : int
    left : uint64 array, shape (2, words, trials)
        A set bit for each card that has not been drawn yet.
    replacement : int
        Whether every card comes from a full deck (AC-9.3).
    picked : int32 array
        Cards of a full deck picked at random, of which those from `next` up to `end` are still to be used.
    next, end : int
    draws : uint64 array
        Where random words are made.
    counter, gamma : uint64
        Of the stream of random words.
    """

    values: Any
    cards: int
    full: Any
    words: int
    left: Any
    replacement: int
    picked: Any
    next: int
    end: int
    draws: Any
    counter: np.uint64
    gamma: np.uint64


_DECKS = np.dtype(
    (
        np.record,
        [
            ("values", np.int64, (MOST_CARDS,)), ("cards", np.int64), ("full", np.uint64, (_WORDS,)),
            ("words", np.int64), ("left", np.uint64, (2, _WORDS, CHUNK_TRIALS)), ("replacement", np.int64),
            ("picked", np.int32, (_DRAWS,)), ("next", np.int64), ("end", np.int64),
            ("draws", np.uint64, (_DRAWS // 2,)), ("counter", np.uint64), ("gamma", np.uint64),
        ],
    )
)  # fmt: skip


def decks_for(deck: NDArray[np.int64], replacement: bool) -> Decks:
    """Decks for a chunk of trials; `deck` has the copies by card value."""
    values = np.repeat(np.arange(len(deck)), deck)
    decks: Any = np.zeros(1, _DECKS)[0]
    decks.cards, decks.replacement = len(values), replacement
    decks.values[: len(values)] = values
    decks.words = -(-len(values) // _BITS)
    for card in range(len(values)):
        decks.full[card // _BITS] |= _ONE << np.uint64(card % _BITS)
    return cast("Decks", decks)


@step
def shuffle_all(decks: Decks, trials: int, start: np.uint64, gamma: np.uint64, chunk: int) -> None:
    """Make the decks of a chunk full, and begin its stream of random words."""
    for side in range(2):
        for word in range(decks.words):
            for trial in range(trials):
                decks.left[side, word, trial] = decks.full[word]
    decks.next, decks.end = 0, 0
    decks.counter, decks.gamma = counter_of_chunk(start, gamma, chunk), gamma


@step
def pick_cards(decks: Decks) -> None:
    """Pick cards of a full deck, each as likely as any other.

    By multiplication; words with a half that would favour some cards are left out, which hardly ever happens.
    """
    decks.counter = fill(decks.draws, len(decks.draws), decks.counter, decks.gamma)
    many = np.uint64(decks.cards)
    least, favoured = (_ONE << _HALF) % many, np.uint64(0)
    for place in range(np.uint64(len(decks.draws))):
        word = decks.draws[place]
        lower, upper = (word & _LOWER) * many, (word >> _HALF) * many
        decks.picked[place], decks.picked[place + np.uint64(len(decks.draws))] = lower >> _HALF, upper >> _HALF
        favoured += np.uint64(lower & _LOWER < least) + np.uint64(upper & _LOWER < least)
    decks.next, decks.end = 0, len(decks.picked)
    if favoured:
        leave_out(decks, many, least)


@step
def leave_out(decks: Decks, many: Any, least: Any) -> None:
    """Pick from those words alone that favour no card."""
    picked = 0
    for word in decks.draws:
        lower, upper = (word & _LOWER) * many, (word >> _HALF) * many
        if lower & _LOWER >= least and upper & _LOWER >= least:
            decks.picked[picked], decks.picked[picked + 1] = lower >> _HALF, upper >> _HALF
            picked += 2
    decks.end = picked


@step
def draw_card(decks: Decks, side: int, trial: Whole) -> Any:
    """The place in a full deck of the card that a trial draws.

    The first card picked at random that has not been drawn before is one of those left, each as likely as any other.
    """
    while True:
        while decks.next == decks.end:
            pick_cards(decks)
        card = np.uint64(decks.picked[decks.next])
        decks.next += 1
        if take(decks, side, trial, card):
            return np.int64(card)


@step
def have_cards(decks: Decks, many: int) -> None:
    """Make sure that so many cards are picked; no more than half of what is picked at once."""
    while decks.end - decks.next < many:
        pick_cards(decks)


@inlined
def take(decks: Decks, side: int, trial: Whole, card: Whole) -> bool:
    """Take a card out of a deck if it is there; the last one leaves a full deck behind."""
    if decks.replacement:
        return True
    word, bit = card >> _BITS_LOG, _ONE << (card & np.uint64(_BITS - 1))
    before = decks.left[side, word, trial]
    decks.left[side, word, trial] = before & ~bit
    if before == bit:
        shuffle_if_empty(decks, side, trial)
    return bool(before & bit)


@step
def shuffle_if_empty(decks: Decks, side: int, trial: Whole) -> None:
    """Make a deck full if all its cards have been drawn."""
    for word in range(decks.words):
        if decks.left[side, word, trial]:
            return
    for word in range(decks.words):
        decks.left[side, word, trial] = decks.full[word]


@step
def one_of(decks: Decks, number: int) -> Any:
    """A whole number from 0 up to, not including, `number`, each as likely as any other."""
    many = np.uint64(number)
    while True:  # by multiplication; a word whose lower half would favour some numbers is drawn again
        decks.counter = fill(decks.draws, 1, decks.counter, decks.gamma)
        product = (decks.draws[0] >> _HALF) * many
        if product & _LOWER >= (_ONE << _HALF) % many:
            return np.int64(product >> _HALF)
