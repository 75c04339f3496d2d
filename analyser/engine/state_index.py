"""Index that numbers distinct states: a list of states, and a hash table (open addressing, linear probing)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analyser.common.jit import inlined, step, step_for
from analyser.common.kernel_records import Integers
from analyser.engine.rng import GOLDEN_GAMMA

_HALF = np.uint64(32)
NOT_FOUND = -1
_SLOTS_PER_STATE = 4  # a sparse table, in which few states collide
_FACTOR = 0x9E3779B1  # odd, near 2**32 over the golden ratio: multiplying by it spreads close numbers
_LOW_32 = 0xFFFFFFFF


class StateIndex(NamedTuple):
    """Distinct states in the order of their addition."""

    states: Integers  # the first `length[0]` are valid
    slots: Any  # hash table of positions in `states` (length: a power of two); a dictionary in the interpreter
    length: Integers  # (1,): number of states


def _interpreted_find_or_add(index: StateIndex, state: int) -> int:
    position: int | None = index.slots.get(state)
    if position is None:
        position = index.slots[state] = len(index.slots)
        index.states[position] = state
        index.length[0] += 1
    return position


@inlined
def mix_in(mixed: int, number: int) -> int:
    """Return a 32-bit hash with the lower 32 bits of one more number mixed in; also right in the interpreter."""
    mixed = (mixed ^ (int(number) & _LOW_32)) * _FACTOR & _LOW_32
    return mixed ^ mixed >> 15


@step_for(lambda room: StateIndex(np.empty(room, np.int64), {}, np.zeros(1, np.int64)))
def state_index(room: int) -> StateIndex:
    """Return an empty index with capacity for at least `room` states."""
    size = 16
    while size < room:
        size *= 2
    slots = np.full(size * _SLOTS_PER_STATE, NOT_FOUND, np.int64)
    return StateIndex(np.empty(size, np.int64), slots, np.zeros(1, np.int64))


@inlined
def first_slot(index: StateIndex, state: int) -> int:
    """Return the first slot to probe. The hash mixes in the state's upper half, as some states differ only there."""
    word = np.uint64(state) ^ np.uint64(state) >> _HALF
    return int(np.int64(word * GOLDEN_GAMMA >> _HALF) & (len(index.slots) - 1))


@inlined
def slot_of(index: StateIndex, state: int) -> int:
    """Return the slot that holds the position of `state`, or the empty slot for a new state."""
    mask, slot = len(index.slots) - 1, first_slot(index, state)
    while index.slots[slot] != NOT_FOUND and index.states[index.slots[slot]] != state:
        slot = (slot + 1) & mask
    return slot


@step_for(lambda index, state: index.slots.get(state, NOT_FOUND))
def find(index: StateIndex, state: int) -> int:
    """Return the position of `state`, or NOT_FOUND."""
    return int(index.slots[slot_of(index, state)])


@step_for(_interpreted_find_or_add)
def find_or_add(index: StateIndex, state: int) -> int:
    """Return the position of `state`, after adding it if it is new. The index must have capacity."""
    slot = slot_of(index, state)
    if index.slots[slot] == NOT_FOUND:
        index.slots[slot] = index.length[0]
        index.states[index.length[0]] = state
        index.length[0] += 1
    return int(index.slots[slot])


@step
def with_room(index: StateIndex, more: int) -> StateIndex:
    """Return the index, or a larger copy with the same positions, so that `more` states can be added."""
    needed = index.length[0] + more
    if needed <= len(index.states):
        return index
    larger = state_index(2 * needed)
    for position in range(index.length[0]):
        find_or_add(larger, index.states[position])
    return larger
