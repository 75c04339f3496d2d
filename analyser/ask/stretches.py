"""Stretches of a number over which the same lines are best; ties name all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import CERTAIN_WITHIN


class Stretch(NamedTuple):
    """Values in a row at which the same lines are best.

    Attributes
    ----------
    before : value or None
        The last one before the stretch; None where it is the first.
    first, last : value
    names : tuple of str
        The lines that are best there, equal or not told apart; none where no line has the figure.
    """

    before: Any
    first: Any
    last: Any
    names: tuple[str, ...]


def best_at(values: Sequence[float], lows: Sequence[float], highs: Sequence[float], *, least: bool) -> list[int]:
    """The places of the best of some figures, NaN for none: of a sample also those whose intervals reach the best's.

    >>> best_at([1.0, 3.0, 3.0, float("nan")], [float("nan")] * 4, [float("nan")] * 4, least=False)
    [1, 2]
    """
    sign = -1.0 if least else 1.0
    found = sign * np.asarray(values, np.float64)
    if np.isnan(found).all():
        return []
    ends = sign * np.array([lows, highs], np.float64)
    top = int(np.nanargmax(found))
    nothing = CERTAIN_WITHIN * max(1.0, abs(found[top]))
    reach = np.where(np.isnan(ends).any(axis=0), found, ends.max(axis=0))
    floor = found[top] if np.isnan(ends[:, top]).any() else ends[:, top].min()
    return np.flatnonzero(reach >= floor - nothing).tolist()


def stretches_of(values: Sequence[Any], best: Sequence[tuple[str, ...]]) -> tuple[Stretch, ...]:
    """The stretches of rising `values`, by the lines that are best at each.

    >>> [(each.first, each.last, each.names) for each in stretches_of([1, 2, 3], [("a",), ("a",), ("b",)])]
    [(1, 2, ('a',)), (3, 3, ('b',))]
    """
    found: list[Stretch] = []
    for place, (value, names) in enumerate(zip(values, best)):
        if found and found[-1].names == names:
            found[-1] = found[-1]._replace(last=value)
        else:
            found.append(Stretch(values[place - 1] if place else None, value, value, names))
    return tuple(found)


def in_words(stretch: Stretch, *, between: bool, unit: str = "") -> str:
    """Where a stretch is; with `between`, what is true of a value is true from beyond the one before up to it.

    Of what is nearer than the first value nothing is said, unless that is 1 or less.

    >>> stretch = Stretch(10, 11, 24, ("a",))
    >>> in_words(stretch, between=True, unit='"'), in_words(stretch, between=False)
    ('beyond 10" up to 24"', 'from 11 to 24')
    >>> in_words(Stretch(None, 1, 7, ("a",)), between=True), in_words(Stretch(None, 6, 7, ("a",)), between=True)
    ('up to 7', 'from 6 to 7')
    """
    first, last, before = (_text(each) for each in (stretch.first, stretch.last, stretch.before))
    if not between or (stretch.before is None and stretch.first > 1):
        return f"at {first}{unit}" if first == last else f"from {first}{unit} to {last}{unit}"
    if stretch.before is None:
        return f"up to {last}{unit}"
    return f"beyond {before}{unit} up to {last}{unit}"


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def not_beaten(figures: NDArray[np.float64], least: Sequence[bool]) -> NDArray[np.bool_]:
    """Return True for the points that no other dominates (Pareto); `figures` has the shape (points, figures).

    >>> not_beaten(np.array([[1.0, 5.0], [2.0, 4.0], [1.0, 4.0]]), [False, False]).tolist()
    [True, True, False]
    >>> not_beaten(np.array([[1.0, 5.0], [1.0 - 1e-15, 6.0]]), [False, False]).tolist()
    [False, True]
    """
    goodness = figures * np.where(least, -1.0, 1.0)
    known: NDArray[np.bool_] = ~np.asarray(np.isnan(goodness).any(axis=1))
    nothing = CERTAIN_WITHIN * np.maximum(1.0, np.nanmax(np.abs(goodness), axis=0, initial=0.0))
    order = np.lexsort(goodness.T[::-1])[::-1]  # a point is beaten by one with more of the first figure, or as much
    front: list[int] = []
    kept: NDArray[np.bool_] = np.zeros(len(goodness), np.bool_)
    for place in order.tolist():
        if not known[place]:
            continue
        others = goodness[front]
        as_good = (others >= goodness[place] - nothing).all(axis=1)
        better = (others > goodness[place] + nothing).any(axis=1)
        kept[place] = not (as_good & better).any()
        if kept[place]:
            front.append(place)
    for place in front:  # of those that are equal in the first figure but for its last digits
        as_good = (goodness[front] >= goodness[place] - nothing).all(axis=1)
        better = (goodness[front] > goodness[place] + nothing).any(axis=1)
        kept[place] = not (as_good & better).any()
    return kept
