"""Counts that are mostly 0: rows of them, each with the columns where it has any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class SparseRow(NamedTuple):
    """The columns, in order, where a row is not 0, and its values there; shapes (entries,)."""

    columns: NDArray[np.int64]
    values: NDArray[np.float64]


class Sparse:
    """A sparse matrix that answers what distributions of states are asked as arrays."""

    def __init__(self, rows: Sequence[SparseRow], width: int) -> None:
        self.rows = tuple(rows)
        self.shape = (len(self.rows), width)
        self.dtype = np.dtype(np.float64)

    def __len__(self) -> int:
        return len(self.rows)

    def __matmul__(self, other: NDArray[Any]) -> NDArray[np.float64]:
        return np.array([row.values @ other[row.columns].astype(np.float64) for row in self.rows])

    def __getitem__(self, key: slice | int | tuple[slice | int, NDArray[np.bool_]]) -> Any:
        """Some rows, and of these the columns that a mask selects; of one row alone an array."""
        which, mask = key if isinstance(key, tuple) else (key, None)
        if isinstance(which, int):
            row = np.zeros(self.shape[1])
            row[self.rows[which].columns] = self.rows[which].values
            return row if mask is None else row[mask]
        if mask is None:
            return Sparse(self.rows[which], self.shape[1])
        positions = np.cumsum(mask) - 1
        selected = [(row, mask[row.columns]) for row in self.rows[which]]
        rows = [SparseRow(positions[row.columns[here]], row.values[here]) for row, here in selected]
        return Sparse(rows, int(np.count_nonzero(mask)))

    def sum(self, axis: int) -> NDArray[np.float64]:
        """The sum of each column (axis 0), or of each row (axis 1)."""
        if axis == 1:
            return np.array([row.values.sum() for row in self.rows])
        columns, values = (np.concatenate(part) for part in zip(*self.rows))
        return np.asarray(np.bincount(columns, values, self.shape[1]), np.float64)

    def toarray(self) -> NDArray[np.float64]:
        """The same as an array."""
        return np.array([self[row] for row in range(len(self))])
