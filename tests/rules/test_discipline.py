"""The test after a ranged attack (AC-5), each rule changing its number as it should."""

import pytest

from tests.oracle.attacks import LOW_CARDS, SHIPPED_DECK, TOLERANCE, attack, certain, chance, modified_discipline


@pytest.mark.parametrize("discipline", [0, 1, 7, 11, 12])
def test_ac_5_1_a_card_of_at_most_discipline_passes(discipline):
    # The shipped deck has every value from 1 to 12 equally often.
    failed = chance("suppressed", deck=SHIPPED_DECK, dice=1, discipline=discipline)
    assert failed == pytest.approx((12 - discipline) / 12, rel=0, abs=TOLERANCE)


def test_ac_5_1_the_deck_decides():
    # Three cards of 2 and one of 9 at DISCIPLINE 5.
    assert chance("suppressed", deck={"2": 3, "9": 1}, dice=1, discipline=5) == 0.25


def test_ac_5_1_discipline_below_every_card():
    # DISCIPLINE 0 passes on a card of 0; one less passes on none.
    assert not certain(deck={"0": 1}, dice=1, discipline=0).suppressed
    assert certain(deck={"0": 1}, dice=1, discipline=0, disordered=True).suppressed


def test_ac_5_1_a_unit_without_discipline_takes_no_test():
    assert not certain(dice=1, discipline=None).suppressed


def test_ac_5_1_a_general_may_fail_on_purpose():
    assert not certain(deck=LOW_CARDS, dice=1).suppressed
    assert certain(deck=LOW_CARDS, dice=1, fail_on_purpose=True).suppressed


def test_ac_5_2_heavy_losses_take_one_discipline():
    # 4 of 10 models are less than half, 5 are not; 4 of 8 and 5 of 9 (half is 4.5) are not either.
    assert modified_discipline(dice=4) == 6
    assert modified_discipline(dice=5) == 5
    assert modified_discipline(dice=4, models=8) == 5
    assert modified_discipline(dice=4, models=9) == 6
    assert modified_discipline(dice=5, models=9) == 5


def test_ac_5_3_disordered_takes_one_discipline():
    assert modified_discipline(disordered=True) == 5


def test_ac_5_4_a_unit_at_its_break_limit_breaks():
    assert not certain(dice=4, break_limit=5).broken
    outcome = certain(dice=5, break_limit=5)
    assert (outcome.broken, outcome.annihilated, outcome.models_left) == (True, True, 0)
    assert outcome.models_destroyed == 5


def test_ac_5_4_a_unit_without_break_limit_cannot_break():
    outcome = certain(dice=9)
    assert (outcome.broken, outcome.suppressed, outcome.models_left) == (False, True, 1)


def test_ac_5_4_breaking_comes_before_falling_back():
    outcome = certain(dice=5, break_limit=5, suppressed=True, edge_distance=1)
    assert (outcome.broken, outcome.fell_back, outcome.fled) == (True, False, False)


def test_ac_5_4_a_suppressed_unit_falls_back_and_stays_suppressed():
    outcome = certain(dice=1, suppressed=True)
    assert (outcome.fell_back, outcome.suppressed, outcome.annihilated, outcome.models_left) == (True, True, False, 9)


@pytest.mark.parametrize(("edge_distance", "fled"), [(0, True), (3, True), (3.1, False), (None, False)])
def test_ac_5_4_a_unit_that_falls_back_over_its_edge_flees(edge_distance, fled):
    outcome = certain(dice=1, suppressed=True, edge_distance=edge_distance)
    assert (outcome.fled, outcome.annihilated, outcome.fell_back) == (fled, fled, True)


def test_ac_5_4_only_a_unit_that_falls_back_flees():
    outcome = certain(dice=1, edge_distance=1)
    assert (outcome.fled, outcome.suppressed) == (False, True)


def test_ac_5_5_models_without_room_are_destroyed_when_falling_back():
    outcome = certain(dice=1, suppressed=True, models_without_room=2)
    assert (outcome.models_left, outcome.models_destroyed) == (7, 3)
    assert certain(dice=1, models_without_room=2).models_destroyed == 1
    assert certain(dice=1, suppressed=True, models_without_room=9).annihilated


def test_ac_5_8_in_close_formation_the_officer_falls_last():
    for officer in ("last", "first", "random"):
        assert not certain(dice=9, formation="close", officer=officer).disordered


def test_ac_5_8_in_open_formation_the_officer_falls_as_stated():
    assert not certain(dice=9, formation="open").disordered
    assert certain(dice=1, formation="open", officer="first").disordered
    assert not certain(dice=1, damage_limit=2, formation="open", officer="first").disordered
    # One of ten models is gone: the officer with a tenth. Three: three tenths.
    disordered = chance("disordered", dice=1, formation="open", officer="random")
    assert disordered == pytest.approx(0.1, rel=0, abs=TOLERANCE)
    disordered = chance("disordered", dice=3, formation="open", officer="random")
    assert disordered == pytest.approx(0.3, rel=0, abs=TOLERANCE)


def test_ac_5_8_the_loss_of_the_officer_counts_in_the_test_of_the_same_attack():
    assert modified_discipline(formation="open", officer="first") == 5


def test_ac_5_8_a_unit_near_a_commander_does_not_become_disordered():
    assert not certain(dice=1, formation="open", officer="first", near_commander=True).disordered
    assert modified_discipline(formation="open", officer="first", near_commander=True) == 6


def test_ac_5_8_formation_follows_the_type():
    # Infantry and field guns close, all others open; unless the scenario says otherwise.
    lost = {
        unit_type: certain(dice=1, type=unit_type, officer="first").disordered
        for unit_type in ("infantry", "field gun", "cavalry", "armour", "artillery", "fortification", "rotorcraft")
    }
    assert [unit_type for unit_type, disordered in lost.items() if not disordered] == ["infantry", "field gun"]
    assert not certain(dice=1, type="cavalry", officer="first", formation="close").disordered


def test_ac_5_9_annihilation_gives_the_victory_points():
    assert attack(dice=10, victory_points=4).summary["expected_victory_points"] == 4
    assert attack(dice=9, victory_points=4).summary["expected_victory_points"] == 0
    assert attack(dice=9, victory_points=4, break_limit=1).summary["expected_victory_points"] == 4
    fled = attack(dice=1, victory_points=4, suppressed=True, edge_distance=2)
    assert fled.summary["expected_victory_points"] == 4
