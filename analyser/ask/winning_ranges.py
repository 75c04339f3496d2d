"""Ranges of a key over which the same lines are best, and Pareto fronts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.text import text_of


class WinningRange(NamedTuple):
    """Successive values at which the same lines are best.

    `before` is the last value before the range, None for the first range. `names` are the best lines, more than one if
    they tie; empty if no line has a value.
    """

    before: Any
    first: Any
    last: Any
    names: tuple[str, ...]


def best_indices(values: Sequence[float], lows: Sequence[float], highs: Sequence[float], *, least: bool) -> list[int]:
    """Return the indices of the best figures; a missing figure is NaN.

    A simulated figure also counts as best if its interval overlaps that of the best figure.

    >>> best_indices([1.0, 3.0, 3.0, float("nan")], [float("nan")] * 4, [float("nan")] * 4, least=False)
    [1, 2]
    """
    sign = -1.0 if least else 1.0
    goodness = sign * np.asarray(values, np.float64)
    if np.isnan(goodness).all():
        return []
    ends = sign * np.array([lows, highs], np.float64)
    best = int(np.nanargmax(goodness))
    rounding = CERTAIN_WITHIN * max(1.0, abs(goodness[best]))
    upper_ends = np.where(np.isnan(ends).any(axis=0), goodness, ends.max(axis=0))
    best_lower_end = goodness[best] if np.isnan(ends[:, best]).any() else ends[:, best].min()
    return np.flatnonzero(upper_ends >= best_lower_end - rounding).tolist()


def winning_ranges(values: Sequence[Any], best: Sequence[tuple[str, ...]]) -> tuple[WinningRange, ...]:
    """Return the ranges of increasing `values` with the same best lines; `best` has the best lines at each value.

    >>> [(span.first, span.last, span.names) for span in winning_ranges([1, 2, 3], [("a",), ("a",), ("b",)])]
    [(1, 2, ('a',)), (3, 3, ('b',))]
    """
    ranges: list[WinningRange] = []
    for index, (value, names) in enumerate(zip(values, best)):
        if ranges and ranges[-1].names == names:
            ranges[-1] = ranges[-1]._replace(last=value)
        else:
            ranges.append(WinningRange(values[index - 1] if index else None, value, value, names))
    return tuple(ranges)


def range_text(span: WinningRange, *, holds_between: bool, mark: str = "") -> str:
    """Return a range in words; if `holds_between`, a range begins just above the value before it.

    >>> span = WinningRange(10, 11, 24, ("a",))
    >>> range_text(span, holds_between=True, mark='"'), range_text(span, holds_between=False)
    ('beyond 10" up to 24"', 'from 11 to 24')
    >>> [range_text(WinningRange(None, first, 7, ("a",)), holds_between=True) for first in (1, 6)]
    ['up to 7', 'from 6 to 7']
    """
    before, first, last = map(text_of, span[:3])
    if not holds_between or (span.before is None and span.first > 1):
        return f"at {first}{mark}" if first == last else f"from {first}{mark} to {last}{mark}"
    return f"up to {last}{mark}" if span.before is None else f"beyond {before}{mark} up to {last}{mark}"


def not_dominated(figures: NDArray[np.float64], least: Sequence[bool]) -> NDArray[np.bool_]:
    """Return a mask of the undominated points (Pareto); `figures` has the shape (points, figures).

    >>> not_dominated(np.array([[1.0, 5.0], [2.0, 4.0], [1.0, 4.0]]), [False, False]).tolist()
    [True, True, False]
    >>> not_dominated(np.array([[1.0, 5.0], [1.0 - 1e-15, 6.0]]), [False, False]).tolist()
    [False, True]
    """
    goodness = figures * np.where(least, -1.0, 1.0)
    usable = np.flatnonzero(~np.isnan(goodness).any(axis=1))
    rounding = CERTAIN_WITHIN * np.maximum(1.0, np.nanmax(np.abs(goodness), axis=0, initial=0.0))

    def is_dominated(point: int, others: list[int]) -> bool:
        as_good = (goodness[others] >= goodness[point] - rounding).all(axis=1)
        return bool((as_good & (goodness[others] > goodness[point] + rounding).any(axis=1)).any())

    front: list[int] = []
    order = np.lexsort(goodness[usable].T[::-1])[::-1]  # apart from rounding, only earlier points dominate a point
    for point in usable[order].tolist():
        if not is_dominated(point, front):
            front.append(point)
    mask = np.zeros(len(goodness), np.bool_)
    mask[[point for point in front if not is_dominated(point, front)]] = True  # because of rounding, test later points
    return mask
