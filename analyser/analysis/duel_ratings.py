"""Ratings of loadouts from their duels, by a Bradley-Terry model."""

from __future__ import annotations

import numpy as np
import pandas as pd

REGULARISED_BY = 0.01  # duels added between every two loadouts, each side winning half
RESAMPLES = 400  # bootstrap samples for the intervals; each gives the loadouts random weights
POINTS_FOR_TEN_TO_ONE = 400.0  # difference in rating that stands for odds of ten to one, as in chess


def duel_ratings(duels: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings of the loadouts in the frame of :func:`analyser.matchups` for one kind of duel.

    The columns are `loadout`, `rating` (mean 0; a difference of 400 is odds of ten to one), `low` and `high` (a 95%
    interval over random weights of the loadouts). The best loadout is first; a loadout without a duel has no row.

    Examples
    --------
    >>> import analyser
    >>> sides = "crown/rifle-platoon@*"
    >>> found = duel_ratings(analyser.matchups(sides, sides, situations=["duel"]).frame)
    >>> found["loadout"].iloc[-1]
    'crown/rifle-platoon@basic'
    """
    wins = wins_of(duels)
    return pd.DataFrame(columns=["loadout", "rating", "low", "high"]) if wins.empty else bradley_terry(wins)


def bradley_terry(wins: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings whose differences best explain the probabilities that the row beats the column.

    The fit is by choix (Maystre and Grossglauser 2015), the interval by the Bayesian bootstrap (Rubin 1981).

    >>> names = ["rifles", "guns"]
    >>> wins = pd.DataFrame([[np.nan, 0.75], [0.25, np.nan]], names, names)
    >>> bradley_terry(wins).round(0)["rating"].tolist()
    [94.0, -94.0]
    """
    import choix
    from threadpoolctl import threadpool_limits

    # Without the added duels, a loadout that always wins has no finite rating, and groups of loadouts that do not duel
    # each other have no common scale.
    duels = np.nan_to_num(wins.to_numpy(np.float64), nan=0.0) + REGULARISED_BY / 2
    np.fill_diagonal(duels, 0.0)
    n = len(duels)
    resamples = np.random.default_rng(0).dirichlet(np.ones(n), RESAMPLES) * n
    with threadpool_limits(1):  # one thread is a hundred times as fast for systems this small
        best = choix.ilsr_pairwise_dense(duels)
        refitted = [choix.ilsr_pairwise_dense(duels * np.outer(row, row), initial_params=best) for row in resamples]
    fitted = np.array([best, *refitted])
    # Convert natural logarithms of odds to points with mean 0.
    rating, *resampled = (fitted - fitted.mean(axis=1, keepdims=True)) * (POINTS_FOR_TEN_TO_ONE / np.log(10.0))
    low, high = np.percentile(np.array(resampled), (2.5, 97.5), axis=0)
    result = pd.DataFrame({"loadout": wins.index, "rating": rating, "low": low, "high": high})
    return result.sort_values("rating", ascending=False, kind="stable", ignore_index=True)


def wins_of(duels: pd.DataFrame) -> pd.DataFrame:
    """Return the probability that the row beats the column, a draw counting as half; NaN for pairs without a duel.

    If a pair has two duels, one with each loadout acting first, the probability is the mean of both.
    """
    names = list(dict.fromkeys([*duels["attacker"], *duels["defender"]]))
    wins = duels.assign(wins=duels["p_attacker_wins"] + duels["p_draw"] / 2)
    as_attacker = wins.pivot(index="attacker", columns="defender", values="wins").reindex(index=names, columns=names)
    as_defender = 1.0 - as_attacker.T
    mean = ((as_attacker + as_defender) / 2).fillna(as_attacker).fillna(as_defender)
    result = mean.mask(np.eye(len(names), dtype=np.bool_)).clip(0.0, 1.0)
    has_duels = result.notna().any(axis=1)
    return result.loc[has_duels, has_duels].rename_axis(index=None, columns=None)
