"""Which loadout is the best in each figure, and how far the others are from it: exactly, or with a paired interval.

Samples are paired by batch: batch b of every loadout is played from the same random words (common random numbers),
and each batch gives one difference. The batches share nothing with one another, so the mean of their differences has
the interval of Student's t, with one degree of freedom fewer than there are batches. What the batches of two
loadouts have in common makes it narrower, and nothing has to be assumed about how much that is. The interval is as
exact as a batch is large: a mean over a batch of hundreds of thousands of fights is normal for every purpose, unless
the event is so rare that a batch holds a handful of them. Each interval is one at 95% by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.common.estimates import CERTAIN_WITHIN, CONFIDENCE
from analyser.plots.metrics import COMPARED, PERCENTILE

_IS_PERCENTILE = np.array([name.endswith(PERCENTILE) for name in COMPARED])


class Side(NamedTuple):
    """A loadout of a comparison.

    Attributes
    ----------
    name : str
    points : int or None
    values : float64 array, shape (figures,)
        In the order of COMPARED.
    batches : float64 array, shape (batches, figures), or None
        The same batch by batch; None: the values are exact.
    """

    name: str
    points: int | None
    values: NDArray[np.float64]
    batches: NDArray[np.float64] | None


class _Gap(NamedTuple):
    """One figure of one loadout less that of another; `low` and `high` are NaN where there is no interval."""

    difference: float
    low: float = np.nan
    high: float = np.nan
    differs: bool | None = None  # None: not known


def differences(sides: Sequence[Side]) -> pd.DataFrame:
    """Each figure of each loadout less that of the loadout that is best in it.

    The best one has the most of the figure. Of those that are equal to the highest, or of a sample those that cannot
    be told apart from it or from one another, the cheapest is the best one, of equally cheap ones the first: all of
    them are tied.

    Returns
    -------
    DataFrame
        `loadout`, `metric`, `best`, `difference`, `low`, `high`, `significant`, `tied`: exact differences have no
        interval, and are significant if there is any; sampled ones are if their interval leaves out 0. A percentile of
        a sample has none, and its significance is unknown unless it is 0. Where nobody has the figure `best` is empty.
    """
    rows: list[dict[str, Any]] = []
    for place, metric in enumerate(COMPARED):
        best, tied = _best(sides, place)
        for number, side in enumerate(sides):
            gap = _Gap(np.nan) if best is None else _gap(side, sides[best], place)
            rows.append(
                {
                    "loadout": side.name,
                    "metric": metric,
                    "best": "" if best is None else sides[best].name,
                    "difference": gap.difference,
                    "low": gap.low,
                    "high": gap.high,
                    "significant": None if number == best else gap.differs,
                    "tied": number in tied,
                }
            )
    return pd.DataFrame(rows).astype({"significant": "boolean"})


def _best(sides: Sequence[Side], place: int) -> tuple[int | None, tuple[int, ...]]:
    """The best loadout in the figure at `place`, and all that share the place with it if any do."""
    values = np.array([side.values[place] for side in sides])
    if np.isnan(values).all():
        return None, ()
    highest = sides[int(np.nanargmax(values))]
    near = [number for number, side in enumerate(sides) if _gap(side, highest, place).differs is False]
    # Of two that cannot be told apart from the highest one may still be known to be better than the other.
    equal = [one for one in near if not any(_is_above(sides[other], sides[one], place) for other in near)]
    best = min(equal, key=lambda number: np.inf if (points := sides[number].points) is None else points)
    return best, tuple(equal) if len(equal) > 1 else ()


def _is_above(side: Side, other: Side, place: int) -> bool:
    gap = _gap(side, other, place)
    return gap.differs is True and gap.difference > 0


def _gap(side: Side, other: Side, place: int) -> _Gap:
    difference = float(side.values[place] - other.values[place])
    if np.isnan(difference):
        return _Gap(difference)
    nothing = CERTAIN_WITHIN * max(1.0, abs(float(other.values[place])))
    if side.batches is None or other.batches is None:
        return _Gap(difference, differs=abs(difference) > nothing)
    if _IS_PERCENTILE[place]:
        return _Gap(difference, differs=None if difference else False)
    low, high = interval(side.batches[:, place] - other.batches[:, place])
    return _Gap(difference, low, high, not (low <= nothing and high >= -nothing))


def interval(samples: NDArray[np.float64]) -> tuple[float, float]:
    """The 95% interval of the mean of independent `samples`, by Student's t."""
    from scipy.stats import t

    half = float(t.ppf((1 + CONFIDENCE) / 2, len(samples) - 1) * samples.std(ddof=1) / np.sqrt(len(samples)))
    return float(samples.mean()) - half, float(samples.mean()) + half


def with_differences(frame: pd.DataFrame, deltas: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A frame of one row a loadout with the differences of the metric that decides, before the reasons."""
    of_metric = deltas[deltas["metric"] == metric].set_index("loadout")
    columns = {"difference": "difference", "low": "difference_low", "high": "difference_high"}
    more = of_metric[[*columns, "significant", "tied"]].rename(columns=columns).reindex(frame["loadout"])
    more["tied"] = more["tied"].eq(True)
    joined = pd.concat([frame.drop(columns="why_not"), more.reset_index(drop=True)], axis=1)
    return joined.assign(why_not=frame["why_not"])
