"""Prices from a game: points at which no loadout gains, and the equilibrium at given points.

All functions take plain arrays over loadouts. `losses[i, j]` is the mean share of loadout j, 0 to 1, that is lost to i
while each of them acts once. `field[j]` is the frequency of j among the opponents; frequencies add up to 1. Prices are
natural logarithms, and determined up to a common factor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LEAST = 0.01  # points destroyed per point; smaller amounts do not matter at a table
PICKINESS = 2.0  # a gain of half of all points exchanged makes a loadout e times as frequent
_MOST_ROUNDS, _MOST_STEPS, _LONGEST_STEP = 10_000, 100, 1.0
_STEP = 0.4  # share of its gain that a price moves: 0.5 is right for a single price, but all together may oscillate
_EXACT = 1e-10  # of logarithms
_NOTHING = 1e-12  # points; keeps logarithms finite


class Solved(NamedTuple):
    """Log prices, and a certificate: the largest remaining gain or loss of any loadout."""

    prices: Array
    residual: float


def even_trade(losses: Array, field: Array) -> Solved:
    """Return the prices at which every loadout destroys as many points as it loses: the multiplicative form.

    They scale the matrix ``losses[i, j] * price[j] / price[i]``, weighted by the field, so that the sum of each row
    equals that of its column. This is matrix balancing (Osborne 1960), with one scale where Sinkhorn and Knopp have
    two. As a balance of a game it is the multiplicative form of Liu and Marschner (AIIDE 2017). The prices are unique
    if all loadouts are connected, directly or through others (:func:`connected`).

    Returns
    -------
    Solved
        `residual` is the largest ``abs(log(points destroyed / points lost))``.

    Examples
    --------
    >>> twice_as_good = np.array([[0.2, 0.4], [0.1, 0.2]])
    >>> np.exp(np.diff(even_trade(twice_as_good, np.array([0.5, 0.5])).prices)).round(6).tolist()
    [0.5]
    """
    there, back, prices, gain = losses, losses.T, np.zeros(len(field)), np.inf
    for _ in range(_MOST_ROUNDS):
        worth = np.exp(prices)
        gains = np.log((there @ (field * worth)) / (back @ (field / worth))) - 2 * prices
        gain = float(np.abs(gains).max())
        if gain < _EXACT:
            break
        prices = prices + _STEP * gains
    return Solved(prices, gain)


def sensitivity(places: Array, field: Array, prices: Array) -> tuple[Array, Array]:
    """Return the derivatives of even prices with respect to the frequency of each loadout, and to that of each ground.

    The implicit function theorem gives the derivatives of :func:`even_trade`. `prices` are its result for the mean
    losses over the grounds.

    Parameters
    ----------
    places : ndarray
        Losses, shape (grounds, n, n).

    Returns
    -------
    ndarray, ndarray
        Shapes (n, n) and (n, grounds): derivative of the logarithm of the row's price with respect to the frequency of
        the column; the rows add up to 0.

    Examples
    --------
    >>> losses, field = np.array([[0.2, 0.4], [0.1, 0.2]]), np.array([0.5, 0.5])
    >>> by_loadout, _ = sensitivity(losses[None], field, even_trade(losses, field).prices)
    >>> np.abs(by_loadout).max().round(9)
    np.float64(0.0)
    """
    worth = np.exp(prices)
    destroyed, lost = places * (field * worth), places.transpose(0, 2, 1) * (field / worth)
    each_place = np.array([table.sum(axis=2).T / table.sum(axis=(0, 2))[:, None] for table in (destroyed, lost)])
    there, back = (table.sum(axis=0) / table.sum(axis=(0, 2))[:, None] for table in (destroyed, lost))
    moves = 2 * np.eye(len(field)) - there - back
    changes = np.column_stack([there - back, each_place[0] - each_place[1]])
    result = np.linalg.solve(moves + np.abs(moves).mean(), changes)  # only differences matter
    return result[:, : len(field)], result[:, len(field) :]


def both_sides(losses: Array, field: Array, prices: Array) -> tuple[Array, Array]:
    """Return the value of each loadout by the points it destroys, and by the points its destruction takes: logarithms.

    If all trade evenly at these prices, the mean of both is the price.

    Returns
    -------
    offence : ndarray
        Logarithm of the points that it destroys in a round against opponents at these prices.
    toughness : ndarray
        Logarithm of the points of opponents that can destroy it in a round.

    Examples
    --------
    >>> losses, field = np.array([[0.2, 0.4], [0.1, 0.2]]), np.array([0.5, 0.5])
    >>> prices = even_trade(losses, field).prices
    >>> bool(np.allclose(np.mean(both_sides(losses, field, prices), axis=0), prices))
    True
    """
    destroyed, lost = losses @ (field * np.exp(prices)), (field / np.exp(prices)) @ losses
    return np.log(np.maximum(destroyed, _NOTHING)), -np.log(np.maximum(lost, _NOTHING))


def ahead(losses: Array, prices: Array) -> Array:
    """Return the lead of the row over the column: (destroyed - lost) / (destroyed + lost) in points, -1 to 1.

    The matrix is antisymmetric, a zero-sum game. :data:`LEAST` on both sides keeps a pair with tiny losses near 0.
    """
    traded = losses * np.exp(prices[None, :] - prices[:, None])
    shares: Array = (traded - traded.T) / (traded + traded.T + 2 * LEAST)
    return shares


def evenly_ahead(losses: Array, field: Array, start: Array) -> Solved:
    """Return the prices at which no loadout has a lead over the field as a whole: the logistic form.

    The method is Newton's. At these prices the field is an equilibrium of the game of :func:`ahead`: no loadout in it
    gains by a switch to another (Liu and Marschner, AIIDE 2017: one monotone variable for each strategy).

    Returns
    -------
    Solved
        `residual` is the largest lead of a loadout over the field: the exploitability of the field.
    """
    prices, places = start - start.mean(), np.arange(len(field))
    for _ in range(_MOST_STEPS):
        traded = losses * np.exp(prices[None, :] - prices[:, None])
        both = traded + traded.T
        gains = (traded - traded.T) / (both + 2 * LEAST)
        slopes = (both * (both + 2 * LEAST) - (traded - traded.T) ** 2) / (both + 2 * LEAST) ** 2 * field
        matrix = slopes.copy()
        matrix[places, places] -= slopes.sum(axis=1)
        # Only differences matter: the added constant keeps the mean and makes the matrix regular.
        step = np.linalg.solve(matrix - np.abs(matrix).mean(), -(gains @ field))
        prices = prices + step * min(1.0, _LONGEST_STEP / max(np.abs(step).max(), _EXACT))
        if np.abs(step).max() < _EXACT:
            break
    return Solved(prices - prices.mean(), float(np.abs(ahead(losses, prices) @ field).max()))


def equilibrium(gains: Array) -> tuple[Array, Array, float, float]:
    """Return the equilibrium mixtures of rows and of columns, by linear programming.

    Parameters
    ----------
    gains : ndarray
        Gain of the row from the column, which loses as much.

    Returns
    -------
    rows, columns : ndarray
        Probabilities; the columns are the dual solution.
    value : float
        Gain of the rows.
    exploitability : float
        Gain of the best responses to both mixtures, together: a certificate, 0 except for rounding.

    Examples
    --------
    >>> rock_paper_scissors = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    >>> equilibrium(rock_paper_scissors)[0].round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    from scipy.optimize import linprog

    rows, columns = gains.shape
    # The mixture of the rows and its guaranteed gain, the last variable; no column may allow less.
    result = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.column_stack([-gains.T, np.ones(columns)]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0.0, None)] * rows + [(None, None)],
    )
    mixtures = [np.clip(weights, 0.0, None) for weights in (result.x[:-1], -result.ineqlin.marginals)]
    ours, theirs = (np.asarray(mixture / mixture.sum(), np.float64) for mixture in mixtures)
    return ours, theirs, float(-result.fun), float((gains @ theirs).max() - (ours @ gains).min())


def response(gains: Array, prior: Array, met: NDArray[np.bool_], pickiness: float = PICKINESS) -> Array:
    """Return frequencies of opponents at which better loadouts are more frequent: a logit quantal response.

    Frequencies are proportional to ``prior * exp(pickiness * mean gain against opponents met with these frequencies)``
    (McKelvey and Palfrey 1995). The steps of the iteration are short enough not to overshoot.
    """
    log_field = np.log(prior)
    for _ in range(_MOST_ROUNDS):
        field = np.exp(log_field)
        wanted = np.log(prior) + pickiness * (gains @ field) / (met @ field)
        wanted -= np.log(np.exp(wanted).sum())
        away = wanted - log_field
        if np.abs(away).max() < _EXACT:
            break
        log_field = log_field + away / (1.0 + pickiness)
        log_field -= np.log(np.exp(log_field).sum())
    return np.asarray(np.exp(log_field), np.float64)


def one_number(gains: Array, weights: Array) -> tuple[Array, float]:
    """Return the strength of each loadout as one number, and the share of the game that these numbers explain.

    The strengths are the least-squares potential of an antisymmetric matrix (Jiang, Lim, Yao and Ye 2011, HodgeRank).
    ``strength[i] - strength[j]`` is the explained part of ``gains[i, j]``; the rest is cyclic, as in rock, paper,
    scissors. The share is that of the sum of squares, weighted by `weights[i, j]`, the frequency of a pair (0: never).
    It is 1 if all gains are 0.

    >>> one_number(np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0], [-2.0, -1.0, 0.0]]), np.ones((3, 3)))[1]
    1.0
    """
    laplacian = np.diag(weights.sum(axis=1)) - weights
    strength: Array = np.linalg.lstsq(laplacian, (weights * gains).sum(axis=1), rcond=None)[0]
    left = gains - (strength[:, None] - strength[None, :])
    unexplained, whole = (float((weights * values**2).sum()) for values in (left, gains))
    return strength, 1.0 - unexplained / whole if whole > 0 else 1.0


def connected(losses: Array) -> NDArray[np.bool_]:
    """Return a mask of the largest group whose loadouts can all destroy each other, directly or through others.

    A loadout outside it hurts none in it, or is hurt by none in it, and has no price that trades evenly.
    """
    reached = (losses > 0) | np.eye(len(losses), dtype=np.bool_)
    ways = 0
    while ways < (ways := int(reached.sum())):  # each pass doubles the length of paths
        step = reached.astype(np.float32)
        reached = step @ step > 0
    groups = reached & reached.T
    return np.asarray(groups[groups.sum(axis=1).argmax()], np.bool_)


def medians_of(values: Array, below: Array) -> Array:
    """Return the weighted medians of sorted `values` for several weightings; `below` are cumulative sums of weights.

    Values and their sums are along the last axis; weightings are along those before it.

    >>> medians_of(np.array([1.0, 2.0, 3.0]), np.cumsum([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]], axis=1)).tolist()
    [2.0, 2.0]
    """
    half = below[..., -1:] / 2
    ends = ((below < half * factor).sum(axis=-1, keepdims=True) for factor in (1 - _EXACT, 1 + _EXACT))
    several = values.reshape((1,) * (below.ndim - values.ndim) + values.shape)
    both = [np.take_along_axis(several, np.minimum(end, values.shape[-1] - 1), -1)[..., 0] for end in ends]
    return np.asarray(np.mean(both, axis=0), np.float64)
