"""The exact engine against the plain reading: small grids, and whole scenarios at random."""

import pytest

import analyser
from analyser.scenarios.schema import Attack, Target
from tests.oracle import plain_reading as plain
from tests.oracle.attacks import OUTCOME, SHIPPED_DECK, SHIPPED_DIE, TOLERANCE, assert_same_law, attack, hits_law, law
from tests.oracle.fight_files import COIN
from tests.oracle.random_scenarios import random_scenarios


def assert_as_read(given):
    """The engine's answer to a scenario, hits and joint law, is the plain reading's, and nothing is lost."""
    result = analyser.exact(given)
    assert_same_law(law(result), plain.law(given))
    assert_same_law(hits_law(result), plain.hits_law(given))
    assert abs(result.weights.sum() - 1) <= TOLERANCE
    assert abs(result.hits_weights.sum() - 1) <= TOLERANCE


@pytest.mark.parametrize(
    "keys", [{}, {"qualities": ["Arc"]}, {"veteran": 3}, {"extra_reroll": {"faces": ["miss"], "dice": 5}}]
)
def test_nothing_is_lost_from_a_large_pool(keys):
    result = attack(SHIPPED_DIE, SHIPPED_DECK, dice=60, models=40, defence=2, break_limit=10, **keys)
    assert abs(result.hits_weights.sum() - 1) <= TOLERANCE
    assert abs(result.weights.sum() - 1) <= TOLERANCE
    assert (result.weights >= 0).all()


def test_a_coin_follows_the_binomial_law():
    # 20 coins: k hits in C(20, k) of 2 to the 20th cases; both ends are one case in 1048576.
    found = hits_law(attack(COIN, dice=20))
    assert found[0] == found[20] == 2**-20
    assert found[10] == pytest.approx(184756 / 2**20, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(8))
def test_random_scenarios(seed):
    for given in random_scenarios(seed, 60):
        assert_as_read(given)


SAMPLE = [given for seed in range(8) for given in random_scenarios(seed, 60)]


def test_random_scenarios_use_every_key():
    # A key that the generator forgets would never be compared.
    of_profiles = {"attacker", "row", "distance", "dice_in_parentheses", "unit"}
    of_profiles |= {f"attacker_{word}" for word in ("garrisoned", "reloading", "advanced")}
    by_hand = {"dice_in_parentheses", "category"}  # in tests/rules/test_ranged_attack.py
    of_no_number = {"kind", "victory_points"}
    used = {key for given in SAMPLE for key in (*given["attack"], *given["target"])}
    assert used | of_profiles | by_hand | of_no_number == Attack.model_fields.keys() | Target.model_fields.keys()


def test_random_scenarios_meet_every_fate():
    met = {
        name for given in SAMPLE[:120] for outcome in plain.law(given) for name, value in zip(OUTCOME, outcome) if value
    }
    assert met == set(OUTCOME)
