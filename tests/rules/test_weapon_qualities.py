"""Weapon qualities (AC-6) in a ranged attack, each changing its number as it should."""

import pytest

from tests.oracle.attacks import (
    COIN,
    LOW_CARDS,
    attack,
    certain,
    defence_of,
    hits_law,
    law,
    marginal,
    modified_discipline,
    rating_of,
    refusal,
)


@pytest.mark.parametrize(
    ("quality", "keys", "dice"),
    [
        ("Point Blank", {"distance": 6}, 7),
        ("Point Blank", {"distance": 7}, 3),
        ("Shock", {"category": "light"}, 7),
        ("Shock", {"category": "heavy"}, 3),
        ("Wreckers", {"category": "light"}, 3),
        ("Wreckers", {"category": "heavy"}, 7),
        ("Arc", {"category": "light", "distance": 6}, 3),
    ],
)
def test_ac_6_the_value_in_parentheses(armoury, quality, keys, dice):
    keys = {"attacker": "rifles@basic", "row": "mortar", "veteran": 0, **keys}
    assert hits_law(attack(profiles=armoury(quality), **keys)) == {dice: 1.0}


def test_ac_6_the_value_in_parentheses_of_an_attack_without_a_row():
    keys = {"dice": 3, "dice_in_parentheses": 7}
    assert hits_law(attack(qualities=["Point Blank"], bonuses=["short_range"], **keys)) == {7: 1.0}
    assert hits_law(attack(qualities=["Point Blank"], **keys)) == {3: 1.0}
    assert hits_law(attack(qualities=["Wreckers"], category="heavy", **keys)) == {7: 1.0}


def test_ac_6_arc_adds_two_dice_for_a_heroic_strike():
    # Every side heroic: 1 die, 2 added ones that add no more, 2 hits each.
    assert hits_law(attack({"heroic": 1}, dice=1, qualities=["Arc"])) == {6: 1.0}


@pytest.mark.parametrize(("hits", "damage"), [(3, 1), (4, 2), (5, 2), (2, 1)])
def test_ac_6_devastating_adds_one_damage_for_excess_hits(hits, damage):
    assert certain(dice=hits, defence=3, damage_limit=100, qualities=["Devastating"]).damage == damage


def test_ac_6_devastating_adds_nothing_where_no_hit_is_left_over():
    for hits in (3, 6):
        assert certain(dice=hits, defence=3, qualities=["Devastating"]).models_destroyed == hits // 3


def test_ac_6_penetrating_destroys_one_more_model_for_the_damage_left():
    # 7 damage at DAMAGE LIMIT 3: two models and 1 damage left, which costs the third.
    outcome = certain(dice=7, damage_limit=3, qualities=["Penetrating"])
    assert (outcome.models_destroyed, outcome.damage) == (3, 0)
    # 6 damage leave nothing.
    assert certain(dice=6, damage_limit=3, qualities=["Penetrating"]).models_destroyed == 2


def test_ac_6_penetrating_counts_damage_left_from_before_but_needs_damage_of_its_own():
    keys = {"damage_limit": 3, "damage": 1, "qualities": ["Penetrating"]}
    assert certain(dice=1, **keys).models_destroyed == 1
    outcome = certain(dice=1, defence=2, **keys)
    assert (outcome.models_destroyed, outcome.damage) == (0, 1)


def test_ac_6_penetrating_does_one_more_damage_to_a_behemoth():
    keys = {"damage_limit": 10, "models": 1, "behemoth": True, "qualities": ["Penetrating"]}
    assert certain(dice=7, **keys).damage == 8
    outcome = certain(dice=9, **keys)
    assert (outcome.models_destroyed, outcome.damage, outcome.annihilated) == (1, 0, True)


def test_ac_6_penetrating_stops_at_the_exposed_models():
    assert certain(dice=5, damage_limit=3, exposed=1, qualities=["Penetrating"]).models_destroyed == 1
    assert certain(dice=5, damage_limit=3, exposed=2, qualities=["Penetrating"]).models_destroyed == 2


def test_ac_6_suppressive_takes_one_discipline():
    assert modified_discipline(qualities=["Suppressive"]) == 5


def test_ac_5_2_modifiers_of_the_test_add_up():
    # AC-5.2, AC-5.3, AC-6: 6 - 1 - 1 - 1.
    assert modified_discipline(dice=5, disordered=True, qualities=["Suppressive"]) == 3


def test_ac_6_torrent_knows_no_concealment_and_no_cover():
    assert rating_of(concealed=True, qualities=["Torrent"]) == "neutral"
    assert rating_of(garrisoned=True, qualities=["Torrent"]) == "neutral"
    assert defence_of(garrisoned=True, taking_cover=True, qualities=["Torrent"]) == 1


def test_ac_6_precision_takes_the_officer_first_in_close_formation_too():
    assert certain(dice=1, formation="close", qualities=["Precision"]).disordered
    assert certain(dice=1, formation="open", qualities=["Precision"]).disordered


def test_ac_6_cryo_activates_instead_of_suppressing():
    outcome = certain(dice=1, qualities=["Cryo"])
    assert (outcome.activated, outcome.suppressed) == (True, False)
    outcome = certain(dice=1, qualities=["Cryo"], activated=True)
    assert (outcome.activated, outcome.suppressed) == (True, True)


def test_ac_6_cryo_neither_breaks_nor_drives_back_less():
    assert certain(dice=1, qualities=["Cryo"], break_limit=9).broken
    assert certain(dice=1, qualities=["Cryo"], suppressed=True).fell_back


def test_ac_6_seismic_disorders_a_unit_that_becomes_suppressed():
    assert certain(dice=1, qualities=["Seismic"]).disordered
    assert not certain(deck=LOW_CARDS, dice=1, qualities=["Seismic"]).disordered
    # Already suppressed it does not become so.
    assert not certain(dice=1, qualities=["Seismic"], suppressed=True).disordered
    assert not certain(dice=1, qualities=["Seismic"], near_commander=True).disordered


def test_ac_6_seismic_is_a_bonus_against_a_garrison():
    # The garrison is concealed, so one bonus makes it even.
    assert rating_of(garrisoned=True, qualities=["Seismic"]) == "neutral"


@pytest.mark.parametrize(
    "keys", [{"type": "rotorcraft"}, {"rules": ["Hover"]}, {"aircraft": True, "rules": ["Hot Headed"]}]
)
def test_ac_6_seismic_does_nothing_to_what_flies(keys):
    outcome = certain(dice=1, qualities=["Seismic"], **keys)
    assert (outcome.suppressed, outcome.disordered) == (True, False)


def test_ac_6_overcharge_adds_the_cards_value_in_dice():
    # 2 dice and a card of 3 or 5.
    assert hits_law(attack(deck={"3": 1, "5": 3}, dice=2, overcharge=True, discipline=None)) == {5: 0.25, 7: 0.75}


def test_ac_6_overcharge_costs_the_attacker_one_damage_for_each_final_blank():
    # 1 die and a card of 4, all blank: 5 damage on models with DAMAGE LIMIT 2.
    keys = {"die": {"blank": 1}, "deck": {"4": 1}, "dice": 1, "overcharge": True, "attacker_damage_limit": 2}
    outcome = certain(attacker_models=6, **keys)
    assert (outcome.attacker_models_destroyed, outcome.attacker_damage) == (2, 1)
    outcome = certain(attacker_models=6, attacker_damage=1, **keys)
    assert (outcome.attacker_models_destroyed, outcome.attacker_damage) == (3, 0)
    # No more models than it has, and what is left is lost.
    outcome = certain(attacker_models=1, **keys)
    assert (outcome.attacker_models_destroyed, outcome.attacker_damage) == (1, 0)


def test_ac_6_overcharge_counts_the_blanks_that_lie_at_the_end():
    # One die and a card of 0: strike or blank, the blank rolled again. A blank at the end with 1 of 4.
    keys = {"deck": {"0": 1}, "dice": 1, "overcharge": True, "extra_reroll": {"faces": ["blank"], "dice": 1}}
    found = marginal(law(attack(COIN, **keys)), "attacker_models_destroyed")
    assert found == {(0,): 0.75, (1,): 0.25}


def test_ac_6_turret_outside_the_front_arc_has_one_more_penalty():
    keys = {"qualities": ["Turret"], "penalties": ["outside_front_arc"]}
    assert rating_of(**keys) == "weakened"
    assert rating_of(bonuses=["aiming"], **keys) == "neutral"
    assert "Turret" in refusal(dice=1, penalties=["outside_front_arc"])


def test_ac_6_indirect_without_sight_is_weakened_and_with_a_spotter_improved_whatever_else():
    best = {"qualities": ["Indirect"], "bonuses": ["aiming", "ammo_supply"]}
    worst = {"qualities": ["Indirect"], "penalties": ["suppressed", "reforming"]}
    assert rating_of(line_of_sight="none", **best) == "weakened"
    assert rating_of(line_of_sight="spotter", **worst) == "improved"
    assert rating_of(line_of_sight="own", **best) == "improved"
    assert "Indirect" in refusal(dice=1, line_of_sight="none")


def test_ac_6_indirect_does_not_fire_within_short_range(armoury):
    keys = {"attacker": "rifles@basic", "row": "mortar", "profiles": armoury("Indirect")}
    assert "within short range" in refusal(distance=6, **keys)
    assert attack(distance=7, **keys)


def test_ac_6_lock_on_never_has_the_opportunity_fire_penalty():
    assert rating_of(opportunity_fire=True, qualities=["Lock On"]) == "neutral"
    # It is opportunity fire all the same: no test.
    assert not certain(dice=1, opportunity_fire=True, qualities=["Lock On"]).suppressed


@pytest.mark.parametrize(
    ("quality", "forbidden", "permitted"),
    [
        ("Slow to Fire", {"attacker_reloading": True}, {"attacker_advanced": True}),
        ("Move or Fire", {"attacker_advanced": True}, {"attacker_reloading": True}),
        ("Reactive", {}, {"opportunity_fire": True}),
    ],
)
def test_ac_6_when_a_row_may_be_used(armoury, quality, forbidden, permitted):
    keys = {"attacker": "rifles@basic", "row": "mortar", "profiles": armoury(quality)}
    assert quality in refusal(**forbidden, **keys)
    assert attack(**permitted, **keys)


def test_ac_6_full_steam_ahead_adds_two_dice_for_each_carriage():
    assert hits_law(attack(dice=2, qualities=["Full Steam Ahead"], carriages=3)) == {8: 1.0}
    assert "Full Steam Ahead" in refusal(dice=2, carriages=3)


@pytest.mark.parametrize("quality", ["Coruscating", "Fields of Fire"])
def test_ac_6_further_attacks_are_reported_as_not_modelled(quality):
    assert attack(dice=1, qualities=[quality]).not_modelled == (quality,)
