"""Ratings of loadouts from their duels, by a Bradley-Terry model."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.efficiency import INTERVAL_PERCENTILES, bootstrap_weights
from analyser.common.errors import InputError

REGULARISED_BY = 0.01  # duels added between every two loadouts, each side winning half
_MOST_STEPS, _LONGEST_STEP, _TOLERANCE = 50, 1.0, 1e-9  # of the fit; the last two in natural logarithms of odds
POINTS_FOR_TEN_TO_ONE = 400.0  # difference in rating that stands for odds of ten to one, as in chess


def bradley_terry(wins: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings of a Bradley-Terry model: those whose differences best explain the probabilities of winning.

    The fit is by choix (iterative Luce spectral ranking, Maystre and Grossglauser 2015). `wins` has the probability
    that the row beats the column, 0 to 1, a draw counting as half a win; NaN for pairs without a duel. Rows and columns
    are the same loadouts in the same order. The result has the columns `loadout`, `rating` (mean 0; 400 points are odds
    of ten to one), `low` and `high` (a 95% interval over random weights of the loadouts); the best is first.

    InputError if rows and columns differ, a probability is not from 0 to 1, or no pair has a duel.

    >>> names = ["rifles", "guns"]
    >>> wins = pd.DataFrame([[np.nan, 0.75], [0.25, np.nan]], names, names)
    >>> bradley_terry(wins).round(0)["rating"].tolist()
    [94.0, -94.0]
    """
    import choix
    from threadpoolctl import threadpool_limits

    duels = _regularised_wins(wins)
    resamples = bootstrap_weights(len(duels)) * len(duels)
    with threadpool_limits(1):  # one thread is a hundred times as fast for systems this small
        best = choix.ilsr_pairwise_dense(duels)
        fitted = np.array([best, *(_refit(duels * np.outer(weights, weights), best) for weights in resamples)])
    # Convert natural logarithms of odds to points with mean 0.
    rating, *resampled = (fitted - fitted.mean(axis=1, keepdims=True)) * (POINTS_FOR_TEN_TO_ONE / np.log(10.0))
    low, high = np.percentile(np.array(resampled), INTERVAL_PERCENTILES, axis=0)
    result = pd.DataFrame({"loadout": wins.index, "rating": rating, "low": low, "high": high})
    return result.sort_values("rating", ascending=False, kind="stable", ignore_index=True)


def duel_ratings(duels: pd.DataFrame) -> pd.DataFrame:
    """Return ratings as :func:`bradley_terry` does, from the frame of :func:`analyser.matchups` for one kind of duel.

    If a pair has two duels, one with each loadout acting first, the probability is the mean of both. A loadout without
    a duel against another has no row.

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


def wins_of(duels: pd.DataFrame) -> pd.DataFrame:
    """Return the probability that the row beats the column, a draw counting as half; NaN for pairs without a duel."""
    names = list(dict.fromkeys([*duels["attacker"], *duels["defender"]]))
    wins = duels.assign(wins=duels["p_attacker_wins"] + duels["p_draw"] / 2)
    as_attacker = wins.pivot(index="attacker", columns="defender", values="wins").reindex(index=names, columns=names)
    as_defender = 1.0 - as_attacker.T
    mean = ((as_attacker + as_defender) / 2).fillna(as_attacker).fillna(as_defender)
    result = mean.mask(np.eye(len(names), dtype=np.bool_)).clip(0.0, 1.0)
    has_duels = result.notna().any(axis=1)
    return result.loc[has_duels, has_duels].rename_axis(index=None, columns=None)


def _regularised_wins(wins: pd.DataFrame) -> NDArray[np.float64]:
    """Return the wins of the row over the column in one duel, plus its wins in :data:`REGULARISED_BY` drawn duels."""
    shares = wins.to_numpy(np.float64)
    if list(wins.index) != list(wins.columns):
        raise InputError("the rows of a matrix of wins differ from its columns")
    if (shares < 0).any() or (shares > 1).any():
        raise InputError("a probability of winning is outside 0 to 1")
    if np.isnan(shares).all():
        raise InputError("no pair of loadouts can fight")
    # Without the drawn duels, a loadout that always wins has no finite rating, and groups of loadouts that do not duel
    # each other have no common scale.
    duels: NDArray[np.float64] = np.nan_to_num(shares, nan=0.0) + REGULARISED_BY / 2
    np.fill_diagonal(duels, 0.0)
    return duels


def _refit(duels: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ratings that fit `duels`, by Newton's method from `start`; by choix if the method fails.

    The likelihood is concave, so both find the same maximum.
    """
    import choix

    result = start - start.mean()
    n_duels, won = duels + duels.T, duels.sum(axis=1)
    for _ in range(_MOST_STEPS):
        expected = 1.0 / (1.0 + np.exp(result[None, :] - result[:, None]))
        curvature = n_duels * expected * (1.0 - expected)
        # Only differences of ratings matter: the added constant keeps the mean and makes the matrix invertible.
        matrix = np.diag(curvature.sum(axis=1)) - curvature + curvature.mean()
        try:
            step = np.linalg.solve(matrix, won - (n_duels * expected).sum(axis=1))
        except np.linalg.LinAlgError:
            break
        longest = np.abs(step).max()
        result = result + step * min(1.0, _LONGEST_STEP / longest if longest > 0 else 1.0)
        if longest < _TOLERANCE:
            return np.asarray(result, np.float64)
    return np.asarray(choix.ilsr_pairwise_dense(duels, initial_params=start), np.float64)
