"""What is compiled for a kernel is of use to other compiled functions of the same program, and the other way round."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python

from analyser.common import jit


def total(room: int) -> float:
    found = np.zeros((room, max(room, 2)))
    found[0, 0] = min(room, 5)
    return found.sum() + np.ones(room).sum() + (room in (3, 4))


@pytest.mark.slow
@pytest.mark.parametrize(("error_model", "is_first"), [("numpy", True), ("python", False)])
def test_a_kernel_and_a_function_of_somebody_else_share_the_compilers_own(error_model, is_first):
    kernel, other = jit.kernel(total), numba.njit(total, error_model=error_model)
    for each in (kernel, other) if is_first else (other, kernel):
        assert each(3) == total(3) == 3.0 + 3.0 + 1.0


def last(numbers: np.ndarray, place: int) -> float:
    return numbers[-1] + numbers[place]


def test_kernels_count_from_the_end_as_python_does():
    numbers = np.array([1.0, 2.0, 4.0])
    assert jit.kernel(last)(numbers, -2) == last(numbers, -2) == 6.0


class Pair(NamedTuple):
    one: np.ndarray
    two: np.ndarray


@jit.step
def longer(numbers, room):
    return numbers if len(numbers) >= room else np.zeros(room)


@jit.step
def swapped(pair):
    return Pair(pair.two, pair.one)


@jit.step
def rest_of(numbers):
    return numbers[1:]


@jit.step
def filled(pair, value):
    for numbers in pair:
        part = numbers[1:]
        for place in range(len(part)):
            part[place] = value
    return pair.one[-1] + pair.two[-1]


@jit.step
def copied(pair):
    pair.one[:] = pair.two[: len(pair.one)]
    return pair.one.sum()


def handed_about(given, room):
    """Arrays made, borrowed, swapped, cut and dropped by steps."""
    pair, total = Pair(given, longer(given, room)), 0.0
    for number in range(room):
        pair = swapped(Pair(pair.one, longer(pair.two, number)))
        total += filled(pair, float(number))
        rest = rest_of(pair.one)
        if len(rest) > 2:
            total += rest[0]
        if len(pair.one) <= len(pair.two):
            total += copied(pair)
    return total, pair.one, rest_of(rest_of(pair.two))


@pytest.mark.slow
def test_arrays_that_steps_borrow_are_given_back_once():
    memory = numba.core.runtime.rtsys
    kernel, given = jit.kernel(handed_about), np.ones(3)
    kernel(np.ones(3), 9)  # compiled
    was_counted = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    try:
        before = memory.get_allocation_stats()
        for _ in range(3):
            found, expected = kernel(given.copy(), 9), handed_about(given.copy(), 9)
            assert found[0] == expected[0]
            assert [each.tolist() for each in found[1:]] == [each.tolist() for each in expected[1:]]
        del found
        after = memory.get_allocation_stats()
    finally:
        if not was_counted:
            _nrt_python.memsys_disable_stats()
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 0
    assert after.alloc - before.alloc == after.free - before.free > 0


ANSWERS = """
import sys
from analyser.common import compiler, jit
compiler.LINKS_ONCE = sys.argv[1] == "linked"
import analyser
one, other, sample = "crown/rifle-platoon@basic", "scion-grenadier-p@basic", {"trials": 2000, "seed": 1, "threads": 1}
with jit.interpreted(False):
    for ask in (analyser.attack, analyser.charge, analyser.duel):
        print(ask(one, other).as_dict()["summary"])
        print(ask(one, other, method="monte-carlo", **sample).as_dict()["summary"])
"""


@pytest.mark.proof
def test_public_numba_alone_gives_the_same_numbers(tmp_path):
    root = Path(__file__).parents[2]
    answers = []
    for way in ("linked", "plain"):
        folder = tmp_path / way
        folder.mkdir(mode=0o700)
        environment = {**os.environ, "PYTHONPATH": str(root), "NUMBA_CACHE_DIR": str(folder)}
        command = [sys.executable, "-c", ANSWERS, way]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert list(folder.rglob("*.nbc"))
        answers.append(done.stdout)
    assert answers[0] == answers[1]
    assert answers[0].count("p_") > 50
