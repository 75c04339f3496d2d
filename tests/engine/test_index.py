"""Distinct states and their places, as plain Python: kernels compile the same steps."""

import random

import numpy as np
import pytest

from analyser.engine.index import NOWHERE, first_slot, gathering, place_of, seek, with_room


@pytest.fixture(autouse=True)
def _whole_numbers_that_wrap():
    with np.errstate(over="ignore"):
        yield


def test_places_are_kept_while_it_grows():
    rng = random.Random(1)
    states = [rng.randrange(1 << 62) for _ in range(200)]
    among = gathering(1)
    for _ in range(2):
        for number, state in enumerate(states):
            among = with_room(among, 1)
            assert place_of(among, state) == number
    assert among.length[0] == len(states)
    assert [seek(among, state) for state in states] == list(range(len(states)))
    assert seek(among, 1 << 62) == NOWHERE


@pytest.mark.parametrize("bit", range(0, 62, 2))
def test_states_that_differ_in_a_few_bits_begin_apart(bit):
    among = gathering(256)
    slots = {first_slot(among, number << bit & (1 << 62) - 1) for number in range(64)}
    assert len(slots) >= min(64, 1 << (62 - bit)) // 2
