"""Every numbered rule of the attack roll (AC-3), each changing its number as it should.

Most attacks here are rigged: each die is a strike, so `dice=5` is five hits for certain, on ten models that one hit
destroys one of, and each card is a 12, so that every test that goes by card is failed. Each test says what it
changes of that. Expected values are worked by hand from the rules.
"""

import pytest

import analyser
from tests.oracle.attacks import (
    COIN,
    SHIPPED_DECK,
    SHIPPED_DIE,
    TOLERANCE,
    attack,
    certain,
    hits_in,
    hits_law,
    law,
    marginal,
    rating_of,
    scenario,
)

# --- AC-3: the attack roll --------------------------------------------------------------------------------


def test_ac_3_1_the_rating_is_the_majority_of_bonuses_and_penalties():
    assert rating_of() == "neutral"
    assert rating_of(bonuses=["aiming"]) == "improved"
    assert rating_of(penalties=["suppressed"]) == "weakened"
    assert rating_of(bonuses=["aiming"], penalties=["suppressed"]) == "neutral"
    # Counts beyond the difference do not matter.
    assert rating_of(bonuses=["aiming", "short_range"]) == "improved"
    assert rating_of(bonuses=["aiming", "short_range"], penalties=["suppressed"]) == "improved"
    assert rating_of(bonuses=["aiming"], penalties=["suppressed", "reforming"]) == "weakened"


def test_ac_3_1_a_bonus_named_twice_counts_once():
    assert rating_of(bonuses=["aiming", "aiming"], penalties=["suppressed"]) == "neutral"


def test_ac_3_2_the_pool_is_the_dice_of_the_row():
    assert hits_law(attack(dice=7)) == {7: 1.0}


def test_ac_3_3_a_heroic_strike_adds_one_die_and_heroic_strikes_on_it_add_no_more():
    # Every side heroic: 3 dice, 3 added ones, 2 hits each.
    assert hits_law(attack({"heroic": 1}, dice=3)) == {12: 1.0}
    # Heroic or blank: blank 2 of 4; heroic, then blank 1; heroic, then heroic 1.
    assert hits_in(4, {"heroic": 1, "blank": 1}, dice=1) == {0: 2, 2: 1, 4: 1}


@pytest.mark.parametrize(
    ("rating", "face", "hits"),
    # A side of the face and a side that strikes; if the face is rolled again it strikes with 1 of 2.
    [
        ("weakened", "glancing", {0: 2, 1: 2}),
        ("weakened", "miss", {0: 2, 1: 2}),
        ("weakened", "blank", {0: 2, 1: 2}),
        ("neutral", "glancing", {0: 1, 1: 3}),
        ("neutral", "miss", {0: 2, 1: 2}),
        ("neutral", "blank", {0: 2, 1: 2}),
        ("improved", "glancing", {0: 1, 1: 3}),
        ("improved", "miss", {0: 1, 1: 3}),
        ("improved", "blank", {0: 2, 1: 2}),
    ],
)
def test_ac_3_4_the_rating_rerolls_its_faces_once(rating, face, hits):
    assert hits_in(4, {"strike": 1, face: 1}, dice=1, rating=rating) == hits


def test_ac_3_4_a_heroic_strike_on_a_reroll_adds_no_dice():
    # Heroic or miss, improved. Miss, then miss: 0 hits, 2 of 8. Miss, then heroic: 2 hits and no more, 2 of 8.
    # Heroic: 2 hits and a die that in its turn gives 2 hits with 3 of 4.
    assert hits_in(8, {"heroic": 1, "miss": 1}, dice=1, rating="improved") == {0: 2, 2: 2 + 1, 4: 3}


def test_ac_3_5_extra_rerolls_take_so_many_dice_of_the_named_faces():
    # Two dice of strike or blank: 0, 1, 2 strikes with 4, 8, 4 of 16. One blank rolled again is a strike half the time.
    extra = {"faces": ["blank"], "dice": 1}
    assert hits_in(16, COIN, dice=2, extra_reroll=extra) == {0: 2, 1: 2 + 4, 2: 4 + 4}
    # Two of them: every blank is rolled again once, so each die strikes with 3 of 4.
    assert hits_in(16, COIN, dice=2, extra_reroll=extra | {"dice": 2}) == {0: 1, 1: 6, 2: 9}


def test_ac_3_5_a_weakened_attack_takes_no_extra_rerolls():
    extra = {"faces": ["blank"], "dice": 2}
    assert hits_in(4, COIN, dice=2, rating="weakened", extra_reroll=extra) == {0: 1, 1: 2, 2: 1}


def test_ac_3_5_no_die_is_rolled_a_third_time():
    # Improved re-rolls the miss; naming misses once more changes nothing.
    die = {"strike": 1, "miss": 1}
    extra = {"faces": ["miss"], "dice": 5}
    assert hits_in(4, die, dice=1, rating="improved", extra_reroll=extra) == {0: 1, 1: 3}


@pytest.mark.parametrize(("face", "hits"), [("heroic", 4), ("strike", 1), ("glancing", 0), ("miss", 0), ("blank", 0)])
def test_ac_3_6_what_a_face_scores(face, hits):
    # A heroic strike is 2 hits, and so is the die that it adds.
    assert hits_law(attack({face: 1}, dice=1)) == {hits: 1.0}


@pytest.mark.parametrize(("hits", "damage"), [(2, 0), (3, 1), (5, 1), (6, 2)])
def test_ac_3_7_every_defence_hits_are_one_damage(hits, damage):
    assert certain(dice=hits, defence=3, damage_limit=100).damage == damage


def test_ac_3_8_each_time_damage_equals_damage_limit_a_model_is_destroyed():
    # 7 damage at DAMAGE LIMIT 3: two models, and 1 damage is left on the unit.
    outcome = certain(dice=7, damage_limit=3)
    assert (outcome.models_destroyed, outcome.models_left, outcome.damage) == (2, 8, 1)


def test_ac_3_8_damage_from_earlier_attacks_counts():
    outcome = certain(dice=7, damage_limit=3, damage=2)
    assert (outcome.models_destroyed, outcome.damage) == (3, 0)


def test_ac_3_8_at_no_models_the_unit_is_annihilated_and_the_rest_is_lost():
    outcome = certain(dice=8, damage_limit=3, models=2)
    assert (outcome.models_destroyed, outcome.models_left, outcome.damage, outcome.annihilated) == (2, 0, 0, True)


def test_ac_3_9_only_exposed_models_can_be_destroyed_and_the_rest_is_discarded():
    outcome = certain(dice=14, damage_limit=3, exposed=4)
    assert (outcome.models_destroyed, outcome.damage, outcome.annihilated) == (4, 0, False)


def test_ac_3_9_there_is_no_concealed_penalty_on_exposed_models():
    assert rating_of(penalties=["concealed"]) == "weakened"
    assert rating_of(penalties=["concealed"], exposed=4) == "neutral"
    # All ten exposed is no choice of the exposed ones.
    assert rating_of(penalties=["concealed"], exposed=10) == "weakened"


# --- a whole attack by hand -------------------------------------------------------------------------------


def test_one_die_of_the_shipped_ruleset_from_roll_to_card():
    # One neutral die, DEFENCE 2, one hit a model, three models, DISCIPLINE 4, BREAK LIMIT 1 (AC-3, AC-5). In 216ths:
    # 0, 1, 2, 3, 4 hits are 90, 84, 21, 14, 7. So no model 174, one 21 + 14 = 35, two 7.
    # One of three destroyed: suppressed with 8 of 12. Two, at least half: fails with 9 of 12, and breaks.
    result = analyser.exact(
        scenario(SHIPPED_DIE, SHIPPED_DECK, dice=1, models=3, defence=2, discipline=4, break_limit=1)
    )
    found = marginal(law(result), "models_left", "models_destroyed", "suppressed", "broken")
    wanted = {
        (3, 0, False, False): 174 / 216,
        (2, 1, False, False): 35 / 216 * 4 / 12,
        (2, 1, True, False): 35 / 216 * 8 / 12,
        (1, 2, False, False): 7 / 216 * 3 / 12,
        (0, 2, False, True): 7 / 216 * 9 / 12,
    }
    assert found == pytest.approx(wanted, rel=0, abs=TOLERANCE)
