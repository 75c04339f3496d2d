"""Alias tables: one random word draws a value of a distribution (Walker: Electronics Letters 10, 1974)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import Whole, inlined
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.rng import HALF_BITS, LOWER_HALF

_WORDS = 1 << 64  # number of different words
_WORD_BITS = np.uint64(64)

ScorePmf = dict[int, float]  # probabilities of the scores of a pool (:class:`~analyser.rules.attack.Scores`)


@inlined
def draw_value(alias: NDArray[np.uint64], first: Whole, bits: Whole, word: Whole) -> Any:
    """Return the value that a random word draws from the table with 2**`bits` rows that begins at row `first`."""
    row = first + (word >> (_WORD_BITS - bits))
    both = alias[row, 1]
    return np.int64(both & LOWER_HALF if word << bits < alias[row, 0] else both >> HALF_BITS)


class Aliases(NamedTuple):
    """Concatenated alias tables of distributions, with `first` and `bits` of each for :func:`draw_value`."""

    first: NDArray[np.uint64]
    bits: NDArray[np.uint64]
    alias: NDArray[np.uint64]


def aliases_of(pmfs: Sequence[ScorePmf]) -> Aliases:
    """Return the concatenated alias tables of several distributions."""
    tables = [alias_table(pmf) for pmf in pmfs]
    sizes = np.array([len(table) for table in tables], np.uint64)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.uint64)
    bits = np.array([int(size).bit_length() - 1 for size in sizes], np.uint64)
    return Aliases(first, bits, np.concatenate(tables))


def score_table(pmf: Floats) -> tuple[Integers, NDArray[np.uint64]]:
    """Return the possible scores of a pool, and an alias table that draws the index of a score."""
    scores = np.flatnonzero(pmf)
    return scores, alias_table(dict(enumerate(pmf[scores].tolist())))


def alias_table(pmf: ScorePmf) -> NDArray[np.uint64]:
    """Return the alias table of a distribution.

    Column 0 has a threshold. Column 1 packs the value drawn by words below it (lower half), and by others (upper half).

    >>> alias_table({3: 0.5, 1: 0.5})[:, 1].tolist() == [3 | 3 << 32, 1 | 1 << 32]
    True
    """
    rows = max(1 << (len(pmf) - 1).bit_length(), 2)
    values = [*pmf, *[next(iter(pmf))] * (rows - len(pmf))]
    share = [probability * rows for probability in pmf.values()] + [0.0] * (rows - len(pmf))
    small = [row for row in range(rows) if share[row] < 1.0]
    large = [row for row in range(rows) if share[row] >= 1.0]
    alias_row = list(range(rows))
    while small and large:
        row, giver = small.pop(), large[-1]
        alias_row[row] = giver
        share[giver] -= 1.0 - share[row]
        if share[giver] < 1.0:
            small.append(large.pop())
    for row in (*small, *large):  # rows that remain because of rounding draw only their own value
        share[row], alias_row[row] = 1.0, row
    table = np.empty((rows, 2), np.uint64)
    for row in range(rows):
        table[row, 0] = min(int(share[row] * _WORDS), _WORDS - 1)
        table[row, 1] = values[row] | values[alias_row[row]] << 32
    return table
