"""Fair prices beside similar units, and how sure they are: a hierarchical model (Gelman and Hill 2007, chapter 12).

The points of a loadout over its even price are a sum, in logarithms: what the game, its role and its level pay, what
similar units of the role are paid alike (a Gaussian process over their profiles), what is wrong with its unit, what
is wrong with it alone, less the error of the even price. All but the first are normal with known scales, so that one
matrix inverse gives the price of each unit as the *other* units say. Unusual units weigh less (Student's t).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.pricing import Array

Integers = NDArray[np.int64]

# Standard deviations of logarithms, rounded from the maximum of the likelihood over the shipped profiles.
ROLE, LEVEL, UNIT, ALONE = 0.16, 0.05, 0.22, 0.06
ALIKE = 0.5  # share of the variance of units that similar ones have in common
FREEDOM = 4.0  # degrees of freedom of what is wrong with a unit
_UNKNOWN = 100.0  # variance of what the game pays, of which nothing is known beforehand
_ROUNDS = 8  # of the weights of unusual units


class Sides(NamedTuple):
    """The loadouts of a game as the model sees them.

    Attributes
    ----------
    roles, levels : sequence of str
    kinds : ndarray of int
        The number of each loadout's unit; units that fight alike have one number.
    profile : ndarray
        Shape (n, k): the profile of each, one unit of length being a clear difference.
    """

    roles: Sequence[str]
    levels: Sequence[str]
    kinds: Integers
    profile: Array


class Pooled(NamedTuple):
    """Prices as the other units say; all as logarithms.

    Attributes
    ----------
    off, other, error : ndarray
        Points over fair points, the same by the other way to price, and the standard deviation of `off`.
    wrong, wrong_error : ndarray
        The same with what is known of prices in general: the posterior, from which probabilities follow.
    follows, varies : ndarray
        How much `wrong` moves with the points of the loadout, 0 to 1; and its standard deviation if nothing were wrong.
    game : float
        What the game pays for an even price.
    roles, levels : dict of str to float
        What they pay besides.
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
    """Return the price of each unit as the others say.

    Parameters
    ----------
    over : ndarray
        Points over the even price of each loadout, as logarithms.
    other_way : ndarray
        The same by another way to price; half the difference of the two answers is part of the error.
    sides : Sides
    noise : ndarray
        Shape (n, k): independent causes of error of the even price, each as much as its standard deviation.

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
    """Return the first loadout of each set that is the same in all, and the set of each loadout."""
    names = np.unique(sides.levels, return_inverse=True)[1]
    rows = np.column_stack([sides.kinds, names, over.round(9)])
    _, first, where = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, where.ravel()


def _shared(sides: Sides, noise: Array) -> tuple[Array, Array, Array]:
    """Return the covariance of what several loadouts have in common, and which are of one role and of one level."""
    same_role, same_level = (
        (names[:, None] == names[None, :]).astype(np.float64) for names in map(np.array, (sides.roles, sides.levels))
    )
    apart = ((sides.profile[:, None] - sides.profile[None, :]) ** 2).sum(axis=2)
    alike = ALIKE * UNIT**2 * same_role * np.exp(-apart / 2)
    shared = _UNKNOWN + ROLE**2 * same_role + LEVEL**2 * same_level + alike + noise @ noise.T
    return np.asarray(shared, np.float64), same_role, same_level


def _beside_others(inverse: Array, explained: Array, own: Array) -> Array:
    """Return the first seven figures of :class:`Pooled` for the loadouts of one unit, as all others say.

    The block of the inverse that belongs to them is the precision of what they cost, given all others.
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
