"""Index of distinct states: a growing list of integers with a hash table (open addressing, linear probing)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analyser.common.jit import inlined, step, step_for
from analyser.common.records import Integers
from analyser.engine.rng import GOLDEN_GAMMA

_HALF = np.uint64(32)
NOT_FOUND = -1
_SLOTS_A_STATE = 4  # keeps chains of collisions short


class StateIndex(NamedTuple):
    """Distinct states in the order in which they were added."""

    states: Integers  # the first `length[0]` of them count
    slots: Any  # a hash table of their positions, its length a power of two; for the interpreter, a dictionary of them
    length: Integers  # (1,)


def _interpreted_index(room: int) -> StateIndex:
    return StateIndex(np.empty(room, np.int64), {}, np.zeros(1, np.int64))


def _interpreted_find(index: StateIndex, state: int) -> int:
    return int(index.slots.get(state, NOT_FOUND))


def _interpreted_index_of(index: StateIndex, state: int) -> int:
    place: int | None = index.slots.get(state)
    if place is None:
        place = index.slots[state] = len(index.slots)
        index.states[place] = state
        index.length[0] += 1
    return place


@step_for(_interpreted_index)
def state_index(room: int) -> StateIndex:
    """An empty index with room for at least `room` states."""
    size = 16
    while size < room:
        size *= 2
    slots = np.full(size * _SLOTS_A_STATE, NOT_FOUND, np.int64)
    return StateIndex(np.empty(size, np.int64), slots, np.zeros(1, np.int64))


@inlined
def first_slot(index: StateIndex, state: int) -> int:
    """Where probing for a state begins. Its upper half counts too: some states differ in nothing else."""
    word = np.uint64(state) ^ np.uint64(state) >> _HALF
    return int(np.int64(word * GOLDEN_GAMMA >> _HALF) & (len(index.slots) - 1))


@inlined
def slot_of(index: StateIndex, state: int) -> int:
    """The slot that holds the position of `state`, or the empty one where it belongs."""
    mask, slot = len(index.slots) - 1, first_slot(index, state)
    while index.slots[slot] != NOT_FOUND and index.states[index.slots[slot]] != state:
        slot = (slot + 1) & mask
    return slot


@step_for(_interpreted_find)
def find(index: StateIndex, state: int) -> int:
    """The position of `state`; NOT_FOUND if it has not been added."""
    return int(index.slots[slot_of(index, state)])


@step_for(_interpreted_index_of)
def index_of(index: StateIndex, state: int) -> int:
    """The position of `state`, which is added if it is new; there must be room for it."""
    slot = slot_of(index, state)
    if index.slots[slot] == NOT_FOUND:
        index.slots[slot] = index.length[0]
        index.states[index.length[0]] = state
        index.length[0] += 1
    return int(index.slots[slot])


@step
def with_room(index: StateIndex, more: int) -> StateIndex:
    """An index with room for `more` further states: itself, or a larger copy that keeps every position."""
    needed = index.length[0] + more
    if needed <= len(index.states):
        return index
    larger = state_index(2 * needed)
    for position in range(index.length[0]):
        index_of(larger, index.states[position])
    return larger
