"""Fair prices as other units say: against the plain definition, real resampling, and the prices that are there."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from analyser.analysis import equilibrium_prices, verdict
from analyser.analysis.hierarchical_prices import (
    LEVEL_SD,
    LOADOUT_SD,
    ROLE_SD,
    SIMILAR_SHARE,
    UNIT_SD,
    LoadoutFeatures,
    pool_prices,
)
from analyser.analysis.matchups import matchups
from analyser.analysis.mutual_losses import exchange_of


@pytest.fixture(scope="module")
def game():
    return exchange_among(["crown/*@basic", "imperium/*@basic"])


def exchange_among(sides):
    table = matchups(sides, sides, situations=["long-range", "charge"])
    return table, exchange_of(table.frame, table.attackers, table.situations, table.ruleset)


def sides_of(roles, levels, kinds, profile):
    return LoadoutFeatures(roles, levels, np.array(kinds), np.array(profile, float).reshape(len(roles), -1))


@pytest.mark.parametrize("seed", range(3))
def test_the_price_of_a_unit_is_what_the_others_say_by_plain_conditioning(seed):
    """One unit left out at a time, term by term; usual units, so that all weigh alike."""
    random = np.random.default_rng(seed)
    kinds = np.repeat(np.arange(8), 2)
    roles, levels = ["a", "b"] * 8, [*["low", "high"] * 8]
    roles = [roles[kind] for kind in kinds]
    profile, noise = random.normal(size=8)[kinds], 0.03 * random.normal(size=(16, 3))
    over = 0.05 * random.normal(size=16)
    found = pool_prices(over, over, sides_of(roles, levels, kinds, profile), noise)
    means = np.array([found.log_ratio[kinds == each].mean() for each in range(8)])
    scale = (4 + means**2 / ((1 - SIMILAR_SHARE) * UNIT_SD**2)) / 5  # of Student's t with 4 degrees of freedom

    def covariance(one, other):
        same_role = roles[one] == roles[other]
        alike = SIMILAR_SHARE * UNIT_SD**2 * same_role * np.exp(-((profile[one] - profile[other]) ** 2) / 2)
        pays = 100 + ROLE_SD**2 * same_role + LEVEL_SD**2 * (levels[one] == levels[other]) + alike
        return pays + noise[one] @ noise[other]

    def own(one, other):
        return (kinds[one] == kinds[other]) * (1 - SIMILAR_SHARE) * UNIT_SD**2 * scale[kinds[one]] + (
            one == other
        ) * LOADOUT_SD**2

    for unit in range(8):
        mine, others = np.flatnonzero(kinds == unit), np.flatnonzero(kinds != unit)
        among = np.array([[covariance(i, j) + own(i, j) for j in others] for i in others])
        across = np.array([[covariance(i, j) for j in others] for i in mine])
        within = np.array([[covariance(i, j) for j in mine] for i in mine])
        weights = across @ np.linalg.inv(among)
        assert found.log_ratio[mine] == pytest.approx(over[mine] - weights @ over[others], abs=2e-4)
        assert found.error[mine] ** 2 == pytest.approx(np.diag(within - weights @ across.T), abs=2e-4)


def test_copies_tell_nothing_new_and_share_everything():
    random = np.random.default_rng(5)
    over, profile, noise = 0.2 * random.normal(size=9), random.normal(size=9), 0.05 * random.normal(size=(9, 4))
    alone = pool_prices(over, over, sides_of(["a"] * 9, ["basic"] * 9, range(9), profile), noise)
    at = [8, *range(9), 3, 3]
    copied = pool_prices(over[at], over[at], sides_of(["a"] * 12, ["basic"] * 12, at, profile[at]), noise[at])
    for name in ("log_ratio", "error", "posterior_ratio", "posterior_error"):
        assert getattr(copied, name) == pytest.approx(getattr(alone, name)[at], abs=1e-9)


def test_the_error_by_opponents_is_that_of_real_resampling(game):
    """Units are drawn anew in other shares, grounds too, and all prices solved again: the first order agrees."""
    _, exchange = game
    losses, random = exchange.mean(), np.random.default_rng(3)
    gains = equilibrium_prices.leads(losses, np.log(exchange.points))
    field = equilibrium_prices.quantal_response(gains, exchange.uniform_weights, exchange.is_matchup)
    prices = equilibrium_prices.even_trade_prices(losses, field).prices
    drawn = []
    for _ in range(150):
        shares = field * random.standard_exponential(exchange.unit_numbers.max() + 1)[exchange.unit_numbers]
        places = np.tensordot(random.dirichlet([5, 5]), exchange.losses, 1)
        drawn.append(equilibrium_prices.even_trade_prices(places, shares / shares.sum()).prices)
    roles = pd.factorize(np.array([verdict.role_of(each.unit) for each in exchange.loadouts]))[0]
    beside = np.equal.outer(roles, roles) / np.equal.outer(roles, roles).sum(axis=1)[:, None]
    wanted = (np.array(drawn) @ (np.eye(len(field)) - beside).T).std(axis=0)  # prices beside those of its role
    noise = verdict._noise(exchange, field, prices)
    found = np.sqrt((((np.eye(len(field)) - beside) @ noise) ** 2).sum(axis=1))
    assert np.median(found / wanted) == pytest.approx(1, abs=0.15)
    assert np.corrcoef(np.log(found), np.log(wanted))[0, 1] > 0.9


@pytest.mark.proof
def test_prices_lie_where_the_other_units_say_as_often_as_they_should():
    """Calibration: of today's prices half lie in the middle half of what the others predict, and 95% in 95%."""
    table, exchange = exchange_among("*/*@basic")
    frame = verdict.judge(table, exchange)["frame"].dropna(subset=["fair_points"])
    error = np.log(frame["fair_high"] / frame["fair_low"]) / (2 * verdict.NORMAL_97_5)
    spread = np.sqrt(error**2 + (1 - SIMILAR_SHARE) * UNIT_SD**2 + LOADOUT_SD**2)
    away = (np.log(frame["points_over_fair"]) / spread).abs()[frame["at_most"].isna()]
    assert (away < norm.ppf(0.75)).mean() == pytest.approx(0.55, abs=0.12)  # heavier tails: more in the middle
    assert (away < norm.ppf(0.975)).mean() == pytest.approx(0.95, abs=0.04)


def test_probabilities_are_those_of_drawn_prices():
    drawn = np.exp(np.random.default_rng(1).normal(0.07, 0.12, 400_000))
    under, over = verdict.probabilities(np.array([0.07]), np.array([0.12]))
    assert under[0] == pytest.approx((drawn < 0.9).mean(), abs=0.003)
    assert over[0] == pytest.approx((drawn > 1.1).mean(), abs=0.003)
