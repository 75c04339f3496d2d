"""Counts that are mostly 0, beside the arrays that they stand for."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from analyser.engine.chain.chain import Recorded

WHOLE = np.random.default_rng(1).integers(-4, 5, (6, 40)).clip(0).astype(float)


@pytest.mark.parametrize(
    "asked",
    [
        lambda counts: Recorded(np.arange(40), counts).grouped(np.arange(40) % 7, 8),
        lambda counts: Recorded(np.arange(40) * 2, counts).dense_weights(80),
    ],
)
def test_they_answer_as_arrays_do(asked):
    assert asked(csr_array(WHOLE)).tolist() == asked(WHOLE).tolist()
