"""The row of a ranged attack and its occasion (AC-2, AC-4), each rule changing its number as it should."""

import pytest

from tests.oracle.attacks import attack, certain, defence_of, hits_law, rating_of, refusal


@pytest.mark.parametrize(("models", "dice"), [(1, 2), (3, 2), (4, 5), (6, 5)])
def test_ac_2_3_the_band_goes_by_current_models(armoury, models, dice):
    keys = {"attacker": "rifles@basic", "row": "rifles", "veteran": 0, "attacker_models": models}
    assert hits_law(attack(profiles=armoury(), **keys)) == {dice: 1.0}


@pytest.mark.parametrize(("damage", "dice"), [(0, 8), (4, 8), (5, 4)])
def test_ac_2_3_a_behemoths_band_goes_by_the_damage_it_suffered(armoury, damage, dice):
    keys = {"attacker": "walker", "row": "guns", "attacker_damage": damage}
    assert hits_law(attack(profiles=armoury(), **keys)) == {dice: 1.0}


def test_ac_2_4_no_attack_outside_every_band(armoury):
    keys = {"attacker": "rifles@reinforced", "row": "rifles", "profiles": armoury()}
    assert "no attack dice for 12 models" in refusal(**keys)


def test_ac_4_1_the_row_must_match_the_targets_category(armoury):
    keys = {"attacker": "rifles@basic", "row": "rifles", "profiles": armoury()}
    assert "the target is heavy" in refusal(category="heavy", **keys)
    assert attack(category="light", **keys)


def test_ac_4_1_a_light_heavy_row_matches_both(armoury):
    keys = {"attacker": "rifles@basic", "row": "mortar", "profiles": armoury()}
    assert attack(category="light", **keys)
    assert attack(category="heavy", **keys)
    assert "the target is aerial" in refusal(category="aerial", **keys)


def test_ac_4_1_the_distance_must_be_within_long_range(armoury):
    keys = {"attacker": "rifles@basic", "row": "rifles", "profiles": armoury()}
    assert attack(distance=12, **keys)
    assert "long range is 12" in refusal(distance=12.5, **keys)


def test_ac_4_1_a_melee_row_makes_no_ranged_attack(armoury):
    assert "melee row" in refusal(attacker="rifles@basic", row="bayonets", profiles=armoury())


def test_ac_4_1_and_4_2_within_short_range_is_a_bonus(armoury):
    keys = {"attacker": "rifles@basic", "row": "rifles", "profiles": armoury()}
    assert attack(distance=6.5, **keys).conditions["rating"] == "neutral"
    assert attack(distance=6, **keys).conditions["rating"] == "improved"


@pytest.mark.parametrize("bonus", ["aiming", "short_range"])
def test_ac_4_2_bonuses(bonus):
    assert rating_of(bonuses=[bonus]) == "improved"


@pytest.mark.parametrize("penalty", ["concealed", "suppressed", "opportunity_fire", "reforming"])
def test_ac_4_2_penalties(penalty):
    assert rating_of(penalties=[penalty]) == "weakened"


def test_ac_4_2_what_the_scenario_implies_is_counted_once():
    assert rating_of(opportunity_fire=True) == "weakened"
    assert rating_of(opportunity_fire=True, penalties=["opportunity_fire"], bonuses=["aiming"]) == "neutral"
    assert rating_of(concealed=True) == "weakened"
    assert rating_of(concealed=True, penalties=["concealed"], bonuses=["aiming"]) == "neutral"


def test_ac_4_3_taking_cover_counts_while_concealed():
    assert defence_of(taking_cover=True) == 1
    assert defence_of(taking_cover=True, concealed=True) == 2
    assert defence_of(concealed=True) == 1


def test_ac_4_3_a_garrison_has_more_defence_and_is_always_concealed():
    assert defence_of(garrisoned=True) == 2
    assert defence_of(garrisoned=True, taking_cover=True) == 3
    assert rating_of(garrisoned=True) == "weakened"


def test_ac_4_3_an_obstacle_conceals_men_and_not_machines():
    assert rating_of(obstacle=True, type="infantry") == "weakened"
    assert rating_of(obstacle=True, type="armour") == "neutral"


def test_ac_4_4_a_garrisoned_attacker_counts_half_its_models(armoury):
    # 7 models in a building count as 4 (half, rounded up), 6 as 3: the bands of 5 and of 2 dice.
    keys = {"attacker": "rifles@basic", "row": "rifles", "veteran": 0, "attacker_garrisoned": True}
    assert hits_law(attack(profiles=armoury(), attacker_models=7, **keys)) == {5: 1.0}
    assert hits_law(attack(profiles=armoury(), attacker_models=6, **keys)) == {2: 1.0}


def test_ac_4_5_a_unit_that_lost_a_model_and_lives_takes_a_test():
    assert certain(dice=1).suppressed
    assert not certain(dice=1, damage_limit=2).suppressed
    assert not certain(dice=10).suppressed


def test_ac_4_5_opportunity_fire_causes_no_test():
    assert not certain(dice=1, opportunity_fire=True).suppressed
    assert not certain(dice=1, penalties=["opportunity_fire"]).suppressed


def test_ac_4_5_aircraft_cannot_be_suppressed():
    assert not certain(dice=1, aircraft=True).suppressed
    assert not certain(dice=1, type="aircraft").suppressed
    assert certain(dice=1, type="rotorcraft").suppressed
