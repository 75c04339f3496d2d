"""Trials in lockstep, each in its lane: where they are, and what they are about to do."""

from __future__ import annotations

from typing import Annotated, Any, cast

import numpy as np

from analyser.engine.records import Whole, record_type
from analyser.game.ruleset import HIGHEST_CARD, MOST_CARDS

ABREAST = 64
RING = np.uint64(2 * ABREAST - 1)  # places in a ring go up to here, and begin again
_BITS, _LINE = 64, 64
MOST_WORDS = -(-(HIGHEST_CARD + 2) // (_BITS // (MOST_CARDS.bit_length() + 1)))  # of a deck, one field a threshold


class Lanes:
    """Trials in lockstep, as one record."""

    place: Annotated[Any, np.uint64, (ABREAST,)]  # where each waits,
    row: Annotated[Any, np.uint64, (ABREAST,)]  # and how many parts it has begun
    transition: Annotated[Any, np.uint64, (ABREAST,)]  # the transition that it takes,
    to: Annotated[Any, np.uint64, (ABREAST,)]  # and the node to which that leads
    shown: Annotated[Any, np.uint64, (ABREAST,)]  # one more than the place of its card among those left
    last: Annotated[Any, np.uint64, (ABREAST,)]  # whether it was the last card
    fresh: Annotated[Any, np.uint64, (ABREAST,)]  # whether the lane has begun a trial
    # What is left of the two decks (:mod:`.decks`): here, so that the compiler sees that it is no other array.
    left: Annotated[Any, np.uint64, (2, MOST_WORDS, ABREAST)]
    ends: Annotated[Any, np.uint64, (2 * ABREAST,)]  # lanes whose part has ended: from `at` up to `many`, in a ring
    active: Whole  # lanes in use
    lane: Whole  # the lane that goes on,
    stage: Whole  # and with which pass
    at: Whole
    many: Whole
    begun: Whole  # trials so far,
    trials: Whole  # and of the chunk
    sweeps: Whole  # how often all have taken a transition
    counted: Whole  # as often those were counted before that the chunk was begun anew
    first: Annotated[Any, np.uint64]  # where trials begin,
    first_row: Annotated[Any, np.uint64]  # and how many parts they have begun by then


_LANES = record_type(Lanes)


def no_lanes() -> Lanes:
    """No trial has begun; aligned to a cache line, for wide vector instructions."""
    memory = np.zeros(_LANES.itemsize + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    return cast("Lanes", memory[first : first + _LANES.itemsize].view(_LANES)[0])
