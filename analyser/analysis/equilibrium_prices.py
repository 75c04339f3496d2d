"""Prices from game theory: points at which no loadout gains, and the frequencies of opponents at today's points.

All functions take arrays over loadouts. `losses[i, j]` is the mean share of loadout j, 0 to 1, that is lost to i in a
round in which each acts once. `frequencies[j]` is the frequency of j among the opponents; frequencies add up to
1. Prices are natural logarithms of points; only their differences are determined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.kernel_records import Floats

NEGLIGIBLE_LOSS = 0.01  # points destroyed in a round per own point: smaller losses do not matter
PICKINESS = 2.0  # a lead of 0.5 makes a loadout 2.7 times as frequent among the opponents as a lead of 0
_MOST_ROUNDS, _MOST_STEPS, _LONGEST_STEP = 10_000, 100, 1.0
_STEP = 0.4  # in each iteration a price changes by this share of its gain; with 0.5, prices could oscillate
_TOLERANCE = 1e-10  # iterations end when logarithms change by less
_FLOOR = 1e-12  # smaller values are raised to this, which keeps logarithms finite


class SolvedPrices(NamedTuple):
    """Logarithms of prices, and the largest imbalance that they leave."""

    prices: Floats
    residual: float


def even_trade_prices(losses: Floats, frequencies: Floats) -> SolvedPrices:
    """Return the prices at which every loadout destroys as many points as it loses.

    They balance the matrix ``losses[i, j] * price[j] / price[i]``, weighted by the frequencies (Osborne 1960; the
    multiplicative form of game balance of Liu and Marschner, AIIDE 2017). They are unique within
    :func:`largest_connected_group`. The residual is the largest ``abs(log(points destroyed / points lost))``.

    >>> twice_as_good = np.array([[0.2, 0.4], [0.1, 0.2]])
    >>> np.exp(np.diff(even_trade_prices(twice_as_good, np.array([0.5, 0.5])).prices)).round(6).tolist()
    [0.5]
    """
    prices, gain = np.zeros(len(frequencies)), np.inf
    for _ in range(_MOST_ROUNDS):
        points = np.exp(prices)
        gains = np.log((losses @ (frequencies * points)) / (losses.T @ (frequencies / points))) - 2 * prices
        gain = float(np.abs(gains).max())
        if gain < _TOLERANCE:
            break
        prices = prices + _STEP * gains
    return SolvedPrices(prices, gain)


def price_sensitivity(losses: Floats, frequencies: Floats, prices: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives of even-trade prices with respect to log frequencies of loadouts and of battlefields.

    They follow from the implicit function theorem. `losses` has a matrix for each :class:`~.approach.Battlefield`, and
    `prices` are :func:`even_trade_prices` for the mean losses. In both results, rows stand for prices and columns for
    frequencies.

    >>> losses, frequencies = np.array([[0.2, 0.4], [0.1, 0.2]]), np.array([0.5, 0.5])
    >>> by_loadout, _ = price_sensitivity(losses[None], frequencies, even_trade_prices(losses, frequencies).prices)
    >>> np.abs(by_loadout).max().round(9)
    np.float64(0.0)
    """
    points, n = np.exp(prices), len(frequencies)
    destroyed, lost = losses * (frequencies * points), losses.transpose(0, 2, 1) * (frequencies / points)
    by_battlefield = [table.sum(axis=2).T / table.sum(axis=(0, 2))[:, None] for table in (destroyed, lost)]
    destroyed, lost = (table.sum(axis=0) / table.sum(axis=(0, 2))[:, None] for table in (destroyed, lost))
    matrix = 2 * np.eye(n) - destroyed - lost
    changes = np.column_stack([destroyed - lost, by_battlefield[0] - by_battlefield[1]])
    # Only differences of prices matter: the added constant makes the matrix regular.
    result = np.linalg.solve(matrix + np.abs(matrix).mean(), changes)
    return result[:, :n], result[:, n:]


def offence_and_toughness(losses: Floats, frequencies: Floats, prices: Floats) -> tuple[Floats, Floats]:
    """Return the logarithms of each loadout's offence and toughness.

    Offence is the enemy points that the loadout destroys in a round. Toughness is the enemy points needed to destroy
    the loadout in a round. At even-trade prices the mean of both logarithms is the price.

    >>> losses, frequencies = np.array([[0.2, 0.4], [0.1, 0.2]]), np.array([0.5, 0.5])
    >>> prices = even_trade_prices(losses, frequencies).prices
    >>> bool(np.allclose(np.mean(offence_and_toughness(losses, frequencies, prices), axis=0), prices))
    True
    """
    destroyed, lost = losses @ (frequencies * np.exp(prices)), (frequencies / np.exp(prices)) @ losses
    return np.log(np.maximum(destroyed, _FLOOR)), -np.log(np.maximum(lost, _FLOOR))


def leads(losses: Floats, prices: Floats) -> Floats:
    """Return the lead of the row over the column, -1 to 1: (destroyed - lost) / (destroyed + lost).

    Both are points lost per point of the loadout that destroys them. :data:`NEGLIGIBLE_LOSS` is added to both, which
    keeps the lead near 0 if both are tiny.
    """
    traded = losses * np.exp(prices[None, :] - prices[:, None])
    return np.asarray((traded - traded.T) / (traded + traded.T + 2 * NEGLIGIBLE_LOSS), np.float64)


def even_lead_prices(losses: Floats, frequencies: Floats, start: Floats) -> SolvedPrices:
    """Return the prices at which no loadout has a lead over all opponents together, by Newton's method from `start`.

    At these prices the frequencies are an equilibrium of the game of :func:`leads` (the logistic form of Liu and
    Marschner, AIIDE 2017). The residual is the largest lead of a loadout over all opponents together.
    """
    prices, diagonal = start - start.mean(), np.arange(len(frequencies))
    for _ in range(_MOST_STEPS):
        traded = losses * np.exp(prices[None, :] - prices[:, None])
        difference, total = traded - traded.T, traded + traded.T + 2 * NEGLIGIBLE_LOSS
        gains = difference / total
        slopes = ((traded + traded.T) * total - difference**2) / total**2 * frequencies
        matrix = slopes.copy()
        matrix[diagonal, diagonal] -= slopes.sum(axis=1)
        # Only differences of prices matter: the added constant keeps the mean and makes the matrix regular.
        step = np.linalg.solve(matrix - np.abs(matrix).mean(), -(gains @ frequencies))
        prices = prices + step * min(1.0, _LONGEST_STEP / max(np.abs(step).max(), _TOLERANCE))
        if np.abs(step).max() < _TOLERANCE:
            break
    return SolvedPrices(prices - prices.mean(), float(np.abs(leads(losses, prices) @ frequencies).max()))


def quantal_response(
    gains: Floats, prior: Floats, is_matchup: NDArray[np.bool_], pickiness: float = PICKINESS
) -> Floats:
    """Return the frequencies of opponents if better loadouts are chosen more often: a logit quantal response.

    They are proportional to ``prior * exp(pickiness * mean gain)`` (McKelvey and Palfrey 1995). The mean is over the
    opponents that the loadout can meet (`is_matchup`), weighted by these frequencies.
    """
    logs = np.log(prior)
    for _ in range(_MOST_ROUNDS):
        frequencies = np.exp(logs)
        response = np.log(prior) + pickiness * (gains @ frequencies) / (is_matchup @ frequencies)
        response -= np.log(np.exp(response).sum())
        change = response - logs
        if np.abs(change).max() < _TOLERANCE:
            break
        logs = logs + change / (1.0 + pickiness)  # a shorter step than the whole change, which would overshoot
        logs -= np.log(np.exp(logs).sum())
    return np.asarray(np.exp(logs), np.float64)


def strengths(gains: Floats, weights: Floats) -> tuple[Floats, float]:
    """Return one strength for each loadout, and the share of the gains that these strengths explain, 0 to 1.

    The strengths are the least-squares potential of an antisymmetric matrix (Jiang, Lim, Yao and Ye 2011, HodgeRank):
    ``strength[i] - strength[j]`` is the explained part of ``gains[i, j]``. The share is of the sum of squared gains,
    weighted by `weights`.

    >>> strengths(np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0], [-2.0, -1.0, 0.0]]), np.ones((3, 3)))[1]
    1.0
    """
    laplacian = np.diag(weights.sum(axis=1)) - weights
    strength: Floats = np.linalg.lstsq(laplacian, (weights * gains).sum(axis=1), rcond=None)[0]
    rest = gains - (strength[:, None] - strength[None, :])
    unexplained, whole = (float((weights * values**2).sum()) for values in (rest, gains))
    return strength, 1.0 - unexplained / whole if whole > 0 else 1.0


def largest_connected_group(losses: Floats) -> NDArray[np.bool_]:
    """Return a mask of the largest group of loadouts that can all destroy each other, directly or through others."""
    from scipy.sparse.csgraph import connected_components

    _, group = connected_components(losses > 0, connection="strong")
    return np.asarray(group == group[np.bincount(group)[group].argmax()], np.bool_)
