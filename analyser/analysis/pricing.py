"""Prices from a game: points at which no loadout gains, and the equilibrium at given points.

All functions take plain arrays over loadouts. `losses[i, j]` is the mean share of loadout j, 0 to 1, that is lost to i
while each of them acts once; `field[j]` is how often j is met, adding up to 1; prices are natural logarithms, and hold
up to a common factor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LEAST = 0.01  # points destroyed for a point: less does not matter at a table, and is nobody's gain
PICKINESS = 2.0  # a gain of half of all that is exchanged makes a loadout e times as frequent
_MOST_ROUNDS, _MOST_STEPS, _LONGEST_STEP = 10_000, 100, 1.0
_STEP = 0.4  # of its gain a price moves: with 0.5 one alone would trade evenly, and all at once may go to and fro
_EXACT = 1e-10  # of logarithms
_NOTHING = 1e-12  # of a point: a logarithm needs something


class Solved(NamedTuple):
    """Log prices, and the certificate: the largest gain or loss that is left to any loadout."""

    prices: Array
    residual: float


def even_trade(losses: Array, field: Array) -> Solved:
    """The prices at which every loadout destroys as many points as it loses: the multiplicative form.

    They scale the matrix ``losses[i, j] * price[j] / price[i]``, weighted by the field, so that each row adds up to
    what its column does: matrix balancing (Osborne 1960), the one-price sibling of Sinkhorn and Knopp's scaling; as a
    balance of a game it is the multiplicative form of Liu and Marschner (AIIDE 2017). Unique
    where everyone can reach everyone through others, as :func:`connected` tells.

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
    """Return the change of even prices with the frequency of each loadout, and with that of each place.

    The derivative of :func:`even_trade` (implicit function theorem), whose prices these are for the mean of the places.

    Parameters
    ----------
    places : ndarray
        Losses, shape (places, n, n).

    Returns
    -------
    ndarray, ndarray
        Shapes (n, n) and (n, places): of the logarithm of the row's price for one of the column's frequency; the rows
        add up to 0.

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
    result = np.linalg.solve(moves + np.abs(moves).mean(), changes)  # only differences count
    return result[:, : len(field)], result[:, len(field) :]


def both_sides(losses: Array, field: Array, prices: Array) -> tuple[Array, Array]:
    """Return the value of each loadout by what it destroys, and by what it takes to destroy it: logarithms.

    Where all trade evenly at these prices their mean is the price.

    Returns
    -------
    offence : ndarray
        Logarithm of the points that it destroys in a round, in a field at these prices.
    toughness : ndarray
        Logarithm of the points of opponents that it takes to destroy it in a round.

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
    """Return how far the row comes out ahead of the column: (destroyed - lost) / (destroyed + lost) in points, -1 to 1.

    Antisymmetric: a zero-sum game. :data:`LEAST` on both sides keeps a pair that hardly touch near 0.
    """
    traded = losses * np.exp(prices[None, :] - prices[:, None])
    shares: Array = (traded - traded.T) / (traded + traded.T + 2 * LEAST)
    return shares


def evenly_ahead(losses: Array, field: Array, start: Array) -> Solved:
    """The prices at which no loadout comes out ahead of the field on the whole: the logistic form, by Newton's method.

    The field is then an equilibrium of the game of :func:`ahead`: nobody in it gains by playing another loadout (Liu
    and Marschner, AIIDE 2017: one monotone variable a strategy).

    Returns
    -------
    Solved
        `residual` is the most that a loadout is ahead of the field: how far the field could be exploited.
    """
    prices, places = start - start.mean(), np.arange(len(field))
    for _ in range(_MOST_STEPS):
        traded = losses * np.exp(prices[None, :] - prices[:, None])
        both = traded + traded.T
        gains = (traded - traded.T) / (both + 2 * LEAST)
        slopes = (both * (both + 2 * LEAST) - (traded - traded.T) ** 2) / (both + 2 * LEAST) ** 2 * field
        matrix = slopes.copy()
        matrix[places, places] -= slopes.sum(axis=1)
        # Only differences count: what is added everywhere keeps the mean, and the matrix regular.
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
        What the row gains from the column, which loses as much.

    Returns
    -------
    rows, columns : ndarray
        Probabilities; the columns are the dual solution.
    value : float
        What the rows gain.
    exploitability : float
        What the best answers to both mixtures gain beyond it, together: 0 but for rounding. The certificate.

    Examples
    --------
    >>> rock_paper_scissors = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    >>> equilibrium(rock_paper_scissors)[0].round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    from scipy.optimize import linprog

    rows, columns = gains.shape
    # The rows' mixture and what it surely gains, the last variable; each column may take no more than that.
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
    """Return the field in which better loadouts are met more often: logit quantal response.

    Frequencies are proportional to ``prior * exp(pickiness * mean gain against those of this very field that it
    meets)`` (McKelvey and Palfrey 1995); found by steps so short that they cannot overshoot.
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

    The least-squares potential of an antisymmetric matrix (Jiang, Lim, Yao and Ye 2011, HodgeRank): ``strength[i] -
    strength[j]`` is the part of ``gains[i, j]`` that the numbers explain; the rest is cyclic, as in rock, paper,
    scissors. The share is that of the sum of squares, weighted by `weights[i, j]`, how often a pair meets (0: never); 1
    where there is nothing to explain.

    >>> one_number(np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0], [-2.0, -1.0, 0.0]]), np.ones((3, 3)))[1]
    1.0
    """
    laplacian = np.diag(weights.sum(axis=1)) - weights
    strength: Array = np.linalg.lstsq(laplacian, (weights * gains).sum(axis=1), rcond=None)[0]
    left = gains - (strength[:, None] - strength[None, :])
    unexplained, whole = (float((weights * values**2).sum()) for values in (left, gains))
    return strength, 1.0 - unexplained / whole if whole > 0 else 1.0


def connected(losses: Array) -> NDArray[np.bool_]:
    """The largest group whose loadouts can all be destroyed, directly or through others, by one another.

    Who stands outside hurts nobody, or is hurt by nobody, in it: for those no price trades evenly.
    """
    reached = (losses > 0) | np.eye(len(losses), dtype=np.bool_)
    ways = 0
    while ways < (ways := int(reached.sum())):  # each time those of twice the length
        step = reached.astype(np.float32)
        reached = step @ step > 0
    groups = reached & reached.T
    return np.asarray(groups[groups.sum(axis=1).argmax()], np.bool_)


def medians_of(values: Array, below: Array) -> Array:
    """Return the weighted medians of sorted `values` for several weightings: `below` are their sums up to each value.

    Values and their sums run along the last axis; the weightings run along those before it.

    >>> medians_of(np.array([1.0, 2.0, 3.0]), np.cumsum([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]], axis=1)).tolist()
    [2.0, 2.0]
    """
    half = below[..., -1:] / 2
    ends = ((below < half * factor).sum(axis=-1, keepdims=True) for factor in (1 - _EXACT, 1 + _EXACT))
    several = values.reshape((1,) * (below.ndim - values.ndim) + values.shape)
    both = [np.take_along_axis(several, np.minimum(end, values.shape[-1] - 1), -1)[..., 0] for end in ends]
    return np.asarray(np.mean(both, axis=0), np.float64)
