"""Every numbered rule of a charge (AC-8), each changing its number as it should.

The fights are rigged as those of `test_ranged_attack` are: each die is a strike, so `row("melee", 3)` destroys three of
ten models for certain, and each card is a 12, so that every test by card is failed. Expected values are worked by hand.
"""

import pytest

from analyser.common.errors import InputError
from tests.oracle.fight_files import LOW_CARDS, certain, charge, row, unit
from tests.oracle.rigged_fights import BY_MODELS, fighters, one_die, rating_of

# --- AC-8.1: who may charge, and Sponsons -----------------------------------------------------------------


def test_a_charge_needs_a_melee_or_impact_row():
    for kind in ("melee", "impact"):
        assert certain(charge(unit(row(kind, 3)), unit()))["target_models_destroyed"] == 3
    with pytest.raises(InputError, match="no melee or impact row"):
        charge(unit(row("ranged", 3)), unit())


def test_a_charge_reaches_twice_the_speed():
    fight = unit(row("melee", 3), speed=4), unit()
    assert charge(*fight, distance=8).summary == charge(*fight).summary
    with pytest.raises(InputError, match=r"charge.distance: the unit .* reaches 8 inches .* is 8.5 .allowed: 0 to 8."):
        charge(*fight, distance=8.5)
    with pytest.raises(InputError, match=r"attacker.speed: this key is missing"):
        charge(unit(row("melee", 3)), unit(), distance=1)


def test_sponsons_fire_before_contact_and_do_not_count_for_who_wins():
    ending = certain(charge(*fighters(1, 0, t={"rules": ["Sponsons (3)"]})))
    assert (ending["attacker_models_destroyed"], ending["target_models_destroyed"]) == (3, 1)
    assert ending["result"] == "attacker_wins"


def test_a_charger_that_falls_to_sponsons_comes_to_no_combat():
    result = charge(*fighters(3, 2, a={"models": 2}, t={"rules": ["Sponsons (2)", "Hunter"]}))
    assert certain(result)["result"] == "no_combat"
    assert result.headline.endswith(" always falls before contact.")
    assert result.summary["expected_target_victory_points"] == 5


# --- AC-8.2: bonuses and penalties ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("circumstances", "rating"),
    [
        ({}, "neutral"),
        ({"outflanking": True}, "improved"),
        ({"supported": True}, "improved"),
        ({"threatened": True}, "weakened"),
        ({"supported": True, "threatened": True}, "neutral"),
    ],
)
def test_bonuses_and_penalties_of_the_charge(circumstances, rating):
    assert rating_of(*one_die(), **circumstances) == rating


@pytest.mark.parametrize(
    ("type_", "rating"), [("armour", "improved"), ("fortification", "improved"), ("artillery", "neutral")]
)
def test_infantry_overwhelms_armour_and_fortifications(type_, rating):
    assert rating_of(*one_die(t={"type": type_})) == rating
    assert rating_of(*one_die(a={"type": "cavalry"}, t={"type": type_})) == "neutral"


# --- AC-8.3, AC-8.4: who strikes when ---------------------------------------------------------------------


def test_the_target_strikes_back_with_the_models_that_it_has_left():
    ending = certain(charge(*fighters(4, BY_MODELS)))
    assert (ending["attacker_models_destroyed"], ending["result"]) == (6, "target_wins")


def test_a_charge_against_models_without_dice_is_refused():
    """AC-2.4: by the target, or by another unit in contact (AC-8.7)."""
    up_to_nine = row("melee", 2) | {"bands": [{"first": 1, "last": 9, "dice": 2}]}
    attacker, target = fighters(3, 2)
    with pytest.raises(InputError, match=r"target.models: row 'melee' has no attack dice for 10 .allowed: 1-9"):
        charge(attacker, unit(up_to_nine))
    with pytest.raises(InputError, match=r"secondary.0.models: row 'melee' has no attack dice for 10"):
        charge(attacker, target, secondary=[unit(up_to_nine)])
    assert certain(charge(attacker, unit(up_to_nine, models=9)))["attacker_models_destroyed"] == 2


def test_a_target_that_is_gone_does_not_strike_back():
    ending = certain(charge(*fighters(10, 9)))
    assert (ending["target_annihilated"], ending["attacker_models_destroyed"]) == (True, 0)
    assert ending["result"] == "attacker_wins"


@pytest.mark.parametrize(
    ("circumstances", "rules"), [({"difficult_terrain": True}, []), ({}, ["Stoic Defence"])], ids=["terrain", "stoic"]
)
def test_defensive_advantage_lets_the_target_strike_first(circumstances, rules):
    ending = certain(charge(*fighters(BY_MODELS, 4, t={"rules": rules}), **circumstances))
    assert (ending["attacker_models_destroyed"], ending["target_models_destroyed"]) == (4, 6)


# --- AC-8.5: who wins, and what becomes of the loser ------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "result"), [((3, 2), "attacker_wins"), ((2, 3), "target_wins"), ((2, 2), "draw"), ((0, 0), "draw")]
)
def test_who_destroys_more_wins(dice, result):
    attacker, target = fighters(*dice) if any(dice) else fighters(0, 0)
    assert certain(charge(attacker, target))["result"] == result


def test_a_loser_breaks_or_falls_back_or_flees():
    assert certain(charge(*fighters(3, 0, t={"break_limit": 7})))["target_broken"]
    assert certain(charge(*fighters(3, 0, t={"suppressed": True})))["target_fell_back"]
    assert certain(charge(*fighters(3, 0, t={"suppressed": True, "edge_distance": 6.0})))["target_fled"]
    assert not certain(charge(*fighters(3, 0, t={"suppressed": True, "edge_distance": 7.0})))["target_fled"]


# --- AC-8.6: storming a building --------------------------------------------------------------------------


def test_both_sides_of_a_storm_count_half_of_their_models_and_the_garrison_strikes_first():
    ending = certain(charge(*fighters(BY_MODELS, BY_MODELS, t={"garrisoned": True})))
    assert (ending["attacker_models_destroyed"], ending["target_models_destroyed"]) == (5, 3)  # half of 10, half of 5


def test_a_storming_party_strikes_first():
    ending = certain(charge(*fighters(BY_MODELS, BY_MODELS, a={"rules": ["Storming Party"]}, t={"garrisoned": True})))
    assert (ending["attacker_models_destroyed"], ending["target_models_destroyed"]) == (3, 5)
    stoic = {"garrisoned": True, "rules": ["Stoic Defence"]}
    assert certain(charge(*fighters(BY_MODELS, BY_MODELS, a={"rules": ["Storming Party"]}, t=stoic))) == ending


# --- AC-8.7, AC-8.8: others in contact, and passengers ----------------------------------------------------


def test_secondary_combatants_strike_for_the_side_of_the_target():
    attacker, target = fighters(3, 2)
    assert certain(charge(attacker, target))["result"] == "attacker_wins"
    ending = certain(charge(attacker, target, secondary=[unit(row("melee", 2))]))
    assert (ending["result"], ending["attacker_models_destroyed"]) == ("target_wins", 4)


def transport(**keys):
    return unit(type="armour", models=2, damage_limit=1, rules=["Capacity (3)"], **keys)


def test_passengers_without_a_place_are_destroyed_and_count_for_who_wins():
    passengers = {"models": 6, "defence": 1, "damage_limit": 1, "discipline": 6, "victory_points": 3}
    attacker = unit(row("melee", 1), type="cavalry")
    bus = transport() | {"rows": [row("melee", 2)]}
    assert certain(charge(attacker, bus, deck=LOW_CARDS))["result"] == "target_wins"  # one model for two
    full = certain(charge(attacker, bus | {"passengers": passengers}, deck=LOW_CARDS))
    assert (full["result"], full["target_passengers_left"]) == ("attacker_wins", 3)  # and three embarked ones


@pytest.mark.parametrize("side", ["attacker", "target"])
def test_passengers_test_after_a_blast_at_their_transport(side):
    """AC-5.10: half of the dice strike, half of the cards fail. A miss or a loss of 1 or 2 models causes a test."""
    passengers = {"models": 6, "defence": 1, "damage_limit": 1, "discipline": 6, "victory_points": 3}
    bus = transport(passengers=passengers) | {"models": 3, "rows": [row("melee", 40)]}
    wreck = unit(row("impact", 1), models=1, rules=["Spectacular Demise (3)"])
    stoic = {"rules": ["Capacity (3)", "Stoic Defence"]}
    sides = (bus, wreck) if side == "attacker" else (wreck, bus | stoic)
    found = charge(*sides, die={"strike": 1, "miss": 1}, deck={"1": 1, "12": 1}).summary
    tested = 1 / 2 + 1 / 2 * 6 / 8
    assert found[f"p_{side}_suppressed"] == pytest.approx(tested / 2)
    assert found[f"p_{side}_passengers_suppressed"] == pytest.approx(tested / 2)
