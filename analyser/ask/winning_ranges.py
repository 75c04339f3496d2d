"""Ranges of a key over which the same lines are best, and Pareto fronts. In a tie all best lines are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.text import text_of


class Stretch(NamedTuple):
    """Successive values at which the same lines are best.

    Attributes
    ----------
    before : value or None
        The last value before the range; None for the first range.
    first, last : value
    names : tuple of str
        The best lines, equal or not significantly different; empty if no line has the figure.
    """

    before: Any
    first: Any
    last: Any
    names: tuple[str, ...]


def best_at(values: Sequence[float], lows: Sequence[float], highs: Sequence[float], *, least: bool) -> list[int]:
    """Return the indices of the best figures; NaN stands for no figure.

    A simulated figure also counts as best if its interval overlaps the interval of the best figure.

    >>> best_at([1.0, 3.0, 3.0, float("nan")], [float("nan")] * 4, [float("nan")] * 4, least=False)
    [1, 2]
    """
    sign = -1.0 if least else 1.0
    goodness = sign * np.asarray(values, np.float64)
    if np.isnan(goodness).all():
        return []
    ends = sign * np.array([lows, highs], np.float64)
    top = int(np.nanargmax(goodness))
    rounding = CERTAIN_WITHIN * max(1.0, abs(goodness[top]))
    upper_ends = np.where(np.isnan(ends).any(axis=0), goodness, ends.max(axis=0))
    floor = goodness[top] if np.isnan(ends[:, top]).any() else ends[:, top].min()
    return np.flatnonzero(upper_ends >= floor - rounding).tolist()


def stretches_of(values: Sequence[Any], best: Sequence[tuple[str, ...]]) -> tuple[Stretch, ...]:
    """Return the ranges of increasing `values` with the same best lines; `best` has the best lines at each value.

    >>> [(stretch.first, stretch.last, stretch.names) for stretch in stretches_of([1, 2, 3], [("a",), ("a",), ("b",)])]
    [(1, 2, ('a',)), (3, 3, ('b',))]
    """
    stretches: list[Stretch] = []
    for index, (value, names) in enumerate(zip(values, best)):
        if stretches and stretches[-1].names == names:
            stretches[-1] = stretches[-1]._replace(last=value)
        else:
            stretches.append(Stretch(values[index - 1] if index else None, value, value, names))
    return tuple(stretches)


def range_text(stretch: Stretch, *, between: bool, unit: str = "") -> str:
    """Return a range in words; if `between`, a range begins just above the value before it.

    The first range begins at its first value, but if this is 1 or less it has no stated beginning.

    >>> stretch = Stretch(10, 11, 24, ("a",))
    >>> range_text(stretch, between=True, unit='"'), range_text(stretch, between=False)
    ('beyond 10" up to 24"', 'from 11 to 24')
    >>> range_text(Stretch(None, 1, 7, ("a",)), between=True), range_text(Stretch(None, 6, 7, ("a",)), between=True)
    ('up to 7', 'from 6 to 7')
    """
    before, first, last = map(text_of, stretch[:3])
    if not between or (stretch.before is None and stretch.first > 1):
        return f"at {first}{unit}" if first == last else f"from {first}{unit} to {last}{unit}"
    return f"up to {last}{unit}" if stretch.before is None else f"beyond {before}{unit} up to {last}{unit}"


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
    order = np.lexsort(goodness[usable].T[::-1])[::-1]  # a point is dominated only by points before it
    for point in usable[order].tolist():
        if not is_dominated(point, front):
            front.append(point)
    mask = np.zeros(len(goodness), np.bool_)
    mask[[point for point in front if not is_dominated(point, front)]] = True  # also test against later points
    return mask
