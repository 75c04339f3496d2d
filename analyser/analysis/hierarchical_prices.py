"""Fair prices from similar units, and their uncertainty: a hierarchical model (Gelman and Hill 2007, chapter 12).

The logarithm of a loadout's points over its even price is a sum of effects: of the game, of its role and of its level;
of similar units of the role (a Gaussian process over their profiles); of the error in its unit's price and of that in
its own; minus the error of the even price. All but the first are normal with known scales. So one matrix inverse gives
the price of each unit that the *other* units imply. Unusual units weigh less (Student's t).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.equilibrium_prices import Array

Integers = NDArray[np.int64]

# Standard deviations of logarithms, rounded from the maximum likelihood estimate over the shipped profiles.
ROLE, LEVEL, UNIT, ALONE = 0.16, 0.05, 0.22, 0.06
ALIKE = 0.5  # share of the variance of units that is common to similar units
FREEDOM = 4.0  # degrees of freedom of the error in a unit's price
_UNKNOWN = 100.0  # variance of the effect of the game, a vague prior
_ROUNDS = 8  # iterations of the weights of unusual units


class Sides(NamedTuple):
    """The loadouts of a game as the model sees them.

    Attributes
    ----------
    roles, levels : sequence of str
    kinds : ndarray of int
        Number of each loadout's unit; units that fight alike have the same number.
    profile : ndarray
        Shape (n, k): the profile of each, scaled so that a distance of 1 is a clear difference.
    """

    roles: Sequence[str]
    levels: Sequence[str]
    kinds: Integers
    profile: Array


class Pooled(NamedTuple):
    """Prices that the other units imply; all as logarithms.

    Attributes
    ----------
    off, other, error : ndarray
        Points over fair points; this ratio by the other pricing method; the standard deviation of `off`.
    wrong, wrong_error : ndarray
        Points over fair points and its standard deviation in the posterior, which gives the probabilities.
    follows, varies : ndarray
        Change of `wrong` with the points of the loadout, 0 to 1; its standard deviation if the price were right.
    game : float
        Effect of the game on an even price.
    roles, levels : dict of str to float
        Effects of each role and each level.
    """

    off: Array
    other: Array
    error: Array
    wrong: Array
    wrong_error: Array
    follows: Array
    varies: Array
    game: float
    roles: dict[str, float]
    levels: dict[str, float]


def pooled(over: Array, other_way: Array, sides: Sides, noise: Array) -> Pooled:
    """Return the price of each unit that the other units imply.

    Parameters
    ----------
    over : ndarray
        Points over the even price of each loadout, as logarithms.
    other_way : ndarray
        Points over the price by another method; half the difference between the methods is part of the error.
    sides : Sides
    noise : ndarray
        Shape (n, k): standard deviations from independent causes of error of the even price.

    Examples
    --------
    >>> eight = Sides(["infantry"] * 8, ["basic"] * 8, np.arange(8), np.zeros((8, 1)))
    >>> over = np.array([0.3, *[0.0] * 7])
    >>> found = pooled(over, over, eight, np.zeros((8, 1)))
    >>> found.off.round(2).tolist()[:2], bool(found.error[0] < 0.15)
    ([0.3, -0.03], True)
    """
    first, where = _without_copies(over, sides)
    over, other_way, noise = over[first], other_way[first], noise[first]
    roles, levels = ([column[at] for at in first] for column in (sides.roles, sides.levels))
    sides = Sides(roles, levels, sides.kinds[first], sides.profile[first])
    shared, same_role, same_level = _shared(sides, noise)
    same_kind = sides.kinds[:, None] == sides.kinds[None, :]
    members = [np.flatnonzero(sides.kinds == kind) for kind in dict.fromkeys(sides.kinds.tolist())]
    scale = np.ones(len(over))
    for _ in range(_ROUNDS):
        own = (1 - ALIKE) * UNIT**2 * same_kind * scale[:, None] + ALONE**2 * np.eye(len(over))
        inverse = np.linalg.inv(shared + own)
        explained = inverse @ np.column_stack([over, other_way])
        result = np.empty((7, len(over)))
        for those in members:
            block = np.ix_(those, those)
            result[:, those] = _beside_others(inverse[block], explained[those], own[block])
            usual = result[0, those].mean() ** 2 / ((1 - ALIKE) * UNIT**2)
            scale[those] = (FREEDOM + usual) / (FREEDOM + 1)
    pays = explained[:, 0]
    off, other, error, wrong, wrong_error, follows, varies = result[:, where]
    by_role = {name: float(ROLE**2 * same_role[at] @ pays) for at, name in enumerate(sides.roles)}
    by_level = {name: float(LEVEL**2 * same_level[at] @ pays) for at, name in enumerate(sides.levels)}
    game = float(_UNKNOWN * pays.sum())
    return Pooled(off, other, error, wrong, wrong_error, follows, varies, game, by_role, by_level)


def _without_copies(over: Array, sides: Sides) -> tuple[Integers, Integers]:
    """Return the first loadout of each set of equal loadouts, and the set of each loadout."""
    names = np.unique(sides.levels, return_inverse=True)[1]
    rows = np.column_stack([sides.kinds, names, over.round(9)])
    _, first, where = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, where.ravel()


def _shared(sides: Sides, noise: Array) -> tuple[Array, Array, Array]:
    """Return the covariance of shared effects, and the matrices of equal roles and of equal levels."""
    same_role, same_level = (
        (names[:, None] == names[None, :]).astype(np.float64) for names in map(np.array, (sides.roles, sides.levels))
    )
    apart = ((sides.profile[:, None] - sides.profile[None, :]) ** 2).sum(axis=2)
    alike = ALIKE * UNIT**2 * same_role * np.exp(-apart / 2)
    shared = _UNKNOWN + ROLE**2 * same_role + LEVEL**2 * same_level + alike + noise @ noise.T
    return np.asarray(shared, np.float64), same_role, same_level


def _beside_others(inverse: Array, explained: Array, own: Array) -> Array:
    """Return the first seven figures of :class:`Pooled` for the loadouts of one unit, given all others.

    Their block of the inverse is the precision of their prices, given all others.
    """
    spread = np.linalg.inv(inverse)
    off, other = (spread @ explained).T
    ways = np.clip((off - other) / 2, -UNIT, UNIT)
    spread = spread + np.outer(ways, ways)
    follows = own @ np.linalg.inv(spread)
    error = spread - own
    after = own - follows @ own
    varies = follows @ error @ follows.T
    variances = (np.diag(matrix).clip(0.0) for matrix in (error, after, varies))
    error, wrong_error, varies = (np.sqrt(variance) for variance in variances)
    return np.array([off, other, error, follows @ off, wrong_error, np.diag(follows), varies])
