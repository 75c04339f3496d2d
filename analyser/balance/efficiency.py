"""What each loadout does for its points, beside its peers; and what it would have to cost to do as they do."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.balance.robust import HIGH, LOW, robust_z, weights
from analyser.units import unit_of

EFFICIENCY = "expected_points_destroyed_per_100_points"
LEAST = 1.0  # points destroyed for 100 points: less does not matter at a table, and no logarithm sees less
_LOADOUT = ["attacker", "attacker_unit", "attacker_level", "attacker_points"]
_COLUMNS = [
    *_LOADOUT, "situation", "category", "targets", "efficiency", "median", "peers", "z",
    "break_even_points", "break_even_low", "break_even_high",
]  # fmt: skip


def efficiency(frame: pd.DataFrame) -> pd.DataFrame:
    """Points efficiency of every attacker on the targets of each category, in each situation.

    Its peers are the attackers of the table that destroy at least :data:`LEAST` points of such targets for 100 points.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.comparisons.matchups.matchups`.

    Returns
    -------
    DataFrame
        A row for each attacker, situation and category that it can attack and has points for: `attacker`,
        `attacker_unit`, `attacker_level`, `attacker_points`, `situation`, `category`, `targets` (how many there are);
        `efficiency`, the mean over them of the expected points destroyed for 100 points; `median`, that of its
        peers (NaN without any), and `peers`, of how many units they are; `z`, the robust z-score of log2 `efficiency`
        among the peers, NaN where it is none of them; `break_even_points`, the price at which its efficiency were that
        median, with `break_even_low` and `break_even_high`: a 95% interval over fields of the same target units in
        other shares.

    Examples
    --------
    >>> from analyser.comparisons.matchups import matchups
    >>> found = efficiency(matchups("crown/*", "imperium/*", situations=["long-range"]).frame)
    >>> best = found[found["category"] == "light"].nlargest(1, "efficiency").iloc[0]
    >>> best["attacker"], round(float(best["efficiency"]), 1), round(float(best["median"]), 1)
    ('crown/rifle-platoon@reinforced', 95.1, 29.0)
    """
    parts = [
        _of_one(part.reset_index(drop=True), str(situation), str(category))
        for (situation, category), part in frame.groupby(["situation", "defender_category"], sort=False)
    ]
    return pd.concat(parts, ignore_index=True).reindex(columns=_COLUMNS)


def _of_one(part: pd.DataFrame, situation: str, category: str) -> pd.DataFrame:
    """Of one situation and one category of targets."""
    able = part[part[EFFICIENCY].notna()]
    found = able.drop_duplicates("attacker")[_LOADOUT].reset_index(drop=True)
    if found.empty:
        return found
    means, resampled = _efficiencies(able)
    peer = means >= LEAST
    prices = found["attacker_points"].to_numpy(np.float64)
    break_even = prices * _over_median(means)
    low, high = np.percentile(prices[:, None] * _over_median(resampled), (LOW, HIGH), axis=1)
    return found.assign(
        situation=situation,
        category=category,
        targets=able["defender"].nunique(),
        efficiency=means,
        median=np.median(means[peer]) if peer.any() else np.nan,
        peers=found["attacker"][peer].map(unit_of).nunique(),
        z=robust_z(np.log2(means, out=np.full(means.shape, np.nan), where=peer)),
        break_even_points=break_even,
        break_even_low=low,
        break_even_high=high,
    )


def _efficiencies(able: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean over all targets, and over fields in which their units have other shares: (a,) and (a, draws).

    Levels of one unit are much alike, so it is units that get other shares, not loadouts.
    """
    attackers, _ = pd.factorize(able["attacker"])
    units, names = pd.factorize(able["defender"].map(unit_of))
    sums = np.zeros((attackers.max() + 1, len(names)))
    counts = np.zeros_like(sums)
    np.add.at(sums, (attackers, units), able[EFFICIENCY].to_numpy(np.float64))
    np.add.at(counts, (attackers, units), 1.0)
    shares = weights(len(names)).T
    return sums.sum(axis=1) / counts.sum(axis=1), (sums @ shares) / (counts @ shares)


def _over_median(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each figure over the median of those that matter; NaN where none does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a median of nothing
        median = np.nanmedian(np.where(means >= LEAST, means, np.nan), axis=0)
    return np.asarray(means / median)
