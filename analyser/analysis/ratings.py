"""Ratings of loadouts, one number each, from a matrix of win probabilities (Bradley and Terry 1952)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.balance import HIGH, LOW, weights
from analyser.common.errors import InputError

REGULARISED_BY = 0.01  # size of an added duel between every pair, half won by each side
_MOST_STEPS, _LONGEST_STEP, _CLOSE_ENOUGH = 50, 1.0, 1e-9  # limits of the fit, in natural logarithms of odds
A_FACTOR_OF_TEN = 400.0  # rating points for odds of ten to one, as in chess


def bradley_terry(wins: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings of loadouts whose differences best explain the wins.

    The fit is by choix (iterative Luce spectral ranking, Maystre and Grossglauser 2015).

    Parameters
    ----------
    wins : DataFrame
        Probability that the row beats the column, 0 to 1, a draw counting as half a win. Rows and columns are the same
        loadouts in the same order. NaN for pairs that do not meet.

    Returns
    -------
    DataFrame
        `loadout`, `rating` (mean 0; 400 points are odds of ten to one), `low` and `high`, a 95% interval over random
        weights of the loadouts; the best first.

    Raises
    ------
    InputError
        Rows and columns differ, a probability is not from 0 to 1, or no pair meets.

    Examples
    --------
    >>> names = ["rifles", "guns"]
    >>> wins = pd.DataFrame([[np.nan, 0.75], [0.25, np.nan]], names, names)
    >>> bradley_terry(wins).round(0)["rating"].tolist()
    [94.0, -94.0]
    """
    import choix
    from threadpoolctl import threadpool_limits

    duels = _duels(wins)
    fields = weights(len(duels)) * len(duels)
    with threadpool_limits(1):  # one thread is a hundred times as fast for systems this small
        best = choix.ilsr_pairwise_dense(duels)
        fitted = np.array([best, *(_refitted(duels * np.outer(field, field), best) for field in fields)])
    # Convert natural logarithms of odds to points with mean 0.
    rating, *resampled = (fitted - fitted.mean(axis=1, keepdims=True)) * (A_FACTOR_OF_TEN / np.log(10.0))
    low, high = np.percentile(np.array(resampled), (LOW, HIGH), axis=0)
    result = pd.DataFrame({"loadout": wins.index, "rating": rating, "low": low, "high": high})
    return result.sort_values("rating", ascending=False, kind="stable", ignore_index=True)


def duel_ratings(duels: pd.DataFrame) -> pd.DataFrame:
    """Return ratings from the rows of :func:`analyser.matchups` of one situation of duels, as :func:`bradley_terry`.

    The probability of a pair is the mean of both directions, if the table has both: each side begins one of the two. A
    loadout that can duel only itself has no row.

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
    """Return the probability that the row beats the column, a draw counting as half; NaN for pairs that do not meet."""
    names = list(dict.fromkeys([*duels["attacker"], *duels["defender"]]))
    wins = duels.assign(wins=duels["p_attacker_wins"] + duels["p_draw"] / 2)
    first = wins.pivot(index="attacker", columns="defender", values="wins").reindex(index=names, columns=names)
    second = 1.0 - first.T
    mean = ((first + second) / 2).fillna(first).fillna(second)
    result = mean.mask(np.eye(len(names), dtype=np.bool_)).clip(0.0, 1.0)
    meet = result.notna().any(axis=1)
    return result.loc[meet, meet].rename_axis(index=None, columns=None)


def _duels(wins: pd.DataFrame) -> NDArray[np.float64]:
    """Return the number of wins of the row over the column, out of one duel and a small constant for each pair."""
    given = wins.to_numpy(np.float64)
    if list(wins.index) != list(wins.columns):
        raise InputError("the rows of a matrix of wins are not its columns")
    if (given < 0).any() or (given > 1).any():
        raise InputError("a probability to win is not from 0 to 1")
    if np.isnan(given).all():
        raise InputError("no pair of loadouts can fight")
    # Otherwise a loadout that always wins has no finite rating, and loadouts without common opponents no common scale.
    duels: NDArray[np.float64] = np.nan_to_num(given, nan=0.0) + REGULARISED_BY / 2
    np.fill_diagonal(duels, 0.0)
    return duels


def _refitted(duels: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fit to other duels, by Newton's method from the fit to similar ones.

    The likelihood is concave, so its stationary point is the solution of choix.
    """
    import choix

    result = start - start.mean()
    met, won = duels + duels.T, duels.sum(axis=1)
    for _ in range(_MOST_STEPS):
        expected = 1.0 / (1.0 + np.exp(result[None, :] - result[:, None]))
        curvature = met * expected * (1.0 - expected)
        # Only differences matter: the added constant keeps the mean and makes the matrix regular.
        matrix = np.diag(curvature.sum(axis=1)) - curvature + curvature.mean()
        try:
            step = np.linalg.solve(matrix, won - (met * expected).sum(axis=1))
        except np.linalg.LinAlgError:
            break
        longest = np.abs(step).max()
        result = result + step * min(1.0, _LONGEST_STEP / longest if longest > 0 else 1.0)
        if longest < _CLOSE_ENOUGH:
            return np.asarray(result, np.float64)
    return np.asarray(choix.ilsr_pairwise_dense(duels, initial_params=start), np.float64)
