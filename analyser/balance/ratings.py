"""One number for each loadout from a matrix of who beats whom (Bradley and Terry 1952)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.balance.robust import HIGH, LOW, weights
from analyser.errors import InputError

REGULARISED_BY = 0.01  # of a duel that every pair is thought to have fought besides, and that either side half won
A_FACTOR_OF_TEN = 400.0  # rating points, as in chess: 400 more, and the odds of winning are ten to one


def bradley_terry(wins: pd.DataFrame) -> pd.DataFrame:
    """Ratings of loadouts whose differences explain best who beats whom.

    Fitted by choix (iterative Luce spectral ranking, Maystre and Grossglauser 2015).

    Parameters
    ----------
    wins : DataFrame
        Rows and columns are the same loadouts in the same order: the chance that the row beats the column, 0 to 1,
        half of a draw counting as a win. NaN where they do not meet.

    Returns
    -------
    DataFrame
        `loadout`, `rating` (0 is the mean, 400 points are odds of ten to one), `low` and `high`: a 95% interval over
        fields in which the same loadouts have other shares; the best first.

    Raises
    ------
    InputError
        The rows are not the columns, a chance is not from 0 to 1, or nobody meets.

    Examples
    --------
    >>> names = ["rifles", "guns"]
    >>> wins = pd.DataFrame([[np.nan, 0.75], [0.25, np.nan]], names, names)
    >>> bradley_terry(wins).round(0)["rating"].tolist()
    [94.0, -94.0]
    """
    import choix

    duels = _duels(wins)
    best = choix.ilsr_pairwise_dense(duels)
    fields = weights(len(duels)) * len(duels)
    resampled = [choix.ilsr_pairwise_dense(duels * np.outer(each, each), initial_params=best) for each in fields]
    low, high = np.percentile(_in_points(np.array(resampled)), (LOW, HIGH), axis=0)
    found = pd.DataFrame({"loadout": wins.index, "rating": _in_points(best[None, :])[0], "low": low, "high": high})
    return found.sort_values("rating", ascending=False, kind="stable", ignore_index=True)


def _duels(wins: pd.DataFrame) -> NDArray[np.float64]:
    """How many duels the row wins against the column, of one and a little that each pair fights."""
    chances = wins.to_numpy(np.float64)
    if list(wins.index) != list(wins.columns):
        raise InputError("the rows of a matrix of wins are not its columns")
    if (chances < 0).any() or (chances > 1).any():
        raise InputError("a chance to win is not from 0 to 1")
    if np.isnan(chances).all():
        raise InputError("nobody meets anybody")
    # A loadout that always wins would have no finite rating, and two that share no opponents no common scale.
    duels: NDArray[np.float64] = np.nan_to_num(chances, nan=0.0) + REGULARISED_BY / 2
    np.fill_diagonal(duels, 0.0)
    return duels


def _in_points(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Natural logarithms of odds, shape (draws, loadouts), as rating points about their mean."""
    centred = parameters - parameters.mean(axis=1, keepdims=True)
    return np.asarray(centred * (A_FACTOR_OF_TEN / np.log(10.0)), np.float64)
