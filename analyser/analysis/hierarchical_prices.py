"""Fair prices from similar units, and their uncertainty: a hierarchical model (Gelman and Hill 2007, chapter 12).

At its even-trade price (`even_trade_prices`) a loadout destroys as many points as it loses. The logarithm of
(points / even-trade price) is a sum of effects: one common to all loadouts; one of its role and one of its level; one
that it shares with similar units of the role (a Gaussian process over profiles); and the errors in the unit's price, in
the loadout's price and in the even-trade price. All effects are normal with known variances (the common one has a
vague prior). Therefore one matrix inverse gives for each unit the price that the *other* units imply. Unusual units
weigh less (Student's t).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analyser.common.kernel_records import Floats, Integers

# Standard deviations of the effects, rounded from maximum likelihood estimates over the shipped profiles.
ROLE_SD, LEVEL_SD, UNIT_SD, LOADOUT_SD = 0.16, 0.05, 0.22, 0.06
SIMILAR_SHARE = 0.5  # share of the variance UNIT_SD**2 that units with equal profiles have in common
DEGREES_OF_FREEDOM = 4.0  # of Student's t distribution of the error in a unit's price
_COMMON_VARIANCE = 100.0  # variance of the effect common to all loadouts: a vague prior
_ROUNDS = 8  # iterations that find the weights of unusual units


class LoadoutFeatures(NamedTuple):
    """Features of loadouts that the model uses."""

    roles: Sequence[str]
    levels: Sequence[str]
    unit_numbers: Integers  # units that fight alike have the same number
    profile: Floats  # for each loadout a row of figures of its profile, scaled so that 1 is a clear difference


class PooledPrices(NamedTuple):
    """Prices that the other units imply. Ratios and effects are logarithms, errors are standard deviations of these."""

    log_ratio: Floats  # log(points / fair points)
    other_ratio: Floats  # log(points / fair points) by `even_lead_prices`, not `even_trade_prices`
    error: Floats  # error of `log_ratio`
    posterior_ratio: Floats  # posterior mean of `log_ratio`; the prior assumes that most prices are about fair
    posterior_error: Floats  # posterior standard deviation of `log_ratio`
    sensitivity: Floats  # change of `posterior_ratio` per change of the logarithm of points
    spread_if_fair: Floats  # standard deviation of `posterior_ratio` if the price is fair
    common_effect: float
    roles: dict[str, float]
    levels: dict[str, float]


def pool_prices(even_trade: Floats, even_lead: Floats, features: LoadoutFeatures, noise: Floats) -> PooledPrices:
    """Return for each loadout the price that the other units imply.

    `even_trade` and `even_lead` are logarithms of (points / price) by the two methods of that name; half their
    difference is part of the error. `noise` has standard deviations of the even-trade price: a row for each loadout, a
    column for each cause of error.

    >>> eight = LoadoutFeatures(["infantry"] * 8, ["basic"] * 8, np.arange(8), np.zeros((8, 1)))
    >>> log_ratio = np.array([0.3, *[0.0] * 7])
    >>> found = pool_prices(log_ratio, log_ratio, eight, np.zeros((8, 1)))
    >>> found.log_ratio.round(2).tolist()[:2], bool(found.error[0] < 0.15)
    ([0.3, -0.03], True)
    """
    first, group = _distinct_loadouts(even_trade, features)
    even_trade, even_lead, noise = even_trade[first], even_lead[first], noise[first]
    roles, levels = ([column[index] for index in first] for column in (features.roles, features.levels))
    features = LoadoutFeatures(roles, levels, features.unit_numbers[first], features.profile[first])
    shared, same_role, same_level = _shared_covariance(features, noise)
    same_unit = features.unit_numbers[:, None] == features.unit_numbers[None, :]
    units = [np.flatnonzero(features.unit_numbers == number) for number in np.unique(features.unit_numbers)]
    scale = np.ones(len(even_trade))
    for _ in range(_ROUNDS):
        unit_variances = (1 - SIMILAR_SHARE) * UNIT_SD**2 * scale[:, None]
        unshared = unit_variances * same_unit + LOADOUT_SD**2 * np.eye(len(even_trade))
        inverse = np.linalg.inv(shared + unshared)
        explained = inverse @ np.column_stack([even_trade, even_lead])
        result = np.empty((7, len(even_trade)))
        for unit in units:
            block = np.ix_(unit, unit)
            result[:, unit] = _figures_given_other_units(inverse[block], explained[unit], unshared[block])
            surprise = result[0, unit].mean() ** 2 / ((1 - SIMILAR_SHARE) * UNIT_SD**2)
            scale[unit] = (DEGREES_OF_FREEDOM + surprise) / (DEGREES_OF_FREEDOM + 1)
    effects = explained[:, 0]
    by_role = {name: float(ROLE_SD**2 * same_role[row] @ effects) for row, name in enumerate(features.roles)}
    by_level = {name: float(LEVEL_SD**2 * same_level[row] @ effects) for row, name in enumerate(features.levels)}
    figures: dict[str, Floats] = dict(zip(PooledPrices._fields, result[:, group]))
    common = float(_COMMON_VARIANCE * effects.sum())
    return PooledPrices(**figures, common_effect=common, roles=by_role, levels=by_level)


def _distinct_loadouts(even_trade: Floats, features: LoadoutFeatures) -> tuple[Integers, Integers]:
    """Return the first index of each group of equal loadouts, and the group number of each loadout."""
    level_numbers = np.unique(features.levels, return_inverse=True)[1]
    rows = np.column_stack([features.unit_numbers, level_numbers, even_trade.round(9)])
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, group.ravel()


def _shared_covariance(features: LoadoutFeatures, noise: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the covariance of shared effects, and the masks (0 or 1) of equal roles and equal levels."""
    same_role, same_level = (
        (names[:, None] == names[None, :]).astype(np.float64)
        for names in map(np.array, (features.roles, features.levels))
    )
    distances = ((features.profile[:, None] - features.profile[None, :]) ** 2).sum(axis=2)
    similar = SIMILAR_SHARE * UNIT_SD**2 * same_role * np.exp(-distances / 2)
    shared = _COMMON_VARIANCE + ROLE_SD**2 * same_role + LEVEL_SD**2 * same_level + similar + noise @ noise.T
    return np.asarray(shared, np.float64), same_role, same_level


def _figures_given_other_units(inverse: Floats, explained: Floats, unshared: Floats) -> Floats:
    """Return the first seven figures of :class:`PooledPrices` for one unit, given all other units.

    `inverse` and `explained` are the unit's entries of the inverse covariance and of its product with the ratios by
    both methods. `unshared` is the covariance of effects that no other unit shares.
    """
    spread = np.linalg.inv(inverse)
    log_ratio, other_ratio = (spread @ explained).T
    half_difference = np.clip((log_ratio - other_ratio) / 2, -UNIT_SD, UNIT_SD)
    spread = spread + np.outer(half_difference, half_difference)
    sensitivity = unshared @ np.linalg.inv(spread)
    error = spread - unshared
    posterior = unshared - sensitivity @ unshared
    if_fair = sensitivity @ error @ sensitivity.T
    error, posterior_error, spread_if_fair = (np.sqrt(np.diag(m).clip(0.0)) for m in (error, posterior, if_fair))
    posterior_ratio = sensitivity @ log_ratio
    figures = log_ratio, other_ratio, error, posterior_ratio, posterior_error, np.diag(sensitivity), spread_if_fair
    return np.array(figures)
