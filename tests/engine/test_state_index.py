"""Distinct states and their positions, as plain Python: kernels compile the same steps."""

import random

import numpy as np
import pytest

from analyser.engine.state_index import NOT_FOUND, find, find_or_add, first_slot, state_index, with_room


@pytest.fixture(autouse=True)
def _whole_numbers_that_wrap():
    with np.errstate(over="ignore"):
        yield


def test_places_are_kept_while_it_grows():
    rng = random.Random(1)
    states = [rng.randrange(1 << 62) for _ in range(200)]
    index = state_index(1)
    for _ in range(2):
        for number, state in enumerate(states):
            index = with_room(index, 1)
            assert find_or_add(index, state) == number
    assert index.length[0] == len(states)
    assert [find(index, state) for state in states] == list(range(len(states)))
    assert find(index, 1 << 62) == NOT_FOUND


@pytest.mark.parametrize("bit", range(0, 62, 2))
def test_states_that_differ_in_a_few_bits_begin_apart(bit):
    index = state_index(256)
    slots = {first_slot(index, number << bit & (1 << 62) - 1) for number in range(64)}
    assert len(slots) >= min(64, 1 << (62 - bit)) // 2
