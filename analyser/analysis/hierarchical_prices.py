"""Fair prices from similar units, and their uncertainty: a hierarchical model (Gelman and Hill 2007, chapter 12).

The logarithm of a loadout's points divided by its even-trade price is a sum of effects: of the game, of its role and of
its level; of similar units of the role (a Gaussian process over their profiles); of the error in the price of its unit,
and in its own price; minus the error of the even-trade price. All effects except that of the game are normal with known
scales, so one matrix inverse gives the price of each unit that the *other* units imply. Unusual units weigh less
(Student's t).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.equilibrium_prices import Array

Integers = NDArray[np.int64]

# Standard deviations of logarithms, rounded from the maximum likelihood estimate over the shipped profiles.
ROLE_SD, LEVEL_SD, UNIT_SD, LOADOUT_SD = 0.16, 0.05, 0.22, 0.06
SIMILAR_SHARE = 0.5  # share of the variance of units that similar units have in common
FREEDOM = 4.0  # degrees of freedom of the error in a unit's price
_GAME_VARIANCE = 100.0  # of the effect of the game: a vague prior
_ROUNDS = 8  # iterations of the weights of unusual units


class LoadoutFeatures(NamedTuple):
    """The features of loadouts that the model uses.

    Attributes
    ----------
    roles, levels : sequence of str
    kinds : ndarray of int
        Number of each loadout's unit; units that fight alike have the same number.
    profile : ndarray
        Shape (n, k): figures of each profile, scaled so that a distance of 1 is a clear difference.
    """

    roles: Sequence[str]
    levels: Sequence[str]
    kinds: Integers
    profile: Array


class PooledPrices(NamedTuple):
    """Prices that the other units imply. All figures are logarithms, or their standard deviations.

    Attributes
    ----------
    off, off_by_other_method, error : ndarray
        Points divided by fair points; the same by the other pricing method; the standard deviation of `off`.
    posterior_off, posterior_error : ndarray
        Points divided by fair points in the posterior, nearer to 0 than `off`, and its standard deviation. They give
        the probabilities of a wrong price.
    sensitivity, spread_if_fair : ndarray
        Change of `posterior_off` per change of the loadout's points, 0 to 1; standard deviation of `posterior_off` for
        a loadout with a fair price.
    game : float
        Effect of the game on an even-trade price.
    roles, levels : dict of str to float
        Effects of each role and each level.
    """

    off: Array
    off_by_other_method: Array
    error: Array
    posterior_off: Array
    posterior_error: Array
    sensitivity: Array
    spread_if_fair: Array
    game: float
    roles: dict[str, float]
    levels: dict[str, float]


def pool_prices(off_even: Array, off_even_lead: Array, features: LoadoutFeatures, noise: Array) -> PooledPrices:
    """Return the price of each unit that the other units imply.

    Parameters
    ----------
    off_even, off_even_lead : ndarray
        Points of each loadout divided by its price by two methods, as logarithms: even trade, and even lead. Half the
        difference between the methods is part of the error.
    features : LoadoutFeatures
    noise : ndarray
        Shape (n, k): standard deviations of the even-trade price by k independent causes of error.

    Examples
    --------
    >>> eight = LoadoutFeatures(["infantry"] * 8, ["basic"] * 8, np.arange(8), np.zeros((8, 1)))
    >>> off = np.array([0.3, *[0.0] * 7])
    >>> found = pool_prices(off, off, eight, np.zeros((8, 1)))
    >>> found.off.round(2).tolist()[:2], bool(found.error[0] < 0.15)
    ([0.3, -0.03], True)
    """
    first, group = _without_copies(off_even, features)
    off_even, off_even_lead, noise = off_even[first], off_even_lead[first], noise[first]
    roles, levels = ([column[index] for index in first] for column in (features.roles, features.levels))
    features = LoadoutFeatures(roles, levels, features.kinds[first], features.profile[first])
    shared, same_role, same_level = _shared_covariance(features, noise)
    same_kind = features.kinds[:, None] == features.kinds[None, :]
    units = [np.flatnonzero(features.kinds == kind) for kind in dict.fromkeys(features.kinds.tolist())]
    scale = np.ones(len(off_even))
    for _ in range(_ROUNDS):
        own = (1 - SIMILAR_SHARE) * UNIT_SD**2 * same_kind * scale[:, None] + LOADOUT_SD**2 * np.eye(len(off_even))
        inverse = np.linalg.inv(shared + own)
        explained = inverse @ np.column_stack([off_even, off_even_lead])
        result = np.empty((7, len(off_even)))
        for unit in units:
            block = np.ix_(unit, unit)
            result[:, unit] = _given_other_units(inverse[block], explained[unit], own[block])
            surprise = result[0, unit].mean() ** 2 / ((1 - SIMILAR_SHARE) * UNIT_SD**2)
            scale[unit] = (FREEDOM + surprise) / (FREEDOM + 1)
    effects = explained[:, 0]
    by_role = {name: float(ROLE_SD**2 * same_role[row] @ effects) for row, name in enumerate(features.roles)}
    by_level = {name: float(LEVEL_SD**2 * same_level[row] @ effects) for row, name in enumerate(features.levels)}
    figures: dict[str, Array] = dict(zip(PooledPrices._fields, result[:, group]))
    return PooledPrices(**figures, game=float(_GAME_VARIANCE * effects.sum()), roles=by_role, levels=by_level)


def _without_copies(off_even: Array, features: LoadoutFeatures) -> tuple[Integers, Integers]:
    """Return the index of the first loadout of each group of equal loadouts, and the group of each loadout."""
    names = np.unique(features.levels, return_inverse=True)[1]
    rows = np.column_stack([features.kinds, names, off_even.round(9)])
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, group.ravel()


def _shared_covariance(features: LoadoutFeatures, noise: Array) -> tuple[Array, Array, Array]:
    """Return the covariance of shared effects, and the matrices of equal roles and of equal levels."""
    same_role, same_level = (
        (names[:, None] == names[None, :]).astype(np.float64)
        for names in map(np.array, (features.roles, features.levels))
    )
    distances = ((features.profile[:, None] - features.profile[None, :]) ** 2).sum(axis=2)
    similar = SIMILAR_SHARE * UNIT_SD**2 * same_role * np.exp(-distances / 2)
    shared = _GAME_VARIANCE + ROLE_SD**2 * same_role + LEVEL_SD**2 * same_level + similar + noise @ noise.T
    return np.asarray(shared, np.float64), same_role, same_level


def _given_other_units(inverse: Array, explained: Array, own: Array) -> Array:
    """Return the first seven figures of :class:`PooledPrices` for the loadouts of one unit, given all other units.

    Arguments are the blocks of these loadouts. That of the inverse is the precision of their prices, given all others.
    """
    spread = np.linalg.inv(inverse)
    off, off_by_other_method = (spread @ explained).T
    half_difference = np.clip((off - off_by_other_method) / 2, -UNIT_SD, UNIT_SD)
    spread = spread + np.outer(half_difference, half_difference)
    sensitivity = own @ np.linalg.inv(spread)
    error = spread - own
    posterior = own - sensitivity @ own
    if_fair = sensitivity @ error @ sensitivity.T
    error, posterior_error, spread_if_fair = (np.sqrt(np.diag(m).clip(0.0)) for m in (error, posterior, if_fair))
    posterior_off = sensitivity @ off
    figures = off, off_by_other_method, error, posterior_off, posterior_error, np.diag(sensitivity), spread_if_fair
    return np.array(figures)
