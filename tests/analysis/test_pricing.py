"""Prices from a game: planted ones are found again, and every certificate is checked by another way."""

import numpy as np
import pytest
from scipy.optimize import minimize

from analyser.analysis import equilibrium_prices
from analyser.analysis.equilibrium_prices import (
    even_lead_prices,
    even_trade_prices,
    largest_connected_group,
    price_sensitivity,
    quantal_response,
    strengths,
)
from analyser.analysis.roles import peer_medians, peers_of

ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def weighted_median(values, weights):
    """The least value with at least half of the weight below or at it; the mean of two that share the middle."""
    pairs = sorted(zip(values.tolist(), weights.tolist()))
    half = sum(weights) / 2
    middle = [
        next(
            value
            for number, (value, _) in enumerate(pairs)
            if reaches(sum(weight for _, weight in pairs[: number + 1]))
        )
        for reaches in (lambda below: below > half * (1 - 1e-9), lambda below: below > half * (1 + 1e-9))
    ]
    return sum(middle) / 2


@pytest.fixture
def random():
    return np.random.default_rng(7)


def field_of(random, count):
    return random.dirichlet(np.ones(count))


def up_to_a_factor(logs):
    return logs - logs.mean()


@pytest.mark.parametrize("seed", range(5))
def test_planted_prices_are_found_again(seed):
    """Who is worth twice as much does twice as much harm to each, and takes half of it: whoever is met."""
    random = np.random.default_rng(seed)
    planted, touch = random.normal(size=20), random.uniform(0.01, 0.3, (20, 20))
    losses = (touch + touch.T) * np.exp(planted[:, None] - planted[None, :])
    field = field_of(random, 20)
    even, other_way = even_trade_prices(losses, field), even_lead_prices(losses, field, np.zeros(20))
    for found in (even, other_way):
        assert found.prices - found.prices[0] == pytest.approx(planted - planted[0], abs=1e-8)
        assert found.residual < 1e-9


def test_prices_move_with_the_field_and_the_places_as_their_sensitivity_says(random):
    places, field = random.uniform(0.05, 0.4, (2, 9, 9)), field_of(random, 9)
    prices = even_trade_prices(places.mean(axis=0), field).prices
    by_loadout, by_place = price_sensitivity(places, field, prices)
    step = 1e-4
    for one in range(9):
        other = field * np.exp(step * (np.arange(9) == one))
        moved = even_trade_prices(places.mean(axis=0), other / other.sum()).prices - prices
        assert up_to_a_factor(moved) / step == pytest.approx(up_to_a_factor(by_loadout[:, one]), abs=1e-4)
    for one in range(2):
        weights = np.exp(step * (np.arange(2) == one)) / 2
        moved = even_trade_prices(np.tensordot(weights, places, 1), field).prices - prices
        assert up_to_a_factor(moved) / step == pytest.approx(up_to_a_factor(by_place[:, one]), abs=1e-4)


def test_no_number_explains_rock_paper_scissors():
    strength, explained = strengths(ROCK_PAPER_SCISSORS, np.ones((3, 3)))
    assert strength == pytest.approx([0, 0, 0], abs=1e-12)
    assert explained == pytest.approx(0, abs=1e-12)


def test_the_response_is_what_it_answers(random):
    gains = random.uniform(-1, 1, (10, 10))
    gains, prior, met = gains - gains.T, field_of(random, 10), np.ones((10, 10), bool)
    field = quantal_response(gains, prior, met)
    wanted = prior * np.exp(equilibrium_prices.PICKINESS * gains @ field)
    assert field == pytest.approx(wanted / wanted.sum(), rel=1e-8)
    assert quantal_response(gains, prior, met, pickiness=0.0) == pytest.approx(prior)


def test_one_number_is_the_best_there_is(random):
    gains, weights = random.uniform(-1, 1, (7, 7)), random.uniform(0, 1, (7, 7))
    gains, weights = gains - gains.T, weights + weights.T

    def unexplained(strength):
        return float((weights * (gains - strength[:, None] + strength[None, :]) ** 2).sum())

    strength, explained = strengths(gains, weights)
    best = minimize(unexplained, np.zeros(7), method="BFGS").fun
    assert unexplained(strength) == pytest.approx(best, rel=1e-9)
    assert explained == pytest.approx(1 - best / (weights * gains**2).sum())


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_group_is_that_of_all_paths(seed):
    random = np.random.default_rng(seed)
    losses = (random.random((12, 12)) < 0.12).astype(float)
    reached = (losses > 0) | np.eye(12, dtype=bool)
    for via in range(12):  # Warshall
        reached |= np.outer(reached[:, via], reached[via])
    groups = reached & reached.T
    np.testing.assert_array_equal(largest_connected_group(losses), groups[groups.sum(axis=1).argmax()])


@pytest.mark.parametrize("seed", range(10))
def test_what_is_usual_is_the_median_of_the_others_one_by_one(seed):
    random = np.random.default_rng(seed)
    units = np.sort(random.integers(0, 8, 20))
    roles = [("armour", "infantry", "artillery")[unit % 3] for unit in units]
    values, weights = random.normal(size=20).round(1), random.uniform(0.1, 1, 20)
    values[random.integers(0, 20, 4)] = np.nan
    expected = []
    for at in range(20):
        others = [each for each in range(20) if roles[each] == roles[at] and units[each] != units[at]]
        known = [each for each in others if not np.isnan(values[each])]
        expected.append(weighted_median(values[known], weights[known]) if known else values[at])
    found = peer_medians(peers_of(roles, units), values, weights)
    np.testing.assert_array_equal(found, expected)
