"""States brought together: a growing list of distinct whole numbers that knows the place of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step

_GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
NOWHERE = -1
_SLOTS_A_STATE = 4  # keeps chains of collisions short


class Gathering(NamedTuple):
    """Distinct states in the order in which they came.

    Attributes
    ----------
    states : int64 array
        The first `length[0]` of them count.
    slots : int64 array
        A table of places in `states`, found by hashing; its length is a power of two.
    length : int64 array, shape (1,)
    """

    states: NDArray[np.int64]
    slots: NDArray[np.int64]
    length: NDArray[np.int64]


@step
def gathering(room: int) -> Gathering:
    """An empty one with room for at least `room` states."""
    size = 16
    while size < room:
        size *= 2
    return Gathering(np.empty(size, np.int64), np.full(size * _SLOTS_A_STATE, NOWHERE, np.int64), np.zeros(1, np.int64))


@step
def first_slot(among: Gathering, state: int) -> int:
    """Where the search for a state begins. Its upper half counts too: some states differ in nothing else."""
    word = np.uint64(state) ^ np.uint64(state) >> _HALF
    return int(np.int64(word * _GOLDEN_GAMMA >> _HALF) & (len(among.slots) - 1))


@step
def seek(among: Gathering, state: int) -> int:
    """The place of `state`; NOWHERE if it is not among them."""
    mask = len(among.slots) - 1
    slot = first_slot(among, state)
    while among.slots[slot] != NOWHERE:
        place = among.slots[slot]
        if among.states[place] == state:
            return int(place)
        slot = (slot + 1) & mask
    return NOWHERE


@step
def place_of(among: Gathering, state: int) -> int:
    """The place of `state`, which is added if it is new; there must be room for it."""
    mask = len(among.slots) - 1
    slot = first_slot(among, state)
    while among.slots[slot] != NOWHERE:
        place = among.slots[slot]
        if among.states[place] == state:
            return int(place)
        slot = (slot + 1) & mask
    place = among.length[0]
    among.slots[slot] = place
    among.states[place] = state
    among.length[0] = place + 1
    return int(place)


@step
def with_room(among: Gathering, more: int) -> Gathering:
    """The same with room for `more` further states: itself, or a larger copy with every place kept."""
    needed = among.length[0] + more
    if needed <= len(among.states):
        return among
    larger = gathering(2 * needed)
    for place in range(among.length[0]):
        place_of(larger, among.states[place])
    return larger
