"""How far each loadout is from the best one: exactly, or with a paired interval.

Samples are paired by batch: batch b of every loadout is played from the same random words (common random numbers),
and each batch gives one difference. The batches share nothing with one another, so the mean of their differences has
the interval of Student's t, with one degree of freedom fewer than there are batches. What the batches of two
loadouts have in common makes it narrower, and nothing has to be assumed about how much that is. The interval is as
exact as a batch is large: a mean over a batch of hundreds of thousands of fights is normal for every purpose, unless
the event is so rare that a batch holds a handful of them. Each interval is one at 95% by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.comparisons.figures import ALL_COMPARED, PERCENTILE
from analyser.estimates import CERTAIN_WITHIN, CONFIDENCE


def best_by(values: NDArray[np.float64], metric: str) -> int:
    """The row of `values`, shape (loadouts, figures), with the most of `metric`; the first of equals."""
    of_metric = values[:, ALL_COMPARED.index(metric)]
    highest = np.nanmax(of_metric)
    return int(np.flatnonzero(of_metric >= highest - CERTAIN_WITHIN)[0])


def differences(
    names: Sequence[str], values: NDArray[np.float64], batches: NDArray[np.float64] | None, best: int
) -> pd.DataFrame:
    """Each figure of each loadout less that of the best loadout.

    Parameters
    ----------
    names : sequence of str
    values : float64 array, shape (loadouts, figures)
    batches : float64 array, shape (loadouts, batches, figures), or None
        The same batch by batch; None: the values are exact.
    best : int
        The row of the best loadout.

    Returns
    -------
    DataFrame
        `loadout`, `metric`, `best`, `difference`, `low`, `high`, `significant`: exact differences have no interval,
        and are significant if there is any; sampled ones are if their interval leaves out 0. A percentile of a
        sample has none, and nothing is said of it.
    """
    rows: list[dict[str, Any]] = []
    found = values - values[best]
    for loadout, name in enumerate(names):
        low, high = _intervals(batches, loadout, best) if batches is not None else (None, None)
        for place, metric in enumerate(ALL_COMPARED):
            row: dict[str, Any] = {"loadout": name, "metric": metric, "best": names[best]}
            row["difference"] = found[loadout, place]
            row["low"] = np.nan if low is None else low[place]
            row["high"] = np.nan if high is None else high[place]
            row["significant"] = _is_significant(row, is_exact=batches is None, is_best=loadout == best)
            rows.append(row)
    return pd.DataFrame(rows).astype({"significant": "boolean"})


def _is_significant(row: dict[str, Any], *, is_exact: bool, is_best: bool) -> bool | None:
    difference, low, high = row["difference"], row["low"], row["high"]
    if is_best or np.isnan(difference):
        return None
    if is_exact:
        return bool(abs(difference) > CERTAIN_WITHIN)
    return None if np.isnan(low) else not low <= 0 <= high


def _intervals(
    batches: NDArray[np.float64], loadout: int, best: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The paired 95% interval of each figure's difference; NaN for percentiles."""
    from scipy.stats import t

    pairs = batches[loadout] - batches[best]
    number = len(pairs)
    half = t.ppf((1 + CONFIDENCE) / 2, number - 1) * pairs.std(axis=0, ddof=1) / np.sqrt(number)
    half[[PERCENTILE in name for name in ALL_COMPARED]] = np.nan
    centre = pairs.mean(axis=0)
    return centre - half, centre + half
