"""Counts that are mostly 0: rows of them, each with the columns where it has any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class SparseRow(NamedTuple):
    """Where a row is not 0, in order, and what stands there; shapes (entries,)."""

    columns: NDArray[np.int64]
    values: NDArray[np.float64]


class Sparse:
    """What laws of states are asked for as arrays, of counts that would not fit into one.

    Parameters
    ----------
    rows : sequence of SparseRow
    width : int
        How many columns there are.
    """

    def __init__(self, rows: Sequence[SparseRow], width: int) -> None:
        self.rows = tuple(rows)
        self.shape = (len(self.rows), width)
        self.dtype = np.dtype(np.float64)

    def __len__(self) -> int:
        return len(self.rows)

    def __matmul__(self, other: NDArray[Any]) -> NDArray[np.float64]:
        return np.array([row.values @ other[row.columns].astype(np.float64) for row in self.rows])

    def __getitem__(self, key: slice | int | tuple[slice | int, NDArray[np.bool_]]) -> Any:
        """Some rows, and of these some columns, told by a mask; of one row alone an array."""
        which, mask = key if isinstance(key, tuple) else (key, None)
        if isinstance(which, int):
            row = self.rows[which]
            whole = np.zeros(self.shape[1])
            whole[row.columns] = row.values
            return whole if mask is None else whole[mask]
        if mask is None:
            return Sparse(self.rows[which], self.shape[1])
        places = np.cumsum(mask) - 1
        rows = [(row, mask[row.columns]) for row in self.rows[which]]
        kept = [SparseRow(places[row.columns[here]], row.values[here]) for row, here in rows]
        return Sparse(kept, int(np.count_nonzero(mask)))

    def sum(self, axis: int) -> NDArray[np.float64]:
        """The sum of each column (axis 0), or of each row (axis 1)."""
        if axis == 1:
            return np.array([row.values.sum() for row in self.rows])
        columns = np.concatenate([row.columns for row in self.rows])
        values = np.concatenate([row.values for row in self.rows])
        return np.asarray(np.bincount(columns, values, self.shape[1]), np.float64)

    def toarray(self) -> NDArray[np.float64]:
        """The whole of it."""
        return np.array([self[row] for row in range(len(self))])
