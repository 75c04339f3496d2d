"""Matchups that neither side's other matchups explain."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.balance.efficiency import EFFICIENCY

LEAST_RATIO = 3.0  # times as much or as little as expected
LEAST = 1.0  # points destroyed for 100 points, found or expected: below, a ratio says nothing to a player
_SWEEPS = 10


def outliers(frame: pd.DataFrame) -> pd.DataFrame:
    """Pairs of units whose efficiency is far from what the usual of both makes one expect.

    Expected is the attacker's usual efficiency times the target's (a median polish of its logarithm, Tukey 1977),
    among the targets of one category in one situation, and never more than all that the target costs; figures of units
    are means over the levels of both.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.comparisons.matchups.matchups`.

    Returns
    -------
    DataFrame
        `attacker` and `defender` (units, without a level), `attacker_unit`, `defender_unit`, `situation`,
        `efficiency`, `expected`, and `ratio` of the two, at least 3 or at most a third; the farthest first.
    """
    units = frame.assign(
        attacker=frame["attacker"].str.partition("@")[0], defender=frame["defender"].str.partition("@")[0]
    )
    keys = ["attacker", "attacker_unit", "defender", "defender_unit", "situation", "defender_category"]
    units["most"] = 100 * units["defender_points"] / units["attacker_points"].where(units["attacker_points"] > 0)
    means = units.groupby(keys, sort=False)[[EFFICIENCY, "most"]].mean()
    means = means.rename(columns={EFFICIENCY: "efficiency"}).reset_index()
    parts = [_of_one(part) for _, part in means.groupby(["situation", "defender_category"], sort=False)]
    found = pd.concat(parts, ignore_index=True).drop(columns=["defender_category", "most"])
    return found.sort_values("ratio", key=_surprise, ascending=False, kind="stable", ignore_index=True)


def _of_one(means: pd.DataFrame) -> pd.DataFrame:
    """Of one situation and one category of targets."""
    found: pd.DataFrame = means[means["efficiency"] > 0]
    sides = [pd.factorize(found[side])[0] for side in ("attacker", "defender")]
    ratio = 2 ** _polished(np.log2(found["efficiency"].to_numpy(np.float64)), *sides)
    expected = np.fmin(found["efficiency"] / ratio, found["most"])
    found = found.assign(expected=expected, ratio=found["efficiency"] / expected)
    large = found[["efficiency", "expected"]].max(axis=1) >= LEAST
    far: pd.DataFrame = found[large & (_surprise(found["ratio"]) >= np.log2(LEAST_RATIO))]
    return far


def _surprise(ratio: pd.Series[float]) -> pd.Series[float]:
    return pd.Series(np.abs(np.log2(ratio.to_numpy(np.float64))), ratio.index)


def _polished(values: NDArray[np.float64], *sides: NDArray[np.intp]) -> NDArray[np.float64]:
    """What is left of `values` when the medians of both sides are taken from them, again and again."""
    left = pd.Series(values)
    for _ in range(_SWEEPS):
        for side in sides:
            left = left - left.groupby(side).transform("median")
    return np.asarray(left, np.float64)
