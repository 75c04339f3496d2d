"""Some trials of a longer fight abreast, each in its lane: where they are, and what they are about to do."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from analyser.common.jit import Whole
from analyser.game.cards import HIGHEST_CARD, MOST_CARDS

ABREAST = 64
RING = np.uint64(2 * ABREAST - 1)  # places in a ring go up to here, and begin again
_BITS, _LINE = 64, 64
MOST_WORDS = -(-(HIGHEST_CARD + 2) // (_BITS // (MOST_CARDS.bit_length() + 1)))  # of a deck, one field a mark


class Lanes:
    """Trials abreast, as one record.

    Attributes
    ----------
    place, row : uint64 arrays, shape (ABREAST,)
        Where each waits, and how many parts it has begun.
    turn, to : uint64 arrays
        The turn that it takes, and the crossing to which that leads.
    shown, last, fresh : uint64 arrays
        One more than the place of its card among those left; whether it was the last card; whether the lane has begun a
        trial.
    left : uint64 array, shape (2, words, ABREAST)
        What is left of the two decks (:mod:`.decks`). Here, so that the compiler sees that it is no other array.
    ends : uint64 array
        The lanes whose part has ended: those from `at` up to `many`, in a ring (RING).
    active, lane, stage : int
        Lanes in use; the lane that goes on, and with which pass.
    begun, trials : int
        Trials so far, and of the chunk.
    sweeps, counted : int
        How often all have taken a turn; and as often those were counted before that the chunk was begun anew.
    first, first_row : uint64
        Where trials begin, and how many parts they have begun by then.
    """

    place: Any
    row: Any
    turn: Any
    to: Any
    shown: Any
    last: Any
    fresh: Any
    left: Any
    ends: Any
    active: Whole
    lane: Whole
    stage: Whole
    at: Whole
    many: Whole
    begun: Whole
    trials: Whole
    sweeps: Whole
    counted: Whole
    first: Whole
    first_row: Whole


_LANES = np.dtype(
    (
        np.record,
        [
            *((name, np.uint64, (ABREAST,)) for name in ("place", "row", "turn", "to", "shown", "last", "fresh")),
            ("left", np.uint64, (2, MOST_WORDS, ABREAST)),
            ("ends", np.uint64, (2 * ABREAST,)),
            *(
                (name, np.int64)
                for name in ("active", "lane", "stage", "at", "many", "begun", "trials", "sweeps", "counted")
            ),
            ("first", np.uint64),
            ("first_row", np.uint64),
        ],
    )
)


def no_lanes() -> Lanes:
    """No trial has begun; where a line of the processor's cache begins, as wide instructions like it."""
    memory = np.zeros(_LANES.itemsize + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    return cast("Lanes", memory[first : first + _LANES.itemsize].view(_LANES)[0])
