"""What is compiled for a kernel is of use to other compiled functions of the same program, and the other way round."""

import numba
import numpy as np
import pytest

from analyser.common import jit


def total(room: int) -> float:
    found = np.zeros((room, max(room, 2)))
    found[0, 0] = min(room, 5)
    return found.sum() + np.ones(room).sum() + (room in (3, 4))


@pytest.mark.slow
@pytest.mark.parametrize("error_model", ["numpy", "python"])
@pytest.mark.parametrize("is_first", [True, False], ids=["kernel first", "kernel last"])
def test_a_kernel_and_a_function_of_somebody_else_share_the_compilers_own(error_model, is_first):
    kernel, other = jit.kernel(total), numba.njit(total, error_model=error_model)
    for each in (kernel, other) if is_first else (other, kernel):
        assert each(3) == total(3) == 3.0 + 3.0 + 1.0
