"""Counts that are mostly 0, beside the arrays that they stand for."""

import numpy as np
import pytest

from analyser.engine.chain.chain import Recorded, Sparse, SparseRow

WHOLE = np.random.default_rng(1).integers(-4, 5, (6, 40)).clip(0).astype(float)
SPARSE = Sparse([SparseRow(row.nonzero()[0], row[row.nonzero()]) for row in WHOLE], 40)
MASK = np.arange(40) % 3 == 1


@pytest.mark.parametrize(
    "asked",
    [
        lambda counts: counts @ np.arange(40),
        lambda counts: counts @ (np.arange(40)[:, None] % np.array([2, 3]) == 0),
        lambda counts: counts[:, MASK].sum(axis=1),
        lambda counts: counts[:, MASK] @ np.arange(13),
        lambda counts: counts[1::2][:, MASK].sum(axis=0),
        lambda counts: counts[0, MASK].sum(),
        lambda counts: counts[-1],
        lambda counts: counts[2::3].sum(axis=0),
        lambda counts: np.array([law[MASK].sum() for law in counts]),
        lambda counts: Recorded(np.arange(40), counts).grouped(np.arange(40) % 7, 8),
        lambda counts: Recorded(np.arange(40) * 2, counts).dense_weights(80),
        lambda counts: np.array([len(counts), *counts.shape]),
    ],
)
def test_they_answer_as_arrays_do(asked):
    assert asked(SPARSE).tolist() == asked(WHOLE).tolist()
