"""The exact engine against the plain reading: small grids, and whole scenarios at random."""

from itertools import chain, combinations, product

import pytest

import analyser
from analyser.scenarios.schema import Attack, Target
from tests.oracle import plain_reading as plain
from tests.oracle.attacks import (
    COIN,
    OUTCOME,
    SHIPPED_DECK,
    SHIPPED_DIE,
    TOLERANCE,
    assert_same_law,
    attack,
    hits_law,
    law,
)
from tests.oracle.random_scenarios import RATINGS, REROLL_FACES, random_scenarios

DICE = {
    "shipped": SHIPPED_DIE,
    "no heroic side": {"strike": 2, "glancing": 1, "miss": 2, "blank": 1},
    "no blank side": {"heroic": 2, "strike": 1, "glancing": 1, "miss": 1},
    "one side, strike": {"strike": 1},
    "one side, heroic": {"heroic": 1},
    "one side, miss": {"miss": 1},
    "twenty sides": {"heroic": 3, "strike": 7, "glancing": 1, "miss": 4, "blank": 5},
    "a thousand sides": {"heroic": 1, "strike": 997, "blank": 2},
}
POOLS = pytest.mark.parametrize("die", DICE.values(), ids=DICE.keys())
RATED = pytest.mark.parametrize("rating", RATINGS)


def qualities_and_rules(arc, durable):
    return {"qualities": ["Arc"] if arc else [], "rules": ["Durable"] if durable else []}


def assert_as_read(given):
    """The engine's answer to a scenario, hits and joint law, is the plain reading's, and nothing is lost."""
    result = analyser.exact(given)
    assert_same_law(law(result), plain.law(given))
    assert_same_law(hits_law(result), plain.hits_law(given))
    assert abs(result.weights.sum() - 1) <= TOLERANCE
    assert abs(result.hits_weights.sum() - 1) <= TOLERANCE


# --- the law of hits (AC-3.2 to AC-3.6) -------------------------------------------------------------------


@pytest.mark.slow
@POOLS
@RATED
def test_hits_of_every_small_pool(die, rating):
    for dice, arc, durable, veteran in product((1, 2, 3, 4), (False, True), (False, True), (0, 1, 2, 3)):
        result = attack(die, dice=dice, rating=rating, veteran=veteran, **qualities_and_rules(arc, durable))
        wanted = plain.pool_law(dice, die, rating, arc=arc, durable=durable, veteran=veteran)
        assert_same_law(hits_law(result), plain_hits(wanted))


@pytest.mark.slow
@pytest.mark.parametrize(
    "die", [pytest.param(SHIPPED_DIE, id="shipped"), pytest.param(DICE["twenty sides"], marks=pytest.mark.proof)]
)
@RATED
def test_extra_rerolls_of_every_set_of_faces(die, rating):
    # AC-3.5: up to so many dice of these faces, the worst first.
    for faces, dice, extra, veteran in product(face_sets(), (1, 2), (0, 1, 2, 4), (0, 2)):
        given = {"faces": faces, "dice": extra}
        result = attack(die, dice=dice, rating=rating, veteran=veteran, extra_reroll=given, qualities=["Arc"])
        wanted = plain.pool_law(dice, die, rating, arc=True, veteran=veteran, extra_faces=faces, extra_dice=extra)
        assert_same_law(hits_law(result), plain_hits(wanted))


def plain_hits(pool_law):
    """The law of hits alone from a law of (hits, blanks)."""
    chances = {}
    for (hits, _blanks), share in pool_law.items():
        chances[hits] = chances.get(hits, 0) + share
    return chances


def face_sets():
    """Every set of faces that may be named for extra re-rolls, the empty one excepted."""
    return [list(faces) for faces in chain.from_iterable(combinations(REROLL_FACES, n) for n in (1, 2, 3, 4))]


# --- large pools ------------------------------------------------------------------------------------------


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


# --- whole scenarios --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_random_scenarios(seed):
    for given in random_scenarios(seed, 60):
        assert_as_read(given)


SAMPLE = [given for seed in range(8) for given in random_scenarios(seed, 60)]


def test_random_scenarios_use_every_key():
    # A key that the generator forgets would never be compared.
    of_profiles = {
        "attacker",
        "row",
        "distance",
        "dice_in_parentheses",
        "attacker_garrisoned",
        "attacker_reloading",
        "attacker_advanced",
        "unit",
    }
    by_hand = {"dice_in_parentheses", "category"}  # in tests/rules/test_ranged_attack.py
    of_no_number = {"kind", "victory_points"}
    used = {key for given in SAMPLE for key in (*given["attack"], *given["target"])}
    assert used | of_profiles | by_hand | of_no_number == Attack.model_fields.keys() | Target.model_fields.keys()


def test_random_scenarios_meet_every_fate():
    met = {
        name for given in SAMPLE[:120] for outcome in plain.law(given) for name, value in zip(OUTCOME, outcome) if value
    }
    assert met == set(OUTCOME)
